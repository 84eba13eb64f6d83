#include "audio/channels.h"

#include <algorithm>

namespace svc::audio {

void change_channels(std::span<const Sample> in, int from, int to, std::vector<Sample>& out) {
  if (from == to) {
    out.insert(out.end(), in.begin(), in.end());
    return;
  }
  const auto width = static_cast<std::size_t>(from);
  const auto wanted = static_cast<std::size_t>(to);
  out.reserve(out.size() + in.size() / width * wanted);
  for (std::size_t at = 0; at + width <= in.size(); at += width) {
    const std::span<const Sample> frame = in.subspan(at, width);
    int sum = 0;
    for (const Sample sample : frame) sum += sample;
    for (std::size_t i = 0; i < wanted; ++i) {
      out.push_back(wanted == 1 ? static_cast<Sample>(sum / from) : frame[std::min(i, width - 1)]);
    }
  }
}

}  // namespace svc::audio
