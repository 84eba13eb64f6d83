// What a user's message asks of the emulator in so many words.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

namespace svc::emulator::text {

enum class Steer : std::uint8_t { None, Exactly, Words, Refuse, Fail };

struct Steering {
  Steer kind = Steer::None;
  std::string text{};      ///< what to say, or the reason
  std::int64_t words = 0;  ///< of Steer::Words
};

/// `Say exactly: X`, `Write N words`, `Refuse: X` and `Fail with: X` at the beginning of the
/// message. Upper and lower case are the same.
[[nodiscard]] Steering read_steering(std::string_view message);

/// Does `text` name `word`, with no letter, digit or underscore beside it? The position, or
/// nothing.
[[nodiscard]] std::optional<std::size_t> find_word(std::string_view text, std::string_view word);

/// `count` words, blanks between them, as sentences.
[[nodiscard]] std::string write_words(std::int64_t count);

/// "1 word", "2 words".
[[nodiscard]] std::string counted(std::size_t count, std::string_view what);

}  // namespace svc::emulator::text
