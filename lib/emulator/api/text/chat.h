// Internals of POST /v1/chat/completions: from the request to the data of both response formats.
#pragma once

#include <chrono>
#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "emulator/handler/handler.h"
#include "emulator/json/json.h"
#include "emulator/model/answer.h"

namespace svc::emulator::text {

/// The content of a chat response, streamed or not.
struct ChatAnswer {
  std::string id;
  std::int64_t created = 0;  ///< Unix seconds
  std::string model;
  std::string tier;
  std::vector<ModelOutput> output{};  ///< one for each choice
  std::vector<Source> sources{};
  bool citations = false;                     ///< whether to fill `citations`
  std::string usage{};                        ///< JSON text
  std::int64_t tokens = 0;                    ///< all that the call used
  std::string output_files{};                 ///< JSON text; empty: none were requested
  std::vector<Charge> charges{};              ///< the cost
  std::optional<std::size_t> top_logprobs{};  ///< log probabilities with this many alternatives
};

/// Answers `model_request`.
[[nodiscard]] Checked<ChatAnswer> answer_chat(const Request& request, const Json& body,
                                              ModelRequest model_request);

/// Returns the usage of a chat response; `images` are those of the prompt tokens that are an
/// image's.
[[nodiscard]] Json chat_usage(const TokenUse& use, std::int64_t images, std::int64_t cost_ticks);

/// Returns the last event of a stream that fails after its status was sent.
[[nodiscard]] inline std::string failure_event(std::string_view failure) {
  return unavailable_error(failure).body;
}

// --- shared by chat, Responses and the older operations ---

/// Between the words of a streamed answer, unless the request sets another delay.
inline constexpr std::chrono::milliseconds k_piece_delay{10};
inline constexpr std::size_t k_max_stops = 4;
inline constexpr double k_max_choices = 128;  ///< the documents specify no limit

/// Whether the stream shall end with its usage.
[[nodiscard]] bool wants_usage(const Json& body);

/// Adds a text part.
void add_text(Turn& turn, const std::string& text);

/// Calls `read` for each of the request's tools, whose definitions count as prompt tokens.
void add_tool_definitions(const Json& body, ModelRequest& model_request,
                          const std::function<void(const Json& tool)>& read);

/// Is the word in the request's `include`?
[[nodiscard]] bool includes(const Json& body, sv word);

/// Takes over `tool_choice` and `parallel_tool_calls`, in either operation's form.
void read_tool_choice(const Json& body, ModelRequest& model_request);

/// Takes over the form that the answer's text shall have, as either operation writes it.
void read_response_format(const Json* format, ModelRequest& model_request);

[[nodiscard]] sv finish_reason_name(FinishReason finish);
/// Returns `{"content": […]}` for the tokens of `text`.
[[nodiscard]] Json logprobs_of(sv text, std::size_t top);

}  // namespace svc::emulator::text
