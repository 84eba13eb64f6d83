#include <algorithm>
#include <array>
#include <bitset>
#include <optional>
#include <utility>

#include "audio/echo.h"

namespace svc::audio {
namespace {

/// What was played during the last steps, at its loudest: a room answers for some time.
class Recent {
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
  explicit Guard(std::unique_ptr<EchoFilter> filter) : m_filter(std::move(filter)) {}

  void process(std::span<const Sample> played, std::span<Sample> heard) override {
    const double loudest = m_recent.add(level_of(played).rms);
    const bool silent = loudest < k_silence;
    m_pause = silent ? std::min(m_pause + 1, k_pause) : 0;
    if (m_pause == k_pause) {  // no echo, no work
      m_judged = 0;
      return distrust();
    }
    const double before = level_of(heard).rms;
    m_filter->process(played, heard);
    if (silent) return;
    const double after = level_of(heard).rms;
    if (m_trusted) {
      if (after < k_gone * before) learn_room(before / loudest);
      return;
    }
    judge(after / loudest);
    const bool speaks = before > k_louder * m_room.value_or(1) * loudest;
    m_open = speaks ? k_hold : std::max(0, m_open - 1);
    if (!m_trusted && m_open == 0) std::ranges::fill(heard, Sample{0});
  }

  void realigned() override {
    distrust();
    m_filter->realigned();
  }

 private:
  static constexpr double k_silence = 0.003;  // of the speaker
  static constexpr double k_gone = 0.2;       // what is left of an echo that is taken out
  static constexpr double k_louder = 1.5;     // a voice beside the echo
  static constexpr std::size_t k_steps = 25;  // that are looked at,
  static constexpr std::size_t k_good = 22;   // of which so many are without echo
  static constexpr int k_most = 200;  // steps of an answer: whoever talks into it is heard then
  static constexpr int k_pause = 50;  // steps after which another answer begins
  static constexpr int k_hold = 20;   // steps: the pauses within a word

  void distrust() {
    m_trusted = false;
    m_good.reset();
    m_open = 0;
  }

  void judge(double left) {
    m_good <<= 1U;
    m_good[0] = left <= k_gone;
    ++m_judged;
    m_trusted = m_judged >= k_most || m_good.count() >= k_good;
  }

  /// How loud the speaker is in the microphone: follows what is louder at once.
  void learn_room(double share) { m_room = std::max(share, m_room.value_or(0) * 0.999); }

  std::unique_ptr<EchoFilter> m_filter;
  Recent m_recent{};
  std::bitset<k_steps> m_good{};
  int m_judged = 0;
  int m_pause = 0;
  int m_open = 0;
  std::optional<double> m_room{};
  bool m_trusted = false;
};

}  // namespace

std::unique_ptr<EchoFilter> make_echo_guard(std::unique_ptr<EchoFilter> canceller) {
  return std::make_unique<Guard>(std::move(canceller));
}

}  // namespace svc::audio
