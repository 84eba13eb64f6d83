#include "audio/duplex.h"

#include <algorithm>
#include <atomic>
#include <deque>
#include <vector>

#include "audio/enhanced_source.h"
#include "audio/front_end.h"
#include "audio/microphone_speaker.h"
#include "audio/playback_reference.h"
#include "audio/sound_library.h"

namespace svc::audio {
namespace {

/// A microphone whose blocks are passed through an echo filter.
class FilteredMicrophone final : public Source {
 public:
  /// Without `front` and `filter`, blocks pass unfiltered. `tail` applies to half duplex only.
  FilteredMicrophone(std::unique_ptr<Microphone> microphone, PlaybackReference tap,
                     std::unique_ptr<FrontEnd> front, std::unique_ptr<EchoFilter> filter,
                     std::optional<Milliseconds> tail, std::shared_ptr<EchoStatus> status)
      : m_microphone(std::move(microphone)),
        m_tap(std::move(tap)),
        m_front(std::move(front)),
        m_filter(std::move(filter)),
        m_tail(tail),
        m_status(std::move(status)),
        m_step(static_cast<std::size_t>(m_microphone->format().rate / k_steps)) {}

  [[nodiscard]] Format format() const override { return m_microphone->format(); }
  [[nodiscard]] Result<void> start() override { return m_microphone->start(); }
  [[nodiscard]] int wait_fd() const override { return m_microphone->wait_fd(); }
  void stop() override { m_microphone->stop(); }
  [[nodiscard]] bool ended() const override { return m_microphone->ended() && m_blocks.empty(); }
  void set_muted(bool muted) override { m_muted = muted; }
  [[nodiscard]] bool muted() const override { return m_muted; }
  [[nodiscard]] Level level() const override { return m_level.get(); }
  [[nodiscard]] std::uint64_t lost() const override { return m_microphone->lost(); }

  [[nodiscard]] Result<std::optional<Block>> take() override {
    while (m_blocks.empty() || m_filtered.size() < m_blocks.front().samples.size()) {
      SVC_TRY(block, m_microphone->take());
      if (block) {
        pass(*std::move(block));
      } else if (m_front && m_microphone->ended() && !m_blocks.empty()) {
        m_front->flush(m_filtered);
      } else {
        return std::optional<Block>{};
      }
    }
    Block block = std::move(m_blocks.front());
    m_blocks.pop_front();
    const auto end = m_filtered.begin() + static_cast<std::ptrdiff_t>(block.samples.size());
    std::copy(m_filtered.begin(), end, block.samples.begin());
    m_filtered.erase(m_filtered.begin(), end);
    m_level.follow(level_of(block.samples));
    if (m_muted) std::ranges::fill(block.samples, Sample{0});
    return std::optional(std::move(block));
  }

 private:
  static constexpr int k_steps = 100;  // per second

