// Pictures drawn from a prompt: the same words give the same picture.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <string_view>

#include "emulator/picture/canvas.h"

namespace svc::emulator::media {

struct Size {
  int width = 0;
  int height = 0;
  friend bool operator==(const Size&, const Size&) = default;
};

struct Sketch {
  std::string_view prompt{};
  std::string_view model{};
  std::string_view note{};           ///< for the bottom line: what this is
  std::uint64_t variant = 0;         ///< the number among several of one request
  std::span<const Canvas> inputs{};  ///< shown side by side above the words
  Size size{};
  bool room_above = false;  ///< leaves the place of the inputs free for somebody else
};

/// Colours and shapes by a hash of the prompt, the inputs, the prompt as text, and a line that says
/// who drew it.
[[nodiscard]] Canvas draw_picture(const Sketch& sketch);

/// A number that depends on all of `text`, the same on every machine.
[[nodiscard]] std::uint64_t stable_hash(std::string_view text);

/// Where the inputs of a picture of that size are shown.
[[nodiscard]] Box input_box(Size size);

/// The largest box of these proportions in the middle of `into`.
[[nodiscard]] Box fit(Size proportions, const Box& into);

}  // namespace svc::emulator::media
