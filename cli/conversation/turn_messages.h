// What was said in a turn, as the wire's messages.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"
#include "client/answer.h"
#include "operation/model_call.h"
#include "request/inputs.h"

namespace svc::cli {

/// The messages, or input items, of a request that are not part of its thread: what the turn says
/// itself. Local when a file cannot be read any more.
[[nodiscard]] Result<std::vector<std::string>> said_messages(const request::Request& request,
                                                             const request::Inputs& inputs,
                                                             const request::Thread& thread);

/// The answer as messages: of responses its output items. One that broke off is its text, if any.
[[nodiscard]] std::vector<std::string> answer_messages(View view, const ModelReply& got);

/// The result of a tool, its text first; `images` are data: URLs.
[[nodiscard]] std::string tool_message(View view, const std::string& call,
                                       const std::string& output,
                                       const std::vector<std::string>& images = {});

/// Whether the service keeps this response, so that the next request can name it.
[[nodiscard]] bool is_stored(const request::Request& request, const ModelReply& got);

}  // namespace svc::cli
