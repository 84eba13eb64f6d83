#include <optional>
#include <span>

#include "http/connection.h"
#include "http/curl_exchange.h"
#include "http/curl_library.h"

namespace svc::http {
namespace {

using std::chrono::milliseconds;

/// A connection made by libcurl and used directly. The easy handle stays in its multi handle, where
/// libcurl looks up the connection.
class CurlConnection final : public Connection {
 public:
  CurlConnection(const ConnectionRequest& request, TransportOptions options)
      : m_options(std::move(options)),
        m_exchange(
            make_http_request(request), m_null_receiver,
            [this](const Outcome& outcome) { m_error = outcome.error; }, m_options) {}
  ~CurlConnection() override {
    const SigpipeGuard guard;
    if (m_exchange.handle() != nullptr)
      libcurl().multi_remove_handle(m_multi.get(), m_exchange.handle());
  }

  Result<void> open(const CancelToken& cancel);
  Result<std::optional<std::size_t>> read(std::span<char> into) override;
  Result<std::size_t> write(std::string_view bytes) override;
  [[nodiscard]] int descriptor() const noexcept override { return m_socket; }

 private:
  static std::shared_ptr<const HttpRequest> make_http_request(const ConnectionRequest& request) {
    auto made = std::make_shared<HttpRequest>();
    made->url = request.url;
    if (made->url.starts_with("ws")) made->url.replace(0, 2, "http");
    made->bearer = request.bearer;
    made->timeouts = {
        .connect = request.connect, .total = milliseconds(0), .idle = milliseconds(0)};
    return made;
  }
  [[nodiscard]] Result<CURLcode> connect(const CancelToken& cancel);
  /// libcurl's result once it has finished connecting; nothing before that.
  [[nodiscard]] std::optional<CURLcode> ended();
  [[nodiscard]] Error broken(CURLcode code) const;

  TransportOptions m_options;
  NullReceiver m_null_receiver{};
  std::optional<Error> m_error{};
  Exchange m_exchange;
  Multi m_multi{};
  curl_socket_t m_socket = CURL_SOCKET_BAD;
};

std::optional<CURLcode> CurlConnection::ended() {
  int left = 0;
  while (const CURLMsg* message = libcurl().multi_info_read(m_multi.get(), &left)) {
    if (message->msg == CURLMSG_DONE) return message->data.result;
  }
  return std::nullopt;
}

Result<void> CurlConnection::open(const CancelToken& cancel) {
  const SigpipeGuard guard;
  SVC_CHECK(load_curl());
  m_multi = make_multi();
  auto ready = m_exchange.prepare();
  while (ready) {
    SVC_TRY(code, connect(cancel));
    if (code == CURLE_OK &&
        libcurl().easy_getinfo(m_exchange.handle(), CURLINFO_ACTIVESOCKET, &m_socket) == CURLE_OK &&
        m_socket != CURL_SOCKET_BAD)
      return {};
    libcurl().multi_remove_handle(m_multi.get(), m_exchange.handle());
    if (!m_exchange.finish(code)) {
      m_exchange.report();
      return m_error.value_or(Error{Fault::Unexpected, "libcurl has no connection"});
    }
    ready = m_exchange.prepare_next();
  }
  return ready;
}

/// Returns libcurl's result once it has connected or failed to.
Result<CURLcode> CurlConnection::connect(const CancelToken& cancel) {
  CURL* handle = m_exchange.handle();
  libcurl().easy_setopt(handle, CURLOPT_CONNECT_ONLY, 1L);
  libcurl().easy_setopt(handle, CURLOPT_HTTP_VERSION, static_cast<long>(CURL_HTTP_VERSION_1_1));
  if (libcurl().multi_add_handle(m_multi.get(), handle) != CURLM_OK)
    return Error{Fault::Unexpected, "libcurl rejected the transfer"};
  for (int running = 0;;) {
    if (const auto reason = cancel.requested()) return canceled(*reason);
    libcurl().multi_perform(m_multi.get(), &running);
    if (const auto code = ended()) return *code;
    wait_for_libcurl(m_multi, cancel, poll_timeout(cancel));
  }
}

Error CurlConnection::broken(CURLcode code) const {
  return Error{Fault::Network, std::string("connection lost: ") + libcurl().easy_strerror(code),
               "Try again."};
}

Result<std::optional<std::size_t>> CurlConnection::read(std::span<char> into) {
  const SigpipeGuard guard;
  std::size_t count = 0;
  const CURLcode code = libcurl().easy_recv(m_exchange.handle(), into.data(), into.size(), &count);
  if (code == CURLE_AGAIN) return std::optional<std::size_t>(0);
  if (code != CURLE_OK) return broken(code);
  return count == 0 ? std::nullopt : std::optional(count);
}

Result<std::size_t> CurlConnection::write(std::string_view bytes) {
  const SigpipeGuard guard;
  std::size_t count = 0;
  const CURLcode code =
      libcurl().easy_send(m_exchange.handle(), bytes.data(), bytes.size(), &count);
  if (code == CURLE_AGAIN) return std::size_t{0};
  if (code != CURLE_OK) return broken(code);
  return count;
}

}  // namespace

Result<std::unique_ptr<Connection>> open_connection(const ConnectionRequest& request,
                                                    const TransportOptions& options,
                                                    const CancelToken& cancel) {
  auto connection = std::make_unique<CurlConnection>(request, options);
  SVC_CHECK(connection->open(cancel));
  return std::unique_ptr<Connection>(std::move(connection));
}

}  // namespace svc::http
