#include <cstdint>
#include <optional>

#include "emulator/picture/mp4.h"

namespace svc::emulator::videos {
namespace {

/// The number in the `count` bytes at `at`, most significant first; 0 beyond the end.
std::uint64_t number(std::string_view bytes, std::size_t at, std::size_t count) {
  if (at > bytes.size() || bytes.size() - at < count) return 0;
  std::uint64_t value = 0;
  for (std::size_t i = 0; i < count; ++i) {
    value = value << 8U | static_cast<unsigned char>(bytes[at + i]);
  }
  return value;
}

struct Mp4Box {
  std::string_view type{};
  std::string_view content{};
};

// The box at the front of `bytes`, which is taken off; nothing when it is broken.
std::optional<Mp4Box> take_box(std::string_view& bytes) {
  std::size_t head = 8;
  if (bytes.size() < head) return std::nullopt;
  std::uint64_t size = number(bytes, 0, 4);
  if (size == 1) {
    head = 16;
    size = number(bytes, 8, 8);
  } else if (size == 0) {
    size = bytes.size();
  }
  if (size < head || size > bytes.size()) return std::nullopt;
  const Mp4Box box{bytes.substr(4, 4), bytes.substr(head, size - head)};
  bytes.remove_prefix(size);
  return box;
}

// The first box of that type, its content; empty when there is none.
std::string_view find(std::string_view bytes, std::string_view type) {
  while (const auto box = take_box(bytes)) {
    if (box->type == type) return box->content;
  }
  return {};
}

std::optional<Mp4Track> read_track(std::string_view trak) {
  constexpr std::size_t k_entry_head = 78;  // of a visual sample entry
  const std::string_view mdia = find(trak, "mdia");
  const std::string_view handler = find(mdia, "hdlr");
  if (handler.size() < 12 || handler.substr(8, 4) != "vide") return std::nullopt;
  const std::string_view mdhd = find(mdia, "mdhd");
  const bool wide = number(mdhd, 0, 1) == 1;
  const std::uint64_t timescale = number(mdhd, wide ? 20 : 12, 4);
  const std::uint64_t duration = wide ? number(mdhd, 24, 8) : number(mdhd, 16, 4);
  std::string_view entries = find(find(find(mdia, "minf"), "stbl"), "stsd");
  if (entries.size() < 8 || timescale == 0) return std::nullopt;
  entries.remove_prefix(8);
  const auto entry = take_box(entries);
  if (!entry || entry->content.size() < k_entry_head) return std::nullopt;
  Mp4Track track;
  track.codec = entry->type;
  track.size = {static_cast<int>(number(entry->content, 24, 2)),
                static_cast<int>(number(entry->content, 26, 2))};
  track.duration_s = static_cast<double>(duration) / static_cast<double>(timescale);
  return track;
}

}  // namespace

Result<Mp4Track> read_mp4(std::string_view file) {
  if (file.size() < 12 || file.substr(4, 4) != "ftyp") {
    return usage_error("The video is not an MP4 file.");
  }
  std::string_view movie = find(file, "moov");
  if (movie.empty()) return usage_error("The MP4 file has no moov box: it is not complete.");
  while (const auto box = take_box(movie)) {
    if (box->type != "trak") continue;
    if (auto track = read_track(box->content)) return *std::move(track);
  }
  return usage_error("The MP4 file has no video track.");
}

}  // namespace svc::emulator::videos
