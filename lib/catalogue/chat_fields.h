// The fields of the group chat.
#pragma once

#include <array>

#include "catalogue/bulk_fields.h"
#include "catalogue/server_tool_fields.h"
#include "catalogue/shared_fields.h"
#include "catalogue/tool_fields.h"

namespace svc::catalogue::chat {

inline constexpr std::array k_own_fields = {
    k_chat_prompt_field,
    k_model_field,
    text("system", "System prompt.", composed, common, file_text, letter('s'),
         example("Answer briefly.")),
    k_message_field,
    k_image_field,
    k_file_field,
    k_messages_field,
    boolean("deferred", "Submit the request, print its ID and fetch the answer later.", common),
    number("frequency-penalty", "Penalise frequent tokens; not for reasoning models.", range(-2, 2),
           fallback("0"), example("0.5")),
    k_logit_bias_field,
    integer("max-completion-tokens", "Limit the answer to N visible tokens.", common,
            at_least(1, "tokens"), fallback("128000"), example("200")),
    integer("max-tokens", "Deprecated; use --max-completion-tokens.", deprecated,
            at_least(1, "tokens"), example("200")),
    integer("n", "Generate N answers; all are billed.", letter('n'), at_least(1, "choices"),
            fallback("1"), example("2")),
    number("presence-penalty", "Penalise tokens already used; not for svc-3 or reasoning models.",
           range(-2, 2), fallback("0"), example("0.5")),
    text("reasoning-effort", "Reasoning effort; svc-4.3 only.", common, suggests(k_efforts),
         fallback("low"), example("high")),
    text_or_json("response-format",
                 "Answer format: text, json_object, or a JSON schema (@FILE or inline); a complete "
                 "format object is sent as is.",
                 common, example(R"({"type":"json_object"})")),
    k_seed_field,
    k_stop_field,
    k_include_usage_field,
    text_or_json(
        "tool-choice", "Tool choice: none, auto, required, or a JSON object naming a function.",
        suggests(k_tool_choices), fallback("auto with tools, otherwise none"), example("required")),
    json("tools", "A function the model may call, as a JSON object or array.", repeated, common,
         max_count(128),
         example(R"({"type":"function","function":{"name":"get_time","parameters":{}}})")),
    json("web_search_options.filters", "Ignored; accepted for compatibility with another API.",
         ignored, example("{}")),
    text("web_search_options.search_context_size",
         "Ignored; accepted for compatibility with another API.", ignored, example("low")),
    json("web_search_options.user_location",
         "Ignored; accepted for compatibility with another API.", ignored, example("{}")),
};

inline constexpr std::array k_each_fields = {
    file("each",
         "Ask once per line of FILE (.txt, .jsonl, .csv, .tsv; - is standard input); in the "
         "prompt, {} is the line and {name} a column or field.",
         local, common, example("towns.csv")),
    integer("jobs", "With --each: number of concurrent requests.", local, common,
            range(1, 1000, "requests"), fallback("4"), example("16")),
};

/// Removes fields from short help, as they apply only to --each.
consteval auto uncommon(auto fields) {
  for (Field& field : fields) field.common = false;
  return fields;
}

inline constexpr std::array k_shown_fields = {k_render_field, k_reasoning_field,
                                              code_block_field("code"), k_template_field};

inline constexpr auto k_create_fields =
    concat(k_own_fields, k_conversation_fields, k_tool_fields, k_mcp_fields, k_turn_fields,
           k_shown_fields, k_chat_search_flags, k_sampling_fields, k_search_fields, k_wait_fields,
           k_each_fields, uncommon(k_bulk_fields));

inline constexpr std::array k_deferred_own = {
    k_deferred_id_field,
};
inline constexpr auto k_deferred_fields = concat(k_deferred_own, k_wait_fields);

}  // namespace svc::catalogue::chat
