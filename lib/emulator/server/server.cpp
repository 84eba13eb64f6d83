// GCC warns of fences that its thread sanitizer does not see. Asio has them around handlers in
// addition to its locks, and the locks it does see.
#ifdef __SANITIZE_THREAD__
#define BOOST_ASIO_DISABLE_FENCED_BLOCK
#endif

#include "emulator/server/server.h"

#include <condition_variable>
#include <future>
#include <list>
#include <map>
#include <thread>

#include <boost/asio/bind_executor.hpp>
#include <boost/asio/io_context.hpp>
#include <boost/asio/ip/tcp.hpp>
#include <boost/asio/ssl/context.hpp>
#include <boost/asio/ssl/stream.hpp>
#include <boost/asio/steady_timer.hpp>
#include <boost/asio/strand.hpp>
#include <boost/asio/write.hpp>
#include <fmt/format.h>
#include <openssl/ssl.h>

#include "emulator/server/wire_executor.h"

namespace svc::emulator {
namespace {

namespace asio = boost::asio;
using asio::ip::tcp;
using boost::system::error_code;
using Strand = asio::strand<asio::io_context::executor_type>;
using Socket = asio::basic_stream_socket<tcp, Strand>;
using TlsStream = asio::ssl::stream<Socket>;

constexpr int k_threads = 2;
constexpr std::chrono::milliseconds k_accept_pause{100};

/// What plain and TLS connections share. `Stream` is Socket or TlsStream.
template <typename Stream>
class SocketWire : public Wire {
 public:
  template <typename... Arguments>
  SocketWire(Socket socket, Arguments&... arguments)
      : m_strand(socket.get_executor()),
        m_stream(std::move(socket), arguments...),
        m_deadline(m_strand),
        m_delay(m_strand) {
    error_code error;
    const auto peer = this->socket().remote_endpoint(error);
    m_from_loopback = !error && is_loopback(peer.address());
    this->socket().set_option(tcp::no_delay(true), error);
  }

  void read(std::span<char> into, ReadDone done) override {
    m_stream.async_read_some(asio::buffer(into.data(), into.size()),
                             [done = std::move(done)](const error_code& error, std::size_t bytes) {
                               done(error ? 0 : bytes);
                             });
  }

  void write(std::string_view bytes, WriteDone done) override {
    asio::async_write(
        m_stream, asio::buffer(bytes.data(), bytes.size()),
        [done = std::move(done)](const error_code& error, std::size_t) { done(!error); });
  }

  void set_timer(Timer which, std::chrono::milliseconds wait, TimerDone done) override {
    auto& slot = timer(which);
    // An expired timer whose handler is already queued would still call: the turn tells it is old.
    const auto turn = ++slot.turn;
    slot.timer.expires_after(wait);
    slot.timer.async_wait([&slot, turn, done = std::move(done)](const error_code& error) {
      if (!error && turn == slot.turn) done();
    });
  }

  void cancel_timer(Timer which) override {
    auto& slot = timer(which);
    ++slot.turn;
    slot.timer.cancel();
  }

  void reset() override {
    error_code error;
    socket().set_option(asio::socket_base::linger(true, 0), error);
    close();
  }

  void close() override {
    error_code error;
    socket().close(error);
  }

  void post(std::function<void()> work) override { asio::post(m_strand, std::move(work)); }
  [[nodiscard]] WireExecutor executor() const override { return {m_strand}; }

  [[nodiscard]] bool from_loopback() const override { return m_from_loopback; }
  [[nodiscard]] bool is_tls() const override { return !std::is_same_v<Stream, Socket>; }

 protected:
  [[nodiscard]] Stream& stream() { return m_stream; }
  [[nodiscard]] Socket& socket() {
    if constexpr (std::is_same_v<Stream, Socket>) {
      return m_stream;
    } else {
      return m_stream.next_layer();
    }
  }

 private:
  struct Slot {
    explicit Slot(const Strand& strand) : timer(strand) {}
    asio::basic_waitable_timer<std::chrono::steady_clock,
                               asio::wait_traits<std::chrono::steady_clock>, Strand>
        timer;
    std::uint64_t turn = 0;
  };
  [[nodiscard]] Slot& timer(Timer which) { return which == Timer::Deadline ? m_deadline : m_delay; }

