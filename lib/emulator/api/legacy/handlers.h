// The handlers of legacy_routes(), and their shared parts.
#pragma once

#include <optional>
#include <string>

#include "emulator/handler/handler.h"
#include "emulator/json/check.h"
#include "emulator/model/answer.h"

namespace svc::emulator::legacy {

[[nodiscard]] Answer completions(const Call& call);
[[nodiscard]] Answer messages(const Call& call);
[[nodiscard]] Answer complete(const Call& call);

/// The types of their requests, by the names of the functions above.
[[nodiscard]] const text::Types& request_types();

/// At most four stop sequences, and none for reasoning models.
[[nodiscard]] std::optional<std::string> stop_fault(const text::Json& body, const Model& model,
                                                    text::sv name);

/// Truncates `said` before the first stop sequence of `body`; returns the sequence found.
[[nodiscard]] std::optional<std::string> cut_at_stop(const text::Json& body, text::Said& said);

/// Adds to `answer` its cost, and the headers of an answer rule.
void bill(const text::Ask& ask, const text::Said& said, Answer& answer);

}  // namespace svc::emulator::legacy
