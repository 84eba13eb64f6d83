// A realtime session without a socket, with a manually advanced clock and fake speech.
#pragma once

#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include <nlohmann/json.hpp>

#include "emulator/api/realtime/session.h"
#include "emulator/state/state.h"

namespace svc::test {

using Json = nlohmann::json;

/// Synthesises 50 ms of tone per byte, recognises the given text, and records what it speaks.
class FakeSpeech final : public emulator::realtime::Speech {
 public:
  [[nodiscard]] Result<emulator::realtime::SpokenAudio> synthesize(
      const emulator::speech::Speech& order) const override;
  [[nodiscard]] Result<std::string> hear(std::span<const std::int16_t> samples,
                                         int rate) const override;
  void preload() const override { ++preload_count; }
  std::string words = "hello world";
  mutable int preload_count = 0;
  std::vector<std::int64_t> ends_ms{};  ///< SpokenAudio::ends_ms
  mutable std::string spoken{};         ///< the last text, after replacements
  mutable std::string voice{};
  mutable std::int64_t recognized_ms = 0;
};

/// A tone as loud as speech, or silence.
[[nodiscard]] emulator::realtime::Samples tone(std::int64_t ms, int rate = 24'000);
[[nodiscard]] emulator::realtime::Samples silence(std::int64_t ms, int rate = 24'000);

class FakePeer final : public emulator::SocketPeer {
 public:
  void send_text(std::string message) override { sent.push_back(Json::parse(message)); }
  void send_binary(std::string message) override { binary.push_back(std::move(message)); }
  [[nodiscard]] std::size_t unsent() const override { return backlog; }
  void close(std::uint16_t code, std::string_view reason) override {
    close_code = code;
    close_reason = reason;
  }
  void pause_reading() override { is_reading = false; }
  void resume_reading() override { is_reading = true; }
  TimerId start_timer(std::chrono::milliseconds wait, std::function<void()> done) override;
  void cancel_timer(TimerId timer) override { m_timers.erase(timer); }
  void post(std::function<void()> work) override { m_posted.push_back(std::move(work)); }
  void run_blocking(std::function<void()> job) override { m_jobs.push_back(std::move(job)); }

  /// Runs everything due now, and its consequences.
  void settle();
  /// Ends the connection; pending work is dropped.
  void disconnect() {
    m_timers.clear();
    m_posted.clear();
    m_jobs.clear();
  }
  /// Advances the clock.
  void advance(std::int64_t ms);

  std::vector<Json> sent{};
  std::vector<std::string> binary{};
  std::size_t backlog = 0;
  std::uint16_t close_code = 0;
  std::string close_reason{};
  bool is_reading = true;
  bool jobs_wait = false;  ///< background work does not finish yet

 private:
  struct Timer {
    std::int64_t due = 0;
    std::function<void()> done{};
  };
  std::map<TimerId, Timer> m_timers{};
  std::vector<std::function<void()>> m_posted{};
  std::vector<std::function<void()>> m_jobs{};
  std::int64_t m_now = 0;
  TimerId m_last = 0;
};

/// An open session.
class RealtimeClient {
 public:
  explicit RealtimeClient(emulator::realtime::SessionParts parts = {},
                          emulator::State* state = nullptr);
  ~RealtimeClient();

  /// Sends a message, and runs everything that is due now.
  void send(const Json& message);
  void update(const Json& session) { send({{"type", "session.update"}, {"session", session}}); }
  void raw(std::string message);
  void binary(std::string_view bytes);
  /// The peer has sent what was waiting.
  void drain();
  /// A user's text message.
  void write(std::string_view text);
  /// input_audio_buffer.append.
  void play(const emulator::realtime::Samples& samples);
  /// response.create, and the whole response.
  void respond(const Json& response = nullptr);
  void advance(std::int64_t ms) { peer->advance(ms); }

  /// The event types since the last call of take(), without consecutive repeats.
  std::vector<std::string> types();
  /// All events since the last call of take() or types().
  std::vector<Json> take();
  /// All events of that type so far.
  [[nodiscard]] std::vector<Json> all(std::string_view type) const;
  [[nodiscard]] Json last(std::string_view type) const;
  /// The last error's code, or "".
  [[nodiscard]] std::string error_code() const;

  std::shared_ptr<FakeSpeech> speech = std::make_shared<FakeSpeech>();
  std::shared_ptr<FakePeer> peer = std::make_shared<FakePeer>();
  std::int64_t now_ms = 1'800'000'000'000;
  [[nodiscard]] emulator::State& state() { return *m_state; }

 private:
  std::unique_ptr<emulator::State> m_own{};
  emulator::State* m_state;
  std::shared_ptr<emulator::SocketSession> m_session;
  std::size_t m_taken = 0;
};

}  // namespace svc::test
