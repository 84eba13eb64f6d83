// JSON results: the service's own text in another layout, without loss.
#pragma once

#include <string>
#include <string_view>

#include "base/result.h"
#include "print/streams.h"

namespace svc::print {

/// The subject of an error: whose text is printed.
inline constexpr sv k_the_answer = "the service's response";

/// Returns the error of text that is not JSON; ill-formed UTF-8 is allowed.
[[nodiscard]] Result<void> check_printable(sv text, sv whose = k_the_answer);

/// Writes `text` indented, as one document and a newline: `--format json`. On a terminal, control
/// characters are written as escapes. Text that is not JSON is Fault::Network ("the service's
/// response is not JSON: line 1, column 7: …"), and nothing is written.
Result<void> print_json(Out& out, sv text, sv whose = k_the_answer);

/// Writes each document as one line: `--format jsonl`. Does not flush.
class JsonLines {
 public:
  explicit JsonLines(Out& out) : m_out(out) {}
  Result<void> print(sv text, sv whose = k_the_answer);

 private:
  Out& m_out;
  std::string m_line{};  ///< reused, to save an allocation per line
};

/// Writes items as one JSON array while they arrive: a list across pages with `--format json`.
class JsonArray {
 public:
  explicit JsonArray(Out& out) : m_out(out) {}
  Result<void> add(sv item, sv whose = k_the_answer);
  /// Closes the array; writes "[]" if nothing was added.
  Result<void> finish() { return m_out.write(m_empty ? "[]\n" : "\n]\n"); }

 private:
  Out& m_out;
  bool m_empty = true;
};

}  // namespace svc::print
