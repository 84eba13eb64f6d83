#include "emulator/state/seal.h"

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "base/base64.h"
#include "base/text.h"
#include "emulator/json/json.h"

namespace svc::emulator::text {
namespace {

std::string header_of(std::string_view kind) {
  return fmt::format("svc emulator, {}, 1\n", kind);
}

}  // namespace

std::string seal(std::string_view kind, std::string_view content) {
  return base64_encode(header_of(kind) + std::string(content));
}

std::optional<std::string> unseal(std::string_view kind, std::string_view sealed) {
  auto content = base64_decode(sealed);
  const std::string header = header_of(kind);
  if (!content || !content->starts_with(header)) return std::nullopt;
  return content->substr(header.size());
}

}  // namespace svc::emulator::text

namespace svc::emulator {
namespace {

// Some Base64 characters have another meaning in a query.
constexpr std::string_view k_base64 = "+/=";
constexpr std::string_view k_query = "-_.";

std::string translate(std::string text, std::string_view from, std::string_view to) {
  for (char& c : text) {
    const auto at = from.find(c);
    if (at != std::string_view::npos) c = to[at];
  }
  return text;
}

}  // namespace

std::string make_page_token(std::string_view kind, const std::vector<std::string>& values) {
  return translate(text::seal(kind, text::dump(text::Json(values))), k_base64, k_query);
}

std::optional<std::vector<std::string>> read_page_token(std::string_view kind,
                                                        std::string_view token, std::size_t count) {
  const auto content = text::unseal(kind, translate(std::string(token), k_query, k_base64));
  if (!content) return std::nullopt;
  const text::Json list = text::parse_json(*content);
  if (!list.is_array() || list.size() != count) return std::nullopt;
  std::vector<std::string> values;
  for (const auto& value : list) {
    if (!value.is_string()) return std::nullopt;
    values.push_back(value.get<std::string>());
  }
  return values;
}

std::optional<std::int64_t> read_page_number(std::string_view kind, std::string_view token) {
  const auto values = read_page_token(kind, token, 1);
  return values ? parse_integer(values->front()) : std::nullopt;
}

}  // namespace svc::emulator
