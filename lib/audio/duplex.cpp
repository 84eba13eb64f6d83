#include "audio/duplex.h"

#include <algorithm>
#include <atomic>
#include <deque>
#include <vector>

#include "audio/microphone_speaker.h"
#include "audio/playback_reference.h"
#include "audio/sound_library.h"

namespace svc::audio {
namespace {

// How far ahead of playback the canceller receives the played audio. Device timestamps are
// inaccurate, and an echo that arrives before its source cannot be found; one that arrives up to
// 130 ms later can.
constexpr Milliseconds k_lead{50};

/// A microphone whose blocks are passed through an echo filter.
class FilteredMicrophone final : public Source {
 public:
  /// `tail` applies to half duplex only.
  FilteredMicrophone(std::unique_ptr<Microphone> microphone, PlaybackReference tap,
                     std::unique_ptr<EchoFilter> filter, std::optional<Milliseconds> tail)
      : m_microphone(std::move(microphone)),
        m_tap(std::move(tap)),
        m_filter(std::move(filter)),
        m_tail(tail),
        m_step(static_cast<std::size_t>(m_microphone->format().rate / k_steps)) {}

  [[nodiscard]] Format format() const override { return m_microphone->format(); }
  [[nodiscard]] Result<void> start() override { return m_microphone->start(); }
  [[nodiscard]] int wait_fd() const override { return m_microphone->wait_fd(); }
  void stop() override { m_microphone->stop(); }
  [[nodiscard]] bool ended() const override { return m_microphone->ended() && m_held.empty(); }
  void set_muted(bool muted) override { m_muted = muted; }
  [[nodiscard]] bool muted() const override { return m_muted; }
  [[nodiscard]] Level level() const override { return m_level.get(); }
  [[nodiscard]] std::uint64_t lost() const override { return m_microphone->lost(); }

  [[nodiscard]] Result<std::optional<Block>> take() override {
    while (m_ready == 0) {
      SVC_TRY(block, m_microphone->take());
      if (!block) {
        if (!m_microphone->ended() || m_held.empty()) return std::optional<Block>{};
        m_ready = m_held.size();
        break;
      }
      pass(*std::move(block));
    }
    Held held = std::move(m_held.front());
    m_held.pop_front();
    --m_ready;
    std::vector<Sample>& samples = held.block.samples;
    if (m_voiced && !held.unsuppressed.empty()) samples = std::move(held.unsuppressed);
    m_level.follow(level_of(samples));
    if (m_muted) std::ranges::fill(samples, Sample{0});
    return std::optional(std::move(held.block));
  }

 private:
  static constexpr int k_steps = 100;  // per second
  // While there may be echo, blocks are held for this long, the delay until a voice is detected.
  static constexpr std::size_t k_max_held = 3;  // blocks

  struct Held {
    Block block{};
    std::vector<Sample> unsuppressed{};  // EchoFilter::unsuppressed()
  };

  void pass(Block block) {
    const auto length = std::chrono::nanoseconds(block.samples.size() * 1'000'000'000 /
                                                 static_cast<std::size_t>(format().rate));
    const Clock::time_point begin = block.ended - length;
    m_tap.update();
    block.played.resize(block.samples.size());
    m_tap.read(begin, block.played, m_played_cursor);
    m_leading.resize(block.samples.size());
    const bool jumped = m_tap.read(begin + k_lead, m_leading, m_reference_cursor);
    if (jumped && m_filter) m_filter->on_realigned();
    std::span<Sample> samples(block.samples);
    if (m_tail) close(samples, begin, block);
    Held held;
    bool voice_detected = false;
    for (std::size_t at = 0; m_filter && at + m_step <= samples.size(); at += m_step) {
      m_filter->process(std::span(m_leading).subspan(at, m_step), samples.subspan(at, m_step));
      const auto unsuppressed = m_filter->unsuppressed();
      if (m_filter->may_have_echo())
        held.unsuppressed.insert(held.unsuppressed.end(), unsuppressed.begin(), unsuppressed.end());
      voice_detected = voice_detected || m_filter->voice_detected();
    }
    if (held.unsuppressed.size() != samples.size()) held.unsuppressed.clear();
    held.block = std::move(block);
    m_held.push_back(std::move(held));
    // Audio from before the voice was detected is sent unsuppressed.
    m_voiced = voice_detected;
    const bool waits = m_filter && m_filter->may_have_echo() && !voice_detected;
    m_ready = waits ? m_held.size() - std::min(m_held.size(), k_max_held) : m_held.size();
  }

