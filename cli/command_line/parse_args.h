// argv -> which operation, with which values.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "base/files.h"
#include "base/result.h"
#include "catalogue/catalogue.h"
#include "client/settings.h"
#include "request/inputs.h"

namespace svc::cli {

enum class Ask : std::uint8_t { Run, Help, HelpAll, Version };

/// The global flags as given.
struct Globals {
  Overrides settings{};  ///< every global flag with a value, by name; the settings pick theirs
  std::optional<std::string> jq{};
  std::optional<std::string> output{};
  std::string color = "auto";
  bool force = false;
  bool dry_run = false;
  bool curl = false;
  bool verbose = false;
  bool quiet = false;
  bool no_progress = false;
  bool no_stdin = false;
  bool yes = false;
  std::optional<std::string> columns{};  ///< of a list: names, comma-separated
  bool wide = false;

  [[nodiscard]] Replace replace() const noexcept { return force ? Replace::Yes : Replace::No; }
  /// The request is only shown: --dry-run or --curl.
  [[nodiscard]] bool shows_only() const noexcept { return dry_run || curl; }
};

struct Invocation {
  Ask ask = Ask::Run;
  const Group* group = nullptr;          ///< null: help on everything
  const Operation* operation = nullptr;  ///< null: help on the group
  bool verb_given = false;               ///< the verb was written, not filled in
  sv topic{};                            ///< of `svc help TOPIC`
  request::Inputs inputs{};
  Globals globals{};

  /// The last value of a Local or Compose field, or nothing. Booleans are "true" or "false".
  [[nodiscard]] std::optional<std::string> value(sv flag) const;
  [[nodiscard]] bool is_true(sv flag) const { return value(flag) == "true"; }
};

/// Reads the arguments (without the program's name). Usage, with the nearest name where there is
/// one, for anything that the catalogue does not know.
[[nodiscard]] Result<Invocation> parse_args(const std::vector<std::string>& arguments);

/// What --format and --json and --color say before anything else is known, even when the arguments
/// are wrong: an error must come in the form that was asked for.
struct EarlyLook {
  bool json_errors = false;
  bool quiet = false;
  std::string color = "auto";
};
[[nodiscard]] EarlyLook look_early(const std::vector<std::string>& arguments);

}  // namespace svc::cli
