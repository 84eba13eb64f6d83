// The answers of the group legacy.
#pragma once

#include "catalogue/shared_answers.h"

namespace svc::catalogue::answer::legacy {

// Completions -------------------------------------------------------------------------------------

inline constexpr std::array<sv, 2> k_finish_reasons = {"stop", "length"};
inline constexpr std::array k_choice_members = {
    integer("index", "Position among the answers.", required, drawn),
    text("text", "The answer, or its next piece.", required, drawn),
    text("finish_reason", "Why the answer ended.", choices(k_finish_reasons), nullable, details),
    json("logprobs", "Log probabilities, in a form of this operation.", nullable, details),
};
inline constexpr Shape k_choice{"TextChoice", k_choice_members};

inline constexpr std::array k_completion = {
    text("id", "ID of the answer.", details, required),
    text("object", "Always text_completion.", required, hidden("It is the same for every answer.")),
    text("model", "Model that answered.", details, required),
    unix_time("created", "Time of the answer.", details, required),
    list("choices[]", k_choice, "The answers.", required),
    text("system_fingerprint", "Changes with the backend's configuration.", nullable, details),
    object("usage", k_usage, "Tokens and cost.", nullable),
};
inline constexpr std::array k_completion_events = {
    event("", k_completion, "A piece of the answer; the last one is followed by [DONE]."),
};

// Messages ----------------------------------------------------------------------------------------

inline constexpr std::array k_text_members = {
    text("text", "A part of the answer.", required, drawn)};
inline constexpr std::array k_thinking_members = {
    text("thinking", "The reasoning before the answer.", required, drawn),
    text("signature", "Proof of its origin, to be sent back.",
         hidden("Only the service can read it.")),
};
inline constexpr std::array k_redacted_members = {
    text("data", "Encrypted reasoning, to be sent back.", required,
         hidden("Only the service can read it.")),
};
inline constexpr std::array k_tool_use_members = {
    text("id", "ID that the result must name.", label("Call IDs"), required),
    text("name", "Name of the function.", required, drawn),
    json("input", "The arguments.", required, drawn),
};
inline constexpr std::array k_block_variants = {
    variant("text", k_text_members),
    variant("thinking", k_thinking_members),
    variant("redacted_thinking", k_redacted_members),
    variant("tool_use", k_tool_use_members, "A function that the client must run."),
};
inline constexpr std::array k_block_members = {text("type", "What the block is.", required, drawn)};
inline constexpr Shape k_block{"MessageBlock", k_block_members, "type", k_block_variants};

inline constexpr std::array k_message_usage_members = {
    count("input_tokens", "Tokens of the input.", label("Tokens in"), drawn),
    count("output_tokens", "Tokens of the answer.", label("Tokens out"), drawn),
    tally("cache_read_input_tokens", "Tokens read from the cache.", drawn),
    tally("cache_creation_input_tokens", "Unsupported by the service.",
          label("Cached tokens written"), details),
};
inline constexpr Shape k_message_usage{"MessageUsage", k_message_usage_members};

inline constexpr std::array<sv, 4> k_stop_reasons = {"end_turn", "max_tokens", "stop_sequence",
                                                     "tool_use"};
inline constexpr Member k_stop_reason =
    text("stop_reason", "Why the answer ended.", choices(k_stop_reasons), nullable, details);
inline constexpr Member k_stop_sequence =
    text("stop_sequence", "The text that ended it.", nullable, details);
inline constexpr std::array k_message = {
    text("id", "ID of the answer.", details),
    text("type", "Always message.", hidden("It is the same for every answer.")),
    text("role", "Always assistant.", hidden("It is the same for every answer.")),
    text("model", "Model that answered.", details),
    list("content[]", k_block, "The answer."),
    k_stop_reason,
    k_stop_sequence,
    object("usage", k_message_usage, "Tokens of input and answer."),
};
inline constexpr Shape k_message_shape{"MessageAnswer", k_message};

inline constexpr std::array k_text_delta_members = {
    text("text", "The next piece of the answer.", required)};
inline constexpr std::array k_json_delta_members = {
    text("partial_json", "The next piece of the arguments.", required),
};
inline constexpr std::array k_thinking_delta_members = {
    text("thinking", "The next piece of the reasoning.", required)};
inline constexpr std::array k_signature_delta_members = {
    text("signature", "The next piece of the proof of origin.", required)};
inline constexpr std::array k_delta_variants = {
    variant("text_delta", k_text_delta_members),
    variant("input_json_delta", k_json_delta_members),
    variant("thinking_delta", k_thinking_delta_members),
    variant("signature_delta", k_signature_delta_members),
};
inline constexpr Shape k_delta{"MessageDelta", k_block_members, "type", k_delta_variants};

inline constexpr Member k_index = integer("index", "Position of the block.", required);
inline constexpr std::array k_started = {
    object("message", k_message_shape, "The message, still without content.", required)};
inline constexpr std::array k_block_started = {
    k_index, object("content_block", k_block, "The block, still without content.", required)};
inline constexpr std::array k_block_changed = {
    k_index, object("delta", k_delta, "What is new in the block.", required)};
inline constexpr std::array k_block_stopped = {k_index};
inline constexpr std::array k_delta_of_message = {k_stop_reason, k_stop_sequence};
inline constexpr Shape k_message_end{"MessageEnd", k_delta_of_message};
inline constexpr std::array k_changed = {
    object("delta", k_message_end, "Why the message ended.", required),
    object("usage", k_message_usage, "Tokens of input and answer."),
};
inline constexpr std::array k_failed = {
    object("error", k_error_detail, "What went wrong.", required)};
inline constexpr std::array k_message_events = {
    event("message_start", k_started, "The message, still without content."),
    event("content_block_start", k_block_started),
    event("content_block_delta", k_block_changed, "The next piece of a block."),
    event("content_block_stop", k_block_stopped),
    event("message_delta", k_changed, "Why the message ended, and its usage."),
    event("message_stop", {}, "The end."),
    event("ping", {}, "Keeps the connection open."),
    event("error", k_failed, "The end, with what went wrong."),
};

// Complete ----------------------------------------------------------------------------------------

inline constexpr std::array k_complete = {
    text("id", "ID of the answer.", details),
    text("type", "Always completion.", hidden("It is the same for every answer.")),
    text("model", "Model that answered.", details),
    text("completion", "The answer.", drawn),
    k_stop_reason,
};

}  // namespace svc::catalogue::answer::legacy
