// The handlers behind legacy_routes(), and what they share.
#pragma once

#include <optional>
#include <string>

#include "emulator/handler/handler.h"
#include "emulator/handler/routes.h"
#include "emulator/json/check.h"
#include "emulator/model/answer.h"

namespace svc::emulator::legacy {

[[nodiscard]] Answer completions(const Call& call, const TextOptions& options);
[[nodiscard]] Answer messages(const Call& call, const TextOptions& options);
[[nodiscard]] Answer complete(const Call& call);

/// The types of their requests, by the names of the functions above.
[[nodiscard]] const text::Types& request_types();

/// At most four stop sequences, and none for reasoning models.
[[nodiscard]] std::optional<std::string> stop_fault(const text::Json& body, const Model& model,
                                                    text::sv name);

/// Cuts `said` before the first of the stop sequences of `body`; the one that was found.
[[nodiscard]] std::optional<std::string> cut_at_stop(const text::Json& body, text::Said& said);

/// Notes in `answer` what it costs, and the headers that a rule gives it.
void bill(const text::Ask& ask, const text::Said& said, Answer& answer);

}  // namespace svc::emulator::legacy
