#include "support/fault_frames.h"

#include <algorithm>
#include <array>
#include <cstdint>

#include <fmt/format.h>
#include <openssl/evp.h>
#include <openssl/sha.h>

#include "base/text.h"

namespace svc::test {
namespace {

struct Named {
  std::string_view name;
  unsigned opcode;
};
constexpr std::array k_opcodes{Named{"continuation", 0}, Named{"text", 1}, Named{"binary", 2},
                               Named{"close", 8},        Named{"ping", 9}, Named{"pong", 10}};

std::string_view take_word(std::string_view& rest) {
  const std::size_t end = std::min(rest.find(' '), rest.size());
  const std::string_view word = rest.substr(0, end);
  rest.remove_prefix(std::min(end + 1, rest.size()));
  return word;
}

std::optional<unsigned> opcode_of(std::string_view word) {
  for (const Named& one : k_opcodes) {
    if (one.name == word) return one.opcode;
  }
  const auto number = parse_integer(word);
  if (!number || *number < 0 || *number > 15) return std::nullopt;
  return static_cast<unsigned>(*number);
}

std::string big_endian(std::uint64_t value, int bytes) {
  std::string out;
  for (int shift = 8 * (bytes - 1); shift >= 0; shift -= 8) {
    out += static_cast<char>(value >> static_cast<unsigned>(shift) & 0xFFU);
  }
  return out;
}

std::string close_payload(std::string_view text) {
  if (text.empty()) return {};
  const auto code = parse_integer(take_word(text));
  return big_endian(static_cast<std::uint64_t>(code.value_or(0)), 2) + std::string(text);
}

}  // namespace

std::string websocket_accept(std::string_view key) {
  const std::string text = std::string(key) + "258EAFA5-E914-47DA-95CA-C5AB0DC85B11";
  std::array<unsigned char, SHA_DIGEST_LENGTH> digest{};
  SHA1(reinterpret_cast<const unsigned char*>(text.data()), text.size(), digest.data());
  std::string out(32, '\0');
  const int size = EVP_EncodeBlock(reinterpret_cast<unsigned char*>(out.data()), digest.data(),
                                   static_cast<int>(digest.size()));
  out.resize(static_cast<std::size_t>(size));
  return out;
}

std::optional<std::string> frame_bytes(std::string_view words) {
  unsigned first = 0x80;
  bool masked = false;
  bool longest = false;
  std::optional<std::uint64_t> declared;
  std::string_view word;
  for (word = take_word(words);; word = take_word(words)) {
    if (word == "more") {
      first &= ~0x80U;
    } else if (word == "masked") {
      masked = true;
    } else if (word == "long") {
      longest = true;
    } else if (word == "rsv1" || word == "rsv2" || word == "rsv3") {
      first |= word == "rsv1" ? 0x40U : word == "rsv2" ? 0x20U : 0x10U;
    } else if (word == "declares") {
      const auto number = parse_integer(take_word(words));
      if (!number) return std::nullopt;
      declared = static_cast<std::uint64_t>(*number);
    } else {
      break;
    }
  }
  const auto opcode = opcode_of(word);
  if (!opcode) return std::nullopt;
  const std::string payload = *opcode == 8 ? close_payload(words) : std::string(words);
  const std::uint64_t length = declared.value_or(payload.size());
  std::string out(1, static_cast<char>(first | *opcode));
  const unsigned mask_bit = masked ? 0x80U : 0U;
  if (length < 126 && !longest) {
    out += static_cast<char>(mask_bit | length);
  } else if (length < 65'536 && !longest) {
    out += static_cast<char>(mask_bit | 126U);
    out += big_endian(length, 2);
  } else {
    out += static_cast<char>(mask_bit | 127U);
    out += big_endian(length, 8);
  }
  if (masked) out.append(4, '\0');  // a mask that changes nothing
  return out + payload;
}

std::optional<ClientFrame> read_client_frame(std::string_view bytes) {
  if (bytes.size() < 2) return std::nullopt;
  const auto byte = [&](std::size_t at) { return static_cast<unsigned char>(bytes[at]); };
  ClientFrame frame{.size = 2, .opcode = byte(0) & 0xFU, .final = (byte(0) & 0x80U) != 0};
  std::uint64_t length = byte(1) & 0x7FU;
  const bool masked = (byte(1) & 0x80U) != 0;
  const std::size_t further = length == 126 ? 2 : length == 127 ? 8 : 0;
  if (bytes.size() < 2 + further) return std::nullopt;
  if (further != 0) length = 0;
  for (std::size_t i = 0; i < further; ++i) length = length << 8U | byte(2 + i);
  frame.size += further;
  const std::size_t mask_at = frame.size;
  if (masked) frame.size += 4;
  if (bytes.size() < frame.size || bytes.size() - frame.size < length) return std::nullopt;
  frame.payload = bytes.substr(frame.size, length);
  for (std::size_t i = 0; masked && i < frame.payload.size(); ++i) {
    frame.payload[i] = static_cast<char>(frame.payload[i] ^ bytes[mask_at + i % 4]);
  }
  frame.size += length;
  std::string name = fmt::format("{}", frame.opcode);
  for (const Named& one : k_opcodes) {
    if (one.opcode == frame.opcode) name = one.name;
  }
  std::string said = frame.payload;
  if (frame.opcode == 8 && said.size() >= 2) {
    const auto high = static_cast<unsigned char>(said[0]);
    const auto low = static_cast<unsigned char>(said[1]);
    said = fmt::format("{} {}", high * 256 + low, said.substr(2));
  }
  frame.record = fmt::format("{}{}{}{}{}", masked ? "" : "unmasked ", frame.final ? "" : "more ",
                             name, said.empty() ? "" : " ", said);
  return frame;
}

}  // namespace svc::test
