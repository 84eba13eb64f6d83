// Parses a request for speech: from a body, or from the query of the socket.
#pragma once

#include <optional>
#include <string_view>

#include "emulator/handler/handler.h"
#include "emulator/sound/audio_format.h"
#include "emulator/sound/speaker.h"

namespace svc::emulator::tts {

struct SpeechParams {
  speech::Speech speech{};
  speech::Codec codec = speech::Codec::Mp3;
  int bit_rate = 128'000;
  bool with_timestamps = false;
};

/// The longest text, in characters.
inline constexpr std::size_t k_max_text_length = 15'000;

/// `{"error": "…"}`: speech errors have no code.
[[nodiscard]] Response speech_error(int status, std::string_view message);

/// Parses the body of POST /v1/tts into `params`; otherwise returns the refusal.
[[nodiscard]] std::optional<Response> read_params(const Request& request, SpeechParams& params);

/// Parses the query of the socket /v1/tts: the same fields without the text.
[[nodiscard]] std::optional<Response> read_query(const Request& request, SpeechParams& params);

}  // namespace svc::emulator::tts
