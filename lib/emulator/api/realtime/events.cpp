#include "emulator/api/realtime/events.h"

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "base/text.h"
#include "emulator/handler/ids.h"

namespace svc::emulator::realtime {

std::string make_id(sv prefix) {
  return std::string(prefix) + replace_all(new_uuid(), "-", "").substr(0, 24);
}

Outbox::Outbox(std::shared_ptr<SocketPeer> peer)
    : m_peer(std::move(peer)), m_prefix(make_id("event_").substr(0, 18)) {}

void Outbox::send(sv type, const Json& members) {
  Json event = {{"type", type}, {"event_id", fmt::format("{}_{}", m_prefix, ++m_count)}};
  event.update(members);
  m_peer->send_text(text::dump(event));
}

void Outbox::complain(const Complaint& complaint, const std::string& event_id) {
  const auto or_null = [](const std::string& text) { return text.empty() ? Json() : Json(text); };
  send("error", {{"error",
                  {{"type", complaint.type},
                   {"code", or_null(complaint.code)},
                   {"message", complaint.message},
                   {"param", or_null(complaint.param)},
                   {"event_id", or_null(event_id)}}}});
}

}  // namespace svc::emulator::realtime
