#include "support/fault_server.h"

#include <array>
#include <cerrno>
#include <csignal>
#include <cstdlib>
#include <list>
#include <thread>

#include <arpa/inet.h>
#include <fmt/format.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <poll.h>
#include <sys/eventfd.h>
#include <sys/socket.h>
#include <unistd.h>

#include "base/text.h"
#include "json/text.h"
#include "support/fault_connection.h"
#include "support/fault_tls.h"

namespace svc::test {
namespace {

class Descriptor {
 public:
  explicit Descriptor(int fd = -1) noexcept : m_fd(fd) {}
  Descriptor(Descriptor&& other) noexcept : m_fd(std::exchange(other.m_fd, -1)) {}
  Descriptor& operator=(Descriptor&& other) noexcept {
    std::swap(m_fd, other.m_fd);
    return *this;
  }
  ~Descriptor() {
    if (m_fd >= 0) ::close(m_fd);
  }
  [[nodiscard]] int get() const noexcept { return m_fd; }

 private:
  int m_fd;
};

sockaddr_in loopback(std::uint16_t port) {
  sockaddr_in address{};
  address.sin_family = AF_INET;
  address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
  address.sin_port = htons(port);
  return address;
}

/// A socket that listens on a free port, and the port.
Result<std::pair<Descriptor, std::uint16_t>> listen_on_loopback(int backlog) {
  Descriptor listener(socket(AF_INET, SOCK_STREAM | SOCK_NONBLOCK | SOCK_CLOEXEC, 0));
  sockaddr_in address = loopback(0);
  socklen_t size = sizeof address;
  auto* generic = reinterpret_cast<sockaddr*>(&address);
  if (listener.get() < 0 || bind(listener.get(), generic, size) != 0 ||
      listen(listener.get(), backlog) != 0 || getsockname(listener.get(), generic, &size) != 0)
    return system_error("the fault server cannot listen", errno);
  return std::pair{std::move(listener), ntohs(address.sin_port)};
}

/// Connections that fill the listener's queue, so that the kernel drops later ones.
std::vector<Descriptor> fill_backlog(std::uint16_t port) {
  std::vector<Descriptor> fillers;
  for (int i = 0; i < 4; ++i) {
    Descriptor filler(socket(AF_INET, SOCK_STREAM | SOCK_NONBLOCK | SOCK_CLOEXEC, 0));
    const sockaddr_in address = loopback(port);
    (void)connect(filler.get(), reinterpret_cast<const sockaddr*>(&address), sizeof address);
    fillers.push_back(std::move(filler));
  }
  return fillers;
}

/// A temporary file, removed with its owner.
class CaFile {
 public:
  CaFile() = default;
  CaFile(const CaFile&) = delete;
  CaFile& operator=(const CaFile&) = delete;
  ~CaFile() {
    if (!m_path.empty()) unlink(m_path.c_str());
  }
  [[nodiscard]] Result<void> write(const std::string& pem) {
    const char* directory = std::getenv("TMPDIR");
    m_path = fmt::format("{}/fault-ca-XXXXXX", directory == nullptr ? "/tmp" : directory);
    const Descriptor fd(mkstemp(m_path.data()));
    if (fd.get() < 0 ||
        ::write(fd.get(), pem.data(), pem.size()) != static_cast<ssize_t>(pem.size()))
      return system_error("the certificate cannot be written", errno);
    return {};
  }
  [[nodiscard]] const std::string& path() const noexcept { return m_path; }

 private:
  std::string m_path{};
};

}  // namespace

struct FaultServer::Impl {
  Impl(Script script, const ServerOptions& server_options)
      : options(server_options), state(std::move(script), server_options.keep_body_bytes) {}
  ~Impl() {
    acceptor.request_stop();
    const std::uint64_t one = 1;
    (void)!::write(cancel.get(), &one, sizeof one);
  }

  void accept_loop(const std::stop_token& token);
  void serve(int fd);

