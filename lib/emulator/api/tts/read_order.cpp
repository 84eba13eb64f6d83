// Reading an order from JSON, and from a query.
#include <array>
#include <functional>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "base/text.h"
#include "emulator/api/tts/order.h"
#include "emulator/json/check_tables.h"
#include "emulator/sound/voices.h"

namespace svc::emulator::tts {
namespace {

using text::Json;
using text::Member;
using text::Shape;
using text::Type;

constexpr std::array k_format_members = {Member{"codec", &text::k_text, true},
                                         Member{"sample_rate", &text::k_integer},
                                         Member{"bit_rate", &text::k_integer}};
constexpr Type k_format{.shape = Shape::Object, .members = k_format_members};
constexpr std::array k_members = {Member{"text", &text::k_text, true},
                                  Member{"language", &text::k_text, true},
                                  Member{"voice_id", &text::k_text},
                                  Member{"output_format", &k_format},
                                  Member{"optimize_streaming_latency", &text::k_integer},
                                  Member{"text_normalization", &text::k_boolean},
                                  Member{"with_timestamps", &text::k_boolean},
                                  Member{"speed", &text::k_number},
                                  Member{"replace", &text::k_map}};
constexpr Type k_request{.shape = Shape::Object, .members = k_members};

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

using Setter = std::function<Complaint(Order&, sv)>;

Setter whole_number(sv name, Complaint (*set)(Order&, std::int64_t)) {
  return [name, set](Order& order, sv value) -> Complaint {
    const auto number = parse_integer(value);
    if (!number) return fmt::format("{} must be a whole number", name);
    return set(order, *number);
  };
}

template <typename Set>
Setter boolean(sv name, Set set) {
  return [name, set](Order& order, sv value) -> Complaint {
    if (value != "true" && value != "false") return fmt::format("{} must be true or false", name);
    set(order) = value == "true";
    return std::nullopt;
  };
}

Complaint set_speed_text(Order& order, sv value) {
  const auto speed = parse_number(value);
  return set_speed(order, speed.value_or(0));
}

Complaint set_member(Order& order, sv name, sv value) {
  const std::array<std::pair<sv, Setter>, 10> setters = {{
      {"voice", set_voice},
      {"voice_id", set_voice},
      {"language", [](Order&, sv text) { return set_language(text); }},
      {"codec", set_codec},
      {"sample_rate", whole_number("sample_rate", set_sample_rate)},
      {"bit_rate", whole_number("bit_rate", set_bit_rate)},
      {"speed", set_speed_text},
      {"optimize_streaming_latency", whole_number("optimize_streaming_latency", set_latency)},
      {"text_normalization",
       boolean("text_normalization", [](Order& o) -> bool& { return o.speech.normalize; })},
      {"with_timestamps",
       boolean("with_timestamps", [](Order& o) -> bool& { return o.with_timestamps; })},
  }};
  for (const auto& [known, set] : setters) {
    if (known == name) return set(order, value);
  }
  return std::nullopt;  // unknown members are ignored
}

}  // namespace

std::optional<Answer> read_order(const Call& call, Order& order) {
  std::optional<Answer> refusal;
  const Json body = text::read_body(call, k_request, refusal);
  if (refusal) return refusal;
  if (const auto bad = read_members(body, order)) return refuse_speech(400, *bad);
  return std::nullopt;
}

std::optional<Answer> read_query(const Call& call, Order& order) {
  order.speech.manner = *speech::manner_of(speech::k_default_voice);
  for (const Header& member : call.query) {
    if (member.value.empty()) continue;
    if (const auto bad = set_member(order, member.name, member.value)) {
      return refuse_speech(400, *bad);
    }
  }
  return std::nullopt;
}

}  // namespace svc::emulator::tts
