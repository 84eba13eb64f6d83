// The head of an answer, as bytes.
#pragma once

#include <cstdint>
#include <string>

#include "emulator/handler/handler.h"

namespace svc::emulator {

/// How an answer goes out.
struct AnswerMode {
  bool http_10 = false;    ///< no chunks: a stream ends with the connection
  bool keep_alive = true;  ///< what the peer and the server want
  std::int64_t now_s = 0;  ///< what the clock of the emulator shows, Unix seconds
};

[[nodiscard]] std::string serialize_head(const Answer& answer, const AnswerMode& mode);

/// 1xx, 204 and 304.
[[nodiscard]] bool has_no_body(int status);

}  // namespace svc::emulator
