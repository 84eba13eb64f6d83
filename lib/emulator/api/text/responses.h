// Inside POST /v1/responses: from the request to the response object, and that as events.
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

/// What is wrong with the meaning of a request whose types are right.
[[nodiscard]] std::optional<std::string> responses_fault(const Json& body, const Model& model);

/// What came before.
struct Past {
  Conversation conversation{};
  std::optional<std::string> instructions{};  ///< the system prompt that stays in force
  bool continued = false;
};

/// Follows previous_response_id back to the first response. 404 when one of them is not stored (any
/// more).
[[nodiscard]] std::optional<Answer> load_past(const Call& call, const Json& body, Past& past);

/// The question that the request asks after `past`; it points into `body`.
[[nodiscard]] Ask read_responses(const Json& body, const Model& model, Past past);

/// A request, understood.
struct ResponseQuestion {
  const Model* model = nullptr;
  Ask ask{};
  std::int64_t past_tokens = 0;  ///< of what earlier responses knew already
  std::optional<std::string> instructions{};
};

/// What a finished answer is made of.
struct ResponseParts {
  const Ask& ask;
  const Said& said;
  const ToolWork& work;
  std::string id;
  std::int64_t created = 0;      ///< Unix seconds
  std::int64_t past_tokens = 0;  ///< prompt tokens known from an earlier response
  std::optional<std::string> instructions{};
};

/// What an answer used.
struct ResponseUse {
  std::int64_t tokens = 0;
  std::vector<Charge> charges{};
};

/// The whole response object with the defaults of what was not said, and what it used.
[[nodiscard]] Json response_object(const Json& body, const ResponseParts& parts, ResponseUse& used);

/// `response` as the events of a stream.
[[nodiscard]] Answer stream_response(const Json& response, std::chrono::milliseconds delay);

}  // namespace svc::emulator::text
