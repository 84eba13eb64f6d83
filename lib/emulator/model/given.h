// What the rules of POST /_emulator/answers say to a question, instead of what
// the emulator would.
#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "emulator/control/answers.h"
#include "emulator/handler/handler.h"
#include "emulator/model/ask.h"

namespace svc::emulator::text {

/// Asks the rules. Words and tool calls go to `ask.given`, which say() then
/// says; an HTTP response or the events of a stream are returned, and are the
/// whole answer. `operation` is the name that rules have for it, `body` the
/// request.
[[nodiscard]] std::optional<Answer> take_given(const Call& call, sv operation, const Json& body,
                                               Ask& ask);

/// Adds the rule's headers to an answer that says its words.
void add_given_headers(const Ask& ask, Answer& answer);

/// Whether the call was made with that key: its id, its name or its secret. The
/// requests of a batch are made with the key that created the batch.
[[nodiscard]] bool uses_key(const Call& call, sv key);

/// The sentence of a rule's HTTP response, where there is no HTTP to send it.
[[nodiscard]] std::string given_sentence(const GivenAnswer& given);

}  // namespace svc::emulator::text
