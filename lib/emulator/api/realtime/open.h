// Opens realtime sessions: permissions, limits, and initial configuration.
#pragma once

#include <map>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <string_view>
#include <variant>

#include "base/result.h"
#include "emulator/api/realtime/session.h"
#include "emulator/handler/handler.h"
#include "emulator/state/state.h"

namespace svc::emulator::realtime {

/// Limits a team's concurrent sessions. Thread-safe.
class SessionSlots : public std::enable_shared_from_this<SessionSlots> {
 public:
  /// Takes one of the team's `limit` slots, which is released when the result is destroyed; null if
  /// all are taken.
  [[nodiscard]] std::shared_ptr<void> take(const State& state, const std::string& team_id,
                                           std::int64_t limit);

 private:
  using Owner = std::pair<const State*, std::string>;
  std::mutex m_mutex{};
  std::map<Owner, std::int64_t> m_taken{};
};

/// The factory of /v1/realtime (SocketRoute). Query: model, reasoning.effort, call_id,
/// conversation_id, agent_id.
[[nodiscard]] std::variant<std::shared_ptr<SocketSession>, Response> open_session(
    const Request& request, const std::shared_ptr<SessionSlots>& slots,
    const std::shared_ptr<const Speech>& speech);

// --- client secrets: short-lived keys for one purpose, which can be given to a browser ---

/// POST /v1/realtime/client_secrets.
[[nodiscard]] Response create_client_secret(const Request& request);

/// Returns the key and session of a client secret that has not expired (SocketRoute::secrets).
[[nodiscard]] Result<std::optional<SecretGrant>> find_client_secret(State& state,
                                                                    std::string_view value);

}  // namespace svc::emulator::realtime
