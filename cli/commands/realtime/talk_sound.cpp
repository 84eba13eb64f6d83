#include "commands/realtime/talk_sound.h"

#include <algorithm>
#include <span>
#include <utility>

#include <fmt/format.h>

namespace svc::cli {
namespace {

using namespace std::chrono_literals;

constexpr int k_silent_blocks =
    30;  ///< of 100 ms, after the input, so that the service detects its end
constexpr auto k_chunk_length = 100ms;
constexpr std::size_t k_max_kept = 8U << 20U;       ///< bytes: nearly 3 minutes at 24 kHz
constexpr std::size_t k_most_unsent = 256U << 10U;  ///< bytes, of a source that can be paused
constexpr double k_voice = 0.01;                    ///< loudness of speech: -40 dB

// Sound servers interpolate from reports up to 100 ms old and are off by a few milliseconds on a
// busy machine.
constexpr int k_caution_ms = 5;

}  // namespace

TalkCapture::TalkCapture(const TalkCapturePlan& plan, std::unique_ptr<audio::Source> source,
                         OnBlock on_block)
    : m_plan(plan),
      m_source(std::move(source)),
      m_on_block(std::move(on_block)),
      m_heard(k_max_kept, static_cast<std::size_t>(plan.sound.rate),
              audio::bytes_per_sample(plan.sound.encoding)),
      m_present(m_source != nullptr) {
  if (!plan.turns) return;
  m_turns.emplace(*plan.turns, static_cast<std::size_t>(plan.sound.rate) *
                                   audio::bytes_per_sample(plan.sound.encoding) / 1'000);
}

Result<void> TalkCapture::begin() {
  if (std::exchange(m_started, true) || !m_source) return {};
  // Without turn detection, the whole input is one turn.
  if (m_plan.manual && !m_plan.push_to_talk) m_heard.begin_turn();
  return m_source->start();
}

Result<void> TalkCapture::take() {
  const bool spoke = voice();
  // After a stall, many blocks are waiting: a whole turn must not begin and end unseen.
  while (wants_sound() && voice() == spoke) {
    SVC_TRY(block, m_source->take());
    if (!block) break;
    SVC_CHECK(m_on_block(*block));
    keep(*block);
  }
  return {};
}

/// With push-to-talk, only audio between the two keypresses is part of the turn.
void TalkCapture::keep(const audio::Block& block) {
  if (m_plan.push_to_talk) {
    const audio::Format format{.rate = m_plan.sound.rate};
    const auto begin = block.ended - audio::time_of(format, block.samples.size());
    if (m_turn_end && begin >= *m_turn_end) close_turn();
    if (!m_heard.turn_open() || block.ended <= m_turn_begin) return;
  }
  const double level = audio::level_of(block.samples).rms;
  if (level >= k_voice) m_voice_end = block.ended;
  pass(audio::encode(block.samples, m_plan.sound.encoding), level);
  m_captured = block.arrived == Clock::time_point() ? block.ended : block.arrived;
}

void TalkCapture::pass(std::string_view bytes, double level) {
  if (!m_turns) return m_heard.append(bytes);
  const std::string passed = m_turns->add(bytes, level);
  if (m_turns->in_turn() && !m_heard.turn_open()) m_heard.begin_turn();
  m_heard.append(passed);
  if (m_turns->take_end()) close_turn();
}

void TalkCapture::close_gate() {
  if (m_turns) m_turns->close();
}

void TalkCapture::open_gate() {
  if (gate_closed()) m_heard.append(m_turns->open());
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
    m_max_late = std::max(m_max_late, late);
    m_late_sum += late;
    ++m_late_count;
  }
  if (source_over() && m_turns) m_turns->end();
  if (source_over() && m_heard.turn_open()) close_turn();
  if (source_over() && m_silence == 0 && !m_plan.manual && m_next_silence == Clock::time_point()) {
    m_silence = k_silent_blocks;
    m_next_silence = Clock::now();
  }
  feed_silence(send);
}

/// Silence after the end of a file, as turn detection needs a pause to end a turn.
void TalkCapture::feed_silence(const Send& send) {
  if (gate_closed()) return;
  const auto now = Clock::now();
  while (m_silence > 0 && (m_plan.fast || now >= m_next_silence)) {
    const std::vector<audio::Sample> silence(static_cast<std::size_t>(m_plan.sound.rate / 10));
    if (!send(audio::encode(silence, m_plan.sound.encoding))) return;
    --m_silence;
    m_next_silence += k_chunk_length;
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
  // m_next_silence is in the past if the channel is full.
  if (m_silence > 0 && !gate_closed()) return std::max(m_next_silence, Clock::now() + 5ms);
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

/// Audio captured before the key was released may still arrive.
void TalkCapture::on_time(Clock::time_point now) {
  if (!m_holding || now <= m_pressed + 250ms) return;
  m_holding = false;
  m_turn_end = now;
}

/// Ends the turn, once all of its audio has arrived.
void TalkCapture::close_turn() {
  m_turn_end.reset();
  if (!m_heard.end_turn()) m_empty_turn = true;
}

void TalkCapture::lost() {
  m_heard.lost();
  if (gate_closed()) {
    m_heard.leave_turn();
    open_gate();
  }
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
  using Milliseconds = std::chrono::duration<double, std::milli>;
  return fmt::format("audio: {} blocks, sent {:.1f} ms after capture on average, {:.1f} ms at most",
                     m_late_count, Milliseconds(m_late_sum).count() / m_late_count,
                     Milliseconds(m_max_late).count());
}

TalkVoice::TalkVoice(std::unique_ptr<audio::Sink> sink, audio::Encoding encoding)
    : m_sink(std::move(sink)),
      m_encoding(encoding),
      m_voiced(m_sink != nullptr),
      m_format(m_sink ? m_sink->format() : audio::Format{24'000, 1}),
      m_playback(m_format.rate),
      m_decoder(encoding) {}

Result<void> TalkVoice::play(const std::string& item, int content, std::string_view bytes) {
  if (!m_voiced) return {};
  if (m_decoding != item) m_decoder = audio::Decoder(m_encoding);
  m_decoding = item;
  if (idle()) {
    m_first = written();
    m_begun.reset();
  }
  Piece piece{.item = item, .content = content};
  m_decoder.decode(bytes, piece.samples);
  m_received[item].frames += piece.samples.size();
  if (!piece.samples.empty()) m_pending.push_back(std::move(piece));
  m_finish = false;
  return pump();
}

void TalkVoice::finish(const std::string& item) {
  m_playback.finish(item);
  if (const auto found = m_received.find(item); found != m_received.end())
    found->second.complete = true;
  m_finish = true;
}

Result<void> TalkVoice::pump() {
  if (!m_sink || m_paused) return {};
  while (!m_pending.empty()) {
    Piece& piece = m_pending.front();
    const std::uint64_t first = written();
    const auto rest = std::span<const audio::Sample>(piece.samples).subspan(piece.done);
    SVC_TRY(taken, m_sink->write(rest));
    if (taken == 0) break;
    m_unheard.insert(m_unheard.end(), rest.begin(),
                     rest.begin() + static_cast<std::ptrdiff_t>(taken));
    m_playback.write(piece.item, piece.content, first, taken);
    piece.done += taken;
    if (piece.done == piece.samples.size()) m_pending.pop_front();
  }
  if (m_pending.empty() && std::exchange(m_finish, false)) m_sink->finish();
  m_playback.advance(position());
  on_block(false);
  return {};
}

std::optional<voice::Heard> TalkVoice::heard(const std::string& item) const {
  const auto found = m_received.find(item);
  if (found == m_received.end()) return std::nullopt;
  const auto& [frames, complete] = found->second;
  std::uint64_t unheard = m_playback.unheard(item, position());
  for (const Piece& piece : m_pending) {
    if (piece.item == item) unheard += piece.samples.size() - piece.done;
  }
  const auto ms = [this](std::uint64_t count) {
    return static_cast<std::int64_t>(count * 1000 / static_cast<std::uint64_t>(m_format.rate));
  };
  return voice::Heard{.heard_ms = ms(frames - std::min(frames, unheard)),
                      .received_ms = ms(frames),
                      .complete = complete};
}

std::uint64_t TalkVoice::position() const {
  return m_base + (m_sink ? m_sink->position() : 0);
}

std::uint64_t TalkVoice::written() const {
  return m_sink && !m_paused ? m_base + m_sink->written() : position() + m_unheard.size();
}

/// Removes the frames played since the last call.
void TalkVoice::on_block(bool all) {
  constexpr audio::Milliseconds k_max_look{40};
  const std::uint64_t until = position();
  if (!m_begun && until > m_first) {
    m_begun = audio::Clock::now() - std::min(audio::time_of(m_format, until - m_first), k_max_look);
  }
  const auto count =
      std::min<std::uint64_t>(until - std::min(until, m_unheard_from), m_unheard.size());
  // Removed in large steps, as the rest has to be moved.
  if (!all && count < static_cast<std::uint64_t>(m_format.rate) && count < m_unheard.size()) return;
  const auto end = m_unheard.begin() + static_cast<std::ptrdiff_t>(count);
  if (m_keeps) m_heard.insert(m_heard.end(), m_unheard.begin(), end);
  m_unheard.erase(m_unheard.begin(), end);
  m_unheard_from = m_unheard.empty() ? written() : m_unheard_from + count;
}

void TalkVoice::release() {
  if (!m_sink) return;
  on_block(true);
  m_base = position();
  m_sink.reset();
}

Result<void> TalkVoice::move_to(std::unique_ptr<audio::Sink> sink) {
  m_sink = std::move(sink);
  return m_paused ? Result<void>() : write_unheard();
}

/// Into an empty sink, whose buffer is as large as the last one's.
Result<void> TalkVoice::write_unheard() {
  SVC_TRY(taken, m_sink->write(m_unheard));
  (void)taken;
  m_finish = true;
  return pump();
}

void TalkVoice::pause() {
  if (m_paused || idle()) return;
  if (m_sink) (void)m_sink->abort();
  on_block(true);
  m_paused = true;
}

Result<void> TalkVoice::resume() {
  if (!std::exchange(m_paused, false) || !m_sink) return {};
  return write_unheard();
}

std::vector<voice::Truncation> TalkVoice::interrupt() {
  if (!m_voiced) return {};
  const std::uint64_t position = m_base + (m_sink ? m_sink->abort() : 0);
  // A little less than was probably heard.
  const auto caution = static_cast<std::uint64_t>(m_format.rate * k_caution_ms / 1'000);
  std::vector<voice::Truncation> cut = m_playback.interrupt(position - std::min(position, caution));
  on_block(true);
  m_unheard.clear();
  m_unheard_from = position;
  for (const Piece& piece : m_pending) {
    const bool listed = !cut.empty() && cut.back().item == piece.item;
    if (!listed && piece.done == 0) cut.push_back({.item = piece.item, .content = piece.content});
  }
  m_pending.clear();
  m_finish = m_paused = false;
  return cut;
}

bool TalkVoice::idle() const {
  if (m_paused) return false;
  return m_pending.empty() && (m_sink ? m_sink->idle() : m_unheard.empty());
}

}  // namespace svc::cli
