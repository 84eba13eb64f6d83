// Fields of the commands that send many requests from a file.
#pragma once

#include <array>

#include "catalogue/model.h"

namespace svc::catalogue {

inline constexpr Field k_column_field{
    .flag = "column",
    .in = In::Local,
    .help = "Column of the table that holds the prompt, by name or number (default: the first).",
    .example = "question"};

inline constexpr Field k_id_column_field{.flag = "id-column",
                                         .in = In::Local,
                                         .help = "Column of the table that holds the request id.",
                                         .example = "key"};

inline constexpr std::array<sv, 4> k_input_forms = {"jsonl", "txt", "csv", "tsv"};
inline constexpr Field k_input_form_field{
    .flag = "input-form",
    .in = In::Local,
    .help = "Format of the input (default: by the file name's extension).",
    .choices = k_input_forms,
    .example = "jsonl"};

inline constexpr std::array<sv, 2> k_result_orders = {"input", "arrival"};
inline constexpr Field k_order_field{
    .flag = "order",
    .in = In::Local,
    .help = "Order of the results: as in the input, or as they arrive.",
    .common = true,
    .choices = k_result_orders,
    .fallback = "input",
    .example = "arrival"};

inline constexpr Field k_skip_invalid_field{
    .flag = "skip-invalid",
    .kind = Kind::Boolean,
    .in = In::Local,
    .help = "Skip invalid lines, and requests that the service refuses.",
    .common = true};

inline constexpr Field k_retry_failed_field{
    .flag = "retry-failed",
    .kind = Kind::Boolean,
    .in = In::Local,
    .help = "Send the failed and unknown requests of a finished run again.",
    .common = true};

inline constexpr Field k_restart_field{
    .flag = "restart",
    .kind = Kind::Boolean,
    .in = In::Local,
    .help = "Start over: forget what was sent before and send every request.",
    .common = true};

inline constexpr Field k_with_input_field{.flag = "with-input",
                                          .kind = Kind::Boolean,
                                          .in = In::Local,
                                          .help = "Include the request in each result."};

inline constexpr Field k_journal_field{
    .flag = "journal",
    .kind = Kind::File,
    .in = In::Local,
    .help = "File that records the run's progress (default: beside the input).",
    .example = "run.journal"};

/// Of a table or prompts.
inline constexpr std::array k_bulk_fields = {
    k_column_field,       k_id_column_field,    k_input_form_field,
    k_skip_invalid_field, k_retry_failed_field, k_restart_field,
    k_order_field,        k_with_input_field,   k_journal_field};

inline constexpr Rule k_restart_rule{RuleKind::Excludes, "restart", "retry-failed",
                                     "--restart sends every request, not just the failed ones."};

}  // namespace svc::catalogue
