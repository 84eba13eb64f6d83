#include <cstdint>
#include <vector>

#include "emulator/picture/mp4.h"

namespace svc::emulator::videos {
namespace {

constexpr std::uint32_t k_timescale = 12'000;  // divisible by every frame rate in use

struct Film {
  const Stream& stream;
  media::Size size;
  int pictures_per_second;
  std::uint32_t count;

  [[nodiscard]] const Sample& sample(std::uint32_t index) const {
    return stream.samples[index % stream.samples.size()];
  }
};

/// Appends numbers, most significant byte first.
class Writer {
 public:
  Writer& u8(std::uint32_t value) { return number(value, 1); }
  Writer& u16(std::uint32_t value) { return number(value, 2); }
  Writer& u32(std::uint32_t value) { return number(value, 4); }
  Writer& zeros(std::size_t count) {
    m_bytes.append(count, '\0');
    return *this;
  }
  Writer& text(std::string_view bytes) {
    m_bytes += bytes;
    return *this;
  }
  /// The identity: what a picture goes through before it is shown.
  Writer& matrix() {
    u32(0x10000).zeros(12).u32(0x10000).zeros(12);
    return u32(0x40000000);
  }
  [[nodiscard]] const std::string& bytes() const { return m_bytes; }

 private:
  Writer& number(std::uint32_t value, unsigned count) {
    while (count-- > 0) m_bytes += static_cast<char>((value >> (8 * count)) & 0xFFU);
    return *this;
  }
  std::string m_bytes{};
};

std::string box(std::string_view type, std::string_view content) {
  Writer out;
  out.u32(static_cast<std::uint32_t>(content.size() + 8)).text(type).text(content);
  return out.bytes();
}

/// A box with a version, which is 0, and flags.
std::string full_box(std::string_view type, std::uint32_t flags, std::string_view content) {
  Writer out;
  return box(type, out.u32(flags).text(content).bytes());
}

std::uint32_t u32(int value) {
  return static_cast<std::uint32_t>(value);
}

std::uint32_t sample_ticks(const Film& film) {
  return k_timescale / u32(film.pictures_per_second);
}

std::uint32_t total_ticks(const Film& film) {
  return sample_ticks(film) * film.count;
}

std::string movie_header(const Film& film) {
  Writer out;
  out.u32(0).u32(0).u32(k_timescale).u32(total_ticks(film));
  out.u32(0x10000).u16(0x100).zeros(10).matrix().zeros(24).u32(2);
  return full_box("mvhd", 0, out.bytes());
}

std::string track_header(const Film& film) {
  constexpr std::uint32_t k_enabled_in_movie = 3;
  Writer out;
  out.u32(0).u32(0).u32(1).u32(0).u32(total_ticks(film)).zeros(16).matrix();
  out.u32(u32(film.size.width) << 16U).u32(u32(film.size.height) << 16U);
  return full_box("tkhd", k_enabled_in_movie, out.bytes());
}

std::string avc_configuration(const Film& film) {
  Writer out;
  out.u8(1).text(film.stream.sps.substr(1, 3)).u8(0xFF);  // lengths of four bytes
  out.u8(0xE1).u16(static_cast<std::uint32_t>(film.stream.sps.size())).text(film.stream.sps);
  out.u8(1).u16(static_cast<std::uint32_t>(film.stream.pps.size())).text(film.stream.pps);
  return box("avcC", out.bytes());
}

std::string sample_description(const Film& film) {
  Writer entry;
  entry.zeros(6).u16(1).zeros(16).u16(u32(film.size.width)).u16(u32(film.size.height));
  entry.u32(0x480000).u32(0x480000).u32(0).u16(1).zeros(32).u16(24).u16(0xFFFF);
  entry.text(avc_configuration(film));
  Writer out;
  return full_box("stsd", 0, out.u32(1).text(box("avc1", entry.bytes())).bytes());
}

// All samples lie in one chunk, which begins at `offset`.
std::string sample_table(const Film& film, std::uint32_t offset) {
  const auto count = film.count;
  Writer times;
  times.u32(1).u32(count).u32(sample_ticks(film));
  std::vector<std::uint32_t> key_numbers;
  Writer sizes;
  sizes.u32(0).u32(count);
  for (std::uint32_t i = 0; i < count; ++i) {
    if (film.sample(i).key) key_numbers.push_back(i + 1);
    sizes.u32(static_cast<std::uint32_t>(film.sample(i).bytes.size()));
  }
  Writer keys;
  keys.u32(static_cast<std::uint32_t>(key_numbers.size()));
  for (const std::uint32_t key : key_numbers) keys.u32(key);
  Writer chunks;
  chunks.u32(1).u32(1).u32(count).u32(1);
  Writer offsets;
  offsets.u32(1).u32(offset);
  return box("stbl", sample_description(film) + full_box("stts", 0, times.bytes()) +
                         full_box("stss", 0, keys.bytes()) + full_box("stsc", 0, chunks.bytes()) +
                         full_box("stsz", 0, sizes.bytes()) + full_box("stco", 0, offsets.bytes()));
}

std::string media_box(const Film& film, std::uint32_t offset) {
  constexpr std::uint32_t k_undetermined_language = 0x55C4;
  Writer header;
  header.u32(0).u32(0).u32(k_timescale).u32(total_ticks(film));
  header.u16(k_undetermined_language).u16(0);
  Writer handler;
  handler.u32(0).text("vide").zeros(12).text("svc-emulator").zeros(1);
  Writer references;
  references.u32(1).text(full_box("url ", 1, {}));
  const std::string information = full_box("vmhd", 1, Writer().zeros(8).bytes()) +
                                  box("dinf", full_box("dref", 0, references.bytes())) +
                                  sample_table(film, offset);
  return box("mdia", full_box("mdhd", 0, header.bytes()) + full_box("hdlr", 0, handler.bytes()) +
                         box("minf", information));
}

std::string movie(const Film& film, std::uint32_t offset) {
  return box("moov",
             movie_header(film) + box("trak", track_header(film) + media_box(film, offset)));
}

}  // namespace

std::string write_mp4(const Stream& stream, media::Size size, int pictures_per_second,
                      std::size_t count) {
  const Film film{stream, size, pictures_per_second, static_cast<std::uint32_t>(count)};
  Writer brand;
  brand.text("isom").u32(0x200).text("isomiso2avc1mp41");
  const std::string type = box("ftyp", brand.bytes());
  // The offset does not change the size of the box that holds it.
  const std::size_t before = type.size() + movie(film, 0).size() + 8;
  std::string data;
  for (std::uint32_t i = 0; i < film.count; ++i) data += film.sample(i).bytes;
  return type + movie(film, static_cast<std::uint32_t>(before)) + box("mdat", data);
}

}  // namespace svc::emulator::videos
