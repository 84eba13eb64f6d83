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

/// Live search: `search_parameters` of POST /v1/chat/completions.
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
          .help = "Source to search, as a JSON object with type web, x, news or rss.",
          .repeated = true,
          .fallback = "web and X",
          .example = R"({"type":"web","country":"NO"})"},
    Field{.flag = "search-parameters-from-date",
          .path = "search_parameters.from_date",
          .help = "Use only sources from this date on (YYYY-MM-DD).",
          .form = TextForm::Day,
          .example = "2026-01-01"},
    Field{.flag = "search-parameters-to-date",
          .path = "search_parameters.to_date",
          .help = "Use only sources up to this date (YYYY-MM-DD).",
          .form = TextForm::Day,
          .example = "2026-01-31"},
    Field{.flag = "search-parameters-max-search-results",
          .path = "search_parameters.max_search_results",
          .kind = Kind::Integer,
          .help = "Use at most N sources.",
          .range = Range{1, 30, "sources"},
          .fallback = "15",
          .example = "5"},
    Field{.flag = "search-parameters-return-citations",
          .path = "search_parameters.return_citations",
          .kind = Kind::Boolean,
          .help = "Return the URLs of the sources used.",
          .example = "true"},
};

inline constexpr std::array<Rule, 1> k_search_rules = {
    Rule{RuleKind::Ordered, "search-parameters-from-date", "search-parameters-to-date",
         "A search goes from the earlier day to the later one."},
};

/// Waiting for a remote job.
inline constexpr std::array<Field, 3> k_wait_fields = {
    Field{.flag = "wait",
          .kind = Kind::Boolean,
          .in = In::Local,
          .help = "Wait for the job to finish.",
          .common = true},
    Field{.flag = "poll-interval",
          .kind = Kind::Duration,
          .in = In::Local,
          .help = "Poll at this interval, such as 5s; by default 1s, then longer.",
          .example = "5s"},
    Field{.flag = "wait-timeout",
          .kind = Kind::Duration,
          .in = In::Local,
          .help = "Stop waiting after this time; the job continues.",
          .example = "10m"},
};

/// Text and attachments that become messages.
inline constexpr Field k_message_field{
    .flag = "message",
    .in = In::Compose,
    .help = "Add a message, in order, as ROLE:TEXT; ROLE is system, developer, user or assistant.",
    .repeated = true,
    .common = true,
    .file_text = true,
    .example = "user:Hello"};
inline constexpr Field k_deferred_id_field{.flag = "request-id",
                                           .in = In::Path,
                                           .help = "Request ID printed on submission.",
                                           .required = true,
                                           .positional = true,
                                           .common = true,
                                           .example = "00000000-0000-0000-0000-000000000000"};
inline constexpr Field k_include_usage_field{
    .flag = "stream-options-include-usage",
    .path = "stream_options.include_usage",
    .kind = Kind::Boolean,
    .help = "End a stream with token counts; on by default."};
inline constexpr Field k_stop_field{
    .flag = "stop",
    .help = "Stop the answer before this text; not for reasoning models.",
    .repeated = true,
    .max_count = 4,
    .example = "END"};
inline constexpr Field k_seed_field{.flag = "seed",
                                    .kind = Kind::Integer,
                                    .help = "Seed for (mostly) repeatable sampling.",
                                    .example = "7"};
inline constexpr Field k_logit_bias_field{
    .flag = "logit-bias",
    .kind = Kind::Json,
    .help = "Bias per token ID, as a JSON object with values from -100 to 100.",
    .example = R"({"1734":-100})",
    .status = Status::Unsupported};
inline constexpr Field k_messages_field{
    .flag = "messages",
    .kind = Kind::Json,
    .help = "Messages as JSON objects or an array of them; messages from other flags follow.",
    .repeated = true,
    .example = R"({"role":"user","content":"Hello"})"};
inline constexpr Field k_chat_prompt_field{
    .flag = "prompt",
    .in = In::Compose,
    .help = "The prompt; piped or redirected standard input is appended.",
    .positional = true,
    .common = true,
    .file_text = true,
    .example = "Hello"};
inline constexpr Field k_user_field{
    .flag = "user", .help = "End-user ID, for abuse monitoring.", .example = "u-17"};
inline constexpr Field k_image_field{
    .flag = "image",
    .kind = Kind::Media,
    .in = In::Compose,
    .help = "Attach an image: a path, URL, data: URL, file ID, or - for standard input.",
    .repeated = true,
    .common = true,
    .example = "https://example.com/cat.png"};
inline constexpr Field k_file_field{.flag = "file",
                                    .kind = Kind::Media,
                                    .in = In::Compose,
                                    .help = "Attach a file: a path, URL or file ID.",
                                    .repeated = true,
                                    .common = true,
                                    .example = "file_0001"};

inline constexpr Field k_model_field{.flag = "model",
                                     .help = "Model to use.",
                                     .letter = 'm',
                                     .common = true,
                                     .fallback = "the profile's, else svc-4.5",
                                     .example = "svc-4.5",
                                     .completes = "language-models"};

/// Members that chat and responses have alike.
inline constexpr std::array<Field, 9> k_sampling_fields = {
    Field{.flag = "temperature",
          .kind = Kind::Number,
          .help = "Sampling temperature.",
          .common = true,
          .range = Range{0, 2},
          .example = "0.2"},
    Field{.flag = "top-p",
          .kind = Kind::Number,
          .help = "Nucleus sampling; change this or the temperature, not both.",
          .range = Range{0, 1},
          .example = "0.9"},
    Field{.flag = "logprobs",
          .kind = Kind::Boolean,
          .help = "Return log probabilities of output tokens; svc-4.20 and newer ignore it."},
    Field{.flag = "top-logprobs",
          .kind = Kind::Integer,
          .help = "Return the N likeliest tokens per position; needs --logprobs.",
          .range = Range{0, 8, "tokens"},
          .example = "2"},
    Field{.flag = "parallel-tool-calls",
          .kind = Kind::Boolean,
          .help = "Allow several tool calls in one answer."},
    Field{.flag = "prompt-cache-key",
          .help = "Key that lets requests with a common prefix share a cache.",
          .example = "report-7"},
    Field{.flag = "service-tier",
          .help = "Scheduling and billing tier.",
          .choices = k_service_tiers,
          .fallback = "default",
          .example = "priority"},
    k_user_field,
    Field{.flag = "stream",
          .kind = Kind::Boolean,
          .help = "Stream the answer; on by default for text and jsonl output."},
};

}  // namespace svc::catalogue
