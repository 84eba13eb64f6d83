#include <algorithm>
#include <csignal>
#include <ctime>
#include <deque>
#include <unordered_map>
#include <vector>

#include <pthread.h>

#include "http/connection.h"
#include "http/curl_exchange.h"
#include "http/curl_library.h"

namespace svc::http {
namespace {

using Clock = Exchange::Clock;
using std::chrono::milliseconds;

/// How long a wait may last when the stop cannot wake it.
constexpr milliseconds k_blind_wait{50};
constexpr milliseconds k_longest_wait{1000};

/// Keeps SIGPIPE, which OpenSSL's plain write() may raise, from ending the program: blocked in this
/// thread meanwhile, and taken away again when it is pending.
class NoBrokenPipe {
 public:
  NoBrokenPipe() noexcept {
    sigemptyset(&m_pipe);
    sigaddset(&m_pipe, SIGPIPE);
    sigset_t pending;
    sigpending(&pending);
    m_was_pending = sigismember(&pending, SIGPIPE) == 1;
    pthread_sigmask(SIG_BLOCK, &m_pipe, &m_before);
  }
  NoBrokenPipe(const NoBrokenPipe&) = delete;
  NoBrokenPipe& operator=(const NoBrokenPipe&) = delete;
  ~NoBrokenPipe() {
    const timespec at_once{0, 0};
    if (!m_was_pending) sigtimedwait(&m_pipe, nullptr, &at_once);
    pthread_sigmask(SIG_SETMASK, &m_before, nullptr);
  }

 private:
  sigset_t m_pipe{};
  sigset_t m_before{};
  bool m_was_pending = false;
};

struct MultiFree {
  void operator()(CURLM* multi) const noexcept { libcurl().multi_cleanup(multi); }
};

class CurlTransport final : public Transport {
 public:
  explicit CurlTransport(TransportOptions options) : m_options(std::move(options)) {}
  ~CurlTransport() override {
    for (const auto& [handle, exchange] : m_active)
      libcurl().multi_remove_handle(m_multi.get(), handle);
  }

  Outcome perform(const HttpRequest& request, Receiver& receiver, const Stop& stop) override;
  void start(HttpRequest request, Receiver& receiver, Done done) override {
    enqueue(std::make_shared<const HttpRequest>(std::move(request)), receiver, std::move(done));
  }
  void run(const Stop& stop, std::optional<Clock::time_point> until) override {
    drive(stop, until, nullptr);
  }

 private:
  void enqueue(std::shared_ptr<const HttpRequest> request, Receiver& receiver, Done done) {
    m_queue.push_back(
        std::make_unique<Exchange>(std::move(request), receiver, std::move(done), m_options));
  }
  void drive(const Stop& stop, std::optional<Clock::time_point> until, const bool* finished);
  [[nodiscard]] Result<void> open_multi();
  void begin_queued();
  void add(std::unique_ptr<Exchange> exchange);
  void forget(const HttpRequest& request) noexcept;
  void collect();
  void pause();
  void end_overdue();
  /// Without an error: for the one that the exchange knows itself.
  void end(CURL* handle, std::optional<Error> error = std::nullopt);
  void end_all(Fault reason);
  void wait(const Stop& stop, std::optional<Clock::time_point> until);

