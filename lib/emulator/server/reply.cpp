#include "emulator/server/reply.h"

#include <algorithm>
#include <exception>
#include <utility>

#include <boost/beast/http/status.hpp>
#include <fmt/format.h>

#include "base/clock.h"
#include "base/text.h"

namespace svc::emulator {
namespace {

// A reset throws away what the kernel has not delivered yet.
constexpr std::chrono::milliseconds k_before_reset{20};
constexpr std::chrono::hours k_longest_stall{1};

bool has_no_body(int status) {
  return status < 200 || status == 204 || status == 304;
}

bool has_header(const Answer& answer, std::string_view name) {
  return std::ranges::any_of(
      answer.headers, [&](const Header& header) { return equals_ignore_case(header.name, name); });
}

void add_header(std::string& head, std::string_view name, std::string_view value) {
  head += name;
  head += ": ";
  // What came from a request may be echoed here; it must not make a header of its own.
  for (const char c : value) {
    if (c != '\r' && c != '\n' && c != '\0') head += c;
  }
  head += "\r\n";
}

}  // namespace

std::string serialize_head(const Answer& answer, const ReplyMode& mode) {
  namespace http = boost::beast::http;
  const auto reason = http::obsolete_reason(static_cast<http::status>(answer.status));
  std::string head = fmt::format("HTTP/1.1 {} {}\r\n", answer.status,
                                 std::string_view(reason.data(), reason.size()));
  add_header(head, "Date", format_http_date(mode.now_s));
  add_header(head, "Server", "svc-emulator");
  for (const Header& header : answer.headers) add_header(head, header.name, header.value);
  const bool bodiless = has_no_body(answer.status);
  if (!bodiless && !answer.content_type.empty()) {
    add_header(head, "Content-Type", answer.content_type);
  }
  if (answer.next) {
    if (!has_header(answer, "Cache-Control")) add_header(head, "Cache-Control", "no-cache");
    if (!mode.http_10) add_header(head, "Transfer-Encoding", "chunked");
  } else if (!bodiless) {
    add_header(head, "Content-Length", std::to_string(answer.body.size()));
  }
  if (!mode.keep_alive) {
    add_header(head, "Connection", "close");
  } else if (mode.http_10) {
    add_header(head, "Connection", "keep-alive");
  }
  head += "\r\n";
  return head;
}

Reply::Reply(std::shared_ptr<Wire> wire, Answer answer, const FaultPlan& plan, ReplyMode mode,
             Done done)
    : m_wire(std::move(wire)),
      m_answer(std::move(answer)),
      m_plan(plan),
      m_mode(mode),
      m_done(std::move(done)) {}

void Reply::start() {
  if (m_plan.reset_after == 0U) {
    reset_soon();
  } else if (m_answer.next && !m_mode.head_only) {
    std::string head = serialize_head(m_answer, m_mode);
    m_next = std::make_shared<const Next>(std::move(m_answer.next));
    emit(std::move(head), [this] { pump(); });
  } else {
    send_whole();
  }
}

void Reply::peer_gone() {
  if (!m_next) return;
  m_next = nullptr;
  fail();
}

void Reply::send_whole() {
  std::string head = serialize_head(m_answer, m_mode);
  std::string body = m_mode.head_only || has_no_body(m_answer.status) ? "" : m_answer.body;
  const bool whole = within_budget(body);
  emit(head + body, [this, whole] { whole ? finish(End::Sent) : reset_soon(); });
}

// Cuts `payload` to what may still go out before a reset; false when the reset is due after it.
bool Reply::within_budget(std::string& payload) {
  if (m_plan.reset_after && m_payload + payload.size() >= *m_plan.reset_after) {
    payload.resize(*m_plan.reset_after - m_payload);
    m_payload = *m_plan.reset_after;
    return false;
  }
  m_payload += payload.size();
  return true;
}

struct Reply::Pulled {
  std::optional<Piece> piece{};
  bool failed = false;  ///< a bug of the handler
};

Reply::Pulled Reply::pull(const Next& next) {
  try {
    return {next()};
  } catch (const std::exception&) {
    return {std::nullopt, true};
  }
}

void Reply::pump() {
  if (m_plan.cut_after && m_events >= *m_plan.cut_after) return end_stream();
  if (m_plan.stall_after && m_events >= *m_plan.stall_after) return stall();
  if (m_mode.crew == nullptr) return deliver(pull(*m_next));
  m_mode.crew->run([self = shared_from_this(), next = m_next] {
    auto pulled = std::make_shared<Pulled>(pull(*next));
    self->m_wire->post([self, pulled] {
      if (self->m_next) self->deliver(std::move(*pulled));
    });
  });
}

void Reply::deliver(Pulled pulled) {
  if (pulled.failed) {
    m_wire->reset();  // a bug of the handler must not look like a well-formed end
    finish(End::Broken);
    return;
  }
  auto& piece = pulled.piece;
  if (!piece) return end_stream();
  if (piece->delay.count() <= 0) return send_piece(piece->bytes);
  m_wire->set_timer(Wire::Timer::Delay, piece->delay,
                    [self = shared_from_this(), bytes = std::move(piece->bytes)] {
                      if (self->m_next) self->send_piece(bytes);
                    });
}

void Reply::send_piece(const std::string& bytes) {
  if (bytes.empty()) {  // an empty chunk would be the last one
    return m_wire->post([self = shared_from_this()] {
      if (self->m_next) self->pump();
    });
  }
  ++m_events;
  std::string payload = bytes;
  const bool whole = within_budget(payload);
  // The size says what was meant, so that a cut is seen as one.
  std::string out = m_mode.http_10 ? payload : fmt::format("{:x}\r\n{}", bytes.size(), payload);
  if (whole && !m_mode.http_10) out += "\r\n";
  emit(std::move(out), [this, whole] { whole ? pump() : reset_soon(); });
}

void Reply::end_stream() {
  m_next = nullptr;
  if (m_mode.http_10) return finish(End::Sent);
  emit("0\r\n\r\n", [this] { finish(End::Sent); });
}

void Reply::emit(std::string bytes, Then then) {
  m_out = std::move(bytes);
  if (m_plan.slow.count() > 0) return emit_one_by_one(0, std::move(then));
  write(m_out, std::move(then));
}

void Reply::emit_one_by_one(std::size_t position, Then then) {
  if (position >= m_out.size()) return then();
  m_wire->set_timer(Wire::Timer::Delay, m_plan.slow,
                    [self = shared_from_this(), position, then = std::move(then)] {
                      if (!self->m_done) return;
                      self->write(std::string_view(self->m_out).substr(position, 1),
                                  [self = self.get(), position, then] {
                                    self->emit_one_by_one(position + 1, then);
                                  });
                    });
}

void Reply::write(std::string_view bytes, Then then) {
  m_wire->set_timer(Wire::Timer::Deadline, m_mode.write_timeout, [self = shared_from_this()] {
    if (self->m_done) self->m_wire->close();  // the write then fails, and ends this
  });
  m_wire->write(bytes, [self = shared_from_this(), then = std::move(then)](bool ok) {
    if (!self->m_done) return;
    self->m_wire->cancel_timer(Wire::Timer::Deadline);
    ok ? then() : self->fail();
  });
}

// Until the peer goes away or the server ends, both of which the session watches; at most an hour.
void Reply::stall() {
  m_wire->set_timer(Wire::Timer::Deadline, k_longest_stall,
                    [self = shared_from_this()] { self->fail(); });
}

void Reply::reset_soon() {
  m_wire->set_timer(Wire::Timer::Delay, k_before_reset, [self = shared_from_this()] {
    if (!self->m_done) return;
    self->m_wire->reset();
    self->finish(End::Broken);
  });
}

void Reply::fail() {
  if (!m_done) return;
  m_wire->close();
  finish(End::Broken);
}

void Reply::finish(End end) {
  m_next = nullptr;
  if (const Done done = std::exchange(m_done, nullptr)) done(end);
}

}  // namespace svc::emulator
