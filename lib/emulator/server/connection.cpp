#include "emulator/server/connection.h"

#include <boost/asio/write.hpp>
#include <boost/beast/core/buffers_range.hpp>
#include <boost/beast/core/buffers_to_string.hpp>
#include <boost/beast/http/message.hpp>
#include <boost/beast/http/parser.hpp>
#include <boost/beast/http/read.hpp>
#include <boost/beast/http/status.hpp>
#include <boost/optional.hpp>

namespace svc::emulator {
namespace {

namespace asio = boost::asio;
using asio::ip::tcp;

bool is_loopback(const asio::ip::address& address) {
  if (address.is_v6() && address.to_v6().is_v4_mapped()) {
    return asio::ip::make_address_v4(asio::ip::v4_mapped, address.to_v6()).is_loopback();
  }
  return address.is_loopback();
}

void add_header(std::string& head, sv name, sv value) {
  head += name;
  head += ": ";
  // The value may echo part of a request, which must not inject a header.
  for (const char c : value) {
    if (c != '\r' && c != '\n' && c != '\0') head += c;
  }
  head += "\r\n";
}

namespace http = boost::beast::http;

constexpr std::uint32_t k_max_head = 64U << 10U;
constexpr std::size_t k_read_size = 16'384;
// The maximum read ahead while a response is being generated.
constexpr std::size_t k_read_ahead = 65'536;
// Bounds the line before a chunk, which Beast does not.
constexpr std::size_t k_max_input = 131'072;
// A larger body is refused without reading it, if the head alone is reason enough.
constexpr std::uint64_t k_large_body = 1U << 20U;
// A reset discards what the kernel has not delivered yet.
constexpr std::chrono::milliseconds k_before_reset{20};
constexpr std::chrono::hours k_max_hold{1};

Response body_too_large_error(std::uint64_t limit) {
  return error_response(413, "Payload too large",
                        fmt::format("The body is larger than {}.", format_bytes(limit)));
}

sv view(boost::beast::string_view text) {
  return {text.data(), text.size()};
}

// "http://host/path" -> "/path": the absolute form that proxies receive.
sv origin_form(sv target) {
  const auto scheme = target.find("://");
  if (target.starts_with('/') || scheme == sv::npos) return target;
  const auto path = target.find_first_of("/?", scheme + 3);
  return path == sv::npos ? sv("/") : target.substr(path);
}

// Empty lines before a request are ignored (RFC 9112, section 2.2). Not during a read: an emptied
// buffer restarts at its beginning, and the bytes being read would end up in the wrong place.
void skip_empty_lines(boost::beast::flat_buffer& input) {
  const sv bytes(static_cast<const char*>(input.data().data()), input.size());
  input.consume(std::min(bytes.find_first_not_of("\r\n"), bytes.size()));
}

/// A timer together with its callback.
class Alarm {
 public:
  explicit Alarm(const boost::asio::any_io_executor& executor) : m_timer(executor) {}

  /// Calls `done`, which must keep the alarm alive, after `wait`; replaces an earlier callback.
  void set(std::chrono::milliseconds wait, std::function<void()> done) {
    // An expired timer whose handler is queued would still run: its turn marks it as outdated.
    m_timer.expires_after(wait);
    m_timer.async_wait([this, turn = ++m_turn, done = std::move(done)](const auto& error) {
      if (!error && turn == m_turn) done();
    });
  }
  void cancel() {
    ++m_turn;
    m_timer.cancel();
  }

 private:
  boost::asio::steady_timer m_timer;
  std::uint64_t m_turn = 0;
};

/// A request's body as filled by Beast's parser: text, or bytes in a file.
struct RequestBody {
  // NOLINTBEGIN(readability-identifier-naming): Beast finds these two by their names
  struct value_type {
    std::string text{};
    std::shared_ptr<FileBackedBuffer> file{};  ///< receives the whole body, unless null
    std::string write_error{};                 ///< why `file` could not be written
  };

  class reader {
   public:
    using Error = boost::system::error_code;

    template <bool IsRequest, typename Fields>
    reader(boost::beast::http::header<IsRequest, Fields>& /*head*/, value_type& value)
        : m_value(value) {}

    void init(const boost::optional<std::uint64_t>& /*length*/, Error& error) { error = {}; }

