#include "server.h"

#include <algorithm>
#include <cstdio>
#include <stdexcept>
#include <vector>

#include <arpa/inet.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <poll.h>
#include <sys/socket.h>
#include <unistd.h>

#include "listener.h"

namespace svc::bench {
namespace {

constexpr std::uint64_t k_block_events = 1000;
constexpr int k_paced_events = 400;

const char* const k_stream_end =
    "data: {\"id\":\"1\",\"object\":\"chat.completion.chunk\",\"created\":1,\"model\":\"svc-4.5\","
    "\"choices\":[{\"index\":0,\"delta\":{},\"finish_reason\":\"stop\"}]}\n\ndata: [DONE]\n\n";

/// One event of `bytes` bytes including `data: ` and the blank line; sets its text's length.
std::string event(std::size_t bytes, std::size_t& text) {
  const std::string head =
      R"(data: {"id":"00000000-0000-0000-0000-000000000000","object":"chat.completion.chunk",)"
      R"("created":1700000000,"model":"svc-4.5","choices":[{"index":0,"delta":{"content":")";
  const std::string tail = R"("}}],"system_fingerprint":"fp_0000000000"})"
                           "\n\n";
  const std::size_t fixed = head.size() + tail.size();
  if (bytes < fixed + 2) throw std::runtime_error("event size is too small");
  text = bytes - fixed;
  return head + std::string(text - 1, 'x') + " " + tail;
}

bool send_all(int fd, const std::string& bytes) {
  for (std::size_t at = 0; at < bytes.size();) {
    const ssize_t sent = ::send(fd, bytes.data() + at, bytes.size() - at, MSG_NOSIGNAL);
    if (sent <= 0) return false;
    at += static_cast<std::size_t>(sent);
  }
  return true;
}

struct Request {
  std::string head{};
  std::string body{};  ///< its first 64 kB
};

/// Reads one request; false when the client has disconnected.
bool read_request(int fd, Request& request) {
  std::vector<char> buffer(262'144);
  std::size_t length = 0;
  std::size_t got = 0;  // of the body
  while (request.head.empty() || got < length) {
    const ssize_t count = ::recv(fd, buffer.data(), buffer.size(), 0);
    if (count <= 0) return false;
    if (request.head.empty() || request.body.size() < 65'536)
      request.body.append(buffer.data(), static_cast<std::size_t>(count));
    got += static_cast<std::size_t>(count);
    if (!request.head.empty()) continue;
    const std::size_t end = request.body.find("\r\n\r\n");
    if (end == std::string::npos) continue;
    request.head = request.body.substr(0, end + 2);
    request.body.erase(0, end + 4);
    got = request.body.size();
    const std::size_t at = request.head.find("Content-Length: ");
    if (at != std::string::npos) length = std::stoul(request.head.substr(at + 16));
    if (request.head.find("Expect: 100") != std::string::npos &&
        !send_all(fd, "HTTP/1.1 100 Continue\r\n\r\n")) {
      return false;
    }
  }
  return true;
}

}  // namespace

Server::Server(std::uint64_t events, std::size_t event_bytes) : m_events(events) {
  const std::string one = event(event_bytes, m_text);
  char length[20];
  std::snprintf(length, sizeof length, "%zx\r\n", one.size());
  for (std::uint64_t i = 0; i < k_block_events; ++i) {
    m_block += one;
    m_chunked += length + one + "\r\n";
  }
  const svc::bench::Listener listener = svc::bench::listen_on_loopback(64);
  m_listener = listener.fd;
  m_port = listener.port;
  m_thread = std::jthread([this](const std::stop_token& cancel) { serve(cancel); });
}

Server::~Server() {
  m_thread.request_stop();
  m_thread.join();
  ::close(m_listener);
}

void Server::serve(const std::stop_token& cancel) {
  while (!cancel.stop_requested()) {
    pollfd waits{m_listener, POLLIN, 0};
    if (::poll(&waits, 1, 50) <= 0) continue;
    const int connection = ::accept4(m_listener, nullptr, nullptr, SOCK_CLOEXEC);
    if (connection < 0) continue;
    const int on = 1;
    ::setsockopt(connection, IPPROTO_TCP, TCP_NODELAY, &on, sizeof on);
    answer(connection);
    ::close(connection);
  }
}

/// Sends a document with `text` letters A between `begin` and `end`.
void Server::send_padded(int connection, const std::string& begin, std::size_t text,
                         const std::string& end) {
  if (!send_all(connection,
                "HTTP/1.1 200 OK\r\nContent-Type: application/json\r\n"
                "Connection: close\r\nContent-Length: " +
                    std::to_string(begin.size() + text + end.size()) + "\r\n\r\n" + begin)) {
    return;
  }
  const std::string block(std::size_t{1} << 20U, 'A');
  for (std::size_t sent = 0; sent < text; sent += block.size()) {
    if (!send_all(connection, block.substr(0, std::min(block.size(), text - sent)))) return;
  }
  (void)send_all(connection, end);
}

void Server::answer(int connection) {
  Request request;
  if (!read_request(connection, request)) return;
  const std::string& body = request.body;
  if (request.head.starts_with("GET /v1/files/")) return send_file(connection, request.head);
  if (request.head.starts_with("POST /v1/tts")) {
    return send_padded(connection, R"({"audio":")", k_speech_base64,
                       R"(","duration":600,"audio_timestamps":{"graph_chars":["H","i"],)"
                       R"("graph_times":[[0,1],[1,2]]}})");
  }
  if (request.head.starts_with("POST /v1/images/")) {
    return send_padded(connection, R"({"data":[{"b64_json":"iVBORw0KGgoA)", k_image_base64,
                       R"("}]})");
  }
  if (body.find("\"user\":\"long\"") != std::string::npos) {
    return send_padded(
        connection,
        R"({"id":"x","model":"svc-4.5","choices":[{"index":0,"finish_reason":"stop","message":)"
        R"({"role":"assistant","content":"{\"a\":\")",
        k_long_text, R"(\"}"}}]})");
  }
  if (body.find("\"user\":\"paced\"") != std::string::npos) return stream_paced(connection);
  if (body.find("\"stream\":true") != std::string::npos) {
    stream(connection, body.find("\"user\":\"bare\"") == std::string::npos);
    return;
  }
  const std::string reply =
      R"({"id":"1","object":"chat.completion","created":1,"model":"svc-4.5","choices":[{"index":0,)"
      R"("message":{"role":"assistant","content":"Hello","refusal":null},"finish_reason":"stop"}],)"
      R"("usage":{"prompt_tokens":9,"completion_tokens":1,"total_tokens":10}})";
  send_all(connection,
           "HTTP/1.1 200 OK\r\nContent-Type: application/json\r\nConnection: close\r\n"
           "Content-Length: " +
               std::to_string(reply.size()) + "\r\n\r\n" + reply);
}

