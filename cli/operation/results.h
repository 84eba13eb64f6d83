// Commands that take several things one after the other: each result is printed as it comes, a
// failure does not stop the rest, and the exit code tells in the end.
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

/// The results: `--format json` gives one document for one thing and an array for several.
class Results {
 public:
  Results(Session& session, std::size_t count)
      : m_session(session), m_several(count > 1), m_array(session.out()) {}

  /// One result: its JSON, and what text output says (with its line break; foreign text).
  [[nodiscard]] Result<void> add(std::string_view json, std::string_view text);
  /// One result whose text form is `name: value` lines when it stands alone, else `text`.
  [[nodiscard]] Result<void> add_object(std::string_view json, std::string_view text);
  [[nodiscard]] Result<void> finish();

 private:
  Session& m_session;
  bool m_several;
  print::JsonArray m_array;
  std::string m_items{};  ///< for --jq, which gets the whole array
};

/// The failures.
class Failures {
 public:
  /// `verb` as in "2 of 5 files were not uploaded".
  Failures(Session& session, std::size_t count, std::string verb)
      : m_session(session), m_count(count), m_verb(std::move(verb)) {}

  /// Takes the failure of the thing `name`. False when the rest would fail too, or shall not be
  /// tried any more.
  [[nodiscard]] bool take(std::string_view name, Error error);
  [[nodiscard]] Result<void> verdict() const;

 private:
  Session& m_session;
  std::size_t m_count;
  std::string m_verb;
  std::size_t m_failed = 0;
  std::optional<Error> m_first{};
};

/// The values of a field, in the order given.
[[nodiscard]] std::vector<std::string> values_of(const Session& session, std::string_view flag);

/// Each of them once.
[[nodiscard]] std::vector<std::string> distinct_values_of(const Session& session,
                                                          std::string_view flag);

/// The invocation's inputs with `value` as the only one of the repeated field `flag`.
[[nodiscard]] request::Inputs inputs_with(const Session& session, std::string_view flag,
                                          const std::string& value);

// What --verbose adds to a result in text output: on standard error, so that the result stays
// alone.

/// Whether details are wanted: text output with --verbose.
[[nodiscard]] bool wants_details(const Session& session);

/// Says on standard error what the sections find in the document; nothing unless details are
/// wanted.
void print_details(Session& session, std::span<const Section> details,
                   const nlohmann::json& document);

}  // namespace svc::cli
