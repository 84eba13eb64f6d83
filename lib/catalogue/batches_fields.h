// The fields of the group batches.
#pragma once

#include <array>

#include "catalogue/bulk_fields.h"
#include "catalogue/shared_fields.h"

namespace svc::catalogue::batches {

inline constexpr Field k_batch_id = path_parameter("batch-id", "ID of the batch.", common,
                                                   example("batch_0001"), completes("batches"));

inline constexpr std::array k_create_fields = {
    text("name", "Name of the batch, for display.", required, positional, common,
         form(TextFormat::NotAFile), example("night run")),
    text("input-file-id",
         "Create the batch from this uploaded JSON Lines file; no requests can be added later.",
         common, example("file_0001"), completes("files")),
};

inline constexpr std::array k_id_fields = {k_batch_id};
inline constexpr auto k_list_fields = paging_fields();
inline constexpr auto k_requests_fields = concat(k_id_fields, paging_fields(1000));

inline constexpr Field k_output_dir =
    file("output-dir",
         "Save the images and videos of the results in this directory, because their URLs expire.",
         local, common, example("media"));

// All results by default: a list truncated at a hundred would look complete.
inline constexpr std::array k_results_own = {
    integer("limit", "Maximum number of results to print.", local, common, letter('n'),
            at_least(1, "results"), fallback("all"), example("20")),
    integer("page-size", "Number of results per page.", local, range(1, 1000, "results"),
            fallback("1000"), example("500")),
    text("pagination-token", "Start at the page with this token, from an earlier response.", local,
         example("abc")),
    k_output_dir,
};
inline constexpr auto k_results_fields = concat(k_id_fields, k_results_own);

inline constexpr std::array k_add_own = {
    file("file", "JSON Lines file of requests, in either form; - reads standard input.", local,
         positional, common, example("requests.jsonl")),
    json(
        "batch-requests", "Requests as JSON objects, or an array of them.", demanded, repeated,
        common,
        example(
            R"({"batch_request_id":"r1","batch_request":{"responses":{"model":"svc-4.3","input":"Hello"}}})")),
};
inline constexpr auto k_add_fields = concat(k_id_fields, k_add_own);

inline constexpr std::array k_wait_own = {
    duration("poll-interval", "Time between status checks.", local, common,
             fallback("1s, growing to 10s"), example("5s")),
    duration("wait-timeout", "Stop waiting after this time; the batch keeps running.", local,
             common, example("10m")),
};
inline constexpr std::array k_wait_ids = {
    with(k_batch_id, repeated, says("Batch ID; repeat to wait for several."))};
inline constexpr auto k_wait_fields_of_batch = concat(k_wait_ids, k_wait_own);

inline constexpr std::array k_own_run_fields = {
    file(
        "file",
        "JSON Lines file of requests, or prompts as .txt, .csv or .tsv; - reads standard input. -o "
        "NAME.csv, .tsv or .jsonl writes the results.",
        local, required, positional, common, example("requests.jsonl")),
    text(
        "model",
        "Model for prompts and for text requests without one (default: the profile's, or svc-4.3).",
        local, common, letter('m'), example("svc-4.3"), completes("language-models")),
    text("system", "System prompt sent with each prompt.", local, common, file_text, letter('s'),
         example("Answer briefly.")),
    text("template",
         "Template for each prompt: `{}` is the prompt, `{name}` a CSV column; `{{` and `}}` are "
         "literal braces.",
         local, common, file_text, example("Summarize: {}")),
    boolean("via-file", "Upload the requests as files instead of adding them with API calls.",
            local, plain_switch, common),
    k_output_dir,
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
inline constexpr auto k_run_fields = concat(k_own_run_fields, k_bulk_fields);

}  // namespace svc::catalogue::batches
