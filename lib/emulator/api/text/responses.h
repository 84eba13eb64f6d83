// Internals of POST /v1/responses: from the request to the response object and its events.
#pragma once

#include <chrono>
#include <optional>
#include <string>
#include <vector>

#include "emulator/api/text/items.h"
#include "emulator/api/text/server_tools.h"
#include "emulator/handler/handler.h"
#include "emulator/json/json.h"
#include "emulator/model/answer.h"
#include "emulator/state/state.h"

namespace svc::emulator::text {

/// Returns a stored response of the call's team.
[[nodiscard]] Checked<StoredResponse> find_response(const Request& request, const std::string& id);

/// The parts of a response: first the model's input, which points into the request's body.
struct ResponseParts {
  ModelRequest model_request{};
  std::int64_t history_tokens = 0;            ///< prompt tokens known from earlier responses
  std::optional<std::string> instructions{};  ///< the system prompt in effect
  ToolResults work{};
  ModelOutput model_output{};
  std::string id{};
  std::int64_t created = 0;  ///< Unix seconds
  std::int64_t tokens = 0;   ///< set by response_object()
  std::vector<Charge> charges{};
};

/// Checks a request whose types are valid, and reads it together with the conversation that it
/// continues. Returns 404 if one of its responses is not stored or no longer stored.
[[nodiscard]] Checked<ResponseParts> read_question(const Request& request, const Json& body,
                                                   const Json& items, const Model& model);

/// Returns the whole response object, with defaults for unset fields; adds the cost to `parts`.
[[nodiscard]] Json response_object(const Json& body, ResponseParts& parts);

/// Returns `response` as a stream of events.
[[nodiscard]] Response stream_response(const Json& response, std::chrono::milliseconds delay,
                                       const std::vector<Cut>& cuts = {});

}  // namespace svc::emulator::text
