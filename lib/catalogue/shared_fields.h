// Fields that several operations share.
#pragma once

#include <array>

#include "catalogue/model.h"

namespace svc::catalogue {

inline constexpr std::array<sv, 3> k_search_modes = {"off", "on", "auto"};
inline constexpr std::array<sv, 4> k_service_tiers = {"default", "priority", "auto", "fast"};
inline constexpr std::array<sv, 4> k_efforts = {"none", "low", "medium", "high"};
inline constexpr std::array<sv, 3> k_tool_choices = {"none", "auto", "required"};
inline constexpr std::array<sv, 2> k_orders = {"asc", "desc"};

/// api 1 §2.8.
inline constexpr std::array<Field, 6> k_search_fields = {
    Field{.flag = "search-parameters-mode",
          .path = "search_parameters.mode",
          .help = "When to search for sources.",
          .choices = k_search_modes,
          .fallback = "on",
          .example = "auto"},
    Field{.flag = "search-parameters-sources",
          .path = "search_parameters.sources",
          .kind = Kind::Json,
          .help = "A source to search, as a JSON object with a type of web, x, news or rss.",
          .repeated = true,
          .fallback = "web and X",
          .example = R"({"type":"web","country":"NO"})"},
    Field{.flag = "search-parameters-from-date",
          .path = "search_parameters.from_date",
          .help = "Use only sources from this day on, as YYYY-MM-DD.",
          .example = "2026-01-01"},
    Field{.flag = "search-parameters-to-date",
          .path = "search_parameters.to_date",
          .help = "Use only sources up to this day, as YYYY-MM-DD.",
          .example = "2026-01-31"},
    Field{.flag = "search-parameters-max-search-results",
          .path = "search_parameters.max_search_results",
          .kind = Kind::Integer,
          .help = "Use at most this many sources.",
          .range = Range{1, 30, "sources"},
          .fallback = "15",
          .example = "5"},
    Field{.flag = "search-parameters-return-citations",
          .path = "search_parameters.return_citations",
          .kind = Kind::Boolean,
          .help = "Return the addresses of the sources used.",
          .example = "true"},
};

/// Waiting for a remote job (design §6).
inline constexpr std::array<Field, 3> k_wait_fields = {
    Field{.flag = "wait",
          .path = "",
          .kind = Kind::Boolean,
          .in = In::Local,
          .help = "Wait until the remote job has ended.",
          .common = true},
    Field{.flag = "poll-interval",
          .path = "",
          .kind = Kind::Duration,
          .in = In::Local,
          .help =
              "Ask again after this time, such as 5s; by itself it starts at one second and grows.",
          .example = "5s"},
    Field{.flag = "wait-timeout",
          .path = "",
          .kind = Kind::Duration,
          .in = In::Local,
          .help = "Stop waiting after this time; the remote job goes on.",
          .example = "10m"},
};

/// Lists in pages (design §6).
inline constexpr std::array<Field, 4> k_paging_fields = {
    Field{.flag = "limit",
          .path = "",
          .kind = Kind::Integer,
          .in = In::Local,
          .help = "Show at most this many items in all.",
          .common = true,
          .range = Range{1, k_no_max, "items"},
          .fallback = "100",
          .example = "20"},
    Field{.flag = "all",
          .path = "",
          .kind = Kind::Boolean,
          .in = In::Local,
          .help = "Show every item, however many pages that takes.",
          .common = true},
    Field{.flag = "page-size",
          .path = "",
          .kind = Kind::Integer,
          .in = In::Local,
          .help = "Fetch this many items at a time.",
          .range = Range{1, 1000, "items"},
          .example = "50"},
    Field{.flag = "pagination-token",
          .path = "",
          .in = In::Local,
          .help = "Begin at the page that this token of an earlier answer names.",
          .example = "abc"},
};

/// Text and attachments that become messages.
inline constexpr Field k_message_field{.flag = "message",
                                       .path = "",
                                       .in = In::Compose,
                                       .help =
                                           "A message as role:text, with role system, developer, "
                                           "user or assistant; in the order given.",
                                       .repeated = true,
                                       .common = true,
                                       .file_text = true,
                                       .example = "user:Hello"};
inline constexpr Field k_deferred_id_field{.flag = "request-id",
                                           .path = "request_id",
                                           .in = In::Path,
                                           .help = "The id that a deferred request printed.",
                                           .required = true,
                                           .positional = true,
                                           .common = true,
                                           .example = "00000000-0000-0000-0000-000000000000"};
inline constexpr Field k_include_usage_field{
    .flag = "stream-options-include-usage",
    .path = "stream_options.include_usage",
    .kind = Kind::Boolean,
    .help = "End a stream with the token counts; on by itself when the tool chose to stream."};
inline constexpr Field k_stop_field{
    .flag = "stop",
    .path = "stop",
    .help = "End the answer before this text; not for reasoning models.",
    .repeated = true,
    .max_count = 4,
    .example = "END"};
inline constexpr Field k_seed_field{.flag = "seed",
                                    .path = "seed",
                                    .kind = Kind::Integer,
                                    .help = "Sample as deterministically as the service can.",
                                    .example = "7"};
inline constexpr Field k_logit_bias_field{
    .flag = "logit-bias",
    .path = "logit_bias",
    .kind = Kind::Json,
    .help = "Bias per token id, as a JSON object with values from -100 to 100.",
    .example = R"({"1734":-100})",
    .status = Status::Unsupported};
inline constexpr Field k_messages_field{
    .flag = "messages",
    .path = "messages",
    .kind = Kind::Json,
    .help =
        "Messages as JSON objects or an array of them; what the other flags give comes "
        "after them.",
    .repeated = true,
    .example = R"({"role":"user","content":"Hello"})"};
inline constexpr Field k_chat_prompt_field{
    .flag = "prompt",
    .path = "",
    .in = In::Compose,
    .help = "What to say to the model; standard input is appended when it is a pipe or a file.",
    .positional = true,
    .common = true,
    .file_text = true,
    .example = "Hello"};
inline constexpr Field k_user_field{.flag = "user",
                                    .path = "user",
                                    .help = "Your end user's id, for abuse monitoring.",
                                    .example = "u-17"};
inline constexpr Field k_image_field{.flag = "image",
                                     .path = "",
                                     .kind = Kind::Media,
                                     .in = In::Compose,
                                     .help =
                                         "An image beside the prompt: a path, a URL, a data: URL, "
                                         "a file id or - for standard input.",
                                     .repeated = true,
                                     .common = true,
                                     .example = "https://example.com/cat.png"};
inline constexpr Field k_file_field{.flag = "file",
                                    .path = "",
                                    .kind = Kind::Media,
                                    .in = In::Compose,
                                    .help = "A file beside the prompt: a path, a URL or a file id.",
                                    .repeated = true,
                                    .common = true,
                                    .example = "file_0001"};

inline constexpr Field k_model_field{.flag = "model",
                                     .path = "model",
                                     .help = "The model to use.",
                                     .letter = 'm',
                                     .common = true,
                                     .fallback = "the profile's, else svc-4.5",
                                     .example = "svc-4.5",
                                     .completes = "language-models"};

/// Members that chat and responses have alike (api 1 §2.1, §2.2).
inline constexpr std::array<Field, 9> k_sampling_fields = {
    Field{.flag = "temperature",
          .path = "temperature",
          .kind = Kind::Number,
          .help = "Sampling temperature.",
          .common = true,
          .range = Range{0, 2},
          .example = "0.2"},
    Field{.flag = "top-p",
          .path = "top_p",
          .kind = Kind::Number,
          .help = "Nucleus sampling; change this or the temperature, not both.",
          .range = Range{0, 1},
          .example = "0.9"},
    Field{.flag = "logprobs",
          .path = "logprobs",
          .kind = Kind::Boolean,
          .help = "Return log probabilities of output tokens; svc-4.20 and newer ignore it."},
    Field{.flag = "top-logprobs",
          .path = "top_logprobs",
          .kind = Kind::Integer,
          .help = "Return this many likeliest tokens at each place; needs --logprobs.",
          .range = Range{0, 8, "tokens"},
          .example = "2"},
    Field{.flag = "parallel-tool-calls",
          .path = "parallel_tool_calls",
          .kind = Kind::Boolean,
          .help = "Allow several tool calls in one answer."},
    Field{.flag = "prompt-cache-key",
          .path = "prompt_cache_key",
          .help = "A stable key that lets requests with the same beginning share a cache.",
          .example = "report-7"},
    Field{.flag = "service-tier",
          .path = "service_tier",
          .help = "Scheduling and billing tier.",
          .choices = k_service_tiers,
          .fallback = "default",
          .example = "priority"},
    k_user_field,
    Field{.flag = "stream",
          .path = "stream",
          .kind = Kind::Boolean,
          .help = "Receive the answer while it is made; on by itself for text and jsonl output."},
};

}  // namespace svc::catalogue
