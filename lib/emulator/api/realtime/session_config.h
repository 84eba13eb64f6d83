// A session's configuration: set by session.update, shown in session.created and session.updated.
#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "emulator/api/realtime/events.h"
#include "emulator/sound/audio_format.h"

namespace svc::emulator::realtime {

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