  [[nodiscard]] static bool is_loopback(const asio::ip::address& address) {
    if (address.is_v6() && address.to_v6().is_v4_mapped()) {
      return asio::ip::make_address_v4(asio::ip::v4_mapped, address.to_v6()).is_loopback();
    }
    return address.is_loopback();
  }

  Strand m_strand;
  Stream m_stream;
  Slot m_deadline;
  Slot m_delay;
  bool m_from_loopback = false;
};

class PlainWire final : public SocketWire<Socket> {
 public:
  using SocketWire::SocketWire;
  void open(WriteDone done) override {
    post([done = std::move(done)] { done(true); });
  }
  void finish(WriteDone done) override {
    error_code error;
    socket().shutdown(tcp::socket::shutdown_send, error);
    post([done = std::move(done), ok = !error] { done(ok); });
  }
};

class TlsWire final : public SocketWire<TlsStream> {
 public:
  using SocketWire::SocketWire;
  void open(WriteDone done) override {
    stream().async_handshake(asio::ssl::stream_base::server,
                             [done = std::move(done)](const error_code& error) { done(!error); });
  }
  void finish(WriteDone done) override {
    // Ends when the peer has said goodbye too, which makes further reading needless.
    stream().async_shutdown([done = std::move(done)](const error_code&) { done(false); });
  }
};

Error listen_error(const ServerOptions& options, const error_code& error) {
  if (error == asio::error::address_in_use) {
    return Error{
        Fault::Local,
        fmt::format("Port {} on {} is in use by another program.", options.port, options.host),
        "Choose another one with --port, or 0 for any free one."};
  }
  return Error{Fault::Local, fmt::format("Cannot listen on {} port {}: {}.", options.host,
                                         options.port, error.message())};
}

}  // namespace

struct Server::Impl {
  Impl(ServerOptions given, Dispatcher& target)
      : options(std::move(given)),
        dispatcher(target),
        strand(asio::make_strand(context)),
        acceptor(strand),
        pause(context) {}

  [[nodiscard]] Result<void> listen();
  void accept();
  void on_accept(const error_code& error, Socket socket);
  [[nodiscard]] std::shared_ptr<Wire> make_wire(Socket socket);
  void make_room();
  void forget(std::uint64_t number);
  void stop_sessions(std::chrono::milliseconds grace);
  void run();
  void stop(std::chrono::milliseconds grace);

  ServerOptions options;
  Dispatcher& dispatcher;
  asio::io_context context{k_threads};
  Strand strand;  ///< of the acceptor
  asio::basic_socket_acceptor<tcp, Strand> acceptor;
  asio::steady_timer pause;
  std::optional<asio::ssl::context> tls{};
  std::uint16_t port = 0;

  std::mutex mutex{};  ///< over the next four
  std::condition_variable changed{};
  std::map<std::uint64_t, std::weak_ptr<Session>> sessions{};  ///< the oldest first
  bool waiting_for_room = false;
  bool stopped = false;
  std::uint64_t next_number = 0;

  // Keeps the threads when all that goes on goes on in the crew.
  asio::executor_work_guard<asio::io_context::executor_type> busy{context.get_executor()};
  Crew crew{};  ///< what it runs may hold connections, so it ends before the context does

