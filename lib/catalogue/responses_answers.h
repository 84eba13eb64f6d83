// The answers of the group responses.
#pragma once

#include "catalogue/shared_answers.h"

namespace svc::catalogue::answer::responses {

// Output items ------------------------------------------------------------------------------------

inline constexpr std::array k_citation_members = {
    text("type", "url_citation, or another kind.", hidden("The columns show what it cites.")),
    url("url", "The page.", label("URL")),
    text("title", "Title of the page."),
    integer("start_index", "Where the cited text begins.", label("From"), counted),
    integer("end_index", "Where the cited text ends.", label("To"), counted),
};
inline constexpr Shape k_citation{"Citation", k_citation_members};

inline constexpr std::array k_text_members = {
    text("text", "A part of the answer.", required, drawn),
    table("annotations[]", k_citation, "What the text cites.", details),
    table("logprobs[]", k_token_logprob, "Log probabilities of its tokens.", nullable, details),
};
inline constexpr std::array k_refusal_members = {
    text("refusal", "Why the model does not answer.", required, drawn),
};
inline constexpr std::array k_content_variants = {
    variant("output_text", k_text_members),
    variant("refusal", k_refusal_members),
};
inline constexpr std::array k_type = {text("type", "What it is.", required, drawn)};
inline constexpr Shape k_content_part{"ContentPart", k_type, "type", k_content_variants};

inline constexpr std::array<sv, 5> k_item_states = {"in_progress", "completed", "incomplete",
                                                    "failed", "generating"};
inline constexpr std::array k_item_members = {
    text("type", "What the item is.", required, drawn),
    text("id", "ID of the item.", label("Item IDs"), details),
    text("status", "How far the item is.", choices(k_item_states),
         hidden("The status of the response tells as much.")),
};

inline constexpr std::array k_message_members = {
    text("role", "Always assistant.", hidden("It is the same for every answer.")),
    list("content[]", k_content_part, "The answer.", required),
};

inline constexpr std::array k_text_part_members = {
    text("type", "summary_text or reasoning_text.", required, drawn),
    text("text", "A part of the reasoning.", required, drawn),
};
inline constexpr Shape k_text_part{"ReasoningPart", k_text_part_members};
inline constexpr Member k_encrypted =
    text("encrypted_content", "Text that only the service can read, to be sent back unchanged.",
         hidden("Only the service can read it."));
inline constexpr std::array k_reasoning_members = {
    list("summary[]", k_text_part, "Summary of the reasoning.", required),
    list("content[]", k_text_part, "The reasoning itself."),
    k_encrypted,
};

inline constexpr Member k_call_id =
    text("call_id", "ID that the result must name.", label("Call IDs"), required);
inline constexpr Member k_name = text("name", "Name of the function or tool.", drawn);
inline constexpr Member k_arguments = text("arguments", "The arguments as JSON text.", drawn);
inline constexpr std::array k_function_members = {
    k_call_id,
    with(k_name, required),
    with(k_arguments, required),
};
inline constexpr std::array k_shell_members = {
    k_call_id,
    text("action.type", "Always exec.", drawn),
    text("action.commands[]", "The commands to run.", drawn),
    integer("action.timeout_ms", "Most time for the commands, in milliseconds.", nullable, drawn),
    integer("action.max_output_length", "Most characters of their output.", nullable, drawn),
    json("environment", "Where to run them."),
};

inline constexpr std::array k_source_members = {
    text("type", "Always url.", drawn), url("url", "The page that was found.", required, drawn)};
inline constexpr Shape k_source{"SearchSource", k_source_members};
inline constexpr std::array<sv, 3> k_search_actions = {"search", "open_page", "find_in_page"};
inline constexpr std::array k_web_search_members = {
    text("action.type", "What the tool did.", choices(k_search_actions), drawn),
    text("action.query", "What was searched for.", drawn),
    text("action.queries[]", "The same, if there were several.", label("Searched for")),
    list("action.sources[]", k_source, "What was found, if asked for."),
    url("action.url", "The page that was opened.", drawn),
    text("action.pattern", "The text that was looked for in the page.", label("Looked for"),
         details),
};
inline constexpr std::array k_named_members = {k_name, k_arguments};
inline constexpr std::array k_custom_members = {
    with(k_call_id, Property{&Member::required, false}),
    k_name,
    text("input", "The input as text.", drawn),
};

inline constexpr std::array k_hit_members = {
    text("file_id", "File ID of the document.", required, drawn),
    text("filename", "Name of the document.", drawn),
    text("text", "The passage found.", drawn),
    number("score", "How well it fits.", drawn),
};
inline constexpr Shape k_hit{"FileSearchHit", k_hit_members};
inline constexpr std::array k_file_search_members = {
    text("queries[]", "What was searched for.", drawn),
    list("results[]", k_hit, "What was found, if asked for.", nullable),
};

inline constexpr std::array k_logs_members = {
    text("logs", "What the code printed.", required, drawn)};
inline constexpr std::array k_picture_members = {
    url("url", "An image that it made.", required, drawn)};
inline constexpr std::array k_code_output_variants = {
    variant("logs", k_logs_members),
    variant("image", k_picture_members),
};
inline constexpr Shape k_code_output{"CodeOutput", k_type, "type", k_code_output_variants};
inline constexpr std::array k_code_members = {
    text("code", "The code that ran.", drawn),
    list("outputs[]", k_code_output, "What it printed, if asked for.", nullable),
};

inline constexpr std::array k_mcp_members = {
    text("server_label", "Name of the server.", required, drawn),
    k_name,
    k_arguments,
    text("output", "What the tool returned.", nullable, drawn),
    text_or_object("error", k_error_detail, "Why the call failed.", nullable, drawn),
};
inline constexpr std::array k_image_members = {
    text("prompt", "What was to be drawn.", drawn),
    text("result", "The image in base64.", nullable, drawn),
};
inline constexpr std::array k_compaction_members = {with(k_encrypted, required)};

inline constexpr std::array k_item_variants = {
    variant("message", k_message_members, "A message of the model."),
    variant("reasoning", k_reasoning_members, "The reasoning before an answer."),
    variant("function_call", k_function_members, "A function that the client must run."),
    variant("shell_call", k_shell_members, "Commands that the client must run."),
    variant("web_search_call", k_web_search_members, "A search of the web."),
    variant("x_search_call", k_named_members, "A search of X."),
    variant("custom_tool_call", k_custom_members, "A tool of the service with input as text."),
    variant("file_search_call", k_file_search_members, "A search of collections."),
    variant("code_interpreter_call", k_code_members, "Code that ran on the service."),
    variant("code_execution_call", k_code_members, "The same under its other name."),
    variant("mcp_call", k_mcp_members, "A tool of an MCP server."),
    variant("image_generation_call", k_image_members, "An image that was generated."),
    variant("view_image_call", {}, "An image that the model looked at."),
    variant("view_x_video_call", {}, "A video on X that the model looked at."),
    variant("tool_search_call", {}, "A search for tools."),
    variant("tool_search_output", {}, "What a search for tools found."),
    variant("compaction", k_compaction_members, "A conversation in short."),
};
inline constexpr Shape k_item{"OutputItem", k_item_members, "type", k_item_variants};

// The response ------------------------------------------------------------------------------------

inline constexpr std::array<sv, 5> k_states = {"completed", "in_progress", "incomplete", "failed",
                                               "queued"};
inline constexpr std::array<sv, 3> k_reasons = {"max_output_tokens", "max_prompt_tokens",
                                                "max_time_limit"};
inline constexpr std::array k_incomplete_members = {
    text("reason", "Why the response is incomplete.", label("Incomplete"), choices(k_reasons),
         details),
};
inline constexpr Shape k_incomplete{"IncompleteDetails", k_incomplete_members};

inline constexpr std::array k_reasoning_setting_members = {
    text("effort", "How much the model reasons.", label("Reasoning effort"), nullable, details),
    text("summary", "How the reasoning is summarized.", label("Reasoning summary"), nullable,
         details),
    text("generate_summary", "The same, under its old name.", label("Reasoning summary, old form"),
         nullable, details),
};
inline constexpr Shape k_reasoning_setting{"ReasoningSetting", k_reasoning_setting_members};

inline constexpr std::array<sv, 3> k_formats = {"text", "json_object", "json_schema"};
inline constexpr Hidden k_echo = hidden("It repeats the request word for word.");
inline constexpr std::array k_text_setting_members = {
    text("format.type", "Form of the text.", label("Text format"), choices(k_formats), details),
    text("format.name", "Name of the JSON Schema.", label("Schema name"), nullable, details),
    text("format.description", "What the schema is for.", label("Schema description"), nullable,
         details),
    json("format.schema", "The JSON Schema that the text follows.", k_echo),
    boolean("format.strict", "Whether the text follows the schema exactly.",
            label("Schema is strict"), nullable, details),
};
inline constexpr Shape k_text_setting{"TextSetting", k_text_setting_members};

inline constexpr std::array k_tool_members = {
    text("type", "Kind of the tool.", label("Tools"), details, required),
    text("name", "Name of the function.", label("Tool names"), details),
    text("description", "What the function does, for the model.", k_echo),
    json("parameters", "JSON Schema of the function's arguments.", k_echo),
    boolean("strict", "Whether arguments follow the schema exactly.", k_echo),
    text("server_label", "Name of the MCP server.", label("MCP servers"), details),
    url("server_url", "URL of the MCP server.", label("MCP server URLs"), details),
    text("server_description", "What the MCP server is for.", k_echo),
    json("allowed_tools", "Tools of the server that may be used.", label("Allowed tools"), details),
    text("vector_store_ids[]", "The collections to search.", label("Collections"), details),
    integer("max_num_results", "Most passages that a search finds.", label("Max search results"),
            details),
    json("filters", "Restrictions of a search.", k_echo),
    text("allowed_domains[]", "Domains that are searched; without it, all.",
         label("Allowed domains"), details),
    text("excluded_domains[]", "Domains that are not searched.", label("Excluded domains"),
         details),
    boolean("enable_image_search", "Whether images are searched for.", label("Searches images"),
            tallied, details),
    boolean("enable_image_understanding", "Whether images that are found are looked at.",
            label("Reads images"), tallied, details),
    boolean("enable_video_understanding", "Whether videos that are found are looked at.",
            label("Reads videos"), tallied, details),
    text("allowed_x_handles[]", "Accounts of X that are searched; without it, all.",
         label("Allowed X handles"), details),
    text("excluded_x_handles[]", "Accounts of X that are not searched.",
         label("Excluded X handles"), details),
    text("from_date", "First day of posts that are searched.", label("Searches from"), details),
    text("to_date", "Last day of posts that are searched.", label("Searches to"), details),
    text("action", "What the image tool may do.", label("Image action"), details),
    json("environment", "Where commands run.", k_echo),
    text("execution", "Whether the search for tools runs on the service or the client.",
         label("Tool search runs on"), details),
};
inline constexpr Shape k_tool{"ResponseTool", k_tool_members};

inline constexpr std::array k_failure_rows = {
    text("message", "What went wrong.", label("Error"), details, required),
    text("code", "Class of the error.", label("Error code"), details),
};
inline constexpr Shape k_response_failure{"ResponseFailure", k_failure_rows};

inline constexpr std::array k_members = {
    text("id", "ID of the response.", details, required),
    text("object", "Always response.", hidden("It is the same for every response.")),
    text("model", "Model that answered.", details),
    text("status", "State of the response.", choices(k_states), details),
    object("incomplete_details", k_incomplete, "Why the answer is cut short, if it is.", nullable),
    object("error", k_response_failure, "Why the response failed, if it did.", nullable),
    unix_time("created_at", "Time of the request.", label("Created"), details),
    unix_time("completed_at", "Time at which the answer was complete.", label("Completed"),
              nullable, details),
    list("output[]", k_item, "The answer and what led to it."),
    boolean("store", "Whether the service keeps it for 30 days.", label("Stored"), details),
    text("previous_response_id", "Response that it continues.", label("Previous response"),
         nullable, details),
    text("service_tier", "Tier that processed the request.", choices(k_service_tiers), details),
    object("reasoning", k_reasoning_setting, "How the model reasons.", nullable),
    text("instructions", "The system prompt.", nullable, details),
    object("text", k_text_setting, "Form of the answer.", nullable),
    list("tools[]", k_tool, "Tools that the model may use."),
    view("Tool choice", "tool_choice.name|tool_choice", Unit::None, details),
    json("tool_choice", "none, auto, required, or an object that names a function.",
         hidden("The line Tool choice shows it.")),
    boolean("parallel_tool_calls", "Whether several tools may be called at once.", details),
    integer("max_tool_calls", "Most calls of tools.", nullable, details),
    integer("max_output_tokens", "Most tokens of answer and reasoning.", nullable, details),
    number("temperature", "Randomness of the answer, from 0 to 2.", nullable, details),
    number("top_p", "Share of likely tokens that are drawn from.", nullable, details),
    tally("top_logprobs", "Number of alternatives reported for each token.", nullable, details),
    number("frequency_penalty", "Unsupported by reasoning models.", tallied, nullable, details),
    number("presence_penalty", "Unsupported by reasoning models.", tallied, nullable, details),
    text("truncation", "Whether old items may be left out.", nullable, details),
    boolean("background", "Whether it runs without a connection.", tallied, nullable, details),
    json("metadata", "What the client noted of the response.", tallied, nullable, details),
    text("prompt_cache_key", "Key that finds the cached prompt.", nullable, details),
    text("safety_identifier", "End-user ID, for abuse monitoring.", nullable, details),
    text("user", "End-user ID, under its old name.", nullable, details),
    object("usage", k_response_usage, "Tokens and cost.", nullable),
};
inline constexpr Shape k_response{"Response", k_members};

// Beside the response -----------------------------------------------------------------------------

inline constexpr std::array k_compaction_usage_members = {
    tally("dropped_message_count", "Messages that were left out."),
    count("input_tokens", "Tokens of the input."),
    count("input_tokens_details.cached_tokens", "Those read from the cache."),
    count("output_tokens", "Tokens of the compaction."),
    count("output_tokens_details.reasoning_tokens", "Those spent on reasoning."),
    count("total_tokens", "Tokens of input and compaction."),
    k_cost,
};
inline constexpr Shape k_compaction_usage{"CompactionUsage", k_compaction_usage_members};
inline constexpr std::array k_compacted = {
    text("id", "ID of the compaction.", required),
    text("object", "Always response.compaction.", required),
    text("model", "Model that compacted the conversation.", required),
    unix_time("created_at", "Time of the compaction.", label("Created"), required),
    list("output[]", k_item, "One item, to be sent before the next input.", required),
    object("usage", k_compaction_usage, "Tokens and cost."),
};

inline constexpr std::array k_input_members = {
    text("id", "ID of the item.", required),
    text("type", "What the item is.", required),
    text("role", "Who speaks, in a message."),
    json("content", "Text, or its parts."),
    text("status", "How far the item is.", details),
    text("name", "Name of the function or of the author.", details),
    text("call_id", "ID of the call.", details),
    text("arguments", "The call's arguments as JSON text.", details),
    json("output", "The result of a call.", details),
    json("action", "What a tool did.", details),
    json("summary", "Summary of the reasoning.", details),
    k_encrypted,
};
/// An item of the input: a message, the result of a call, or an earlier output item.
inline constexpr Shape k_input{"InputItem", k_input_members};
inline constexpr std::array k_inputs = {
    text("object", "Always list.", hidden("It is the same for every list.")),
    list("data[]", k_input, "Items of the input, a page at a time.", required),
    text("first_id", "ID of the first item of the page.", nullable,
         hidden("svc fetches the pages itself.")),
    text("last_id", "ID of the last item of the page.", nullable,
         hidden("svc fetches the pages itself.")),
    boolean("has_more", "Whether more pages follow.", hidden("svc fetches the pages itself.")),
};

// Events ------------------------------------------------------------------------------------------

inline constexpr Member k_sequence = integer("sequence_number", "Position in the stream.");
inline constexpr Member k_output_index = integer("output_index", "Position of the item.", required);
/// An event about an item, of which nothing more is documented.
inline constexpr std::array k_near_item = {
    text("item_id", "ID of the item."),
    integer("output_index", "Position of the item."),
    k_sequence,
};
inline constexpr Member k_content_index =
    integer("content_index", "Position of the part in its item.", required);
inline constexpr std::array k_whole = {
    object("response", k_response, "The response so far.", required), k_sequence};
inline constexpr std::array k_of_item = {k_output_index,
                                         object("item", k_item, "The item.", required), k_sequence};
/// An event about an item.
inline constexpr std::array k_at_item = {text("item_id", "ID of the item."), k_output_index,
                                         k_sequence};
/// An event about a part of an item's content, or of its summary.
inline constexpr auto k_at_part = concat(k_at_item, std::array{k_content_index});
inline constexpr auto k_at_summary =
    concat(k_at_item, std::array{integer("summary_index", "Position of the part.", required)});

inline constexpr std::array k_delta = {text("delta", "The next piece.", required)};
inline constexpr std::array k_full_text = {text("text", "The whole text.", required)};
inline constexpr std::array k_full_arguments = {
    text("arguments", "The whole arguments as JSON text.", required),
    text("name", "Name of the function."),
};
inline constexpr std::array k_part = {object("part", k_content_part, "The part.", required)};
inline constexpr std::array k_summary_part = {
    object("part", k_text_part, "The part of the summary.", required)};
inline constexpr std::array k_annotation = {
    integer("annotation_index", "Position among the annotations."),
    object("annotation", k_citation, "What the text cites.", required),
};
inline constexpr std::array k_full_refusal = {text("refusal", "The whole refusal.", required)};
inline constexpr std::array k_full_code = {text("code", "The whole code.", required)};
inline constexpr std::array k_full_input = {text("input", "The whole input.", required)};
inline constexpr std::array k_full_output = {text("output", "The whole output.", required)};
inline constexpr std::array k_partial_image = {
    text("partial_image_b64", "The image so far, in base64."),
    integer("partial_image_index", "Number of the image so far, from 0."),
};

inline constexpr auto k_part_events = concat(k_at_part, k_part);
inline constexpr auto k_text_delta = concat(k_at_part, k_delta);
inline constexpr auto k_text_done = concat(k_at_part, k_full_text);
inline constexpr auto k_annotated = concat(k_at_part, k_annotation);
inline constexpr auto k_refusal_done = concat(k_at_part, k_full_refusal);
inline constexpr auto k_summary_part_events = concat(k_at_summary, k_summary_part);
inline constexpr auto k_summary_delta = concat(k_at_summary, k_delta);
inline constexpr auto k_summary_done = concat(k_at_summary, k_full_text);
inline constexpr auto k_item_delta = concat(k_at_item, k_delta);
inline constexpr auto k_near_delta = concat(k_near_item, k_delta);
inline constexpr auto k_near_arguments = concat(k_near_item, k_full_arguments);
inline constexpr auto k_arguments_done = concat(k_at_item, k_full_arguments);
inline constexpr auto k_code_done = concat(k_near_item, k_full_code);
inline constexpr auto k_input_done = concat(k_near_item, k_full_input);
inline constexpr auto k_output_done = concat(k_near_item, k_full_output);
inline constexpr auto k_image_so_far = concat(k_near_item, k_partial_image);
inline constexpr std::array k_doom_loop = {
    json("doom_loop_check.triggers[]", "What the check noticed, for diagnostics."), k_sequence};
inline constexpr std::array k_stream_error = {
    text("message", "What went wrong."),
    json("code", "Class of the error.", nullable),
    text("param", "The member of the request that was wrong.", nullable),
    object("error", k_error_detail, "The same members, in another form."),
    k_sequence,
};

inline constexpr std::array k_events = {
    event("response.created", k_whole),
    event("response.in_progress", k_whole),
    event("response.queued", k_whole),
    event("response.completed", k_whole, "The end, with the whole response."),
    event("response.incomplete", k_whole, "The end of a response that was cut short."),
    event("response.failed", k_whole, "The end of a response that failed."),
    event("response.done", k_whole, "The end, under an old name."),
    event("response.output_item.added", k_of_item),
    event("response.output_item.done", k_of_item),
    event("response.content_part.added", k_part_events),
    event("response.content_part.done", k_part_events),
    event("response.output_text.delta", k_text_delta, "The next piece of the answer."),
    event("response.output_text.done", k_text_done),
    event("response.output_text.annotation.added", k_annotated),
    event("response.refusal.delta", k_text_delta),
    event("response.refusal.done", k_refusal_done),
    event("response.reasoning_summary_part.added", k_summary_part_events),
    event("response.reasoning_summary_part.done", k_summary_part_events),
    event("response.reasoning_summary_text.delta", k_summary_delta),
    event("response.reasoning_summary_text.done", k_summary_done),
    event("response.reasoning_text.delta", k_text_delta),
    event("response.reasoning_text.done", k_text_done),
    event("response.function_call_arguments.delta", k_item_delta),
    event("response.function_call_arguments.done", k_arguments_done),
    event("response.web_search_call.in_progress", k_at_item),
    event("response.web_search_call.searching", k_at_item),
    event("response.web_search_call.completed", k_at_item),
    event("response.x_search_call.in_progress", k_at_item),
    event("response.x_search_call.searching", k_at_item),
    event("response.x_search_call.completed", k_at_item),
    event("response.file_search_call.in_progress", k_at_item),
    event("response.file_search_call.searching", k_at_item),
    event("response.file_search_call.completed", k_at_item),
    event("response.code_interpreter_call.in_progress", k_at_item),
    event("response.code_interpreter_call.executing", k_at_item),
    event("response.code_interpreter_call.interpreting", k_at_item),
    event("response.code_interpreter_call.completed", k_at_item),
    event("response.code_execution_call.in_progress", k_at_item),
    event("response.code_execution_call.executing", k_at_item),
    event("response.code_execution_call.interpreting", k_at_item),
    event("response.code_execution_call.completed", k_at_item),
    event("response.code_interpreter_call_code.delta", k_near_delta),
    event("response.code_interpreter_call_code.done", k_code_done),
    event("response.custom_tool_call_input.delta", k_near_delta),
    event("response.custom_tool_call_input.done", k_input_done),
    event("response.mcp_call.in_progress", k_near_item),
    event("response.mcp_call.executing", k_near_item),
    event("response.mcp_call.completed", k_near_item),
    event("response.mcp_call.failed", k_near_item),
    event("response.mcp_call_arguments.delta", k_near_delta),
    event("response.mcp_call_arguments.done", k_near_arguments),
    event("response.mcp_call_output.delta", k_near_delta),
    event("response.mcp_call_output.done", k_output_done),
    event("response.mcp_list_tools.in_progress", k_near_item),
    event("response.mcp_list_tools.completed", k_near_item),
    event("response.mcp_list_tools.failed", k_near_item),
    event("response.image_generation_call.in_progress", k_near_item),
    event("response.image_generation_call.generating", k_near_item),
    event("response.image_generation_call.completed", k_near_item),
    event("response.image_generation_call.partial_image", k_image_so_far),
    event("response.doom_loop_check", k_doom_loop, "Diagnostics of the service."),
    event("ping", {}, "Keeps the connection open."),
    event("error", k_stream_error, "The end, with what went wrong."),
};

}  // namespace svc::catalogue::answer::responses
