#include "audio/front_end.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <numbers>

namespace svc::audio {
namespace {

constexpr double k_longest_lag = 0.6;    // seconds
constexpr double k_early = 0.02;         // seconds by which the aligned playback leads its echo
constexpr double k_tail = 0.3;           // seconds after which an echo has faded
constexpr double k_moved = 0.008;        // seconds: the lag has changed, not drifted
constexpr double k_silence = 0.002;      // playback below this level is silence
constexpr std::size_t k_max_held = 90;   // steps: the start of a voice that is not yet detected
constexpr double k_memory = 0.02;        // a step: half a second
constexpr double k_short_memory = 0.25;  // a step: 40 ms
constexpr double k_good = 2.5;        // ratio of energies, 4 dB: the detector has learnt the rest
constexpr double k_bad = 1.6;         // 2 dB
constexpr int k_learning_steps = 50;  // of playback
constexpr double k_quiet = 6.3e-5;    // -42 dB: no echo worth mentioning
constexpr int k_quiet_steps = 65;
constexpr int k_bad_steps = 150;
constexpr double k_no_echo = 2;         // seconds of searching
constexpr int k_seen_steps = 90;        // the network saw phrases, and not how long people talk
constexpr int k_fresh_check_steps = 4;  // a voice that starts is compared with playback more often
// The logarithm of the odds that it is a voice and no echo: less what a comparison takes, the most
// that one counts, and from when it is a voice, or an echo.
constexpr float k_odds = 1.5F;
constexpr float k_most_odds = 2.5F;
constexpr float k_enough_trust = 5;
constexpr float k_most_trust = 6;
constexpr float k_least_trust = -4;
constexpr double k_louder = 1.2;       // ratio of energies
constexpr double k_agreement = 0.002;  // seconds
constexpr double k_voiced = 0.2;       // score of a step that belongs to a voice
constexpr int k_gap_steps = 50;        // within a voice
constexpr int k_onset_steps = 8;       // before the first such step
constexpr int k_check_steps = 10;      // how often a voice is compared with playback

constexpr int k_pause_steps = 30;   // after them, a device may play at another delay
constexpr int k_start_steps = 150;  // of playback, in which that delay is looked for
constexpr int k_start_check_steps = 5;
constexpr double k_start_wait = 0.3;  // seconds after which an echo would have been found
constexpr double k_start_clear = 8;
constexpr double k_start_like = 0.3;

constexpr int k_taps = 16;
constexpr int k_phases = 64;

/// Reads between samples.
class Interpolator {
 public:
  Interpolator() {
    for (int phase = 0; phase <= k_phases; ++phase) {
      for (int tap = 0; tap < k_taps; ++tap) {
        const double at = tap - (k_taps / 2 - 1) - static_cast<double>(phase) / k_phases;
        const double x = std::numbers::pi * at;
        const double hann = 0.5 + 0.5 * std::cos(2 * x / (k_taps + 1));
        m_taps[index(phase, tap)] = static_cast<float>((at == 0 ? 1 : std::sin(x) / x) * hann);
      }
    }
  }
  [[nodiscard]] float read(std::span<const float> samples, double at) const {
    const auto whole = static_cast<std::ptrdiff_t>(std::floor(at));
    const int phase = static_cast<int>((at - static_cast<double>(whole)) * k_phases + 0.5);
    const std::ptrdiff_t first = whole - (k_taps / 2 - 1);
    if (first < 0 || first + k_taps > static_cast<std::ptrdiff_t>(samples.size())) return 0;
    float sum = 0;
    for (int tap = 0; tap < k_taps; ++tap) {
      sum += samples[static_cast<std::size_t>(first + tap)] * m_taps[index(phase, tap)];
    }
    return sum;
  }

