// Client secrets: keys for one purpose, which a browser may hold for a while (api 2 §2.1).
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "base/result.h"
#include "emulator/handler.h"
#include "emulator/state.h"

namespace svc::emulator::realtime {

inline constexpr std::string_view k_secret_prefix = "svc-realtime-client-secret-";
/// What comes before the secret in the header Sec-WebSocket-Protocol (api 2 §5.2).
inline constexpr std::string_view k_protocol_prefix = "svc-client-secret.";

struct ClientSecret {
  std::string value{};
  std::string team_id{};
  std::string key_id{};  ///< of the key that made it
  std::int64_t expires_at = 0;
  std::string session{};  ///< the session's first configuration, a JSON object as text
};

/// POST /v1/realtime/client_secrets.
[[nodiscard]] Answer create_client_secret(const Call& call);

/// The secret, expired or not; nothing when there is none of that value.
[[nodiscard]] Result<std::optional<ClientSecret>> find_client_secret(State& state,
                                                                     std::string_view value);

}  // namespace svc::emulator::realtime
