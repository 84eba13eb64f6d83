#include "audio/duplex.h"

#include <algorithm>
#include <atomic>
#include <vector>

#include "audio/abandon.h"
#include "audio/devices.h"
#include "audio/echo.h"
#include "audio/microphone.h"
#include "audio/playback_reference.h"
#include "audio/speaker.h"

namespace svc::audio {
namespace {

// How much earlier than it is heard the canceller is told what is played. Devices are wrong about
// their times, and an echo that comes before its sound cannot be found; up to 130 ms after, it can.
constexpr Milliseconds k_lead{50};

/// A microphone whose blocks have passed an echo filter.
class FilteredMicrophone final : public Source {
 public:
  FilteredMicrophone(std::unique_ptr<Microphone> microphone, PlaybackReference tap,
                     std::unique_ptr<EchoFilter> filter)
      : m_microphone(std::move(microphone)),
        m_tap(std::move(tap)),
        m_filter(std::move(filter)),
        m_step(static_cast<std::size_t>(m_microphone->format().rate / k_steps)) {}

  [[nodiscard]] Format format() const override { return m_microphone->format(); }
  [[nodiscard]] Result<void> start() override { return m_microphone->start(); }
  [[nodiscard]] int wait_fd() const override { return m_microphone->wait_fd(); }
  void stop() override { m_microphone->stop(); }
  [[nodiscard]] bool ended() const override { return m_microphone->ended(); }
  void set_muted(bool muted) override { m_muted = muted; }
  [[nodiscard]] bool muted() const override { return m_muted; }
  [[nodiscard]] Level level() const override { return m_level.get(); }
  [[nodiscard]] std::uint64_t lost() const override { return m_microphone->lost(); }

  [[nodiscard]] Result<std::optional<Block>> take() override {
    SVC_TRY(block, m_microphone->take());
    if (block) pass(*block);
    return std::move(block);
  }

 private:
  static constexpr int k_steps = 100;  // a second

  void pass(Block& block) {
    const auto length = std::chrono::nanoseconds(block.samples.size() * 1'000'000'000 /
                                                 static_cast<std::size_t>(format().rate));
    const Clock::time_point begin = block.ended - length;
    m_tap.update();
    block.played.resize(block.samples.size());
    m_tap.read(begin, block.played, m_heard);
    m_leading.resize(block.samples.size());
    const bool jumped = m_tap.read(begin + k_lead, m_leading, m_ahead);
    if (jumped && m_filter) m_filter->realigned();
    std::span<Sample> samples(block.samples);
    for (std::size_t at = 0; m_filter && at + m_step <= samples.size(); at += m_step) {
      m_filter->process(std::span(m_leading).subspan(at, m_step), samples.subspan(at, m_step));
    }
    m_level.follow(level_of(samples));
    if (m_muted) std::ranges::fill(samples, Sample{0});
  }

  std::unique_ptr<Microphone> m_microphone;
  PlaybackReference m_tap;
  PlaybackReference::Cursor m_heard{};
  PlaybackReference::Cursor m_ahead{};
  std::unique_ptr<EchoFilter> m_filter;  // null: none
  std::size_t m_step;
  std::vector<Sample> m_leading{};
  SharedLevel m_level{};
  std::atomic<bool> m_muted = false;
};

/// The filter for what was asked for, or what can be had of it.
std::unique_ptr<EchoFilter> make_filter(EchoMode& mode, int rate, std::string& why) {
  if (mode == EchoMode::Off) return nullptr;
  if (mode == EchoMode::Cancel) {
    auto canceller = make_echo_canceller(rate);
    if (canceller) return make_echo_guard(std::move(*canceller));
    why = canceller.error().message;
    mode = EchoMode::HalfDuplex;
  }
  return make_echo_gate();
}

Result<Duplex> open_devices(const DuplexOptions& options) {
  SVC_TRY(system, SoundSystem::open());
  const std::vector<Device> devices = system->devices();
  SVC_TRY(input, choose_device(devices, Direction::Input, options.input));
  SVC_TRY(output, choose_device(devices, Direction::Output, options.output));
  // Whole steps of the filter.
  const Milliseconds block =
      std::max(Milliseconds(10), (options.block + Milliseconds(9)) / 10 * 10);
  SVC_TRY(microphone,
          Microphone::open(system, input,
                           {.format = options.format, .block = block, .cancel = options.cancel}));
  SVC_TRY(speaker, Speaker::open(system, output,
                                 {.format = options.format, .cancel = options.cancel}, Tap::Yes));
  SVC_TRY(tap, PlaybackReference::create(speaker->feed(), speaker->device_format(),
                                         options.format.rate));
  Duplex duplex;
  duplex.echo = options.echo;
  auto filter = make_filter(duplex.echo, options.format.rate, duplex.why);
  duplex.microphone = std::make_unique<FilteredMicrophone>(std::move(microphone), std::move(tap),
                                                           std::move(filter));
  duplex.speaker = std::move(speaker);
  return duplex;
}

}  // namespace

Result<Duplex> open_duplex(const DuplexOptions& options) {
  return open_in_time<Duplex>(options.cancel, [options] { return open_devices(options); });
}

}  // namespace svc::audio
