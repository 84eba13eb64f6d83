// The connections of `stt live`: how one ends, and the next one takes up its work.
#include <algorithm>
#include <utility>

#include <fmt/format.h>

#include "base/text.h"
#include "commands/stt/live_run.h"
#include "live/reconnect.h"

namespace svc::cli {

using namespace std::chrono_literals;

void SttLiveRun::begin_connection(std::unique_ptr<websocket::Channel> channel, std::uint64_t from) {
  m_channel = std::move(channel);
  m_phase = Phase::Greeting;
  m_since = Clock::now();
  if (!m_started) m_begin = m_since;
  m_sent = from;
  m_transcript.begin(seconds(from));
}

/// An error that did not end the connection is told, and that is all.
void SttLiveRun::tell_error(Clock::time_point now) {
  if (m_said_error.empty() || now < m_said_at + k_stt_verdict) return;
  m_view.warning(
      fmt::format("the service says: {}",
                  visible(excerpt(std::exchange(m_said_error, {}), 300), Lines::Escape)));
}

Result<void> SttLiveRun::on_closed(const websocket::Close& close) {
  if (m_transcript.done()) {
    m_phase = Phase::Over;
    return {};
  }
  const std::string said = std::exchange(m_said_error, {});
  Error error = end_of(close, "the transcription", said);
  if (closed_in_order(close) && said.empty()) {
    error =
        Error{Fault::Network, "the service closed the connection before the transcript was done",
              "What is printed may lack the end; try again."};
  }
  m_channel.reset();
  if (may_come_back(close)) return lose(std::move(error));
  return error;
}

/// Tries again, after a pause that grows, unless that was tried often enough.
Result<void> SttLiveRun::lose(Error error) {
  m_channel.reset();
  if (!m_plan.reconnect || m_plan.retries == 0) return error;
  if (m_attempts >= m_plan.retries) {
    return Error{Fault::Network,
                 fmt::format("{}; {} {} to connect again failed", error.message, m_attempts,
                             m_attempts == 1 ? "attempt" : "attempts"),
                 "What was transcribed until then is printed."};
  }
  if (m_phase != Phase::Lost && m_attempts == 0) {
    m_view.warning(fmt::format("{}; connecting again, {} are kept to be sent then", error.message,
                               m_plan.waits ? "the place in the sound and what was not transcribed"
                                            : "what is said now and what was not transcribed"));
  } else {
    m_session.notices().detail(error.message);
  }
  m_phase = Phase::Lost;
  m_retry = Clock::now() + retry_pause(m_attempts);
  return {};
}

Result<void> SttLiveRun::on_connector() {
  auto opening = m_connector->take();
  m_connector.reset();
  if (!opening) return lose(std::move(opening).error());
  auto channel = channel_of(*std::move(opening), m_session.secrets());
  if (!channel) {
    return may_pass(channel.error()) ? lose(channel.error()) : Result<void>(channel.error());
  }
  const double needed = m_transcript.settled(seconds(m_sent), m_plan.interim);
  const std::uint64_t from = std::max(position(needed), m_keep.begin());
  if (from > position(needed)) {
    m_view.warning(fmt::format(
        "{:.0f} s of sound could not be kept, at most {} are: what was said in them is missing",
        seconds(from - position(needed)), format_bytes(k_stt_most_kept)));
  }
  begin_connection(*std::move(channel), from);
  return {};
}

}  // namespace svc::cli
