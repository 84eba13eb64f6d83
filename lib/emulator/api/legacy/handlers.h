// The handlers of legacy_routes(), and their shared parts.
#pragma once

#include <optional>
#include <string>

#include "emulator/handler/handler.h"
#include "emulator/json/check.h"
#include "emulator/model/answer.h"

namespace svc::emulator::legacy {

[[nodiscard]] Response completions(const Request& request);
[[nodiscard]] Response messages(const Request& request);
[[nodiscard]] Response complete(const Request& request);

/// The types of their requests, by the names of the functions above.
[[nodiscard]] const text::Types& request_types();

/// At most four stop sequences, and none for reasoning models.
[[nodiscard]] std::optional<std::string> check_stop(const text::Json& body, const Model& model,
                                                    text::sv name);

/// Truncates `output` before the first stop sequence of `body`; returns the sequence found.
[[nodiscard]] std::optional<std::string> truncate_at_stop(const text::Json& body,
                                                          text::ModelOutput& output);

/// Adds to `response` its cost, and the headers of an answer rule.
void add_charges(const text::ModelRequest& model_request, const text::ModelOutput& output,
                 Response& response);

}  // namespace svc::emulator::legacy