 private:
  static std::size_t index(int phase, int tap) {
    return static_cast<std::size_t>(phase * k_taps + tap);
  }
  std::array<float, (k_phases + 1) * k_taps> m_taps{};
};

double power(std::span<const float> samples) {
  double sum = 0;
  for (const float sample : samples) sum += static_cast<double>(sample) * sample;
  return sum / static_cast<double>(samples.size());
}

void to_numbers(std::span<const Sample> samples, std::vector<float>& numbers) {
  std::ranges::transform(samples, numbers.begin(),
                         [](Sample sample) { return static_cast<float>(sample) / 32'768.0F; });
}

}  // namespace

FrontEnd::FrontEnd(int rate, std::unique_ptr<EchoFilter> suppressor,
                   std::optional<Milliseconds> lag)
    : m_rate(rate),
      m_step(static_cast<std::size_t>(rate / 100)),
      m_suppressor(std::move(suppressor)),
      m_estimator(rate, k_longest_lag),
      m_linear(rate),
      m_detector(rate, m_linear.left().size()),
      m_history(static_cast<std::size_t>(rate)),
      m_now(m_step),
      m_captured(m_step),
      m_aligned(m_step),
      m_aligned_samples(m_step) {
  if (lag) m_lag = std::chrono::duration<double>(*lag + k_lead).count();
}

std::optional<Milliseconds> FrontEnd::lag() const {
  if (!m_measured || !m_lag) return std::nullopt;
  return Milliseconds(std::lround(*m_lag * 1000)) - k_lead;
}

double FrontEnd::canceled() const {
  return 10 * std::log10(std::max(m_before, 1e-10) / std::max(m_after, 1e-10));
}

/// Starts again at another lag, or continues there if only the delay changed.
void FrontEnd::move_to(double lag, bool same_room) {
  m_lag = lag;
  m_trust = 0;
  if (same_room) return m_linear.on_moved();
  m_linear.forget();
  m_detector.forget();
  m_before = m_after = 0;
  m_closed = true;
  m_effective = false;
  m_learnt = m_quiet = 0;
}

/// Follows the estimated lag: drift by reading faster or slower, a change by starting again.
void FrontEnd::align() {
  const auto lag = m_estimator.lag();
  if (!lag) return;
  m_drift = m_estimator.drift();
  const bool moved = !m_lag || std::abs(*lag - *m_lag) > k_moved;
  // While the echo is canceled where it was, another lag is an error.
  const bool wrong = m_measured && !m_closed && m_before > k_good * m_after;
  m_measured = true;
  if (moved && !wrong) move_to(*lag, m_effective);
}

/// Looks for an echo elsewhere soon after playback starts: the estimate covers two seconds, and a
/// device that was stopped may play at another delay.
void FrontEnd::find_start() {
  if (m_started > k_start_steps || ++m_started % k_start_check_steps != 0) return;
  const auto echo = m_estimator.match_captured(std::min(0.5, m_started * 0.01));
  if (echo.clarity < k_start_clear || echo.likeness < k_start_like) return m_start.reset();
  const bool again = m_start && std::abs(*m_start - echo.lag) < k_agreement;
  m_start = echo.lag;
  m_start_known = m_start_known || again;
  if (!again || (m_lag && std::abs(echo.lag - *m_lag) <= k_moved)) return;
  move_to(echo.lag, m_effective);
  m_estimator.forget();
}

void FrontEnd::read_aligned() {
  static const Interpolator interpolator;
  if (m_lag) *m_lag += m_drift * 0.01;
  const double back = (m_lag ? std::max(0.0, *m_lag - k_early) : 0.0) * m_rate;
  const double first = static_cast<double>(m_history.size() - m_step) - k_taps / 2.0 - back;
  const double pace = 1 - m_drift;
  for (std::size_t i = 0; i < m_step; ++i) {
    m_aligned[i] = interpolator.read(m_history, first + pace * static_cast<double>(i));
    m_aligned_samples[i] = sample_of(m_aligned[i]);
  }
}

/// Adds a step to what was played, and finds out whether it may still be heard.
void FrontEnd::follow_playback(std::span<const Sample> played) {
  to_numbers(played, m_now);
  std::copy(m_history.begin() + static_cast<std::ptrdiff_t>(m_step), m_history.end(),
            m_history.begin());
  std::ranges::copy(m_now, m_history.end() - static_cast<std::ptrdiff_t>(m_step));
  const double loud = std::sqrt(power(m_now));
  if (loud > k_silence && m_since_played > k_pause_steps) {
    m_started = 0;
    m_start.reset();
    m_start_known = false;
  }
  m_since_played = loud > k_silence ? 0 : m_since_played + 1;
  const double longest = m_lag.value_or(k_longest_lag) + k_tail;
  m_playing = m_since_played < static_cast<int>(longest * 100) && (m_playing || loud > k_silence);
}

std::vector<Sample> FrontEnd::suppress(std::span<const Sample> played,
                                       std::span<const Sample> captured) {
  std::vector<Sample> suppressed(captured.begin(), captured.end());
  if (m_suppressor) {
    const auto reference =
        m_suppressor->finds_lag() ? played : std::span<const Sample>(m_aligned_samples);
    m_suppressor->process(reference, suppressed);
  }
  return suppressed;
}

/// A step without playback: what was captured is what was said.
void FrontEnd::between_answers(std::span<const Sample> captured, bool voice,
                               std::vector<Sample>& out) {
  m_noise = m_detector.noise();
  Held held{.suppressed = {captured.begin(), captured.end()}};
  held.voice = held.suppressed;
  m_held.push_back(std::move(held));
  // What was held may be the answer's last echo.
  m_voice = voice && (m_held.size() == 1 || m_trust > 0);
  // What was found a voice may be the next answer's echo once that plays.
  m_voice_steps = 0;
  emit(false, out);
}

/// What nobody said is not louder than the noise of the room.
void FrontEnd::limit_to_noise(Held& held) const {
  const double heard = level_of(held.suppressed).rms;
  const double after = level_of(held.voice).rms;
  if (after < heard) held.suppressed = held.voice;
  const double noise = std::sqrt(std::min(m_noise, m_detector.noise()));
  const double most = std::max(0.003, 1.5 * noise);
  const double now = std::min(heard, after);
  if (now <= most) return;
  for (Sample& one : held.suppressed) one = static_cast<Sample>(one * (most / now));
}

void FrontEnd::process(std::span<const Sample> played, std::span<const Sample> captured,
                       std::vector<Sample>& out) {
  m_check.reset();
  to_numbers(captured, m_captured);
  follow_playback(played);
  if (m_estimator.add(m_now, m_captured)) align();
  find_start();
  read_aligned();
  // A voice would spoil what it learnt; an echo that was taken for one is what it has to learn.
  const bool learns = m_closed || !m_effective || !m_detector.voice() || m_trust < 0;
  const auto left = m_linear.process(m_aligned, m_captured, learns);
  m_estimator.add_left(left);
  bool voice = m_detector.add(m_linear.left(), m_linear.echo());
  judge(power(m_aligned), power(m_captured), power(left));
  // The suppressor hears every step, whether it is needed or not.
  Held held{.suppressed = suppress(played, captured)};
  if (!m_playing) return between_answers(captured, voice, out);
  held.voice.resize(m_step);
  std::ranges::transform(left, held.voice.begin(), sample_of);
  limit_to_noise(held);
  held.score = m_detector.score();
  voice = voice && is_voice();
  if (!voice && !m_detector.voice()) m_voice_steps = 0;
  m_voice = voice && !m_closed;
  if (m_closed) {
    std::ranges::fill(held.suppressed, Sample{0});
    held.voice = held.suppressed;
  }
  m_held.push_back(std::move(held));
  emit(!m_voice, out);
}

/// What was detected may be an echo that has moved: a voice does not repeat what was played. Only
/// what passes several comparisons is a voice.
bool FrontEnd::is_voice() {
  const int at = m_voice_steps++;
  if (at == 0) m_trust = 0;
  const bool fresh = m_trust < k_enough_trust && at < static_cast<int>(k_max_held);
  if (at % (fresh ? k_fresh_check_steps : k_check_steps) == 0) {
    const double seconds = fresh ? 0.25 : 0.5;
    const auto left = m_estimator.match_left(seconds);
    const auto captured = m_estimator.match_captured(seconds);
    m_check = inputs(left, captured);
    // What is subtracted is not there any more.
    const float most = m_left_now > k_louder * m_captured_now ? 0 : k_most_odds;
    const float odds = voice_network::odds(*m_check) - k_odds;
    m_trust =
        std::clamp(m_trust + std::clamp(odds, -k_most_odds, most), k_least_trust, k_most_trust);
    if (m_trust <= k_least_trust) m_detector.was_echo();
    if (const auto lag = find_echo(left, captured)) on_echo_left(*lag);
  }
  return m_trust >= k_enough_trust && !starts();
}

/// Whether playback has just started: its echo may be elsewhere, and is not found yet.
bool FrontEnd::starts() const {
  return !m_start_known && m_started * 0.01 < m_lag.value_or(0) + k_start_wait;
}

/// The lag of an echo that was taken for a voice, if any: left where it was, or captured elsewhere.
std::optional<double> FrontEnd::find_echo(const LagEstimator::Match& left,
                                          const LagEstimator::Match& captured) const {
  // Of voices, one of twenty is as clear and as like for a moment; of echoes, three of four are.
  constexpr double k_clear = 6;
  constexpr double k_like = 0.15;
  constexpr double k_surely_like = 0.35;  // even if it is not clear: one of 200 voices
  if (left.likeness > (left.clarity > k_clear ? k_like : k_surely_like)) return left.lag;
  const bool elsewhere = !m_lag || std::abs(captured.lag - *m_lag) > k_moved;
  if (elsewhere && captured.clarity > k_clear && captured.likeness > k_like) return captured.lag;
  return std::nullopt;
}

/// What tells an echo from a voice, for the network.
voice_network::CheckInputs FrontEnd::inputs(const LagEstimator::Match& left,
                                            const LagEstimator::Match& captured) const {
  const auto away = [this](double lag) {
    constexpr double k_far = 0.05;  // seconds
    return static_cast<float>(m_lag ? std::min(k_far, std::abs(lag - *m_lag)) : k_far);
  };
  const double share = 10 * std::log10(m_left_now / (m_captured_now + 1e-12) + 1e-6);
  voice_network::CheckInputs inputs = {
      static_cast<float>(left.clarity),
      static_cast<float>(left.likeness),
      static_cast<float>(captured.clarity),
      static_cast<float>(captured.likeness),
      away(left.lag),
      away(captured.lag),
      static_cast<float>(share),
      static_cast<float>(m_detector.score()),
      starts() ? 1.0F : 0.0F,
      static_cast<float>(m_started) / 100,
      static_cast<float>(std::min(m_voice_steps - 1, k_seen_steps))};
  const auto& step = m_detector.inputs();
  std::ranges::copy(step, inputs.end() - std::ssize(step));
  return inputs;
}

void FrontEnd::on_echo_left(double lag) {
  const bool known = m_lag && std::abs(lag - *m_lag) <= k_moved;
  // Twice in a row at the same place: there it is.
  const bool again = m_echo_left && std::abs(lag - *m_echo_left) < k_agreement;
  m_echo_left = lag;
  if (known || !again) return;
  move_to(lag, m_measured && !m_closed);
  m_estimator.forget();
}

/// Whether the echo is canceled: opens and closes the microphone.
void FrontEnd::judge(double played, double before, double after) {
  if (played < k_silence * k_silence) return;
  m_before += k_memory * (before - m_before);
  m_after += k_memory * (after - m_after);
  m_captured_now += k_short_memory * (before - m_captured_now);
  m_left_now += k_short_memory * (after - m_left_now);
  const bool quiet = after < std::max(k_quiet, 2 * m_detector.noise());
  m_quiet = quiet ? m_quiet + 1 : 0;
  m_closed_steps = m_closed ? m_closed_steps + 1 : 0;
  if (m_closed) {
    const bool none = !m_lag && m_estimator.vain() > k_no_echo;
    const bool good = m_lag && ++m_learnt > k_learning_steps && m_before > k_good * m_after;
    m_effective = m_effective || good;
    if (none || good || m_quiet > k_quiet_steps) m_closed = false;
    m_bad = 0;
    return;
  }
  if (quiet) return;  // says nothing
  const bool bad = m_before < k_bad * m_after && !m_voice;
  m_bad = bad ? m_bad + 1 : 0;
  if (m_bad > k_bad_steps) m_closed = true;
}

/// The first held step that belongs to the voice in the newest.
std::size_t FrontEnd::voice_begin() const {
  std::size_t begin = m_held.size();
  for (std::size_t at = m_held.size(); at-- > 0 && begin - at <= k_gap_steps;) {
    if (m_held[at].score > k_voiced) begin = at;
  }
  return begin - std::min<std::size_t>(begin, k_onset_steps);
}

void FrontEnd::emit(bool holds, std::vector<Sample>& out) {
  const std::size_t most = holds ? k_max_held : 0;
  const std::size_t voice = m_voice && m_held.size() > 1 ? voice_begin() : 0;
  for (std::size_t at = 0; m_held.size() > most; ++at) {
    const Held& first = m_held.front();
    const std::vector<Sample>& samples = m_voice && at >= voice ? first.voice : first.suppressed;
    out.insert(out.end(), samples.begin(), samples.end());
    m_held.pop_front();
  }
}

void FrontEnd::flush(std::vector<Sample>& out) {
  emit(false, out);
}

void FrontEnd::on_realigned(std::int64_t by) {
  if (!m_lag) return;
  *m_lag = std::clamp(*m_lag + static_cast<double>(by) / m_rate, 0.0, k_longest_lag);
  m_estimator.forget();
}

}  // namespace svc::audio
