#include "emulator/api/tts/order.h"

#include <algorithm>
#include <array>
#include <cctype>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "base/text.h"
#include "emulator/json/check.h"
#include "emulator/sound/speaker.h"
#include "json/text.h"

namespace svc::emulator::tts {
namespace {

// The error message for an invalid field.
using Complaint = std::optional<std::string>;

constexpr std::array<std::int64_t, 6> k_rates = {8000, 16000, 22050, 24000, 44100, 48000};
constexpr std::array<std::int64_t, 5> k_bit_rates = {32000, 64000, 96000, 128000, 192000};
constexpr double k_slowest = 0.7;
constexpr double k_fastest = 1.5;

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

using text::Json;

const text::Types k_speech_types(R"(
request = {
  text!, language!, voice_id,
  output_format: {codec!, sample_rate: integer, bit_rate: integer},
  optimize_streaming_latency: integer, text_normalization: boolean, with_timestamps: boolean,
  speed: number, replace: map}
)");

Complaint set_voice(Order& order, sv id) {
  if (!speech::manner_of(id)) {
    std::vector<sv> known;
    for (const auto& voice : speech::voices()) known.push_back(voice.id);
    return fmt::format("Unknown voice '{}'. Available voices: {}", shown(id), join(known, ", "));
  }
  order.speech.voice = id;
  return std::nullopt;
}

Complaint set_language(sv language) {
  if (equals_ignore_case(language, "auto") || is_language(language)) return std::nullopt;
  return fmt::format("language must be 'auto' or a BCP-47 code such as en or pt-BR, not '{}'",
                     shown(language, 40));
}

Complaint set_codec(Order& order, sv name) {
  const auto codec = speech::find_codec(name);
  if (!codec) {
    return fmt::format("codec must be one of mp3, wav, pcm, mulaw, alaw, not '{}'",
                       shown(name, 40));
  }
  order.codec = *codec;
  return std::nullopt;
}

Complaint set_sample_rate(Order& order, std::int64_t rate) {
  if (std::ranges::find(k_rates, rate) == k_rates.end()) {
    return fmt::format("sample_rate must be one of {}, not {}", fmt::join(k_rates, ", "), rate);
  }
  order.speech.rate = static_cast<int>(rate);
  return std::nullopt;
}

Complaint set_bit_rate(Order& order, std::int64_t rate) {
  if (std::ranges::find(k_bit_rates, rate) == k_bit_rates.end()) {
    return fmt::format("bit_rate must be one of {}, not {}", fmt::join(k_bit_rates, ", "), rate);
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

Complaint read_format(const Json& body, Order& order) {
  const Json* format = text::member(body, "output_format");
  if (format == nullptr) return std::nullopt;
  if (auto bad = set_codec(order, text::text_of(*format, "codec"))) return bad;
  if (const auto rate = text::integer_of(*format, "sample_rate")) {
    if (auto bad = set_sample_rate(order, *rate)) return bad;
  }
  if (const auto rate = text::integer_of(*format, "bit_rate")) return set_bit_rate(order, *rate);
  return std::nullopt;
}

Complaint read_replacements(const Json& body, Order& order) {
  const Json* replace = text::member(body, "replace");
  if (replace == nullptr) return std::nullopt;
  for (const auto& [written, spoken] : replace->items()) {
    if (!spoken.is_string()) return "replace maps each phrase to a text";
    order.speech.replace[to_lower(trim(written))] = spoken.get<std::string>();
  }
  return std::nullopt;
}

Complaint read_members(const Json& body, Order& order) {
  order.speech.text = text::text_of(body, "text");
  const std::size_t length = count_code_points(order.speech.text);
  if (trim(order.speech.text).empty()) return "text must not be empty";
  if (length > k_longest_text) {
    return fmt::format("text must have at most {} characters, not {}", k_longest_text, length);
  }
  if (auto bad = set_language(text::text_of(body, "language"))) return bad;
  if (auto bad = set_voice(order, text::text_of(body, "voice_id", speech::k_default_voice))) {
    return bad;
  }
  if (auto bad = read_format(body, order)) return bad;
  if (const auto speed = text::number_of(body, "speed")) {
    if (auto bad = set_speed(order, *speed)) return bad;
  }
  if (const auto level = text::integer_of(body, "optimize_streaming_latency")) {
    if (auto bad = set_latency(order, *level)) return bad;
  }
  order.speech.normalize = text::flag_of(body, "text_normalization", false);
  order.with_timestamps = text::flag_of(body, "with_timestamps", false);
  return read_replacements(body, order);
}

// --- the query -------------------------------------------------------------------------------

// Unknown fields are ignored.
Complaint set_member(Order& order, sv name, sv value) {
  const auto whole = [&](Complaint (*set)(Order&, std::int64_t)) -> Complaint {
    const auto number = parse_integer(value);
    if (!number) return fmt::format("{} must be a whole number", name);
    return set(order, *number);
  };
  const auto flag = [&](bool& into) -> Complaint {
    if (value != "true" && value != "false") return fmt::format("{} must be true or false", name);
    into = value == "true";
    return std::nullopt;
  };
  if (name == "voice" || name == "voice_id") return set_voice(order, value);
  if (name == "language") return set_language(value);
  if (name == "codec") return set_codec(order, value);
  if (name == "sample_rate") return whole(set_sample_rate);
  if (name == "bit_rate") return whole(set_bit_rate);
  if (name == "speed") return set_speed(order, parse_number(value).value_or(0));
  if (name == "optimize_streaming_latency") return whole(set_latency);
  if (name == "text_normalization") return flag(order.speech.normalize);
  if (name == "with_timestamps") return flag(order.with_timestamps);
  return std::nullopt;
}

}  // namespace

Answer refuse_speech(int status, sv sentence) {
  Answer answer;
  answer.status = status;
  answer.body = fmt::format(R"({{"error":{}}})", json_quote(sentence));
  return answer;
}

// Parses an order from JSON, and from a query.

std::optional<Answer> read_order(const Call& call, Order& order) {
  SVC_TRY(body, text::read_body(call, k_speech_types["request"]));
  if (const auto bad = read_members(body, order)) return refuse_speech(400, *bad);
  return std::nullopt;
}

std::optional<Answer> read_query(const Call& call, Order& order) {
  for (const Header& member : call.query) {
    if (member.value.empty()) continue;
    if (const auto bad = set_member(order, member.name, member.value)) {
      return refuse_speech(400, *bad);
    }
  }
  return std::nullopt;
}

}  // namespace svc::emulator::tts
