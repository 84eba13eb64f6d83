// Parses a request for speech: from a body, or from the query of the socket.
#pragma once

#include <optional>
#include <string_view>

#include "emulator/handler/handler.h"
#include "emulator/sound/audio_format.h"
#include "emulator/sound/speaker.h"

namespace svc::emulator::tts {

struct Order {
  speech::Speech speech{};
  speech::Codec codec = speech::Codec::Mp3;
  int bit_rate = 128'000;
  bool with_timestamps = false;
};

/// The longest text, in characters.
inline constexpr std::size_t k_longest_text = 15'000;

/// `{"error": "…"}`: speech errors have no code.
[[nodiscard]] Answer refuse_speech(int status, std::string_view sentence);

/// Parses the body of POST /v1/tts into `order`; otherwise returns the refusal.
[[nodiscard]] std::optional<Answer> read_order(const Call& call, Order& order);

/// Parses the query of the socket /v1/tts: the same fields without the text.
[[nodiscard]] std::optional<Answer> read_query(const Call& call, Order& order);

}  // namespace svc::emulator::tts
