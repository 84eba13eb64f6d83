#include <algorithm>
#include <array>
#include <bitset>
#include <deque>
#include <optional>
#include <utility>

#include "audio/echo.h"

namespace svc::audio {
namespace {

/// The loudest playback level of the last steps, because a room reverberates.
class RecentPeak {
 public:
  double add(double level) {
    m_levels[m_next++ % m_levels.size()] = level;
    return *std::ranges::max_element(m_levels);
  }

 private:
  std::array<double, 20> m_levels{};
  std::size_t m_next = 0;
};

class Guard final : public EchoFilter {
 public:
  Guard(std::unique_ptr<EchoFilter> filter, std::unique_ptr<EchoFilter> linear)
      : m_filter(std::move(filter)), m_linear(std::move(linear)) {}

  void process(std::span<const Sample> played, std::span<Sample> captured) override {
    const double loudest = m_recent.add(level_of(played).rms);
    const bool silent = loudest < k_silence;
    m_pause = silent ? std::min(m_pause + 1, k_pause) : 0;
    if (m_pause == k_pause) {  // no echo, nothing to do
      m_trust_steps = 0;
      m_voices.reset();
      m_voiced = 0;
      m_before = m_left = 0;
      m_recent_residue.clear();
      if (m_linear) m_linear->on_realigned();
      return reset_trust();
    }
    const double before = level_of(captured).rms;
    m_raw.assign(captured.begin(), captured.end());
    m_unsuppressed = m_raw;
    m_filter->process(played, captured);
    const double after = level_of(captured).rms;
    detect_voice(played, captured, before);
    if (silent) return;
    if (m_trusted) {
      if (after < k_canceled_share * before) learn_coupling(before / loudest);
      return;
    }
    update_trust(after / loudest);
    const bool speaks = before > k_louder * m_room_coupling.value_or(1) * loudest;
    m_open = speaks ? k_hold : std::max(0, m_open - 1);
    if (!m_trusted && m_open == 0) std::ranges::fill(captured, Sample{0});
  }

  void on_realigned() override {
    reset_trust();
    m_filter->on_realigned();
  }

  [[nodiscard]] bool may_have_echo() const override { return m_linear && m_pause < k_pause; }
  [[nodiscard]] bool voice_detected() const override { return m_voiced > 0; }
  [[nodiscard]] std::span<const Sample> unsuppressed() const override { return m_unsuppressed; }

 private:
  static constexpr double k_silence = 0.003;  // playback below this level is silence
  static constexpr double k_canceled_share =
      0.2;                                    // remaining share below which an echo is canceled
  static constexpr double k_louder = 1.5;     // louder than the echo: a voice
  static constexpr std::size_t k_steps = 25;  // steps in the window
  static constexpr std::size_t k_good = 22;   // steps of the window that must be free of echo
  static constexpr int k_most = 200;  // steps after which an answer can be interrupted in any case
  static constexpr int k_pause = 50;  // silent steps after which the next playback is a new answer
  static constexpr int k_hold = 20;   // steps: bridges pauses within a word
  // Measured with speech over its own echo: a voice leaves more residue within 30 ms. Three such
  // steps out of five occurred 40 to 80 ms after a voice started, and never without a voice.
  static constexpr double k_voice_left = 0.006;  // residue after the canceller,
  static constexpr double k_voice_heard = 0.08;  // and relative to the loudest recent input
  static constexpr double k_voice = 0.02;        // residue after the linear canceller,
  static constexpr double k_voice_share = 0.4;   // and relative to the input
  static constexpr double k_linear_good = 0.15;  // of the energy: maximum residue when adapted
  static constexpr double k_phantom = 1.5;       // residue above input: it subtracts a missing echo
  static constexpr std::size_t k_voice_steps = 3;
  static constexpr std::size_t k_voice_onset = 12;  // steps
  static constexpr int k_voice_hold = 30;           // steps: bridges pauses between words

  void reset_trust() {
    m_trusted = false;
    m_good.reset();
    m_open = 0;
  }

  /// Detects a voice over the echo.
  void detect_voice(std::span<const Sample> played, std::span<Sample> canceled, double before) {
    if (!m_linear) return;
    m_linear->process(played, m_unsuppressed);
    const double left = level_of(m_unsuppressed).rms;
    const double after = level_of(canceled).rms;
    const bool loud = after > std::max(k_voice_left, k_voice_heard * m_loudest.add(before));
    m_voices <<= 1U;
    m_voices[0] = m_trusted && loud && left > std::max(k_voice, k_voice_share * before);
    // After playback ends, an active voice is passed unsuppressed to its end.
    const int hold = m_pause > 0 ? m_voiced : std::max(0, m_voiced - 1);
    m_voiced = m_voices.count() >= k_voice_steps ? k_voice_hold : hold;
    learn_residue(loud, before, left);
    // Either canceller may have lost the room for a moment, so the quieter output is used.
    if (m_voiced == 0 && left < after) std::ranges::copy(m_unsuppressed, canceled.begin());
    if (m_left > k_linear_good * m_before) {
      // Any echo it leaves would be heard as somebody speaking.
      m_unsuppressed.assign(canceled.begin(), canceled.end());
    } else if (left > k_phantom * before) {
      // It subtracts an echo that is not there, because playback was stopped.
      m_unsuppressed = m_raw;
    }
  }

  /// Learns how much of a pure echo the linear canceller leaves. A voice is detected some steps
  /// after it starts, so those steps are discarded, not learnt as residual echo.
  void learn_residue(bool voice, double before, double left) {
    if (voice) return m_recent_residue.clear();
    m_recent_residue.push_back({before * before, left * left});
    if (m_recent_residue.size() <= k_voice_onset) return;
    m_before += 0.05 * (m_recent_residue.front().before - m_before);
    m_left += 0.05 * (m_recent_residue.front().left - m_left);
    m_recent_residue.pop_front();
  }

  void update_trust(double left) {
    m_good <<= 1U;
    m_good[0] = left <= k_canceled_share;
    ++m_trust_steps;
    m_trusted = m_trust_steps >= k_most || m_good.count() >= k_good;
  }

  /// Learns the speaker's level at the microphone: rises at once, falls slowly.
  void learn_coupling(double share) {
    m_room_coupling = std::max(share, m_room_coupling.value_or(0) * 0.999);
  }

  std::unique_ptr<EchoFilter> m_filter;
  std::unique_ptr<EchoFilter> m_linear;  // null: not available
  std::vector<Sample> m_raw{};           // the unfiltered input
  std::vector<Sample> m_unsuppressed{};
  RecentPeak m_loudest{};
  double m_before = 0;  // energy of a pure echo, before and after the linear canceller
  double m_left = 0;
  struct Rest {
    double before;
    double left;
  };
  std::deque<Rest> m_recent_residue{};  // the newest last
  std::bitset<5> m_voices{};
  int m_voiced = 0;
  RecentPeak m_recent{};
  std::bitset<k_steps> m_good{};
  int m_trust_steps = 0;
  int m_pause = k_pause;  // nothing has been played yet
  int m_open = 0;
  std::optional<double> m_room_coupling{};
  bool m_trusted = false;
};

}  // namespace

std::unique_ptr<EchoFilter> make_echo_guard(std::unique_ptr<EchoFilter> canceller,
                                            std::unique_ptr<EchoFilter> linear) {
  return std::make_unique<Guard>(std::move(canceller), std::move(linear));
}

}  // namespace svc::audio
