// The group batches.
#include "catalogue/batches_fields.h"
#include "catalogue/check.h"
#include "catalogue/groups.h"

namespace svc::catalogue {
namespace batches {

constexpr std::array k_add_rules = {
    excludes("file", "batch-requests", "Requests come from one place."),
};
constexpr std::array k_run_rules = {k_restart_rule};

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
