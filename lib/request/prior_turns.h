// A conversation that continues: what was said before takes its place in the request. Not part of
// the public interface.
#pragma once

#include <string>
#include <vector>

#include "base/result.h"
#include "json/document.h"
#include "request/inputs.h"

namespace svc::request {

/// `inputs` without the words that a conversation which has begun holds already.
[[nodiscard]] Inputs new_inputs(const Inputs& inputs, const PriorTurns& thread);

/// Puts the earlier messages into `messages` or `input`, in the place of what --body gave.
[[nodiscard]] Result<void> place_prior_turns(const Operation& operation, const PriorTurns& thread,
                                             OrderedJson& body);

/// Appends to `tools`.
[[nodiscard]] Result<void> place_tools(const std::vector<std::string>& tools, OrderedJson& body);

/// The form of the answer: `response_format` of chat, `text.format` of responses.
[[nodiscard]] Result<void> place_format(const Operation& operation, const std::string& format,
                                        OrderedJson& body);

/// Names the response that the service goes on from: it keeps its own instructions. A
/// tool that had to be called was called.
void continue_response(const PriorTurns& thread, OrderedJson& body);

}  // namespace svc::request
