#include "emulator/api/tts/order.h"

#include <algorithm>
#include <array>
#include <cctype>

#include <fmt/format.h>

#include "base/text.h"
#include "emulator/sound/voices.h"
#include "json/text.h"

namespace svc::emulator::tts {
namespace {

constexpr std::array<std::int64_t, 6> k_rates = {8000, 16000, 22050, 24000, 44100, 48000};
constexpr std::array<std::int64_t, 5> k_bit_rates = {32000, 64000, 96000, 128000, 192000};
constexpr double k_slowest = 0.7;
constexpr double k_fastest = 1.5;

// The service's prices are not published: 15 dollars for a million characters is the emulator's.
constexpr std::int64_t k_ticks_per_character = 150'000;

template <std::size_t Size>
std::string listed(const std::array<std::int64_t, Size>& values) {
  return fmt::format("{}", fmt::join(values, ", "));
}

// "en", "pt-BR": a BCP-47 code of two or three letters, with parts of two to eight.
bool is_language(sv text) {
  bool first = true;
  for (const sv part : split(text, '-')) {
    const bool letters = std::ranges::all_of(
        part, [](char c) { return std::isalnum(static_cast<unsigned char>(c)) != 0; });
    if (!letters || part.size() < 2 || part.size() > (first ? 3U : 8U)) return false;
    first = false;
  }
  return true;
}

}  // namespace

Answer refuse_speech(int status, sv sentence) {
  Answer answer;
  answer.status = status;
  answer.body = fmt::format(R"({{"error":{}}})", json_quote(sentence));
  return answer;
}

Complaint set_voice(Order& order, sv id) {
  const auto manner = speech::manner_of(id);
  if (!manner) {
    std::string known;
    for (const auto& voice : speech::voices()) {
      if (!known.empty()) known += ", ";
      known += voice.id;
    }
    return fmt::format("Unknown voice '{}'. Available voices: {}",
                       visible(excerpt(id, 60), Lines::Escape), known);
  }
  order.speech.manner = *manner;
  return std::nullopt;
}

Complaint set_language(sv language) {
  if (equals_ignore_case(language, "auto") || is_language(language)) return std::nullopt;
  return fmt::format("language must be 'auto' or a BCP-47 code such as en or pt-BR, not '{}'",
                     visible(excerpt(language, 40), Lines::Escape));
}

Complaint set_codec(Order& order, sv name) {
  const auto codec = speech::find_codec(name);
  if (!codec) {
    return fmt::format("codec must be one of mp3, wav, pcm, mulaw, alaw, not '{}'",
                       visible(excerpt(name, 40), Lines::Escape));
  }
  order.codec = *codec;
  return std::nullopt;
}

Complaint set_sample_rate(Order& order, std::int64_t rate) {
  if (std::ranges::find(k_rates, rate) == k_rates.end()) {
    return fmt::format("sample_rate must be one of {}, not {}", listed(k_rates), rate);
  }
  order.speech.rate = static_cast<int>(rate);
  return std::nullopt;
}

Complaint set_bit_rate(Order& order, std::int64_t rate) {
  if (std::ranges::find(k_bit_rates, rate) == k_bit_rates.end()) {
    return fmt::format("bit_rate must be one of {}, not {}", listed(k_bit_rates), rate);
  }
  order.bit_rate = static_cast<int>(rate);
  return std::nullopt;
}

Complaint set_speed(Order& order, double speed) {
  if (!(speed >= k_slowest && speed <= k_fastest)) {
    return fmt::format("speed must be between {} and {}", k_slowest, k_fastest);
  }
  order.speech.speed = speed;
  return std::nullopt;
}

Complaint set_latency(Order& order, std::int64_t level) {
  if (level != 0 && level != 1) {
    return fmt::format("optimize_streaming_latency must be 0 or 1, not {}", level);
  }
  order.speech.quick_start = level == 1;
  return std::nullopt;
}

std::vector<Charge> charges_for(std::size_t characters) {
  return {{"speech synthesis", "character", static_cast<std::int64_t>(characters),
           k_ticks_per_character}};
}

}  // namespace svc::emulator::tts
