#include "commands/stt/live_run.h"

#include <algorithm>
#include <array>
#include <utility>

#include <fmt/format.h>

#include "base/text.h"
#include "live/reconnect.h"
#include "session/usage_report.h"

namespace svc::cli {
namespace {

using namespace std::chrono_literals;
using websocket::Arrival;
using websocket::Received;

constexpr std::chrono::milliseconds k_stt_greeting{10'000};  ///< until the service says it is ready
constexpr std::chrono::milliseconds k_stt_finishing{30'000};  ///< the same
constexpr auto k_stt_redraw = 100ms;
constexpr std::size_t k_stt_most_unsent = 512U << 10U;  ///< of a source that can wait

/// Raw audio has no head; files that have one would be transcribed as noise.
Result<void> check_raw_sound(std::string_view bytes) {
  struct Kind {
    std::string_view begin;
    std::string_view name;
  };
  static constexpr std::array k_kinds{Kind{"RIFF", "WAV"}, Kind{"fLaC", "FLAC"},
                                      Kind{"OggS", "Ogg"}, Kind{"ID3", "MP3"}};
  for (const Kind& kind : k_kinds) {
    if (!bytes.starts_with(kind.begin)) continue;
    return usage_error(fmt::format("standard input is a {} file, not raw audio", kind.name),
                       "Transcribe it with --input FILE.");
  }
  return {};
}

}  // namespace

SttLiveRun::SttLiveRun(Session& session, SttLivePlan plan, std::unique_ptr<audio::Source> source,
                       SttLiveView& view, KeyInput& keys)
    : m_session(session),
      m_plan(std::move(plan)),
      m_source(std::move(source)),
      m_view(view),
      m_keys(keys),
      m_transcript(m_plan.channels),
      m_keep(k_stt_most_kept),
      m_greeting(std::min(k_stt_greeting, m_plan.idle)),
      m_finishing(std::min(k_stt_finishing, m_plan.idle * 3 / 2)) {
  const audio::Format format = m_source->format();
  const std::size_t sample =
      static_cast<std::size_t>(format.channels) * audio::bytes_per_sample(m_plan.encoding);
  m_second = static_cast<std::size_t>(format.rate) * sample;
  m_frame = static_cast<std::size_t>(format.rate / 10) * sample;
}

double SttLiveRun::seconds(std::uint64_t bytes) const {
  return static_cast<double>(bytes) / static_cast<double>(m_second);
}

/// At the beginning of a tenth of a second, so that no sample is cut.
std::uint64_t SttLiveRun::position(double at) const {
  return static_cast<std::uint64_t>(at * 10) * m_frame;
}

Result<void> SttLiveRun::run() {
  Result<void> ended = converse();
  if (!ended && m_frames > 0) record_interrupted(m_session, *m_session.invocation().operation);
  if (!ended && ended.error().fault == Fault::ReaderGone) return ended;
  // However it ended: what was heard is not lost.
  for (const voice::Transcript& rest : m_transcript.close()) SVC_CHECK(m_view.utterance(rest));
  SVC_CHECK(m_view.finish(m_transcript));
  tell_lag();
  if (!ended) return ended;
  if (m_source_error) return *std::move(m_source_error);
  return {};
}

Result<void> SttLiveRun::converse() {
  SVC_TRY(opening,
          websocket::open_channel(m_plan.request, m_plan.channel, m_session.cancel_token()));
  SVC_TRY(channel, channel_of(std::move(opening), m_session.secrets()));
  m_finish.emplace();
  begin_connection(std::move(channel), 0);
  while (m_phase != Phase::Over) {
    if (auto done = step(); !done) {
      if (m_channel) say_goodbye(*m_channel, 1001);
      return done;
    }
  }
  if (m_channel) say_goodbye(*m_channel, websocket::k_normal_closure);
  return {};
}

Result<void> SttLiveRun::step() {
  SVC_CHECK(capture());
  feed();
  draw();
  SVC_TRY(got, wait());
  m_full = false;
  switch (got.what) {
    case Arrival::Text:
      return on_message(got.data);
    case Arrival::Closed:
      return on_closed(got.close);
    case Arrival::Ready:
      on_keys();
      if (m_connector && m_connector->over()) return on_connector();
      break;
    case Arrival::Binary:
    case Arrival::Woken:
    case Arrival::Nothing:
      break;
  }
  return on_time();
}

bool SttLiveRun::wants_sound() const {
  if (!m_started || m_source->ended() || m_source_error) return false;
  return !m_plan.waits || m_keep.end() - std::max(m_sent, m_keep.begin()) < k_stt_most_unsent;
}

/// Takes what the source has. A source that fails has ended: what it gave
/// before is transcribed.
Result<void> SttLiveRun::capture() {
  while (wants_sound()) {
    auto block = m_source->take();
    if (!block) {
      m_source_error = std::move(block).error();
      m_view.warning(m_source_error->message + "; what was heard until then is finished");
      m_ending = true;
      return {};
    }
    if (!*block) break;
    const std::string bytes = audio::encode((*block)->samples, m_plan.encoding);
    if (m_plan.raw && m_keep.end() == 0) SVC_CHECK(check_raw_sound(bytes));
    m_keep.append(bytes);
    m_captured = (*block)->ended;
  }
  if (m_started && m_source->ended()) m_ending = true;
  return {};
}

bool SttLiveRun::send_text(std::string text) {
  return m_channel && m_channel->send({.data = std::move(text)});
}

/// Hands frames of a tenth of a second in, as far as the channel takes them.
void SttLiveRun::feed() {
  if (m_phase != Phase::Speaking) return;
  m_sent = std::max(m_sent, m_keep.begin());
  while (m_keep.end() > m_sent) {
    const bool last = m_ending && m_keep.end() - m_sent < m_frame;
    if (m_keep.end() - m_sent < m_frame && !last) return;
    const std::string_view frame = m_keep.read(m_sent, m_frame);
    m_full = !m_channel->send({.binary = true, .data = std::string(frame)});
    if (m_full) return;
    m_sent += frame.size();
    const auto lag = Clock::now() - m_captured;
    m_lag_most = std::max(m_lag_most, lag);
    m_lag_sum += lag;
    ++m_frames;
  }
  if (!m_ending || !send_text(R"({"type":"audio.done"})")) return;
  m_phase = Phase::Finishing;
  m_since = Clock::now();
}

std::optional<SttLiveRun::Clock::time_point> SttLiveRun::deadline() const {
  std::optional<Clock::time_point> until;
  const auto sooner = [&until](Clock::time_point moment) {
    until = until ? std::min(*until, moment) : moment;
  };
  if (m_full) sooner(Clock::now() + 20ms);
  if (m_phase == Phase::Greeting) sooner(m_since + m_greeting);
  if (m_phase == Phase::Finishing) sooner(m_since + m_finishing);
  if (m_phase == Phase::Lost && !m_connector) sooner(m_retry);
  if (!m_said_error.empty()) sooner(m_said_at + k_stt_verdict);
  if (m_view.is_live()) sooner(Clock::now() + k_stt_redraw);
  return until;
}

Result<Received> SttLiveRun::wait() {
  const std::array others = {
      wants_sound() ? m_source->wait_fd() : -1, m_ending ? -1 : m_keys.descriptor(),
      m_ending ? -1 : m_finish->descriptor(), m_connector ? m_connector->descriptor() : -1};
  if (m_channel) return m_channel->receive(m_session.cancel_token(), deadline(), others);
  return wait_readable(m_session.cancel_token(), deadline(), others);
}

/// What is due by the clock.
Result<void> SttLiveRun::on_time() {
  const auto now = Clock::now();
  tell_error(now);
  if (m_phase == Phase::Greeting && now >= m_since + m_greeting) {
    Error late{Fault::Timeout,
               fmt::format("the service did not say within {} that it is ready for audio",
                           format_duration(m_greeting)),
               "Try again; --verbose shows the handshake."};
    return m_attempts > 0 ? lose(std::move(late)) : Result<void>(std::move(late));
  }
  if (m_phase == Phase::Finishing && now >= m_since + m_finishing) {
    return Error{Fault::Timeout,
                 fmt::format("the service did not finish the transcript within {}",
                             format_duration(m_finishing)),
                 "What is printed may lack the end."};
  }
  if (m_phase == Phase::Lost && !m_connector && now >= m_retry) {
    ++m_attempts;
    m_connector.emplace(m_plan.request, m_plan.channel);
  }
  return {};
}

void SttLiveRun::on_keys() {
  if (m_finish->asked()) return end_input();
  for (const char key : m_keys.read()) {
    if (key == 'q' || key == '\x04') return end_input();
    const bool finalize = key == 'f' || key == '\n' || key == '\r';
    if (finalize && m_phase == Phase::Speaking) (void)send_text(R"({"type":"finalize"})");
  }
}

void SttLiveRun::end_input() {
  if (m_ending) return;
  m_ending = !m_started;
  m_source->stop();
}

Result<void> SttLiveRun::on_message(const std::string& text) {
  const auto now = Clock::now();
  tell_error(now + k_stt_verdict);  // whatever it was, the connection goes on
  SVC_CHECK(m_view.message(text));
  const voice::LiveEvent event = m_transcript.take(text, seconds(m_sent));
  if (event.kind == voice::LiveEvent::Kind::Error) {
    m_said_error = event.message;
    m_said_at = now;
    return {};
  }
  if (event.utterance) SVC_CHECK(m_view.utterance(*event.utterance));
  if (event.kind == voice::LiveEvent::Kind::Nothing) return {};
  if (m_phase == Phase::Greeting && m_transcript.created()) {
    if (m_attempts > 0) m_view.note("connected again");
    m_phase = Phase::Speaking;
    if (!m_started && !m_ending) {
      SVC_CHECK(m_source->start());
      m_started = true;
    }
  } else {
    m_attempts = 0;
  }
  if (m_phase == Phase::Finishing) m_since = now;
  m_keep.settle(position(m_transcript.settled(seconds(m_sent), m_plan.interim)));
  if (m_transcript.done()) m_phase = Phase::Over;
  return {};
}

void SttLiveRun::tell_lag() {
  if (m_frames == 0) return;
  using Milli = std::chrono::duration<double, std::milli>;
  m_session.notices().detail(
      fmt::format("{} frames, sent {:.2f} ms after their end, at most {:.2f} ms", m_frames,
                  Milli(m_lag_sum).count() / m_frames, Milli(m_lag_most).count()));
}

void SttLiveRun::draw() {
  const auto now = Clock::now();
  if (!m_view.is_live() || now < m_drawn + k_stt_redraw / 2) return;
  m_drawn = now;
  m_view.draw(m_transcript, m_source->level(),
              std::chrono::duration_cast<std::chrono::milliseconds>(now - m_begin));
}

}  // namespace svc::cli
