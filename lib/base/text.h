// Text: UTF-8, splitting, similar names, shell quoting, readable sizes and times.
#pragma once

#include <charconv>
#include <chrono>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace svc {

using sv = std::string_view;

/// The offset of the first byte that is not well-formed UTF-8 (RFC 3629: no overlong forms, no
/// surrogates); empty if all of `text` is.
[[nodiscard]] std::optional<std::size_t> first_invalid_utf8(sv text) noexcept;

/// `text` with every ill-formed sequence replaced by U+FFFD.
[[nodiscard]] std::string replace_invalid_utf8(sv text);

/// Number of code points; each ill-formed byte counts as one.
[[nodiscard]] std::size_t count_code_points(sv text) noexcept;

/// Decodes the code point at `position` and advances `position`; U+FFFD for ill-formed input.
[[nodiscard]] char32_t decode_utf8(sv text, std::size_t& position) noexcept;

/// Appends `code_point` as UTF-8.
void append_utf8(std::string& out, char32_t code_point);

enum class Lines : std::uint8_t { Keep, Escape };

/// Makes external text safe for a terminal: control characters in caret notation (`^[`); C1
/// controls, bidirectional overrides, zero-width and other invisible code points as `\u{202e}`;
/// ill-formed UTF-8 as U+FFFD. Tabs and newlines are unchanged with Lines::Keep and escaped with
/// Lines::Escape.
[[nodiscard]] std::string visible(sv text, Lines lines = Lines::Keep);

[[nodiscard]] constexpr bool is_digit(char c) noexcept {  ///< ASCII only
  return c >= '0' && c <= '9';
}
[[nodiscard]] constexpr bool is_letter(char c) noexcept {  ///< ASCII only
  return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z');
}

[[nodiscard]] std::vector<sv> split(sv text, char separator);
[[nodiscard]] sv trim(sv text) noexcept;
[[nodiscard]] std::string to_lower(sv text);                 ///< ASCII only
[[nodiscard]] std::string to_upper(sv text);                 ///< the same
[[nodiscard]] bool equals_ignore_case(sv a, sv b) noexcept;  ///< ASCII only
[[nodiscard]] bool contains_ignore_case(sv text, sv part);   ///< ASCII only
/// Whether `text` has `word`, which is not empty, between other characters than letters and digits.
[[nodiscard]] bool contains_word(sv text, sv word);
[[nodiscard]] std::string join(const auto& parts, sv separator) {
  std::string out;
  for (bool first = true; const auto& part : parts) {
    if (!std::exchange(first, false)) out += separator;
    out += part;
  }
  return out;
}
[[nodiscard]] std::string replace_all(std::string text, sv from, sv to);
[[nodiscard]] std::string repeat(sv text, std::size_t count);

/// The first `max_bytes` of `text`, truncated at a code point, with "…" if truncated. By default as
/// many as a value takes in a message.
[[nodiscard]] std::string excerpt(sv text, std::size_t max_bytes = 80);

/// External text for a message: a one-line excerpt with visible control characters.
[[nodiscard]] std::string shown(sv text, std::size_t max_bytes = 80);

/// The same of what a service or a program says in a whole sentence: up to 400 bytes.
[[nodiscard]] std::string excerpt_message(sv text);
[[nodiscard]] std::string shown_message(sv text);

/// The candidate most similar to `word`, or "" if none is similar enough to suggest: the only one
/// that starts with `word` (three letters or more), else the first with the smallest
/// Damerau-Levenshtein distance, which may be at most a third of the word's length, or 1. Ignores
/// ASCII case.
[[nodiscard]] sv nearest(sv word, std::span<const sv> candidates);
[[nodiscard]] sv nearest(sv word, std::span<const std::string> candidates);

/// "Did you mean 'near'?", or `otherwise` if nothing is near.
[[nodiscard]] std::string did_you_mean(sv near, std::string otherwise = {});

/// `max_completion_tokens`, `reasoning.effort`, `expireTime` -> `max-completion-tokens`,
/// `reasoning-effort`, `expire-time`.
[[nodiscard]] std::string kebab_case(sv member_path);

/// Quotes `text` as one word for a POSIX shell.
[[nodiscard]] std::string shell_quote(sv text);

/// External text as one word of a command in a message, which is there to be copied: quoted if a
/// shell needs it, and never truncated. Control characters are visible.
[[nodiscard]] std::string shown_word(sv text);

/// Makes room for `more` bytes. Unlike std::string::reserve() with every standard library, it at
/// least doubles the capacity, so that a text can grow by small pieces.
void make_room(std::string& text, std::size_t more);

/// std::from_chars, which not every standard library has for doubles: `text` begins with a number.
[[nodiscard]] std::from_chars_result read_double(sv text, double& value);

/// Strict decimal numbers: no spaces, no `+` sign, no hexadecimal, no underscore.
[[nodiscard]] std::optional<std::int64_t> parse_integer(sv text) noexcept;
[[nodiscard]] std::optional<double> parse_number(sv text) noexcept;  ///< finite only

/// "512 B", "1.5 kB", "25 MB" (powers of 1000).
[[nodiscard]] std::string format_bytes(std::uint64_t bytes);

/// "850 ms", "12.3 s", "2 min 05 s", "3 h 10 min".
[[nodiscard]] std::string format_duration(std::chrono::milliseconds duration);

/// Parses "90", "90s", "1.5s", "250ms", "5m", "2h" or "30d"; a bare number is in `unit`. Rounded to
/// milliseconds, but only "0" yields zero; at most a hundred years.
[[nodiscard]] std::optional<std::chrono::milliseconds> parse_duration(
    sv text, std::chrono::milliseconds unit = std::chrono::seconds(1)) noexcept;

/// `bytes` as lower-case hexadecimal digits.
[[nodiscard]] std::string to_hexadecimal(std::span<const unsigned char> bytes);

/// At most 256 bytes from the system's generator of random numbers. Throws std::system_error if the
/// system has none.
[[nodiscard]] std::string random_bytes(std::size_t count);

/// A random UUID (version 4) of 36 characters from the system's generator. Throws std::system_error
/// if the system has none.
[[nodiscard]] std::string random_uuid();

}  // namespace svc
