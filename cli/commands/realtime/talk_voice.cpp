#include "commands/realtime/talk_voice.h"

#include <algorithm>
#include <span>
#include <utility>

namespace svc::cli {
namespace {

// A sound server computes its times from reports up to 100 ms old, and is off by a few
// milliseconds on a busy machine.
constexpr int k_caution_ms = 5;

}  // namespace

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
  if (!piece.samples.empty()) m_pending.push_back(std::move(piece));
  m_finish = false;
  return pump();
}

void TalkVoice::finish(const std::string& item) {
  m_playback.finish(item);
  m_finish = true;
}

Result<void> TalkVoice::pump() {
  if (!m_sink) return {};
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
  hear(false);
  return {};
}

std::uint64_t TalkVoice::position() const {
  return m_base + (m_sink ? m_sink->position() : 0);
}

std::uint64_t TalkVoice::written() const {
  return m_base + (m_sink ? m_sink->written() : m_unheard.size());
}

/// What was heard since the last time is done with.
void TalkVoice::hear(bool all) {
  constexpr audio::Milliseconds k_longest_look{40};
  const std::uint64_t until = position();
  if (!m_begun && until > m_first) {
    m_begun =
        audio::Clock::now() - std::min(audio::time_of(m_format, until - m_first), k_longest_look);
  }
  const auto count =
      std::min<std::uint64_t>(until - std::min(until, m_unheard_from), m_unheard.size());
  // Seldom and much: what is behind has to move.
  if (!all && count < static_cast<std::uint64_t>(m_format.rate) && count < m_unheard.size()) return;
  const auto end = m_unheard.begin() + static_cast<std::ptrdiff_t>(count);
  if (m_keeps) m_heard.insert(m_heard.end(), m_unheard.begin(), end);
  m_unheard.erase(m_unheard.begin(), end);
  m_unheard_from = m_unheard.empty() ? written() : m_unheard_from + count;
}

void TalkVoice::release() {
  if (!m_sink) return;
  hear(true);
  m_base = position();
  m_sink.reset();
}

Result<void> TalkVoice::move_to(std::unique_ptr<audio::Sink> sink) {
  m_sink = std::move(sink);
  // Its ring takes as much as that of the one before.
  SVC_TRY(taken, m_sink->write(m_unheard));
  (void)taken;
  m_finish = true;
  return pump();
}

std::vector<voice::Truncation> TalkVoice::interrupt() {
  if (!m_voiced) return {};
  const std::uint64_t position = m_base + (m_sink ? m_sink->abort() : 0);
  // Rather less than more than was heard.
  const auto caution = static_cast<std::uint64_t>(m_format.rate * k_caution_ms / 1'000);
  std::vector<voice::Truncation> cut = m_playback.interrupt(position - std::min(position, caution));
  hear(true);
  m_unheard.clear();
  m_unheard_from = position;
  for (const Piece& piece : m_pending) {
    const bool told = !cut.empty() && cut.back().item == piece.item;
    if (!told && piece.done == 0) cut.push_back({.item = piece.item, .content = piece.content});
  }
  m_pending.clear();
  m_finish = false;
  return cut;
}

bool TalkVoice::idle() const {
  return m_pending.empty() && (m_sink ? m_sink->idle() : m_unheard.empty());
}

}  // namespace svc::cli
