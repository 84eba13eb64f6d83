// How a piece of text looks on a terminal: our own escape sequences, nobody else's.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

namespace svc::print {

using sv = std::string_view;

/// A set of looks, to be joined with `|`.
enum Look : std::uint16_t {
  k_look_plain = 0,
  k_look_bold = 1,
  k_look_dim = 2,
  k_look_italic = 4,
  k_look_underline = 8,
  k_look_strike = 16,
  k_look_green = 32,
  k_look_magenta = 64,
  k_look_cyan = 128,
  k_look_red = 256,
};

/// The escape sequence that begins the look, or "" for a plain one.
[[nodiscard]] std::string begin_look(unsigned look);

/// What ends every look.
inline constexpr sv k_end_look = "\x1b[0m";

/// `text` (safe for a terminal already) in that look.
[[nodiscard]] std::string styled(sv text, unsigned look);

/// Whether a terminal may be told of this address (OSC 8): http or https, and nothing in it but the
/// printable ASCII that a URL consists of.
[[nodiscard]] bool is_link_target(sv url) noexcept;

}  // namespace svc::print
