#include "emulator/api/tts/params.h"

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
using ErrorMessage = std::optional<std::string>;

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

ErrorMessage set_voice(SpeechParams& params, sv id) {
  if (!speech::voice_settings(id)) {
    std::vector<sv> known;
    for (const auto& voice : speech::voices()) known.push_back(voice.id);
    return fmt::format("Unknown voice '{}'. Available voices: {}", shown(id), join(known, ", "));
  }
  params.speech.voice = id;
  return std::nullopt;
}

ErrorMessage set_language(sv language) {
  if (equals_ignore_case(language, "auto") || is_language(language)) return std::nullopt;
  return fmt::format("language must be 'auto' or a BCP-47 code such as en or pt-BR, not '{}'",
                     shown(language, 40));
}

ErrorMessage set_codec(SpeechParams& params, sv name) {
  const auto codec = speech::find_codec(name);
  if (!codec) {
    return fmt::format("codec must be one of mp3, wav, pcm, mulaw, alaw, not '{}'",
                       shown(name, 40));
  }
  params.codec = *codec;
  return std::nullopt;
}

ErrorMessage set_sample_rate(SpeechParams& params, std::int64_t rate) {
  if (std::ranges::find(k_rates, rate) == k_rates.end()) {
    return fmt::format("sample_rate must be one of {}, not {}", fmt::join(k_rates, ", "), rate);
  }
  params.speech.rate = static_cast<int>(rate);
  return std::nullopt;
}

ErrorMessage set_bit_rate(SpeechParams& params, std::int64_t rate) {
  if (std::ranges::find(k_bit_rates, rate) == k_bit_rates.end()) {
    return fmt::format("bit_rate must be one of {}, not {}", fmt::join(k_bit_rates, ", "), rate);
  }
  params.bit_rate = static_cast<int>(rate);
  return std::nullopt;
}

ErrorMessage set_speed(SpeechParams& params, double speed) {
  if (!(speed >= k_slowest && speed <= k_fastest)) {
    return fmt::format("speed must be between {} and {}", k_slowest, k_fastest);
  }
  params.speech.speed = speed;
  return std::nullopt;
}

ErrorMessage set_latency(SpeechParams& params, std::int64_t level) {
  if (level != 0 && level != 1) {
    return fmt::format("optimize_streaming_latency must be 0 or 1, not {}", level);
  }
  params.speech.quick_start = level == 1;
  return std::nullopt;
}

ErrorMessage read_format(const Json& body, SpeechParams& params) {
  const Json* format = text::member(body, "output_format");
  if (format == nullptr) return std::nullopt;
  if (auto bad = set_codec(params, text::get_string(*format, "codec"))) return bad;
  if (const auto rate = text::get_integer(*format, "sample_rate")) {
    if (auto bad = set_sample_rate(params, *rate)) return bad;
  }
  if (const auto rate = text::get_integer(*format, "bit_rate")) return set_bit_rate(params, *rate);
  return std::nullopt;
}

ErrorMessage read_replacements(const Json& body, SpeechParams& params) {
  const Json* replace = text::member(body, "replace");
  if (replace == nullptr) return std::nullopt;
  for (const auto& [written, spoken] : replace->items()) {
    if (!spoken.is_string()) return "replace maps each phrase to a text";
    params.speech.replace[to_lower(trim(written))] = spoken.get<std::string>();
  }
  return std::nullopt;
}

ErrorMessage read_members(const Json& body, SpeechParams& params) {
  params.speech.text = text::get_string(body, "text");
  const std::size_t length = count_code_points(params.speech.text);
  if (trim(params.speech.text).empty()) return "text must not be empty";
  if (length > k_max_text_length) {
    return fmt::format("text must have at most {} characters, not {}", k_max_text_length, length);
  }
  if (auto bad = set_language(text::get_string(body, "language"))) return bad;
  if (auto bad = set_voice(params, text::get_string(body, "voice_id", speech::k_default_voice))) {
    return bad;
  }
  if (auto bad = read_format(body, params)) return bad;
  if (const auto speed = text::get_number(body, "speed")) {
    if (auto bad = set_speed(params, *speed)) return bad;
  }
  if (const auto level = text::get_integer(body, "optimize_streaming_latency")) {
    if (auto bad = set_latency(params, *level)) return bad;
  }
  params.speech.normalize = text::get_bool(body, "text_normalization", false);
  params.with_timestamps = text::get_bool(body, "with_timestamps", false);
  return read_replacements(body, params);
}

// --- the query -------------------------------------------------------------------------------

// Unknown fields are ignored.
ErrorMessage set_member(SpeechParams& params, sv name, sv value) {
  const auto whole = [&](ErrorMessage (*set)(SpeechParams&, std::int64_t)) -> ErrorMessage {
    const auto number = parse_integer(value);
    if (!number) return fmt::format("{} must be a whole number", name);
    return set(params, *number);
  };
  const auto flag = [&](bool& into) -> ErrorMessage {
    if (value != "true" && value != "false") return fmt::format("{} must be true or false", name);
    into = value == "true";
    return std::nullopt;
  };
  if (name == "voice" || name == "voice_id") return set_voice(params, value);
  if (name == "language") return set_language(value);
  if (name == "codec") return set_codec(params, value);
  if (name == "sample_rate") return whole(set_sample_rate);
  if (name == "bit_rate") return whole(set_bit_rate);
  if (name == "speed") return set_speed(params, parse_number(value).value_or(0));
  if (name == "optimize_streaming_latency") return whole(set_latency);
  if (name == "text_normalization") return flag(params.speech.normalize);
  if (name == "with_timestamps") return flag(params.with_timestamps);
  return std::nullopt;
}

}  // namespace

Response speech_error(int status, sv message) {
  Response response;
  response.status = status;
  response.body = fmt::format(R"({{"error":{}}})", json_quote(message));
  return response;
}

// Parses an order from JSON, and from a query.

std::optional<Response> read_params(const Request& request, SpeechParams& params) {
  SVC_TRY(body, text::read_body(request, k_speech_types["request"]));
  if (const auto bad = read_members(body, params)) return speech_error(400, *bad);
  return std::nullopt;
}

std::optional<Response> read_query(const Request& request, SpeechParams& params) {
  for (const Header& member : request.query) {
    if (member.value.empty()) continue;
    if (const auto bad = set_member(params, member.name, member.value)) {
      return speech_error(400, *bad);
    }
  }
  return std::nullopt;
}

}  // namespace svc::emulator::tts
