// Answers chosen by a test: the rules of POST /_emulator/answers and of --answers.
#pragma once

#include <chrono>
#include <cstdint>
#include <deque>
#include <functional>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/message.h"
#include "base/result.h"
#include "emulator/json/json.h"
#include "json/pattern.h"

namespace svc::emulator {

/// A call of one of the client's functions.
struct FunctionCall {
  std::string name;
  std::string arguments;  ///< JSON text
};

/// A part of a streamed text, and the pause before it.
struct AnswerPiece {
  std::string text;
  std::chrono::milliseconds delay{0};
};

/// A rule's answer: text and tool calls, changed members, an HTTP response, or stream events.
struct CannedAnswer {
  std::optional<std::string> text{};
  std::vector<AnswerPiece> pieces{};  ///< of `text`, as streamed; empty: word by word
  std::vector<FunctionCall> calls{};
  std::string reasoning{};
  std::string refusal{};
  std::string finish_reason{};
  std::optional<std::vector<std::string>> citations{};  ///< URLs
  std::shared_ptr<const text::Json> usage{};            ///< members that replace those of the usage
  std::shared_ptr<const text::Json> members{};  ///< by path; they replace those of the answer
  std::chrono::milliseconds delay{0};           ///< before the answer
  double rate = 0;                              ///< tokens a second of a stream; 0: as usual
  double jitter = 0;  ///< 0.2: each pause is up to 20 percent shorter or longer
  int status = 0;     ///< 0: the operation responds as usual, with the members above
  std::string body{};
  std::vector<Header> headers{};
  std::vector<std::string> events{};  ///< each as sent, with its blank line
  std::vector<std::string> groups{};  ///< the parts of the match: $0, $1, …

  /// Whether the emulator writes the text itself.
  [[nodiscard]] bool says_nothing() const {
    return !text && calls.empty() && reasoning.empty() && refusal.empty();
  }
};

/// Returns `text` with $0, $1, … replaced by `groups`; a number without a group is left alone.
[[nodiscard]] std::string expand_groups(sv text, const std::vector<std::string>& groups);

/// Returns the short name of an operation, "images" for "POST /v1/images/generations"; the
/// operation itself if it has none.
[[nodiscard]] sv operation_name(sv operation);

/// Returns the value at `path` ("choices.0.message.content"; "" is the document); null if there is
/// none.
[[nodiscard]] const text::Json* find_path(const text::Json& document, sv path);

/// The parts of a request that rules match.
struct AnswerTarget {
  std::string operation{};            ///< "chat", "responses", "realtime", …, or "GET /v1/files"
  std::string path{};                 ///< with the query, as sent
  std::vector<std::string> models{};  ///< as written in the request, and as shown in responses
  std::string prompt{};               ///< the text of the last user message
  std::string system{};               ///< the system prompt
  std::string tool_result{};          ///< the tool results at the end of the conversation
  std::shared_ptr<const text::Json> body{};
  std::size_t body_bytes = 0;  ///< verify() does not see large ones
  std::vector<Header> headers{};
  std::function<bool(sv key)> is_key{};  ///< by ID, name or secret
  bool streamed = false;
  bool after_tools = false;  ///< the conversation ends with a tool result
  bool modelled = true;      ///< --strict applies
};

/// The conditions of a rule; empty: any.
struct AnswerMatch {
  std::string operation{};
  std::string path{};  ///< with or without the query
  std::string model{};
  std::shared_ptr<const Pattern> prompt{};
  std::shared_ptr<const Pattern> system{};
  std::shared_ptr<const Pattern> tool_result{};
  std::vector<Header> headers{};
  std::string key{};
  std::shared_ptr<const text::Json> body{};  ///< values by path
  std::optional<std::int64_t> call{};  ///< only the n-th request that matches the other conditions
};

struct AnswerRule {
  std::string text{};  ///< the rule as given, as compact JSON
  AnswerMatch match{};
  std::optional<std::int64_t> times{};  ///< maximum number of uses
  CannedAnswer answer{};
};

/// Parses a rule or a JSON array of rules. Returns Usage, with the rule's number and what is wrong
/// with it.
[[nodiscard]] Result<std::vector<AnswerRule>> parse_answers(sv json);

/// What POST /_emulator/verify asks.
struct AnswerCheck {
  AnswerMatch match{};
  std::optional<std::int64_t> count{};  ///< unset: at least one
};
[[nodiscard]] Result<AnswerCheck> parse_check(sv json);

/// The active rules, and the last 1,000 requests that they were asked for. Thread-safe.
class AnswerRuleSet {
 public:
  struct Entry {
    AnswerRule rule;
    std::int64_t seen = 0;  ///< matching requests
    std::int64_t used = 0;  ///< how many of them it answered
  };

  /// Makes add() refuse rules for other operations, such as "GET /v1/files".
  void set_operations(std::vector<std::string> operations);
  /// Makes take() refuse requests that no rule answers: those to a model, or all.
  enum class Strict : std::uint8_t { No, Models, All };
  void set_strict(Strict strict);

  /// Returns Usage if there would be more than 10,000 rules, or one is for an unknown operation.
  [[nodiscard]] Result<void> add(std::vector<AnswerRule> rules);
  /// Deletes the rules and forgets the requests.
  void clear();
  [[nodiscard]] std::vector<Entry> entries() const;

  struct Taken {
    std::optional<CannedAnswer> answer{};
    std::string refusal{};  ///< of set_strict(): the nearest rule, and what differs
  };
  /// Returns the answer of the first matching rule that is not used up. If a rule has both tool
  /// calls and text, the calls answer a user message and the text answers their results.
  [[nodiscard]] Taken take(AnswerTarget question);

  /// Counts the matching requests; Usage, with what came instead, if they are not as many as asked.
  [[nodiscard]] Result<std::int64_t> verify(const AnswerCheck& check) const;

 private:
  [[nodiscard]] Result<void> check_operation(const AnswerMatch& match) const;
  [[nodiscard]] std::string explain(const AnswerTarget& question) const;

  mutable std::mutex m_mutex{};
  std::vector<Entry> m_entries{};
  std::vector<std::string> m_operations{};
  std::deque<AnswerTarget> m_asked{};
  Strict m_strict = Strict::No;
};

}  // namespace svc::emulator
