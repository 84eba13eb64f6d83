// The channel to an MCP server at a URL, using the transport "Streamable HTTP": each message is a
// POST, and the response is a document or a stream of events.
#pragma once

#include <functional>
#include <memory>
#include <mutex>
#include <string>
#include <thread>
#include <vector>

#include "base/message.h"
#include "http/transport.h"
#include "mcp/channel.h"
#include "mcp/message.h"

namespace svc::mcp {

struct HttpServer {
  std::string url{};
  std::vector<Header> headers{};
};

using MakeTransport = std::function<std::unique_ptr<http::Transport>()>;

/// Requests run concurrently, each on its own transport. A session ended by the server is
/// re-created, once per request. If the server has a notification stream, a thread reads it.
class HttpChannel final : public Channel {
 public:
  HttpChannel(HttpServer server, MakeTransport make_transport, OnNotification on_notification);
  ~HttpChannel() override;

  [[nodiscard]] Result<std::string> request(std::string_view method, std::string params,
                                            const CallContext& context,
                                            const std::vector<Header>& headers) override;
  [[nodiscard]] Result<void> notify(std::string_view method, std::string_view params) override;
  void adopt_protocol(NegotiatedProtocol protocol) override;
  void request_exit() noexcept override { m_closing.cancel(); }

 private:
  class EventReader;
  struct TransportLease;

  [[nodiscard]] Result<std::string> send_once(std::int64_t id, std::string_view method,
                                              const std::string& params, const CallContext& context,
                                              const std::vector<Header>& headers,
                                              bool& session_lost);
  [[nodiscard]] Result<std::string> follow(EventReader& answer, const CallContext& context,
                                           std::chrono::steady_clock::time_point until);
  [[nodiscard]] Result<void> restart_session(const CallContext& context);
  [[nodiscard]] http::HttpRequest make_request(std::string method, std::string body,
                                               std::chrono::milliseconds time) const;
  Result<void> post(std::string body, const CancelToken& cancel, std::chrono::milliseconds time);
  [[nodiscard]] http::HttpRequest listen_request(std::int64_t id) const;
  void listen();
  [[nodiscard]] bool is_stateless() const;
  [[nodiscard]] std::unique_ptr<http::Transport> acquire_transport();
  void release_transport(std::unique_ptr<http::Transport> transport);

  HttpServer m_server;
  MakeTransport m_make_transport;
  OnNotification m_on_notification;
  CancelSource m_closing{};

  mutable std::mutex m_mutex{};  ///< guards everything below
  std::vector<std::unique_ptr<http::Transport>> m_idle{};
  std::int64_t m_last_id = 0;
  NegotiatedProtocol m_protocol{};
  std::string m_session{};
  std::string m_handshake{};  ///< the parameters of `initialize`

  std::thread m_listener{};
};

}  // namespace svc::mcp
