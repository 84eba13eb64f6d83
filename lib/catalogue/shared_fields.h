// Fields that several operations share.
#pragma once

#include <array>

#include "catalogue/builders.h"

namespace svc::catalogue {

inline constexpr std::array<sv, 3> k_search_modes = {"off", "on", "auto"};
inline constexpr std::array<sv, 4> k_service_tiers = {"default", "priority", "auto", "fast"};
inline constexpr std::array<sv, 4> k_efforts = {"none", "low", "medium", "high"};
inline constexpr std::array<sv, 3> k_tool_choices = {"none", "auto", "required"};
inline constexpr std::array<sv, 2> k_orders = {"asc", "desc"};

/// Live search: `search_parameters` of POST /v1/chat/completions.
inline constexpr std::array k_search_fields = {
    text("search_parameters.mode", "When to search for sources.", choices(k_search_modes),
         fallback("on"), example("auto")),
    json("search_parameters.sources",
         "Source to search, as a JSON object with type web, x, news or rss.", repeated,
         fallback("web and X"), example(R"({"type":"web","country":"NO"})")),
    text("search_parameters.from_date", "Use only sources from this date on (YYYY-MM-DD).",
         form(TextFormat::Day), example("2026-01-01")),
    text("search_parameters.to_date", "Use only sources up to this date (YYYY-MM-DD).",
         form(TextFormat::Day), example("2026-01-31")),
    integer("search_parameters.max_search_results", "Use at most N sources.",
            range(1, 30, "sources"), fallback("15"), example("5")),
    boolean("search_parameters.return_citations", "Return the URLs of the sources used.",
            example("true")),
};

inline constexpr std::array k_search_rules = {
    ordered("search-parameters-from-date", "search-parameters-to-date",
            "The start date must not be after the end date."),
};

/// What the service ignores, or advises against, but accepts.
inline constexpr sv k_ignore_logprobs = "model=svc-4.2*|svc-4.3*|svc-4.5*|svc-4.6*|svc-4.7*";
inline constexpr std::array k_sampling_rules = {
    warns("logprobs", k_ignore_logprobs, "ignored by svc-4.20 and newer models."),
    warns("temperature", "top-p", "change one of them, not both."),
};

/// Waiting for a remote job.
inline constexpr std::array k_wait_fields = {
    boolean("wait", "Wait for the job to finish.", local, common),
    duration("poll-interval", "Poll at this interval (default: 1s, growing).", local,
             example("5s")),
    duration("wait-timeout", "Stop waiting after this time; the job continues.", local,
             example("10m")),
};

/// The same for a command that waits unless told otherwise.
constexpr std::array<Field, 3> waiting_fields(sv help) {
  return {with(k_wait_fields[0], says(help), fallback("true")), k_wait_fields[1], k_wait_fields[2]};
}

/// Prompt, messages and attachments.
inline constexpr Field k_message_field =
    text("message",
         "Add a message, in order, as ROLE:TEXT; ROLE is system, developer, user or assistant.",
         composed, repeated, common, file_text, example("user:Hello"));
inline constexpr Field k_deferred_id_field =
    path_parameter("request-id", "Request ID printed on submission.", common,
                   example("00000000-0000-0000-0000-000000000000"));
inline constexpr Field k_include_usage_field = boolean(
    "stream_options.include_usage", "End a stream with token counts; on by default.", demanded);
inline constexpr Field k_stop_field =
    text("stop", "Stop the answer before this text; not for reasoning models.", repeated,
         max_count(4), example("END"));
inline constexpr Field k_seed_field =
    integer("seed", "Seed for (mostly) repeatable sampling.", example("7"));
inline constexpr Field k_logit_bias_field =
    json("logit-bias", "Bias per token ID, as a JSON object with values from -100 to 100.",
         unsupported, range(-100, 100), example(R"({"1734":-100})"));
inline constexpr Field k_messages_field = json(
    "messages", "Messages as JSON objects or an array of them; messages from other flags follow.",
    repeated, example(R"({"role":"user","content":"Hello"})"));
inline constexpr Field k_chat_prompt_field =
    text("prompt", "The prompt.", typed("; piped or redirected standard input is appended"),
         composed, positional, common, file_text, example("Hello"));
inline constexpr Field k_user_field =
    text("user", "End-user ID, for abuse monitoring.", example("u-17"));
inline constexpr Field k_image_field =
    media("image", "Attach an image.",
          typed(": a path, URL, data: URL, file ID, or - for standard input"), repeated, common,
          example("https://example.com/cat.png"));
inline constexpr Field k_file_field =
    media("file", "Attach a file: a path, URL or file ID.", repeated, common, example("file_0001"));
inline constexpr std::array k_attachment_fields = {k_image_field, k_file_field};

inline constexpr Field k_model_field =
    text("model", "Model to use.", common, letter('m'), fallback("the profile's, or svc-4.5"),
         example("svc-4.5"), completes("language-models"));
inline constexpr std::array k_model_fields = {k_model_field};

inline constexpr Field k_temperature_field =
    number("temperature", "Sampling temperature.", common, range(0, 2), example("0.2"));
inline constexpr Field k_top_p_field =
    number("top-p", "Nucleus sampling; change this or the temperature, not both.", range(0, 1),
           example("0.9"));
inline constexpr Field k_stream_field =
    boolean("stream", "Stream the answer; on by default for text and jsonl output.");

/// Fields that chat and responses share.
inline constexpr std::array k_sampling_fields = {
    k_temperature_field,
    k_top_p_field,
    boolean("logprobs", "Return log probabilities of output tokens; svc-4.20 and newer ignore it."),
    integer("top-logprobs", "Return the N likeliest tokens per position; needs --logprobs.",
            range(0, 8, "tokens"), example("2")),
    boolean("parallel-tool-calls", "Allow several tool calls in one answer."),
    text("prompt-cache-key", "Key that lets requests with a common prefix share a cache.",
         example("report-7")),
    text("service-tier", "Scheduling and billing tier.", choices(k_service_tiers),
         fallback("default"), example("priority")),
    k_user_field,
    k_stream_field,
};

// Paging as in most lists of the service, and the flags of every paged list.

/// `unique`: a field with unique values; `all_by_default`: show all items without --limit.
constexpr Paging token_pages(std::uint32_t max_page = 100, sv unique = {},
                             bool all_by_default = false) {
  return Paging{.limit_param = "limit",
                .token_param = "pagination_token",
                .token_path = "pagination_token",
                .unique = unique,
                .max_page = max_page,
                .all_by_default = all_by_default};
}

/// The flags for the number of items and the page size, which is at most `max_page`.
constexpr std::array<Field, 4> paging_fields(std::uint32_t max_page = 100) {
  return {
      integer("limit", "Show at most N items.", local, common, letter('n'), at_least(1, "items"),
              fallback("100"), example("20")),
      boolean("all", "Show all items, from all pages.", local, common),
      integer("page-size", "Fetch N items per page.", local,
              range(1, static_cast<double>(max_page), "items"), example("50")),
      text("pagination-token", "Start at the page token from an earlier response.", local,
           example("abc")),
  };
}
inline constexpr auto k_page_fields = paging_fields();

}  // namespace svc::catalogue
