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
#include <boost/asio/steady_timer.hpp>
#include <boost/asio/strand.hpp>
#include <boost/asio/thread_pool.hpp>
#include <fmt/format.h>
#include <openssl/ssl.h>

#include "emulator/server/connection.h"

namespace svc::emulator {
namespace {

namespace asio = boost::asio;
using asio::ip::tcp;
using boost::system::error_code;

constexpr int k_threads = 2;
constexpr std::size_t k_crew = 6;
constexpr std::chrono::milliseconds k_accept_pause{100};

Error listen_error(const ServerOptions& options, const error_code& error) {
  if (error == asio::error::address_in_use) {
    return Error{
        Fault::Local,
        fmt::format("Port {} on {} is in use by another program.", options.port, options.host),
        "Choose another port with --port, or 0 for any free port."};
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
  void on_accept(const error_code& error, tcp::socket socket);
  void close_if_idle();
  void after_pause(void (Impl::*work)());
  void forget(std::uint64_t number);
  void stop_sessions(std::chrono::milliseconds grace);
  void stop(std::chrono::milliseconds grace);

  ServerOptions options;
  Dispatcher& dispatcher;
  asio::io_context context{k_threads};
  asio::any_io_executor strand;  ///< of the acceptor
  tcp::acceptor acceptor;
  asio::steady_timer pause;
  std::optional<asio::ssl::context> tls{};
  std::uint16_t port = 0;

  std::mutex mutex{};  ///< protects the next four
  std::condition_variable changed{};
  std::map<std::uint64_t, std::weak_ptr<Connection>> sessions{};  ///< the oldest first
  bool waiting_for_room = false;
  bool stopped = false;
  std::uint64_t next_number = 0;

  // Keeps the threads running while all work is in the crew.
  asio::executor_work_guard<asio::io_context::executor_type> busy{context.get_executor()};
  /// For slow work. Its jobs may own connections, so it ends before the context.
  asio::thread_pool workers{k_crew};

  // Both run context.run(): connections are distributed over them, each on its own strand. They
  // exit when stop() has closed everything.
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
    SSL_CTX_up_ref(options.tls->context());  // Asio's context frees it once
    tls.emplace(options.tls->context());
  }
  return {};
}

void Server::Impl::accept() {
  acceptor.async_accept(
      asio::any_io_executor(asio::make_strand(context)),
      [this](const error_code& error, tcp::socket socket) { on_accept(error, std::move(socket)); });
}

void Server::Impl::on_accept(const error_code& error, tcp::socket socket) {
  if (error == asio::error::operation_aborted || !acceptor.is_open()) return;
  if (error) {  // probably out of descriptors, which may be temporary
    return after_pause(&Impl::accept);
  }
  std::unique_lock lock(mutex);
  const std::uint64_t number = ++next_number;
  auto session = std::make_shared<Connection>(
      std::make_shared<Wire>(std::move(socket), tls ? &*tls : nullptr), dispatcher, workers,
      options.timing, [this, number] { forget(number); });
  sessions.emplace(number, session);
  waiting_for_room = sessions.size() >= options.max_connections;
  const bool go_on = !waiting_for_room;
  lock.unlock();
  session->start();
  go_on ? accept() : close_if_idle();
}

// Ends the oldest idle session, as soon as there is one.
void Server::Impl::close_if_idle() {
  const std::lock_guard lock(mutex);
  if (!waiting_for_room) return;
  for (const auto& [number, weak] : sessions) {
    const auto session = weak.lock();
    if (!session || !session->is_idle()) continue;
    session->close_if_idle();
    break;
  }
  after_pause(&Impl::close_if_idle);
}

void Server::Impl::after_pause(void (Impl::*work)()) {
  pause.expires_after(k_accept_pause);
  pause.async_wait(asio::bind_executor(strand, [this, work](const error_code& aborted) {
    if (!aborted && acceptor.is_open()) (this->*work)();
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

void Server::Impl::stop(std::chrono::milliseconds grace) {
  if (std::exchange(stopped, true)) return;
  std::promise<void> closed;
  asio::post(strand, [&] {
    error_code error;
    acceptor.close(error);
    pause.cancel();
    closed.set_value();
  });
  closed.get_future().wait();  // from here on, no session is added
  stop_sessions(grace);
  {
    std::unique_lock lock(mutex);
    changed.wait_for(lock, grace, [this] { return sessions.empty(); });
  }
  stop_sessions(std::chrono::milliseconds(0));
  busy.reset();
  for (auto& thread : threads) thread.join();
  workers.stop();  // drops jobs that have not started
  workers.join();
}

Server::Server(std::unique_ptr<Impl> impl) : m_impl(std::move(impl)) {}

Server::~Server() {
  stop();
}

Result<std::unique_ptr<Server>> Server::start(ServerOptions options, Dispatcher& dispatcher) {
  auto impl = std::make_unique<Impl>(std::move(options), dispatcher);
  SVC_CHECK(impl->listen());
  impl->accept();
  for (int i = 0; i < k_threads; ++i) {
    impl->threads.emplace_back([&context = impl->context] { context.run(); });
  }
  return std::unique_ptr<Server>(new Server(std::move(impl)));
}

std::uint16_t Server::port() const {
  return m_impl->port;
}

void Server::stop(std::chrono::milliseconds grace) {
  m_impl->stop(grace);
}

}  // namespace svc::emulator
