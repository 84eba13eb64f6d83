#include "commands/stt/live_run.h"

#include <algorithm>
#include <array>
#include <utility>

#include <fmt/format.h>

#include "base/text.h"
#include "live/paid_time.h"
#include "session/cost_tracker.h"
#include "voice/upstream_audio.h"

namespace svc::cli {
namespace {

using namespace std::chrono_literals;
using websocket::Received;
using websocket::ReceivedKind;

constexpr std::chrono::milliseconds k_stt_finishing{30'000};
constexpr auto k_stt_redraw = 100ms;
constexpr std::size_t k_stt_most_kept = 32U << 20U;     ///< bytes: 17 minutes at 16 kHz
constexpr std::size_t k_stt_most_unsent = 512U << 10U;  ///< bytes, of a source that can be paused
constexpr auto k_stt_last_wait = 30s;  ///< total time to finish after the user stops
constexpr auto k_stt_settle = 400ms;   ///< delay after the last keypress that changed a setting

/// Raw audio has no header; a file with one would be transcribed as noise.
Result<void> check_raw_sound(std::string_view bytes) {
  struct Kind {
    std::string_view begin;
    std::string_view name;
  };
  static constexpr std::array k_kinds{Kind{"RIFF", "a WAV"}, Kind{"fLaC", "a FLAC"},
                                      Kind{"OggS", "an Ogg"}, Kind{"ID3", "an MP3"}};
  for (const Kind& kind : k_kinds) {
    if (!bytes.starts_with(kind.begin)) continue;
    return usage_error(fmt::format("standard input is {} file, not raw audio", kind.name),
                       "Use --input FILE to transcribe it.");
  }
  return {};
}

/// The error if the connection cannot be restored.
Error given_up(Error error) {
  if (error.http_status != 0) return error;
  return Error{Fault::Network, std::move(error.message), "The transcript so far was printed."};
}

/// The value of a URL's query parameter, or "".
std::string query_value(const std::string& url, const std::string& name) {
  for (const char* before : {"?", "&"}) {
    const std::size_t found = url.find(before + name + "=");
    if (found == url.npos) continue;
    const std::size_t begin = found + name.size() + 2;
    return url.substr(begin, url.find('&', begin) - begin);
  }
  return {};
}

void set_query_value(std::string& url, const std::string& name, const std::string& value) {
  const std::string pair = name + "=" + value;
  for (const char* before : {"?", "&"}) {
    const std::size_t found = url.find(before + name + "=");
    if (found == url.npos) continue;
    const std::size_t end = std::min(url.find('&', found + 1), url.size());
    url.replace(found + 1, end - found - 1, pair);
    return;
  }
  url += (url.find('?') == url.npos ? "?" : "&") + pair;
}

class SttLiveRun {
 public:
  SttLiveRun(Session& session, SttLivePlan plan, std::unique_ptr<audio::Source> source,
             SttLiveView& view, KeyInput& keys, SttControl& control)
      : m_session(session),
        m_plan(std::move(plan)),
        m_source(std::move(source)),
        m_view(view),
        m_keys(keys),
        m_control(control),
        m_live(session, m_plan.live, [this](const std::string& text) { m_view.warning(text); }),
        m_transcript(m_plan.channels),
        m_keep(k_stt_most_kept),
        m_finishing(std::min(k_stt_finishing, m_plan.idle * 3 / 2)) {
    const audio::Format format = m_source->format();
    const std::size_t sample =
        static_cast<std::size_t>(format.channels) * audio::bytes_per_sample(m_plan.encoding);
    m_second = static_cast<std::size_t>(format.rate) * sample;
    m_frame = static_cast<std::size_t>(format.rate / 10) * sample;
  }

  /// Runs until the source has ended, or the user stops it, and the transcript is complete. The
  /// transcript is printed in any case.
  [[nodiscard]] Result<void> run() {
    SVC_CHECK(m_paid.pay({}));
    Result<void> ended = m_live.run([this] { begin_connection(0); }, [this] { return step(); },
                                    [this] { return m_phase == Phase::Over; });
    if (!ended && m_frames > 0) record_interrupted(m_session, *m_session.invocation().operation);
    if (!ended && ended.error().fault == Fault::ReaderGone) return ended;
    // The interim text is printed however the session ended.
    for (const voice::Transcript& rest : m_transcript.close()) SVC_CHECK(m_view.utterance(rest));
    SVC_CHECK(m_view.finish(m_transcript));
    print_lag();
    if (!ended) return ended;
    if (m_source_error) return *std::move(m_source_error);
    return {};
  }

 private:
  using Clock = LiveChannel::Clock;
  enum class Phase : std::uint8_t {
    Greeting,  ///< connected; the service is not ready for audio yet
    Speaking,
    Finishing,  ///< all audio was sent, and the service was told so
    Lost,       ///< disconnected; a reconnect is scheduled
    Over,
  };

  [[nodiscard]] double seconds(std::uint64_t bytes) const {
    return static_cast<double>(bytes) / static_cast<double>(m_second);
  }

  /// The position in bytes, rounded down to a tenth of a second, so that no sample is split.
  [[nodiscard]] std::uint64_t position(double at) const {
    return static_cast<std::uint64_t>(at * 10) * m_frame;
  }

  Result<void> step() {
    SVC_CHECK(capture());
    feed();
    draw();
    SVC_TRY(got, wait());
    m_full = false;
    switch (got.what) {
      case ReceivedKind::Text:
        return on_message(got.data);
      case ReceivedKind::Closed:
        return on_closed(got.close);
      case ReceivedKind::Ready:
        on_input();
        break;
      case ReceivedKind::Binary:
      case ReceivedKind::Woken:
      case ReceivedKind::Nothing:
        break;
    }
    return on_time();
  }

  [[nodiscard]] bool wants_sound() const {
    if (!m_started || m_ending) return false;
    return !m_plan.waits || m_keep.end() - std::max(m_sent, m_keep.begin()) < k_stt_most_unsent;
  }

  /// Reads from the source. If the source fails, the audio captured so far is still transcribed.
  Result<void> capture() {
    while (wants_sound()) {
      auto block = m_source->take();
      if (!block) {
        m_source_error = std::move(block).error();
        m_view.warning(m_source_error->message + "; finishing the transcript");
        m_ending = true;
        return {};
      }
      if (!*block) break;
      const std::string bytes = audio::encode((*block)->samples, m_plan.encoding);
      const auto until = std::chrono::milliseconds((m_keep.end() + bytes.size()) * 1000 / m_second);
      if (auto paid = m_paid.pay(until); !paid) {
        m_source_error = std::move(paid).error();
        m_view.warning("the limit is reached; finishing the transcript");
        m_source->stop();
        m_ending = true;
        return {};
      }
      if (m_plan.raw && m_keep.end() == 0) SVC_CHECK(check_raw_sound(bytes));
      m_keep.append(bytes);
      m_captured = (*block)->ended;
    }
    if (m_started && m_source->ended()) m_ending = true;
    return {};
  }

  /// Sends frames of a tenth of a second as far as the channel accepts them.
  void feed() {
    if (m_phase != Phase::Speaking) return;
    m_sent = std::max(m_sent, m_keep.begin());
    while (m_keep.end() > m_sent) {
      const bool last = m_ending && m_keep.end() - m_sent < m_frame;
      if (m_keep.end() - m_sent < m_frame && !last) return;
      const std::string_view frame = m_keep.read(m_sent, m_frame);
      m_full = !m_live.send({.binary = true, .data = std::string(frame)});
      if (m_full) return;
      m_sent += frame.size();
      const auto lag = Clock::now() - m_captured;
      m_max_lag = std::max(m_max_lag, lag);
      m_lag_sum += lag;
      ++m_frames;
    }
    if (!m_ending || !m_live.send({.data = R"({"type":"audio.done"})"})) return;
    m_phase = Phase::Finishing;
    m_since = Clock::now();
  }

  [[nodiscard]] std::optional<Clock::time_point> deadline() const {
    std::optional<Clock::time_point> until;
    const auto at_latest = [&until](Clock::time_point moment) {
      until = until ? std::min(*until, moment) : moment;
    };
    if (m_full) at_latest(Clock::now() + 20ms);
    if (m_phase == Phase::Finishing) at_latest(m_since + m_finishing);
    if (m_renew) at_latest(*m_renew);
    if (m_view.is_live()) at_latest(Clock::now() + k_stt_redraw);
    return until;
  }

  Result<Received> wait() {
    std::vector<int> others;
    if (!m_ending) others = m_control.descriptors();
    if (wants_sound()) others.push_back(m_source->wait_fd());
    others.push_back(m_keys.descriptor());
    return m_live.wait(deadline(), std::move(others));
  }

  /// Handles timeouts.
  Result<void> on_time() {
    const auto now = Clock::now();
    if (m_renew && now >= *m_renew) {
      m_renew.reset();
      m_live.renew();
      m_phase = Phase::Lost;
    }
    const auto news = m_live.on_time();
    if (m_live.overdue()) return unfinished();
    if (!news) return m_live.retries() ? given_up(news.error()) : news.error();
    if (*news == LiveChannel::Change::Lost) m_phase = Phase::Lost;
    if (*news == LiveChannel::Change::Connected) return resume();
    if (m_phase == Phase::Finishing && now >= m_since + m_finishing) return unfinished();
    return {};
  }

  [[nodiscard]] Error unfinished() const {
    return Error{Fault::Timeout,
                 fmt::format("the service did not finish the transcript within {}",
                             format_duration(m_live.overdue() ? k_stt_last_wait : m_finishing)),
                 "The output may be incomplete."};
  }

  void on_input() {
    if (m_live.interrupted()) end_input("press Ctrl-C again to stop now");
    for (const char key : m_keys.read()) on_key(key);
    if (m_ending) return;
    for (const auto& command : m_control.read(m_plan.channels)) {
      if (!command) {
        m_view.warning(command.error().message);
      } else if (command->kind == SttCommand::Kind::End) {
        end_input("press Ctrl-C to stop now");
      } else {
        finalize(command->channel);
      }
    }
  }

  void on_key(char key) {
    if (key == 'r') {
      if (m_phase != Phase::Lost) m_view.note("reconnecting");
      m_renew = Clock::now();
    } else if (key == 'q' || key == '\x04') {
      end_input("press Ctrl-C to stop now");
    } else if (m_ending) {
      return;
    } else if (key == 'f' || key == '\n' || key == '\r') {
      finalize(std::nullopt);
    } else if (key == '?') {
      m_view.note(
          "keys: Enter or f ends the utterance; + and - change the VAD threshold, ] and [ the "
          "silence that ends an utterance; r reconnects; q ends");
    } else {
      adjust(key);
    }
  }

  /// The service accepts these settings only in the handshake, so a reconnect follows soon.
  void adjust(char key) {
    std::string& url = m_live.request().url;
    if (key == '+' || key == '-') {
      const double before = parse_number(query_value(url, "vad_threshold")).value_or(0.08);
      const double share = std::clamp(before + (key == '+' ? 0.02 : -0.02), 0.0, 1.0);
      const std::string text = fmt::format("{:.2f}", share);
      set_query_value(url, "vad_threshold", text);
      m_view.note("VAD threshold " + text);
    } else if (key == ']' || key == '[') {
      const auto before = parse_integer(query_value(url, "endpointing")).value_or(10);
      const auto ms = std::clamp<std::int64_t>(
          key == ']' ? before / 100 * 100 + 100 : (before - 1) / 100 * 100, 0, 5'000);
      set_query_value(url, "endpointing", std::to_string(ms));
      m_view.note(fmt::format("an utterance ends after {} ms of silence", ms));
    } else {
      return;
    }
    m_renew = Clock::now() + k_stt_settle;
  }

  void finalize(std::optional<int> channel) {
    if (m_phase != Phase::Speaking) return;
    (void)m_live.send({.data = channel
                                   ? fmt::format(R"({{"type":"finalize","channel":{}}})", *channel)
                                   : std::string(R"({"type":"finalize"})")});
  }

  /// The user stops: finishes the transcript, with a time limit.
  void end_input(const char* again) {
    if (m_live.ending()) return;
    m_live.stop_within(k_stt_last_wait);
    m_view.note(fmt::format("finishing the transcript, within {}; {}",
                            format_duration(k_stt_last_wait), again));
    if (m_ending) return;  // a file or a pipe has already ended
    m_ending = !m_started;
    m_source->stop();
  }

  void begin_connection(std::uint64_t from) {
    m_phase = Phase::Greeting;
    if (!m_started) m_begin = Clock::now();
    m_sent = from;
    m_transcript.begin(seconds(from));
  }

  /// Continues on another connection.
  Result<void> resume() {
    const double needed = m_transcript.resend_from(seconds(m_sent), m_plan.interim);
    const std::uint64_t from = std::max(position(needed), m_keep.begin());
    if (from > position(needed)) {
      m_view.warning(
          fmt::format("{:.0f} s of audio did not fit the {} buffer and were not transcribed",
                      seconds(from - position(needed)), format_bytes(k_stt_most_kept)));
    }
    begin_connection(from);
    return {};
  }

  Result<void> on_closed(const websocket::Close& close) {
    auto [error, type, said] = m_live.take_end(close);
    if (m_transcript.done()) {
      m_phase = Phase::Over;
      return {};
    }
    if (closed_in_order(close) && !said) {
      error = Error{Fault::Network,
                    "the service closed the connection before the transcript was complete",
                    "The output may be incomplete; try again."};
    }
    if (!may_come_back(close)) return error;
    const auto again = m_live.disconnect(std::move(error));
    if (!again) return m_live.retries() ? given_up(again.error()) : again.error();
    m_phase = Phase::Lost;
    return {};
  }

  Result<void> on_message(const std::string& text) {
    const auto now = Clock::now();
    // An error event does not end the connection.
    m_live.report_blame(true);
    SVC_CHECK(m_view.message(text));
    const voice::LiveEvent event = m_transcript.feed(text, seconds(m_sent));
    if (event.kind == voice::LiveEvent::Kind::Error) {
      m_live.record_error(event.message, "", true);
      return {};
    }
    if (event.utterance) SVC_CHECK(m_view.utterance(*event.utterance));
    if (event.kind == voice::LiveEvent::Kind::Nothing) return {};
    if (m_phase == Phase::Greeting && m_transcript.created()) {
      m_live.greeted();
      if (m_live.retries()) m_view.note("reconnected");
      m_phase = Phase::Speaking;
      if (!m_started && !m_ending) {
        SVC_CHECK(m_source->start());
        m_started = true;
      }
    } else if (m_phase != Phase::Greeting) {
      (void)m_live.works();
    }
    if (m_phase == Phase::Finishing) m_since = now;
    m_keep.release(position(m_transcript.resend_from(seconds(m_sent), m_plan.interim)));
    if (m_transcript.done()) m_phase = Phase::Over;
    return {};
  }

  void print_lag() {
    if (m_frames == 0) return;
    using Milli = std::chrono::duration<double, std::milli>;
    m_session.notices().detail(
        fmt::format("{} frames, sent {:.2f} ms after their end, at most {:.2f} ms", m_frames,
                    Milli(m_lag_sum).count() / m_frames, Milli(m_max_lag).count()));
  }

  void draw() {
    const auto now = Clock::now();
    if (!m_view.is_live() || now < m_drawn + k_stt_redraw / 2) return;
    m_drawn = now;
    m_view.draw(m_transcript, m_source->level(),
                std::chrono::duration_cast<std::chrono::milliseconds>(now - m_begin));
  }

  Session& m_session;
  SttLivePlan m_plan;
  std::unique_ptr<audio::Source> m_source;
  SttLiveView& m_view;
  KeyInput& m_keys;
  SttControl& m_control;
  LiveChannel m_live;
  voice::LiveTranscript m_transcript;
  voice::ReplayBuffer m_keep;
  std::chrono::milliseconds m_finishing;  ///< timeout of each event while finishing
  std::size_t m_frame;                    ///< bytes per tenth of a second
  std::size_t m_second;                   ///< bytes per second
  Phase m_phase = Phase::Greeting;
  Clock::time_point m_since{};  ///< time of the last event, while finishing
  Clock::time_point m_begin{};
  Clock::time_point m_drawn{};
  std::uint64_t m_sent{};                 ///< position after the audio sent on this connection
  bool m_full{};                          ///< the channel accepts no more for now
  bool m_started = false;                 ///< the source was started
  bool m_ending = false;                  ///< no more audio is captured
  std::optional<Error> m_source_error{};  ///< or that of the limit
  PaidTime m_paid{m_session, Price::SoundSecond};
  Clock::time_point m_captured{};  ///< end of the newest block
  Clock::duration m_max_lag{};     ///< from there until its frame was passed to the socket
  Clock::duration m_lag_sum{};
  int m_frames = 0;
  std::optional<Clock::time_point> m_renew{};  ///< when changed settings take effect
};

}  // namespace

Result<void> transcribe_live(Session& session, SttLivePlan plan,
                             std::unique_ptr<audio::Source> source, SttLiveView& view,
                             KeyInput& keys, SttControl& control) {
  return SttLiveRun(session, std::move(plan), std::move(source), view, keys, control).run();
}

}  // namespace svc::cli
