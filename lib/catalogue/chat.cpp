// The group chat.
#include "catalogue/answer_details.h"
#include "catalogue/bulk_fields.h"
#include "catalogue/check.h"
#include "catalogue/conversation_fields.h"
#include "catalogue/groups.h"
#include "catalogue/server_tool_fields.h"
#include "catalogue/shared_fields.h"
#include "catalogue/tool_fields.h"

namespace svc::catalogue {
namespace {

constexpr std::array k_own_fields = {
    k_chat_prompt_field,
    k_model_field,
    Field{.flag = "system",
          .in = In::Compose,
          .help = "System prompt.",
          .letter = 's',
          .common = true,
          .file_text = true,
          .example = "Answer briefly."},
    k_message_field,
    k_image_field,
    k_file_field,
    k_messages_field,
    Field{.flag = "deferred",
          .kind = Kind::Boolean,
          .help = "Submit the request, print its ID and fetch the answer later.",
          .common = true},
    Field{.flag = "frequency-penalty",
          .kind = Kind::Number,
          .help = "Penalise frequent tokens; not for reasoning models.",
          .range = Range{-2, 2},
          .fallback = "0",
          .example = "0.5"},
    k_logit_bias_field,
    Field{.flag = "max-completion-tokens",
          .kind = Kind::Integer,
          .help = "Limit the answer to N visible tokens.",
          .common = true,
          .range = Range{1, k_no_max, "tokens"},
          .fallback = "128000",
          .example = "200"},
    Field{.flag = "max-tokens",
          .kind = Kind::Integer,
          .help = "Old name of --max-completion-tokens.",
          .range = Range{1, k_no_max, "tokens"},
          .example = "200",
          .status = Status::Deprecated},
    Field{.flag = "n",
          .kind = Kind::Integer,
          .help = "Generate N answers; all are billed.",
          .letter = 'n',
          .range = Range{1, k_no_max, "choices"},
          .fallback = "1",
          .example = "2"},
    Field{.flag = "presence-penalty",
          .kind = Kind::Number,
          .help = "Penalise tokens already used; not for svc-3 or reasoning models.",
          .range = Range{-2, 2},
          .fallback = "0",
          .example = "0.5"},
    Field{.flag = "reasoning-effort",
          .help = "Reasoning effort; svc-4.3 only.",
          .common = true,
          .suggests = k_efforts,
          .fallback = "low",
          .example = "high"},
    Field{.flag = "response-format",
          .kind = Kind::TextOrJson,
          .help = "Answer format: text, json_object, or a JSON schema (@FILE or inline); a "
                  "complete format object is sent as is.",
          .common = true,
          .example = R"({"type":"json_object"})"},
    k_seed_field,
    k_stop_field,
    k_include_usage_field,
    Field{.flag = "tool-choice",
          .kind = Kind::TextOrJson,
          .help = "Tool choice: none, auto, required, or a JSON object naming a function.",
          .suggests = k_tool_choices,
          .fallback = "auto with tools, else none",
          .example = "required"},
    Field{.flag = "tools",
          .kind = Kind::Json,
          .help = "A function the model may call, as a JSON object or array.",
          .repeated = true,
          .common = true,
          .max_count = 128,
          .example = R"({"type":"function","function":{"name":"get_time","parameters":{}}})"},
    Field{.flag = "web-search-options-filters",
          .path = "web_search_options.filters",
          .kind = Kind::Json,
          .help = "Another API's web search filters.",
          .example = "{}",
          .status = Status::Ignored},
    Field{.flag = "web-search-options-search-context-size",
          .path = "web_search_options.search_context_size",
          .help = "Another API's search context size.",
          .example = "low",
          .status = Status::Ignored},
    Field{.flag = "web-search-options-user-location",
          .path = "web_search_options.user_location",
          .kind = Kind::Json,
          .help = "Another API's user location.",
          .example = "{}",
          .status = Status::Ignored},
};

constexpr std::array k_each_fields = {
    Field{.flag = "each",
          .kind = Kind::File,
          .in = In::Local,
          .help = "Ask once per line of FILE (.txt, .jsonl, .csv, .tsv; - is standard input); in "
                  "the prompt, {} is the line and {name} a column or field.",
          .common = true,
          .example = "towns.csv"},
    Field{.flag = "jobs",
          .kind = Kind::Integer,
          .in = In::Local,
          .help = "With --each: number of concurrent requests.",
          .common = true,
          .range = Range{1, 256, "requests"},
          .fallback = "4",
          .example = "16"},
};

/// With --each only, and so not among the flags that people see first.
consteval auto uncommon(auto fields) {
  for (Field& field : fields) field.common = false;
  return fields;
}

constexpr std::array k_shown_fields = {k_render_field, code_block_field("code"), k_template_field};

constexpr auto k_create_fields =
    concat(k_own_fields, k_conversation_fields, k_tool_fields, k_mcp_fields, k_turn_fields,
           k_shown_fields, k_chat_search_flags, k_sampling_fields, k_search_fields, k_wait_fields,
           k_each_fields, uncommon(k_bulk_fields));

/// What any bulk run can be told means nothing for one question.
consteval auto rules_for_each() {
  std::array<Rule, k_bulk_fields.size()> rules{};
  for (std::size_t i = 0; i < rules.size(); ++i) {
    rules[i] = {RuleKind::Requires, k_bulk_fields[i].flag, "each", "It applies only to --each."};
  }
  return rules;
}

constexpr std::array k_own_rules = {
    Rule{RuleKind::Excludes, "deferred", "stream",
         "A deferred request is answered later and cannot be streamed."},
    Rule{RuleKind::Excludes, "tool", "deferred", "Tools run while svc waits for the answer."},
    Rule{RuleKind::Excludes, "mcp-local", "deferred", "Tools run while svc waits for the answer."},
    Rule{RuleKind::Excludes, "mcp-config", "deferred", "Tools run while svc waits for the answer."},
    Rule{RuleKind::Excludes, "tool", "n", "Tools run for a single answer."},
    Rule{RuleKind::Excludes, "mcp-local", "n", "Tools run for a single answer."},
    Rule{RuleKind::Excludes, "mcp-config", "n", "Tools run for a single answer."},
    Rule{RuleKind::Excludes, "schema", "deferred", "Deferred answers are not checked."},
    Rule{RuleKind::Excludes, "schema", "n", "Only a single answer is checked."},
    Rule{RuleKind::Excludes, "schema", "response-format", "Both set the answer format."},
    Rule{RuleKind::Requires, "top-logprobs", "logprobs",
         "Likeliest tokens require log probabilities."},
    Rule{RuleKind::Excludes, "each", "deferred", "--each always waits for answers."},
    Rule{RuleKind::Excludes, "each", "stream", "--each prints complete answers."},
    Rule{RuleKind::Excludes, "each", "tool", "Tools run in a conversation, not in bulk."},
    Rule{RuleKind::Excludes, "each", "mcp-local", "Tools run in a conversation, not in bulk."},
    Rule{RuleKind::Excludes, "each", "mcp-config", "Tools run in a conversation, not in bulk."},
    Rule{RuleKind::Requires, "jobs", "each", "It sets how many lines are sent at a time."},
    k_restart_rule,
    Rule{RuleKind::Requires, "wait", "deferred", "Only deferred answers can be waited for."},
    Rule{RuleKind::Requires, "poll-interval", "wait", "It sets the polling interval."},
    Rule{RuleKind::Requires, "wait-timeout", "wait", "It limits the waiting."},
    Rule{RuleKind::Excludes, "each", "session", "--each has no conversation."},
    Rule{RuleKind::Excludes, "each", "continue", "--each has no conversation."},
    Rule{RuleKind::Excludes, "deferred", "session", "Deferred answers have no conversation."},
    Rule{RuleKind::Excludes, "deferred", "continue", "Deferred answers have no conversation."},
};

constexpr auto k_create_rules = concat(k_own_rules, rules_for_each(), k_conversation_rules,
                                       k_search_flag_rules, k_search_rules);

constexpr std::array k_create_examples = {
    Example{"svc chat 'Name three rivers in Norway'", "Streams the answer."},
    Example{"svc chat --system 'Answer in one word.' 'Capital of Peru?' --model svc-4.3",
            "Sets a system prompt and the model."},
    Example{"svc chat --message user:Hello --message 'assistant:Hello!' 'What did I say?'",
            "Sends the conversation so far."},
    Example{"svc chat 'What is on this picture?' --image https://example.com/cat.png",
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
};

constexpr std::array k_deferred_own = {
    k_deferred_id_field,
};
constexpr auto k_deferred_fields = concat(k_deferred_own, k_wait_fields);

constexpr std::array k_deferred_examples = {
    Example{"svc chat deferred 00000000-0000-0000-0000-000000000000 --wait",
            "Waits for the answer and prints it; it can be fetched only once."},
};

constexpr std::array k_operations = {
    Operation{.group = "chat",
              .name = "create",
              .method = "POST",
              .path = "/v1/chat/completions",
              .summary = "Ask a model and print its answer.",
              .fields = resolved<k_create_fields>,
              .is_default = true,
              .repeat = Repeat::WhenRefused,
              .default_model = "svc-4.5",
              .composer = Composer::Chat,
              .view = View::Chat,
              .streams = true,
              .poll = Poll{.operation = "deferred", .id_path = "request_id"},
              .rules = k_create_rules,
              .details = k_chat_details,
              .examples = k_create_examples},
    Operation{.group = "chat",
              .name = "deferred",
              .method = "GET",
              .path = "/v1/chat/deferred-completion/{request_id}",
              .summary = "Fetch a deferred answer (works only once).",
              .fields = resolved<k_deferred_fields>,
              .repeat = Repeat::Always,
              .view = View::Chat,
              .once = true,
              .poll = Poll{.operation = "deferred", .id_path = "request_id"},
              .details = k_chat_details,
              .examples = k_deferred_examples},
};
static_assert(check_operations(k_operations));

}  // namespace

std::span<const Operation> chat_operations() {
  return k_operations;
}

}  // namespace svc::catalogue
