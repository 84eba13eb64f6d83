// A server's response to the opening handshake: any bytes, split anywhere, must give the same
// result. The accept key of the RFC's example is replaced by the right one, to reach the code after
// an acceptance; without it, nothing may be accepted.
#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <string>

#include "base/text.h"
#include "websocket/handshake.h"

namespace {

using svc::websocket::Handshake;

constexpr std::string_view k_example = "ccept: s3pPLMBiTxaQ9kYGzzhZRbK+xOo=";

std::string key_of(const Handshake& handshake) {
  constexpr std::string_view k_name = "Sec-WebSocket-Key: ";
  const std::string& text = handshake.text();
  const std::size_t begin = text.find(k_name) + k_name.size();
  return text.substr(begin, text.find('\r', begin) - begin);
}

/// "more", "accepted" and the rest, "refused 404" and the body, or "error".
std::string end_of(Handshake handshake, const std::string& input, std::size_t step, bool with_key) {
  const std::string right = "ccept: " + svc::websocket::accept_key(key_of(handshake));
  const std::string bytes = with_key ? svc::replace_all(input, k_example, right) : input;
  for (std::size_t at = 0; at < bytes.size(); at += step) {
    const auto whole = handshake.feed(std::string_view(bytes).substr(at, step));
    if (!whole) return "error";
    if (!*whole) continue;
    if (!handshake.accepted()) return "refused " + std::to_string(handshake.head().status);
    if (!with_key) std::abort();  // no input can contain the accept value, as the key is random
    std::string rest = handshake.take_rest();
    const std::size_t taken = std::min(bytes.size(), at + step);
    rest += bytes.substr(taken);
    return "accepted " + rest;
  }
  const auto ended = handshake.ended();
  return ended && *ended ? "refused by the end" : "more";
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  if (size < 2) return 0;
  const std::string bytes(reinterpret_cast<const char*>(data) + 1, size - 1);
  const std::size_t step = 1 + data[0] % 16;
  // The same handshake for both, as the key may be put anywhere in the input.
  const auto handshake = Handshake::make(
      {.url = "ws://127.0.0.1/", .bearer = "a-key", .subprotocols = {"one", "two"}}, "fuzz");
  if (!handshake) std::abort();
  for (const bool with_key : {false, true}) {
    const std::string whole = end_of(*handshake, bytes, bytes.size() + k_example.size(), with_key);
    const std::string pieces = end_of(*handshake, bytes, step, with_key);
    // In pieces, the end of a refusal may be seen before an error after it.
    if (pieces != whole && !pieces.starts_with("refused") && pieces != "error") std::abort();
  }
  return 0;
}
