#include "emulator/sound/voices.h"

#include <algorithm>
#include <array>
#include <cctype>

#include "base/text.h"

namespace svc::emulator::speech {
namespace {

constexpr auto k_slt = Timbre::Slt;
constexpr auto k_rms = Timbre::Rms;
constexpr auto k_awb = Timbre::Awb;
constexpr auto k_kal = Timbre::Kal;

// Sizes stay near 1, so that a recogniser understands all of them but the robot.
constexpr std::array<Voice, 26> k_voices = {{
    {"carina", "Carina", {k_slt, 185, 1.00, 1.00}},
    {"zagan", "Zagan", {k_kal, 0, 1.00, 1.00}},
    {"helix", "Helix", {k_rms, 0, 1.04, 1.05}},
    {"orion", "Orion", {k_rms, 0, 0.97, 0.95}},
    {"luna", "Luna", {k_slt, 175, 1.04, 0.95}},
    {"iris", "Iris", {k_slt, 200, 1.02, 1.05}},
    {"altair", "Altair", {k_awb, 0, 1.00, 1.00}},
    {"zenith", "Zenith", {k_awb, 120, 0.96, 1.00}},
    {"perseus", "Perseus", {k_rms, 0, 0.97, 1.05}},
    {"helios", "Helios", {k_rms, 0, 1.06, 1.10}},
    {"lux", "Lux", {k_slt, 155, 0.96, 1.05}},
    {"kepler", "Kepler", {k_awb, 140, 1.04, 1.00}},
    {"rigel", "Rigel", {k_rms, 0, 0.96, 1.00}},
    {"cosmo", "Cosmo", {k_rms, 0, 1.05, 0.95}},
    {"celeste", "Celeste", {k_slt, 190, 1.05, 1.00}},
    {"ursa", "Ursa", {k_slt, 145, 0.97, 0.95}},
    {"sirius", "Sirius", {k_awb, 110, 0.97, 0.95}},
    {"lumen", "Lumen", {k_slt, 160, 1.00, 0.92}},
    {"castor", "Castor", {k_rms, 0, 1.02, 0.92}},
    {"naksh", "Naksh", {k_awb, 150, 1.03, 1.05}},
    {"atlas", "Atlas", {k_rms, 0, 0.95, 0.95}},
    {"ara", "Ara", {k_slt, 180, 1.02, 1.00}},
    {"eve", "Eve", {k_slt, 0, 1.00, 1.00}},
    {"leo", "Leo", {k_rms, 0, 1.00, 1.10}},
    {"rex", "Rex", {k_rms, 0, 1.00, 1.00}},
    {"sal", "Sal", {k_slt, 140, 0.98, 1.00}},
}};

}  // namespace

std::span<const Voice> voices() {
  return k_voices;
}

const Voice* find_voice(sv id) {
  const auto* found = std::ranges::find_if(
      k_voices, [&](const Voice& voice) { return equals_ignore_case(voice.id, id); });
  return found == k_voices.end() ? nullptr : found;
}

std::optional<Manner> manner_of(sv id) {
  if (const Voice* voice = find_voice(id)) return voice->manner;
  constexpr std::size_t k_shortest_custom = 8;
  const bool plain = std::ranges::all_of(id, [](char c) {
    return std::isalnum(static_cast<unsigned char>(c)) != 0 || c == '-' || c == '_';
  });
  const bool digit = id.find_first_of("0123456789") != sv::npos;
  if (id.size() < k_shortest_custom || !plain || !digit) return std::nullopt;
  std::uint32_t hash = 2'166'136'261U;  // FNV-1a
  for (const char c : id) hash = (hash ^ static_cast<unsigned char>(c)) * 16'777'619U;
  return k_voices[hash % k_voices.size()].manner;
}

}  // namespace svc::emulator::speech
