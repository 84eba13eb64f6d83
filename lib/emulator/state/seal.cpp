#include "emulator/state/seal.h"

#include <fmt/format.h>
#include <nlohmann/json.hpp>
#include <openssl/evp.h>

#include "emulator/json/json.h"

namespace svc::emulator::text {
namespace {

constexpr std::size_t k_longest_sealed = 64U << 20U;  // lengths are an int to OpenSSL

const unsigned char* bytes_of(std::string_view text) {
  return reinterpret_cast<const unsigned char*>(text.data());
}

std::string header_of(std::string_view kind) {
  return fmt::format("svc emulator, {}, 1\n", kind);
}

}  // namespace

std::optional<std::string> decode_base64(std::string_view text) {
  if (text.empty() || text.size() % 4 != 0 || text.size() > k_longest_sealed) return std::nullopt;
  std::string bytes(text.size() / 4 * 3, '\0');
  const int size = EVP_DecodeBlock(reinterpret_cast<unsigned char*>(bytes.data()), bytes_of(text),
                                   static_cast<int>(text.size()));
  if (size < 0) return std::nullopt;
  // The padding was decoded as zero bytes.
  const std::size_t padding = text.ends_with("==") ? 2 : text.ends_with('=') ? 1 : 0;
  bytes.resize(static_cast<std::size_t>(size) - padding);
  return bytes;
}

std::string encode_base64(std::string_view bytes) {
  // A multiple of three, so that the blocks join without padding between them.
  constexpr std::size_t k_block = 3U << 20U;
  std::string text;
  for (std::size_t at = 0; at < bytes.size(); at += k_block) {
    const auto block = bytes.substr(at, k_block);
    std::string encoded((block.size() + 2) / 3 * 4 + 1, '\0');  // it ends with a zero byte
    const int size = EVP_EncodeBlock(reinterpret_cast<unsigned char*>(encoded.data()),
                                     bytes_of(block), static_cast<int>(block.size()));
    encoded.resize(static_cast<std::size_t>(size));
    text += encoded;
  }
  return text;
}

std::string seal(std::string_view kind, std::string_view content) {
  return encode_base64(header_of(kind) + std::string(content));
}

std::optional<std::string> unseal(std::string_view kind, std::string_view sealed) {
  auto content = decode_base64(sealed);
  const std::string header = header_of(kind);
  if (!content || !content->starts_with(header)) return std::nullopt;
  return content->substr(header.size());
}

}  // namespace svc::emulator::text

namespace svc::emulator {
namespace {

// Base64's own characters mean something else in a query.
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

}  // namespace svc::emulator
