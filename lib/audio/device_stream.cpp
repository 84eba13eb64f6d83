#include "audio/device_stream.h"

#include <algorithm>
#include <array>
#include <atomic>
#include <cmath>
#include <mutex>
#include <string_view>

#include <dlfcn.h>
#include <portaudio.h>
#include <unistd.h>

#include "audio/sound_library.h"
#include "base/platform.h"

namespace svc::audio {
namespace {

// Redirects the diagnostics that ALSA and JACK write to standard error.

extern "C" {

void svc_audio_no_alsa_message(const char*, int, const char*, int, const char*, ...) {}
void svc_audio_no_jack_message(const char*) {}

/// PortAudio and PulseAudio offer no log handler, so their lines are recognised by prefix.
constexpr std::array<std::string_view, 7> k_diagnostic_prefixes = {
    "Expression '",
    "ALSA lib ",
    "PaAlsa",
    "jack server ",
    "Cannot connect to ",
    "Failed to create secure directory",
    "Home directory not accessible"};

ssize_t svc_audio_filter(void*, const char* bytes, size_t size) {
  const std::string_view text(bytes, size);
  const bool is_diagnostic = std::ranges::any_of(
      k_diagnostic_prefixes, [text](std::string_view begin) { return text.starts_with(begin); });
  for (size_t done = 0; !is_diagnostic && done < size;) {
    const ssize_t written = ::write(STDERR_FILENO, bytes + done, size - done);
    if (written <= 0) return 0;
    done += static_cast<size_t>(written);
  }
  return static_cast<ssize_t>(size);
}

}  // extern "C"

/// Drops what PortAudio, ALSA and JACK print through the C library's `stderr`: hundreds of lines
/// when devices are listed, and more when a device disappears. Other output to `stderr`, and all
/// output written directly to descriptor 2, is unaffected. Takes effect once, until the program
/// exits.
void silence_sound_libraries() {
  using AlsaHandler = void (*)(const char*, int, const char*, int, const char*, ...);
  using JackHandler = void (*)(const char*);
  // Only if PortAudio has already loaded it.
  if (void* alsa = ::dlopen(library_name("asound", 2).c_str(), RTLD_NOW | RTLD_NOLOAD)) {
    if (void* set = ::dlsym(alsa, "snd_lib_error_set_handler")) {
      reinterpret_cast<int (*)(AlsaHandler)>(set)(&svc_audio_no_alsa_message);
    }
  }
  if (void* jack = ::dlopen(library_name("jack", 0).c_str(), RTLD_NOW | RTLD_NOLOAD)) {
    for (const char* name : {"jack_set_error_function", "jack_set_info_function"}) {
      void* set = ::dlsym(jack, name);
      if (set != nullptr) reinterpret_cast<void (*)(JackHandler)>(set)(&svc_audio_no_jack_message);
    }
  }
  // svc's own messages bypass it: they are written to the descriptor.
  static std::once_flag once;
  std::call_once(once, redirect_stderr, &svc_audio_filter);
}

}  // namespace

// clang-format off
#define SVC_PORTAUDIO_FUNCTIONS(F) \
  F(initialize, Pa_Initialize) \
  F(terminate, Pa_Terminate) \
  F(error_text, Pa_GetErrorText) \
  F(host_error, Pa_GetLastHostErrorInfo) \
  F(host, Pa_GetHostApiInfo) \
  F(device_count, Pa_GetDeviceCount) \
  F(device, Pa_GetDeviceInfo) \
  F(default_input, Pa_GetDefaultInputDevice) \
  F(default_output, Pa_GetDefaultOutputDevice) \
  F(open, Pa_OpenStream) \
  F(close, Pa_CloseStream) \
  F(start, Pa_StartStream) \
  F(abort, Pa_AbortStream) \
  F(active, Pa_IsStreamActive) \
  F(stopped, Pa_IsStreamStopped) \
  F(on_finished, Pa_SetStreamFinishedCallback)
// clang-format on
SVC_LIBRARY(PortAudio, SVC_PORTAUDIO_FUNCTIONS);

bool built_with_sound() noexcept {
  return true;
}

struct SoundSystem::Table : PortAudio {};

namespace {

constexpr Milliseconds k_stop_timeout{500};  // these calls normally take 2 to 7 ms

std::string text_of(const char* text) {
  return text == nullptr ? std::string() : text;
}

/// PortAudio stops a stream by canceling its callback thread wherever it is, which occasionally
/// leaves a sound library's lock taken forever.
bool stop_with_timeout(std::function<void()> work) {
  const auto in_time = run_with_timeout(std::move(work), k_stop_timeout, NeverCanceled());
  return in_time && *in_time;
}

/// PortAudio uses a different clock, so the times it reports in a callback are converted to an
/// offset from now.
std::chrono::nanoseconds distance(PaTime when, const PaStreamCallbackTimeInfo& times) noexcept {
  constexpr double k_farthest = 5;  // seconds; larger offsets are driver errors
  if (when <= 0 || times.currentTime <= 0) return {};
  const double ahead = std::clamp(when - times.currentTime, -k_farthest, k_farthest);
  return std::chrono::nanoseconds(std::llround(ahead * 1e9));
}

}  // namespace

struct DeviceStream::Handle {
  PaStream* stream = nullptr;
  std::atomic<CaptureFeed*> capture = nullptr;
  std::atomic<PlaybackFeed*> playback = nullptr;
  std::size_t channels = 1;
  std::atomic<bool> finished = false;

