// One connection: reads requests and sends responses one after the other, with injected faults.
#pragma once

#include <atomic>
#include <chrono>
#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <utility>

#include <boost/asio/steady_timer.hpp>
#include <boost/asio/thread_pool.hpp>
#include <boost/beast/core/buffers_range.hpp>
#include <boost/beast/core/flat_buffer.hpp>
#include <boost/beast/http/message.hpp>
#include <boost/beast/http/parser.hpp>
#include <boost/optional.hpp>

#include "emulator/handler/http_request.h"
#include "emulator/server/dispatch.h"
#include "emulator/server/server.h"
#include "emulator/server/socket_link.h"
#include "emulator/server/wire.h"

namespace svc::emulator {

/// A timer together with its callback.
class Alarm {
 public:
  explicit Alarm(const boost::asio::any_io_executor& executor) : m_timer(executor) {}

  /// Calls `done` once after `wait`; replaces an earlier callback. `done` must keep the alarm
  /// alive.
  void set(std::chrono::milliseconds wait, std::function<void()> done) {
    // An expired timer whose handler is queued would still run: the turn number marks it as
    // outdated.
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
        const std::string_view bytes(static_cast<const char*>(buffer.data()), buffer.size());
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

class Connection : public std::enable_shared_from_this<Connection> {
 public:
  /// `dispatcher` and `workers` must outlive the connection. `closed` is called once, when it has
  /// ended.
  Connection(std::shared_ptr<Wire> wire, Dispatcher& dispatcher, boost::asio::thread_pool& workers,
             const Timing& timing, std::function<void()> closed);

  /// Thread-safe.
  void start();

  /// Ends the connection: at once if it is idle, otherwise after the response, but within `grace`.
  /// Thread-safe.
  void stop(std::chrono::milliseconds grace);

  /// Ends the connection if it is idle. Thread-safe.
  void close_if_idle();

  /// Whether it has been idle long enough that no request can be in transit. Thread-safe.
  [[nodiscard]] bool is_idle() const;

 private:
  using Clock = std::chrono::steady_clock;
  static constexpr Clock::time_point k_busy = Clock::time_point::max();

  enum class Stage : std::uint8_t { Opening, Receiving, Answering, Upgraded, Draining, Closed };
  using Error = Wire::Error;
  using Next = std::function<std::optional<StreamChunk>()>;
  /// The response being sent.
  struct Reply {
    Dispatcher::Ticket ticket{};
    std::shared_ptr<const Next>
        next{};               ///< set while a stream is sent; a worker thread may hold it longer
    std::string out{};        ///< bytes being written
    std::size_t written = 0;  ///< bytes of `out` written so far
    std::function<void()> then{};  ///< called afterwards
    std::uint64_t events = 0;      ///< chunks of a stream that were sent
    std::uint64_t payload = 0;     ///< bytes of the body that were sent
  };
  struct Pulled;

  void post(std::function<void()> work);
  void receive();
  void read_ahead();
  void on_read(const Error& error, std::size_t bytes);
  void read_head();
  void on_head(const Error& error);
  [[nodiscard]] std::optional<Response> check_head(const HttpRequest& head);
  void read_body();
  void send_parse_error(const Error& error);
  void on_timeout();
  [[nodiscard]] HttpRequest received_request() const;

  void on_request();
  void send_error_and_close(const HttpRequest& call, Response response);
  void act(const std::shared_ptr<HttpRequest>& call, const Dispatcher::Ticket& ticket);
  void send_later(const HttpRequest& call, const Dispatcher::Ticket& ticket, Response response);
  void send_replacement(const HttpRequest& call, const Dispatcher::Ticket& ticket);
  void send(const HttpRequest& call, const Dispatcher::Ticket& ticket, Response response);
  void upgrade(const Dispatcher::Ticket& ticket, SocketOffer offer);

  [[nodiscard]] static Pulled pull(const Next& next);
  void pump();
  void deliver(Pulled pulled);
  void send_chunk(const std::string& bytes);
  void end_stream();
  [[nodiscard]] bool within_budget(std::string& payload);
  /// Writes all of `bytes`, at the rate of the fault plan, then calls `then`.
  void emit(std::string bytes, std::function<void()> then);
  void continue_write();
  void write_some(std::size_t size);
  void schedule_reset();
  void on_sent();
  void drain();
  void stall();
  void close();

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

}  // namespace svc::emulator
