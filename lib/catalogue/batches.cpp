// The group `batches`.
#include "catalogue/bulk_fields.h"
#include "catalogue/check.h"
#include "catalogue/groups.h"
#include "catalogue/paging.h"
#include "catalogue/shared_fields.h"

namespace svc::catalogue {
namespace {

constexpr Field k_batch_id{.flag = "batch-id",
                           .in = In::Path,
                           .help = "Id of the batch.",
                           .required = true,
                           .positional = true,
                           .common = true,
                           .example = "batch_0001",
                           .completes = "batches"};

constexpr std::array k_create_fields = {
    Field{.flag = "name",
          .help = "Name of the batch, for display.",
          .required = true,
          .positional = true,
          .common = true,
          .example = "night run"},
    Field{
        .flag = "input-file-id",
        .help =
            "Create the batch from this uploaded JSON Lines file; no requests can be added later.",
        .common = true,
        .example = "file_0001",
        .completes = "files"},
};

constexpr std::array k_id_fields = {k_batch_id};
constexpr auto k_list_fields = paging_fields();
constexpr auto k_requests_fields = concat(k_id_fields, paging_fields(1000));

// All results by default: a list that ends after a hundred would pass for complete.
constexpr std::array k_results_own = {
    Field{.flag = "limit",
          .kind = Kind::Integer,
          .in = In::Local,
          .help = "Maximum number of results to print.",
          .letter = 'n',
          .common = true,
          .range = Range{1, k_no_max, "results"},
          .fallback = "all of them",
          .example = "20"},
    Field{.flag = "page-size",
          .kind = Kind::Integer,
          .in = In::Local,
          .help = "Number of results per page.",
          .range = Range{1, 1000, "results"},
          .fallback = "1000",
          .example = "500"},
    Field{.flag = "pagination-token",
          .in = In::Local,
          .help = "Start at the page with this token, from an earlier response.",
          .example = "abc"},
};
constexpr auto k_results_fields = concat(k_id_fields, k_results_own);

constexpr std::array k_add_own = {
    Field{.flag = "file",
          .kind = Kind::File,
          .in = In::Local,
          .help = "JSON Lines file of requests, in either form; - reads standard input.",
          .positional = true,
          .common = true,
          .example = "requests.jsonl"},
    Field{
        .flag = "batch-requests",
        .kind = Kind::Json,
        .help = "Requests as JSON objects, or an array of them.",
        .repeated = true,
        .common = true,
        .example =
            R"({"batch_request_id":"r1","batch_request":{"responses":{"model":"svc-4.3","input":"Hello"}}})"},
};
constexpr auto k_add_fields = concat(k_id_fields, k_add_own);
constexpr std::array k_add_rules = {
    Rule{RuleKind::Excludes, "file", "batch-requests", "Requests come from one place."},
};

constexpr std::array k_wait_own = {
    Field{.flag = "poll-interval",
          .kind = Kind::Duration,
          .in = In::Local,
          .help = "Time between status checks.",
          .common = true,
          .fallback = "1s, growing to 10s",
          .example = "5s"},
    Field{.flag = "wait-timeout",
          .kind = Kind::Duration,
          .in = In::Local,
          .help = "Stop waiting after this time; the batch keeps running.",
          .common = true,
          .example = "10m"},
};
constexpr Field several_of(Field field, sv help) {
  field.repeated = true;
  field.help = help;
  return field;
}
constexpr std::array k_wait_ids = {
    several_of(k_batch_id, "Batch ID; several are waited for at once.")};
constexpr auto k_wait_fields_of_batch = concat(k_wait_ids, k_wait_own);

constexpr Field model_flag(Field field) {
  field.letter = 'm';
  field.completes = "language-models";
  return field;
}
constexpr Field local_flag(sv flag, sv help, sv example, bool common = false) {
  return Field{.flag = flag, .in = In::Local, .help = help, .common = common, .example = example};
}
constexpr std::array k_own_run_fields = {
    Field{.flag = "file",
          .kind = Kind::File,
          .in = In::Local,
          .help = "JSON Lines file of requests, or prompts as .txt, .csv or .tsv; - reads standard "
                  "input.",
          .required = true,
          .positional = true,
          .common = true,
          .example = "requests.jsonl"},
    model_flag(local_flag(
        "model", "Model for prompts and for requests without one (default for prompts: svc-4.3).",
        "svc-4.3", true)),
    Field{.flag = "system",
          .in = In::Local,
          .help = "System prompt sent with each prompt.",
          .letter = 's',
          .common = true,
          .file_text = true,
          .example = "Answer briefly."},
    Field{.flag = "template",
          .in = In::Local,
          .help = "Template for each prompt: `{}` is the prompt, `{name}` a CSV column; `{{` and "
                  "`}}` are literal braces.",
          .common = true,
          .file_text = true,
          .example = "Summarise: {}"},
    Field{.flag = "via-file",
          .kind = Kind::Boolean,
          .in = In::Local,
          .help = "Upload the requests as files instead of adding them with API calls.",
          .common = true},
    local_flag(
        "shard",
        "Send only every Nth request, starting with the Kth, as K/N: one task of a job array.",
        "1/8", true),
    local_flag("name", "Name of the batches, for display (default: the file name).", "night run"),
    Field{.flag = "batch-size",
          .kind = Kind::Integer,
          .in = In::Local,
          .help = "Maximum number of requests per batch.",
          .range = Range{1, 1'000'000, "requests"},
          .fallback = "100000",
          .example = "5000"},
    Field{.flag = "call-size",
          .kind = Kind::Integer,
          .in = In::Local,
          .help = "Maximum number of requests added per API call.",
          .range = Range{1, 100'000, "requests"},
          .fallback = "5000",
          .example = "500"},
    Field{.flag = "poll-interval",
          .kind = Kind::Duration,
          .in = In::Local,
          .help = "Time between status checks.",
          .fallback = "1s, growing to 10s",
          .example = "5s"},
    Field{.flag = "wait-timeout",
          .kind = Kind::Duration,
          .in = In::Local,
          .help = "Stop waiting after this time; the batches keep running.",
          .example = "10m"},
};
constexpr std::array k_run_rules = {k_restart_rule};
constexpr auto k_run_fields = concat(k_own_run_fields, k_bulk_fields);
constexpr std::array k_run_examples = {
    Example{"svc batches run requests.jsonl -o results.jsonl",
            "Sends every request once, waits, and writes the results; run it again to resume."},
    Example{"svc batches run questions.txt --system 'Answer briefly.' -o answers.jsonl",
            "Sends one prompt per line."},
    Example{"svc batches run table.csv --column text --template 'Translate: {}' --max-cost 5.00",
            "Fills a template from a CSV column and stops at 5 USD."},
    Example{"svc batches run requests.jsonl --shard 3/8 -o part3.jsonl",
            "Sends the third of eight shares, for a job array."}};

constexpr std::array k_columns = {
    Column{"ID", "batch_id"},
    Column{"NAME", "name"},
    Column{"REQUESTS", "state.num_requests", Cell::Count},
    Column{"PENDING", "state.num_pending", Cell::Count},
    Column{"DONE", "state.num_success", Cell::Count},
    Column{"FAILED", "state.num_error", Cell::Count},
    Column{"CANCELLED", "state.num_cancelled", Cell::Count},
    Column{"COST", "cost_breakdown.total_cost_usd_ticks", Cell::Ticks},
    Column{"CREATED", "create_time", Cell::UnixTime},
    Column{"EXPIRES", "expire_time", Cell::UnixTime, true},
    Column{"CANCELLED AT", "cancel_time", Cell::UnixTime, true},
    Column{"CANCELLED BECAUSE", "cancel_by_xai_message", Cell::Text, true},
    Column{"INPUT FILE", "input_file_id", Cell::Text, true},
    Column{"KEY", "create_api_key_id", Cell::Text, true},
};
/// Of one batch: what it cost at each endpoint, and when that was counted.
constexpr std::array k_batch_columns =
    concat(k_columns, std::array{
                          Column{"COST", "cost_usd_ticks", Cell::Ticks},
                          Column{"COUNTED", "cost_breakdown.calculation_time", Cell::UnixTime},
                      });
constexpr std::array k_request_columns = {
    Column{"ID", "batch_request_id"},
    Column{"STATE", "state"},
    Column{"MODEL", "model"},
    Column{"ENDPOINT", "endpoint"},
    Column{"CREATED", "create_time", Cell::UnixTime},
    Column{"FINISHED", "finish_time", Cell::UnixTime},
};
constexpr std::array k_result_columns = {
    Column{"ID", "id"},
    Column{"STATE", "state"},
    Column{"RESULT", "text"},
    Column{"COST",
           "batch_result.response.chat_get_completion.usage.cost_in_usd_ticks|"
           "batch_result.response.image_generation.usage.cost_in_usd_ticks|"
           "batch_result.response.video_generation.usage.cost_in_usd_ticks|"
           "batch_result.response.usage.cost_in_usd_ticks",
           Cell::Ticks, true},
    Column{"MODEL",
           "batch_result.response.chat_get_completion.model|"
           "batch_result.response.video_generation.model",
           Cell::Text, true},
    Column{"FINISH REASON", "batch_result.response.chat_get_completion.choices.finish_reason",
           Cell::List, true},
    Column{"TOKENS IN", "batch_result.response.chat_get_completion.usage.prompt_tokens",
           Cell::Count, true},
    Column{"CACHED",
           "batch_result.response.chat_get_completion.usage.prompt_tokens_details.cached_tokens",
           Cell::Count, true},
    Column{"TOKENS OUT", "batch_result.response.chat_get_completion.usage.completion_tokens",
           Cell::Count, true},
    Column{"REASONING",
           "batch_result.response.chat_get_completion.usage.completion_tokens_details."
           "reasoning_tokens",
           Cell::Count, true},
    Column{"CITATIONS", "batch_result.response.chat_get_completion.citations", Cell::List, true},
    Column{"SERVICE TIER", "batch_result.response.chat_get_completion.service_tier", Cell::Text,
           true},
    Column{"FINGERPRINT", "batch_result.response.chat_get_completion.system_fingerprint",
           Cell::Text, true},
    Column{"ANSWER ID", "batch_result.response.chat_get_completion.id", Cell::Text, true},
};

constexpr std::array k_create_examples = {
    Example{"svc batches create 'night run'", "Creates an empty batch and prints its id."},
    Example{"svc batches create 'night run' --input-file-id file_0001",
            "Creates a batch of the requests in an uploaded file."}};
constexpr std::array k_list_examples = {
    Example{"svc batches list --limit 5", "Lists the latest batches with their counts."}};
constexpr std::array k_get_examples = {
    Example{"svc batches get batch_0001", "Prints a batch's counts and cost."}};
constexpr std::array k_add_examples = {
    Example{"svc batches add batch_0001 --batch-requests "
            "'{\"batch_request_id\":\"r1\",\"batch_request\":{\"responses\":{\"model\":\"svc-4.3\","
            "\"input\":\"Hello\"}}}'",
            "Adds one request."}};
constexpr std::array k_requests_examples = {
    Example{"svc batches requests batch_0001 --all", "Lists every request with its state."}};
constexpr std::array k_results_examples = {
    Example{"svc batches results batch_0001",
            "Prints the id, state, and answer or error of each result; -f jsonl prints them "
            "unchanged."}};
constexpr std::array k_cancel_examples = {Example{
    "svc batches cancel batch_0001", "Cancels pending requests; finished results are kept."}};
constexpr std::array k_wait_examples = {
    Example{"svc batches wait batch_0001",
            "Waits until every request is done; exits with 9 if any failed."}};

constexpr std::array k_operations = {
    Operation{.group = "batches",
              .name = "create",
              .method = "POST",
              .path = "/v1/batches",
              .summary = "Create a batch.",
              .fields = resolved<k_create_fields>,
              .columns = k_batch_columns,
              .examples = k_create_examples},
    Operation{.group = "batches",
              .name = "list",
              .method = "GET",
              .path = "/v1/batches",
              .summary = "List batches with their counts.",
              .fields = resolved<k_list_fields>,
              .repeat = Repeat::Always,
              .items = "batches",
              .paging = token_pages(),
              .columns = k_columns,
              .examples = k_list_examples},
    Operation{.group = "batches",
              .name = "get",
              .method = "GET",
              .path = "/v1/batches/{batch_id}",
              .summary = "Print a batch: its counts, cost and times.",
              .fields = resolved<k_id_fields>,
              .repeat = Repeat::Always,
              .columns = k_batch_columns,
              .examples = k_get_examples},
    // Never retried: requests without an id would be added twice.
    Operation{.group = "batches",
              .name = "add",
              .method = "POST",
              .path = "/v1/batches/{batch_id}/requests",
              .summary = "Add requests to a batch.",
              .fields = resolved<k_add_fields>,
              .reply = Reply::Nothing,
              .rules = k_add_rules,
              .columns = k_batch_columns,
              .examples = k_add_examples},
    Operation{.group = "batches",
              .name = "requests",
              .method = "GET",
              .path = "/v1/batches/{batch_id}/requests",
              .summary = "List the requests of a batch with their states.",
              .fields = resolved<k_requests_fields>,
              .repeat = Repeat::Always,
              .items = "batch_request_metadata",
              .paging = token_pages(1000, "batch_request_id"),
              .columns = k_request_columns,
              .examples = k_requests_examples},
    Operation{.group = "batches",
              .name = "results",
              .method = "GET",
              .path = "/v1/batches/{batch_id}/results",
              .summary = "Print the results of a batch, finished or not.",
              .fields = resolved<k_results_fields>,
              .repeat = Repeat::Always,
              .view = View::BatchResult,
              .items = "results",
              .paging = token_pages(1000, "batch_request_id", true),
              .columns = k_result_columns,
              .examples = k_results_examples},
    Operation{.group = "batches",
              .name = "cancel",
              .method = "POST",
              .path = "/v1/batches/{batch_id}:cancel",
              .summary = "Cancel the pending requests of a batch; finished results are kept.",
              .fields = resolved<k_id_fields>,
              .reply = Reply::Nothing,
              .repeat = Repeat::Always,
              .free = true,
              .columns = k_batch_columns,
              .examples = k_cancel_examples},
    Operation{.group = "batches",
              .name = "wait",
              .method = "GET",
              .path = "/v1/batches/{batch_id}",
              .summary = "Wait until a batch is finished.",
              .fields = resolved<k_wait_fields_of_batch>,
              .repeat = Repeat::Always,
              .columns = k_batch_columns,
              .examples = k_wait_examples},
    Operation{.group = "batches",
              .name = "run",
              .summary =
                  "Send any number of requests from a file, each exactly once, and fetch the "
                  "results.",
              .host = Host::Local,
              .fields = resolved<k_run_fields>,
              .rules = k_run_rules,
              .examples = k_run_examples},
};
static_assert(check_operations(k_operations));

}  // namespace

std::span<const Operation> batches_operations() {
  return k_operations;
}

}  // namespace svc::catalogue
