// The fields of the group responses.
#pragma once

#include <array>

#include "catalogue/server_tool_fields.h"
#include "catalogue/shared_fields.h"
#include "catalogue/tool_fields.h"

namespace svc::catalogue::responses {

inline constexpr std::array<sv, 6> k_includes = {
    "reasoning.encrypted_content",   "web_search_call.action.sources",
    "code_interpreter_call.outputs", "file_search_call.results",
    "no_inline_citations",           "message.output_text.logprobs"};
inline constexpr std::array<sv, 3> k_summaries = {"auto", "concise", "detailed"};

inline constexpr std::array k_prompt_fields = {
    text("input", "The prompt.", typed("; piped or redirected standard input is appended"),
         composed, positional, common, file_text, example("Hello")),
    json("input-items",
         "Input items as JSON: messages, earlier output, function results, a compaction.", composed,
         repeated,
         example(R"({"type":"function_call_output","call_id":"call_1","output":"12:00"})")),
    k_message_field,
    k_image_field,
    k_file_field,
};
inline constexpr auto k_input_fields = concat(k_prompt_fields, std::array{k_model_field});
inline constexpr auto k_compact_fields =
    concat(k_prompt_fields, std::array{with(k_model_field, demanded)});

inline constexpr std::array k_own_fields = {
    text("instructions", "System prompt of a new conversation.", common, file_text, letter('s'),
         example("Answer briefly.")),
    text("previous-response-id", "Continue the conversation of this stored response.", common,
         example("00000000-0000-0000-0000-000000000000")),
    boolean("store", "Store input and response on the service for 30 days.", common,
            fallback("true")),
    boolean("background", "Answer in the background.", unsupported),
    json("context-management", "Compaction instructions, which the service ignores.", repeated,
         ignored, example("{}")),
    text("include", "Additional output data, such as reasoning.encrypted_content.", repeated,
         choices(k_includes), example("reasoning.encrypted_content")),
    integer("max-output-tokens", "Limit output plus reasoning to N tokens.", common,
            at_least(1, "tokens"), fallback("128000"), example("200")),
    integer("max-turns", "Limit server-side tool rounds to N.", at_least(1, "turns"), example("3")),
    json("metadata", "Your own metadata, as a JSON object.", unsupported,
         example(R"({"job":"7"})")),
    number("min-p", "Drop tokens below this fraction of the top token's probability.", range(0, 1),
           example("0.05")),
    integer("top-k", "Sample from the N likeliest tokens only.", at_least(1, "tokens"),
            example("40")),
    text("reasoning.effort", "Reasoning effort; svc-4.3 only.", common, suggests(k_efforts),
         fallback("low"), example("high")),
    text("reasoning.generate_summary", "Deprecated; use --reasoning-summary.", ignored,
         example("auto")),
    text("reasoning.summary", "Level of the reasoning summary; the service always uses detailed.",
         ignored, choices(k_summaries), example("auto")),
    // --reasoning-effort is the flag of reasoning.effort, the standard field.
    text("flat-reasoning-effort", "The field reasoning_effort, used if reasoning is unset.",
         at("reasoning_effort"), suggests(k_efforts), example("high")),
    text_or_json("text.format",
                 "Answer format: text, json_object, or a JSON schema (@FILE or inline); a complete "
                 "format object is sent as is.",
                 common, example(R"({"type":"json_object"})")),
    text_or_json("tool-choice",
                 "Tool choice: none, auto, required, or a JSON object naming a function.",
                 suggests(k_tool_choices), fallback("auto"), example("auto")),
    json("tools", "Tool the model may use, as a JSON object or array.", repeated, common,
         max_count(128), example(R"({"type":"web_search"})")),
    text("truncation", "How to handle input that is too long.", unsupported, example("auto")),
};

inline constexpr std::array k_shown_fields = {k_render_field, k_reasoning_field,
                                              code_block_field("code-block"), k_template_field};

inline constexpr auto k_create_fields = concat(
    k_input_fields, k_own_fields, k_conversation_fields, k_tool_fields, k_mcp_fields, k_turn_fields,
    k_shown_fields, k_response_tool_flags, k_sampling_fields, k_search_fields);

inline constexpr Field k_id_field =
    path_parameter("response-id", "ID of a stored response.", common,
                   example("00000000-0000-0000-0000-000000000000"));
inline constexpr std::array k_id_fields = {k_id_field};
inline constexpr std::array k_inputs_own = {
    k_id_field,
    text("order", "Sort direction.", query, choices(k_orders), fallback("desc"), example("asc")),
};
inline constexpr auto k_inputs_fields = concat(k_inputs_own, paging_fields());

}  // namespace svc::catalogue::responses
