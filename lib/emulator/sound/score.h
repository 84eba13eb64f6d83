// A text with its tags as a row of phrases, pauses and noises.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace svc::emulator::speech {

/// What wrapping tags change, as factors.
struct Style {
  double pace = 1;
  double size = 1;  ///< Manner::size
  double gain_begin = 1, gain_end = 1;
};

struct Note {
  enum class Kind : std::uint8_t { Speech, Silence, Noise };
  Kind kind = Kind::Speech;
  std::string text{};          ///< of Speech, UTF-8 without tags; of Noise the tag's name
  std::size_t first_char = 0;  ///< where it begins in the whole text, in code points
  double seconds = 0;          ///< of Silence
  Style style{};
};

/// `text` in the order in which it is heard. Tags that nobody knows are spoken without their
/// brackets; closing tags without an opening one are left out.
[[nodiscard]] std::vector<Note> read_score(std::string_view text);

}  // namespace svc::emulator::speech
