#include "commands/stt/live_view.h"

#include <algorithm>
#include <cmath>
#include <utility>

#include <fmt/format.h>
#include <nlohmann/json.hpp>
#include <unistd.h>

#include "base/text.h"
#include "json/document.h"
#include "json/text.h"
#include "live/sound.h"
#include "operation/results.h"

namespace svc::cli {
namespace {

std::string stt_clock_text(std::chrono::milliseconds elapsed) {
  const auto seconds = std::chrono::duration_cast<std::chrono::seconds>(elapsed).count();
  return fmt::format("{}:{:02}", seconds / 60, seconds % 60);
}

}  // namespace

SttLiveView::SttLiveView(Session& session, voice::TranscriptFormat format, std::size_t channels,
                         bool keys)
    : m_session(session),
      m_format(format),
      m_writer(format, channels),
      m_live(session.err(), !session.globals().quiet && !session.globals().no_progress,
             [] { return print::detect_terminal(STDERR_FILENO, {}).columns; }),
      m_keys(keys) {}

bool SttLiveView::shows_interim(Session& session, voice::TranscriptFormat format) {
  const print::Terminal& terminal = session.err().terminal();
  return session.format() == Format::Text && format == voice::TranscriptFormat::Text &&
         terminal.is_tty && !terminal.dumb && !session.globals().quiet &&
         !session.globals().no_progress;
}

Result<void> SttLiveView::message(const std::string& text) {
  if (m_session.format() == Format::Raw ||
      (m_session.format() == Format::Jsonl && check_json(text))) {
    SVC_CHECK(m_session.write_foreign(text + "\n"));
    return m_session.out().flush();
  }
  if (m_session.format() != Format::Jsonl) return {};
  SVC_CHECK(m_session.write_document(text));
  return m_session.out().flush();
}

Result<void> SttLiveView::utterance(const voice::Transcript& utterance) {
  if (m_session.format() != Format::Text) return {};
  m_live.clear();
  SVC_CHECK(m_session.write_foreign(m_writer.add(utterance)));
  return m_session.out().flush();
}

void SttLiveView::draw(const voice::LiveTranscript& transcript, audio::Level level,
                       std::chrono::milliseconds elapsed) {
  if (!m_live.enabled()) return;
  std::string text;
  for (int channel = 0; channel < transcript.channels(); ++channel) {
    const std::string open = transcript.open_text(channel);
    if (!open.empty()) text += (text.empty() ? "" : " / ") + open;
  }
  const print::Terminal& terminal = m_session.err().terminal();
  m_live.show(text,
              fmt::format("{}  {}{}", stt_clock_text(elapsed), level_meter(level, terminal.utf8),
                          m_keys ? "  Enter: end utterance, q: end, ?: keys" : ""));
}

void SttLiveView::note(const std::string& text) {
  m_live.clear();
  m_session.notices().note(text);
}

void SttLiveView::warning(const std::string& text) {
  m_live.clear();
  m_session.notices().warning(text);
}

Result<void> SttLiveView::finish(const voice::LiveTranscript& transcript) {
  m_live.clear();
  if (std::exchange(m_finished, true)) return {};
  if (m_session.format() == Format::Json) {
    SVC_CHECK(m_session.write_document(voice::transcript_json(transcript.transcript())));
  } else if (m_session.format() == Format::Text) {
    const bool document = m_format == voice::TranscriptFormat::Json;
    SVC_CHECK(m_session.write_foreign(
        document ? voice::transcript_json(transcript.transcript()) + "\n" : m_writer.finish()));
  }
  SVC_CHECK(m_session.out().flush());
  print_details(m_session, m_session.invocation().operation->details,
                parse_reply(voice::transcript_json(transcript.transcript())));
  return {};
}

}  // namespace svc::cli
