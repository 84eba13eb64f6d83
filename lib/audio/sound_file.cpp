#include "audio/sound_file.h"

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <cstring>

#include <sndfile.h>

#include "audio/resampler.h"
#include "audio/sound_library.h"
#include "base/file_descriptor.h"
#include "base/files.h"
#include "base/platform.h"

namespace svc::audio {
namespace {

// clang-format off
#define SVC_SNDFILE_FUNCTIONS(F) \
  F(open, sf_open) \
  F(open_virtual, sf_open_virtual) \
  F(read, sf_readf_float) \
  F(close, sf_close) \
  F(error, sf_error) \
  F(text, sf_strerror)
// clang-format on
SVC_LIBRARY(SndFile, SVC_SNDFILE_FUNCTIONS);

Result<SndFile> load_sndfile() {
  SVC_TRY(library, load_library(library_name("sndfile", 1), "reading audio files", "libsndfile1"));
  return SndFile::find_in(library);
}

/// A file in memory, read by libsndfile through callbacks.
struct MemoryFile {
  std::string owned{};  ///< the bytes, unless somebody else owns them
  std::string_view bytes{};
  sf_count_t at = 0;

  [[nodiscard]] sf_count_t size() const { return static_cast<sf_count_t>(bytes.size()); }

  static sf_count_t length(void* self) { return static_cast<MemoryFile*>(self)->size(); }
  static sf_count_t tell(void* self) { return static_cast<MemoryFile*>(self)->at; }
  static sf_count_t seek(sf_count_t offset, int whence, void* self) {
    auto& file = *static_cast<MemoryFile*>(self);
    const sf_count_t base = whence == SEEK_SET ? 0 : whence == SEEK_CUR ? file.at : file.size();
    file.at = std::clamp<sf_count_t>(base + offset, 0, file.size());
    return file.at;
  }
  static sf_count_t read(void* into, sf_count_t count, void* self) {
    auto& file = *static_cast<MemoryFile*>(self);
    const sf_count_t most = std::min(count, file.size() - file.at);
    std::memcpy(into, file.bytes.data() + file.at, static_cast<std::size_t>(most));
    file.at += most;
    return most;
  }
};

class SndFileReader final : public SoundReader {
 public:
  SndFileReader(SndFile library, std::string name) noexcept
      : m_library(library), m_name(std::move(name)) {}
  SndFileReader(const SndFileReader&) = delete;
  SndFileReader& operator=(const SndFileReader&) = delete;
  ~SndFileReader() override {
    if (m_file != nullptr) m_library.close(m_file);
  }

  Result<void> open(const std::string& path, Format wanted) {
    m_file = m_library.open(path.c_str(), SFM_READ, &m_info);
    return begin(wanted);
  }

  Result<void> open_bytes(std::string bytes, Format wanted) {
    m_memory.owned = std::move(bytes);
    return open_view(m_memory.owned, wanted);
  }

  Result<void> open_view(std::string_view bytes, Format wanted) {
    m_memory.bytes = bytes;
    SF_VIRTUAL_IO access{&MemoryFile::length, &MemoryFile::seek, &MemoryFile::read, nullptr,
                         &MemoryFile::tell};
    m_file = m_library.open_virtual(&access, SFM_READ, &m_info, &m_memory);
    return begin(wanted);
  }

  [[nodiscard]] Format format() const override { return m_format; }

  [[nodiscard]] std::uint64_t frames() const override {
    if (m_info.frames <= 0 || m_info.frames == SF_COUNT_MAX) return 0;
    const auto rate = static_cast<std::uint64_t>(m_info.samplerate);
    return (static_cast<std::uint64_t>(m_info.frames) * static_cast<std::uint64_t>(m_format.rate) +
            rate / 2) /
           rate;
  }

  [[nodiscard]] Result<bool> read(std::size_t frames, std::vector<Sample>& samples) override {
    const auto channels = static_cast<std::size_t>(m_format.channels);
    const std::size_t before = samples.size();
    while (!m_over && samples.size() - before < frames * channels) {
      const sf_count_t got = m_library.read(m_file, m_floats.data(), k_step);
      if (got <= 0) {
        m_over = true;
        m_resampler->flush(samples);
      } else {
        mix(static_cast<std::size_t>(got));
        m_resampler->process(m_mixed, samples);
      }
    }
    return samples.size() > before;
  }

 private:
  static constexpr sf_count_t k_step = 1024;

  Result<void> begin(Format wanted) {
    if (m_file == nullptr) {
      return usage_error(
          quote_path(m_name) +
              " cannot be read as audio: " + visible(m_library.text(nullptr), Lines::Escape),
          "Supported formats: wav, flac, ogg, opus, mp3, aiff and au. Convert others "
          "with `ffmpeg -i FILE FILE.wav`.");
    }
    m_format = {wanted.rate > 0 ? wanted.rate : m_info.samplerate,
                wanted.channels > 0 ? wanted.channels : m_info.channels};
    SVC_TRY(resampler, Resampler::create(m_format.channels, m_info.samplerate, m_format.rate));
    m_resampler = std::make_unique<Resampler>(std::move(resampler));
    m_floats.resize(static_cast<std::size_t>(k_step * m_info.channels));
    return {};
  }

  void mix(std::size_t frames) {
    const auto from = static_cast<std::size_t>(m_info.channels);
    const auto to = static_cast<std::size_t>(m_format.channels);
    m_mixed.clear();
    for (std::size_t frame = 0; frame < frames; ++frame) {
      const float* in = m_floats.data() + frame * from;
      float sum = 0;
      for (std::size_t i = 0; i < from; ++i) sum += in[i];
      for (std::size_t i = 0; i < to; ++i) {
        m_mixed.push_back(
            sample_of(to == 1 ? sum / static_cast<float>(from) : in[std::min(i, from - 1)]));
      }
    }
  }

  SndFile m_library;
  std::string m_name;
  MemoryFile m_memory{};
  SF_INFO m_info{};
  SNDFILE* m_file = nullptr;
  Format m_format{};
  std::unique_ptr<Resampler> m_resampler{};
  std::vector<float> m_floats{};
  std::vector<Sample> m_mixed{};
  bool m_over = false;
};

}  // namespace

Result<std::unique_ptr<SoundReader>> open_sound_reader(const std::string& path, Format wanted) {
  // Missing or unreadable files get the same messages as everywhere else.
  SVC_TRY(begin, read_prefix(path, 1));
  if (begin.empty()) return usage_error(quote_path(path) + " is empty");
  SVC_TRY(library, load_sndfile());
  auto reader = std::make_unique<SndFileReader>(library, path);
  SVC_CHECK(reader->open(path, wanted));
  return std::unique_ptr<SoundReader>(std::move(reader));
}

Result<std::unique_ptr<SoundReader>> open_sound_bytes(std::string bytes, const std::string& name,
                                                      Format wanted) {
  SVC_TRY(library, load_sndfile());
  auto reader = std::make_unique<SndFileReader>(library, name);
  SVC_CHECK(reader->open_bytes(std::move(bytes), wanted));
  return std::unique_ptr<SoundReader>(std::move(reader));
}

Result<std::unique_ptr<SoundReader>> open_sound_view(std::string_view bytes,
                                                     const std::string& name, Format wanted) {
  SVC_TRY(library, load_sndfile());
  auto reader = std::make_unique<SndFileReader>(library, name);
  SVC_CHECK(reader->open_view(bytes, wanted));
  return std::unique_ptr<SoundReader>(std::move(reader));
}

}  // namespace svc::audio
