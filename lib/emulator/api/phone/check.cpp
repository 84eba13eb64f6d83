#include "emulator/api/phone/check.h"

#include <algorithm>
#include <array>
#include <string>

#include <arpa/inet.h>

#include "base/text.h"

namespace svc::emulator::phone {
namespace {

bool is_digit_of(char c) {
  return c >= '0' && c <= '9';
}

bool is_visible_ascii(char c) {
  return c > ' ' && c < '\x7F';
}

bool is_host_with_port(sv host) {
  if (host.starts_with('[')) {
    const auto end = host.find(']');
    return end != sv::npos && end > 1;
  }
  const auto colon = host.find(':');
  if (colon != sv::npos) {
    const auto port = parse_integer(host.substr(colon + 1));
    if (!port || *port < 1 || *port > 65535) return false;
    host = host.substr(0, colon);
  }
  return !host.empty() && std::ranges::all_of(host, [](char c) {
    return is_digit_of(c) || (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '.' ||
           c == '-' || c == '_';
  });
}

}  // namespace

bool is_e164(std::string_view text) {
  constexpr std::size_t k_most_digits = 15;
  if (text.size() < 3 || text.size() > k_most_digits + 1 || text[0] != '+' || text[1] == '0') {
    return false;
  }
  return std::ranges::all_of(text.substr(1), is_digit_of);
}

bool is_cidr(std::string_view text) {
  const auto slash = text.find('/');
  if (slash == sv::npos) return false;
  const std::string address(text.substr(0, slash));
  const auto bits = parse_integer(text.substr(slash + 1));
  if (!bits || *bits < 0) return false;
  std::array<unsigned char, sizeof(in6_addr)> parsed{};
  if (::inet_pton(AF_INET, address.c_str(), parsed.data()) == 1) return *bits <= 32;
  return ::inet_pton(AF_INET6, address.c_str(), parsed.data()) == 1 && *bits <= 128;
}

bool is_call_target(std::string_view text) {
  if (text.starts_with("tel:")) return is_e164(text.substr(4));
  if (!text.starts_with("sip:")) return false;
  text.remove_prefix(4);
  const auto at = text.find('@');
  return at != sv::npos && at > 0 && std::ranges::all_of(text, is_visible_ascii) &&
         is_host_with_port(text.substr(at + 1, text.find_first_of(";?", at) - at - 1));
}

bool is_web_address(std::string_view text) {
  const auto colon = text.find("://");
  if (colon == sv::npos || !std::ranges::all_of(text, is_visible_ascii)) return false;
  const sv scheme = text.substr(0, colon);
  if (!equals_ignore_case(scheme, "http") && !equals_ignore_case(scheme, "https")) return false;
  const sv rest = text.substr(colon + 3);
  sv host = rest.substr(0, rest.find_first_of("/?#"));
  if (const auto at = host.rfind('@'); at != sv::npos) host = host.substr(at + 1);
  return is_host_with_port(host);
}

}  // namespace svc::emulator::phone