  TransportOptions m_options;
  std::unique_ptr<CURLM, MultiFree> m_multi{};
  std::deque<std::unique_ptr<Exchange>> m_queue{};
  std::unordered_map<CURL*, std::unique_ptr<Exchange>> m_active{};
  Clock::time_point m_next_check = Clock::time_point::max();
  bool m_in_libcurl = false;  ///< which must not be entered again by a receiver
};

Outcome CurlTransport::perform(const HttpRequest& request, Receiver& receiver, const Stop& stop) {
  Outcome result;
  if (m_in_libcurl) {
    result.error = Error{Fault::Unexpected, "a receiver cannot wait for another exchange"};
    return result;
  }
  bool finished = false;
  // The caller's request outlives the exchange, so it is lent.
  enqueue({std::shared_ptr<void>(), &request}, receiver, [&](Outcome outcome) {
    result = std::move(outcome);
    finished = true;
  });
  try {
    drive(stop, std::nullopt, &finished);
  } catch (...) {
    forget(request);  // it refers to what ends here
    throw;
  }
  return result;
}

void CurlTransport::forget(const HttpRequest& request) noexcept {
  std::erase_if(m_queue, [&](const auto& queued) { return queued->is_for(request); });
  for (auto at = m_active.begin(); at != m_active.end();) {
    if (!at->second->is_for(request)) {
      ++at;
      continue;
    }
    libcurl().multi_remove_handle(m_multi.get(), at->first);
    at = m_active.erase(at);
  }
}

void CurlTransport::drive(const Stop& stop, std::optional<Clock::time_point> until,
                          const bool* finished) {
  const NoBrokenPipe guard;
  for (;;) {
    if (const auto reason = stop.requested()) return end_all(*reason);
    begin_queued();
    if (!m_active.empty()) {
      int running = 0;
      m_in_libcurl = true;
      libcurl().multi_perform(m_multi.get(), &running);
      m_in_libcurl = false;
      collect();
      pause();
      end_overdue();
    }
    if (finished != nullptr && *finished) return;
    if (m_active.empty() && m_queue.empty()) return;
    if (until && Clock::now() >= *until) return;
    if (m_queue.empty()) wait(stop, until);
  }
}

/// libcurl is loaded when there is something to send.
Result<void> CurlTransport::open_multi() {
  if (m_multi) return {};
  SVC_CHECK(load_curl());
  m_multi.reset(libcurl().multi_init());
  if (!m_multi) return Error{Fault::Unexpected, "libcurl does not start"};
  if (m_options.max_connections > 0) {
    libcurl().multi_setopt(m_multi.get(), CURLMOPT_MAX_TOTAL_CONNECTIONS,
                           static_cast<long>(m_options.max_connections));
  }
  return {};
}

void CurlTransport::begin_queued() {
  while (!m_queue.empty()) {
    std::unique_ptr<Exchange> exchange = std::move(m_queue.front());
    m_queue.pop_front();
    auto ready = open_multi();
    if (ready) ready = exchange->prepare();
    if (!ready) {
      exchange->fail(std::move(ready).error());
      exchange->report();
      continue;
    }
    add(std::move(exchange));
  }
}

void CurlTransport::add(std::unique_ptr<Exchange> exchange) {
  CURL* handle = exchange->handle();
  if (libcurl().multi_add_handle(m_multi.get(), handle) != CURLM_OK) {
    exchange->fail(Error{Fault::Unexpected, "libcurl takes no further transfer"});
    exchange->report();
    return;
  }
  m_next_check = std::min(m_next_check, exchange->deadline());
  m_active.emplace(handle, std::move(exchange));
}

/// Ends what libcurl has finished. An exchange leaves the tables before its `done` is called, which
/// may start others.
void CurlTransport::collect() {
  int left = 0;
  while (const CURLMsg* message = libcurl().multi_info_read(m_multi.get(), &left)) {
    if (message->msg != CURLMSG_DONE) continue;
    CURL* handle = message->easy_handle;
    const CURLcode code = message->data.result;
    libcurl().multi_remove_handle(m_multi.get(), handle);
    auto node = m_active.extract(handle);
    std::unique_ptr<Exchange> exchange = std::move(node.mapped());
    if (!exchange->finish(code)) {
      exchange->report();
    } else if (auto ready = exchange->prepare_next(); !ready) {
      exchange->fail(std::move(ready).error());
      exchange->report();
    } else {
      add(std::move(exchange));
    }
  }
}

void CurlTransport::end(CURL* handle, std::optional<Error> error) {
  auto node = m_active.extract(handle);
  if (node.empty()) return;  // a `done` has driven it to its end meanwhile
  libcurl().multi_remove_handle(m_multi.get(), handle);
  if (error) node.mapped()->fail(*std::move(error));
  node.mapped()->report();
}

/// libcurl has handed on what had arrived.
void CurlTransport::pause() {
  std::vector<CURL*> ended;
  m_in_libcurl = true;
  for (const auto& [handle, exchange] : m_active) {
    if (!exchange->pause()) ended.push_back(handle);
  }
  m_in_libcurl = false;
  for (CURL* handle : ended) end(handle);
}

void CurlTransport::end_overdue() {
  const auto now = Clock::now();
  // Activity only moves deadlines back, so nothing is due before the earliest one seen last time.
  if (now < m_next_check) return;
  std::vector<std::pair<CURL*, Error>> ended;
  m_next_check = Clock::time_point::max();
  for (const auto& [handle, exchange] : m_active) {
    if (auto error = exchange->overdue(now))
      ended.emplace_back(handle, *std::move(error));
    else
      m_next_check = std::min(m_next_check, exchange->deadline());
  }
  for (auto& [handle, error] : ended) end(handle, std::move(error));
}

void CurlTransport::end_all(Fault reason) {
  const Error error{reason, reason == Fault::Terminated ? "terminated" : "interrupted"};
  std::vector<CURL*> handles;
  for (const auto& [handle, exchange] : m_active) handles.push_back(handle);
  for (CURL* handle : handles) end(handle, error);
  std::deque<std::unique_ptr<Exchange>> unsent = std::move(m_queue);
  m_queue.clear();
  for (const auto& exchange : unsent) {
    exchange->fail(error);
    exchange->report();
  }
}

void CurlTransport::wait(const Stop& stop, std::optional<Clock::time_point> until) {
  const auto now = Clock::now();
  auto longest = stop.wake_fd() < 0 ? k_blind_wait : k_longest_wait;
  const auto shorten = [&](Clock::time_point moment) {
    const auto left = std::chrono::ceil<milliseconds>(moment - now);
    longest = std::clamp(left, milliseconds(0), longest);
  };
  if (m_next_check != Clock::time_point::max()) shorten(m_next_check);
  if (until) shorten(*until);
  curl_waitfd extra{stop.wake_fd(), CURL_WAIT_POLLIN, 0};
  libcurl().multi_poll(m_multi.get(), &extra, stop.wake_fd() < 0 ? 0 : 1,
                       static_cast<int>(longest.count()), nullptr);
}

/// A connection that libcurl makes and leaves to its user. The handle stays within its multi
/// handle, where libcurl looks for the connection.
class CurlConnection final : public Connection {
 public:
  CurlConnection(const ConnectionRequest& request, TransportOptions options)
      : m_options(std::move(options)),
        m_exchange(
            as_exchange(request), m_nobody,
            [this](const Outcome& outcome) { m_error = outcome.error; }, m_options) {}
  ~CurlConnection() override {
    const NoBrokenPipe guard;
    if (m_exchange.handle() != nullptr)
      libcurl().multi_remove_handle(m_multi.get(), m_exchange.handle());
  }

