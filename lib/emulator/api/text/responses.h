// Internals of POST /v1/responses: from the request to the response object and its events.
#pragma once

#include <chrono>
#include <optional>
#include <string>

#include "base/result.h"
#include "emulator/api/text/items.h"
#include "emulator/api/text/server_tools.h"
#include "emulator/handler/handler.h"
#include "emulator/json/json.h"
#include "emulator/model/answer.h"

namespace svc::emulator::text {

/// Checks the values of a request whose types are valid; returns an error message.
[[nodiscard]] std::optional<std::string> responses_fault(const Json& body, const Model& model);

/// The earlier responses of a conversation.
struct Past {
  Conversation conversation{};
  std::optional<std::string> instructions{};  ///< the system prompt still in effect
  bool continued = false;
};

/// Follows previous_response_id back to the first response. Returns 404 if one of them is not
/// stored or no longer stored.
[[nodiscard]] std::optional<Answer> load_past(const Call& call, const Json& body, Past& past);

/// Returns the model's input for the request after `past`; it points into `body`.
[[nodiscard]] Ask read_responses(const Json& body, const Model& model, Past past);

/// A parsed request.
struct ResponseQuestion {
  const Model* model = nullptr;
  Ask ask{};
  std::int64_t past_tokens = 0;  ///< tokens already known from earlier responses
  std::optional<std::string> instructions{};
};

/// The parts of a finished response.
struct ResponseParts {
  const Ask& ask;
  const Said& said;
  const ToolWork& work;
  std::string id;
  std::int64_t created = 0;      ///< Unix seconds
  std::int64_t past_tokens = 0;  ///< prompt tokens known from an earlier response
  std::optional<std::string> instructions{};
};

/// The usage of a response.
struct ResponseUse {
  std::int64_t tokens = 0;
  std::vector<Charge> charges{};
};

/// Returns the whole response object, with defaults for unset fields, and its usage.
[[nodiscard]] Json response_object(const Json& body, const ResponseParts& parts, ResponseUse& used);

/// Returns `response` as a stream of events.
[[nodiscard]] Answer stream_response(const Json& response, std::chrono::milliseconds delay);

}  // namespace svc::emulator::text
