#include "live/jsonl_session.h"

#include <deque>

#include <fmt/format.h>
#include <unistd.h>

#include "live/jsonl_reader.h"
#include "live/jsonl_writer.h"
#include "live/socket.h"

namespace svc::cli {
namespace {

using websocket::Arrival;
using websocket::Channel;
using websocket::Message;

class LineSocketRun {
 public:
  LineSocketRun(Session& session, Channel& channel, JsonlSessionOptions options,
                JsonlObserver* watch)
      : m_session(session),
        m_channel(channel),
        m_options(std::move(options)),
        m_watch(watch),
        m_first(m_options.first.begin(), m_options.first.end()),
        m_input(
            {.bytes = m_options.send_bytes,
             .json_lines = m_options.json_lines,
             .ignored = session.globals().no_stdin || session.environment()("SVC_NO_STDIN") == "1"},
            session.notices()),
        m_output(session, m_options.receive_bytes) {}

  Result<void> run() {
    Result<void> ended = loop();
    if (!ended && ended.error().fault != Fault::ReaderGone) (void)m_output.finish();
    if (!ended || m_input.left_out() == 0) return ended;
    return usage_error(fmt::format("{} of standard input {} not sent",
                                   m_input.left_out() == 1 ? "a line" : "several lines",
                                   m_input.left_out() == 1 ? "was" : "were"),
                       "Each line must be a JSON object, such as {\"type\":\"response.create\"}.");
  }

 private:
  Result<void> loop() {
    while (true) {
      SVC_CHECK(send());
      const auto got = m_channel.receive(m_session.cancel_token(), deadline(),
                                         m_input.wants() ? STDIN_FILENO : -1);
      if (!got) {
        say_goodbye(m_channel, 1001);
        return got.error();
      }
      switch (got->what) {
        case Arrival::Text:
        case Arrival::Binary:
          m_last = Channel::Clock::now();
          if (m_watch != nullptr && got->what == Arrival::Text) m_watch->arrived(got->data);
          SVC_CHECK(m_output.message(got->what == Arrival::Binary, got->data));
          break;
        case Arrival::Ready:
          SVC_CHECK(m_input.read());
          break;
        case Arrival::Closed:
          return finish(got->close);
        case Arrival::Woken:
        case Arrival::Nothing:
          break;
      }
      if (is_over()) m_channel.close();
    }
  }

  /// Hands in what waits, as far as the queue takes it.
  Result<void> send() {
    while (!m_first.empty() && hand_in(Message{.data = m_first.front()})) m_first.pop_front();
    while (m_first.empty() && m_input.next()) {
      if (!hand_in(*m_input.next())) return {};
      SVC_CHECK(m_input.taken());
    }
    return {};
  }

  bool hand_in(const Message& message) {
    if (!m_channel.send(message)) return false;
    m_last = Channel::Clock::now();
    if (m_watch != nullptr && !message.binary) m_watch->sent(message.data);
    return true;
  }

  [[nodiscard]] bool waits_for_room() const { return !m_first.empty() || m_input.next(); }

  /// The last that is awaited is that nothing comes any more.
  [[nodiscard]] bool is_quiet_awaited() const {
    return m_options.linger && m_input.ended() && (m_watch == nullptr || !m_watch->busy());
  }

  [[nodiscard]] std::optional<Channel::Clock::time_point> deadline() const {
    // A full queue empties without a word: look again soon.
    if (waits_for_room()) return Channel::Clock::now() + std::chrono::milliseconds(20);
    if (is_quiet_awaited()) return m_last + *m_options.linger;
    return std::nullopt;
  }

  [[nodiscard]] bool is_over() const {
    return is_quiet_awaited() && m_channel.queued() == 0 &&
           Channel::Clock::now() - m_last >= *m_options.linger;
  }

  Result<void> finish(const websocket::Close& close) {
    SVC_CHECK(m_output.finish());
    if (closed_in_order(close)) return {};
    return websocket::close_error(close);
  }

  Session& m_session;
  Channel& m_channel;
  JsonlSessionOptions m_options;
  JsonlObserver* m_watch;
  std::deque<std::string> m_first;
  JsonlReader m_input;
  JsonlWriter m_output;
  Channel::Clock::time_point m_last = Channel::Clock::now();
};

}  // namespace

Result<void> run_jsonl_session(Session& session, websocket::Channel& channel,
                               JsonlSessionOptions options, JsonlObserver* watch) {
  return LineSocketRun(session, channel, std::move(options), watch).run();
}

}  // namespace svc::cli
