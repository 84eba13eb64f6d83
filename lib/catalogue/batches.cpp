// The group batches.
#include "catalogue/bulk_fields.h"
#include "catalogue/check.h"
#include "catalogue/groups.h"
#include "catalogue/shared_fields.h"

namespace svc::catalogue {
namespace batches {

constexpr Field k_batch_id = path_parameter("batch-id", "ID of the batch.", common,
                                            example("batch_0001"), completes("batches"));

constexpr std::array k_create_fields = {
    text("name", "Name of the batch, for display.", required, positional, common,
         example("night run")),
    text("input-file-id",
         "Create the batch from this uploaded JSON Lines file; no requests can be added later.",
         common, example("file_0001"), completes("files")),
};

constexpr std::array k_id_fields = {k_batch_id};
constexpr auto k_list_fields = paging_fields();
constexpr auto k_requests_fields = concat(k_id_fields, paging_fields(1000));

// All results by default: a list truncated at a hundred would look complete.
constexpr std::array k_results_own = {
    integer("limit", "Maximum number of results to print.", local, common, letter('n'),
            at_least(1, "results"), fallback("all"), example("20")),
    integer("page-size", "Number of results per page.", local, range(1, 1000, "results"),
            fallback("1000"), example("500")),
    text("pagination-token", "Start at the page with this token, from an earlier response.", local,
         example("abc")),
};
constexpr auto k_results_fields = concat(k_id_fields, k_results_own);

constexpr std::array k_add_own = {
    file("file", "JSON Lines file of requests, in either form; - reads standard input.", local,
         positional, common, example("requests.jsonl")),
    json(
        "batch-requests", "Requests as JSON objects, or an array of them.", repeated, common,
        example(
            R"({"batch_request_id":"r1","batch_request":{"responses":{"model":"svc-4.3","input":"Hello"}}})")),
};
constexpr auto k_add_fields = concat(k_id_fields, k_add_own);
constexpr std::array k_add_rules = {
    excludes("file", "batch-requests", "Requests come from one place."),
};

constexpr std::array k_wait_own = {
    duration("poll-interval", "Time between status checks.", local, common,
             fallback("1s, growing to 10s"), example("5s")),
    duration("wait-timeout", "Stop waiting after this time; the batch keeps running.", local,
             common, example("10m")),
};
constexpr std::array k_wait_ids = {
    with(k_batch_id, repeated, says("Batch ID; repeat to wait for several."))};
constexpr auto k_wait_fields_of_batch = concat(k_wait_ids, k_wait_own);

constexpr std::array k_own_run_fields = {
    file("file",
         "JSON Lines file of requests, or prompts as .txt, .csv or .tsv; - reads standard input.",
         local, required, positional, common, example("requests.jsonl")),
    text("model", "Model for prompts and for requests without one (default for prompts: svc-4.3).",
         local, common, letter('m'), example("svc-4.3"), completes("language-models")),
    text("system", "System prompt sent with each prompt.", local, common, file_text, letter('s'),
         example("Answer briefly.")),
    text("template",
         "Template for each prompt: `{}` is the prompt, `{name}` a CSV column; `{{` and `}}` are "
         "literal braces.",
         local, common, file_text, example("Summarise: {}")),
    boolean("via-file", "Upload the requests as files instead of adding them with API calls.",
            local, common),
    text("shard", "Send only shard K/N, for a job array: every Nth request, starting with the Kth.",
         local, common, example("1/8")),
    text("name", "Name of the batches, for display (default: the file name).", local,
         example("night run")),
    integer("batch-size", "Maximum number of requests per batch.", local,
            range(1, 1'000'000, "requests"), fallback("100000"), example("5000")),
    integer("call-size", "Maximum number of requests added per API call.", local,
            range(1, 100'000, "requests"), fallback("5000"), example("500")),
    duration("poll-interval", "Time between status checks.", local, fallback("1s, growing to 10s"),
             example("5s")),
    duration("wait-timeout", "Stop waiting after this time; the batches keep running.", local,
             example("10m")),
};
constexpr std::array k_run_rules = {k_restart_rule};
constexpr auto k_run_fields = concat(k_own_run_fields, k_bulk_fields);

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
    Column{"CANCEL REASON", "cancel_by_xai_message", Cell::Text, true},
    Column{"INPUT FILE", "input_file_id", Cell::Text, true},
    Column{"KEY", "create_api_key_id", Cell::Text, true},
};
/// For a single batch: also its cost, and when it was computed.
constexpr std::array k_batch_columns =
    concat(k_columns, std::array{
                          Column{"COST", "cost_usd_ticks", Cell::Ticks},
                          Column{"COST AS OF", "cost_breakdown.calculation_time", Cell::UnixTime},
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

constexpr std::array k_examples = {
    Example{"svc batches create 'night run'", "Creates an empty batch and prints its ID."},
    Example{"svc batches create 'night run' --input-file-id file_0001",
            "Creates a batch of the requests in an uploaded file."},
    Example{"svc batches list --limit 5", "Lists the latest batches with their counts."},
    Example{"svc batches get batch_0001", "Prints a batch's counts and cost."},
    Example{"svc batches add batch_0001 --batch-requests "
            "'{\"batch_request_id\":\"r1\",\"batch_request\":{\"responses\":{\"model\":\"svc-4.3\","
            "\"input\":\"Hello\"}}}'",
            "Adds one request."},
    Example{"svc batches requests batch_0001 --all", "Lists every request with its state."},
    Example{"svc batches results batch_0001",
            "Prints the ID, state, and answer or error of each result; -f jsonl prints them "
            "unchanged."},
    Example{"svc batches cancel batch_0001", "Cancels pending requests; finished results remain."},
    Example{"svc batches wait batch_0001",
            "Waits until every request is done; exits with 9 if any failed."},
    Example{"svc batches run requests.jsonl -o results.jsonl",
            "Sends every request once, waits, and writes the results; run it again to resume."},
    Example{"svc batches run questions.txt --system 'Answer briefly.' -o answers.jsonl",
            "Sends one prompt per line."},
    Example{"svc batches run table.csv --column text --template 'Translate: {}' --max-cost 5.00",
            "Fills a template from a CSV column and stops at 5 USD."},
    Example{"svc batches run requests.jsonl --shard 3/8 -o part3.jsonl",
            "Sends shard 3 of 8, for a job array."},
};

constexpr std::array k_rows = {
    post("batches create", "/v1/batches", "Create a batch.", fields<k_create_fields>,
         columns(k_batch_columns)),
    get("batches list", "/v1/batches", "List batches with their counts.", fields<k_list_fields>,
        items("batches"), paging(token_pages()), columns(k_columns)),
    get("batches get", "/v1/batches/{batch_id}", "Print a batch: its counts, cost and times.",
        fields<k_id_fields>, columns(k_batch_columns)),
    // Never retried: requests without an ID would be added twice.
    post("batches add", "/v1/batches/{batch_id}/requests", "Add requests to a batch.",
         answers_nothing, fields<k_add_fields>, rules(k_add_rules), columns(k_batch_columns)),
    get("batches requests", "/v1/batches/{batch_id}/requests",
        "List the requests of a batch with their states.", fields<k_requests_fields>,
        items("batch_request_metadata"), paging(token_pages(1000, "batch_request_id")),
        columns(k_request_columns)),
    get("batches results", "/v1/batches/{batch_id}/results", "Print the results of a batch so far.",
        fields<k_results_fields>, view(View::BatchResult), items("results"),
        paging(token_pages(1000, "batch_request_id", true)), columns(k_result_columns)),
    post("batches cancel", "/v1/batches/{batch_id}:cancel",
         "Cancel the pending requests of a batch; finished results remain.", repeatable,
         answers_nothing, free_of_charge, fields<k_id_fields>, columns(k_batch_columns)),
    get("batches wait", "/v1/batches/{batch_id}", "Wait until a batch is finished.",
        fields<k_wait_fields_of_batch>, columns(k_batch_columns)),
    command("batches run",
            "Send any number of requests from a file, each exactly once, and fetch the results.",
            fields<k_run_fields>, rules(k_run_rules)),
};
constexpr auto k_operations = checked(k_rows, k_examples);

}  // namespace batches

constinit const std::span<const Operation> k_batches_operations = batches::k_operations;

}  // namespace svc::catalogue
