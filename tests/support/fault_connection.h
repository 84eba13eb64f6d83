// Runs a script's steps on one connection of the fault server.
#pragma once

#include <condition_variable>
#include <mutex>
#include <optional>
#include <string>
#include <vector>

#include "support/fault_server.h"
#include "support/fault_stream.h"

namespace svc::test {

/// State shared by all connections of a server.
class FaultState {
 public:
  FaultState(Script script, std::uint64_t keep_body_bytes);

  /// The first steps of connection `number` (from 1), if they do not wait for a request.
  [[nodiscard]] std::optional<ExchangeScript> take_unasked(int number);
  /// The steps for a request that has started to arrive on a connection: from its own script, or
  /// else those that an earlier connection left over.
  [[nodiscard]] std::optional<ExchangeScript> take(int number);

  int open_connection();
  void update(int number, const ConnectionRecord& record);
  std::size_t add_request(RecordedRequest request);
  void add_body(std::size_t request, std::string_view bytes);

  [[nodiscard]] std::vector<RecordedRequest> requests() const;
  [[nodiscard]] std::vector<ConnectionRecord> connections() const;
  [[nodiscard]] bool wait_for_requests(std::size_t count, std::chrono::milliseconds limit) const;
  [[nodiscard]] bool wait_until_closed(std::chrono::milliseconds limit) const;

  [[nodiscard]] const std::string& port_text() const noexcept { return m_port; }
  void set_port(std::uint16_t port) { m_port = std::to_string(port); }

 private:
  [[nodiscard]] std::optional<ExchangeScript> take_from(std::size_t index);

  mutable std::mutex m_mutex;
  mutable std::condition_variable m_changed;
  Script m_script;
  std::vector<std::size_t> m_next;  ///< the next exchange of each scripted connection
  std::vector<RecordedRequest> m_requests{};
  std::vector<ConnectionRecord> m_connections{};
  std::uint64_t m_keep_body_bytes;
  std::chrono::steady_clock::time_point m_began = std::chrono::steady_clock::now();
  std::string m_port{};
};

class FaultConnection {
 public:
  FaultConnection(FaultState& state, FaultStream& stream, int number)
      : m_state(state), m_stream(stream), m_number(number) {}

  /// Serves until the script or the client ends the connection.
  void run();

 private:
  [[nodiscard]] bool exchange(const ExchangeScript& steps);
  [[nodiscard]] bool step(const Step& step);
  [[nodiscard]] bool reply(const Step& step);
  [[nodiscard]] bool write(std::string bytes, bool chunked);
  [[nodiscard]] bool bytewise(const Step& step);
  [[nodiscard]] bool repeat(const Step& step);
  void drop_everything();

  [[nodiscard]] bool fill();
  [[nodiscard]] bool read_head();
  [[nodiscard]] bool read_body();
  [[nodiscard]] bool read_counted(std::uint64_t count);
  [[nodiscard]] bool read_chunks();
  [[nodiscard]] std::optional<std::string> read_line();
  [[nodiscard]] bool read_h2();
  [[nodiscard]] std::optional<unsigned> read_frame(bool echo);
  [[nodiscard]] bool read_frames(bool echo);
  [[nodiscard]] std::string with_port(const std::string& text) const;
  void report(bool closed);

  FaultState& m_state;
  FaultStream& m_stream;
  int m_number;
  bool m_handshake_done = false;
  std::string m_buffer{};                  ///< read but not yet consumed
  std::string m_accept{};                  ///< the response to the client's WebSocket key
  std::optional<std::size_t> m_request{};  ///< index of the current one in the records
  std::optional<std::uint64_t> m_body_left{};
  bool m_chunked_body = false;
  bool m_preface_read = false;
};

}  // namespace svc::test