void Server::send_file(int connection, const std::string& head) {
  std::uint64_t left = std::stoull(head.substr(std::string("GET /v1/files/").size()));
  const std::string block(1U << 18U, 'x');
  if (!send_all(connection,
                "HTTP/1.1 200 OK\r\nContent-Type: application/octet-stream\r\nConnection: close\r\n"
                "Content-Length: " +
                    std::to_string(left) + "\r\n\r\n")) {
    return;
  }
  for (; left >= block.size(); left -= block.size()) {
    if (!send_all(connection, block)) return;
  }
  send_all(connection, block.substr(0, left));
}

void Server::stream(int connection, bool chunked) {
  const std::string end = k_stream_end;
  std::string head = "HTTP/1.1 200 OK\r\nContent-Type: text/event-stream\r\nConnection: close\r\n";
  if (chunked) head += "Transfer-Encoding: chunked\r\n";
  if (!send_all(connection, head + "\r\n")) return;
  for (std::uint64_t sent = 0; sent < m_events; sent += k_block_events) {
    if (!send_all(connection, chunked ? m_chunked : m_block)) return;
  }
  char size[20];
  std::snprintf(size, sizeof size, "%zx\r\n", end.size());
  send_all(connection, chunked ? size + end + "\r\n0\r\n\r\n" : end);
}

void Server::stream_paced(int connection) {
  {
    const std::lock_guard lock(m_mutex);
    m_paced.clear();
  }
  if (!send_all(
          connection,
          "HTTP/1.1 200 OK\r\nContent-Type: text/event-stream\r\nConnection: close\r\n\r\n")) {
    return;
  }
  for (int i = 0; i < k_paced_events; ++i) {
    std::this_thread::sleep_for(std::chrono::milliseconds(5));
    const std::string one =
        R"(data: {"id":"1","object":"chat.completion.chunk","created":1,"model":"svc-4.5",)"
        R"("choices":[{"index":0,"delta":{"content":"a few words\n"}}]})"
        "\n\n";
    {
      const std::lock_guard lock(m_mutex);
      m_paced.push_back(Clock::now());
    }
    if (!send_all(connection, one)) return;
  }
  send_all(connection, k_stream_end);
}

std::vector<Server::Clock::time_point> Server::paced() const {
  const std::lock_guard lock(m_mutex);
  return m_paced;
}

}  // namespace svc::bench
