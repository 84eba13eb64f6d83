#include "emulator/api/media/fetch.h"

#include <algorithm>
#include <array>
#include <cerrno>
#include <chrono>

#include <arpa/inet.h>
#include <boost/asio/buffer.hpp>
#include <boost/beast/http/parser.hpp>
#include <boost/beast/http/string_body.hpp>
#include <fmt/format.h>
#include <netinet/in.h>
#include <sys/socket.h>
#include <unistd.h>

#include "base/file_descriptor.h"
#include "base/text.h"
#include "base/wait.h"

namespace svc::emulator::media {
namespace {

namespace http = boost::beast::http;
using Clock = std::chrono::steady_clock;

struct Target {
  sockaddr_storage address{};
  socklen_t size = 0;
  std::string authority{};
  std::string path{};
};

// Removes possible secrets: user names, and signatures in the query.
std::string shown_url(std::string_view url) {
  std::string_view plain = url.substr(0, url.find_first_of("?#"));
  const std::size_t scheme = plain.find("://");
  const std::size_t at = plain.find('@');
  if (scheme != std::string_view::npos && at != std::string_view::npos) {
    plain = plain.substr(at + 1);
  }
  return shown(plain, 120);
}

Error not_local_error(std::string_view url) {
  return usage_error(
      fmt::format("The emulator reaches http URLs on this machine only (127.0.0.1, localhost, "
                  "[::1]), not {}.",
                  shown_url(url)));
}

bool set_address(Target& target, std::string_view host, std::uint16_t port) {
  if (host == "[::1]") {
    auto& address = reinterpret_cast<sockaddr_in6&>(target.address);
    address.sin6_family = AF_INET6;
    address.sin6_port = htons(port);
    address.sin6_addr = in6addr_loopback;
    target.size = sizeof(sockaddr_in6);
    return true;
  }
  auto& address = reinterpret_cast<sockaddr_in&>(target.address);
  address.sin_family = AF_INET;
  address.sin_port = htons(port);
  target.size = sizeof(sockaddr_in);
  const std::string name = equals_ignore_case(host, "localhost") ? "127.0.0.1" : std::string(host);
  constexpr std::uint32_t k_loopback_net = 127;
  return ::inet_pton(AF_INET, name.c_str(), &address.sin_addr) == 1 &&
         (ntohl(address.sin_addr.s_addr) >> 24U) == k_loopback_net;
}

Result<Target> read_url(std::string_view url) {
  constexpr std::string_view k_scheme = "http://";
  const bool printable = url.find_first_of(" \t\r\n") == std::string_view::npos;
  if (!equals_ignore_case(url.substr(0, k_scheme.size()), k_scheme) || !printable) {
    return not_local_error(url);
  }
  const std::string_view rest = url.substr(k_scheme.size());
  const std::size_t end = std::min(rest.size(), rest.find_first_of("/?#"));
  Target target;
  target.authority = rest.substr(0, end);
  target.path = rest.substr(end, rest.find('#', end) - end);
  if (!target.path.starts_with('/')) target.path.insert(0, 1, '/');
  std::string_view host = target.authority;
  std::int64_t port = 80;
  const std::size_t colon = host.rfind(':');
  if (colon != std::string_view::npos && !host.ends_with(']')) {
    port = parse_integer(host.substr(colon + 1)).value_or(-1);
    host = host.substr(0, colon);
  }
  if (port < 1 || port > 65535) return not_local_error(url);
  if (!set_address(target, host, static_cast<std::uint16_t>(port))) return not_local_error(url);
  return target;
}

Error broken(const Target& target, std::string_view why) {
  return Error{Fault::Network, fmt::format("{} could not be reached: {}.", target.authority, why)};
}

/// One connection with one overall deadline.
class Link {
 public:
  explicit Link(const Target& target) : m_target(target) {}

  Result<void> open() {
    m_socket = FileDescriptor(
        ::socket(m_target.address.ss_family, SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0));
    const auto* address = reinterpret_cast<const sockaddr*>(&m_target.address);
    if (::connect(m_socket.get(), address, m_target.size) == 0) return {};
    if (errno != EINPROGRESS) return broken(m_target, "the connection was refused");
    SVC_CHECK(wait(POLLOUT));
    int error = 0;
    socklen_t size = sizeof error;
    ::getsockopt(m_socket.get(), SOL_SOCKET, SO_ERROR, &error, &size);
    if (error != 0) return broken(m_target, "the connection was refused");
    return {};
  }

