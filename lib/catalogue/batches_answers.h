// The answers of the group batches.
#pragma once

#include "catalogue/chat_answers.h"
#include "catalogue/images_answers.h"
#include "catalogue/videos_answers.h"

namespace svc::catalogue::answer::batches {

// Batches -----------------------------------------------------------------------------------------

inline constexpr Hidden k_costs = hidden("A table shows the total, and one batch every member.");
inline constexpr std::array k_endpoint_cost_members = {
    text("endpoint", "Path of the requests.", k_costs),
    ticks("cost_usd_ticks", "Exact cost of these requests.", label("Cost"), k_costs),
    count("request_count", "Number of these requests.", k_costs),
};
inline constexpr Shape k_endpoint_cost{"EndpointCost", k_endpoint_cost_members};

inline constexpr std::array k_batch = {
    text("batch_id", "ID of the batch.", label("ID"), required),
    text("name", "Name that the batch was given.", required),
    count("state.num_requests", "Number of requests in the batch.", label("Requests"), required),
    count("state.num_pending", "Requests that are not processed yet.", label("Pending"), required),
    count("state.num_success", "Requests that were answered.", label("Done"), required),
    count("state.num_error", "Requests that failed.", label("Failed"), required),
    count("state.num_cancelled", "Requests that were canceled.", label("Canceled"), required),
    ticks("cost_breakdown.total_cost_usd_ticks", "Cost so far.", label("Cost")),
    time("create_time", "Time at which the batch was created.", label("Created"), required),
    time("expire_time", "Time after which the results are gone.", label("Expires"), nullable,
         details),
    time("cancel_time", "Time at which it was canceled, if it was.", label("Canceled at"), nullable,
         details),
    text("cancel_by_xai_message", "Why the operator canceled the batch.", label("Cancel reason"),
         nullable, details),
    text("input_file_id", "File that the batch was created from.", label("Input file"), nullable,
         details),
    text("create_api_key_id", "Key that created the batch, masked.", label("Key"), required,
         details),
    time("cost_breakdown.calculation_time", "Time at which the cost was computed.",
         label("Cost as of"), details),
    list("cost_breakdown.endpoint_costs[]", k_endpoint_cost, "The cost by endpoint."),
};
inline constexpr Shape k_batch_shape{"Batch", k_batch};
inline constexpr std::array k_list = {
    list("batches[]", k_batch_shape, "Batches, a page at a time.", required), k_page_token};

inline constexpr std::array<sv, 5> k_request_states = {"unknown", "pending", "succeeded",
                                                       "cancelled", "failed"};
inline constexpr std::array k_request_members = {
    text("batch_request_id", "ID of the request in its batch.", label("ID"), required),
    text("state", "How far the request is.", choices(k_request_states), required),
    text("model", "Model that the request asks for.", required),
    text("endpoint", "The service's name of the operation.", required),
    time("create_time", "Time at which the request was added.", label("Created"), required),
    time("finish_time", "Time at which it was answered or failed.", label("Finished"), nullable),
};
inline constexpr Shape k_request{"BatchRequest", k_request_members};
inline constexpr std::array k_requests = {
    list("batch_request_metadata[]", k_request, "Requests of the batch, a page at a time.",
         required),
    k_page_token,
};

// Results -----------------------------------------------------------------------------------------

inline constexpr std::array k_debug_members = {
    integer("attempts", "Number of attempts to answer the request."),
    integer("cache_read_count", "Number of reads from the prompt cache."),
    integer("cache_read_input_bytes", "Bytes of the prompt that were read from the cache."),
    integer("cache_write_count", "Number of writes to the prompt cache."),
    integer("cache_write_input_bytes", "Bytes of the prompt that were written to the cache."),
    json("chunks", "Pieces of the answer, for diagnostics."),
    text("engine_request", "Request to the inference engine, for diagnostics."),
    text("lb_address", "Address of the load balancer, for diagnostics."),
    text("prompt", "Prompt as the engine got it, for diagnostics."),
    text("request", "Request as the service got it, for diagnostics."),
    json("responses", "Answers of the engine, for diagnostics."),
    text("sampler_checkpoint_mount", "Where the model was loaded from, for diagnostics."),
    text("sampler_tag", "Tag of the sampler, for diagnostics."),
};
inline constexpr Shape k_debug{"DebugOutput", k_debug_members};
inline constexpr std::array k_completion_members = {
    members_of(chat::k_completion),
    object("debug_output", k_debug, "What the service noted about the request.", nullable),
};
inline constexpr Shape k_completion{"BatchCompletion", k_completion_members};

/// Exactly one of the three; an answer of responses comes in the form of chat.
inline constexpr std::array k_response_members = {
    object("chat_get_completion", k_completion, "The answer of a model."),
    object("image_generation", images::k_answer, "Generated or edited images."),
    object("video_generation", videos::k_answer, "A generated or extended video."),
    ticks("usage.cost_in_usd_ticks", "Exact cost.", label("Cost")),
};
inline constexpr Shape k_response{"BatchResponse", k_response_members};
inline constexpr std::array k_outcome_members = {
    text_or_object("response", k_response, "The answer, or the word unknown."),
    text_or_object("error", k_failure, "Why the request failed.", nullable),
};
inline constexpr Shape k_outcome{"BatchOutcome", k_outcome_members};

inline constexpr std::array k_result_members = {
    text("batch_request_id", "ID of the request that is answered.", label("ID"), required),
    view("State", "state"),
    view("Result", "text"),
    view("Cost",
         "batch_result.response.chat_get_completion.usage.cost_in_usd_ticks|"
         "batch_result.response.image_generation.usage.cost_in_usd_ticks|"
         "batch_result.response.video_generation.usage.cost_in_usd_ticks|"
         "batch_result.response.usage.cost_in_usd_ticks",
         Unit::Ticks, details),
    view("Model",
         "batch_result.response.chat_get_completion.model|"
         "batch_result.response.video_generation.model",
         Unit::None, details),
    view("Finish reason", "batch_result.response.chat_get_completion.choices.finish_reason",
         Unit::List, details),
    view("Tokens in", "batch_result.response.chat_get_completion.usage.prompt_tokens", Unit::Count,
         details),
    view("Cached",
         "batch_result.response.chat_get_completion.usage.prompt_tokens_details.cached_tokens",
         Unit::Count, details),
    view("Tokens out", "batch_result.response.chat_get_completion.usage.completion_tokens",
         Unit::Count, details),
    view("Reasoning",
         "batch_result.response.chat_get_completion.usage.completion_tokens_details."
         "reasoning_tokens",
         Unit::Count, details),
    view("Citations", "batch_result.response.chat_get_completion.citations", Unit::List, details),
    view("Service tier", "batch_result.response.chat_get_completion.service_tier", Unit::None,
         details),
    view("Fingerprint", "batch_result.response.chat_get_completion.system_fingerprint", Unit::None,
         details),
    view("Answer ID", "batch_result.response.chat_get_completion.id", Unit::None, details),
    view("Debug output", "batch_result.response.chat_get_completion.debug_output", Unit::None,
         details),
    object("batch_result", k_outcome, "The answer, or the error in its place.", required,
           hidden("The other columns show what it says.")),
    text("error_message", "Why the request failed.", nullable,
         hidden("The column Result shows it.")),
};
inline constexpr Shape k_result{"BatchResult", k_result_members};
inline constexpr std::array k_results = {
    list("results[]", k_result, "Results, a page at a time.", required), k_page_token};

inline constexpr Hidden k_table = hidden("Text is the table of `svc batches results`.");
inline constexpr std::array<sv, 4> k_run_states = {"succeeded", "failed", "cancelled", "unknown"};
/// A line of a run, and of `svc chat --each`: one request and what became of it.
inline constexpr std::array k_run = {
    text("id", "ID of the request.", required, k_table),
    text("state", "How far the run is.", choices(k_run_states), required, k_table),
    text("answer", "Text of the answer, or the URLs of media.", required, nullable, k_table),
    text("error", "Why there is no complete answer.", required, nullable, k_table),
    number("cost", "Cost in US dollars.", required, nullable, k_table),
    json("usage", "Tokens and cost, as the service reported them.", required, nullable, k_table),
    json("response", "The service's answer, unchanged.", required, nullable, k_table),
    json("request", "The request, with --with-input.", k_table),
};

}  // namespace svc::catalogue::answer::batches
