// Events and errors on a realtime socket, and a session's configuration.
#pragma once

#include "emulator/handler/socket.h"
#include "emulator/json/json.h"
#include "emulator/sound/audio.h"

namespace svc::emulator::realtime {

using text::Json;

/// Why a client's message was refused. The code is the emulator's own.
struct ErrorDetails {
  std::string code{};
  std::string message{};
  std::string param{};  ///< the invalid field; empty: none
  std::string type = "invalid_request_error";
};

/// Returns "item_" and 24 random hexadecimal digits for the prefix "item_".
[[nodiscard]] std::string make_id(State& state, sv prefix);

class Outbox {
 public:
  Outbox(std::shared_ptr<SocketPeer> peer, State& state);

  [[nodiscard]] std::string make_id(sv prefix) { return realtime::make_id(m_state, prefix); }

  /// Sends an event with `members` after its type and ID.
  void send(sv type, const Json& members);
  void send_binary(std::string bytes) { m_peer->send_binary(std::move(bytes)); }
  /// Sends an error event, after which the session continues; `event_id` is the client's.
  void send_error(const ErrorDetails& error, const std::string& event_id = {});

 private:
  std::shared_ptr<SocketPeer> m_peer;
  State& m_state;
  std::string m_prefix;
  std::uint64_t m_count = 0;
};

/// Returns the error if `value`, which is at `path`, does not match the text::request_type().
[[nodiscard]] std::optional<ErrorDetails> check_member(const Json& value, sv type, sv path);

// A session's configuration: set by session.update, shown in session.created and session.updated.

/// The words for reasoning.effort.
inline constexpr std::array<sv, 2> k_efforts = {"high", "none"};

struct TurnDetection {
  bool server = true;  ///< server_vad; false: the client commits
  double threshold = 0.85;
  std::int64_t silence_ms = 500;
  std::int64_t prefix_ms = 333;
  std::optional<std::int64_t> idle_ms{};
};

struct AudioInput {
  AudioFormat format{};
  bool binary = false;          ///< binary transport
  std::string transcription{};  ///< the field as given; empty: none
  bool live = false;            ///< transcription.model is svc-transcribe
};

struct AudioOutput {
  AudioFormat format{};
  bool binary = false;
  double speed = 1.0;
};

/// A tool of the session.
struct SessionTool {
  std::string type{};
  std::string name{};        ///< of a function; an MCP server's label
  std::string definition{};  ///< as given, JSON as text
};

struct SessionConfig {
  std::string model = "svc-voice-latest";
  std::string voice = "eve";
  std::string instructions{};
  std::string effort = "high";
  std::string agent_id{};
  bool speaks = true;  ///< modalities contain "audio"
  TurnDetection turns{};
  AudioInput input{};
  AudioOutput output{};
  std::vector<SessionTool> tools{};
  bool resumption = false;
  std::vector<std::pair<std::string, std::string>> replace{};
};

/// Applies `session`, all or nothing. `audio` is refused on a phone call.
[[nodiscard]] std::optional<ErrorDetails> apply_session(const Json& session, bool on_call,
                                                        SessionConfig& config);

/// Whether `modalities` contains "audio"; `fallback` without such a member.
[[nodiscard]] bool speaks_in(const Json& object, bool fallback);

/// Returns the object `session` of the server's events.
[[nodiscard]] Json session_json(const SessionConfig& config, const std::string& id);

}  // namespace svc::emulator::realtime