  Result<void> send(std::string_view bytes) {
    while (!bytes.empty()) {
      const ssize_t sent = ::send(m_socket.get(), bytes.data(), bytes.size(), MSG_NOSIGNAL);
      if (sent > 0) {
        bytes.remove_prefix(static_cast<std::size_t>(sent));
      } else if (errno == EAGAIN || errno == EINTR) {
        SVC_CHECK(wait(POLLOUT));
      } else {
        return {};  // the peer may have responded before closing
      }
    }
    return {};
  }

  /// Returns received bytes; "" at the end.
  Result<std::string> receive() {
    std::array<char, 65'536> chunk{};
    for (;;) {
      const ssize_t bytes_read = ::recv(m_socket.get(), chunk.data(), chunk.size(), 0);
      if (bytes_read >= 0) return std::string(chunk.data(), static_cast<std::size_t>(bytes_read));
      if (errno != EAGAIN && errno != EINTR) return broken(m_target, "the connection broke");
      SVC_CHECK(wait(POLLIN));
    }
  }

 private:
  Result<void> wait(short events) {
    pollfd watched{m_socket.get(), events, 0};
    const auto ready = svc::wait({&watched, 1}, m_end, NeverCancelled());
    if (ready && *ready) return {};
    return broken(m_target, "it took too long");
  }

  const Target& m_target;
  Clock::time_point m_end = Clock::now() + std::chrono::seconds(5);
  FileDescriptor m_socket{-1};
};

Result<HttpReply> read_reply(Link& link, const Target& target) {
  http::response_parser<http::string_body> parser;
  parser.body_limit(k_max_fetched);
  parser.eager(true);
  std::string input;
  boost::beast::error_code error;
  while (!parser.is_done()) {
    SVC_TRY(more, link.receive());
    if (more.empty()) {
      if (!parser.got_some()) return broken(target, "it closed the connection without an answer");
      parser.put_eof(error);
      if (error || !parser.is_done()) return broken(target, "the answer was cut short");
      break;
    }
    input += more;
    const std::size_t used =
        parser.put(boost::asio::const_buffer(input.data(), input.size()), error);
    input.erase(0, used);
    if (error == http::error::body_limit) return broken(target, "the answer is too large");
    if (error && error != http::error::need_more) return broken(target, "that was no HTTP");
  }
  return HttpReply{parser.get().result_int(), std::move(parser.get().body())};
}

Result<HttpReply> exchange(std::string_view url, std::string_view method, std::string_view head,
                           std::string_view body) {
  SVC_TRY(target, read_url(url));
  Link link(target);
  SVC_CHECK(link.open());
  SVC_CHECK(
      link.send(fmt::format("{} {} HTTP/1.1\r\nHost: {}\r\nConnection: close\r\n"
                            "User-Agent: svc-emulator\r\n{}\r\n",
                            method, target.path, target.authority, head)));
  SVC_CHECK(link.send(body));
  return read_reply(link, target);
}

}  // namespace

Result<std::string> fetch(std::string_view url) {
  SVC_TRY(reply, exchange(url, "GET", {}, {}));
  if (reply.status == 200) return std::move(reply.body);
  return Error{Fault::Network,
               fmt::format("{} answered with status {}.", shown_url(url), reply.status)};
}

Result<HttpReply> post(std::string_view url, std::string_view headers, std::string_view body) {
  const std::string head = fmt::format("{}Content-Length: {}\r\n", headers, body.size());
  SVC_TRY(reply, exchange(url, "POST", head, body));
  return HttpReply{reply.status, std::move(reply.body)};
}

Result<void> put(std::string_view url, std::string_view content_type, std::string_view body) {
  const std::string head =
      fmt::format("Content-Type: {}\r\nContent-Length: {}\r\n", content_type, body.size());
  SVC_TRY(reply, exchange(url, "PUT", head, body));
  if (reply.status >= 200 && reply.status < 300) return {};
  return Error{Fault::Network,
               fmt::format("{} answered the upload with status {}.", shown_url(url), reply.status)};
}

}  // namespace svc::emulator::media
