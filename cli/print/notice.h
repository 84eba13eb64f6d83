// What standard error says: errors, warnings, notes.
#pragma once

#include <string>
#include <string_view>

#include "base/result.h"
#include "print/progress.h"
#include "print/streams.h"

namespace svc::print {

struct NoticeOptions {
  bool quiet = false;    ///< errors only
  bool json = false;     ///< one JSON object per line, as --format json and jsonl want
  bool verbose = false;  ///< details too
};

/// Writes to standard error, a line at a time, each flushed at once:
///
///     svc: error: the service refused the request: no such model (HTTP 404, code not_found)
///     svc: hint: list the models with `svc models`
///     svc: warning: …
///     svc: note: …
///
/// With `json`, errors are `{"error":{"fault":…,"message":…,"hint":…,"http_status":…,"code":…,
/// "request_id":…}}`: all six members are always there, null when not known. Warnings and notes are
/// then `{"warning":{"message":…}}` and `{"note":{"message":…}}`.
///
/// Everything is made harmless, on a terminal or not: text lines by `visible`, JSON by escapes, so
/// that no text from outside drives a terminal or forges a line. On a terminal a line that is too
/// long is broken between words. A progress line gives way first.
/// When standard error cannot be written there is nobody to tell, and nothing happens.
class Notices {
 public:
  /// `err` and `progress` (may be null) must outlive this.
  Notices(Out& err, NoticeOptions options, Progress* progress = nullptr);

  /// The format is known only once the configuration is read.
  void set_json(bool json) noexcept { m_options.json = json; }

  /// An error status, the code and the request id of the service are added where the message lacks
  /// them.
  void error(const Error& error);
  void warning(sv message);
  void note(sv message) {
    if (!m_options.quiet) insist(message);
  }
  /// A note that --quiet does not silence: without it the program would seem to hang.
  void insist(sv message);
  /// A line for --verbose, without a prefix; silent without it.
  void detail(sv line);
  /// From now on such lines wait, because a line of something else is open on the terminal.
  void hold_details() noexcept { m_holds = true; }
  void release_details();
  /// A note that is nothing but itself: reasoning, citations, token counts; not prefixed, line
  /// breaks stay. Silent with `quiet` and with `json`.
  void aside(sv text);
  /// The same, but with `json` in the other form where machine-readable errors are wanted.
  void aside(sv text, sv json);

 private:
  void line(sv word, sv color, sv message);
  [[nodiscard]] std::string folded(std::string text) const;
  void json_line(sv json);
  void put(sv text);

  Out& m_err;
  NoticeOptions m_options;
  Progress* m_progress;
  bool m_holds = false;
  std::string m_held{};  ///< details that wait
};

}  // namespace svc::print
