// Serializes the head of a response.
#pragma once

#include <cstdint>
#include <string>

#include "emulator/handler/handler.h"

namespace svc::emulator {

/// How a response is sent.
struct ResponseMode {
  bool http_10 = false;    ///< no chunked encoding: a stream ends with the connection
  bool keep_alive = true;  ///< whether both the client and the server want it
  std::int64_t now_s = 0;  ///< the emulator's clock, Unix seconds
};

[[nodiscard]] std::string serialize_head(const Response& response, const ResponseMode& mode);

/// 1xx, 204 and 304.
[[nodiscard]] bool has_no_body(int status);

}  // namespace svc::emulator
