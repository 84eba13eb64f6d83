#include <algorithm>
#include <cerrno>
#include <deque>
#include <optional>
#include <unordered_map>
#include <vector>

#include "base/background.h"
#include "http/curl_exchange.h"
#include "http/curl_library.h"

namespace svc::http {
namespace {

using Clock = Exchange::Clock;
using std::chrono::milliseconds;

/// libcurl opens a new connection for each transfer that finds no free slot on the existing ones,
/// even if slots are about to become available. With HTTP/2, this many connections serve hundreds
/// of transfers.
constexpr long k_max_multiplexed = 16;

/// Sets a flag while it exists, also if a receiver throws.
class FlagGuard {
 public:
  explicit FlagGuard(bool& flag) noexcept : m_flag(flag) { m_flag = true; }
  FlagGuard(const FlagGuard&) = delete;
  FlagGuard& operator=(const FlagGuard&) = delete;
  ~FlagGuard() { m_flag = false; }

 private:
  bool& m_flag;
};

class CurlTransport final : public Transport {
 public:
  explicit CurlTransport(TransportOptions options) : m_options(std::move(options)) {}
  ~CurlTransport() override {
    m_ahead.reset();
    for (const auto& [handle, exchange] : m_active)
      libcurl().multi_remove_handle(m_multi.get(), handle);
  }

  Outcome perform(const HttpRequest& request, Receiver& receiver,
                  const CancelToken& cancel) override;
  void start(HttpRequest request, Receiver& receiver, Done done) override {
    m_ahead.reset();
    enqueue(std::make_shared<const HttpRequest>(std::move(request)), receiver, std::move(done));
  }
  void run(const CancelToken& cancel, std::optional<Clock::time_point> until) override {
    drive(cancel, until, nullptr);
  }
  void yield() override { m_yield_requested = true; }
  void connect_ahead(HttpRequest request) override;

 private:
  void enqueue(std::shared_ptr<const HttpRequest> request, Receiver& receiver, Done done) {
    m_queue.push_back(
        std::make_unique<Exchange>(std::move(request), receiver, std::move(done), m_options));
  }
  void drive(const CancelToken& cancel, std::optional<Clock::time_point> until,
             const bool* finished);
  void step();
  [[nodiscard]] Result<void> open_multi();
  void begin_queued();
  void add(std::unique_ptr<Exchange> exchange);
  void forget(const HttpRequest& request) noexcept;
  void collect();
  void learn_version(const Exchange& exchange);
  void pause();
  void end_overdue();
  /// Without `error`, the exchange's own error applies.
  void end(CURL* handle, std::optional<Error> error = std::nullopt);
  void end_all(Fault reason);
  void wait(const CancelToken& cancel, std::optional<Clock::time_point> until);

