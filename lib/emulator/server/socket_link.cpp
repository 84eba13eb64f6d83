#include <boost/asio/post.hpp>
#include <boost/beast/http/empty_body.hpp>

#include "emulator/server/connection.h"

namespace svc::emulator {
namespace {

namespace asio = boost::asio;
namespace beast = boost::beast;
namespace ws = boost::beast::websocket;
using beast::error_code;

constexpr std::chrono::seconds k_handshake_time{10};  // also for the answer to our close frame
constexpr std::chrono::seconds k_idle_time{120};  // a silent peer is pinged after half of this time
constexpr std::size_t k_max_reason = 120;  // with an ellipsis 123, the maximum of a close frame
// A reset discards what the kernel has not delivered yet.
constexpr std::chrono::milliseconds k_before_socket_reset{20};

}  // namespace

template <typename Work>
void SocketLink::notify(Work&& work) {
  if (!m_session) return;
  const auto session = m_session;  // it may end itself
  try {
    work(*session);
  } catch (const std::exception&) {
    close(k_close_failure, "The emulator has a fault.");
  }
}

void SocketLink::start() {
  m_stream.read_message_max(k_max_message);
  m_stream.set_option(ws::stream_base::timeout{k_handshake_time, k_idle_time, true});
  m_stream.set_option(
      ws::stream_base::decorator([protocol = m_offer.protocol](ws::response_type& response) {
        response.set(beast::http::field::server, "svc-emulator");
        if (!protocol.empty()) response.set(beast::http::field::sec_websocket_protocol, protocol);
      }));
  beast::http::request<beast::http::empty_body> request{beast::http::verb::get, "/", 11};
  request.set(beast::http::field::host, "localhost");
  request.set(beast::http::field::upgrade, "websocket");
  request.set(beast::http::field::connection, "Upgrade");
  request.set(beast::http::field::sec_websocket_key, m_offer.key);
  request.set(beast::http::field::sec_websocket_version, "13");
  m_stream.async_accept(
      request, [self = shared_from_this()](const error_code& error) { self->on_handshake(error); });
}

void SocketLink::on_handshake(const error_code& error) {
  if (!m_session) return;
  if (error) return finish(End::Broken, k_close_abnormal, "");
  m_open = true;
  if (fault_is_due()) return;
  m_opened = true;
  notify([&](SocketSession& session) { session.on_open(shared_from_this()); });
  read();
  if (m_close_wanted) close_now();
}

void SocketLink::shut_down() {
  if (!m_open) return finish(End::Broken, k_close_abnormal, "");
  drop_unsent();
  close(k_close_going_away, "The server is ending.");
}

// --- receiving -------------------------------------------------------------------------------

void SocketLink::read() {
  if (m_reading || m_paused || !m_open || !m_session || m_close_sent) return;
  m_reading = true;
  m_stream.async_read(m_in, [self = shared_from_this()](const error_code& error, std::size_t) {
    self->m_reading = false;
    self->on_read(error);
  });
}

void SocketLink::on_read(const error_code& error) {
  if (!m_session) return;
  if (error == ws::error::closed) {
    const auto reason = m_stream.reason();
    return finish(End::Closed, reason.code == ws::close_code::none ? 1005 : reason.code,
                  {reason.reason.data(), reason.reason.size()});
  }
  if (error) return finish(End::Closed, k_close_abnormal, "");
  std::string message(static_cast<const char*>(m_in.data().data()), m_in.size());
  m_in.consume(m_in.size());
  if (m_in.capacity() > (1U << 20U)) m_in.shrink_to_fit();
  const bool is_text = m_stream.got_text();
  ++m_received;
  if (m_log) m_log(message, is_text);
  notify([&](SocketSession& session) {
    is_text ? session.on_text(std::move(message)) : session.on_binary(std::move(message));
  });
  if (m_plan.due(FaultAction::DropAfter, m_received)) return abort();
  read();
}

// --- sending ---------------------------------------------------------------------------------

void SocketLink::send(Outgoing message) {
  if (!m_session || !m_open || m_close_wanted || m_output_stopped) return;
  m_unsent += message.bytes.size();
  m_out.push_back(std::move(message));
  if (m_unsent > k_max_unsent) return abort();
  write_next();
}

void SocketLink::write_next() {
  if (m_writing || m_close_sent || !m_session || m_out.empty()) return;
  m_writing = true;
  m_current = std::move(m_out.front());
  m_out.pop_front();
  if (m_plan.slow.count() <= 0) return write_now();
  start_timer(m_plan.slow, [this] { write_now(); });
}

void SocketLink::write_now() {
  m_stream.text(m_current.is_text);
  if (m_current.is_text) m_log_sent(m_current.bytes);
  m_stream.async_write(asio::buffer(m_current.bytes),
                       [self = shared_from_this()](const error_code& error, std::size_t) {
                         self->m_writing = false;
                         self->on_written(error);
                       });
}

void SocketLink::on_written(const error_code& error) {
  if (!m_session) return;
  if (error) {  // a pending read ends the connection, with the reason
    if (!m_reading) abort();
    return;
  }
  const std::size_t size = m_current.bytes.size();
  m_unsent -= std::min(size, m_unsent);
  m_payload += size;
  ++m_sent;
  if (fault_is_due()) return;
  if (!m_out.empty()) return write_next();
  if (m_close_wanted) return close_now();
  notify([](SocketSession& session) { session.on_drained(); });
}

void SocketLink::close(std::uint16_t code, sv reason) {
  if (!m_session || m_close_wanted) return;
  m_close_wanted = true;
  m_close_reason =
      ws::close_reason(ws::close_code(code), std::string(excerpt(reason, k_max_reason)));
  if (m_open && !m_writing && m_out.empty()) close_now();
}

void SocketLink::close_now() {
  if (!m_session || !m_close_wanted || m_close_sent || m_writing) return;
  m_close_sent = true;
  m_stream.async_close(m_close_reason, [self = shared_from_this()](const error_code&) {
    // A pending read receives the peer's close frame, and ends the connection.
    if (!self->m_reading) self->finish(End::Closed, k_close_normal, "");
  });
}

// --- faults and the end ----------------------------------------------------------------------

// Called after each sent message; returns true if the connection must stop.
bool SocketLink::fault_is_due() {
  if (m_plan.due(FaultAction::CutAfter, m_sent)) {
    abort();
    return true;
  }
  if (m_plan.due(FaultAction::ResetAfter, m_payload)) {
    schedule_reset();
    return true;
  }
  if (const FaultRule* rule = m_plan.due(FaultAction::CloseAfter, m_sent)) {
    drop_unsent();
    m_close_wanted = false;  // the rule's close replaces the session's own
    close(static_cast<std::uint16_t>(rule->status), rule->message);
    return true;
  }
  if (m_plan.due(FaultAction::StallAfter, m_sent)) {
    drop_unsent();
    m_output_stopped = true;
  }
  return false;
}

void SocketLink::schedule_reset() {
  m_output_stopped = true;
  drop_unsent();
  start_timer(k_before_socket_reset, [this] {
    m_wire->reset_at_close();
    abort();
  });
}

void SocketLink::finish(End end, std::uint16_t code, sv reason) {
  if (!m_session) return;
  m_timers.clear();
  if (m_opened) notify([&](SocketSession& session) { session.on_closed(code, reason); });
  if (m_writing) end = End::Broken;  // nothing may follow half a message
  m_session = nullptr;
  m_log = nullptr;
  // Both may own this link: release them after it is done.
  const auto self = shared_from_this();
  if (const auto done = std::exchange(m_done, nullptr)) done(end);
}

SocketPeer::TimerId SocketLink::start_timer(std::chrono::milliseconds wait,
                                            std::function<void()> done) {
  const TimerId id = ++m_last_timer;
  if (!m_session) return id;
  auto& timer = m_timers.emplace(id, Timer(m_wire->get_executor())).first->second;
  timer.expires_after(wait);
  timer.async_wait([self = shared_from_this(), id, done = std::move(done)](const error_code&) {
    // Canceled means removed from the map, even if the wait was already over.
    if (self->m_timers.erase(id) == 0) return;
    self->notify([&](SocketSession&) { done(); });
  });
  return id;
}

void SocketLink::post(std::function<void()> work) {
  asio::post(m_stream.get_executor(), [self = shared_from_this(), work = std::move(work)] {
    self->notify([&](SocketSession&) { work(); });
  });
}

}  // namespace svc::emulator
