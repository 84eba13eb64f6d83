// What the user of a realtime session says: audio, its turns, and keys on a telephone.
#include <algorithm>
#include <utility>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "base/text.h"
#include "emulator/api/realtime/session.h"

namespace svc::emulator::realtime {
namespace {

// How much longer a turn must be before it is transcribed again while it goes on.
constexpr std::int64_t k_look_every_ms = 1'000;

Json id_or_null(const std::string& id) {
  return id.empty() ? Json() : Json(id);
}

// "hello world" as one writes it.
std::string as_sentence(const std::string& words) {
  std::string sentence = words;
  if (!sentence.empty() && sentence[0] >= 'a' && sentence[0] <= 'z') {
    sentence[0] = static_cast<char>(sentence[0] - 'a' + 'A');
  }
  return sentence.empty() ? sentence : sentence + ".";
}

}  // namespace

std::optional<Complaint> RealtimeSession::add_bytes(std::string_view bytes) {
  if (auto complaint = media_fault()) return complaint;
  if (m_input.is_full()) {
    return Complaint{"input_audio_buffer_full",
                     "The input audio buffer holds ten minutes: commit or clear it."};
  }
  m_rest += bytes;
  const std::size_t whole =
      m_rest.size() - m_rest.size() % audio::bytes_per_sample(m_config.input.format.encoding);
  const Samples samples =
      audio::decode(sv(m_rest).substr(0, whole), m_config.input.format.encoding);
  m_rest.erase(0, whole);
  add_audio(samples);
  return std::nullopt;
}

void RealtimeSession::add_audio(const Samples& samples) {
  for (const VadMark& mark : m_input.add(samples)) {
    if (mark.started) {
      on_speech_started(mark.at_ms);
    } else {
      on_speech_stopped(mark.at_ms);
    }
  }
  if (!m_turn_item.empty() && m_config.input.live) hear_meanwhile();
}

void RealtimeSession::on_speech_started(std::int64_t at_ms) {
  flush_keys(false);
  stop_idle_timer();
  m_turn_item = make_id("item_");
  m_turn_begin_ms = at_ms;
  m_next_look_ms = at_ms + k_look_every_ms;
  m_out->send("input_audio_buffer.speech_started",
              {{"item_id", m_turn_item}, {"audio_start_ms", at_ms}});
  // By the time that the first turn ends its words can be recognised.
  if (!std::exchange(m_speech_ready, true)) {
    m_peer->run_apart([speech = m_speech] { speech->get_ready(); });
  }
  // One answer comes to all that was said.
  m_due.reset();
  if (m_response && m_response->wish().interruptible) cancel_response("turn_detected");
}

void RealtimeSession::on_speech_stopped(std::int64_t at_ms) {
  const std::string item_id = std::exchange(m_turn_item, {});
  if (item_id.empty()) return;  // it began under another configuration
  m_out->send("input_audio_buffer.speech_stopped", {{"item_id", item_id}, {"audio_end_ms", at_ms}});
  commit_audio(item_id, m_input.take(m_turn_begin_ms, at_ms));
  answer_when_free(usual_wish());
}

void RealtimeSession::commit_audio(const std::string& item_id, Samples samples) {
  m_out->send("input_audio_buffer.committed",
              {{"item_id", item_id}, {"previous_item_id", id_or_null(m_items.last_id())}});
  Item item{.id = item_id, .role = "user"};
  item.spoken = true;
  add_item(std::move(item));
  hear(item_id, std::move(samples));
}

void RealtimeSession::add_item(Item item, const std::string& previous) {
  const Item* added = m_items.add(std::move(item), previous);
  m_out->send(
      "conversation.item.added",
      {{"previous_item_id", id_or_null(m_items.before(added->id))}, {"item", item_json(*added)}});
  save();
}

// --- transcription ---------------------------------------------------------------------------

void RealtimeSession::hear(const std::string& item_id, Samples samples) {
  const int rate = m_config.input.format.rate;
  m_input_ms += milliseconds_of(samples.size(), rate);
  ++m_hearings;
  m_peer->run_apart([self = shared_from_this(), peer = m_peer, item_id, rate,
                     audio = std::make_shared<const Samples>(std::move(samples))] {
    auto heard = std::make_shared<Result<std::string>>(self->m_speech->hear(*audio, rate));
    peer->post([self, item_id, heard] { self->on_heard(item_id, *heard); });
  });
}

// Tells the words of a turn that goes on, one look at a time.
void RealtimeSession::hear_meanwhile() {
  if (m_looking || m_input.position_ms() < m_next_look_ms) return;
  m_looking = true;
  m_next_look_ms = m_input.position_ms() + k_look_every_ms;
  const auto audio = std::make_shared<const Samples>(m_input.copy_from(m_turn_begin_ms));
  m_peer->run_apart([self = shared_from_this(), peer = m_peer, item_id = m_turn_item,
                     rate = m_input.rate(), audio] {
    auto heard = std::make_shared<Result<std::string>>(self->m_speech->hear(*audio, rate));
    peer->post([self, item_id, heard] {
      self->m_looking = false;
      // Once the turn has ended its whole transcript is on its way.
      if (self->m_turn_item != item_id || !*heard || (*heard)->empty()) return;
      self->m_out->send("conversation.item.input_audio_transcription.updated",
                        {{"item_id", item_id}, {"transcript", **heard}});
    });
  });
}

void RealtimeSession::on_heard(const std::string& item_id, const Result<std::string>& heard) {
  --m_hearings;
  const auto tell = [&](const std::string& transcript, sv status) {
    m_out->send("conversation.item.input_audio_transcription.completed",
                {{"item_id", item_id},
                 {"content_index", 0},
                 {"transcript", transcript},
                 {"status", status}});
  };
  if (Item* item = m_items.find(item_id)) {
    item->text = heard ? *heard : "";
    if (m_config.input.live && !item->text.empty()) {
      m_out->send("conversation.item.input_audio_transcription.updated",
                  {{"item_id", item_id}, {"transcript", item->text}});
    }
    // It may repeat, each time with the whole text: here first the words, then the
    // sentence.
    if (!item->text.empty()) tell(item->text, "in_progress");
    tell(as_sentence(item->text), heard ? "completed" : "failed");
    save();
  }
  if (!heard) {
    m_out->complain({"transcription_failed", heard.error().message, "", "internal_error"}, "");
  }
  if (m_hearings > 0) return;
  if (m_response && !m_composed) return compose();
  if (m_due && !m_response) start_response(*std::exchange(m_due, std::nullopt));
}

// --- keys ------------------------------------------------------------------------------------

void RealtimeSession::press_key(char key) {
  m_out->send("input_audio_buffer.dtmf_event_received",
              {{"event", std::string(1, key)}, {"received_at", m_call.state->now_ms() / 1000}});
  m_keys += key;
  m_peer->cancel_timer(m_keys_timer);
  if (key == '#') return flush_keys(true);
  m_keys_timer = m_peer->start_timer(m_timing.keys, [this] { flush_keys(true); });
}

void RealtimeSession::flush_keys(bool answer) {
  if (m_keys.empty()) return;
  m_peer->cancel_timer(m_keys_timer);
  Item item{.id = make_id("item_"), .role = "user"};
  item.text = fmt::format("DTMF: {}", std::exchange(m_keys, {}));
  add_item(std::move(item));
  if (answer) answer_when_free(usual_wish());
}

// --- silence ---------------------------------------------------------------------------------

// Counts from the end of the answer as it is heard, which may be long after it was sent.
void RealtimeSession::start_idle_timer() {
  stop_idle_timer();
  if (!m_config.turns.server || !m_config.turns.idle_ms || !m_turn_item.empty()) return;
  std::int64_t wait = *m_config.turns.idle_ms;
  const std::int64_t played = m_call.state->now_ms() - m_audio_begin_ms;
  if (m_response) wait += std::max<std::int64_t>(0, m_response->audio_ms() - played);
  m_idle_timer = m_peer->start_timer(std::chrono::milliseconds(wait),
                                     [this, begin = m_input.position_ms()] { on_idle(begin); });
}

void RealtimeSession::stop_idle_timer() {
  m_peer->cancel_timer(m_idle_timer);
}

void RealtimeSession::on_idle(std::int64_t begin_ms) {
  if (is_busy()) return;
  const std::string item_id = make_id("item_");
  const Json previous = id_or_null(m_items.last_id());
  m_out->send("input_audio_buffer.timeout_triggered", {{"item_id", item_id},
                                                       {"previous_item_id", previous},
                                                       {"audio_start_ms", begin_ms},
                                                       {"audio_end_ms", m_input.position_ms()}});
  m_out->send("input_audio_buffer.committed",
              {{"item_id", item_id}, {"previous_item_id", previous}});
  Item item{.id = item_id, .role = "user"};
  item.spoken = true;
  add_item(std::move(item));
  ResponseWish wish = usual_wish();
  wish.check_in = true;
  start_response(std::move(wish));
}

}  // namespace svc::emulator::realtime