  TransportOptions m_options;
  std::vector<int> m_sockets{};
  Multi m_multi{};
  std::deque<std::unique_ptr<Exchange>> m_queue{};
  std::unordered_map<CURL*, std::unique_ptr<Exchange>> m_active{};
  Clock::time_point m_next_check = Clock::time_point::max();
  bool m_yield_requested = false;
  bool m_multiplexes = false;
  bool m_in_libcurl = false;  ///< a receiver must not call into libcurl again
  NullReceiver m_null_receiver{};
  bool m_connecting = false;  ///< the connection of connect_ahead()
  /// Works on the connection, until a request needs this object: every public function ends it
  /// first.
  std::optional<Background<bool>> m_ahead{};
};

Outcome CurlTransport::perform(const HttpRequest& request, Receiver& receiver,
                               const CancelToken& cancel) {
  m_ahead.reset();
  Outcome result;
  if (m_in_libcurl) {
    result.error = Error{Fault::Unexpected, "a receiver cannot wait for another request"};
    return result;
  }
  bool finished = false;
  // The caller's request outlives the exchange, so no copy is needed.
  enqueue({std::shared_ptr<void>(), &request}, receiver, [&](Outcome outcome) {
    result = std::move(outcome);
    finished = true;
  });
  try {
    drive(cancel, std::nullopt, &finished);
  } catch (...) {
    forget(request);  // the handle refers to locals of this function
    throw;
  }
  return result;
}

void CurlTransport::connect_ahead(HttpRequest request) {
  m_ahead.reset();
  // The thread must not call other requests' receivers.
  if (m_in_libcurl || !m_queue.empty() || !m_active.empty()) return;
  request.timeouts = {
      .connect = request.timeouts.connect, .total = milliseconds(0), .idle = milliseconds(0)};
  m_connecting = true;
  auto exchange = std::make_unique<Exchange>(
      std::make_shared<const HttpRequest>(std::move(request)), m_null_receiver,
      [this](const Outcome& /*outcome*/) { m_connecting = false; }, m_options);
  exchange->connect_only();
  m_queue.push_back(std::move(exchange));
  m_ahead.emplace([this](const CancelSource& cancel) {
    const SigpipeGuard guard;
    while (m_connecting && !cancel.requested()) {
      step();
      if (m_connecting) wait(cancel, std::nullopt);
    }
    return !m_connecting;
  });
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

void CurlTransport::drive(const CancelToken& cancel, std::optional<Clock::time_point> until,
                          const bool* finished) {
  const SigpipeGuard guard;
  m_ahead.reset();
  m_yield_requested = false;
  for (;;) {
    if (const auto reason = cancel.requested()) return end_all(*reason);
    step();
    if (finished != nullptr && *finished) return;
    if (m_active.empty() && m_queue.empty()) return;
    if (finished == nullptr && m_yield_requested) return;
    if (until && Clock::now() >= *until) return;
    if (m_queue.empty()) wait(cancel, until);
  }
}

void CurlTransport::step() {
  begin_queued();
  if (m_active.empty()) return;
  {
    int running = 0;
    const FlagGuard inside(m_in_libcurl);
    libcurl().multi_perform(m_multi.get(), &running);
  }
  collect();
  pause();
  end_overdue();
}

/// Loads libcurl when there is something to send.
Result<void> CurlTransport::open_multi() {
  if (m_multi) return {};
  SVC_CHECK(load_curl());
  errno = 0;
  m_multi = make_multi();
  if (m_multi) return {};
  // Newer versions refuse to do without a descriptor for wake-ups.
  constexpr const char* k_failed = "libcurl failed to initialise";
  return errno != 0 ? system_error(k_failed, errno) : Error{Fault::Unexpected, k_failed};
}

void CurlTransport::begin_queued() {
  while (!m_queue.empty()) {
    std::unique_ptr<Exchange> exchange = std::move(m_queue.front());
    m_queue.pop_front();
    auto ready = open_multi();
    exchange->track(m_sockets);
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
    exchange->fail(Error{Fault::Unexpected, "libcurl rejected the transfer"});
    exchange->report();
    return;
  }
  m_next_check = std::min(m_next_check, exchange->deadline());
  m_active.emplace(handle, std::move(exchange));
}

/// Finishes the transfers that libcurl has completed. Each exchange is removed from the tables
/// before its `done` is called, because `done` may start others.
void CurlTransport::collect() {
  int left = 0;
  while (const CURLMsg* message = libcurl().multi_info_read(m_multi.get(), &left)) {
    if (message->msg != CURLMSG_DONE) continue;
    CURL* handle = message->easy_handle;
    const CURLcode code = message->data.result;
    // With this option set, libcurl would close the connection.
    libcurl().easy_setopt(handle, CURLOPT_CONNECT_ONLY, 0L);
    libcurl().multi_remove_handle(m_multi.get(), handle);
    auto node = m_active.extract(handle);
    std::unique_ptr<Exchange> exchange = std::move(node.mapped());
    learn_version(*exchange);
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

void CurlTransport::learn_version(const Exchange& exchange) {
  if (m_multiplexes || !exchange.answered_by_http2()) return;
  m_multiplexes = true;
  libcurl().multi_setopt(m_multi.get(), CURLMOPT_MAX_HOST_CONNECTIONS, k_max_multiplexed);
}

void CurlTransport::end(CURL* handle, std::optional<Error> error) {
  auto node = m_active.extract(handle);
  if (node.empty()) return;  // a `done` has already finished it
  libcurl().multi_remove_handle(m_multi.get(), handle);
  if (error) node.mapped()->fail(*std::move(error));
  node.mapped()->report();
}

/// libcurl has delivered all received data.
void CurlTransport::pause() {
  std::vector<CURL*> ended;
  {
    const FlagGuard inside(m_in_libcurl);
    for (const auto& [handle, exchange] : m_active) {
      if (!exchange->pause()) ended.push_back(handle);
    }
  }
  for (CURL* handle : ended) end(handle);
}

void CurlTransport::end_overdue() {
  const auto now = Clock::now();
  // Activity only postpones deadlines, so nothing is due before the earliest deadline found in the
  // last check.
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
  const Error error = canceled(reason);
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

void CurlTransport::wait(const CancelToken& cancel, std::optional<Clock::time_point> until) {
  const auto now = Clock::now();
  auto longest = poll_timeout(cancel);
  const auto shorten = [&](Clock::time_point moment) {
    const auto left = std::chrono::ceil<milliseconds>(moment - now);
    longest = std::clamp(left, milliseconds(0), longest);
  };
  if (m_next_check != Clock::time_point::max()) shorten(m_next_check);
  if (until) shorten(*until);
  wait_for_libcurl(m_multi, cancel, longest);
}

}  // namespace

std::unique_ptr<Transport> make_curl_transport(TransportOptions options) {
  return std::make_unique<CurlTransport>(std::move(options));
}

std::string curl_version_text() {
  return load_curl() ? libcurl().version() : "";
}

}  // namespace svc::http
