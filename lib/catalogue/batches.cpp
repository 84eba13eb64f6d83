// The group batches.
#include "catalogue/batches_answers.h"
#include "catalogue/batches_fields.h"
#include "catalogue/check.h"
#include "catalogue/groups.h"

namespace svc::catalogue {
namespace batches {

constexpr std::array k_add_rules = {
    excludes("file", "batch-requests", "Requests come from one place."),
};
constexpr std::array k_run_rules = {k_restart_rule};

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
         answers(answer::batches::k_batch)),
    get("batches list", "/v1/batches", "List batches with their counts.", fields<k_list_fields>,
        items("batches"), paging(token_pages()), answers(answer::batches::k_list)),
    get("batches get", "/v1/batches/{batch_id}", "Print a batch: its counts, cost and times.",
        fields<k_id_fields>, answers(answer::batches::k_batch)),
    // Never retried: requests without an ID would be added twice.
    post("batches add", "/v1/batches/{batch_id}/requests", "Add requests to a batch.",
         runs(Handler::BatchesAdd), answers_nothing, fields<k_add_fields>, rules(k_add_rules),
         answers(answer::batches::k_batch)),
    get("batches requests", "/v1/batches/{batch_id}/requests",
        "List the requests of a batch with their states.", noun("request", "requests"),
        fields<k_requests_fields>, items("batch_request_metadata"),
        paging(token_pages(1000, "batch_request_id")), answers(answer::batches::k_requests)),
    get("batches results", "/v1/batches/{batch_id}/results", "Print the results of a batch so far.",
        noun("result", "results"), fields<k_results_fields>, view(View::BatchResult),
        items("results"), paging(token_pages(1000, "batch_request_id", true)),
        answers(answer::batches::k_results)),
    post("batches cancel", "/v1/batches/{batch_id}:cancel",
         "Cancel the pending requests of a batch; finished results remain.", repeatable,
         answers_nothing, free_of_charge,
         ends("Pending requests are not answered; finished results remain."), fields<k_id_fields>,
         answers(answer::batches::k_batch)),
    get("batches wait", "/v1/batches/{batch_id}", "Wait until a batch is finished.",
        runs(Handler::BatchesWait), fields<k_wait_fields_of_batch>,
        answers(answer::batches::k_batch)),
    command("batches run",
            "Send any number of requests from a file, none of them twice, and fetch the results.",
            default_model("svc-4.3"), runs(Handler::BatchesRun), own_output, fields<k_run_fields>,
            rules(k_run_rules), answers(answer::batches::k_run)),
};
constexpr auto k_operations = checked(k_rows, k_examples, {"batch", "batches"});

}  // namespace batches

constinit const std::span<const Operation> k_batches_operations = batches::k_operations;

}  // namespace svc::catalogue
