#include <algorithm>
#include <cstdint>
#include <limits>
#include <optional>

#include "emulator/picture/mp4.h"

namespace svc::emulator::videos {
namespace {

constexpr std::size_t k_most_samples = 200'000;

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

std::string_view find_path(std::string_view bytes, std::initializer_list<std::string_view> path) {
  for (const auto type : path) bytes = find(bytes, type);
  return bytes;
}

// The durations of all samples, in ticks.
std::vector<std::uint64_t> read_times(std::string_view stts, std::size_t count) {
  std::vector<std::uint64_t> times;
  const std::uint64_t entries = number(stts, 4, 4);
  for (std::size_t i = 0; i < entries && 8 + i * 8 < stts.size(); ++i) {
    const std::uint64_t run =
        std::min<std::uint64_t>(number(stts, 8 + i * 8, 4), count - times.size());
    times.insert(times.end(), run, number(stts, 12 + i * 8, 4));
  }
  times.resize(count);
  return times;
}

// How many samples each chunk has: runs of chunks with the same number.
std::vector<std::size_t> read_chunk_sizes(std::string_view stsc, std::size_t chunks) {
  std::vector<std::size_t> sizes(chunks, 0);
  const std::size_t entries = std::min<std::size_t>(number(stsc, 4, 4), stsc.size() / 12);
  std::size_t chunk = 0;
  for (std::size_t i = 0; i < entries; ++i) {
    const std::size_t at = 8 + i * 12;
    const std::size_t next = i + 1 < entries ? number(stsc, at + 12, 4) : chunks + 1;
    for (; chunk < chunks && chunk + 1 < next; ++chunk) sizes[chunk] = number(stsc, at + 4, 4);
  }
  return sizes;
}

struct Offsets {
  std::string_view table{};
  std::size_t width = 4;
  std::size_t count = 0;
};

Offsets read_offsets(std::string_view table) {
  Offsets offsets{find(table, "stco")};
  if (offsets.table.empty()) offsets = {find(table, "co64"), 8};
  offsets.count =
      std::min<std::size_t>(number(offsets.table, 4, 4), offsets.table.size() / offsets.width);
  return offsets;
}

void read_samples(std::string_view table, std::uint64_t timescale, std::size_t file_size,
                  Mp4Track& track) {
  const std::string_view stsz = find(table, "stsz");
  const std::uint64_t common = number(stsz, 4, 4);
  std::size_t count = std::min<std::size_t>(number(stsz, 8, 4), k_most_samples);
  if (common == 0) count = std::min(count, stsz.size() / 4);
  const auto times = read_times(find(table, "stts"), count);
  const Offsets offsets = read_offsets(table);
  const auto in_chunk = read_chunk_sizes(find(table, "stsc"), offsets.count);
  std::size_t index = 0;
  std::uint64_t time = 0;
  for (std::size_t chunk = 0; chunk < offsets.count; ++chunk) {
    std::uint64_t at = number(offsets.table, 8 + chunk * offsets.width, offsets.width);
    for (std::size_t i = 0; i < in_chunk[chunk] && index < count; ++i, ++index) {
      const std::uint64_t size = common != 0 ? common : number(stsz, 12 + index * 4, 4);
      if (at > file_size || size > file_size - at) return;
      track.samples.push_back({static_cast<std::size_t>(at), static_cast<std::size_t>(size),
                               static_cast<double>(time) / static_cast<double>(timescale)});
      at += size;
      time += times[index];
    }
  }
}

// The parameter sets out of an avcC box.
void read_configuration(std::string_view avcc, Mp4Track& track) {
  if (avcc.size() < 7) return;
  track.length_size = static_cast<int>(number(avcc, 4, 1) & 3U) + 1;
  std::size_t at = 5;
  for (const std::uint64_t mask : {0x1FU, 0xFFU}) {
    const std::uint64_t count = number(avcc, at++, 1) & mask;
    for (std::uint64_t i = 0; i < count && at < avcc.size(); ++i) {
      const std::size_t size = number(avcc, at, 2);
      track.parameters.emplace_back(avcc.substr(std::min(at + 2, avcc.size()), size));
      at += 2 + size;
    }
  }
}

std::optional<Mp4Track> read_track(std::string_view trak, std::size_t file_size) {
  constexpr std::size_t k_entry_head = 78;  // of a visual sample entry
  const std::string_view mdia = find(trak, "mdia");
  const std::string_view handler = find(mdia, "hdlr");
  if (handler.size() < 12 || handler.substr(8, 4) != "vide") return std::nullopt;
  const std::string_view mdhd = find(mdia, "mdhd");
  const bool wide = number(mdhd, 0, 1) == 1;
  const std::uint64_t timescale = number(mdhd, wide ? 20 : 12, 4);
  const std::uint64_t duration = wide ? number(mdhd, 24, 8) : number(mdhd, 16, 4);
  const std::string_view table = find_path(mdia, {"minf", "stbl"});
  std::string_view entries = find(table, "stsd");
  if (entries.size() < 8 || timescale == 0) return std::nullopt;
  entries.remove_prefix(8);
  const auto entry = take_box(entries);
  if (!entry || entry->content.size() < k_entry_head) return std::nullopt;
  Mp4Track track;
  track.codec = entry->type;
  track.width = static_cast<int>(number(entry->content, 24, 2));
  track.height = static_cast<int>(number(entry->content, 26, 2));
  track.duration_s = static_cast<double>(duration) / static_cast<double>(timescale);
  read_configuration(find(entry->content.substr(k_entry_head), "avcC"), track);
  read_samples(table, timescale, file_size, track);
  return track;
}

}  // namespace

Result<Mp4Track> read_mp4(std::string_view file) {
  if (file.size() < 12 || file.substr(4, 4) != "ftyp") {
    return usage_error("The video is no MP4 file.");
  }
  std::string_view movie = find(file, "moov");
  if (movie.empty()) return usage_error("The MP4 file has no moov box: it is not complete.");
  while (const auto box = take_box(movie)) {
    if (box->type != "trak") continue;
    if (auto track = read_track(box->content, file.size())) return *std::move(track);
  }
  return usage_error("The MP4 file has no video track.");
}

}  // namespace svc::emulator::videos
