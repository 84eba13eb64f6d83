#include "unit/emulator/core_support.h"

#include <array>
#include <cerrno>
#include <cstdlib>

#include <arpa/inet.h>
#include <doctest/doctest.h>
#include <fmt/format.h>
#include <netinet/in.h>
#include <poll.h>
#include <sys/socket.h>
#include <unistd.h>

namespace svc::test {

TemporaryDirectory::TemporaryDirectory() {
  std::string name = (std::filesystem::temp_directory_path() / "svc-emulator-test-XXXXXX").string();
  REQUIRE(::mkdtemp(name.data()) != nullptr);
  m_path = name;
}

TemporaryDirectory::~TemporaryDirectory() {
  std::error_code error;
  std::filesystem::remove_all(m_path, error);
}

RawClient::RawClient(std::uint16_t port) : m_fd(::socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0)) {
  REQUIRE(m_fd >= 0);
  sockaddr_in address{};
  address.sin_family = AF_INET;
  address.sin_port = htons(port);
  address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
  REQUIRE(::connect(m_fd, reinterpret_cast<sockaddr*>(&address), sizeof address) == 0);
}

RawClient::~RawClient() {
  ::close(m_fd);
}

void RawClient::send(std::string_view bytes) {
  while (!bytes.empty()) {
    const ssize_t sent = ::send(m_fd, bytes.data(), bytes.size(), MSG_NOSIGNAL);
    if (sent <= 0) return;  // the server closed; the test sees it when it reads
    bytes.remove_prefix(static_cast<std::size_t>(sent));
  }
}

void RawClient::end_sending() {
  ::shutdown(m_fd, SHUT_WR);
}

std::string RawClient::receive(std::chrono::milliseconds wait) {
  if (!m_rest.empty()) return std::exchange(m_rest, {});
  pollfd readable{m_fd, POLLIN, 0};
  if (::poll(&readable, 1, static_cast<int>(wait.count())) <= 0) return {};
  std::array<char, 65'536> chunk{};
  const ssize_t got = ::recv(m_fd, chunk.data(), chunk.size(), 0);
  if (got <= 0) {
    m_ended = true;
    m_reset = got < 0 && errno == ECONNRESET;
    return {};
  }
  return {chunk.data(), static_cast<std::size_t>(got)};
}

std::string RawClient::receive_until(std::string_view mark) {
  std::string all;
  while (all.find(mark) == std::string::npos) {
    const std::string more = receive();
    if (more.empty()) break;
    all += more;
  }
  return all;
}

std::string RawClient::receive_response() {
  std::string all = receive_until("\r\n\r\n");
  const auto head_end = all.find("\r\n\r\n");
  if (head_end == std::string::npos) return all;
  const auto at = all.find("Content-Length: ");
  const std::size_t length =
      at < head_end ? static_cast<std::size_t>(std::strtoull(all.c_str() + at + 16, nullptr, 10))
                    : 0;
  while (all.size() < head_end + 4 + length) {
    const std::string more = receive();
    if (more.empty()) return all;
    all += more;
  }
  m_rest = all.substr(head_end + 4 + length);
  all.resize(head_end + 4 + length);
  return all;
}

std::string RawClient::receive_all() {
  std::string all;
  for (;;) {
    const std::string more = receive();
    if (more.empty()) return all;
    all += more;
  }
}

TestServer::TestServer(std::vector<emulator::Route> routes, emulator::ServerOptions options) {
  auto state = emulator::State::open(":memory:");
  REQUIRE(state.has_value());
  m_state = std::move(*state);
  m_dispatcher = std::make_unique<emulator::Dispatcher>(*m_state, std::move(routes));
  auto server = emulator::Server::start(std::move(options), *m_dispatcher);
  REQUIRE_MESSAGE(server.has_value(), (server ? "" : server.error().message));
  m_server = std::move(*server);
}

void TestServer::add_fault(std::string_view rule) {
  auto parsed = emulator::parse_fault(rule);
  REQUIRE_MESSAGE(parsed.has_value(), (parsed ? "" : parsed.error().message));
  REQUIRE(m_dispatcher->faults().add({std::move(*parsed)}).has_value());
}

std::string get_request(std::string_view path, std::string_view headers) {
  return fmt::format("GET {} HTTP/1.1\r\nHost: localhost\r\nAuthorization: Bearer {}\r\n{}\r\n",
                     path, emulator::k_demo_key, headers);
}

std::string post_request(std::string_view path, std::string_view body, std::string_view headers) {
  return fmt::format(
      "POST {} HTTP/1.1\r\nHost: localhost\r\nAuthorization: Bearer {}\r\nContent-Type: "
      "application/json\r\nContent-Length: {}\r\n{}\r\n{}",
      path, emulator::k_demo_key, body.size(), headers, body);
}

}  // namespace svc::test
