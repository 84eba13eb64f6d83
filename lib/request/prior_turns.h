// Adds the earlier turns of a continued conversation to a request. Internal to lib/request.
#pragma once

#include <string>
#include <vector>

#include "base/result.h"
#include "json/document.h"
#include "request/inputs.h"

namespace svc::request {

/// Returns `inputs` without the text that is already part of a continued conversation.
[[nodiscard]] Inputs new_inputs(const Inputs& inputs, const PriorTurns& thread);

/// Puts the earlier messages into `messages` or `input`, replacing those from --body.
[[nodiscard]] Result<void> place_prior_turns(const Operation& operation, const PriorTurns& thread,
                                             OrderedJson& body);

/// Appends to `tools`.
[[nodiscard]] Result<void> place_tools(const std::vector<std::string>& tools, OrderedJson& body);

/// Sets the format of the answer: `response_format` of chat, `text.format` of responses.
[[nodiscard]] Result<void> place_format(const Operation& operation, const std::string& format,
                                        OrderedJson& body);

/// Sets the ID of the response to continue and drops `instructions`, as the service retains those
/// of the response. Drops a forced tool choice once the tool has been called.
void continue_response(const PriorTurns& thread, OrderedJson& body);

}  // namespace svc::request
