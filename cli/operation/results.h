// Results of commands that process several items: each result is printed as it arrives, a failure
// does not stop the others, and the exit code reports failures at the end.
#pragma once

#include <cstddef>
#include <optional>
#include <span>
#include <string>
#include <string_view>

#include <nlohmann/json_fwd.hpp>

#include "base/result.h"
#include "catalogue/model.h"
#include "print/json.h"
#include "session/session.h"

namespace svc::cli {

/// The results. With `--format json`: one document for one item, an array for several.
class Results {
 public:
  Results(Session& session, std::size_t count)
      : m_session(session), m_several(count > 1), m_array(session.out()) {}

  /// Adds a result: its JSON, and its text output (including the line break; untrusted text).
  [[nodiscard]] Result<void> add(std::string_view json, std::string_view text);
  /// Adds a result whose text output is `name: value` lines if it is the only one, otherwise
  /// `text`.
  [[nodiscard]] Result<void> add_object(std::string_view json, std::string_view text);
  [[nodiscard]] Result<void> finish();

 private:
  Session& m_session;
  bool m_several;
  print::JsonArray m_array;
  std::string m_items{};  ///< for --jq, which processes the whole array
};

/// The failures.
class Failures {
 public:
  /// `verb` as in "2 of 5 files were not uploaded".
  Failures(Session& session, std::size_t count, std::string verb)
      : m_session(session), m_count(count), m_verb(std::move(verb)) {}

  /// Records the failure of the item `name`. Returns false if the remaining items would fail too or
  /// should not be tried.
  [[nodiscard]] bool add(std::string_view name, Error error);
  [[nodiscard]] Result<void> verdict() const;

 private:
  Session& m_session;
  std::size_t m_count;
  std::string m_verb;
  std::size_t m_failed = 0;
  std::optional<Error> m_first{};
};

/// The same without duplicates.
[[nodiscard]] std::vector<std::string> distinct_values_of(const Session& session,
                                                          std::string_view flag);

/// Returns the invocation's inputs with `value` as the only value of the repeatable field `flag`.
[[nodiscard]] request::Inputs inputs_with(const Session& session, std::string_view flag,
                                          const std::string& value);

/// Checks before anything is sent that a file can be written, by the rules of AtomicFile::create.
/// Where requests are only shown, nothing is created.
[[nodiscard]] Result<void> check_output(const Session& session, const std::string& path);

// Details printed with --verbose: on standard error, so that standard output contains only the
// result.

/// Whether to print details: text output with --verbose.
[[nodiscard]] bool wants_details(const Session& session);

/// Prints the members that the operation's answer shows as details on standard error, if these are
/// enabled. `below`: the document is an item at this path of the answer, "data[]".
void print_details(Session& session, const nlohmann::json& document, sv below = {});

/// Prints all members on standard error, if details are enabled: standard output has only the
/// secret.
void print_beside_secret(Session& session, const nlohmann::json& document);

}  // namespace svc::cli
