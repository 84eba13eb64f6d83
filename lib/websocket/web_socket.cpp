#include "websocket/web_socket.h"

#include <algorithm>
#include <array>
#include <utility>
#include <vector>

#include <fmt/format.h>

#include "base/text.h"
#include "base/wait.h"

namespace svc::websocket {
namespace {

using std::chrono::milliseconds;

constexpr std::size_t k_read_size = 64U << 10U;

}  // namespace

WebSocket::WebSocket(std::unique_ptr<http::Connection> connection, ChannelOptions options,
                     std::string_view first)
    : m_connection(std::move(connection)),
      m_options(std::move(options)),
      m_framing(m_options.max_message),
      m_last_received(Clock::now()) {
  m_framing.receive(first, m_arrived);
}

WebSocket::~WebSocket() = default;

bool WebSocket::send(Message message) {
  {
    const std::lock_guard lock(m_mutex);
    const std::size_t size = message.data.size();
    const bool fits = m_queued == 0 || (m_queue.size() < m_options.max_queued / 64 &&
                                        m_queued + size <= m_options.max_queued);
    if (m_send_closed || m_to_close || !fits) return false;
    m_queued += size;
    m_queue.push_back(std::move(message));
  }
  notify_owner();
  return true;
}

/// Notifies the owning thread. When called on that thread there is no need: it checks before it
/// waits.
void WebSocket::notify_owner() {
  const std::lock_guard lock(m_mutex);
  m_has_work = true;
  if (std::exchange(m_receiver_waits, false)) m_changed.signal();
}

void WebSocket::close(std::uint16_t code, std::string_view reason) {
  {
    const std::lock_guard lock(m_mutex);
    if (m_to_close) return;
    m_to_close = Close{.code = code, .reason = std::string(reason), .closed_locally = true};
  }
  notify_owner();
}

void WebSocket::wake() {
  m_woken = true;
  notify_owner();
}

std::size_t WebSocket::queued() const {
  const std::lock_guard lock(m_mutex);
  return m_queued;
}

void WebSocket::hold(bool held) noexcept {
  if (m_held && !held) {
    // The silence was this side's.
    m_last_received = Clock::now();
    m_pinged.reset();
  }
  m_held = held;
}

Result<Received> WebSocket::receive(const CancelToken& cancel,
                                    std::optional<Clock::time_point> until,
                                    std::span<const int> others) {
  bool other_ready = false;
  bool checked = false;  // even if the time has already passed, check once
  while (true) {
    if (const auto reason = cancel.requested()) return canceled(*reason);
    {
      const std::lock_guard lock(m_mutex);
      m_has_work = false;
    }
    if (m_connection) {
      write_some();
      read_some();
      check_ended(Clock::now());
    }
    if (auto ready = take_ready()) return *std::move(ready);
    if (m_woken.exchange(false)) return Received{.what = ReceivedKind::Woken};
    if (other_ready) return Received{.what = ReceivedKind::Ready};
    if (checked && until && Clock::now() >= *until) return Received{.what = ReceivedKind::Nothing};
    other_ready = wait(cancel, until, others);
    checked = true;
  }
}

std::optional<Received> WebSocket::take_ready() {
  if (is_held()) return std::nullopt;
  if (!m_arrived.empty()) {
    Message message = std::move(m_arrived.front());
    m_arrived.pop_front();
    return Received{.what = message.binary ? ReceivedKind::Binary : ReceivedKind::Text,
                    .data = std::move(message.data)};
  }
  if (m_end) return Received{.what = ReceivedKind::Closed, .close = *m_end};
  return std::nullopt;
}

/// Reads one chunk, so that writing gets its turn however much the peer sends. Reads nothing while
/// messages wait to be consumed, which applies back-pressure to the peer.
void WebSocket::read_some() {
  if (is_held() || !m_readable || !m_arrived.empty() || m_end || m_framing.ended()) return;
  std::array<char, k_read_size> buffer;  // not initialised: it is written first
  const auto got = m_connection->read(buffer);
  if (!got) return end(Close{.reason = got.error().message});
  if (!got->has_value()) {
    return end(Close{.reason = "the peer ended the connection without a close frame"});
  }
  m_readable = **got > 0;
  if (!m_readable) return;
  m_last_received = Clock::now();
  m_pinged.reset();
  m_framing.receive({buffer.data(), **got}, m_arrived);
}

void WebSocket::next_message() {
  if (!m_framing.can_send()) return;
  const std::lock_guard lock(m_mutex);
  m_queued -= std::exchange(m_in_flight, 0);
  if (!m_queue.empty()) {
    m_in_flight = m_queue.front().data.size();
    m_framing.send(std::move(m_queue.front()));
    m_queue.pop_front();
  } else if (m_to_close) {
    m_framing.close(m_to_close->code, m_to_close->reason);
    m_close_code = m_to_close->code;
    if (!m_closing) m_closing = Clock::now();
  }
}

void WebSocket::write_some() {
  m_blocked = false;
  // Bounded, so that reading gets its turn however much there is to send.
  for (int turns = 0; turns < 16 && !m_write_failed; ++turns) {
    if (m_framing.output().empty()) next_message();
    const std::string_view bytes = m_framing.output();
    if (bytes.empty()) return;
    const auto written = m_connection->write(bytes);
    if (!written) {
      // Data that the peer sent before it disconnected still counts; reading will find the end.
      m_write_failed = true;
      return;
    }
    m_framing.wrote(*written);
    if (*written == 0) {
      m_blocked = true;
      return;
    }
    if (m_closing) m_closing = Clock::now();
  }
  m_blocked = !m_write_failed;  // the bound was reached: there may be more, for which wait() waits
                                // until writable
}

void WebSocket::check_keep_alive(Clock::time_point now) {
  if (now - m_last_received < m_options.ping_interval) return;
  if (!m_pinged) {
    m_pinged = now;
    m_framing.ping();
    return;
  }
  // Measured from the ping, because receive() may not have been called for a while before it.
  if (now - *m_pinged >= m_options.idle_timeout - m_options.ping_interval) {
    end(Close{.reason = fmt::format("no traffic for {}", format_duration(m_options.idle_timeout))});
  }
}

/// Decides whether the connection has ended.
void WebSocket::check_ended(Clock::time_point now) {
  if (m_end || !m_connection) return;
  const auto& ended = m_framing.ended();
  if (ended && !m_closing) m_closing = now;
  const bool waited = m_closing && (m_write_failed || now - *m_closing >= m_options.close_timeout);
  if (ended && (m_framing.close_written() || waited)) return end(*ended);
  if (!ended && waited) {
    return end(Close{.code = m_close_code,
                     .reason = "the peer did not respond to the close frame",
                     .closed_locally = true});
  }
  if (!ended && !is_held()) check_keep_alive(now);
}

void WebSocket::end(Close close) {
  if (!m_end) m_end = std::move(close);
  m_connection.reset();
  const std::lock_guard lock(m_mutex);
  m_send_closed = true;
  m_queue.clear();
  m_queued = 0;
}

WebSocket::Clock::time_point WebSocket::next_deadline() const {
  if (m_closing) return *m_closing + m_options.close_timeout;
  if (is_held()) return Clock::time_point::max();
  if (m_pinged) return *m_pinged + (m_options.idle_timeout - m_options.ping_interval);
  return m_last_received + m_options.ping_interval;
}

/// Returns true if one of `others` is readable.
bool WebSocket::wait(const CancelToken& cancel, std::optional<Clock::time_point> until,
                     std::span<const int> others) {
  auto moment = m_connection ? next_deadline() : Clock::time_point::max();
  if (until) moment = std::min(moment, *until);
  std::vector<pollfd> waits(2 + others.size());
  waits[0] = {m_changed.descriptor(), POLLIN, 0};
  waits[1] = {m_connection ? m_connection->descriptor() : -1, POLLIN, 0};
  for (std::size_t i = 0; i < others.size(); ++i) waits[2 + i] = {others[i], POLLIN, 0};
  const bool pending = !m_write_failed && (m_blocked || !m_framing.output().empty());
  if (pending) waits[1].events |= POLLOUT;
  if (is_held()) {
    waits[1].events = POLLOUT;
    if (!pending) waits[1].fd = -1;  // its end would be reported again and again
  }
  // The peer has sent its last frame: only pending output matters.
  if (m_framing.ended()) waits[1].events = POLLOUT;
  // poll() does not report data that the TLS layer has already buffered.
  bool more = m_readable && !is_held() && m_connection && !m_framing.ended();
  {
    const std::lock_guard lock(m_mutex);
    more = more || m_has_work;
    m_receiver_waits = !more;
  }
  (void)svc::wait(waits, more ? Clock::now() : moment, cancel);
  {
    const std::lock_guard lock(m_mutex);
    m_receiver_waits = false;
  }
  if (waits[0].revents != 0) m_changed.clear();
  if (waits[1].revents != 0) m_readable = true;
  return std::any_of(waits.begin() + 2, waits.end(),
                     [](const pollfd& one) { return one.revents != 0; });
}

Error close_error(const Close& close) {
  const std::string reason = shown_message(close.reason);
  const std::string suffix = reason.empty() ? std::string() : ": " + reason;
  struct Row {
    std::uint16_t code;
    Fault fault;
  };
  static constexpr std::array k_rows{
      Row{1008, Fault::Service}, Row{1011, Fault::Service},  Row{1012, Fault::Service},
      Row{1013, Fault::Limited}, Row{1014, Fault::Service},  Row{3000, Fault::Auth},
      Row{3003, Fault::Auth},    Row{3008, Fault::Timeout},  Row{4401, Fault::Auth},
      Row{4403, Fault::Auth},    Row{4404, Fault::NotFound}, Row{4408, Fault::Timeout},
      Row{4429, Fault::Limited}};
  if (close.code == k_abnormal_closure) {
    return Error{Fault::Network, fmt::format("the connection was lost{}", suffix), "Try again."};
  }
  if (close.closed_locally) {
    return Error{Fault::Network,
                 fmt::format("the peer violated the WebSocket protocol ({}){}", close.code, suffix),
                 "Check the URL, and any proxy in between."};
  }
  Fault fault = close.code >= 3000 ? Fault::Service : Fault::Network;
  for (const Row& row : k_rows) {
    if (row.code == close.code) fault = row.fault;
  }
  return Error{fault, fmt::format("the service closed the connection ({}){}", close.code, suffix)};
}

}  // namespace svc::websocket
