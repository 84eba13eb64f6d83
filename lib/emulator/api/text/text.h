// Chat and Responses: from the request to the data of both response formats.
#pragma once

#include "emulator/model/answer.h"

namespace svc::emulator::text {

[[nodiscard]] Response create_chat(const Request& request);
[[nodiscard]] Response fetch_deferred(const Request& request);

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

/// Returns the usage of a chat response; `images` is the images' part of the prompt tokens.
[[nodiscard]] Json chat_usage(const TokenUse& use, std::int64_t images, std::int64_t cost_ticks);

/// Returns the last event of a stream that fails after its status was sent.
[[nodiscard]] inline std::string failure_event(sv failure) {
  return unavailable_error(failure).body;
}

// --- shared by chat, Responses and the older operations ---

/// Between the words of a streamed answer, unless the request sets another delay.
inline constexpr std::chrono::milliseconds k_piece_delay{10};

/// Whether the stream shall end with its usage.
[[nodiscard]] bool wants_usage(const Json& body);

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

// The input and output items of a Responses conversation.

/// The seal kind of a compaction item.
inline constexpr sv k_compaction_kind = "compaction";

/// A conversation while it is read.
struct InputTurns {
  std::vector<Turn> turns{};
  std::map<std::string, std::string> called{};  ///< function names by call_id
};

/// Returns `input` as items with types and IDs. A string becomes one user message.
[[nodiscard]] Json normal_items(const Json& input, sv id_prefix);

/// Adds the items to the conversation, or returns why one is refused.
[[nodiscard]] std::optional<Response> add_items(const Json& items, InputTurns& conversation);

/// Converts turns to the content of a compaction, and back. Attachments are only counted.
[[nodiscard]] std::string serialize_turns(const std::vector<Turn>& turns);
[[nodiscard]] bool parse_turns(sv document, std::vector<Turn>& turns);

// --- files in a conversation, as read by the pretended model ---

/// Loads the files whose IDs are in the turns, or returns the 404 or 400 for one.
[[nodiscard]] std::optional<Response> attach_files(const Request& request,
                                                   std::vector<Turn>& turns);

/// Returns an attachment for bytes in the request itself.
[[nodiscard]] Attachment attachment_of(sv name, sv content_type, sv data);

// Tools run by the service itself: their validation, and their emulation.

/// Checks the values of `tools`; returns an error message.
[[nodiscard]] std::optional<std::string> check_tools(const Json& tools);

/// Whether `tools` contains one that the service runs.
[[nodiscard]] bool has_server_tool(const Json& tools);

/// The work of the tools for one answer.
struct ToolResults {
  std::vector<Json> items;        ///< output items, finished
  std::vector<Source> sources{};  ///< pages found by the searches
  std::int64_t tokens = 0;        ///< prompt tokens added by the results
};

/// Runs each server tool of the request once, at most `max_turns` of them.
[[nodiscard]] ToolResults run_server_tools(const Request& request, const Json& body, sv question,
                                           sv response_id);

/// Returns `server_side_tool_usage_details` of a response's usage.
[[nodiscard]] Json tool_usage(const ToolResults& work);

/// Returns the commands of a shell call: the text after `run:` in the question, or a greeting.
[[nodiscard]] Json shell_action(sv question);

}  // namespace svc::emulator::text
