#include "audio/wav.h"

#include <algorithm>
#include <utility>

namespace svc::audio {
namespace {

constexpr std::uint64_t k_header = 44;
constexpr std::uint64_t k_most = 0xFFFF'FFFFULL - k_header;

void put(std::string& out, std::uint64_t value, int bytes) {
  for (int i = 0; i < bytes; ++i) out.push_back(static_cast<char>(value >> (8 * i) & 0xFFU));
}

}  // namespace

std::string wav_header(const Format& format, std::uint64_t data_bytes) {
  const auto rate = static_cast<std::uint64_t>(format.rate);
  const auto frame = static_cast<std::uint64_t>(format.channels) * sizeof(Sample);
  const std::uint64_t data = std::min(data_bytes, k_most);
  std::string out = "RIFF";
  put(out, data + k_header - 8, 4);
  out += "WAVEfmt ";
  put(out, 16, 4);  // what follows, up to "data"
  put(out, 1, 2);   // PCM
  put(out, static_cast<std::uint64_t>(format.channels), 2);
  put(out, rate, 4);
  put(out, rate * frame, 4);
  put(out, frame, 2);
  put(out, 16, 2);  // bits of a sample
  out += "data";
  put(out, data, 4);
  return out;
}

Result<WavWriter> WavWriter::create(const std::string& path, const Format& format,
                                    Replace replace) {
  SVC_TRY(file, AtomicFile::create(path, replace));
  SVC_CHECK(file.write(wav_header(format, file.is_straight() ? k_most : 0)));
  return WavWriter(std::move(file), format);
}

WavWriter::WavWriter(WavWriter&& other) noexcept
    : m_file(std::move(other.m_file)),
      m_format(other.m_format),
      m_bytes(std::exchange(other.m_bytes, 0)),
      m_patched(other.m_patched),
      m_closed(std::exchange(other.m_closed, true)) {}

WavWriter::~WavWriter() {
  if (m_closed || m_bytes == 0) return;
  // Best effort: this is the way out after another error.
  static_cast<void>(patch_header());
  static_cast<void>(m_file.keep_partial());
}

Result<void> WavWriter::write(std::span<const Sample> samples) {
  const std::string bytes = encode(samples, Encoding::Pcm);
  SVC_CHECK(m_file.write(bytes));
  m_bytes += bytes.size();
  const auto second =
      static_cast<std::uint64_t>(m_format.rate) * static_cast<std::uint64_t>(m_format.channels) * 2;
  return m_bytes - m_patched < second ? Result<void>() : patch_header();
}

Result<void> WavWriter::patch_header() {
  if (m_file.is_straight() || m_patched == m_bytes) return {};
  SVC_CHECK(m_file.overwrite(0, wav_header(m_format, m_bytes)));
  m_patched = m_bytes;
  return {};
}

Result<void> WavWriter::close() {
  if (std::exchange(m_closed, true)) return {};
  SVC_CHECK(patch_header());
  return m_file.commit();
}

}  // namespace svc::audio
