// A server as fast as the loopback interface allows, for measuring clients.
#pragma once

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <mutex>
#include <string>
#include <thread>
#include <vector>

namespace svc::bench {

/// Lengths of the long texts in its responses, in characters.
inline constexpr std::size_t k_speech_base64 = 20'000'000;
inline constexpr std::size_t k_image_base64 = 40'000'000;
inline constexpr std::size_t k_long_text = 10'000'000;

/// Serves on a free loopback port. POST /v1/chat/completions with `"stream":true` in the body
/// returns `events` events of `event_bytes` bytes each and the end of the stream: each in its own
/// HTTP chunk, or with `"user":"bare"` in the body without chunks until the connection closes. With
/// `"user":"paced"` it sends an event of a few words every five milliseconds, and paced() returns
/// when. POST /v1/files discards a body of any size; GET /v1/files/COUNT/content returns COUNT
/// bytes. POST /v1/tts returns speech with timestamps, POST /v1/images/generations an image, and
/// `"user":"long"` a long chat completion. Any other request returns a short one.
class Server {
 public:
  Server(std::uint64_t events, std::size_t event_bytes);
  /// Bytes of the answer in all events together.
  [[nodiscard]] std::uint64_t text_bytes() const { return m_events * m_text; }
  Server(const Server&) = delete;
  Server& operator=(const Server&) = delete;
  ~Server();

  using Clock = std::chrono::steady_clock;
  /// The times just before each event of the last paced stream was sent; each event's text is one
  /// line.
  [[nodiscard]] std::vector<Clock::time_point> paced() const;

  [[nodiscard]] std::string url() const { return "http://127.0.0.1:" + std::to_string(m_port); }

 private:
  void serve(const std::stop_token& cancel);
  void answer(int connection);
  void stream(int connection, bool chunked);
  void stream_paced(int connection);
  void send_file(int connection, const std::string& head);
  void send_padded(int connection, const std::string& begin, std::size_t text,
                   const std::string& end);

  std::uint64_t m_events;
  std::size_t m_text = 0;   ///< bytes of an event's text
  std::string m_block{};    ///< a thousand events
  std::string m_chunked{};  ///< the same, each as an HTTP chunk
  mutable std::mutex m_mutex{};
  std::vector<Clock::time_point> m_paced{};  ///< guarded by m_mutex
  int m_listener = -1;
  int m_port = 0;
  std::jthread m_thread{};  ///< handles one connection after another
};

}  // namespace svc::bench