  Result<void> open(const Stop& stop);
  Result<std::optional<std::size_t>> read(std::span<char> into) override;
  Result<std::size_t> write(std::string_view bytes) override;
  [[nodiscard]] int descriptor() const noexcept override { return m_socket; }

 private:
  struct Nobody final : Receiver {
    Result<void> on_head(const HttpHead& /*head*/) override { return {}; }
    Result<void> on_body(std::string_view /*bytes*/) override { return {}; }
  };

  static std::shared_ptr<const HttpRequest> as_exchange(const ConnectionRequest& request) {
    auto made = std::make_shared<HttpRequest>();
    made->url = request.url;
    if (made->url.starts_with("ws")) made->url.replace(0, 2, "http");
    made->bearer = request.bearer;
    made->timeouts = {
        .connect = request.connect, .total = milliseconds(0), .idle = milliseconds(0)};
    return made;
  }
  /// What libcurl said at the end of its part; nothing while it is at it.
  [[nodiscard]] std::optional<CURLcode> ended();
  [[nodiscard]] Error broken(CURLcode code) const;

  TransportOptions m_options;
  Nobody m_nobody{};
  std::optional<Error> m_error{};
  Exchange m_exchange;
  std::unique_ptr<CURLM, MultiFree> m_multi{};
  curl_socket_t m_socket = CURL_SOCKET_BAD;
};

std::optional<CURLcode> CurlConnection::ended() {
  int left = 0;
  while (const CURLMsg* message = libcurl().multi_info_read(m_multi.get(), &left)) {
    if (message->msg == CURLMSG_DONE) return message->data.result;
  }
  return std::nullopt;
}

Result<void> CurlConnection::open(const Stop& stop) {
  const NoBrokenPipe guard;
  SVC_CHECK(load_curl());
  m_multi.reset(libcurl().multi_init());
  SVC_CHECK(m_exchange.prepare());
  CURL* handle = m_exchange.handle();
  libcurl().easy_setopt(handle, CURLOPT_CONNECT_ONLY, 1L);
  libcurl().easy_setopt(handle, CURLOPT_HTTP_VERSION, static_cast<long>(CURL_HTTP_VERSION_1_1));
  if (libcurl().multi_add_handle(m_multi.get(), handle) != CURLM_OK)
    return Error{Fault::Unexpected, "libcurl takes no further transfer"};
  std::optional<CURLcode> code;
  for (int running = 0; !code;) {
    if (const auto reason = stop.requested())
      return Error{*reason, *reason == Fault::Terminated ? "terminated" : "interrupted"};
    libcurl().multi_perform(m_multi.get(), &running);
    code = ended();
    if (code) break;
    const bool wakes = stop.wake_fd() >= 0;
    curl_waitfd extra{stop.wake_fd(), CURL_WAIT_POLLIN, 0};
    const auto longest = wakes ? k_longest_wait : k_blind_wait;
    libcurl().multi_poll(m_multi.get(), &extra, wakes ? 1 : 0, static_cast<int>(longest.count()),
                         nullptr);
  }
  if (*code == CURLE_OK &&
      libcurl().easy_getinfo(handle, CURLINFO_ACTIVESOCKET, &m_socket) == CURLE_OK &&
      m_socket != CURL_SOCKET_BAD)
    return {};
  libcurl().multi_remove_handle(m_multi.get(), handle);
  (void)m_exchange.finish(*code);
  m_exchange.report();
  return m_error.value_or(Error{Fault::Unexpected, "libcurl has no connection"});
}

Error CurlConnection::broken(CURLcode code) const {
  return Error{Fault::Network,
               std::string("the connection broke: ") + libcurl().easy_strerror(code), "Try again."};
}

Result<std::optional<std::size_t>> CurlConnection::read(std::span<char> into) {
  const NoBrokenPipe guard;
  std::size_t count = 0;
  const CURLcode code = libcurl().easy_recv(m_exchange.handle(), into.data(), into.size(), &count);
  if (code == CURLE_AGAIN) return std::optional<std::size_t>(0);
  if (code != CURLE_OK) return broken(code);
  return count == 0 ? std::nullopt : std::optional(count);
}

Result<std::size_t> CurlConnection::write(std::string_view bytes) {
  const NoBrokenPipe guard;
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
                                                    const Stop& stop) {
  auto connection = std::make_unique<CurlConnection>(request, options);
  SVC_CHECK(connection->open(stop));
  return std::unique_ptr<Connection>(std::move(connection));
}

std::unique_ptr<Transport> make_curl_transport(TransportOptions options) {
  return std::make_unique<CurlTransport>(std::move(options));
}

std::string curl_version_text() {
  return load_curl() ? libcurl().version() : "";
}

}  // namespace svc::http
