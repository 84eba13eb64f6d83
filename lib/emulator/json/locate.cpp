#include "emulator/json/locate.h"

#include <algorithm>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "base/text.h"
#include "emulator/json/json.h"
#include "json/slices.h"

namespace svc::emulator::text {
namespace {

std::string decode_name(sv name) {
  if (name.find('\\') == sv::npos) return std::string(name);
  const Json decoded = parse_json(fmt::format("\"{}\"", name));
  return decoded.is_string() ? decoded.get<std::string>() : std::string(name);
}

// The value in `value` that the step leads to; empty when there is none. Of several members with
// that name it is the last, which is the one that counts.
sv follow(sv value, const Step& step) {
  if (const auto* name = std::get_if<std::string>(&step)) {
    sv found;
    for (const JsonMember& member : json_members(value)) {
      if (decode_name(member.name) == *name) found = member.value;
    }
    return found;
  }
  const auto elements = json_elements(value);
  const auto index = std::get<std::size_t>(step);
  return index < elements.size() ? elements[index] : sv{};
}

}  // namespace

Position locate(sv document, std::span<const Step> path) {
  const sv trimmed = trim(document);
  sv value = trimmed.empty() ? document : trimmed;
  for (const Step& step : path) {
    const sv next = follow(value, step);
    if (next.empty()) break;
    value = next;
  }
  const sv before =
      document.substr(0, static_cast<std::size_t>(value.data() - document.data()) + value.size());
  Position position;
  position.line = 1 + static_cast<std::size_t>(std::count(before.begin(), before.end(), '\n'));
  const std::size_t line_begin = before.rfind('\n');
  position.column = line_begin == sv::npos ? before.size() : before.size() - line_begin - 1;
  if (position.column == 0) position.column = 1;
  return position;
}

std::string describe_path(std::span<const Step> path) {
  std::string text;
  for (const Step& step : path) {
    if (const auto* name = std::get_if<std::string>(&step)) {
      text += text.empty() ? *name : "." + *name;
    } else {
      text += fmt::format("[{}]", std::get<std::size_t>(step));
    }
  }
  return text.empty() ? "." : text;
}

}  // namespace svc::emulator::text
