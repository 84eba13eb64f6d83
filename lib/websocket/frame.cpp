#include "websocket/frame.h"

#include <cstring>
#include <stdexcept>

#include <openssl/rand.h>

#include "base/text.h"
#include "base/utf8.h"

namespace svc::websocket {
namespace {

std::uint64_t big_endian(std::string_view bytes) {
  std::uint64_t value = 0;
  for (const char c : bytes) value = value << 8U | static_cast<unsigned char>(c);
  return value;
}

void append_big_endian(std::string& out, std::uint64_t value, int bytes) {
  for (int shift = 8 * (bytes - 1); shift >= 0; shift -= 8) {
    out += static_cast<char>(value >> static_cast<unsigned>(shift) & 0xFFU);
  }
}

}  // namespace

std::optional<FrameHead> read_frame_head(std::string_view bytes) {
  if (bytes.size() < 2) return std::nullopt;
  const auto first = static_cast<unsigned char>(bytes[0]);
  const auto second = static_cast<unsigned char>(bytes[1]);
  FrameHead head{.final = (first & 0x80U) != 0,
                 .reserved = static_cast<std::uint8_t>(first >> 4U & 0x7U),
                 .opcode = static_cast<std::uint8_t>(first & 0xFU),
                 .masked = (second & 0x80U) != 0,
                 .length = second & 0x7FU,
                 .size = 2};
  const std::size_t further = head.length == 126 ? 2 : head.length == 127 ? 8 : 0;
  if (bytes.size() < head.size + further) return std::nullopt;
  if (further != 0) {
    head.length = big_endian(bytes.substr(2, further));
    head.minimal = head.length >= (further == 2 ? 126U : 65'536U);
  }
  head.size += further;
  if (head.masked) {
    if (bytes.size() < head.size + 4) return std::nullopt;
    head.size += 4;
  }
  return head;
}

void apply_mask(char* bytes, std::size_t size, const char (&mask)[4]) noexcept {
  char twice[8];
  std::memcpy(twice, mask, 4);
  std::memcpy(twice + 4, mask, 4);
  std::uint64_t wide = 0;
  std::memcpy(&wide, twice, sizeof wide);
  std::size_t at = 0;
  for (; at + sizeof wide <= size; at += sizeof wide) {
    std::uint64_t word = 0;
    std::memcpy(&word, bytes + at, sizeof word);
    word ^= wide;
    std::memcpy(bytes + at, &word, sizeof word);
  }
  for (; at < size; ++at) bytes[at] = static_cast<char>(bytes[at] ^ mask[at % 4]);
}

void append_frame(std::string& out, Opcode opcode, bool final, std::string_view payload) {
  const std::size_t size = payload.size();
  out += static_cast<char>((final ? 0x80U : 0U) | static_cast<unsigned>(opcode));
  if (size < 126) {
    out += static_cast<char>(0x80U | size);
  } else if (size < 65'536) {
    out += static_cast<char>(0x80U | 126U);
    append_big_endian(out, size, 2);
  } else {
    out += static_cast<char>(0x80U | 127U);
    append_big_endian(out, size, 8);
  }
  char mask[4];
  if (RAND_bytes(reinterpret_cast<unsigned char*>(mask), sizeof mask) != 1) {
    throw std::runtime_error("the system gives no random numbers");
  }
  out.append(mask, sizeof mask);
  const std::size_t begin = out.size();
  out += payload;
  apply_mask(out.data() + begin, size, mask);
}

bool Utf8Check::feed(std::string_view piece) {
  while (!m_held.empty() && !piece.empty()) {
    m_held += piece.front();
    piece.remove_prefix(1);
    const utf8::Step step = utf8::step(m_held, 0);
    if (step.form == utf8::Form::Bad) return false;
    if (step.form == utf8::Form::Good) m_held.clear();
  }
  const auto at = first_invalid_utf8(piece);
  if (!at) return true;
  if (utf8::step(piece, *at).form != utf8::Form::Cut) return false;
  m_held = piece.substr(*at);
  return true;
}

}  // namespace svc::websocket
