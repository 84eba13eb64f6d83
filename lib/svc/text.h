// Chat and responses: requests, tools, answers. Part of <svc/svc.h>.
#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "svc/options.h"
#include "svc/result.h"

namespace svc::v0 {

/// The tokens and cost of an answer; nothing where the service does not say.
struct Usage {
  std::int64_t input_tokens = 0;
  std::int64_t cached_tokens = 0;  ///< of the input
  std::int64_t output_tokens = 0;
  std::int64_t reasoning_tokens = 0;                ///< of the output
  std::optional<std::int64_t> cost_in_usd_ticks{};  ///< 10,000,000,000 ticks are one US dollar
};

/// A function that the model may call.
struct Tool {
  std::string name{};
  std::string description{};
  std::string parameters{};  ///< a JSON Schema, as text; empty: no parameters
  /// Runs the function: `arguments` is a JSON object as text ("{}" if there are none), the result
  /// any text. An error is told to the model, as are arguments that are not a JSON object, with
  /// which the function is not run. If a tool without it is called, the call is in the answer's
  /// `tool_calls`.
  std::function<Result<std::string>(const std::string& arguments)> run{};
};

/// A call of a function that the model asks for.
struct ToolCall {
  std::string id{};
  std::string name{};
  std::string arguments{};  ///< a JSON object as text, unless the answer lacks something
};

/// An earlier message of a conversation.
struct Message {
  std::string role{};  ///< "user", "assistant", "system" or "tool"
  std::string content{};
  std::vector<ToolCall> tool_calls{};  ///< of an assistant
  std::string tool_call_id{};          ///< of a tool: the call that `content` answers
};

/// A piece of an answer, as it arrives. The text is valid until the callback returns.
struct Delta {
  enum class Kind : std::uint8_t { Text, Reasoning, Refusal };
  Kind kind = Kind::Text;
  std::string_view text{};
};
/// Returns false to stop: the call then returns what has arrived, with `stopped` set.
using OnDelta = std::function<bool(const Delta& delta)>;

struct ChatRequest {
  std::string prompt{};
  std::string model{};                ///< empty: the client's, or the operation's default
  std::string system{};               ///< the system prompt
  std::vector<Message> messages{};    ///< earlier messages, before the prompt
  std::vector<std::string> images{};  ///< paths, URLs, data: URLs or file IDs
  std::vector<std::string> files{};   ///< file IDs or URLs; see Client::upload()
  std::vector<Tool> tools{};
  int max_tool_rounds = 10;  ///< more is Fault::RemoteJob
  std::string schema{};      ///< a JSON Schema that the answer's text must match
  std::optional<double> temperature{};
  std::optional<std::int64_t> max_completion_tokens{};
  Flags flags{};  ///< any other flag of `svc chat`, see svc-chat(1)
};

struct ChatAnswer {
  std::string id{};
  std::string model{};
  std::string text{};
  std::string reasoning{};
  std::string refusal{};
  std::string finish_reason{};  ///< "stop", "length", "tool_calls", …
  /// Why it is not what was asked for, although the service answered: cut off at the token limit,
  /// refused, blocked, or calls of tools that are cut off.
  std::optional<Error> lacking{};
  std::vector<ToolCall> tool_calls{};  ///< those that the caller has to answer
  std::vector<std::string> citations{};
  Usage usage{};         ///< of all rounds, if tools were run
  bool stopped = false;  ///< by the callback
  std::string json{};    ///< the whole answer, as one JSON document
};

struct ResponseRequest {
  std::string input{};
  std::string model{};
  std::string instructions{};
  std::string previous_response_id{};  ///< continues that response, with its instructions
  std::vector<std::string> images{};   ///< paths, URLs, data: URLs or file IDs
  std::vector<std::string> files{};    ///< file IDs or URLs
  std::vector<Tool> tools{};
  int max_tool_rounds = 10;
  std::string schema{};  ///< a JSON Schema that the answer's text must match
  std::optional<std::int64_t> max_output_tokens{};
  Flags flags{};  ///< any other flag of `svc responses`, see svc-responses(1)
};

struct ResponseAnswer {
  std::string id{};
  std::string model{};
  std::string status{};            ///< "completed", "incomplete", "failed", …
  std::optional<Error> lacking{};  ///< why it is not what was asked for; see ChatAnswer
  std::string text{};
  std::string reasoning{};
  std::string refusal{};
  std::vector<ToolCall> tool_calls{};
  std::vector<std::string> citations{};
  Usage usage{};
  bool stopped = false;
  std::string json{};
};

}  // namespace svc::v0
