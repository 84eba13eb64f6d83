// Client secrets: keys for one purpose, which a browser may hold for a while.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "base/result.h"
#include "emulator/handler/handler.h"
#include "emulator/state/state.h"

namespace svc::emulator::realtime {

/// POST /v1/realtime/client_secrets.
[[nodiscard]] Answer create_client_secret(const Call& call);

/// The key and the session behind a client secret that has not expired (SocketRoute::secrets).
[[nodiscard]] Result<std::optional<SecretGrant>> find_client_secret(State& state,
                                                                    std::string_view value);

}  // namespace svc::emulator::realtime