    template <typename Buffers>
    std::size_t put(const Buffers& buffers, Error& error) {
      error = {};
      std::size_t size = 0;
      for (const auto buffer : boost::beast::buffers_range_ref(buffers)) {
        const sv bytes(static_cast<const char*>(buffer.data()), buffer.size());
        if (!m_value.file) {
          m_value.text += bytes;
        } else if (const auto appended = m_value.file->append(bytes); !appended) {
          m_value.write_error = appended.error().message;
          error = make_error_code(boost::system::errc::no_space_on_device);
          return size;
        }
        size += bytes.size();
      }
      return size;
    }

    void finish(Error& error) { error = {}; }

   private:
    value_type& m_value;
  };
  // NOLINTEND(readability-identifier-naming)
};

/// One connection: what it reads, answers and waits for depends on its stage, so all of it is here.
class HttpConnection final : public Connection,
                             public std::enable_shared_from_this<HttpConnection> {
 public:
  HttpConnection(std::shared_ptr<Wire> wire, Dispatcher& dispatcher, asio::thread_pool& workers,
                 const Timing& timing, std::function<void()> closed)
      : m_wire(std::move(wire)),
        m_dispatcher(dispatcher),
        m_workers(workers),
        m_timing(timing),
        m_closed(std::move(closed)),
        m_deadline(m_wire->get_executor()),
        m_delay(m_wire->get_executor()),
        m_input(k_max_input) {}

  void start() override {
    post([self = shared_from_this()] {
      self->m_deadline.set(self->m_timing.handshake, [self] { self->close(); });
      self->m_wire->open([self](bool ok) {
        if (self->m_stage == Stage::Closed) return;
        ok ? self->receive() : self->close();
      });
    });
  }

  void stop(std::chrono::milliseconds grace) override {
    post([self = shared_from_this(), grace] {
      self->m_stopping = true;
      if (self->m_stage == Stage::Upgraded && grace.count() > 0) return self->m_link->shut_down();
      if (self->m_stage != Stage::Answering || grace.count() <= 0) self->close();
    });
  }

  void close_if_idle() override {
    post([self = shared_from_this()] {
      if (self->m_stage == Stage::Receiving && self->m_idle_since.load() != k_busy) self->close();
    });
  }

  [[nodiscard]] bool is_idle() const override {
    constexpr auto k_on_its_way = std::chrono::milliseconds(200);
    const auto since = m_idle_since.load();
    return since != k_busy && Clock::now() - since >= k_on_its_way;
  }

 private:
  using Clock = std::chrono::steady_clock;
  static constexpr Clock::time_point k_busy = Clock::time_point::max();

  enum class Stage : std::uint8_t { Opening, Receiving, Answering, Upgraded, Draining, Closed };
  using Error = Wire::Error;
  using Next = std::function<std::optional<StreamChunk>()>;
  /// The response being sent.
  struct Reply {
    Dispatcher::Ticket ticket{};
    std::shared_ptr<const Next> next{};  ///< of a stream; a worker thread may hold it longer
    std::string out{};                   ///< bytes being written
    std::size_t written = 0;             ///< bytes of `out` written so far
    std::function<void()> then{};        ///< called afterwards
    std::uint64_t events = 0;            ///< chunks of a stream that were sent
    std::uint64_t payload = 0;           ///< bytes of the body that were sent
  };
  struct Pulled {
    std::optional<StreamChunk> chunk{};
    bool failed = false;  ///< an exception in the handler
  };

  void post(std::function<void()> work) { asio::post(m_wire->get_executor(), std::move(work)); }

  void receive() {
    if (m_stopping) return close();
    m_stage = Stage::Receiving;
    m_parser.emplace();
    m_parser->header_limit(k_max_head);
    // Beast compares a Content-Length with it at the head's end, when the right limit is not known.
    m_parser->body_limit(std::numeric_limits<std::uint64_t>::max());
    const bool idle = m_input.size() == 0;
    m_idle_since = idle ? Clock::now() : k_busy;
    if (!idle) return m_reading_ahead ? m_wire->cancel() : read_head();
    if (m_peer_ended) return close();
    m_deadline.set(m_timing.idle, [self = shared_from_this()] { self->close(); });
    read_ahead();
  }

  // Reads before input is needed, to detect an idle peer's request or its disconnection.
  void read_ahead() {
    if (m_reading_ahead || m_peer_ended || m_stage == Stage::Closed) return;
    if (m_stage == Stage::Answering && m_input.size() >= k_read_ahead) return;
    m_reading_ahead = true;
    m_wire->async_read_some(m_input.prepare(k_read_size),
                            [self = shared_from_this()](const Error& error, std::size_t bytes) {
                              self->m_reading_ahead = false;
                              self->on_read(error, bytes);
                            });
  }

  void on_read(const Error& error, std::size_t bytes) {
    m_input.commit(bytes);
    if (error && error != asio::error::operation_aborted) m_peer_ended = true;
    switch (m_stage) {
      case Stage::Receiving:
        skip_empty_lines(m_input);
        if (m_input.size() > 0) return read_head();
        return m_peer_ended ? close() : read_ahead();
      case Stage::Answering:
        // A peer that has closed its side still gets a complete response, but a stream is stopped.
        if (m_peer_ended && m_reply.next) return close();
        skip_empty_lines(m_input);
        return read_ahead();
      case Stage::Draining:
        m_input.clear();
        return m_peer_ended ? close() : read_ahead();
      case Stage::Opening:
      case Stage::Upgraded:
      case Stage::Closed:
        return;
    }
  }

  void read_head() {
    m_idle_since = k_busy;
    m_timed_out = false;
    m_deadline.set(m_timing.head, [self = shared_from_this()] { self->on_timeout(); });
    http::async_read_header(*m_wire, m_input, *m_parser,
                            [self = shared_from_this()](const Error& error, std::size_t) {
                              if (self->m_stage == Stage::Receiving) self->on_head(error);
                            });
  }

  // Between the head and the body: refuses what cannot succeed, or requests the body.
  void on_head(const Error& error) {
    if (error) return send_parse_error(error);
    if (m_parser->is_done()) return on_request();
    HttpRequest head = received_request();
    if (auto refusal = check_head(head)) return send_error_and_close(head, *std::move(refusal));
    const bool expects =
        equals_ignore_case(view(m_parser->get()[http::field::expect]), "100-continue");
    if (!expects || m_input.size() > 0) return read_body();
    static constexpr sv k_continue = "HTTP/1.1 100 Continue\r\n\r\n";
    asio::async_write(*m_wire, asio::buffer(k_continue.data(), k_continue.size()),
                      [self = shared_from_this()](const Error& failed, std::size_t) {
                        if (self->m_stage != Stage::Receiving) return;
                        failed ? self->close() : self->read_body();
                      });
  }

  // Determines where to store the body, and its limit, or returns a refusal that is certain.
  [[nodiscard]] std::optional<Response> check_head(const HttpRequest& head) {
    const auto length = m_parser->content_length();
    m_body_limit = k_max_request_body;
    if (!length || *length > k_large_body || !head.header("Expect").empty()) {
      if (auto refusal = m_dispatcher.validate_head(head)) return refusal;
      if (const Route* route = m_dispatcher.find_route(head)) {
        m_body_limit = route->max_body;
        if (route->spool) m_parser->get().body().file = std::make_shared<FileBackedBuffer>();
      }
    }
    if (length && *length > m_body_limit) return body_too_large_error(m_body_limit);
    m_parser->body_limit(m_body_limit);
    m_parser->eager(true);
    return std::nullopt;
  }

  void read_body() {
    if (m_parser->is_done()) return on_request();
    m_deadline.set(m_timing.body, [self = shared_from_this()] { self->on_timeout(); });
    http::async_read_some(*m_wire, m_input, *m_parser,
                          [self = shared_from_this()](const Error& error, std::size_t) {
                            if (self->m_stage != Stage::Receiving) return;
                            error ? self->send_parse_error(error) : self->read_body();
                          });
  }

  void send_parse_error(const Error& error) {
    const HttpRequest head = m_parser->is_header_done() ? received_request() : HttpRequest{};
    if (m_timed_out) {
      return send_error_and_close(
          {}, error_response(408, "Request timeout", "The request did not arrive in time."));
    }
    if (error == http::error::header_limit) {
      return send_error_and_close(
          {}, error_response(431, "Bad request", "The request's headers exceed 64 kB."));
    }
    if (error == http::error::body_limit) {
      return send_error_and_close(head, body_too_large_error(m_body_limit));
    }
    if (error == boost::system::errc::no_space_on_device) {
      return send_error_and_close(
          head, error_response(507, "Insufficient storage",
                               fmt::format("The emulator cannot store the body: {}.",
                                           m_parser->get().body().write_error)));
    }
    if (error.category() != make_error_code(http::error::bad_method).category() ||
        error == http::error::end_of_stream || error == http::error::partial_message) {
      return close();
    }
    send_error_and_close(
        {}, error_response(400, "Bad request", "That was no well-formed HTTP/1 request."));
  }

  void on_timeout() {
    if (m_stage != Stage::Receiving) return;
    m_timed_out = true;
    m_wire->cancel();  // the read then fails
  }

  [[nodiscard]] HttpRequest received_request() const {
    const auto& message = m_parser->get();
    HttpRequest call;
    call.method = view(message.method_string());
    call.target = origin_form(view(message.target()));
    for (const auto& field : message) {
      call.headers.push_back(
          {std::string(view(field.name_string())), std::string(view(field.value()))});
    }
    take_scope(call);
    call.from_loopback = m_wire->from_loopback();
    call.tls = m_wire->is_tls();
    return call;
  }

  void on_request() {
    m_stage = Stage::Answering;
    m_deadline.cancel();
    m_keep_alive = m_parser->keep_alive();
    m_http_10 = m_parser->get().version() < 11;
    const auto call = std::make_shared<HttpRequest>(received_request());
    auto& body = m_parser->get().body();
    call->body = std::move(body.text);
    call->body_file = std::move(body.file);
    const auto ticket = m_dispatcher.admit(*call);
    if (!asks_for_socket(*call)) {  // for a WebSocket, no further request follows
      skip_empty_lines(m_input);
      read_ahead();
    }
    if (!m_http_10 && call->header("Host").empty()) {  // RFC 9112, section 3.2
      return send(*call, ticket,
                  error_response(400, "Bad request", "The request has no Host header."));
    }
    if (ticket.plan.latency.count() == 0) return act(call, ticket);
    m_delay.set(ticket.plan.latency,
                [self = shared_from_this(), call, ticket] { self->act(call, ticket); });
  }

  // Responds before the request is complete, and then ends the connection.
  void send_error_and_close(const HttpRequest& call, Response response) {
    m_stage = Stage::Answering;
    m_deadline.cancel();
    m_keep_alive = false;
    m_unread = true;
    Dispatcher::Ticket ticket;
    if (!call.method.empty()) ticket = m_dispatcher.admit(call, false);
    m_input.clear();
    send(call, ticket, std::move(response));
  }

  void act(const std::shared_ptr<HttpRequest>& call, const Dispatcher::Ticket& ticket) {
    if (ticket.plan.replacement) return send_replacement(*call, ticket);
    HttpRequest head;  // needed for the log and the reply
    head.method = call->method;
    head.target = call->target;
    const Route* route = m_dispatcher.find_route(head);
    m_on_worker =
        (route != nullptr && route->run == RunOn::Worker) || m_dispatcher.is_relayed(head);
    if (!m_on_worker) {
      return send_later(head, ticket, m_dispatcher.response(std::move(*call), ticket));
    }
    m_stop = std::stop_source();
    call->stop = m_stop.get_token();
    asio::post(m_workers, [self = shared_from_this(), call, head, ticket] {
      auto response =
          std::make_shared<Response>(self->m_dispatcher.response(std::move(*call), ticket));
      self->post([self, head, ticket, response] {
        if (self->m_stage == Stage::Answering) self->send_later(head, ticket, std::move(*response));
      });
    });
  }

  void send_later(const HttpRequest& call, const Dispatcher::Ticket& ticket, Response response) {
    if (response.delay.count() <= 0) return send(call, ticket, std::move(response));
    m_delay.set(response.delay, [self = shared_from_this(), call, ticket,
                                 kept = std::make_shared<Response>(std::move(response))] {
      self->send(call, ticket, std::move(*kept));
    });
  }

  void send_replacement(const HttpRequest& call, const Dispatcher::Ticket& ticket) {
    const FaultRule& rule = *ticket.plan.replacement;
    if (rule.action == FaultAction::Stall) return stall();
    if (rule.action != FaultAction::Reset) return send(call, ticket, fault_response(rule));
    m_wire->reset_at_close();
    close();
  }

  void send(const HttpRequest& call, const Dispatcher::Ticket& ticket, Response response) {
    m_dispatcher.finished(call, ticket, response.status);
    if (response.socket) return upgrade(ticket, std::move(*response.socket));
    m_keep_alive = m_keep_alive && !m_stopping && !(m_http_10 && response.next);
    m_reply = {};
    m_reply.ticket = ticket;
    if (m_reply.ticket.plan.due(FaultAction::ResetAfter, 0)) return schedule_reset();
    std::string out =
        serialize_head(response, {m_http_10, m_keep_alive, m_dispatcher.now_s(ticket)});
    const bool head_only = call.method == "HEAD" || has_no_body(response.status);
    if (response.next && call.method != "HEAD") {
      if (m_peer_ended) return close();
      m_reply.next = std::make_shared<const Next>(std::move(response.next));
      return emit(std::move(out), [this] { pump(); });
    }
    const bool whole = head_only || within_budget(response.body);
    if (!head_only) out += response.body;
    m_dispatcher.sent(ticket, response.body);
    emit(std::move(out), [this, whole] { whole ? on_sent() : schedule_reset(); });
  }

  // From here on, the link owns the connection until it ends.
  void upgrade(const Dispatcher::Ticket& ticket, SocketOffer offer) {
    m_stage = Stage::Upgraded;
    const auto self = shared_from_this();
    m_link = std::make_shared<SocketLink>(SocketLink::Parts{
        .wire = m_wire,
        .offer = std::move(offer),
        .plan = ticket.plan,
        .workers = m_workers,
        .log = [self, ticket](
                   sv message,
                   bool is_text) { self->m_dispatcher.received(ticket, message, is_text); },
        .sent =
            [self, ticket](const std::string& message) {
              self->m_dispatcher.sent(ticket, message + '\n');
            },
        .done =
            [self](SocketLink::End end) {
              if (self->m_stage != Stage::Upgraded) return;
              self->m_link = nullptr;
              end == SocketLink::End::Closed ? self->drain() : self->close();
            }});
    m_wire->unread(boost::beast::buffers_to_string(m_input.data()));
    m_input.clear();
    m_link->start();
    if (m_stopping && m_link) m_link->shut_down();
  }

  [[nodiscard]] static Pulled pull(const Next& next) {
    try {
      return {next()};
    } catch (const std::exception&) {
      return {std::nullopt, true};
    }
  }

  void pump() {
    const FaultPlan& plan = m_reply.ticket.plan;
    if (plan.due(FaultAction::CutAfter, m_reply.events)) return end_stream();
    if (plan.due(FaultAction::StallAfter, m_reply.events)) {
      return m_deadline.set(k_max_hold, [self = shared_from_this()] { self->close(); });
    }
    if (!m_on_worker) return deliver(pull(*m_reply.next));
    asio::post(m_workers, [self = shared_from_this(), next = m_reply.next] {
      auto pulled = std::make_shared<Pulled>(pull(*next));
      self->post([self, pulled] {
        if (self->m_reply.next) self->deliver(std::move(*pulled));
      });
    });
  }

  void deliver(Pulled pulled) {
    if (pulled.failed) {
      m_wire->reset_at_close();  // an exception in the handler must not look like a regular end
      return close();
    }
    auto& chunk = pulled.chunk;
    if (!chunk) return end_stream();
    if (chunk->delay.count() <= 0) return send_chunk(chunk->bytes);
    m_delay.set(chunk->delay, [self = shared_from_this(), bytes = std::move(chunk->bytes)] {
      self->send_chunk(bytes);
    });
  }

  void send_chunk(const std::string& bytes) {
    if (bytes.empty()) {  // an empty chunk would be the last one
      return post([self = shared_from_this()] {
        if (self->m_reply.next) self->pump();
      });
    }
    ++m_reply.events;
    m_dispatcher.sent(m_reply.ticket, bytes);
    std::string payload = bytes;
    const bool whole = within_budget(payload);
    // The size is that of the complete chunk, so that truncation is detectable.
    std::string out = m_http_10 ? payload : fmt::format("{:x}\r\n{}", bytes.size(), payload);
    if (whole && !m_http_10) out += "\r\n";
    emit(std::move(out), [this, whole] { whole ? pump() : schedule_reset(); });
  }

  void end_stream() {
    m_reply.next = nullptr;
    if (m_http_10) return on_sent();
    emit("0\r\n\r\n", [this] { on_sent(); });
  }

  // Truncates `payload` to the bytes allowed before a reset; returns false if the reset follows.
  [[nodiscard]] bool within_budget(std::string& payload) {
    const FaultRule* reset =
        m_reply.ticket.plan.due(FaultAction::ResetAfter, m_reply.payload + payload.size());
    if (reset != nullptr) payload.resize(reset->amount - m_reply.payload);
    m_reply.payload += payload.size();
    return reset == nullptr;
  }

  /// Writes all of `bytes`, at the rate of the fault plan, then calls `then`.
  void emit(std::string bytes, std::function<void()> then) {
    m_reply.out = std::move(bytes);
    m_reply.written = 0;
    m_reply.then = std::move(then);
    continue_write();
  }

  void continue_write() {
    const std::size_t left = m_reply.out.size() - m_reply.written;
    if (left == 0) return std::exchange(m_reply.then, nullptr)();
    if (m_reply.ticket.plan.slow.count() <= 0) return write_some(left);
    m_delay.set(m_reply.ticket.plan.slow, [self = shared_from_this()] { self->write_some(1); });
  }

  void write_some(std::size_t size) {
    m_deadline.set(m_timing.write, [self = shared_from_this()] { self->close(); });
    asio::async_write(*m_wire, asio::buffer(m_reply.out.data() + m_reply.written, size),
                      [self = shared_from_this()](const Error& error, std::size_t bytes) {
                        if (self->m_stage != Stage::Answering) return;
                        self->m_deadline.cancel();
                        if (error) return self->close();
                        self->m_reply.written += bytes;
                        self->continue_write();
                      });
  }

  void schedule_reset() {
    m_delay.set(k_before_reset, [self = shared_from_this()] {
      self->m_wire->reset_at_close();
      self->close();
    });
  }

  void on_sent() {
    m_reply = {};
    if (m_keep_alive && !m_stopping) return receive();
    drain();
  }

  // Closing while the peer still sends would reset the connection and lose the response. At the
  // program's exit, wait only for peers that are still sending: others may be waiting for this
  // program.
  void drain() {
    const bool leave = m_stopping && !m_unread && m_stage == Stage::Answering;
    m_stage = Stage::Draining;
    m_deadline.set(m_timing.drain, [self = shared_from_this()] { self->close(); });
    m_wire->finish([self = shared_from_this(), leave](bool open) {
      if (self->m_stage != Stage::Draining) return;
      open && !leave && !self->m_peer_ended ? self->read_ahead() : self->close();
    });
  }

  // Sends nothing until the peer disconnects.
  void stall() {
    if (m_peer_ended) return close();
    m_stage = Stage::Draining;
    m_deadline.set(k_max_hold, [self = shared_from_this()] { self->close(); });
    read_ahead();
  }

  void close() {
    if (m_stage == Stage::Closed) return;
    m_stage = Stage::Closed;
    m_idle_since = k_busy;
    m_deadline.cancel();
    m_delay.cancel();
    m_wire->close();
    m_stop.request_stop();
    m_reply.next = nullptr;
    if (const auto link = std::exchange(m_link, nullptr)) link->abandon();
    if (const auto closed = std::exchange(m_closed, nullptr)) closed();
  }

  std::shared_ptr<Wire> m_wire;
  Dispatcher& m_dispatcher;
  boost::asio::thread_pool& m_workers;
  Timing m_timing;
  std::function<void()> m_closed;
  Alarm m_deadline;
  Alarm m_delay;
  Stage m_stage = Stage::Opening;
  boost::beast::flat_buffer m_input;  ///< read but not yet parsed
  std::optional<boost::beast::http::request_parser<RequestBody>> m_parser{};
  Reply m_reply{};
  std::shared_ptr<SocketLink> m_link{};
  std::stop_source m_stop{};  ///< of a request running on a worker thread
  std::atomic<Clock::time_point> m_idle_since = k_busy;
  std::uint64_t m_body_limit = k_max_request_body;
  bool m_reading_ahead = false;  ///< read_ahead() is active
  bool m_timed_out = false;      ///< the request timed out
  bool m_peer_ended = false;
  bool m_stopping = false;
  bool m_unread = false;  ///< the response was sent before the whole request was read
  bool m_keep_alive = true;
  bool m_http_10 = false;
  bool m_on_worker = false;  ///< the response comes from a worker thread
};

}  // namespace

Wire::Wire(Socket socket, asio::ssl::context* tls) : m_socket(std::move(socket)) {
  Error error;
  const auto peer = m_socket.remote_endpoint(error);
  m_from_loopback = !error && is_loopback(peer.address());
  m_socket.set_option(tcp::no_delay(true), error);
  if (tls != nullptr) m_tls.emplace(m_socket, *tls);
}

void Wire::open(std::function<void(bool)> done) {
  if (!m_tls) return done(true);
  m_tls->async_handshake(asio::ssl::stream_base::server,
                         [done = std::move(done)](const Error& error) { done(!error); });
}

void Wire::read(std::vector<asio::mutable_buffer> into, Moved done) {
  if (!m_first.empty()) {
    const std::size_t size = asio::buffer_copy(into, asio::buffer(m_first));
    m_first.erase(0, size);
    return asio::post(get_executor(), [size, done = std::move(done)] { done({}, size); });
  }
  // Asio may wait forever when reading after the end.
  if (m_ended) {
    return asio::post(get_executor(), [done = std::move(done)] { done(asio::error::eof, 0); });
  }
  auto on_read = [this, done = std::move(done)](const Error& error, std::size_t bytes) {
    m_ended = error && error != asio::error::operation_aborted;
    done(error, bytes);
  };
  m_tls ? m_tls->async_read_some(into, std::move(on_read))
        : m_socket.async_read_some(into, std::move(on_read));
}

void Wire::write(std::vector<asio::const_buffer> from, Moved done) {
  m_tls ? m_tls->async_write_some(from, std::move(done))
        : m_socket.async_write_some(from, std::move(done));
}

void Wire::finish(std::function<void(bool)> done) {
  if (m_tls) {
    // Completes when the peer has closed as well, which makes further reading unnecessary.
    return m_tls->async_shutdown([done = std::move(done)](const Error&) { done(false); });
  }
  Error error;
  m_socket.shutdown(tcp::socket::shutdown_send, error);
  asio::post(get_executor(), [done = std::move(done), open = !error] { done(open); });
}

std::string serialize_head(const Response& response, const ResponseMode& mode) {
  namespace http = boost::beast::http;
  const auto reason = http::obsolete_reason(static_cast<http::status>(response.status));
  std::string head =
      fmt::format("HTTP/1.1 {} {}\r\n", response.status, sv(reason.data(), reason.size()));
  add_header(head, "Date", format_http_date(mode.now_s));
  add_header(head, "Server", "svc-emulator");
  for (const Header& header : response.headers) add_header(head, header.name, header.value);
  const bool bodiless = has_no_body(response.status);
  if (!bodiless && !response.content_type.empty()) {
    add_header(head, "Content-Type", response.content_type);
  }
  if (response.next) {
    if (find_header(response.headers, "Cache-Control") == nullptr) {
      add_header(head, "Cache-Control", "no-cache");
    }
    if (!mode.http_10) add_header(head, "Transfer-Encoding", "chunked");
  } else if (!bodiless) {
    add_header(head, "Content-Length", std::to_string(response.body.size()));
  }
  if (!mode.keep_alive) {
    add_header(head, "Connection", "close");
  } else if (mode.http_10) {
    add_header(head, "Connection", "keep-alive");
  }
  head += "\r\n";
  return head;
}

std::shared_ptr<Connection> make_connection(std::shared_ptr<Wire> wire, Dispatcher& dispatcher,
                                            asio::thread_pool& workers, const Timing& timing,
                                            std::function<void()> closed) {
  return std::make_shared<HttpConnection>(std::move(wire), dispatcher, workers, timing,
                                          std::move(closed));
}

}  // namespace svc::emulator
