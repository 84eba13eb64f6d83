#include "commands/realtime/talk_capture.h"

#include <algorithm>
#include <utility>
#include <vector>

#include <fmt/format.h>

namespace svc::cli {
namespace {

using namespace std::chrono_literals;

constexpr int k_silent_pieces = 30;  ///< behind the input, for the service to hear its end
constexpr auto k_piece = 100ms;
constexpr std::size_t k_most_kept = 8U << 20U;      ///< bytes: nearly 3 minutes at 24 kHz
constexpr std::size_t k_most_unsent = 256U << 10U;  ///< of a source that can wait
constexpr double k_voice = 0.01;                    ///< loudness, -40 dB

}  // namespace

TalkCapture::TalkCapture(const TalkCapturePlan& plan, std::unique_ptr<audio::Source> source,
                         Hear hear)
    : m_plan(plan),
      m_source(std::move(source)),
      m_hear(std::move(hear)),
      m_heard(k_most_kept, static_cast<std::size_t>(plan.sound.rate),
              audio::bytes_per_sample(plan.sound.encoding)),
      m_present(m_source != nullptr) {}

Result<void> TalkCapture::begin() {
  if (std::exchange(m_started, true) || !m_source) return {};
  // Without detection the whole input is one turn.
  if (m_plan.manual && !m_plan.push_to_talk) m_heard.begin_turn();
  return m_source->start();
}

Result<void> TalkCapture::take() {
  while (wants_sound()) {
    SVC_TRY(block, m_source->take());
    if (!block) break;
    SVC_CHECK(m_hear(*block));
    keep(*block);
  }
  return {};
}

/// With push-to-talk only what was heard between two moments belongs to the turn.
void TalkCapture::keep(const audio::Block& block) {
  if (m_plan.push_to_talk) {
    const audio::Format format{m_plan.sound.rate, 1};
    const auto begin = block.ended - audio::time_of(format, block.samples.size());
    if (m_turn_end && begin >= *m_turn_end) close_turn();
    if (!m_heard.turn_open() || block.ended <= m_turn_begin) return;
  }
  if (audio::level_of(block.samples).rms >= k_voice) m_voice_end = block.ended;
  m_heard.append(audio::encode(block.samples, m_plan.sound.encoding));
  m_captured = block.arrived == Clock::time_point() ? block.ended : block.arrived;
}

void TalkCapture::feed(const Send& send) {
  if (!m_present) return;
  const std::size_t second =
      static_cast<std::size_t>(m_plan.sound.rate) * audio::bytes_per_sample(m_plan.sound.encoding);
  while (true) {
    const std::string_view piece = m_heard.next(second / 5);
    if (piece.empty()) break;
    const std::size_t size = piece.size();
    if (!send(piece)) return;
    m_heard.sent(size);
    if (m_heard.unsent() > 0 || m_plan.waits) continue;
    const auto late = Clock::now() - m_captured;
    m_late_most = std::max(m_late_most, late);
    m_late_sum += late;
    ++m_late_count;
  }
  if (source_over() && m_heard.turn_open()) close_turn();
  if (source_over() && m_silence == 0 && !m_plan.manual && m_next_silence == Clock::time_point()) {
    m_silence = k_silent_pieces;
    m_next_silence = Clock::now();
  }
  feed_silence(send);
}

/// Behind the end of a file: a voice that breaks off is not a turn that has ended.
void TalkCapture::feed_silence(const Send& send) {
  const auto now = Clock::now();
  while (m_silence > 0 && (m_plan.fast || now >= m_next_silence)) {
    const std::vector<audio::Sample> silence(static_cast<std::size_t>(m_plan.sound.rate / 10));
    if (!send(audio::encode(silence, m_plan.sound.encoding))) return;
    --m_silence;
    m_next_silence += k_piece;
    m_padded = now;
  }
}

bool TalkCapture::source_over() const {
  return m_started && m_source && m_source->ended() && m_heard.unsent() == 0;
}

bool TalkCapture::wants_sound() const {
  if (!m_started || !m_source || m_source->ended()) return false;
  return !m_plan.waits || m_heard.unsent() < k_most_unsent;
}

std::optional<TalkCapture::Clock::time_point> TalkCapture::deadline() const {
  if (m_holding || m_turn_end) return Clock::now() + 20ms;
  // In the past when the queue is full.
  if (m_silence > 0) return std::max(m_next_silence, Clock::now() + 5ms);
  return std::nullopt;
}

bool TalkCapture::talk_key() {
  const auto now = Clock::now();
  if (m_turn_end) return false;
  const auto before = std::exchange(m_pressed, now);
  if (!m_heard.turn_open()) {
    m_heard.begin_turn();
    m_turn_begin = now;
    m_holding = false;
    return true;
  }
  if (now - before < 700ms) {
    m_holding = true;
  } else {
    m_holding = false;
    m_turn_end = now;
  }
  return false;
}

/// The user lets the key go: what the microphone heard until now is still on its way.
void TalkCapture::on_time(Clock::time_point now) {
  if (!m_holding || now <= m_pressed + 250ms) return;
  m_holding = false;
  m_turn_end = now;
}

/// All of the turn has come.
void TalkCapture::close_turn() {
  m_turn_end.reset();
  if (!m_heard.end_turn()) m_empty_turn = true;
}

void TalkCapture::lost() {
  m_heard.lost();
  m_silence = 0;
  m_next_silence = {};
}

Result<void> TalkCapture::move_to(std::unique_ptr<audio::Source> source) {
  m_source = std::move(source);
  m_source->set_muted(m_muted);
  return m_started ? m_source->start() : Result<void>();
}

void TalkCapture::set_muted(bool muted) {
  m_muted = muted;
  if (m_source) m_source->set_muted(muted);
}

std::string TalkCapture::lateness() const {
  if (m_late_count == 0) return {};
  using Milli = std::chrono::duration<double, std::milli>;
  return fmt::format(
      "sound: {} pieces, sent {:.1f} ms after the device had them, {:.1f} ms at most", m_late_count,
      Milli(m_late_sum).count() / m_late_count, Milli(m_late_most).count());
}

}  // namespace svc::cli
