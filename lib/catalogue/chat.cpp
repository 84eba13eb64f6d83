// The group chat.
#include "catalogue/batches_answers.h"
#include "catalogue/chat_answers.h"
#include "catalogue/chat_fields.h"
#include "catalogue/check.h"
#include "catalogue/groups.h"

namespace svc::catalogue {
namespace chat {

/// The rules that the flags of bulk runs require --each.
consteval auto rules_for_each() {
  std::array<Rule, k_bulk_fields.size()> rules{};
  for (std::size_t i = 0; i < rules.size(); ++i) {
    rules[i] = {RuleKind::Requires, k_bulk_fields[i].flag, "each", "This flag requires --each."};
  }
  return rules;
}

constexpr std::array k_own_rules = {
    excludes("deferred", "stream", "A deferred request is answered later and cannot be streamed."),
    excludes("schema", "deferred", "Deferred answers are not checked."),
    excludes("schema", "n", "Only a single answer is checked."),
    excludes("schema", "response-format", "Both set the answer format."),
    needs("top-logprobs", "logprobs", "They come with the log probabilities."),
    excludes("each", "deferred", "--each always waits for answers."),
    excludes("each", "stream", "--each prints complete answers."),
    needs("jobs", "each", "--jobs sets how many rows --each sends at a time."),
    k_restart_rule,
    needs("wait", "deferred", "--wait applies only to deferred answers."),
    needs("poll-interval", "wait", "It sets the polling interval."),
    needs("wait-timeout", "wait", "It limits the waiting."),
    excludes("each", "session", "--each has no conversation."),
    excludes("each", "continue", "--each has no conversation."),
    excludes("deferred", "session", "Deferred answers have no conversation."),
    excludes("deferred", "continue", "Deferred answers have no conversation."),
};

constexpr std::array<sv, 3> k_tool_flags = {"tool", "mcp-local", "mcp-config"};

constexpr auto k_create_rules = concat(
    k_own_rules,
    for_flags(k_tool_flags, excludes({}, "deferred", "Tools run while svc waits for the answer.")),
    for_flags(k_tool_flags, excludes({}, "n", "Tools run for a single answer.")),
    for_flags(k_tool_flags, excludes({}, "each", "Tools run in a conversation, not in bulk.")),
    k_sampling_rules, rules_for_each(), k_conversation_rules, k_search_flag_rules, k_search_rules);

constexpr std::array k_examples = {
    Example{"svc chat 'Name three rivers in Norway'", "Streams the answer."},
    Example{"svc chat --system 'Answer in one word.' 'Capital of Peru?' --model svc-4.3",
            "Sets a system prompt and the model."},
    Example{"svc chat --message user:Hello --message 'assistant:Hello!' 'What did I say?'",
            "Sends the conversation so far."},
    Example{"svc chat 'What is in this picture?' --image https://example.com/cat.png",
            "Attaches an image."},
    Example{"svc chat --each towns.csv 'Two sentences on {town}' -o answers.csv",
            "Asks once per row, and writes the table with the answers (or .tsv, .jsonl)."},
    Example{"svc chat 'List two colors' --response-format '{\"type\":\"json_object\"}' --json",
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
    post("chat create", "/v1/chat/completions", "Ask a model and print its answer.",
         runs(Handler::ChatCreate), own_output, default_verb, repeatable_when_refused, streams,
         fields<k_create_fields>, default_model("svc-4.5"), composer(Composer::Chat),
         view(View::Chat), poll(Poll{.operation = "deferred", .id_path = "request_id"}),
         rules(k_create_rules), answers(answer::chat::k_members),
         in_bulk(BulkAnswer{"each", answer::batches::k_run}), events(answer::chat::k_events)),
    get("chat deferred", "/v1/chat/deferred-completion/{request_id}",
        "Fetch a deferred answer (works only once).", answers_once, fields<k_deferred_fields>,
        view(View::Chat), poll(Poll{.operation = "deferred", .id_path = "request_id"}),
        answers(answer::chat::k_members)),
};
constexpr auto k_operations = checked(k_rows, k_examples);

}  // namespace chat

constinit const std::span<const Operation> k_chat_operations = chat::k_operations;

}  // namespace svc::catalogue