  // Both run context.run(): connections are spread over them, each on its own strand. They end by
  // themselves when stop() has closed everything.
  std::list<std::thread> threads{};
};

Result<void> Server::Impl::listen() {
  error_code error;
  tcp::resolver resolver(context);
  const auto found =
      resolver.resolve(options.host, std::to_string(options.port),
                       tcp::resolver::passive | tcp::resolver::numeric_service, error);
  if (error || found.empty()) return listen_error(options, error);
  const tcp::endpoint endpoint = *found.begin();
  acceptor.open(endpoint.protocol(), error);
  if (!error) acceptor.set_option(asio::socket_base::reuse_address(true), error);
  if (!error) acceptor.bind(endpoint, error);
  if (!error) acceptor.listen(asio::socket_base::max_listen_connections, error);
  if (error) return listen_error(options, error);
  port = acceptor.local_endpoint(error).port();
  if (options.tls) {
    SSL_CTX_up_ref(options.tls->context());  // the context of asio frees it once
    tls.emplace(options.tls->context());
  }
  return {};
}

void Server::Impl::accept() {
  acceptor.async_accept(asio::make_strand(context), [this](const error_code& error, Socket socket) {
    on_accept(error, std::move(socket));
  });
}

std::shared_ptr<Wire> Server::Impl::make_wire(Socket socket) {
  if (tls) return std::make_shared<TlsWire>(std::move(socket), *tls);
  return std::make_shared<PlainWire>(std::move(socket));
}

void Server::Impl::on_accept(const error_code& error, Socket socket) {
  if (error == asio::error::operation_aborted || !acceptor.is_open()) return;
  if (error) {  // out of descriptors, most likely: it may pass
    pause.expires_after(k_accept_pause);
    pause.async_wait(asio::bind_executor(strand, [this](const error_code& aborted) {
      if (!aborted && acceptor.is_open()) accept();
    }));
    return;
  }
  std::unique_lock lock(mutex);
  const std::uint64_t number = ++next_number;
  auto session = std::make_shared<Session>(make_wire(std::move(socket)), dispatcher, crew,
                                           options.timing, [this, number] { forget(number); });
  sessions.emplace(number, session);
  waiting_for_room = sessions.size() >= options.max_connections;
  const bool go_on = !waiting_for_room;
  lock.unlock();
  session->start();
  go_on ? accept() : make_room();
}

// Ends the oldest session that is idle, as soon as there is one.
void Server::Impl::make_room() {
  const std::lock_guard lock(mutex);
  if (!waiting_for_room) return;
  for (const auto& [number, weak] : sessions) {
    const auto session = weak.lock();
    if (!session || !session->is_idle()) continue;
    session->make_room();
    break;
  }
  pause.expires_after(k_accept_pause);
  pause.async_wait(asio::bind_executor(strand, [this](const error_code& aborted) {
    if (!aborted && acceptor.is_open()) make_room();
  }));
}

void Server::Impl::forget(std::uint64_t number) {
  const std::lock_guard lock(mutex);
  sessions.erase(number);
  changed.notify_all();
  if (std::exchange(waiting_for_room, false)) {
    asio::post(strand, [this] {
      if (acceptor.is_open()) accept();
    });
  }
}

void Server::Impl::stop_sessions(std::chrono::milliseconds grace) {
  const std::lock_guard lock(mutex);
  for (const auto& [number, weak] : sessions) {
    if (const auto session = weak.lock()) session->stop(grace);
  }
}

void Server::Impl::run() {
  for (int i = 0; i < k_threads; ++i) {
    threads.emplace_back([this] { context.run(); });
  }
}

void Server::Impl::stop(std::chrono::milliseconds grace) {
  if (std::exchange(stopped, true)) return;
  std::promise<void> closed;
  asio::post(strand, [&] {
    error_code error;
    acceptor.close(error);
    pause.cancel();
    closed.set_value();
  });
  closed.get_future().wait();  // from here on no session is added
  stop_sessions(grace);
  {
    std::unique_lock lock(mutex);
    changed.wait_for(lock, grace, [this] { return sessions.empty(); });
  }
  stop_sessions(std::chrono::milliseconds(0));
  busy.reset();
  for (auto& thread : threads) thread.join();
  crew.stop();
}

Server::Server(std::unique_ptr<Impl> impl) : m_impl(std::move(impl)) {}

Server::~Server() {
  stop();
}

Result<std::unique_ptr<Server>> Server::start(ServerOptions options, Dispatcher& dispatcher) {
  auto impl = std::make_unique<Impl>(std::move(options), dispatcher);
  SVC_CHECK(impl->listen());
  impl->accept();
  impl->run();
  return std::unique_ptr<Server>(new Server(std::move(impl)));
}

std::uint16_t Server::port() const {
  return m_impl->port;
}

void Server::stop(std::chrono::milliseconds grace) {
  m_impl->stop(grace);
}

}  // namespace svc::emulator
