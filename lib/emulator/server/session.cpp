#include "emulator/server/session.h"

#include <utility>

#include <fmt/format.h>

#include "base/text.h"
#include "emulator/handler/body_file.h"

namespace svc::emulator {
namespace {

// While an answer is made, this much of the next requests is read ahead, and no more.
constexpr std::size_t k_read_ahead = 65'536;
// A body above this is refused without reading it, when the head alone is reason enough.
constexpr std::uint64_t k_large_body = 1U << 20U;
constexpr std::chrono::hours k_longest_hold{1};

Answer refuse_size(std::uint64_t limit) {
  return refuse(413, "Payload too large",
                fmt::format("The body is larger than {}.", format_bytes(limit)));
}

}  // namespace

Session::Session(std::shared_ptr<Wire> wire, Dispatcher& dispatcher, Crew& crew,
                 const Timing& timing, std::function<void()> closed)
    : m_wire(std::move(wire)),
      m_dispatcher(dispatcher),
      m_crew(crew),
      m_timing(timing),
      m_closed(std::move(closed)) {}

void Session::start() {
  m_wire->post([self = shared_from_this()] {
    self->m_wire->set_timer(Wire::Timer::Deadline, self->m_timing.handshake,
                            [self] { self->close(); });
    self->m_wire->open([self](bool ok) {
      if (self->m_stage == Stage::Closed) return;
      ok ? self->receive() : self->close();
    });
  });
}

void Session::stop(std::chrono::milliseconds grace) {
  m_wire->post([self = shared_from_this(), grace] {
    self->m_stopping = true;
    if (self->m_stage == Stage::Upgraded && grace.count() > 0) return self->m_link->shut_down();
    if (self->m_stage != Stage::Answering || grace.count() <= 0) self->close();
  });
}

void Session::make_room() {
  m_wire->post([self = shared_from_this()] {
    if (self->m_stage == Stage::Receiving && !self->m_parser.begun()) self->close();
  });
}

// --- reading ---------------------------------------------------------------------------------

void Session::receive() {
  if (m_stopping) return close();
  m_stage = Stage::Receiving;
  m_idle = m_input.empty();
  set_receive_deadline();
  parse();
}

void Session::read_more() {
  if (m_reading || m_peer_ended || m_stage == Stage::Closed) return;
  if (m_stage == Stage::Answering && m_input.size() >= k_read_ahead) return;
  m_reading = true;
  m_wire->read(m_chunk, [self = shared_from_this()](std::size_t bytes) { self->on_read(bytes); });
}

void Session::on_read(std::size_t bytes) {
  m_reading = false;
  m_idle = false;
  if (m_stage == Stage::Closed) return;
  if (bytes == 0) m_peer_ended = true;
  switch (m_stage) {
    case Stage::Receiving:
      if (m_peer_ended) return close();
      m_input.append(m_chunk.data(), bytes);
      return parse();
    case Stage::Answering:
      if (m_peer_ended) {
        // Whoever ends his direction still gets a whole answer, but a stream has lost its reader.
        if (m_reply) return m_reply->peer_gone();
        return;
      }
      m_input.append(m_chunk.data(), bytes);
      return read_more();
    case Stage::Draining:
      return m_peer_ended ? close() : read_more();
    case Stage::Opening:
    case Stage::Upgraded:
    case Stage::Closed:
      return;
  }
}

void Session::parse() {
  const bool had_begun = m_parser.begun();
  const bool had_head = m_parser.head_done();
  switch (m_parser.feed(m_input)) {
    case RequestParser::Step::NeedMore:
      if (m_peer_ended) return close();
      if (!had_begun || had_head) set_receive_deadline();
      return read_more();
    case RequestParser::Step::Head:
      return on_head();
    case RequestParser::Step::Done: {
      m_keep_alive = m_parser.keep_alive();
      m_http_10 = m_parser.is_http_10();
      return on_request(m_parser.take());
    }
    case RequestParser::Step::Malformed:
      return refuse_now({}, refuse(400, "Bad request", "That was no well-formed HTTP/1 request."));
    case RequestParser::Step::HeadTooLarge:
      return refuse_now({}, refuse(431, "Bad request", "The request's headers exceed 64 kB."));
    case RequestParser::Step::BodyTooLarge:
      return refuse_now(m_parser.head(), refuse_size(m_parser.body_limit()));
    case RequestParser::Step::BodyLost:
      return refuse_now(m_parser.head(), refuse(507, "Insufficient storage",
                                                "The emulator has no room for the body."));
  }
}

// Between the head and the body: refuse what cannot succeed, or ask for the body.
void Session::on_head() {
  const bool expects = m_parser.expects_continue();
  const auto length = m_parser.content_length();
  if (expects || !length || *length > k_large_body) {
    HttpCall head = m_parser.head();
    head.from_loopback = m_wire->from_loopback();
    if (auto refusal = m_dispatcher.refuse_head(head)) {
      return refuse_now(head, *std::move(refusal));
    }
    const auto handling = m_dispatcher.handling(head);
    m_parser.limit_body(handling.max_body);
    if (handling.spool) {
      auto file = BodyFile::create();
      if (!file) return refuse_now(head, refuse_internal(file.error()));
      m_parser.spool_to(std::move(*file));
    }
  }
  const bool too_large = length > m_parser.body_limit();
  set_receive_deadline();
  if (!expects || too_large || !m_input.empty()) return parse();
  m_wire->write("HTTP/1.1 100 Continue\r\n\r\n", [self = shared_from_this()](bool ok) {
    if (self->m_stage != Stage::Receiving) return;
    ok ? self->parse() : self->close();
  });
}

void Session::set_receive_deadline() {
  auto wait = m_timing.idle;
  if (m_parser.begun()) wait = m_parser.head_done() ? m_timing.body : m_timing.head;
  m_wire->set_timer(Wire::Timer::Deadline, wait,
                    [self = shared_from_this()] { self->on_receive_timeout(); });
}

void Session::on_receive_timeout() {
  if (m_stage != Stage::Receiving) return;
  if (!m_parser.begun()) return close();
  refuse_now({}, refuse(408, "Request timeout", "The request did not arrive in time."));
}

// --- answering -------------------------------------------------------------------------------

void Session::on_request(HttpCall given) {
  m_stage = Stage::Answering;
  m_wire->cancel_timer(Wire::Timer::Deadline);
  auto call = std::make_shared<HttpCall>(std::move(given));
  call->from_loopback = m_wire->from_loopback();
  call->tls = m_wire->is_tls();
  const auto ticket = m_dispatcher.admit(*call);
  if (!asks_for_socket(*call)) read_more();          // what follows is no request then
  if (!m_http_10 && call->header("Host").empty()) {  // RFC 9112, section 3.2
    return send(*call, ticket, refuse(400, "Bad request", "The request has no Host header."));
  }
  if (ticket.plan.latency.count() == 0) return act(call, ticket);
  m_wire->set_timer(Wire::Timer::Delay, ticket.plan.latency,
                    [self = shared_from_this(), call, ticket] {
                      if (self->m_stage == Stage::Answering) self->act(call, ticket);
                    });
}

// Answers before the request is whole, and ends the connection after that.
void Session::refuse_now(const HttpCall& call, Answer answer) {
  m_stage = Stage::Answering;
  m_wire->cancel_timer(Wire::Timer::Deadline);
  m_keep_alive = false;
  m_unread = true;
  Dispatcher::Ticket ticket;
  if (!call.method.empty()) {
    ticket = m_dispatcher.admit(call);
    ticket.plan = {};  // a request that was not read whole is past all faults
  }
  m_input.clear();
  send(call, ticket, std::move(answer));
}

void Session::act(const std::shared_ptr<HttpCall>& call, const Dispatcher::Ticket& ticket) {
  if (ticket.plan.instead) return answer_instead(*call, ticket);
  HttpCall head;  // what the log and the reply need of the request
  head.method = call->method;
  head.target = call->target;
  const auto handling = m_dispatcher.handling(head);
  m_apart = handling.run == RunOn::Worker;
  if (m_apart) return act_apart(call, head, ticket);
  Answer answer = m_dispatcher.answer(std::move(*call), ticket);
  send(head, ticket, std::move(answer));
}

void Session::act_apart(const std::shared_ptr<HttpCall>& call, const HttpCall& head,
                        const Dispatcher::Ticket& ticket) {
  m_stop = std::stop_source();
  call->stop = m_stop.get_token();
  m_crew.run([self = shared_from_this(), call, head, ticket] {
    auto answer = std::make_shared<Answer>(self->m_dispatcher.answer(std::move(*call), ticket));
    self->m_wire->post([self, head, ticket, answer] {
      if (self->m_stage == Stage::Answering) self->send(head, ticket, std::move(*answer));
    });
  });
}

void Session::answer_instead(const HttpCall& call, const Dispatcher::Ticket& ticket) {
  const FaultRule& rule = *ticket.plan.instead;
  if (rule.action == FaultAction::Stall) return hold();
  if (rule.action == FaultAction::Reset) {
    m_wire->reset();
    return close();
  }
  send(call, ticket, fault_answer(rule));
}

// Nothing is sent until the peer goes away.
void Session::hold() {
  if (m_peer_ended) return close();
  m_reply = nullptr;
  m_stage = Stage::Draining;
  m_wire->set_timer(Wire::Timer::Deadline, k_longest_hold,
                    [self = shared_from_this()] { self->close(); });
  read_more();
}

void Session::send(const HttpCall& call, const Dispatcher::Ticket& ticket, Answer answer) {
  m_dispatcher.finished(call, ticket, answer.status);
  if (answer.socket) return upgrade(ticket, std::move(*answer.socket));
  ReplyMode mode;
  if (m_apart) mode.crew = &m_crew;
  mode.head_only = call.method == "HEAD";
  mode.http_10 = m_http_10;
  mode.now_s = m_dispatcher.now_s();
  m_keep_alive = m_keep_alive && !m_stopping && !(m_http_10 && answer.next);
  mode.keep_alive = m_keep_alive;
  mode.write_timeout = m_timing.write;
  m_reply =
      std::make_shared<Reply>(m_wire, std::move(answer), ticket.plan, mode,
                              [self = shared_from_this()](Reply::End end) { self->on_sent(end); });
  m_reply->start();
  if (m_peer_ended && m_reply) m_reply->peer_gone();
}

// From here on the connection is the link's, until that has ended.
void Session::upgrade(const Dispatcher::Ticket& ticket, SocketOffer offer) {
  m_stage = Stage::Upgraded;
  const auto self = shared_from_this();
  m_link = std::make_shared<SocketLink>(SocketLink::Parts{
      .wire = m_wire,
      .offer = std::move(offer),
      .plan = ticket.plan,
      .crew = m_crew,
      .log = [self, ticket](
                 std::string_view message,
                 bool is_text) { self->m_dispatcher.received(ticket, message, is_text); },
      .done =
          [self](SocketLink::End end) {
            if (self->m_stage != Stage::Upgraded) return;
            self->m_link = nullptr;
            end == SocketLink::End::Closed ? self->drain() : self->close();
          }});
  m_link->start(std::exchange(m_input, {}));
  if (m_stopping && m_link) m_link->shut_down();
}

void Session::on_sent(Reply::End end) {
  m_reply = nullptr;
  if (end == Reply::End::Broken) return close();
  if (m_keep_alive && !m_stopping) return receive();
  m_stopping && !m_unread ? leave() : drain();
}

// At the program's end: the request was read whole and the answer is with the kernel, which
// delivers it without us. The peer may wait for this program, so waiting for the peer takes long.
void Session::leave() {
  m_stage = Stage::Draining;
  m_wire->finish([self = shared_from_this()](bool) { self->close(); });
}

// Closing while the peer still sends would reset the connection and take the answer with it.
void Session::drain() {
  m_stage = Stage::Draining;
  m_wire->set_timer(Wire::Timer::Deadline, m_timing.drain,
                    [self = shared_from_this()] { self->close(); });
  m_wire->finish([self = shared_from_this()](bool ok) {
    if (self->m_stage != Stage::Draining) return;
    ok && !self->m_peer_ended ? self->read_more() : self->close();
  });
}

void Session::close() {
  if (m_stage == Stage::Closed) return;
  m_stage = Stage::Closed;
  m_idle = false;
  m_wire->cancel_timer(Wire::Timer::Deadline);
  m_wire->cancel_timer(Wire::Timer::Delay);
  m_wire->close();
  m_stop.request_stop();
  if (const auto link = std::exchange(m_link, nullptr)) link->abandon();
  if (const auto reply = std::exchange(m_reply, nullptr)) reply->peer_gone();
  if (const auto closed = std::exchange(m_closed, nullptr)) closed();
}

}  // namespace svc::emulator
