// The group chat.
#include "catalogue/answer_details.h"
#include "catalogue/bulk_fields.h"
#include "catalogue/check.h"
#include "catalogue/groups.h"
#include "catalogue/server_tool_fields.h"
#include "catalogue/shared_fields.h"
#include "catalogue/tool_fields.h"

namespace svc::catalogue {
namespace chat {

constexpr std::array k_own_fields = {
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
    integer("max-tokens", "Old name of --max-completion-tokens.", deprecated, at_least(1, "tokens"),
            example("200")),
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
    json("web_search_options.filters", "Another API's web search filters.", ignored, example("{}")),
    text("web_search_options.search_context_size", "Another API's search context size.", ignored,
         example("low")),
    json("web_search_options.user_location", "Another API's user location.", ignored,
         example("{}")),
};

constexpr std::array k_each_fields = {
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

constexpr std::array k_shown_fields = {k_render_field, code_block_field("code"), k_template_field};

constexpr auto k_create_fields =
    concat(k_own_fields, k_conversation_fields, k_tool_fields, k_mcp_fields, k_turn_fields,
           k_shown_fields, k_chat_search_flags, k_sampling_fields, k_search_fields, k_wait_fields,
           k_each_fields, uncommon(k_bulk_fields));

/// The rules that the flags of bulk runs require --each.
consteval auto rules_for_each() {
  std::array<Rule, k_bulk_fields.size()> rules{};
  for (std::size_t i = 0; i < rules.size(); ++i) {
    rules[i] = {RuleKind::Requires, k_bulk_fields[i].flag, "each", "It applies only to --each."};
  }
  return rules;
}

constexpr std::array k_own_rules = {
    excludes("deferred", "stream", "A deferred request is answered later and cannot be streamed."),
    excludes("tool", "deferred", "Tools run while svc waits for the answer."),
    excludes("mcp-local", "deferred", "Tools run while svc waits for the answer."),
    excludes("mcp-config", "deferred", "Tools run while svc waits for the answer."),
    excludes("tool", "n", "Tools run for a single answer."),
    excludes("mcp-local", "n", "Tools run for a single answer."),
    excludes("mcp-config", "n", "Tools run for a single answer."),
    excludes("schema", "deferred", "Deferred answers are not checked."),
    excludes("schema", "n", "Only a single answer is checked."),
    excludes("schema", "response-format", "Both set the answer format."),
    needs("top-logprobs", "logprobs", "Likeliest tokens require log probabilities."),
    excludes("each", "deferred", "--each always waits for answers."),
    excludes("each", "stream", "--each prints complete answers."),
    excludes("each", "tool", "Tools run in a conversation, not in bulk."),
    excludes("each", "mcp-local", "Tools run in a conversation, not in bulk."),
    excludes("each", "mcp-config", "Tools run in a conversation, not in bulk."),
    needs("jobs", "each", "It sets how many lines are sent at a time."),
    k_restart_rule,
    needs("wait", "deferred", "--wait applies only to deferred answers."),
    needs("poll-interval", "wait", "It sets the polling interval."),
    needs("wait-timeout", "wait", "It limits the waiting."),
    excludes("each", "session", "--each has no conversation."),
    excludes("each", "continue", "--each has no conversation."),
    excludes("deferred", "session", "Deferred answers have no conversation."),
    excludes("deferred", "continue", "Deferred answers have no conversation."),
};

constexpr auto k_create_rules = concat(k_own_rules, rules_for_each(), k_conversation_rules,
                                       k_search_flag_rules, k_search_rules);

constexpr std::array k_deferred_own = {
    k_deferred_id_field,
};
constexpr auto k_deferred_fields = concat(k_deferred_own, k_wait_fields);

constexpr std::array k_examples = {
    Example{"svc chat 'Name three rivers in Norway'", "Streams the answer."},
    Example{"svc chat --system 'Answer in one word.' 'Capital of Peru?' --model svc-4.3",
            "Sets a system prompt and the model."},
    Example{"svc chat --message user:Hello --message 'assistant:Hello!' 'What did I say?'",
            "Sends the conversation so far."},
    Example{"svc chat 'What is in this picture?' --image https://example.com/cat.png",
            "Attaches an image."},
    Example{"svc chat --each towns.csv 'Two sentences on {town}' --jobs 8",
            "Asks once per row of a table; rerun the command to resume."},
    Example{"svc chat 'List two colours' --response-format '{\"type\":\"json_object\"}' --json",
            "Requests JSON and prints the service's whole response."},
    Example{"svc chat 'What is new in Oslo?' --web-search --from-date 2026-01-01",
            "Lets the service search the web."},
    Example{"svc chat 'Do I need an umbrella in Oslo?' --tool weather=./weather.sh",
            "Lets the model run a local tool, after asking you."},
    Example{"svc chat 'Who wrote Emma?' --schema answer.json --json",
            "Prints an object that matches the schema."},
    Example{"svc chat 'A long story' --deferred --wait",
            "Submits the request and polls for the answer."},
    Example{"svc chat deferred 00000000-0000-0000-0000-000000000000 --wait",
            "Waits for the answer and prints it; it can be fetched only once."},
};

constexpr std::array k_rows = {
    post("chat create", "/v1/chat/completions", "Ask a model and print its answer.", default_verb,
         repeatable_when_refused, streams, fields<k_create_fields>, default_model("svc-4.5"),
         composer(Composer::Chat), view(View::Chat),
         poll(Poll{.operation = "deferred", .id_path = "request_id"}), rules(k_create_rules),
         details(k_chat_details)),
    get("chat deferred", "/v1/chat/deferred-completion/{request_id}",
        "Fetch a deferred answer (works only once).", answers_once, fields<k_deferred_fields>,
        view(View::Chat), poll(Poll{.operation = "deferred", .id_path = "request_id"}),
        details(k_chat_details)),
};
constexpr auto k_operations = checked(k_rows, k_examples);

}  // namespace chat

constinit const std::span<const Operation> k_chat_operations = chat::k_operations;

}  // namespace svc::catalogue
