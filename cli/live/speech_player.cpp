#include "live/speech_player.h"

#include "base/wait.h"
#include "client/api_client.h"
#include "live/sound.h"

namespace svc::cli {
namespace {

constexpr auto k_player_slice = std::chrono::milliseconds(30);

}  // namespace

Result<std::unique_ptr<SpeechPlayer>> SpeechPlayer::open(Session& session,
                                                         const audio::Format& format,
                                                         const std::string& otherwise) {
  auto sink = audio::open_speaker(wanted_output(session),
                                  {.format = format, .cancel = &session.cancel_token()});
  if (!sink) {
    Error error = std::move(sink).error();
    if (!otherwise.empty()) {
      error.hint = error.hint.empty() ? otherwise : error.hint + " " + otherwise;
    }
    return error;
  }
  return std::unique_ptr<SpeechPlayer>(new SpeechPlayer(session, *std::move(sink)));
}

SpeechPlayer::SpeechPlayer(Session& session, std::unique_ptr<audio::Sink> sink)
    : m_session(session), m_sink(std::move(sink)), m_keys(session.err().terminal().is_tty) {}

void SpeechPlayer::feed(std::span<const audio::Sample> samples) {
  if (m_stopped) return;
  if (m_begin > 0 && m_begin == m_waiting.size()) {
    m_waiting.clear();
    m_begin = 0;
  }
  m_waiting.insert(m_waiting.end(), samples.begin(), samples.end());
}

Result<void> SpeechPlayer::hand_over() {
  while (m_begin < m_waiting.size()) {
    SVC_TRY(taken, m_sink->write(std::span(m_waiting).subspan(m_begin)));
    if (taken == 0) return {};
    m_begin += taken;
  }
  return {};
}

void SpeechPlayer::obey(char key) {
  if (key == ' ') {
    if (m_sink->paused()) {
      m_sink->resume();
    } else {
      m_sink->pause();
    }
    m_session.progress().aside(m_sink->paused() ? "paused; space resumes"
                                                : "space pauses, q stops");
  }
  if (key == 'q' || key == 'Q') {
    m_stopped = true;
    m_waiting.clear();
    m_begin = 0;
    (void)m_sink->abort();
  }
}

Result<void> SpeechPlayer::tick() {
  for (const char key : m_keys.read()) obey(key);
  if (m_stopped) return {};
  SVC_CHECK(m_sink->check());
  return hand_over();
}

Result<void> SpeechPlayer::drain() {
  bool finished = false;
  while (!m_stopped) {
    if (const auto fault = m_session.cancel_token().requested()) {
      (void)m_sink->abort();
      return svc::cancelled(*fault);
    }
    SVC_CHECK(tick());
    if (m_stopped) break;
    if (m_begin == m_waiting.size()) {
      if (!finished) m_sink->finish();
      finished = true;
      if (m_sink->idle()) break;
    }
    m_session.progress().tick();
    (void)wait_readable(m_keys.descriptor(), after(k_player_slice), m_session.cancel_token());
  }
  return {};
}

std::chrono::milliseconds SpeechPlayer::ahead() const {
  const auto channels = static_cast<std::size_t>(m_sink->format().channels);
  const std::uint64_t waiting = (m_waiting.size() - m_begin) / channels;
  const std::uint64_t inside = m_sink->written() - std::min(m_sink->position(), m_sink->written());
  return audio::time_of(m_sink->format(), waiting + inside);
}

}  // namespace svc::cli
