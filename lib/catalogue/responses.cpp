// The group responses.
#include "catalogue/answer_details.h"
#include "catalogue/check.h"
#include "catalogue/conversation_fields.h"
#include "catalogue/groups.h"
#include "catalogue/paging.h"
#include "catalogue/server_tool_fields.h"
#include "catalogue/shared_fields.h"
#include "catalogue/tool_fields.h"

namespace svc::catalogue {
namespace {

constexpr std::array<sv, 5> k_includes = {
    "reasoning.encrypted_content", "web_search_call.action.sources",
    "code_interpreter_call.outputs", "file_search_call.results", "no_inline_citations"};
constexpr std::array<sv, 3> k_summaries = {"auto", "concise", "detailed"};

constexpr std::array k_input_fields = {
    Field{.flag = "input",
          .in = In::Compose,
          .help = "The prompt; piped or redirected standard input is appended.",
          .positional = true,
          .common = true,
          .file_text = true,
          .example = "Hello"},
    Field{.flag = "input-items",
          .kind = Kind::Json,
          .in = In::Compose,
          .help = "Input items as JSON: messages, earlier output, function results, a compaction.",
          .repeated = true,
          .example = R"({"type":"function_call_output","call_id":"call_1","output":"12:00"})"},
    k_message_field,
    k_image_field,
    k_file_field,
    k_model_field,
};

constexpr std::array k_own_fields = {
    Field{.flag = "instructions",
          .help = "System prompt of a new conversation.",
          .letter = 's',
          .common = true,
          .file_text = true,
          .example = "Answer briefly."},
    Field{.flag = "previous-response-id",
          .help = "Continue the conversation of this stored response.",
          .common = true,
          .example = "00000000-0000-0000-0000-000000000000"},
    Field{.flag = "store",
          .kind = Kind::Boolean,
          .help = "Store input and response on the service for 30 days.",
          .common = true,
          .fallback = "true"},
    Field{.flag = "background",
          .kind = Kind::Boolean,
          .help = "Answer in the background.",
          .status = Status::Unsupported},
    Field{.flag = "context-management",
          .kind = Kind::Json,
          .help = "Compaction instructions; read but not executed.",
          .repeated = true,
          .example = "{}",
          .status = Status::Ignored},
    Field{.flag = "include",
          .help = "Additional output data, such as reasoning.encrypted_content.",
          .repeated = true,
          .suggests = k_includes,
          .example = "reasoning.encrypted_content"},
    Field{.flag = "max-output-tokens",
          .kind = Kind::Integer,
          .help = "Limit output plus reasoning to N tokens.",
          .common = true,
          .range = Range{1, k_no_max, "tokens"},
          .fallback = "128000",
          .example = "200"},
    Field{.flag = "max-turns",
          .kind = Kind::Integer,
          .help = "Limit server-side tool rounds to N.",
          .range = Range{1, k_no_max, "turns"},
          .example = "3"},
    Field{.flag = "metadata",
          .kind = Kind::Json,
          .help = "Your own metadata, as a JSON object.",
          .example = R"({"job":"7"})",
          .status = Status::Unsupported},
    Field{.flag = "min-p",
          .kind = Kind::Number,
          .help = "Drop tokens below this fraction of the top token's probability.",
          .range = Range{0, 1},
          .example = "0.05"},
    Field{.flag = "top-k",
          .kind = Kind::Integer,
          .help = "Sample from the N likeliest tokens only.",
          .range = Range{1, k_no_max, "tokens"},
          .example = "40"},
    Field{.flag = "reasoning-effort",
          .path = "reasoning.effort",
          .help = "Reasoning effort; svc-4.3 only.",
          .common = true,
          .suggests = k_efforts,
          .fallback = "low",
          .example = "high"},
    Field{.flag = "reasoning-generate-summary",
          .path = "reasoning.generate_summary",
          .help = "Old name of --reasoning-summary.",
          .example = "auto",
          .status = Status::Ignored},
    Field{.flag = "reasoning-summary",
          .path = "reasoning.summary",
          .help = "Level of the reasoning summary; the service always uses detailed.",
          .choices = k_summaries,
          .example = "auto",
          .status = Status::Ignored},
    // kebab case of `reasoning_effort` is taken by reasoning.effort, the standard member.
    Field{.flag = "flat-reasoning-effort",
          .path = "reasoning_effort",
          .help = "The field reasoning_effort, used if reasoning is unset.",
          .suggests = k_efforts,
          .example = "high"},
    Field{.flag = "text-format",
          .path = "text.format",
          .kind = Kind::TextOrJson,
          .help = "Answer format: text, json_object, or a JSON schema (@FILE or inline); a "
                  "complete format object is sent as is.",
          .common = true,
          .example = R"({"type":"json_object"})"},
    Field{.flag = "tool-choice",
          .kind = Kind::TextOrJson,
          .help = "Tool choice: none, auto, required, or a JSON object naming a function.",
          .suggests = k_tool_choices,
          .fallback = "auto",
          .example = "auto"},
    Field{.flag = "tools",
          .kind = Kind::Json,
          .help = "Tool the model may use, as a JSON object or array.",
          .repeated = true,
          .common = true,
          .max_count = 128,
          .example = R"({"type":"web_search"})"},
    Field{.flag = "truncation",
          .help = "How to handle input that is too long.",
          .example = "auto",
          .status = Status::Unsupported},
};

constexpr std::array k_shown_fields = {k_render_field, code_block_field("code-block"),
                                       k_template_field};

constexpr auto k_create_fields = concat(k_input_fields, k_own_fields, k_conversation_fields,
                                        k_tool_fields, k_mcp_fields, k_turn_fields, k_shown_fields,
                                        k_response_tool_flags, k_sampling_fields, k_search_fields);

constexpr std::array k_own_rules = {
    Rule{RuleKind::Excludes, "instructions", "previous-response-id",
         "A continued conversation keeps the system prompt of the earlier response."},
    Rule{RuleKind::Excludes, "schema", "text-format", "Both set the answer format."},
    Rule{RuleKind::Excludes, "reasoning-effort", "flat-reasoning-effort",
         "Both set the reasoning effort, and the service ignores the second."},
    Rule{RuleKind::Requires, "top-logprobs", "logprobs",
         "Likeliest tokens require log probabilities."},
};

constexpr auto k_create_rules =
    concat(k_own_rules, k_conversation_rules, k_search_flag_rules, k_search_rules);

constexpr std::array k_create_examples = {
    Example{"svc responses 'Name three rivers in Norway'", "Streams the answer."},
    Example{
        "svc responses 'What happened in Oslo today?' --web-search --allowed-domain example.com",
        "Lets the service search the web."},
    Example{"svc responses 'How long is my notice?' --collection collection_0001",
            "Lets the service search your documents."},
    Example{"svc responses 'And in Bergen?' --previous-response-id "
            "00000000-0000-0000-0000-000000000000",
            "Continues a stored conversation."},
    Example{"svc responses 'Two colours' --text-format '{\"type\":\"json_object\"}' --no-store",
            "Requests JSON and stores nothing on the service."},
    Example{
        "svc responses 'Draw a lighthouse' --tools '{\"type\":\"image_generation\"}' -o images/",
        "Saves the images that the model generates."},
};

constexpr Field k_id_field{.flag = "response-id",
                           .in = In::Path,
                           .help = "ID of a stored response.",
                           .required = true,
                           .positional = true,
                           .common = true,
                           .example = "00000000-0000-0000-0000-000000000000"};
constexpr std::array k_id_fields = {k_id_field};
constexpr std::array k_inputs_own = {
    k_id_field,
    Field{.flag = "order",
          .in = In::Query,
          .help = "Sort direction.",
          .choices = k_orders,
          .fallback = "desc",
          .example = "asc"},
};
constexpr auto k_inputs_fields = concat(k_inputs_own, paging_fields());

constexpr std::array k_inputs_columns = {Column{"ID", "id"}, Column{"TYPE", "type"},
                                         Column{"ROLE", "role"}, Column{"CONTENT", "content"},
                                         Column{"STATUS", "status", Cell::Text, true}};

constexpr std::array k_compact_columns = {Column{"CREATED", "created_at", Cell::UnixTime}};

constexpr std::array k_get_examples = {
    Example{"svc responses get 00000000-0000-0000-0000-000000000000",
            "Prints the text of a stored response."}};
constexpr std::array k_delete_examples = {
    Example{"svc responses delete 00000000-0000-0000-0000-000000000000 --yes",
            "Deletes a stored response without asking."}};
constexpr std::array k_inputs_examples = {
    Example{"svc responses inputs 00000000-0000-0000-0000-000000000000 --json",
            "Prints the input of the response."}};
constexpr std::array k_compact_examples = {
    Example{"svc responses compact 'A long conversation' --json",
            "Prints an item that replaces the conversation in later input."}};

constexpr std::array k_operations = {
    Operation{.group = "responses",
              .name = "create",
              .method = "POST",
              .path = "/v1/responses",
              .summary = "Ask a model with server-side tools, and print its answer.",
              .fields = resolved<k_create_fields>,
              .is_default = true,
              .repeat = Repeat::WhenRefused,
              .default_model = "svc-4.5",
              .composer = Composer::Responses,
              .view = View::Response,
              .streams = true,
              .rules = k_create_rules,
              .details = k_response_details,
              .examples = k_create_examples},
    Operation{.group = "responses",
              .name = "get",
              .method = "GET",
              .path = "/v1/responses/{response_id}",
              .summary = "Print a stored response.",
              .fields = resolved<k_id_fields>,
              .repeat = Repeat::Always,
              .view = View::Response,
              .details = k_response_details,
              .examples = k_get_examples},
    Operation{.group = "responses",
              .name = "compact",
              .method = "POST",
              .path = "/v1/responses/compact",
              .summary = "Compact a conversation into one input item.",
              .fields = resolved<k_input_fields>,
              .repeat = Repeat::WhenRefused,
              .default_model = "svc-4.5",
              .composer = Composer::Responses,
              .columns = k_compact_columns,
              .examples = k_compact_examples},
    Operation{.group = "responses",
              .name = "delete",
              .method = "DELETE",
              .path = "/v1/responses/{response_id}",
              .summary = "Delete a stored response.",
              .fields = resolved<k_id_fields>,
              .reply = Reply::Nothing,
              .repeat = Repeat::Always,
              .source = Source::Observed,
              .destructive = true,
              .examples = k_delete_examples},
    Operation{.group = "responses",
              .name = "inputs",
              .method = "GET",
              .path = "/v1/responses/{response_id}/input_items",
              .summary = "List the input items of a stored response.",
              .fields = resolved<k_inputs_fields>,
              .repeat = Repeat::Always,
              .source = Source::Observed,
              .items = "data",
              .paging = Paging{.limit_param = "limit",
                               .token_param = "after",
                               .token_path = "last_id",
                               .more_path = "has_more",
                               .max_page = 100},
              .columns = k_inputs_columns,
              .examples = k_inputs_examples},
};
static_assert(check_operations(k_operations));

}  // namespace

std::span<const Operation> responses_operations() {
  return k_operations;
}

}  // namespace svc::catalogue
