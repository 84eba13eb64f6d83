#include "commands/realtime/talk_voice.h"

#include <algorithm>
#include <span>
#include <utility>

namespace svc::cli {
namespace {

// A sound server reckons its times from what it was told up to 100 ms ago, and is off by a few
// milliseconds on a busy machine.
constexpr int k_caution_ms = 5;

}  // namespace

TalkVoice::TalkVoice(std::unique_ptr<audio::Sink> sink, audio::Encoding encoding)
    : m_sink(std::move(sink)),
      m_encoding(encoding),
      m_playback(m_sink ? m_sink->format().rate : 24'000),
      m_decoder(encoding) {}

Result<void> TalkVoice::play(const std::string& item, int content, std::string_view bytes) {
  if (!m_sink) return {};
  if (m_decoding != item) m_decoder = audio::Decoder(m_encoding);
  m_decoding = item;
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
  while (m_sink && !m_pending.empty()) {
    Piece& piece = m_pending.front();
    const std::uint64_t first = m_sink->written();
    const auto rest = std::span<const audio::Sample>(piece.samples).subspan(piece.done);
    SVC_TRY(taken, m_sink->write(rest));
    if (taken == 0) return {};
    if (m_keeps) {
      m_unheard.insert(m_unheard.end(), rest.begin(),
                       rest.begin() + static_cast<std::ptrdiff_t>(taken));
    }
    m_playback.write(piece.item, piece.content, first,
                     taken / static_cast<std::size_t>(m_sink->format().channels));
    piece.done += taken;
    if (piece.done == piece.samples.size()) m_pending.pop_front();
  }
  if (m_sink && std::exchange(m_finish, false)) m_sink->finish();
  if (!m_sink) return {};
  const std::uint64_t position = m_sink->position();
  m_playback.advance(position);
  hear(position);
  return {};
}

void TalkVoice::hear(std::uint64_t position) {
  const auto count =
      std::min<std::uint64_t>(position - std::min(position, m_heard_until), m_unheard.size());
  const auto end = m_unheard.begin() + static_cast<std::ptrdiff_t>(count);
  m_heard.insert(m_heard.end(), m_unheard.begin(), end);
  m_unheard.erase(m_unheard.begin(), end);
  m_heard_until = position;
}

std::vector<audio::Sample> TalkVoice::take_heard() {
  return std::exchange(m_heard, {});
}

std::vector<voice::Truncation> TalkVoice::interrupt() {
  if (!m_sink) return {};
  const std::uint64_t position = m_sink->abort();
  // Rather less than more than was heard.
  const auto caution = static_cast<std::uint64_t>(m_sink->format().rate * k_caution_ms / 1'000);
  std::vector<voice::Truncation> cut = m_playback.interrupt(position - std::min(position, caution));
  hear(position);
  m_unheard.clear();
  for (const Piece& piece : m_pending) {
    const bool told = !cut.empty() && cut.back().item == piece.item;
    if (!told && piece.done == 0) cut.push_back({.item = piece.item, .content = piece.content});
  }
  m_pending.clear();
  m_finish = false;
  return cut;
}

bool TalkVoice::idle() const {
  return m_pending.empty() && (!m_sink || m_sink->idle());
}

audio::Level TalkVoice::level() const {
  return m_sink ? m_sink->level() : audio::Level{};
}

Result<void> TalkVoice::check() {
  return m_sink ? m_sink->check() : Result<void>();
}

Result<void> TalkVoice::close() {
  return m_sink ? m_sink->close() : Result<void>();
}

}  // namespace svc::cli
