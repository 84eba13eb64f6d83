// Parses argv into an operation and its values.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "base/atomic_file.h"
#include "base/result.h"
#include "catalogue/catalogue.h"
#include "client/settings.h"
#include "request/inputs.h"

namespace svc::cli {

enum class Ask : std::uint8_t { Run, Help, HelpAll, Version };

/// The global flags as given.
struct Globals {
  Overrides settings{};  ///< all global flags with a value, by name; settings read theirs from here
  std::optional<std::string> jq{};
  std::optional<std::string> output{};
  std::string color = "auto";
  bool force = false;
  bool dry_run = false;
  bool curl = false;
  bool estimate = false;
  bool exact = false;  ///< the estimate counts tokens by a request
  bool verbose = false;
  bool quiet = false;
  bool no_progress = false;
  bool no_stdin = false;
  bool yes = false;
  std::optional<std::string> columns{};  ///< columns of a list to show: comma-separated names
  bool wide = false;
  bool by_ending = false;  ///< the format follows from the ending of --output
  char separator = '\0';   ///< of a list's cells: ',' (CSV), '\t', '|' (Markdown); 0: no header

  [[nodiscard]] Replace replace() const noexcept { return force ? Replace::Yes : Replace::No; }
  /// True if the request is printed, or its cost, and it is not sent: --dry-run, --curl,
  /// --estimate.
  [[nodiscard]] bool shows_only() const noexcept { return dry_run || curl || estimate; }
  /// True if --output names a file or a directory; "-" is standard output.
  [[nodiscard]] bool has_output_path() const { return output && *output != "-"; }
  /// True if --output names a directory: one that exists, or any path that ends in a slash.
  [[nodiscard]] bool has_output_directory() const;
};

struct Invocation {
  Ask ask = Ask::Run;
  const Group* group = nullptr;          ///< null: help on all groups
  const Operation* operation = nullptr;  ///< null: help on the group
  bool verb_given = false;               ///< the verb was written, not filled in
  sv topic{};                            ///< of `svc help TOPIC`
  request::Inputs inputs{};
  /// Which of `inputs.given` is the only argument, if that is a text without "--" before it: it may
  /// be meant as a command or a file.
  std::optional<std::size_t> lone_text{};
  Globals globals{};
};

/// Parses the arguments (without the program's name). Returns Fault::Usage, with a suggestion if a
/// similar name exists, for anything that is not in the catalogue.
[[nodiscard]] Result<Invocation> parse_args(const std::vector<std::string>& arguments);

/// The flags that determine how errors are printed (--format, --json, --quiet, --color). They are
/// read first, so that an error in the arguments is printed in the requested format.
struct EarlyLook {
  bool json_errors = false;
  bool quiet = false;
  std::string color = "auto";
};
[[nodiscard]] EarlyLook look_early(const std::vector<std::string>& arguments);

}  // namespace svc::cli
