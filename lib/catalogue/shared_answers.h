// The shapes that return in the answers of several groups: usage and cost, stored files, tool
// calls, log probabilities, errors.
#pragma once

#include "catalogue/answer_builders.h"

namespace svc::catalogue::answer {

// Lists -------------------------------------------------------------------------------------------

inline constexpr Member k_page_token =
    text("pagination_token", "Token of the next page; empty or missing on the last.", nullable,
         hidden("svc fetches the pages itself."));

inline constexpr std::array k_deleted = {
    text("id", "ID of what was deleted.", required),
    boolean("deleted", "Whether it was deleted.", required),
    text("object", "The kind of object."),
};

// Usage -------------------------------------------------------------------------------------------

inline constexpr Member k_cost =
    ticks("cost_in_usd_ticks", "Exact cost; 10,000,000,000 ticks are one US dollar.", label("Cost"),
          nullable, drawn);

inline constexpr std::array k_server_tool_members = {
    tally("web_search_calls", label("Web searches"), details),
    tally("x_search_calls", label("X searches"), details),
    tally("code_interpreter_calls", label("Code runs"), details),
    tally("file_search_calls", label("File searches"), details),
    tally("document_search_calls", label("Document searches"), details),
    tally("mcp_calls", details),
    tally("image_generation_calls", label("Images generated"), details),
};
/// The number of calls of each tool that runs on the service.
inline constexpr Shape k_server_tool_calls{"ServerToolCalls", k_server_tool_members};

inline constexpr std::array k_usage_members = {
    count("prompt_tokens", "Tokens of the input.", label("Tokens in"), drawn),
    count("prompt_tokens_details.cached_tokens", "Those read from the cache.", drawn),
    count("completion_tokens", "Tokens of the answer.", label("Tokens out"), drawn),
    count("completion_tokens_details.reasoning_tokens", "Those spent on reasoning.", drawn),
    count("num_sources_used", "Sources that a search contributed.", label("Sources"), drawn),
    k_cost,
    tally("total_tokens", "Tokens of input and answer.", details),
    tally("prompt_tokens_details.text_tokens", "Cached ones included.", label("Text tokens in"),
          details),
    tally("prompt_tokens_details.image_tokens", label("Image tokens in"), details),
    tally("prompt_tokens_details.audio_tokens", label("Audio tokens in"), details),
    tally("completion_tokens_details.audio_tokens", label("Audio tokens out"), details),
    tally("completion_tokens_details.accepted_prediction_tokens", details),
    tally("completion_tokens_details.rejected_prediction_tokens", details),
    object("server_side_tool_usage_details", k_server_tool_calls),
};
/// Of chat and its batches, and of the older completions.
inline constexpr Shape k_usage{"Usage", k_usage_members};

inline constexpr std::array k_response_usage_members = {
    count("input_tokens", "Tokens of the input.", label("Tokens in"), drawn),
    count("input_tokens_details.cached_tokens", "Those read from the cache.", drawn),
    count("output_tokens", "Tokens of the answer.", label("Tokens out"), drawn),
    count("output_tokens_details.reasoning_tokens", "Those spent on reasoning.", drawn),
    count("num_sources_used", "Sources that a search contributed.", label("Sources"), drawn),
    k_cost,
    integer("cost_in_nano_usd", "Exact cost in billionths of a US dollar.", nullable,
            hidden("It is the cost that the line of the usage shows.")),
    tally("total_tokens", "Tokens of all turns with tools.", details),
    tally("context_details.input_tokens", "Input tokens of the last turn.",
          label("Context tokens in"), details),
    tally("context_details.output_tokens", "Output tokens of the last turn.",
          label("Context tokens out"), details),
    tally("num_server_side_tools_used", label("Tools used"), details),
    object("server_side_tool_usage_details", k_server_tool_calls),
};
inline constexpr Shape k_response_usage{"ResponseUsage", k_response_usage_members};

inline constexpr std::array k_media_usage_members = {
    with(k_cost, required),
    tally("input_tokens", label("Tokens in"), drawn),
    tally("output_tokens", label("Tokens out"), drawn),
    tally("total_tokens"),
    json("input_tokens_details"),
    json("output_tokens_details"),
};
/// Of images and videos.
inline constexpr Shape k_media_usage{"MediaUsage", k_media_usage_members};

// Text --------------------------------------------------------------------------------------------

inline constexpr std::array<sv, 4> k_service_tiers = {"default", "priority", "auto", "fast"};

inline constexpr std::array k_alternative_members = {
    text("token", label("Alternatives"), required),
    number("logprob", label("Alternative logprobs"), required),
    integer("bytes[]", nullable,
            hidden("A list of all of them would not tell which belong to which alternative.")),
};
inline constexpr Shape k_alternative{"TokenAlternative", k_alternative_members};

inline constexpr std::array k_token_logprob_members = {
    text("token", required),
    number("logprob", "Natural logarithm of its probability.", counted, required),
    list("top_logprobs[]", k_alternative),
    integer("bytes[]", "The token in UTF-8.", nullable),
};
/// A token of an answer, with its most likely alternatives.
inline constexpr Shape k_token_logprob{"TokenLogprob", k_token_logprob_members};

inline constexpr std::array k_tool_call_members = {
    text("id", "ID that the result must name.", label("Call IDs")),
    text("type", "\"function\", or a tool that runs on the service.", label("Call types")),
    integer("index", "Position among the calls.", hidden("The calls are in this order.")),
    text("function.name", "Name of the function.", drawn),
    text("function.arguments", "The arguments as JSON text.", drawn),
};
inline constexpr Shape k_tool_call{"ToolCall", k_tool_call_members};

inline constexpr std::array<sv, 2> k_message_roles = {"assistant", "tool"};
inline constexpr std::array k_message_members = {
    text("role", choices(k_message_roles), required, hidden("An answer is the assistant's.")),
    text("content", "The answer's text.", nullable, drawn),
    text("reasoning_content", "The reasoning before the answer.", nullable, drawn),
    text("refusal", "Why the model does not answer.", nullable, drawn),
    list("tool_calls[]", k_tool_call, nullable),
};
inline constexpr Shape k_message{"Message", k_message_members};

// Stored files ------------------------------------------------------------------------------------

inline constexpr std::array k_stored_file_members = {
    text("file_id", required, drawn),
    text("filename", required, drawn),
    unix_time("expires_at", "Time at which the service deletes the file.", label("Expires"),
              nullable, drawn),
    url("public_url", "Public URL, if there is one.", nullable, drawn),
    unix_time("public_url_expires_at", "Time at which the public URL expires.",
              label("Public until"), nullable, drawn),
    text("public_url_error", "Why there is no public URL.", nullable, drawn),
};
/// The file that an image or a video was stored in.
inline constexpr Shape k_stored_file{"StoredFile", k_stored_file_members};

inline constexpr std::array<sv, 4> k_upload_states = {"Initializing", "Uploading", "Complete",
                                                      "Failed"};
inline constexpr std::array<sv, 5> k_processing_states = {"Pending", "Processing", "Complete",
                                                          "Failed", "Skipped"};
inline constexpr std::array k_file_metadata_members = {
    text("file_id", label("File"), required),
    text("name", required),
    bytes("size_bytes", "Size of the file.", label("Size")),
    text("content_type", label("Type")),
    time("created_at", label("Created")),
    time("expires_at", label("Expires"), nullable),
    text("hash", "SHA-256 in hexadecimal."),
    text("upload_status", label("Upload"), choices(k_upload_states)),
    text("upload_error_message", label("Upload error"), nullable),
    text("processing_status", label("Processing"), choices(k_processing_states)),
    text("file_path", label("Directory")),
};
/// A file as chunked uploads and collections describe it.
inline constexpr Shape k_file_metadata{"FileMetadata", k_file_metadata_members};

// Errors ------------------------------------------------------------------------------------------

inline constexpr std::array k_failure_members = {
    text("code", "Class of the error.", label("Error code")),
    text("message", "What went wrong, as a sentence.", label("Error"), required),
};
/// The reason for which a job, a response or a request of a batch failed.
inline constexpr Shape k_failure{"Failure", k_failure_members};

inline constexpr std::array k_error_detail_members = {
    text("message", "What was wrong, as a sentence.", required),
    text("type", "Class of the error."),
    json("code", "Code of the error, as text or number.", nullable),
    text("param", "The member of the request that was wrong.", nullable),
};
inline constexpr Shape k_error_detail{"ErrorDetail", k_error_detail_members};

inline constexpr std::array k_error_members = {
    json("code", "A sentence, a word in kebab case, or a number, for the class of the error."),
    text_or_object("error", k_error_detail, "What was wrong."),
    text("message", "What was wrong, on the management host."),
    json("details[]", "Further details, on the management host."),
    text("detail", "What was wrong, in another form."),
};
/// The body of an HTTP error, in all of its forms.
inline constexpr Shape k_error{"Error", k_error_members};

}  // namespace svc::catalogue::answer
