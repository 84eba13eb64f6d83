// Answers that a test has chosen: the rules of POST /_emulator/answers and of --answers.
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

/// A tool call that a rule makes.
struct GivenCall {
  std::string name;
  std::string arguments;  ///< JSON text
};

/// What a rule answers: words, an HTTP response, or the events of a stream.
struct GivenAnswer {
  std::optional<std::string> text{};
  std::vector<GivenCall> calls{};
  int status = 0;  ///< 0: the operation answers as usual, with the words above
  std::string body{};
  std::vector<Header> headers{};
  std::vector<std::string> events{};  ///< each as it goes out, with its blank line
};

/// A request as rules see it.
struct Question {
  std::string_view operation;              ///< "chat", "responses", "realtime", …
  std::vector<std::string_view> models{};  ///< as the request wrote it, and as answers show it
  std::string_view prompt{};               ///< the text of the last user message
  const std::vector<Header>* headers = nullptr;
  std::function<bool(std::string_view key)> is_key{};  ///< by id, name or secret
  bool streamed = false;
  bool after_tools = false;  ///< the conversation ends with a tool's result
};

struct AnswerRule {
  std::string text{};       ///< the rule as it was given, compact JSON
  std::string operation{};  ///< empty: any; so for the other conditions
  std::string model{};
  std::shared_ptr<const Pattern> prompt{};
  std::vector<Header> headers{};
  std::string key{};
  std::optional<std::int64_t> call{};   ///< only the n-th request that fits otherwise
  std::optional<std::int64_t> times{};  ///< at most this often
  GivenAnswer answer{};
};

/// The rules of a JSON array. Usage, with a sentence that names the rule and what is wrong with it.
[[nodiscard]] Result<std::vector<AnswerRule>> parse_answers(std::string_view json);

/// The rules in force. Safe for several threads.
class AnswerBook {
 public:
  struct Entry {
    AnswerRule rule;
    std::int64_t seen = 0;  ///< requests that fit
    std::int64_t used = 0;  ///< of them, how many it answered
  };

  /// Usage when there would be more than 1,000 rules.
  [[nodiscard]] Result<void> add(std::vector<AnswerRule> rules);
  void clear();
  [[nodiscard]] std::vector<Entry> entries() const;

  /// The answer of the first rule that fits and is not used up. A rule's tool calls answer a user,
  /// its text the results of these calls.
  [[nodiscard]] std::optional<GivenAnswer> take(const Question& question);

 private:
  mutable std::mutex m_mutex{};
  std::vector<Entry> m_entries{};
};

}  // namespace svc::emulator
