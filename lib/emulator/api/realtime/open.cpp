#include "emulator/api/realtime/open.h"

#include <algorithm>
#include <array>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "base/text.h"
#include "emulator/model/rules.h"

namespace svc::emulator::realtime {
namespace {

constexpr std::array<sv, 3> k_models = {"svc-voice-latest", "svc-voice-think-fast-2.0",
                                        "svc-voice-think-fast-1.0"};
constexpr std::array<sv, 2> k_efforts = {"high", "none"};
constexpr std::int64_t k_longest_wish_ms = 120 * 60'000;

void read_wish(const Call& call, const char* header, std::chrono::milliseconds& target) {
  const auto text = call.header(header);
  const auto wish = text ? parse_integer(*text) : std::nullopt;
  if (wish && *wish >= 0) target = std::chrono::milliseconds(std::min(*wish, k_longest_wish_ms));
}

RealtimeTiming read_timing(const Call& call) {
  RealtimeTiming timing;
  timing.pace = text::piece_delay(call, timing.pace);
  read_wish(call, "x-emulator-session-limit-ms", timing.limit);
  read_wish(call, "x-emulator-idle-limit-ms", timing.idle);
  read_wish(call, "x-emulator-ping-ms", timing.ping);
  timing.ping = std::max(timing.ping, std::chrono::milliseconds(10));
  return timing;
}

Answer wrong_word(sv name, sv given, std::span<const sv> words) {
  return text::refuse_argument(
      fmt::format("{} must be one of {}, not {}.", name, join(words, ", "), shown(given)));
}

// Without call_id the model is what the query says, else the secret's session, else the usual one.
std::optional<Answer> read_query(const Call& call, SessionConfig& config) {
  const auto effort = call.query_value("reasoning.effort");
  if (effort && std::ranges::find(k_efforts, *effort) == k_efforts.end()) {
    return wrong_word("reasoning.effort", *effort, k_efforts);
  }
  config.effort = effort.value_or(config.effort);
  config.agent_id = call.query_value("agent_id").value_or("");
  const std::string model = call.query_value("model").value_or("");
  if (model.empty() || call.query_value("call_id")) return std::nullopt;
  if (std::ranges::find(k_models, model) == k_models.end()) {
    return text::refuse_argument("Model not found: " + shown(model));
  }
  config.model = model;
  return std::nullopt;
}

// The configuration that was stored with a client secret.
std::optional<Answer> read_secret(const Call& call, SessionConfig& config) {
  if (!call.client_secret || call.client_secret->empty()) return std::nullopt;
  const Json session = text::parse_json(*call.client_secret);
  if (const auto complaint = apply_session(session, false, config)) {
    return text::refuse_argument("The client secret's session is wrong: " + complaint->message);
  }
  const std::string model = text::text_of(session, "model", config.model);
  if (std::ranges::find(k_models, model) != k_models.end()) config.model = model;
  return std::nullopt;
}

std::optional<Answer> read_call(const Call& call, std::optional<phone::PhoneCall>& phone) {
  const auto id = call.query_value("call_id");
  if (!id || id->empty()) return std::nullopt;
  if (call.client_secret) {
    return refuse(403, "The caller does not have permission to execute the specified operation",
                  "A session that is attached to a call takes an API key, no client secret.");
  }
  auto found =
      call.state->with([&](Database& database) { return phone::find_call(database, *id); });
  if (!found) return refuse_internal(found.error());
  if (!*found || (*found)->team_id != call.key.team_id) {
    return text::refuse_argument("invalid call_id");
  }
  if ((*found)->is_over()) {
    return text::refuse_missing(fmt::format("The call {} has already ended.", *id));
  }
  phone = std::move(*found);
  return std::nullopt;
}

}  // namespace

std::shared_ptr<void> Seats::take(const std::string& team_id) {
  const std::lock_guard lock(m_mutex);
  if (m_taken[team_id] >= k_most) return nullptr;
  ++m_taken[team_id];
  const auto self = shared_from_this();
  return {static_cast<void*>(this), [self, team_id](void*) { self->leave(team_id); }};
}

void Seats::leave(const std::string& team_id) {
  const std::lock_guard lock(m_mutex);
  --m_taken[team_id];
}

std::variant<std::shared_ptr<SocketSession>, Answer> open_session(
    const Call& call, const std::shared_ptr<Seats>& seats,
    const std::shared_ptr<const Speech>& speech) {
  SessionParts parts{.call = call, .speech = speech, .timing = read_timing(call)};
  if (auto refusal = read_secret(call, parts.config)) return *std::move(refusal);
  if (auto refusal = read_query(call, parts.config)) return *std::move(refusal);
  if (auto refusal = read_call(call, parts.phone)) return *std::move(refusal);
  parts.conversation_id = call.query_value("conversation_id").value_or("");
  parts.seat = seats->take(call.key.team_id);
  if (!parts.seat) {
    return refuse(429, "Some resource has been exhausted",
                  fmt::format("The team has {} realtime sessions at a time.", Seats::k_most));
  }
  return std::make_shared<RealtimeSession>(std::move(parts));
}

}  // namespace svc::emulator::realtime