  void pass(Block block) {
    const auto length = std::chrono::nanoseconds(block.samples.size() * 1'000'000'000 /
                                                 static_cast<std::size_t>(format().rate));
    const Clock::time_point begin = block.ended - length;
    m_tap.update();
    block.played.resize(block.samples.size());
    (void)m_tap.read(begin, block.played, m_played_cursor);
    m_leading.resize(block.samples.size());
    const auto moved = m_tap.read(begin + FrontEnd::k_lead, m_leading, m_reference_cursor);
    if (moved != 0 && m_front) m_front->on_realigned(moved);
    std::span<Sample> samples(block.samples);
    if (m_tail) close(samples, begin, block);
    std::size_t at = 0;
    for (; at + m_step <= samples.size(); at += m_step) {
      const auto played = std::span(m_leading).subspan(at, m_step);
      const auto step = samples.subspan(at, m_step);
      if (m_front) {
        m_front->process(played, step, m_filtered);
        continue;
      }
      if (m_filter) m_filter->process(played, step);
      m_filtered.insert(m_filtered.end(), step.begin(), step.end());
    }
    if (at < samples.size()) {  // the end of the recording
      if (m_front) m_front->flush(m_filtered);
      m_filtered.insert(m_filtered.end(), samples.begin() + static_cast<std::ptrdiff_t>(at),
                        samples.end());
    }
    if (m_front) m_status->set(*m_front);
    m_blocks.push_back(std::move(block));
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
  std::unique_ptr<FrontEnd> m_front;
  std::unique_ptr<EchoFilter> m_filter;
  std::deque<Block> m_blocks{};      // not taken yet
  std::vector<Sample> m_filtered{};  // their audio, as far as it is ready
  std::optional<Milliseconds> m_tail;
  std::shared_ptr<EchoStatus> m_status;
  EchoPath m_path{};
  std::optional<Clock::time_point> m_played{};  // when audio was last played
  std::size_t m_step;
  std::vector<Sample> m_leading{};
  SharedLevel m_level{};
  std::atomic<bool> m_muted = false;
};

/// Creates the front end for a pair of devices, or downgrades `duplex` to half duplex.
std::unique_ptr<FrontEnd> make_front_end(Duplex& duplex, const DuplexOptions& options) {
  if (duplex.echo != EchoMode::Cancel) return nullptr;
  if (options.format.rate % 100 != 0) {
    duplex.why =
        "echo cancellation is not available at " + std::to_string(options.format.rate) + " Hz";
    duplex.echo = EchoMode::HalfDuplex;
    return nullptr;
  }
  // Without the library, echo is canceled too, but what is left of it is suppressed less well.
  auto suppressor = make_echo_canceller(options.format.rate, options.suppression);
  if (!suppressor) duplex.why = suppressor.error().message;
  return std::make_unique<FrontEnd>(
      options.format.rate, suppressor ? *std::move(suppressor) : nullptr,
      options.lag_of ? options.lag_of(duplex.input, duplex.output) : std::nullopt);
}

Result<Duplex> open_devices(const DuplexOptions& options) {
  SVC_TRY(system, SoundSystem::open());
  const std::vector<Device> devices = system->devices();
  SVC_TRY(input, choose_device(devices, Direction::Input, options.input));
  SVC_TRY(output, choose_device(devices, Direction::Output, options.output));
  // A multiple of the filter's step.
  const Milliseconds block =
      std::max(Milliseconds(10), (options.latency.block + Milliseconds(9)) / 10 * 10);
  SVC_TRY(microphone, Microphone::open(system, input,
                                       {.format = options.format,
                                        .block = block,
                                        .latency = options.latency.device,
                                        .cancel = options.cancel}));
  SVC_TRY(speaker, Speaker::open(system, output,
                                 {.format = options.format,
                                  .latency = options.latency.device,
                                  .prebuffer = options.latency.prebuffer,
                                  .cancel = options.cancel},
                                 Tap::Yes));
  SVC_TRY(tap, PlaybackReference::create(speaker->feed(), speaker->device_format(),
                                         options.format.rate));
  Duplex duplex;
  duplex.echo = options.echo;
  duplex.input = std::move(input);
  duplex.output = std::move(output);
  const auto status = std::make_shared<EchoStatus>();
  duplex.status = status;
  auto front = make_front_end(duplex, options);
  const bool half = duplex.echo == EchoMode::HalfDuplex;
  auto filtered = std::make_unique<FilteredMicrophone>(
      std::move(microphone), std::move(tap), std::move(front),
      duplex.echo == EchoMode::Gate ? make_echo_gate() : nullptr,
      half ? std::optional(options.tail) : std::nullopt, status);
  SVC_TRY(enhanced, enhance(std::move(filtered), options.enhancement));
  duplex.microphone = std::move(enhanced);
  duplex.speaker = std::move(speaker);
  return duplex;
}

}  // namespace

void EchoStatus::set(const FrontEnd& front) noexcept {
  closed = front.ineffective();
  if (const auto known = front.lag()) lag = known->count();
}

Result<Duplex> open_duplex(const DuplexOptions& options) {
  return open_with_timeout<Duplex>(options.cancel, [options] { return open_devices(options); });
}

}  // namespace svc::audio
