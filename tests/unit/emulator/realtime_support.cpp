#include "unit/emulator/realtime_support.h"

#include <algorithm>
#include <utility>

#include <doctest/doctest.h>

#include "base/base64.h"
#include "base/text.h"

namespace svc::test {

using namespace svc::emulator;
using namespace svc::emulator::realtime;

Result<SpokenAudio> FakeSpeech::synthesize(const speech::Speech& order) const {
  spoken = order.text;
  voice = order.voice;
  for (const auto& [phrase, said] : order.replace) spoken = replace_all(spoken, phrase, said);
  const auto ms = static_cast<double>(spoken.size() * 50) / order.speed;
  return SpokenAudio{tone(static_cast<std::int64_t>(ms), order.rate), ends_ms};
}

Result<std::string> FakeSpeech::hear(std::span<const std::int16_t> samples, int rate) const {
  recognized_ms = milliseconds_of(samples.size(), rate);
  return words;
}

Samples tone(std::int64_t ms, int rate) {
  Samples samples(static_cast<std::size_t>(ms * rate / 1000));
  for (std::size_t i = 0; i < samples.size(); ++i) samples[i] = i % 20 < 10 ? 8'000 : -8'000;
  return samples;
}

Samples silence(std::int64_t ms, int rate) {
  return Samples(static_cast<std::size_t>(ms * rate / 1000));
}

SocketPeer::TimerId FakePeer::start_timer(std::chrono::milliseconds wait,
                                          std::function<void()> done) {
  m_timers[++m_last] = {m_now + wait.count(), std::move(done)};
  return m_last;
}

void FakePeer::settle() {
  for (;;) {
    if (!m_posted.empty()) {
      auto work = std::exchange(m_posted, {});
      for (auto& one : work) one();
    } else if (!m_jobs.empty() && !jobs_wait) {
      auto jobs = std::exchange(m_jobs, {});
      for (auto& one : jobs) one();
    } else {
      const auto due = std::ranges::min_element(m_timers, {},
                                                [](const auto& entry) { return entry.second.due; });
      if (due == m_timers.end() || due->second.due > m_now) return;
      const auto done = std::move(due->second.done);
      m_timers.erase(due);
      done();
    }
  }
}

void FakePeer::advance(std::int64_t ms) {
  const std::int64_t end = m_now + ms;
  settle();
  while (m_now < end) {
    ++m_now;
    settle();
  }
}

RealtimeClient::RealtimeClient(SessionParts parts, State* state) : m_state(state) {
  if (m_state == nullptr) {
    auto own = State::open(":memory:", [this] { return now_ms; });
    REQUIRE(own.has_value());
    m_own = std::move(*own);
    m_state = m_own.get();
  }
  parts.request.state = m_state;
  parts.request.key.team_id = k_demo_team_id;
  parts.speech = speech;
  m_session = make_session(std::move(parts));
  m_session->on_open(peer);
  peer->settle();
}

RealtimeClient::~RealtimeClient() {
  m_session->on_closed(k_close_normal, "");
  peer->disconnect();
}

void RealtimeClient::send(const Json& message) {
  raw(message.dump());
}

void RealtimeClient::raw(std::string message) {
  m_session->on_text(std::move(message));
  peer->settle();
}

void RealtimeClient::drain() {
  peer->backlog = 0;
  m_session->on_drained();
  peer->settle();
}

void RealtimeClient::binary(std::string_view bytes) {
  m_session->on_binary(std::string(bytes));
  peer->settle();
}

void RealtimeClient::write(std::string_view text) {
  send({{"type", "conversation.item.create"},
        {"item",
         {{"type", "message"},
          {"role", "user"},
          {"content", {{{"type", "input_text"}, {"text", text}}}}}}});
}

void RealtimeClient::play(const Samples& samples) {
  send({{"type", "input_audio_buffer.append"},
        {"audio", base64_encode(audio::encode(samples, audio::Encoding::Pcm))}});
}

void RealtimeClient::respond(const Json& response) {
  Json message = {{"type", "response.create"}};
  if (!response.is_null()) message["response"] = response;
  const std::size_t done = all("response.done").size();
  send(message);
  for (int i = 0; i < 100 && all("response.done").size() == done; ++i) advance(100);
}

std::vector<Json> RealtimeClient::take() {
  std::vector<Json> list(peer->sent.begin() + static_cast<std::ptrdiff_t>(m_taken),
                         peer->sent.end());
  m_taken = peer->sent.size();
  return list;
}

std::vector<std::string> RealtimeClient::types() {
  std::vector<std::string> list;
  for (const Json& event : take()) {
    const std::string type = event["type"];
    if (list.empty() || list.back() != type) list.push_back(type);
  }
  return list;
}

std::vector<Json> RealtimeClient::all(std::string_view type) const {
  std::vector<Json> list;
  for (const Json& event : peer->sent) {
    if (event["type"] == type) list.push_back(event);
  }
  return list;
}

Json RealtimeClient::last(std::string_view type) const {
  const auto list = all(type);
  REQUIRE_MESSAGE(!list.empty(), type);
  return list.back();
}

std::string RealtimeClient::error_code() const {
  const auto list = all("error");
  return list.empty() ? "" : list.back()["error"]["code"].get<std::string>();
}

}  // namespace svc::test
