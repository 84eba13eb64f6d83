// Fields of the commands that send many requests from a file.
#pragma once

#include <array>

#include "catalogue/model.h"

namespace svc::catalogue {

inline constexpr Field k_column_field{
    .flag = "column",
    .path = "",
    .in = In::Local,
    .help = "The column of a table that holds the prompt, by name or number.",
    .example = "question"};

inline constexpr Field k_id_column_field{.flag = "id-column",
                                         .path = "",
                                         .in = In::Local,
                                         .help = "The column of a table that holds the id.",
                                         .example = "key"};

inline constexpr std::array<sv, 4> k_input_forms = {"jsonl", "txt", "csv", "tsv"};
inline constexpr Field k_input_form_field{
    .flag = "input-form",
    .path = "",
    .in = In::Local,
    .help = "What the input is; by itself its name's end tells.",
    .choices = k_input_forms,
    .example = "jsonl"};

inline constexpr std::array<sv, 2> k_result_orders = {"input", "arrival"};
inline constexpr Field k_order_field{.flag = "order",
                                     .path = "",
                                     .in = In::Local,
                                     .help = "The order of the results.",
                                     .common = true,
                                     .choices = k_result_orders,
                                     .fallback = "input",
                                     .example = "arrival"};

inline constexpr Field k_skip_invalid_field{
    .flag = "skip-invalid",
    .path = "",
    .kind = Kind::Boolean,
    .in = In::Local,
    .help = "Send the rest when lines are wrong or the service refuses some.",
    .common = true};

inline constexpr Field k_retry_failed_field{.flag = "retry-failed",
                                            .path = "",
                                            .kind = Kind::Boolean,
                                            .in = In::Local,
                                            .help = "Send what failed in the finished run again.",
                                            .common = true};

inline constexpr Field k_with_input_field{.flag = "with-input",
                                          .path = "",
                                          .kind = Kind::Boolean,
                                          .in = In::Local,
                                          .help = "Write each result with its request."};

inline constexpr Field k_journal_field{
    .flag = "journal",
    .path = "",
    .in = In::Local,
    .help = "Where the run remembers what is done; beside the input unless given.",
    .example = "run.journal"};

/// Of a table or prompts.
inline constexpr std::array k_bulk_fields = {
    k_column_field,       k_id_column_field, k_input_form_field, k_skip_invalid_field,
    k_retry_failed_field, k_order_field,     k_with_input_field, k_journal_field};

}  // namespace svc::catalogue