  static int callback(const void* input, void* output, unsigned long frames,
                      const PaStreamCallbackTimeInfo* times, PaStreamCallbackFlags,
                      void* user) noexcept {
    auto& self = *static_cast<Handle*>(user);
    const std::size_t samples = frames * self.channels;
    const Clock::time_point now = Clock::now();
    CaptureFeed* const capture = self.capture;
    PlaybackFeed* const playback = self.playback;
    if (capture != nullptr && input != nullptr) {
      capture->push({static_cast<const Sample*>(input), samples},
                    now + distance(times->inputBufferAdcTime, *times), now);
    }
    if (playback != nullptr && output != nullptr) {
      playback->pull({static_cast<Sample*>(output), samples},
                     now + distance(times->outputBufferDacTime, *times));
    }
    return paContinue;
  }

  static void on_finished(void* user) noexcept {
    auto& self = *static_cast<Handle*>(user);
    self.finished = true;
    if (CaptureFeed* const capture = self.capture) capture->timer.fire();
  }
};

SoundSystem::SoundSystem(std::unique_ptr<const Table> table) : m_table(std::move(table)) {}

SoundSystem::~SoundSystem() {
  (void)stop_with_timeout(m_table->terminate);
}

Result<std::shared_ptr<const SoundSystem>> SoundSystem::open() {
  SVC_TRY(library, load_library(library_name("portaudio", 2), "audio", "libportaudio2"));
  SVC_TRY(functions, PortAudio::find_in(library));
  auto table = std::make_unique<Table>(Table{functions});
  silence_sound_libraries();
  if (const PaError code = table->initialize(); code != paNoError) {
    return Error{Fault::Local, "cannot start the audio system: " + text_of(table->error_text(code)),
                 "Is a sound server (PipeWire, PulseAudio, JACK) running? Everything but audio "
                 "still works."};
  }
  return std::shared_ptr<const SoundSystem>(new SoundSystem(std::move(table)));
}

std::vector<Device> SoundSystem::devices() const {
  std::vector<Device> found;
  const PaDeviceIndex count = m_table->device_count();
  for (PaDeviceIndex index = 0; index < count; ++index) {
    const PaDeviceInfo* info = m_table->device(index);
    if (info == nullptr) continue;
    const PaHostApiInfo* host = m_table->host(info->hostApi);
    found.push_back({index, text_of(info->name), host == nullptr ? "" : text_of(host->name),
                     info->maxInputChannels, info->maxOutputChannels,
                     static_cast<int>(std::lround(info->defaultSampleRate)),
                     index == m_table->default_input(), index == m_table->default_output()});
  }
  return found;
}

DeviceStream::DeviceStream(std::shared_ptr<const SoundSystem> system, Device device,
                           Direction direction, Milliseconds latency)
    : m_system(std::move(system)),
      m_device(std::move(device)),
      m_direction(direction),
      m_latency(latency),
      m_handle(std::make_unique<Handle>()) {}

DeviceStream::~DeviceStream() {
  if (m_handle->stream == nullptr) return;
  if (!m_stuck) {
    m_stuck = !stop_with_timeout(
        [table = m_system->m_table.get(), stream = m_handle->stream] { table->close(stream); });
  }
  if (!m_stuck) return;
  // The sound system's threads may still access both feeds.
  m_handle->capture = nullptr;
  m_handle->playback = nullptr;
  static_cast<void>(m_handle.release());
  static_cast<void>(new std::shared_ptr<const SoundSystem>(m_system));
}

Error DeviceStream::error(const char* what, int code) const {
  std::string why = text_of(m_system->m_table->error_text(code));
  if (code == paUnanticipatedHostError) {
    const PaHostErrorInfo* info = m_system->m_table->host_error();
    if (info != nullptr && info->errorText != nullptr && *info->errorText != '\0') {
      why = info->errorText;
    }
  }
  return Error{Fault::Local,
               std::string("the ") +
                   (m_direction == Direction::Input ? "microphone " : "speaker ") +
                   shown_device(m_device) + " cannot be " + what + ": " + why,
               "It may be in use, or no sound server is running. List the devices with `svc sound "
               "devices`."};
}

int DeviceStream::try_open(const Format& wanted) {
  const auto& table = *m_system->m_table;
  const double latency = std::chrono::duration<double>(m_latency).count();
  PaStreamParameters parameters{m_device.index, wanted.channels, paInt16, latency, nullptr};
  const bool input = m_direction == Direction::Input;
  const PaError code =
      table.open(&m_handle->stream, input ? &parameters : nullptr, input ? nullptr : &parameters,
                 wanted.rate, static_cast<unsigned long>(frames_in(wanted, m_latency / 2)),
                 paNoFlag, &Handle::callback, m_handle.get());
  if (code != paNoError) {
    m_handle->stream = nullptr;
    return code;
  }
  m_format = wanted;
  m_handle->channels = static_cast<std::size_t>(wanted.channels);
  table.on_finished(m_handle->stream, &Handle::on_finished);
  return code;
}

Result<std::unique_ptr<DeviceStream>> DeviceStream::open(std::shared_ptr<const SoundSystem> system,
                                                         const Device& device, Direction direction,
                                                         const Format& wanted,
                                                         Milliseconds latency) {
  std::unique_ptr<DeviceStream> stream(
      new DeviceStream(std::move(system), device, direction, latency));
  const int most = direction == Direction::Input ? device.input_channels : device.output_channels;
  std::vector<Format> tried;
  for (const int channels : {wanted.channels, std::min(2, most)}) {
    for (const int rate : {wanted.rate, device.rate, 48'000, 44'100}) {
      const Format format{rate, channels};
      if (std::ranges::find(tried, format) != tried.end()) continue;
      tried.push_back(format);
      const int code = stream->try_open(format);
      if (code == paNoError) return stream;
      const bool refused = code == paInvalidSampleRate || code == paInvalidChannelCount ||
                           code == paSampleFormatNotSupported;
      if (!refused) return stream->error("opened", code);
    }
  }
  return stream->error("opened", paInvalidSampleRate);
}

Result<void> DeviceStream::start(CaptureFeed& feed, const CancelToken* cancel) {
  m_handle->capture = &feed;
  return begin(cancel);
}

Result<void> DeviceStream::start(PlaybackFeed& feed, const CancelToken* cancel) {
  m_handle->playback = &feed;
  return begin(cancel);
}

Result<void> DeviceStream::begin(const CancelToken* cancel) {
  m_handle->finished = false;
  m_stuck = true;  // until `start` returns
  SVC_TRY(code,
          open_with_timeout<int>(cancel, [start = m_system->m_table->start,
                                          stream = m_handle->stream] { return start(stream); }));
  m_stuck = false;
  if (code != paNoError) return error("started", code);
  return {};
}

bool DeviceStream::abort() {
  const auto& table = *m_system->m_table;
  if (m_stuck || table.stopped(m_handle->stream) != 0) return !m_stuck;
  m_stuck = !stop_with_timeout([&table, stream = m_handle->stream] { table.abort(stream); });
  return !m_stuck;
}

Result<std::unique_ptr<DeviceStream>> DeviceStream::reopen(const CancelToken* cancel) const {
  using Opened = std::unique_ptr<DeviceStream>;
  SVC_TRY(stream, open_with_timeout<Opened>(
                      cancel, [system = m_system, device = m_device, direction = m_direction,
                               format = m_format, latency = m_latency] {
                        return open(system, device, direction, format, latency);
                      }));
  if (!(stream->format() == m_format)) return error("opened again", paInvalidSampleRate);
  return std::move(stream);
}

bool DeviceStream::is_disconnected() const {
  if (m_stuck || m_handle->finished) return true;
  const auto& table = *m_system->m_table;
  return table.stopped(m_handle->stream) == 0 && table.active(m_handle->stream) != 1;
}

}  // namespace svc::audio
