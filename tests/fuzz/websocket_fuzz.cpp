// Frames from a server: any bytes must give the same messages and the same end however they are
// split, and no message may exceed the limit.
#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <deque>
#include <string>

#include "websocket/framing.h"

namespace {

constexpr std::size_t k_cap = 4096;

std::string told_by(std::string_view bytes, std::size_t step) {
  svc::websocket::Framing framing(k_cap);
  std::deque<svc::websocket::Message> messages;
  for (std::size_t at = 0; at < bytes.size(); at += step) {
    framing.receive(bytes.substr(at, step), messages);
    framing.wrote(framing.output().size());  // pongs, and the close
  }
  std::string told;
  for (const auto& message : messages) {
    if (message.data.size() > k_cap) std::abort();
    told += (message.binary ? "b" : "t") + message.data + '\n';
  }
  if (framing.ended() && !framing.close_written()) std::abort();
  if (const auto& end = framing.ended()) told += std::to_string(end->code) + end->reason;
  return told;
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  if (size < 2) return 0;
  const std::string_view bytes(reinterpret_cast<const char*>(data) + 1, size - 1);
  const std::size_t step = 1 + data[0] % 16;
  if (told_by(bytes, step) != told_by(bytes, bytes.size())) std::abort();
  return 0;
}
