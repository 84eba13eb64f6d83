// In place of the sources about sound libraries, if sound is left out of the build. Samples that
// need not be resampled still pass.
#include "audio/device_stream.h"
#include "audio/resampler.h"
#include "audio/sound_file.h"
#include "audio/sound_library.h"
#include "base/shared_library.h"

namespace svc::audio {
namespace {

Error no_sound() {
  return built_without("sound", "SVC_SOUND");
}

}  // namespace

bool built_with_sound() noexcept {
  return false;
}

struct SoundSystem::Table {};
struct DeviceStream::Handle {};
struct Resampler::State {};

Result<std::shared_ptr<const SoundSystem>> SoundSystem::open() {
  return no_sound();
}
SoundSystem::~SoundSystem() = default;
std::vector<Device> SoundSystem::devices() const {
  return {};
}

Result<std::unique_ptr<DeviceStream>> DeviceStream::open(
    std::shared_ptr<const SoundSystem> /*system*/, const Device& /*device*/,
    Direction /*direction*/, const Format& /*wanted*/, Milliseconds /*latency*/) {
  return no_sound();
}
DeviceStream::~DeviceStream() = default;
Result<void> DeviceStream::start(CaptureFeed& /*feed*/, const CancelToken* /*cancel*/) {
  return no_sound();
}
Result<void> DeviceStream::start(PlaybackFeed& /*feed*/, const CancelToken* /*cancel*/) {
  return no_sound();
}
bool DeviceStream::abort() {
  return true;
}
Result<std::unique_ptr<DeviceStream>> DeviceStream::reopen(const CancelToken* /*cancel*/) const {
  return no_sound();
}
bool DeviceStream::is_disconnected() const {
  return true;
}

Resampler::Resampler(std::unique_ptr<State> state) : m_state(std::move(state)) {}
Resampler::Resampler(Resampler&&) noexcept = default;
Resampler& Resampler::operator=(Resampler&&) noexcept = default;
Resampler::~Resampler() = default;
Result<Resampler> Resampler::create(int /*channels*/, int from, int to) {
  if (from != to) return no_sound();
  return Resampler(std::make_unique<State>());
}
void Resampler::process(std::span<const Sample> in, std::vector<Sample>& out) {
  out.insert(out.end(), in.begin(), in.end());
}
void Resampler::flush(std::vector<Sample>& /*out*/) {}
void Resampler::reset() {}

Result<std::unique_ptr<SoundReader>> open_sound_reader(const std::string& /*path*/,
                                                       Format /*wanted*/) {
  return no_sound();
}
Result<std::unique_ptr<SoundReader>> open_sound_bytes(std::string /*bytes*/,
                                                      const std::string& /*name*/,
                                                      Format /*wanted*/) {
  return no_sound();
}
Result<std::unique_ptr<SoundReader>> open_sound_view(std::string_view /*bytes*/,
                                                     const std::string& /*name*/,
                                                     Format /*wanted*/) {
  return no_sound();
}

}  // namespace svc::audio
