// What a realtime session answers, and what that costs.
#include <algorithm>
#include <utility>

#include <nlohmann/json.hpp>

#include "base/text.h"
#include "emulator/account/spending.h"
#include "emulator/api/realtime/session.h"

namespace svc::emulator::realtime {
namespace {

// The service's prices are not in the documents; these are the emulator's own, in ticks.
constexpr std::int64_t k_input_second = 5'000'000;    // 3 cents a minute
constexpr std::int64_t k_output_second = 10'000'000;  // 6 cents a minute
constexpr std::int64_t k_input_token = 40'000;
constexpr std::int64_t k_output_token = 200'000;
// What may wait for a client that reads slowly.
constexpr std::size_t k_most_waiting = 4U << 20U;

}  // namespace

ResponseWish RealtimeSession::usual_wish() const {
  ResponseWish wish;
  wish.speaks = m_config.speaks;
  return wish;
}

void RealtimeSession::answer_when_free(ResponseWish wish) {
  if (m_response || m_hearings > 0) {
    m_due = std::move(wish);
  } else {
    start_response(std::move(wish));
  }
}

void RealtimeSession::start_response(ResponseWish wish) {
  stop_idle_timer();
  m_due.reset();
  m_composed = false;
  const Response::Output output{
      .format = m_config.output.format, .binary = m_config.output.binary, .to_client = !m_phone};
  m_response = std::make_unique<Response>(*m_out, m_items, std::move(wish), output,
                                          count_input(m_config, m_items));
  m_response->begin();
  if (const auto refusal = refuse_spent(*m_call.state, m_call.key.team_id)) {
    m_response->fail(text::text_of(text::parse_json(refusal->body), "error"));
    return finish_response();
  }
  if (m_hearings == 0) compose();
}

// Decides what to answer, and has it spoken.
void RealtimeSession::compose() {
  m_composed = true;
  const ResponseWish& wish = m_response->wish();
  Thought thought;
  if (!wish.forced.empty()) {
    thought.text = wish.forced;
  } else if (wish.check_in) {
    thought.text = check_in_text();
  } else {
    thought = think(m_call, m_config, m_items,
                    wish.instructions.empty() ? m_config.instructions : wish.instructions);
  }
  if (!thought.failure.empty()) {
    m_response->fail(thought.failure);
    return finish_response();
  }
  if (!thought.calls.empty() || !wish.speaks) {
    m_response->plan(thought, {});
    return pump();
  }
  SpeechWish speech{.text = thought.text,
                    .voice = wish.voice.empty() ? m_config.voice : wish.voice,
                    .speed = m_config.output.speed,
                    .rate = m_config.output.format.rate,
                    .replace = m_config.replace};
  m_peer->run_apart([self = shared_from_this(), peer = m_peer, id = m_response->id(), thought,
                     speech = std::move(speech)] {
    auto audio = std::make_shared<Result<SpokenAudio>>(self->m_speech->speak(speech));
    peer->post([self, id, thought, audio] { self->on_spoken(id, thought, std::move(*audio)); });
  });
}

void RealtimeSession::on_spoken(const std::string& response_id, const Thought& thought,
                                Result<SpokenAudio> audio) {
  if (!m_response || m_response->id() != response_id) return;  // it was cancelled
  if (!audio) {
    m_response->fail(audio.error().message);
    return finish_response();
  }
  m_audio_begin_ms = m_call.state->now_ms();
  m_response->plan(thought, std::move(*audio));
  pump();
}

void RealtimeSession::pump() {
  m_pump_timer.reset();
  if (!m_response) return;
  if (m_peer->unsent() > k_most_waiting) {
    m_stalled = true;
    return;
  }
  if (m_response->step() == Response::Step::Done) return finish_response();
  m_pump_timer = m_peer->start_timer(m_timing.pace, [this] { pump(); });
}

void RealtimeSession::cancel_response(sv reason) {
  if (m_pump_timer) m_peer->cancel_timer(*std::exchange(m_pump_timer, std::nullopt));
  m_stalled = false;
  m_response->cancel(reason);
  finish_response();
}

void RealtimeSession::finish_response() {
  m_output_ms += m_response->audio_ms();
  std::vector<Charge> charges = {
      {m_config.model + " input tokens", "token", m_response->input_tokens(), k_input_token},
      {m_config.model + " output tokens", "token", m_response->output_tokens(), k_output_token}};
  std::erase_if(charges, [](const Charge& charge) { return charge.units == 0; });
  (void)book_charges(*m_call.state, m_call.key.team_id, charges);
  book();
  start_idle_timer();
  m_response = nullptr;
  save();
  if (m_due && m_hearings == 0) start_response(*std::exchange(m_due, std::nullopt));
}

// Books whole seconds of audio; what is left over waits for more.
void RealtimeSession::book() {
  std::vector<Charge> charges;
  const auto add = [&](std::int64_t& ms, const char* what, std::int64_t price) {
    if (ms >= 1000) charges.push_back({m_config.model + what, "second", ms / 1000, price});
    ms %= 1000;
  };
  add(m_input_ms, " input audio", k_input_second);
  add(m_output_ms, " output audio", k_output_second);
  (void)book_charges(*m_call.state, m_call.key.team_id, charges);
}

}  // namespace svc::emulator::realtime
