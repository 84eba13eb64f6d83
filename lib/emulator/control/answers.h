// Answers chosen by a test: the rules of POST /_emulator/answers and of --answers.
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/message.h"
#include "base/result.h"
#include "json/pattern.h"

namespace svc::emulator {

/// A call of one of the client's functions.
struct FunctionCall {
  std::string name;
  std::string arguments;  ///< JSON text
};

/// A rule's answer: text and tool calls, an HTTP response, or stream events.
struct CannedAnswer {
  std::optional<std::string> text{};
  std::vector<FunctionCall> calls{};
  int status = 0;  ///< 0: the operation responds as usual, with the text and calls above
  std::string body{};
  std::vector<Header> headers{};
  std::vector<std::string> events{};  ///< each as sent, with its blank line
};

/// The parts of a request that rules match.
struct AnswerTarget {
  std::string_view operation;              ///< "chat", "responses", "realtime", …
  std::vector<std::string_view> models{};  ///< as written in the request, and as shown in responses
  std::string_view prompt{};               ///< the text of the last user message
  const std::vector<Header>* headers = nullptr;
  std::function<bool(std::string_view key)> is_key{};  ///< by ID, name or secret
  bool streamed = false;
  bool after_tools = false;  ///< the conversation ends with a tool result
};

struct AnswerRule {
  std::string text{};       ///< the rule as given, as compact JSON
  std::string operation{};  ///< empty: any; the same for the other conditions
  std::string model{};
  std::shared_ptr<const Pattern> prompt{};
  std::vector<Header> headers{};
  std::string key{};
  std::optional<std::int64_t> call{};   ///< only the n-th request that matches the other conditions
  std::optional<std::int64_t> times{};  ///< maximum number of uses
  CannedAnswer answer{};
};

/// Parses a JSON array of rules. Returns Usage, with the rule's number and what is wrong with it.
[[nodiscard]] Result<std::vector<AnswerRule>> parse_answers(std::string_view json);

/// The active rules. Thread-safe.
class AnswerRuleSet {
 public:
  struct Entry {
    AnswerRule rule;
    std::int64_t seen = 0;  ///< matching requests
    std::int64_t used = 0;  ///< how many of them it answered
  };

  /// Returns Usage if there would be more than 1,000 rules.
  [[nodiscard]] Result<void> add(std::vector<AnswerRule> rules);
  void clear();
  [[nodiscard]] std::vector<Entry> entries() const;

  /// Returns the answer of the first matching rule that is not used up. If a rule has both tool
  /// calls and text, the calls answer a user message and the text answers their results.
  [[nodiscard]] std::optional<CannedAnswer> take(const AnswerTarget& question);

 private:
  mutable std::mutex m_mutex{};
  std::vector<Entry> m_entries{};
};

}  // namespace svc::emulator
