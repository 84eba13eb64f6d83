// Shared by the tests of the emulator's core: a directory, a raw HTTP client.
#pragma once

#include <chrono>
#include <cstdint>
#include <filesystem>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "emulator/server/dispatch.h"
#include "emulator/server/server.h"
#include "emulator/state/state.h"

namespace svc::test {

class TemporaryDirectory {
 public:
  TemporaryDirectory();
  TemporaryDirectory(const TemporaryDirectory&) = delete;
  TemporaryDirectory& operator=(const TemporaryDirectory&) = delete;
  ~TemporaryDirectory();
  [[nodiscard]] std::string path() const { return m_path.string(); }
  [[nodiscard]] std::string file(std::string_view name) const { return (m_path / name).string(); }

 private:
  std::filesystem::path m_path;
};

/// A TCP connection to 127.0.0.1 for raw bytes.
class RawClient {
 public:
  explicit RawClient(std::uint16_t port);
  RawClient(const RawClient&) = delete;
  RawClient& operator=(const RawClient&) = delete;
  ~RawClient();

  void send(std::string_view bytes);
  void end_sending();
  /// Available data, waiting for it at most `wait`; "" at the end, after a reset, or if there is
  /// none.
  std::string receive(std::chrono::milliseconds wait = std::chrono::seconds(10));
  /// Reads until the data contains `mark`, or the end; returns all data read by this call.
  std::string receive_until(std::string_view mark);
  /// Reads one whole response with Content-Length.
  std::string receive_response();
  /// Reads to the end.
  std::string receive_all();
  [[nodiscard]] bool ended() const { return m_ended; }
  [[nodiscard]] bool was_reset() const { return m_reset; }
  [[nodiscard]] int fd() const { return m_fd; }

 private:
  int m_fd = -1;
  bool m_ended = false;
  bool m_reset = false;
  std::string m_rest{};
};

/// A server with a state in memory, with some test routes in addition to those given.
class TestServer {
 public:
  explicit TestServer(std::vector<emulator::Route> routes, emulator::ServerOptions options = {});
  [[nodiscard]] std::uint16_t port() const { return m_server->port(); }
  [[nodiscard]] emulator::Dispatcher& dispatcher() { return *m_dispatcher; }
  [[nodiscard]] emulator::State& state() { return *m_state; }
  void add_fault(std::string_view rule);
  void stop(std::chrono::milliseconds grace) { m_server->stop(grace); }

 private:
  std::unique_ptr<emulator::State> m_state;
  std::unique_ptr<emulator::Dispatcher> m_dispatcher;
  std::unique_ptr<emulator::Server> m_server;
};

/// "GET /path HTTP/1.1" with Host, the demo key, and `headers` ("Name: value\r\n…").
[[nodiscard]] std::string get_request(std::string_view path, std::string_view headers = {});
[[nodiscard]] std::string post_request(std::string_view path, std::string_view body,
                                       std::string_view headers = {});

}  // namespace svc::test
