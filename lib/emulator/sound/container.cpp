// The only file of the emulator that knows libsndfile.
#include "emulator/sound/container.h"

#include <algorithm>

#include <fmt/format.h>

#include "base/text.h"

#ifdef SVC_WITH_SNDFILE
#include <sndfile.h>

#include "emulator/sound/shared_library.h"
#endif

namespace svc::emulator::stt {
namespace {

// What the service reads and this emulator does not, by its first bytes.
std::string foreign_format(const std::string& head) {
  const auto has = [&](std::size_t at, sv bytes) {
    return head.compare(at, bytes.size(), bytes) == 0;
  };
  if (head.size() >= 12 && has(4, "ftyp")) return has(8, "M4A") ? "m4a" : "mp4";
  if (has(0, "\x1a\x45\xdf\xa3")) return "mkv";
  if (head.size() >= 2 && head[0] == '\xff' && (head[1] & '\xf6') == '\xf0') return "aac";
  return {};
}

Error refuse_container(const ByteSource& bytes) {
  const std::string foreign = foreign_format(bytes.text(0, 16));
  if (!foreign.empty()) {
    return usage_error(
        fmt::format("This emulator cannot decode {}, which the service can. Convert "
                    "the file to wav, mp3, ogg, opus or flac.",
                    foreign));
  }
  return usage_error(
      "The audio format was not recognized. Containers are detected by their content; raw audio "
      "needs audio_format and sample_rate.");
}

}  // namespace

#ifdef SVC_WITH_SNDFILE

namespace {

// clang-format off
#define SVC_SNDFILE_FUNCTIONS(F) \
  F(open, sf_open_virtual) \
  F(read, sf_readf_float) \
  F(close, sf_close)
// clang-format on
SVC_LIBRARY(SndfileFunctions, SVC_SNDFILE_FUNCTIONS);

Result<SndfileFunctions> load_sndfile() {
  SVC_TRY(library, speech::open_library("libsndfile.so.1", "libsndfile1"));
  return SndfileFunctions::find_in(library);
}

}  // namespace

struct Container::Impl {
  ByteSource bytes;
  sf_count_t at = 0;
  SNDFILE* file = nullptr;
  SF_INFO info{};
  std::vector<float> block{};
  sf_count_t (*read_frames)(SNDFILE*, float*, sf_count_t) = nullptr;
  int (*close)(SNDFILE*) = nullptr;

  static Impl& of(void* data) { return *static_cast<Impl*>(data); }
  static sf_count_t length(void* data) { return static_cast<sf_count_t>(of(data).bytes.size()); }
  static sf_count_t tell(void* data) { return of(data).at; }
  static sf_count_t seek(sf_count_t offset, int whence, void* data) {
    Impl& impl = of(data);
    const sf_count_t base = whence == SEEK_SET ? 0 : whence == SEEK_CUR ? impl.at : length(data);
    impl.at = std::max<sf_count_t>(0, base + offset);
    return impl.at;
  }
  static sf_count_t read(void* into, sf_count_t count, void* data) {
    Impl& impl = of(data);
    const std::size_t got =
        impl.bytes.read(static_cast<std::uint64_t>(impl.at),
                        {static_cast<char*>(into), static_cast<std::size_t>(count)});
    impl.at += static_cast<sf_count_t>(got);
    return static_cast<sf_count_t>(got);
  }
  static sf_count_t write(const void*, sf_count_t, void*) { return 0; }
};

Container::Container(std::unique_ptr<Impl> impl) : m_impl(std::move(impl)) {}

Container::~Container() {
  if (m_impl->file != nullptr) m_impl->close(m_impl->file);
}

Result<std::unique_ptr<Container>> Container::open(const ByteSource& bytes) {
  SVC_TRY(functions, load_sndfile());
  auto impl = std::make_unique<Impl>();
  impl->bytes = bytes;
  impl->close = functions.close;
  impl->read_frames = functions.read;
  SF_VIRTUAL_IO io{&Impl::length, &Impl::seek, &Impl::read, &Impl::write, &Impl::tell};
  impl->file = functions.open(&io, SFM_READ, &impl->info, impl.get());
  if (impl->file == nullptr) return refuse_container(bytes);
  constexpr int k_most_channels = 8;
  if (impl->info.channels < 1 || impl->info.channels > k_most_channels ||
      impl->info.samplerate < 1000 || impl->info.samplerate > 384'000) {
    functions.close(std::exchange(impl->file, nullptr));
    return usage_error("Audio has 1 to 8 channels and 1 to 384 kHz.");
  }
  return std::unique_ptr<Container>(new Container(std::move(impl)));
}

int Container::rate() const {
  return m_impl->info.samplerate;
}
int Container::channels() const {
  return m_impl->info.channels;
}

std::size_t Container::read(std::span<std::int16_t> into) {
  // As floats: those of a file are of any format, and read as integers they would be cut to zero.
  const auto channels = static_cast<std::size_t>(m_impl->info.channels);
  m_impl->block.resize(into.size() / channels * channels);
  const sf_count_t got = m_impl->read_frames(
      m_impl->file, m_impl->block.data(), static_cast<sf_count_t>(m_impl->block.size() / channels));
  if (got <= 0) return 0;
  const std::size_t count = static_cast<std::size_t>(got) * channels;
  for (std::size_t i = 0; i < count; ++i) {
    into[i] = speech::to_sample(static_cast<double>(m_impl->block[i]) * 32768.0);
  }
  return count;
}

bool containers_are_built_in() {
  return true;
}

#else

struct Container::Impl {};
Container::Container(std::unique_ptr<Impl> impl) : m_impl(std::move(impl)) {}
Container::~Container() = default;

Result<std::unique_ptr<Container>> Container::open(const ByteSource& bytes) {
  const std::string foreign = foreign_format(bytes.text(0, 16));
  if (!foreign.empty()) return refuse_container(bytes);
  return Error{Fault::Local, "This emulator was built without libsndfile: it reads raw audio only.",
               "Install the package libsndfile1-dev and build it again."};
}

int Container::rate() const {
  return 0;
}
int Container::channels() const {
  return 0;
}
std::size_t Container::read(std::span<std::int16_t> /*into*/) {
  return 0;
}

bool containers_are_built_in() {
  return false;
}

#endif

}  // namespace svc::emulator::stt
