// The built-in voices, each with a manner of speaking of its own.
#pragma once

#include <optional>
#include <span>
#include <string_view>

#include "emulator/sound/flite.h"

namespace svc::emulator::speech {

struct Voice {
  std::string_view id;
  std::string_view name;
  Manner manner;
};

/// In the order of the document.
[[nodiscard]] std::span<const Voice> voices();

inline constexpr std::string_view k_default_voice = "eve";

/// The built-in voice of that id, whatever its case; null when there is none.
[[nodiscard]] const Voice* find_voice(std::string_view id);

/// How that voice speaks. The ids of custom voices are opaque: one with eight letters or more and a
/// digit is taken for one, and speaks as a built-in voice that is chosen by its letters. Nothing
/// for any other unknown id.
[[nodiscard]] std::optional<Manner> manner_of(std::string_view id);

}  // namespace svc::emulator::speech