  ServerOptions options;
  FaultState state;
  TlsIdentity tls{};
  CaFile ca{};
  Descriptor listener{};
  Descriptor cancel{};  ///< becomes and stays readable on shutdown
  std::vector<Descriptor> fillers{};
  std::uint16_t port = 0;
  std::list<std::jthread>
      workers{};            ///< "fault connection": one per connection; created by acceptor
  std::jthread acceptor{};  ///< "fault acceptor"; joined first
};

void FaultServer::Impl::accept_loop(const std::stop_token& token) {
  // OpenSSL writes without MSG_NOSIGNAL; the workers inherit this mask.
  sigset_t pipe{};
  sigemptyset(&pipe);
  sigaddset(&pipe, SIGPIPE);
  pthread_sigmask(SIG_BLOCK, &pipe, nullptr);
  while (!token.stop_requested()) {
    std::array<pollfd, 2> fds{pollfd{listener.get(), POLLIN, 0}, pollfd{cancel.get(), POLLIN, 0}};
    if (poll(fds.data(), fds.size(), -1) < 0 && errno != EINTR) return;
    if (fds[1].revents != 0) return;
    const int fd = accept4(listener.get(), nullptr, nullptr, SOCK_NONBLOCK | SOCK_CLOEXEC);
    if (fd >= 0) serve(fd);
  }
}

void FaultServer::Impl::serve(int fd) {
  const int on = 1;
  setsockopt(fd, IPPROTO_TCP, TCP_NODELAY, &on, sizeof on);
  const int number = state.open_connection();
  workers.emplace_back([this, fd, number] {
    FaultStream stream(fd, cancel.get(), tls.context.get());
    FaultConnection(state, stream, number).run();
  });
}

FaultServer::FaultServer(std::unique_ptr<Impl> impl) : m_impl(std::move(impl)) {}
FaultServer::~FaultServer() = default;

Result<std::unique_ptr<FaultServer>> FaultServer::start(Script script, ServerOptions options) {
  auto impl = std::make_unique<Impl>(std::move(script), options);
  if (options.tls != Tls::None) {
    SVC_TRY(identity, make_tls_identity(options.tls, options.h2));
    impl->tls = std::move(identity);
    SVC_CHECK(impl->ca.write(impl->tls.certificate_pem));
  }
  SVC_TRY(listening, listen_on_loopback(options.black_hole ? 0 : 512));
  impl->listener = std::move(listening.first);
  impl->port = listening.second;
  impl->state.set_port(impl->port);
  impl->cancel = Descriptor(eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK));
  if (options.black_hole) {
    impl->fillers = fill_backlog(impl->port);
  } else {
    Impl* shared = impl.get();
    impl->acceptor =
        std::jthread([shared](const std::stop_token& token) { shared->accept_loop(token); });
  }
  return std::unique_ptr<FaultServer>(new FaultServer(std::move(impl)));
}

std::uint16_t FaultServer::port() const noexcept {
  return m_impl->port;
}

std::string FaultServer::url(std::string_view path) const {
  const bool tls = m_impl->options.tls != Tls::None;
  return fmt::format("{}://127.0.0.1:{}{}", tls ? "https" : "http", m_impl->port, path);
}

std::string FaultServer::ca_file() const {
  return m_impl->ca.path();
}
std::vector<RecordedRequest> FaultServer::requests() const {
  return m_impl->state.requests();
}
std::vector<ConnectionRecord> FaultServer::connections() const {
  return m_impl->state.connections();
}
bool FaultServer::wait_for_requests(std::size_t count, std::chrono::milliseconds limit) const {
  return m_impl->state.wait_for_requests(count, limit);
}
bool FaultServer::wait_until_closed(std::chrono::milliseconds limit) const {
  return m_impl->state.wait_until_closed(limit);
}

std::string FaultServer::dump() const {
  std::string out;
  for (const RecordedRequest& request : requests()) {
    std::string headers;
    for (const Header& header : request.headers) {
      headers += fmt::format("{}[{},{}]", headers.empty() ? "" : ",", json_quote(header.name),
                             json_quote(header.value));
    }
    out += fmt::format(
        R"({{"connection":{},"method":{},"target":{},"headers":[{}],"body":{},"body_size":{},"at_ms":{}}})",
        request.connection, json_quote(request.method), json_quote(request.target), headers,
        json_quote(request.body), request.body_size, request.at.count());
    out += '\n';
  }
  return out;
}

}  // namespace svc::test
