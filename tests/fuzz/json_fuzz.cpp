// JSON text: accepted text can be reformatted, and is then accepted again; the fast readers (of
// chat chunks, outlines and members) never disagree with the checker; repaired text parses.
#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <string>

#include <nlohmann/json.hpp>

#include "base/text.h"
#include "client/fast_delta.h"
#include "json/document.h"
#include "json/outline.h"
#include "json/repair.h"
#include "json/slices.h"
#include "json/text.h"

namespace {

/// Pieces must lie within the text, and elements must be JSON, except for ill-formed UTF-8.
void check_outline(std::string_view text, const svc::JsonOutline& outline) {
  for (const auto& member : outline.members) {
    if (member.value.begin + member.value.size > text.size()) std::abort();
    if (member.name.begin + member.name.size > member.value.begin) std::abort();
  }
  for (const auto& element : outline.elements) {
    if (element.begin + element.size > text.size()) std::abort();
    const bool bad = svc::check_json(svc::replace_invalid_utf8(element.of(text))).has_value();
    if (bad || (element.plain && svc::check_json(element.of(text)))) std::abort();
  }
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const std::string_view text(reinterpret_cast<const char*>(data), size);
  const bool fine = !svc::check_json(text);
  svc::FastDelta chunk;
  if (svc::read_fast_delta(text, chunk) && !fine) std::abort();
  svc::JsonOutline outline;
  const bool outlined = !svc::outline_json(text, "data", outline);
  if (fine && !outlined) std::abort();
  if (outlined) check_outline(text, outline);
  if (!fine) return 0;
  if (svc::check_json(svc::repair_json(text))) std::abort();
  if (svc::parse_reply(text).is_discarded()) std::abort();
  std::string once;
  const auto add = [&](std::string_view piece) { once += piece; };
  if (svc::reformat_json(text, {svc::JsonLayout::Compact}, add) || svc::check_json(once)) {
    std::abort();
  }
  for (const std::string_view element : svc::json_elements(text)) {
    if (svc::check_json(element)) std::abort();
  }
  for (const svc::JsonMember& member : svc::json_members(text)) {
    if (svc::check_json(member.value)) std::abort();
  }
  const auto picked = svc::json_member(text, "a.b|c");
  if (picked && svc::check_json(*picked)) std::abort();
  return 0;
}
