// One realtime conversation: /v1/realtime.
#pragma once

#include <chrono>
#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <string>

#include "emulator/api/phone/store.h"
#include "emulator/api/realtime/call_line.h"
#include "emulator/api/realtime/input_audio.h"
#include "emulator/api/realtime/items.h"
#include "emulator/api/realtime/response.h"
#include "emulator/api/realtime/session_config.h"
#include "emulator/api/realtime/speech.h"
#include "emulator/handler/handler.h"
#include "emulator/handler/socket.h"

namespace svc::emulator::realtime {

/// Timing of a session. Headers of the handshake override it for tests, each in milliseconds:
/// x-emulator-delay-ms (pace), x-emulator-session-limit-ms, x-emulator-idle-limit-ms and
/// x-emulator-ping-ms.
struct RealtimeTiming {
  using Milliseconds = std::chrono::milliseconds;
  Milliseconds pace{10};             ///< after each 100 ms of audio, or five words of text
  Milliseconds limit{120 * 60'000};  ///< of a session
  Milliseconds idle{15 * 60'000};    ///< without a client message; the emulator's own limit
  Milliseconds ping{20'000};         ///< idleness is checked with each ping, too
  Milliseconds keys{2'500};          ///< delay from the last key until DTMF is passed to the model
};

struct SessionParts {
  Request request{};  ///< the handshake
  SessionConfig config{};
  std::shared_ptr<const Speech> speech{};
  std::string conversation_id{};  ///< to resume; empty: a new one
  std::optional<phone::PhoneCall> phone{};
  RealtimeTiming timing{};
  std::shared_ptr<void> slot{};  ///< one of the team's session slots
};

class RealtimeSession final : public SocketSession,
                              public std::enable_shared_from_this<RealtimeSession> {
 public:
  explicit RealtimeSession(SessionParts parts);

  void on_open(std::shared_ptr<SocketPeer> peer) override;
  void on_text(std::string message) override;
  void on_binary(std::string message) override;
  void on_drained() override;
  void on_closed(std::uint16_t code, std::string_view reason) override;

 private:
  using TimerId = SocketPeer::TimerId;
  using Handler = std::optional<ErrorDetails> (RealtimeSession::*)(const Json& message);
  struct MessageRow {
    sv type;
    Handler handle;
  };
  [[nodiscard]] static Handler find_handler(sv type);

  // --- start, end, and timers
  [[nodiscard]] bool restore();
  void replay();
  void save();
  void schedule_ping();
  void end(sv type, const std::string& message);
  void list_server_tools(const std::vector<SessionTool>& before);
  void attach_call();

  // --- messages of the client
  [[nodiscard]] std::optional<ErrorDetails> on_update(const Json& message);
  [[nodiscard]] std::optional<ErrorDetails> on_append(const Json& message);
  [[nodiscard]] std::optional<ErrorDetails> on_commit(const Json& message);
  [[nodiscard]] std::optional<ErrorDetails> on_clear(const Json& message);
  [[nodiscard]] std::optional<ErrorDetails> on_create_item(const Json& message);
  [[nodiscard]] std::optional<ErrorDetails> on_delete_item(const Json& message);
  [[nodiscard]] std::optional<ErrorDetails> on_truncate_item(const Json& message);
  [[nodiscard]] std::optional<ErrorDetails> on_create_response(const Json& message);
  [[nodiscard]] std::optional<ErrorDetails> on_cancel_response(const Json& message);
  [[nodiscard]] std::optional<ErrorDetails> force_message(const ParsedItem& given);
  [[nodiscard]] std::optional<ErrorDetails> check_media() const;

  // --- input of the user
  [[nodiscard]] std::optional<ErrorDetails> add_bytes(std::string_view bytes);
  void add_audio(const Samples& samples);
  void on_speech_started(std::int64_t at_ms);
  void on_speech_stopped(std::int64_t at_ms);
  void commit_item(const std::string& item_id);
  void commit_audio(const std::string& item_id, Samples samples);
  void add_item(Item item, const std::string& previous = {});
  void recognize(Samples samples, std::function<void(const Result<std::string>&)> done);
  void hear(const std::string& item_id, Samples samples);
  void transcribe_interim();
  void on_transcript(const std::string& item_id, const Result<std::string>& recognized);
  void press_key(char key);
  void flush_keys(bool answer);
  void start_idle_timer();
  void stop_idle_timer();
  void on_idle(std::int64_t begin_ms);

  // --- responses
  void respond_when_idle();
  void start_response(ResponseOptions options);
  void generate_answer_and_speak();
  void speak(const ModelAnswer& answer);
  void on_synthesized(const std::string& response_id, const ModelAnswer& answer,
                      Result<SpokenAudio> audio);
  void pump();
  void cancel_response(sv reason);
  void finish_response();
  void record_usage();
  [[nodiscard]] bool is_busy() const {
    return m_response != nullptr || m_transcriptions > 0 || !m_turn_item.empty();
  }

  Request m_request;
  SessionConfig m_config;
  std::shared_ptr<const Speech> m_speech;
  RealtimeTiming m_timing;
  std::shared_ptr<void> m_slot;
  std::shared_ptr<SocketPeer> m_peer{};
  std::optional<Outbox> m_out{};
  std::string m_id;
  std::string m_conversation_id;
  std::string m_history{};  ///< the items to replay, as saved; empty: none
  Items m_items{};
  std::chrono::milliseconds m_since_message{0};  ///< since the client's last message

  InputAudio m_input{};
  std::string m_partial_sample{};  ///< of the input: half a sample
  std::string m_turn_item{};       ///< of the turn being spoken; empty: none
  std::int64_t m_turn_begin_ms = 0;
  std::int64_t m_next_interim_ms = 0;  ///< position for the next interim transcription
  bool m_interim_pending = false;      ///< an interim transcription is in progress
  bool m_speech_ready = false;         ///< preload() was called
  int m_transcriptions = 0;            ///< transcriptions of items in progress
  TimerId m_idle_timer = 0;

  std::unique_ptr<ActiveResponse> m_response{};
  bool m_answer_ready = false;  ///< the response's answer is known, or being spoken
  std::optional<ResponseOptions>
      m_queued_response{};            ///< a response that starts when nothing else is in progress
  std::int64_t m_audio_begin_ms = 0;  ///< when the response's audio started
  TimerId m_pump_timer = 0;
  bool m_stalled = false;  ///< the client reads too slowly

  std::optional<phone::PhoneCall> m_phone;
  std::unique_ptr<CallLine> m_line{};
  std::string m_keys{};  ///< pressed, but not yet passed to the model
  TimerId m_keys_timer = 0;

  std::int64_t m_input_ms = 0;   ///< of audio, not yet charged
  std::int64_t m_output_ms = 0;  ///< of audio, not yet charged
};

}  // namespace svc::emulator::realtime
