// Messages on standard error: errors, warnings, notes.
#pragma once

#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "base/result.h"
#include "print/progress.h"
#include "print/streams.h"

namespace svc::print {

struct NoticeOptions {
  bool quiet = false;    ///< errors only
  bool json = false;     ///< one JSON object per line, for --format json and jsonl
  bool verbose = false;  ///< print details too
};

/// Writes to standard error, a line at a time, each flushed at once:
///
///     svc: error: the service refused the request: no such model (HTTP 404, code not_found)
///     svc: hint: list the models with `svc models`
///     svc: warning: …
///     svc: note: …
///
/// With `json`, errors are `{"error":{"fault":…,"message":…,"hint":…,"http_status":…,"code":…,
/// "request_id":…}}`: all six fields are always present, null if unknown. Warnings and notes are
/// then `{"warning":{"message":…}}` and `{"note":{"message":…}}`.
///
/// Everything is escaped, on a terminal or not: text lines by `visible`, JSON by escapes, so that
/// untrusted text can neither control a terminal nor forge a line. On a terminal, long lines are
/// wrapped between words. A progress line is cleared first. Errors writing to standard error are
/// ignored. Secrets are masked, however a text from outside encodes them.
class Notices {
 public:
  /// `err` and `progress` (may be null) must outlive this object.
  Notices(Out& err, NoticeOptions options, Progress* progress = nullptr);

  /// Separate from the constructor because the format is known only after reading the
  /// configuration.
  void set_json(bool json) noexcept { m_options.json = json; }

  /// Masks a secret in everything that is printed from now on.
  void keep_secret(std::string secret) { m_secrets.push_back(std::move(secret)); }

  /// Prints an error, adding the service's HTTP status, code and request ID unless the message
  /// states them.
  void error(const Error& error);
  void warning(sv message);
  void note(sv message) {
    if (!m_options.quiet) insist(message);
  }
  /// Prints a note even with --quiet, when the program would otherwise seem to hang.
  void insist(sv message);
  /// Prints a line without a prefix, with --verbose only.
  void detail(sv line);
  /// Buffers details from now on, because another line is open on the terminal.
  void hold_details() noexcept { m_holds = true; }
  void release_details();
  /// Prints supplementary text such as reasoning, citations or token counts, without a prefix and
  /// with its line breaks. Silent with `quiet` and with `json`.
  void aside(sv text);
  /// The same, but prints the second argument if errors are JSON.
  void aside(sv text, sv json);

 private:
  void say(sv kind, sv color, sv message);
  void line(sv word, sv color, sv message);
  [[nodiscard]] std::string folded(std::string text) const;
  void json_line(sv json);
  void put(sv text);

  Out& m_err;
  NoticeOptions m_options;
  Progress* m_progress;
  std::vector<std::string> m_secrets{};
  bool m_holds = false;
  std::string m_held{};  ///< buffered details
};

}  // namespace svc::print