  /// Mutes the microphone, step by step, during playback and until the echo has faded.
  void close(std::span<Sample> samples, Clock::time_point begin, const Block& block) {
    for (std::size_t at = 0; at + m_step <= samples.size(); at += m_step) {
      const auto step = samples.subspan(at, m_step);
      m_path.add(level_of(std::span(block.played).subspan(at, m_step)).rms, level_of(step).rms);
      const Clock::time_point now = begin + time_of(format(), at);
      if (m_tap.plays(now)) m_played = now;
      if (m_played && now < *m_played + *m_tail + m_path.delay()) {
        std::ranges::fill(step, Sample{0});
      }
    }
  }

  std::unique_ptr<Microphone> m_microphone;
  PlaybackReference m_tap;
  PlaybackReference::Cursor m_played_cursor{};
  PlaybackReference::Cursor m_reference_cursor{};
  std::unique_ptr<EchoFilter> m_filter;  // null: no filter
  std::deque<Held> m_held{};
  std::size_t m_ready = 0;  // number of m_held blocks ready to be taken
  bool m_voiced = false;    // the ready blocks are returned unsuppressed
  std::optional<Milliseconds> m_tail;
  EchoPath m_path{};
  std::optional<Clock::time_point> m_played{};  // when audio was last played
  std::size_t m_step;
  std::vector<Sample> m_leading{};
  SharedLevel m_level{};
  std::atomic<bool> m_muted = false;
};

/// Creates the filter for `mode`, or downgrades `mode` and sets `why` if it is unavailable.
std::unique_ptr<EchoFilter> make_filter(EchoMode& mode, const DuplexOptions& options,
                                        std::string& why) {
  if (mode == EchoMode::Gate) return make_echo_gate();
  if (mode != EchoMode::Cancel) return nullptr;
  auto canceller = make_echo_canceller(options.format.rate, options.suppression);
  if (canceller) {
    // Strong suppression also removes some of the user's voice.
    auto linear = options.suppression == Suppression::Low
                      ? make_linear_canceller(options.format.rate)
                      : Result<std::unique_ptr<EchoFilter>>(nullptr);
    return make_echo_guard(std::move(*canceller), linear ? std::move(*linear) : nullptr);
  }
  why = canceller.error().message;
  mode = EchoMode::HalfDuplex;
  return nullptr;
}

Result<Duplex> open_devices(const DuplexOptions& options) {
  SVC_TRY(system, SoundSystem::open());
  const std::vector<Device> devices = system->devices();
  SVC_TRY(input, choose_device(devices, Direction::Input, options.input));
  SVC_TRY(output, choose_device(devices, Direction::Output, options.output));
  // A multiple of the filter's step.
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
  auto filter = make_filter(duplex.echo, options, duplex.why);
  const bool half = duplex.echo == EchoMode::HalfDuplex;
  duplex.microphone =
      std::make_unique<FilteredMicrophone>(std::move(microphone), std::move(tap), std::move(filter),
                                           half ? std::optional(options.tail) : std::nullopt);
  duplex.input = std::move(input);
  duplex.output = std::move(output);
  duplex.speaker = std::move(speaker);
  return duplex;
}

}  // namespace

Result<Duplex> open_duplex(const DuplexOptions& options) {
  return open_with_timeout<Duplex>(options.cancel, [options] { return open_devices(options); });
}

}  // namespace svc::audio
