// Fields of the commands that send many requests from a file.
#pragma once

#include <array>

#include "catalogue/builders.h"

namespace svc::catalogue {

inline constexpr Field k_column_field =
    text("column", "Column that contains the prompt, by name or number (default: the first).",
         local, example("question"));

inline constexpr Field k_id_column_field =
    text("id-column", "Column that contains the request ID.", local, example("key"));

inline constexpr std::array<sv, 4> k_input_forms = {"jsonl", "txt", "csv", "tsv"};
inline constexpr Field k_input_form_field =
    text("input-form", "Format of the input (default: by the file name's extension).", local,
         choices(k_input_forms), example("jsonl"));

inline constexpr std::array<sv, 2> k_result_orders = {"input", "arrival"};
inline constexpr Field k_order_field =
    text("order", "Order of the results: as in the input, or as they arrive.", local, common,
         choices(k_result_orders), fallback("input"), example("arrival"));

inline constexpr Field k_skip_invalid_field =
    boolean("skip-invalid", "Skip invalid lines and requests that the service rejects.", local,
            plain_switch, common);

inline constexpr Field k_retry_failed_field =
    boolean("retry-failed", "Resend the failed and unknown requests of a finished run.", local,
            plain_switch, common);

inline constexpr Field k_restart_field =
    boolean("restart", "Start over: discard previous progress and send every request.", local,
            plain_switch, common);

inline constexpr Field k_with_input_field =
    boolean("with-input", "Include the request in each result.", local, plain_switch);

inline constexpr Field k_journal_field =
    file("journal", "File that records the run's progress (default: next to the input).", local,
         example("run.journal"));

/// The flags of bulk runs over a table or prompts.
inline constexpr std::array k_bulk_fields = {
    k_column_field,       k_id_column_field,    k_input_form_field,
    k_skip_invalid_field, k_retry_failed_field, k_restart_field,
    k_order_field,        k_with_input_field,   k_journal_field};

inline constexpr Rule k_restart_rule{RuleKind::Excludes, "restart", "retry-failed",
                                     "--restart sends every request, not just the failed ones."};

}  // namespace svc::catalogue
