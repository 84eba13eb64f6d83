#include <nlohmann/json.hpp>

#include "audio/sound_file.h"
#include "emulator/api/keys/keys.h"
#include "emulator/api/realtime/session.h"
#include "emulator/model/answer.h"

namespace svc::emulator::realtime {
namespace {

constexpr std::array<sv, 3> k_models = {"svc-voice-latest", "svc-voice-think-fast-2.0",
                                        "svc-voice-think-fast-1.0"};
constexpr std::chrono::hours k_max_requested_limit{2};
constexpr std::int64_t k_default_lifetime_s = 600;

RealtimeTiming read_timing(const Request& request) {
  RealtimeTiming timing;
  timing.pace = text::chunk_delay(request, timing.pace);
  const auto read = [&](sv header, std::chrono::milliseconds& into) {
    into = text::requested_duration(request, header, k_max_requested_limit).value_or(into);
  };
  read("x-emulator-session-limit-ms", timing.limit);
  read("x-emulator-idle-limit-ms", timing.idle);
  read("x-emulator-ping-ms", timing.ping);
  timing.ping = std::max(timing.ping, std::chrono::milliseconds(10));
  return timing;
}

// The model of the query, or else of the secret's session, or else the default.
std::optional<Response> read_query(const Request& request, SessionConfig& config) {
  const auto effort = request.query_value("reasoning.effort");
  if (effort && !has_element(k_efforts, *effort)) {
    return invalid_argument_error(fmt::format("reasoning.effort must be one of {}, not {}.",
                                              join(k_efforts, ", "), shown(*effort)));
  }
  config.effort = effort.value_or(config.effort);
  config.agent_id = request.query_value("agent_id").value_or("");
  const std::string model = request.query_value("model").value_or("");
  if (model.empty() || request.query_value("call_id")) return std::nullopt;
  if (!has_element(k_models, model)) {
    return invalid_argument_error("Model not found: " + shown(model));
  }
  config.model = model;
  return std::nullopt;
}

// Reads the configuration stored with a client secret.
std::optional<Response> read_secret(const Request& request, SessionConfig& config) {
  if (!request.client_secret || request.client_secret->empty()) return std::nullopt;
  const Json session = text::parse_json(*request.client_secret);
  if (const auto error = apply_session(session, false, config)) {
    return invalid_argument_error("The client secret's session is wrong: " + error->message);
  }
  const std::string model = text::get_string(session, "model", config.model);
  if (has_element(k_models, model)) config.model = model;
  return std::nullopt;
}

std::optional<Response> read_call(const Request& request, std::optional<phone::PhoneCall>& phone) {
  const auto id = request.query_value("call_id");
  if (!id || id->empty()) return std::nullopt;
  if (request.client_secret) {
    return permission_denied_error(
        "A session that is attached to a call takes an API key, no client secret.");
  }
  auto found =
      request.state->with([&](Database& database) { return phone::find_call(database, *id); });
  SVC_TRY(live, phone::live_call(std::move(found), request.key.team_id));
  phone = std::move(live);
  return std::nullopt;
}

using std::chrono::milliseconds;

// A caller who is not greeted starts after this time.
constexpr milliseconds k_patience{500};
constexpr milliseconds k_poll_interval{25};
constexpr milliseconds k_key_interval{50};
constexpr milliseconds k_poll{100};
// The caller's audio is sent at ten times its speed: turns are found by position.
constexpr milliseconds k_speaking_tick{10};
constexpr int k_caller_chunk_ms = 100;
// Silence sent afterwards, which ends the turn.
constexpr std::chrono::seconds k_silence{2};

// The loudness, in dB of full scale, at which a frame is speech with probability 0; 40 dB above,
// the probability is 1. So the default threshold of 0.85 is -31 dB: ordinary speech, but not the
// noise of a room.
constexpr double k_floor_db = -65;
constexpr double k_span_db = 40;
// Speech continues at a lower loudness than it starts with: the ends of words are soft.
constexpr double k_hysteresis = 0.15;
// A click is not speech.
constexpr std::int64_t k_frames_to_start = 3;

double probability_of(double mean_square) {
  const double db = 10 * std::log10(std::max(mean_square, 1e-12));
  return std::clamp((db - k_floor_db) / k_span_db, 0.0, 1.0);
}

// A turn that does not end is cut off at this length.
constexpr std::int64_t k_max_buffer_ms = 10 * 60'000;
// Additional audio retained during silence, beyond the padding.
constexpr std::int64_t k_spare_ms = 200;

}  // namespace

std::shared_ptr<void> SessionSlots::take(const State& state, const std::string& team_id,
                                         std::int64_t limit) {
  const Owner owner(&state, team_id);
  const std::lock_guard lock(m_mutex);
  if (m_taken[owner] >= limit) return nullptr;
  ++m_taken[owner];
  return {static_cast<void*>(this), [self = shared_from_this(), owner](void*) {
            const std::lock_guard relock(self->m_mutex);
            --self->m_taken[owner];
          }};
}

std::variant<std::shared_ptr<SocketSession>, Response> open_session(
    const Request& request, const std::shared_ptr<SessionSlots>& slots,
    const std::shared_ptr<const Speech>& speech) {
  SessionParts parts{.request = request, .speech = speech, .timing = read_timing(request)};
  if (auto error = read_secret(request, parts.config)) return *std::move(error);
  if (auto error = read_query(request, parts.config)) return *std::move(error);
  if (auto error = read_call(request, parts.phone)) return *std::move(error);
  parts.conversation_id = request.query_value("conversation_id").value_or("");
  SVC_TRY(limit, checked(request.state->with(
                     [](Database& database) { return limit_of(database, "realtime_sessions"); })));
  parts.slot = slots->take(*request.state, request.key.team_id, limit);
  if (!parts.slot) {
    return resource_exhausted_error(
        fmt::format("The team has {} realtime sessions at a time.", limit));
  }
  return make_session(std::move(parts));
}

Response create_client_secret(const Request& request) {
  SVC_TRY(body, text::read_body(request, "client_secret"));
  std::int64_t lifetime = k_default_lifetime_s;
  if (const Json* expiry = text::member(body, "expires_after")) {
    lifetime = text::get_integer(*expiry, "seconds").value_or(k_default_lifetime_s);
  }
  const std::int64_t now_s = request.state->now_ms() / 1000;
  const Json* session = text::member(body, "session");
  const std::string value =
      std::string(k_secret_prefix) + keys::new_secret().substr(sv("svc-").size());
  const auto stored = request.state->change([&](Database& database) -> Result<void> {
    SVC_CHECK(database.change("DELETE FROM client_secrets WHERE expires_at < ?",
                              now_s - std::int64_t{24} * 3'600));
    return run_sql(database, "INSERT INTO client_secrets VALUES (?,?,?,?,?)", value,
                   request.key.team_id, request.key.id, now_s + lifetime,
                   session == nullptr ? "{}" : text::dump(*session));
  });
  SVC_CHECK(checked(stored));
  Response response = json_response(Json{{"value", value}, {"expires_at", now_s + lifetime}});
  response.headers.push_back({"x-trace-id", replace_all(request.state->new_uuid(), "-", "")});
  return response;
}

Result<std::optional<SecretGrant>> find_client_secret(State& state, sv value) {
  return state.with([&](Database& database) -> Result<std::optional<SecretGrant>> {
    SVC_TRY(row, database.query("SELECT team_id, key_id, session FROM client_secrets WHERE"
                                " value = ? AND expires_at > ?",
                                value, state.now_ms() / 1000));
    SVC_TRY(found, row.step());
    if (!found) return std::optional<SecretGrant>{};
    SVC_TRY(key, keys::find_by_id(database, row.text(0), row.text(1)));
    if (!key) return std::optional<SecretGrant>{};
    return std::optional(SecretGrant{std::move(*key), row.text(2)});
  });
}

CallLine::CallLine(phone::PhoneCall call, State& state, std::shared_ptr<SocketPeer> peer, int rate,
                   CallHandlers handlers)
    : m_call(std::move(call)),
      m_state(state),
      m_peer(std::move(peer)),
      m_handlers(std::move(handlers)),
      m_rate(rate) {
  if (const std::size_t comma = m_call.keys.find(','); comma != std::string::npos) {
    m_first = m_call.keys.substr(0, comma);
    m_call.keys.erase(0, comma + 1);
  }
  if (m_call.audio.empty()) return;
  auto reader = audio::open_sound_bytes(m_call.audio, "input", {rate, 1});
  if (!reader) return;
  if (auto samples = audio::read_all(**reader)) {
    m_speech = std::move(*samples);
    m_speech.resize(m_speech.size() + static_cast<std::size_t>(rate * k_silence.count()));
  }
}

void CallLine::start() {
  wait_for(k_poll_interval);
}

// The call may have been ended by another process with the same state.
bool CallLine::is_over() {
  m_since_poll += m_tick;
  if (m_since_poll < k_poll) return false;
  m_since_poll = milliseconds(0);
  const auto found =
      m_state.with([&](Database& database) { return phone::find_call(database, m_call.id); });
  return found && *found && (*found)->is_over();
}

void CallLine::tick() {
  if (is_over()) return m_handlers.over();
  switch (m_stage) {
    case Stage::Waiting:
      m_waited += m_tick;
      if (m_handlers.is_busy()) {
        m_greeted = true;
      } else if (m_greeted || m_waited >= k_patience) {
        m_stage = Stage::Choosing;
      }
      return wait_for(k_poll_interval);
    case Stage::Choosing:
      return choose();
    case Stage::Speaking:
      return speak();
    case Stage::Pressing:
      return press();
    case Stage::Listening:
      return wait_for(k_poll);
  }
}

void CallLine::speak() {
  const std::size_t count = std::min(static_cast<std::size_t>(m_rate) * k_caller_chunk_ms / 1000,
                                     m_speech.size() - m_spoken);
  if (count == 0) {
    m_stage = Stage::Pressing;
    return wait_for(k_poll_interval);
  }
  const auto begin = m_speech.begin() + static_cast<std::ptrdiff_t>(m_spoken);
  const Samples chunk(begin, begin + static_cast<std::ptrdiff_t>(count));
  m_spoken += count;
  wait_for(k_speaking_tick);
  m_handlers.hear(chunk);
}

void CallLine::choose() {
  if (m_first.empty()) {
    m_stage = Stage::Speaking;
    return wait_for(k_poll_interval);
  }
  wait_for(k_key_interval);
  const char key = m_first.front();
  m_first.erase(0, 1);
  m_handlers.key(key);
}

void CallLine::press() {
  if (m_pressed == m_call.keys.size()) {
    m_stage = Stage::Listening;
    return wait_for(k_poll);
  }
  wait_for(k_key_interval);
  if (!m_handlers.is_busy()) m_handlers.key(m_call.keys[m_pressed++]);
}

EnergyVad::EnergyVad(const TurnDetection& turns, int rate)
    : m_turns(turns), m_frame_size(static_cast<std::size_t>(rate * k_frame_ms / 1000)) {}

std::optional<VadEvent> EnergyVad::classify(double loudness) {
  if (!m_speaking) {
    m_loud_frames = loudness >= m_turns.threshold ? m_loud_frames + 1 : 0;
    if (m_loud_frames < k_frames_to_start) return std::nullopt;
    m_speaking = true;
    m_quiet_frames = 0;
    const std::int64_t begin = (m_frames - m_loud_frames) * k_frame_ms;
    return VadEvent{true, std::max<std::int64_t>(0, begin - m_turns.prefix_ms)};
  }
  m_quiet_frames = loudness >= m_turns.threshold - k_hysteresis ? 0 : m_quiet_frames + 1;
  if (m_quiet_frames * k_frame_ms < std::max(m_turns.silence_ms, k_frame_ms)) return std::nullopt;
  m_speaking = false;
  m_loud_frames = 0;
  return VadEvent{false, position_ms()};
}

std::vector<VadEvent> EnergyVad::feed(std::span<const std::int16_t> samples) {
  std::vector<VadEvent> events;
  for (const std::int16_t sample : samples) {
    const double value = sample / 32'768.0;
    m_sum += value * value;
    if (++m_filled < m_frame_size) continue;
    const double mean_square = m_sum / static_cast<double>(m_frame_size);
    m_sum = 0;
    m_filled = 0;
    ++m_frames;
    if (const auto vad_event = classify(probability_of(mean_square))) events.push_back(*vad_event);
  }
  return events;
}

bool InputAudio::configure(const SessionConfig& config) {
  const bool same_format = m_format == config.input.format;
  const TurnDetection& turns = config.turns;
  const bool same_turns = m_turns.server == turns.server && m_turns.threshold == turns.threshold &&
                          m_turns.silence_ms == turns.silence_ms &&
                          m_turns.prefix_ms == turns.prefix_ms;
  if (!same_format) {
    m_begin_ms = position_ms();
    m_samples.clear();
    m_format = config.input.format;
  }
  m_turns = config.turns;
  if (same_format && same_turns) return false;
  restart_vad();
  return true;
}

std::vector<VadEvent> InputAudio::add(const Samples& samples) {
  m_samples.insert(m_samples.end(), samples.begin(), samples.end());
  if (!m_turns.server) return {};
  auto events = m_vad.feed(samples);
  for (VadEvent& vad_event : events) vad_event.at_ms += m_vad_begin_ms;
  if (events.empty() && !m_vad.is_speaking()) {
    drop_before(position_ms() - m_turns.prefix_ms - k_spare_ms);
  }
  return events;
}

std::size_t InputAudio::index_of(std::int64_t position) const {
  const std::int64_t ms = std::max<std::int64_t>(0, position - m_begin_ms);
  return std::min(static_cast<std::size_t>(ms * m_format.rate / 1000), m_samples.size());
}

void InputAudio::drop_before(std::int64_t position) {
  // Whole seconds only: erasing at the front moves the rest, and positions remain exact.
  const auto rate = static_cast<std::size_t>(m_format.rate);
  const std::size_t seconds = index_of(position) / rate;
  m_samples.erase(m_samples.begin(),
                  m_samples.begin() + static_cast<std::ptrdiff_t>(seconds * rate));
  m_begin_ms += static_cast<std::int64_t>(seconds) * 1000;
}

Samples InputAudio::take(std::int64_t begin_ms, std::int64_t end_ms) {
  const std::size_t begin = index_of(begin_ms);
  const std::size_t end = std::max(begin, index_of(end_ms));
  Samples audio(m_samples.begin() + static_cast<std::ptrdiff_t>(begin),
                m_samples.begin() + static_cast<std::ptrdiff_t>(end));
  drop_before(end_ms);
  return audio;
}

bool InputAudio::is_full() const {
  return buffered_ms() >= k_max_buffer_ms;
}

}  // namespace svc::emulator::realtime

auto svc::emulator::realtime_routes(std::shared_ptr<const realtime::Speech> speech)
    -> std::vector<Route> {
  constexpr const char* acl = "realtime";
  if (!speech) speech = realtime::make_speech();
  const auto slots = std::make_shared<realtime::SessionSlots>();
  return {{"POST", "/v1/realtime/client_secrets", realtime::create_client_secret, acl},
          socket_route({.path = "/v1/realtime",
                        .factory =
                            [slots, speech](const Request& request) {
                              return realtime::open_session(request, slots, speech);
                            },
                        .endpoint_acl = acl,
                        .secrets = realtime::find_client_secret})};
}
