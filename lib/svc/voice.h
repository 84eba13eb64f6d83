// Speech both ways, live transcription and realtime conversations. Part of <svc/svc.h>.
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "svc/export.h"
#include "svc/options.h"
#include "svc/result.h"

namespace svc::v0 {

struct SpeechRequest {
  std::string text{};  ///< at most 15,000 characters
  std::string voice{};
  std::string language{};            ///< "en", or empty for automatic
  std::string codec{};               ///< "mp3", "wav", "pcm", "mulaw", "alaw"; default: mp3
  std::optional<int> sample_rate{};  ///< Hz
  Flags flags{};                     ///< any other flag of `svc tts`, see svc-tts(1)
};

struct Speech {
  std::string audio{};         ///< empty if a callback received it
  std::string content_type{};  ///< "audio/mpeg"
  std::uint64_t bytes = 0;
  bool stopped = false;  ///< by the callback
};
/// Receives the audio as it arrives. Returns false to stop.
using OnAudio = std::function<bool(std::string_view bytes)>;

struct TranscribeOptions {
  std::string language{};  ///< "en"
  std::string model{};
  bool diarize = false;       ///< label the speakers
  bool multichannel = false;  ///< transcribe channels separately
  Flags flags{};              ///< any other flag of `svc stt`, see svc-stt(1)
};

struct Word {
  std::string text{};
  double start = 0;  ///< seconds
  double end = 0;
  std::optional<double> confidence{};
  std::optional<std::int64_t> speaker{};  ///< from 0
  std::optional<std::int64_t> channel{};  ///< from 0
};

struct Transcript {
  std::string text{};
  std::string language{};
  double duration = 0;  ///< seconds
  std::vector<Word> words{};
  std::string json{};  ///< empty for live transcription
};

/// A message of a WebSocket.
struct SocketMessage {
  std::string data{};
  bool binary = false;
};

/// An open WebSocket. A thread of the object does the work, until it is destroyed. Thread-safe:
/// one thread may send while another receives.
class SVC_API Socket {
 public:
  /// Waits while too much is queued to be sent. Fails once the connection has ended.
  Result<void> send(std::string_view text) const;
  Result<void> send_binary(std::string_view bytes) const;
  /// The next message; nothing once the other side has closed regularly.
  [[nodiscard]] Result<std::optional<SocketMessage>> receive() const;
  /// Closes after what is queued.
  void close() const;

  struct SVC_LOCAL State;
  explicit Socket(std::shared_ptr<State> state) : m_state(std::move(state)) {}
  [[nodiscard]] const std::shared_ptr<State>& state() const noexcept { return m_state; }

 private:
  std::shared_ptr<State> m_state;
};

struct LiveOptions {
  std::optional<int> sample_rate{};  ///< of the audio that is sent, in Hz; default: 16000
  std::string encoding{};  ///< "pcm" (16 bit, little endian; the default), "mulaw", "alaw"
  std::string language{};
  bool interim_results = false;  ///< also report text that may still change
  Flags flags{};                 ///< any other flag of `svc stt live` that is sent
};

struct Utterance {
  bool final = true;  ///< false: an interim text, replaced by the next one
  Transcript transcript{};
};

/// A live transcription. Thread-safe: one thread may send while another calls next().
class SVC_API LiveTranscription {
 public:
  /// Raw audio, of any length.
  Result<void> send(std::string_view audio) const;
  /// All audio is sent.
  Result<void> finish() const;
  /// The next utterance; nothing after the last.
  [[nodiscard]] Result<std::optional<Utterance>> next() const;

  struct SVC_LOCAL State;
  explicit LiveTranscription(std::shared_ptr<State> state) : m_state(std::move(state)) {}

 private:
  std::shared_ptr<State> m_state;
};

struct RealtimeOptions {
  std::string model{};
  std::string voice{};
  std::string instructions{};
  Flags flags{};  ///< any other flag of `svc realtime connect` that is sent, see svc-realtime(1)
};

/// An event of the service. `text` is the piece of text or transcript, `audio` the bytes of sound,
/// of events that have one.
struct RealtimeEvent {
  std::string type{};  ///< "response.done", …
  std::string text{};
  std::string audio{};
  std::string json{};
};

/// A realtime conversation. Thread-safe: one thread may send while another calls next().
class SVC_API Realtime {
 public:
  /// A piece of what the user says, in the session's input format (16-bit PCM, 24 kHz).
  Result<void> send_audio(std::string_view bytes) const;
  /// A message of the user, and the request to answer it.
  Result<void> send_text(std::string_view text) const;
  /// Any event, as JSON.
  Result<void> send(std::string_view json) const;
  /// The next event; nothing once the conversation has ended regularly. An event of type "error"
  /// is an event like any other.
  [[nodiscard]] Result<std::optional<RealtimeEvent>> next() const;
  void close() const;

  explicit Realtime(Socket socket) : m_socket(std::move(socket)) {}

 private:
  Socket m_socket;
};

}  // namespace svc::v0
