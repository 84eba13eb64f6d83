#include "emulator/handler/address.h"

#include <algorithm>

#include <fmt/format.h>

#include "base/url.h"

namespace svc::emulator {
namespace {

// It ends up in URLs, so it must be a host and nothing else.
bool is_host(std::string_view text) {
  return !text.empty() && std::ranges::all_of(text, [](char c) {
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '.' ||
           c == '-' || c == ':' || c == '[' || c == ']';
  });
}

}  // namespace

std::string own_address(const Call& call) {
  const auto host = call.header("Host");
  return fmt::format("{}://{}", call.tls ? "https" : "http",
                     host && is_host(*host) ? *host : "127.0.0.1");
}

std::string public_file_url(const std::string& address, std::string_view token,
                            std::string_view filename) {
  if (token.empty()) return {};
  return fmt::format("{}/public/files/{}/{}", address, token, percent_encode(filename));
}

}  // namespace svc::emulator
