#include "live/live_channel.h"

#include <algorithm>
#include <utility>

#include <fmt/format.h>

#include "base/text.h"
#include "live/reconnect.h"

namespace svc::cli {
namespace {

/// An error that ends the connection does it by then.
constexpr std::chrono::milliseconds k_verdict{500};

}  // namespace

Result<void> LiveChannel::open() {
  SVC_TRY(opening,
          websocket::open_channel(m_plan.request, m_plan.channel, m_session.cancel_token()));
  SVC_TRY(channel, channel_of(std::move(opening), m_session.secrets()));
  m_finish.emplace();
  m_channel = std::move(channel);
  return {};
}

bool LiveChannel::send(websocket::Message message) {
  return m_channel && m_channel->send(std::move(message));
}

Result<websocket::Received> LiveChannel::wait(std::optional<Clock::time_point> until,
                                              std::vector<int> others) {
  const auto sooner = [&until](Clock::time_point moment) {
    until = until ? std::min(*until, moment) : moment;
  };
  if (!m_channel && !m_connector) sooner(m_retry);
  if (!m_blame.empty()) sooner(m_blamed + k_verdict);
  if (m_end) sooner(*m_end);
  if (m_finish) others.push_back(m_finish->wake_fd());
  if (m_connector) others.push_back(m_connector->descriptor());
  if (m_channel) return m_channel->receive(m_session.cancel_token(), until, others);
  return wait_readable(m_session.cancel_token(), until, others);
}

Result<void> LiveChannel::lose(Error error) {
  m_channel.reset();
  if (m_attempts >= m_plan.retries) {
    if (m_attempts > 0) {
      error.message += fmt::format("; {} {} to connect again failed", m_attempts,
                                   m_attempts == 1 ? "attempt" : "attempts");
    }
    return error;
  }
  if (m_attempts > 0) m_session.notices().detail(error.message);
  m_retry = Clock::now() + retry_pause(m_attempts);
  return {};
}

void LiveChannel::renew() {
  if (m_channel) say_goodbye(*m_channel, 1001);
  m_channel.reset();
  m_connector.reset();
  m_attempts = 0;
  m_retry = Clock::now();
}

Result<bool> LiveChannel::advance() {
  if (m_channel) return false;
  if (m_connector && m_connector->over()) {
    auto opening = m_connector->take();
    m_connector.reset();
    if (!opening) {
      SVC_CHECK(lose(std::move(opening).error()));
      return false;
    }
    auto channel = channel_of(*std::move(opening), m_session.secrets());
    if (!channel) {
      if (!may_pass(channel.error())) return std::move(channel).error();
      SVC_CHECK(lose(std::move(channel).error()));
      return false;
    }
    m_channel = *std::move(channel);
    return true;
  }
  if (!m_connector && Clock::now() >= m_retry) {
    ++m_attempts;
    m_connector.emplace(m_plan.request, m_plan.channel);
  }
  return false;
}

bool LiveChannel::works() noexcept {
  return std::exchange(m_attempts, 0) > 0;
}

void LiveChannel::blame(std::string text, std::string type, bool ends) {
  m_blame = std::move(text);
  m_blame_type = std::move(type);
  m_blame_ends = ends;
  m_blamed = Clock::now();
}

void LiveChannel::tell_blame(const std::function<void(const std::string&)>& warn, bool all) {
  if (m_blame.empty() || (!all && Clock::now() < m_blamed + k_verdict)) return;
  warn(fmt::format("the service says: {}",
                   visible(excerpt(std::exchange(m_blame, {}), 300), Lines::Escape)));
}

LiveChannel::End LiveChannel::take_end(const websocket::Close& close) {
  const std::string said = m_blame_ends ? std::exchange(m_blame, {}) : std::string();
  m_channel.reset();
  return {.error = end_of(close, m_plan.what, said),
          .type = said.empty() ? std::string() : std::exchange(m_blame_type, {}),
          .said = !said.empty()};
}

void LiveChannel::end_within(Clock::duration time) {
  if (!m_end) m_end = Clock::now() + time;
  m_finish.reset();  // the next Ctrl-C is no wish, but the end
}

void LiveChannel::close(bool whole) {
  if (m_channel) say_goodbye(*m_channel, whole ? websocket::k_normal_closure : 1001);
}

}  // namespace svc::cli
