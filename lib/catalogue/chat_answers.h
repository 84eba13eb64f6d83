// The answers of the group chat.
#pragma once

#include "catalogue/shared_answers.h"

namespace svc::catalogue::answer::chat {

inline constexpr std::array<sv, 6> k_finish_reasons = {
    "stop", "length", "end_turn", "tool_calls", "content_filter", "function_call"};

inline constexpr std::array k_logprobs_members = {
    table("content[]", k_token_logprob, "Tokens of the answer, one after the other.", nullable,
          details),
};
inline constexpr Shape k_logprobs{"Logprobs", k_logprobs_members};

inline constexpr Member k_finish_reason =
    text("finish_reason", "Why the answer ended.", choices(k_finish_reasons), nullable, details);

inline constexpr std::array k_choice_members = {
    integer("index", "Position among the answers.", required, drawn),
    object("message", k_message, "The answer itself.", required),
    k_finish_reason,
    object("logprobs", k_logprobs, "Log probabilities of the answer's tokens.", nullable),
};
inline constexpr Shape k_choice{"Choice", k_choice_members};

inline constexpr std::array k_output_file_members = {
    text("file_id", "File ID, to download it with.", required, drawn),
    text("name", "Name of the file.", drawn),
};
inline constexpr Shape k_output_file{"OutputFile", k_output_file_members};

inline constexpr Member k_citations =
    text("citations[]", "URLs of the pages that the answer uses.", nullable, drawn);
inline constexpr Member k_output_files =
    list("output_files[]", k_output_file, "Files made during the answer.", nullable);

inline constexpr std::array k_members = {
    text("id", "ID of the answer.", details, required),
    text("object", "Always chat.completion.", required, hidden("It is the same for every answer.")),
    text("model", "Model that answered.", details, required),
    unix_time("created", "Time of the answer.", details, required),
    list("choices[]", k_choice, "The answers.", required),
    k_citations,
    k_output_files,
    text("service_tier", "Tier that processed the request.", choices(k_service_tiers), details,
         required),
    text("system_fingerprint", "Changes with the backend's configuration.", nullable, details),
    object("usage", k_usage, "Tokens and cost."),
    text("request_id", "ID to fetch a deferred answer with, instead of all other members.", drawn),
};
inline constexpr Shape k_completion{"ChatCompletion", k_members};

inline constexpr std::array k_delta_members = {
    text("role", "Who speaks: assistant, in the first chunk."),
    text("content", "The next piece of the text.", nullable),
    text("reasoning_content", "The next piece of the reasoning.", nullable),
    text("refusal", "The next piece of a refusal.", nullable),
    list("tool_calls[]", k_tool_call, "Calls, or pieces of calls with the same index.", nullable),
    json("images[]", "Images of the answer."),
};
inline constexpr Shape k_delta{"ChatDelta", k_delta_members};

inline constexpr std::array k_chunk_choice_members = {
    integer("index", "Position among the answers.", required),
    object("delta", k_delta, "What is new since the last chunk.", required),
    k_finish_reason,
    object("logprobs", k_logprobs, "Log probabilities of the new tokens.", nullable),
};
inline constexpr Shape k_chunk_choice{"ChatChunkChoice", k_chunk_choice_members};

inline constexpr std::array k_chunk = {
    text("id", "The same in all chunks."),
    text("object", "Always chat.completion.chunk."),
    unix_time("created", "Time at which the answer began."),
    text("model", "Model that answers."),
    text("system_fingerprint", "Changes with the backend's configuration.", nullable),
    list("choices[]", k_chunk_choice, "Empty in the chunk that has the usage."),
    object("usage", k_usage, "In the last chunks only.", nullable),
    k_citations,
    k_output_files,
    text("service_tier", "Tier that processes the request.", choices(k_service_tiers)),
    json("code", "Class of the error that ends the stream."),
    text_or_object("error", k_error_detail, "The error that ends the stream."),
};
inline constexpr std::array k_events = {
    event("", k_chunk, "A piece of the answer; the last one is followed by [DONE]."),
};

}  // namespace svc::catalogue::answer::chat
