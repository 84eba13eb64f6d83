// Events and errors on a realtime socket, and a session's configuration.
#pragma once

#include <array>

#include "emulator/handler/socket.h"
#include "emulator/json/json.h"
#include "emulator/sound/audio.h"

namespace svc::emulator::realtime {

using text::Json;

/// Why a client's message was refused. The code is the emulator's own: the service's codes are
/// unpublished.
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

/// Reads fields of a client's message and reports the first invalid one. Absent or null fields
/// change nothing; after the first error, nothing more is read.
class FieldReader {
 public:
  /// `path` is the position of `object` in the message: "session.turn_detection".
  FieldReader(const Json& object, std::string path, std::optional<ErrorDetails>& error);

  void text(sv name, std::string& target);
  void word(sv name, std::span<const sv> words, std::string& target);
  void flag(sv name, bool& target);
  void number(sv name, double low, double high, double& target);
  void integer(sv name, std::int64_t low, std::int64_t high, std::int64_t& target);
  /// Returns the field if it is an object or an array, otherwise null.
  [[nodiscard]] const Json* object(sv name);
  [[nodiscard]] const Json* list(sv name);
  /// Reads the fields of the object in that field, if there is one.
  [[nodiscard]] std::optional<FieldReader> child(sv name);

  void fail(sv name, std::string code, std::string message);
  void require(sv name, bool present);
  [[nodiscard]] std::string path_of(sv name) const;

 private:
  /// Returns the field if `matches` accepts its type, otherwise null.
  [[nodiscard]] const Json* find(sv name, bool (Json::*matches)() const, sv type_name);
  template <typename Number>
  void within(sv name, Number low, Number high, Number given, Number& target);

  const Json& m_object;
  std::string m_path;
  std::optional<ErrorDetails>& m_error;
};

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

/// Applies `session`, all or nothing. On a phone call the service handles the media: `audio` is
/// refused.
[[nodiscard]] std::optional<ErrorDetails> apply_session(const Json& session, bool on_call,
                                                        SessionConfig& config);

/// Reads the tools in `list`.
[[nodiscard]] std::optional<ErrorDetails> read_tools(const Json& list,
                                                     std::vector<SessionTool>& tools);

/// "text" and "audio", or only "text".
[[nodiscard]] std::optional<ErrorDetails> read_modalities(const Json& list,
                                                          const std::string& param, bool& speaks);

/// Returns the object `session` of the server's events.
[[nodiscard]] Json session_json(const SessionConfig& config, const std::string& id);

}  // namespace svc::emulator::realtime
