// The details of a model's answer that --verbose prints.
#pragma once

#include <array>

#include "catalogue/builders.h"
#include "catalogue/check.h"

namespace svc::catalogue {

/// The number of server-side tool calls, by tool.
inline constexpr std::array k_server_tool_columns = {
    Column{"Web searches", "usage.server_side_tool_usage_details.web_search_calls", Cell::Tally},
    Column{"X searches", "usage.server_side_tool_usage_details.x_search_calls", Cell::Tally},
    Column{"Code runs", "usage.server_side_tool_usage_details.code_interpreter_calls", Cell::Tally},
    Column{"File searches", "usage.server_side_tool_usage_details.file_search_calls", Cell::Tally},
    Column{"Document searches", "usage.server_side_tool_usage_details.document_search_calls",
           Cell::Tally},
    Column{"MCP calls", "usage.server_side_tool_usage_details.mcp_calls", Cell::Tally},
    Column{"Images generated", "usage.server_side_tool_usage_details.image_generation_calls",
           Cell::Tally},
};

/// The answer's ID, model and other metadata.
inline constexpr auto k_chat_columns = concat(
    std::array{
        Column{"ID", "id"}, Column{"Model", "model"}, Column{"Created", "created", Cell::UnixTime},
        Column{"Finish reason", "choices.finish_reason", Cell::List},
        Column{"Service tier", "service_tier"}, Column{"System fingerprint", "system_fingerprint"},
        Column{"Total tokens", "usage.total_tokens", Cell::Tally},
        Column{"Text tokens in", "usage.prompt_tokens_details.text_tokens", Cell::Tally},
        Column{"Image tokens in", "usage.prompt_tokens_details.image_tokens", Cell::Tally},
        Column{"Audio tokens in", "usage.prompt_tokens_details.audio_tokens", Cell::Tally},
        Column{"Audio tokens out", "usage.completion_tokens_details.audio_tokens", Cell::Tally},
        Column{"Accepted prediction tokens",
               "usage.completion_tokens_details.accepted_prediction_tokens", Cell::Tally},
        Column{"Rejected prediction tokens",
               "usage.completion_tokens_details.rejected_prediction_tokens", Cell::Tally}},
    k_server_tool_columns);

/// One row per token of the answer, with its most likely alternatives.
inline constexpr std::array k_logprob_columns = {
    Column{"TOKEN", "token"},
    Column{"LOGPROB", "logprob", Cell::Count},
    Column{"ALTERNATIVES", "top_logprobs.token", Cell::List},
    Column{"ALTERNATIVE LOGPROBS", "top_logprobs.logprob", Cell::List},
    Column{"BYTES", "bytes", Cell::List},
};
inline constexpr std::array k_chat_details = {
    Section{"", k_chat_columns},
    Section{"choices.logprobs.content", k_logprob_columns},
};

inline constexpr auto k_response_columns = concat(
    std::array{Column{"ID", "id"},
               Column{"Model", "model"},
               Column{"Status", "status"},
               Column{"Incomplete", "incomplete_details.reason"},
               Column{"Error", "error.message"},
               Column{"Error code", "error.code"},
               Column{"Created", "created_at", Cell::UnixTime},
               Column{"Completed", "completed_at", Cell::UnixTime},
               Column{"Stored", "store"},
               Column{"Previous response", "previous_response_id"},
               Column{"Service tier", "service_tier"},
               Column{"Reasoning effort", "reasoning.effort"},
               Column{"Reasoning summary", "reasoning.summary"},
               Column{"Instructions", "instructions"},
               Column{"Text format", "text.format.type"},
               Column{"Tools", "tools.type", Cell::List},
               Column{"Tool choice", "tool_choice.name|tool_choice"},
               Column{"Parallel tool calls", "parallel_tool_calls"},
               Column{"Max tool calls", "max_tool_calls"},
               Column{"Max output tokens", "max_output_tokens"},
               Column{"Temperature", "temperature"},
               Column{"Top p", "top_p"},
               Column{"Top logprobs", "top_logprobs", Cell::Tally},
               Column{"Frequency penalty", "frequency_penalty", Cell::Tally},
               Column{"Presence penalty", "presence_penalty", Cell::Tally},
               Column{"Truncation", "truncation"},
               Column{"Background", "background", Cell::Tally},
               Column{"Metadata", "metadata", Cell::Tally},
               Column{"Prompt cache key", "prompt_cache_key"},
               Column{"Safety identifier", "safety_identifier"},
               Column{"User", "user"},
               Column{"Total tokens", "usage.total_tokens", Cell::Tally},
               Column{"Context tokens in", "usage.context_details.input_tokens", Cell::Tally},
               Column{"Context tokens out", "usage.context_details.output_tokens", Cell::Tally},
               Column{"Tools used", "usage.num_server_side_tools_used", Cell::Tally}},
    k_server_tool_columns);
inline constexpr std::array k_citation_columns = {
    Column{"URL", "url"},
    Column{"TITLE", "title"},
    Column{"FROM", "start_index", Cell::Count},
    Column{"TO", "end_index", Cell::Count},
};
inline constexpr std::array k_response_details = {
    Section{"", k_response_columns},
    Section{"output.content.annotations", k_citation_columns},
    Section{"output.content.logprobs", k_logprob_columns},
};

/// For the two operations in another API's format.
inline constexpr std::array k_message_columns = {
    Column{"ID", "id"},
    Column{"Model", "model"},
    Column{"Stop reason", "stop_reason"},
    Column{"Stop sequence", "stop_sequence"},
    Column{"Cached tokens written", "usage.cache_creation_input_tokens", Cell::Tally},
};

}  // namespace svc::catalogue
