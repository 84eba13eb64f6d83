#include "print/notice.h"

#include <array>
#include <utility>
#include <vector>

#include "base/text.h"
#include "client/credentials.h"
#include "json/text.h"
#include "print/width.h"

namespace svc::print {
namespace {

constexpr sv k_red = "\x1b[1;31m";
constexpr sv k_yellow = "\x1b[1;33m";
constexpr sv k_cyan = "\x1b[36m";
constexpr sv k_plain = "\x1b[0m";

/// Rewrites a code of the service for people: the sentences it uses for gRPC codes become the
/// codes' names; other codes are unchanged. "" if the words for the status say the same.
std::string code_words(const std::string& code, int status) {
  struct Row {
    sv sentence;
    sv name;
    int said_by = 0;  ///< the status whose words are the same
  };
  constexpr std::array k_rows = {
      Row{"The operation was cancelled", "cancelled"},
      Row{"Unknown error", "unknown error"},
      Row{"Client specified an invalid argument", "invalid argument"},
      Row{"Deadline expired before operation could complete", "deadline exceeded"},
      Row{"Some requested entity was not found", "not found", 404},
      Row{"Some entity that we attempted to create already exists", "already exists"},
      Row{"The caller does not have permission to execute the specified operation",
          "permission denied"},
      Row{"Some resource has been exhausted", "resource exhausted"},
      Row{"The system is not in a state required for the operation's execution",
          "failed precondition"},
      Row{"The operation was aborted", "aborted"},
      Row{"Operation was attempted past the valid range", "out of range"},
      Row{"Operation is not implemented or not supported", "unimplemented"},
      Row{"Internal error", "internal error"},
      Row{"The service is currently unavailable", "unavailable", 503},
      Row{"Unrecoverable data loss or corruption", "data loss"},
      Row{"The request does not have valid authentication credentials", "unauthenticated"},
  };
  for (const Row& row : k_rows) {
    if (!equals_ignore_case(row.sentence, code)) continue;
    return status == row.said_by ? std::string() : std::string(row.name);
  }
  // A gRPC code number, followed by the service's own name for the case.
  if (code.starts_with("3 [")) return "invalid argument";
  // A sentence starts with a letter; "3 [WKE=…]" is not one.
  const bool sentence = code.find(' ') != std::string::npos && code.find('[') == std::string::npos;
  return sentence || code.empty() ? code : "code " + code;
}

/// Returns the message, and in brackets the details from the service that the message lacks.
std::string full_message(const Error& error) {
  std::vector<std::string> facts;
  if (error.http_status >= 400 && !error.states_status) {
    facts.push_back("HTTP " + std::to_string(error.http_status));
  }
  if (!error.request_id.empty() && !error.states_request_id) {
    facts.push_back("request " + error.request_id);
  }
  std::string words = error.states_code ? "" : code_words(error.code, error.http_status);
  if (!words.empty()) facts.push_back(std::move(words));
  if (facts.empty()) return error.message;
  return error.message + " (" + join(facts, ", ") + ")";
}

std::string quote_or_null(const std::string& text) {
  return text.empty() ? "null" : json_quote(text);
}

std::string error_json(const Error& error) {
  const std::string status = error.http_status == 0 ? "null" : std::to_string(error.http_status);
  return R"({"error":{"fault":)" + json_quote(fault_name(error.fault)) + R"(,"message":)" +
         json_quote(error.message) + R"(,"hint":)" + quote_or_null(error.hint) +
         R"(,"http_status":)" + status + R"(,"code":)" + quote_or_null(error.code) +
         R"(,"request_id":)" + quote_or_null(error.request_id) + "}}";
}

}  // namespace

Notices::Notices(Out& err, NoticeOptions options, Progress* progress)
    : m_err(err), m_options(options), m_progress(progress) {}

void Notices::error(const Error& error) {
  if (m_options.json) {
    json_line(error_json(error));
    return;
  }
  line("error", k_red, full_message(error));
  if (!error.hint.empty()) line("hint", k_cyan, error.hint);
}

void Notices::warning(sv message) {
  if (!m_options.quiet) say("warning", k_yellow, message);
}

void Notices::insist(sv message) {
  say("note", k_cyan, message);
}

void Notices::say(sv kind, sv color, sv message) {
  if (!m_options.json) return line(kind, color, message);
  json_line("{\"" + std::string(kind) + R"(":{"message":)" + json_quote(message) + "}}");
}

void Notices::detail(sv text) {
  if (!m_options.verbose) return;
  m_held += visible(text, Lines::Escape) + "\n";
  if (!m_holds) put(std::exchange(m_held, {}));
}

void Notices::release_details() {
  m_holds = false;
  if (!m_held.empty()) put(std::exchange(m_held, {}));
}

void Notices::aside(sv text) {
  if (m_options.quiet || m_options.json || text.empty()) return;
  std::string shown = folded(visible(text, Lines::Keep));
  if (!shown.ends_with('\n')) shown += '\n';
  put(shown);
}

void Notices::aside(sv text, sv json) {
  if (!m_options.json) return aside(text);
  if (!m_options.quiet) json_line(json);
}

void Notices::line(sv word, sv color, sv message) {
  constexpr sv k_prefix = "svc: ";
  std::string text(k_prefix);
  text.append(word).append(": ").append(visible(message, Lines::Escape));
  text = folded(text) + '\n';
  if (m_err.terminal().color) {
    text.insert(k_prefix.size() + word.size() + 1, k_plain).insert(k_prefix.size(), color);
  }
  put(text);
}

/// On a terminal, wraps at its width; elsewhere a sentence is a line.
std::string Notices::folded(std::string text) const {
  const Terminal& terminal = m_err.terminal();
  return terminal.is_tty ? fold(text, static_cast<std::size_t>(terminal.columns)) : text;
}

void Notices::json_line(sv json) {
  const JsonStyle style{JsonLayout::Compact, m_err.terminal().color, true};
  std::string text;
  (void)reformat_json(json, style, [&](sv piece) { text += piece; });
  text += '\n';
  put(text);
}

void Notices::put(sv text) {
  if (m_progress != nullptr) m_progress->clear();
  (void)m_err.write(scrub(std::string(text), m_secrets));
  (void)m_err.flush();
}

}  // namespace svc::print
