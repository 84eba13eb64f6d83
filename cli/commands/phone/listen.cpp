// `svc phone listen`: receives the webhooks that tell of phone calls.
#include "commands/phone/listen.h"

#include <algorithm>
#include <array>
#include <atomic>
#include <memory>

#include <fmt/format.h>
#include <sys/resource.h>

#include "base/clock.h"
#include "base/file_descriptor.h"
#include "base/text.h"
#include "base/wait.h"
#include "commands/registry.h"
#include "json/text.h"
#include "live/jsonl_writer.h"
#include "session/secret_value.h"
#include "terminal/signals.h"

namespace svc::cli {
namespace {

using webhook::Finding;
using Clock = std::chrono::steady_clock;

/// Refusals are told so often at most: a hostile sender does not fill anybody's screen.
constexpr auto k_refusal_pause = std::chrono::seconds(1);
constexpr auto k_look = std::chrono::seconds(5);

/// As many as connections may be open, and some.
void allow_many_connections() {
  rlimit limit{};
  if (::getrlimit(RLIMIT_NOFILE, &limit) != 0) return;
  limit.rlim_cur = std::min<rlim_t>(limit.rlim_max, std::max<rlim_t>(limit.rlim_cur, 4'096));
  (void)::setrlimit(RLIMIT_NOFILE, &limit);
}

bool is_loopback_address(sv address) {
  return address.starts_with("127.") || address == "::1";
}

/// Serves, and prints what comes.
class PhoneListener {
 public:
  /// `token` is the bearer token that deliveries must bring; "" when none.
  PhoneListener(Session& session, webhook::Verifier verifier, std::string token,
                webhook::Receiver receiver)
      : m_session(session),
        m_verifier(std::move(verifier)),
        m_receiver(std::move(receiver)),
        m_token(std::move(token)),
        m_output(session, false),
        m_programs(session, m_queue),
        m_wanted(listen_number(session, "events", UINT64_MAX)),
        m_left(m_wanted) {}
  PhoneListener(const PhoneListener&) = delete;
  PhoneListener& operator=(const PhoneListener&) = delete;
  ~PhoneListener() {
    m_queue.close();
    stop_serving();
  }

  Result<void> run() {
    m_session.notices().note(fmt::format("listening on {}", m_receiver.url()));
    m_thread = std::thread([this] {
      m_served = m_receiver.serve(m_cancel, [this](auto& request) { return judge(request); });
      m_over = true;
      m_queue.wake();
    });
    const Result<void> ended = loop();
    stop_serving();
    SVC_CHECK(print_waiting());
    SVC_CHECK(m_output.finish());
    return ended ? m_served : ended;
  }

 private:
  // On the receiver's thread.

  int judge(webhook::HttpRequest& request) {
    const std::int64_t now = unix_now();
    const webhook::Delivery delivery{.id = std::move(request.id),
                                     .timestamp = std::move(request.timestamp),
                                     .signature = std::move(request.signature),
                                     .body = std::move(request.body)};
    const Finding finding = m_verifier.verify(delivery, now);
    if (finding != Finding::Genuine) {
      m_queue.refuse(webhook::describe(finding, delivery, now));
      return finding == Finding::WrongSignature || finding == Finding::TooOld ||
                     finding == Finding::TooNew
                 ? 401
                 : 400;
    }
    if (!m_token.empty() && !webhook::is_bearer(request.authorization, m_token)) {
      m_queue.refuse("its signature is good, but it does not bring the bearer token");
      return 401;
    }
    if (check_json(delivery.body)) {
      m_queue.refuse("its signature is good, but its body is not JSON");
      return 400;
    }
    // Not remembered as taken before there is a place for it: the sender comes again.
    if (!m_queue.has_room() || m_taken == m_wanted) return 503;
    if (!m_replays.take(delivery.id)) return 204;
    ++m_taken;
    (void)m_queue.put({ListenEvent::Kind::Delivery, delivery.body});
    return 204;
  }

  // On the thread that prints.

  Result<void> loop() {
    while (m_left > 0 && !m_finish.asked()) {
      wait();
      if (const auto fault = m_session.cancel_token().requested()) return cancelled(*fault);
      SVC_CHECK(print_waiting());
      if (m_over) break;
    }
    stop_serving();
    SVC_CHECK(print_waiting());
    if (const std::size_t count = m_programs.count(); count > 0) {
      m_session.notices().note(
          fmt::format("waiting for {}; Ctrl-C does not wait",
                      count == 1 ? std::string("a program") : fmt::format("{} programs", count)));
    }
    while (m_programs.count() > 0) {
      wait();
      if (const auto fault = m_session.cancel_token().requested()) return cancelled(*fault);
      SVC_CHECK(print_waiting());
    }
    return {};
  }

  void wait() {
    std::array<pollfd, 3> waits = {
        pollfd{m_queue.descriptor(), POLLIN, 0}, pollfd{m_programs.descriptor(), POLLIN, 0},
        pollfd{m_finish.asked() ? -1 : m_finish.descriptor(), POLLIN, 0}};
    const WaitEnd until = m_refused > 0 ? m_tell_refusals : WaitEnd(Clock::now() + k_look);
    (void)svc::wait(waits, until, m_session.cancel_token());
    m_queue.quiet();
    m_programs.quiet();
  }

  Result<void> print_waiting() {
    while (const auto event = m_queue.take()) SVC_CHECK(show_event(*event));
    const auto [count, reason] = m_queue.take_refusals();
    m_refused += count;
    if (count > 0) m_reason = reason;
    if (m_refused == 0 || Clock::now() < m_tell_refusals) return {};
    const std::string more =
        m_refused > 1 ? fmt::format(" ({} deliveries were refused)", m_refused) : std::string();
    m_session.notices().warning(fmt::format("a delivery was refused: {}{}", m_reason, more));
    m_refused = 0;
    m_tell_refusals = Clock::now() + k_refusal_pause;
    return {};
  }

  Result<void> show_event(const ListenEvent& event) {
    switch (event.kind) {
      case ListenEvent::Kind::Note:
        m_session.notices().note(event.text);
        return {};
      case ListenEvent::Kind::Line:
        return m_output.message(false, event.text);
      case ListenEvent::Kind::Said:
        SVC_CHECK(m_session.write_foreign(event.text + "\n"));
        return m_session.out().flush();
      case ListenEvent::Kind::Delivery:
        break;
    }
    SVC_CHECK(m_output.message(false, event.text));
    m_programs.start(event.text);
    if (m_left != UINT64_MAX) --m_left;
    return {};
  }

  void stop_serving() {
    m_cancel.cancel();
    if (m_thread.joinable()) m_thread.join();
  }

  Session& m_session;
  webhook::Verifier m_verifier;
  webhook::Receiver m_receiver;
  std::string m_token;
  webhook::ReplayStore m_replays{};  ///< the receiver's thread
  ListenQueue m_queue{};
  JsonlWriter m_output;
  FinishOnInterrupt m_finish{};
  CancelSource m_cancel{};
  std::atomic<bool> m_over = false;
  Result<void> m_served{};  ///< the receiver's thread's until it is joined
  std::size_t m_refused = 0;
  std::string m_reason{};
  Clock::time_point m_tell_refusals{};
  ListenPrograms m_programs;  ///< ends before the queue, to which its threads write
  std::uint64_t m_wanted;     ///< not changed once the thread runs
  std::uint64_t m_taken = 0;  ///< the receiver's thread
  std::uint64_t m_left;
  std::thread m_thread{};  ///< serves; stop_serving() ends it
};

Result<webhook::ReceiverOptions> receiver_options(Session& session) {
  const Invocation& invocation = session.invocation();
  webhook::ReceiverOptions options;
  options.address = invocation.value("address").value_or(options.address);
  options.path = invocation.value("path").value_or(options.path);
  options.port =
      static_cast<std::uint16_t>(parse_integer(invocation.value("port").value_or("0")).value_or(0));
  if (!options.path.starts_with('/') || options.path.find_first_of("?# ") != std::string::npos) {
    return usage_error(
        fmt::format("--path takes a path such as /calls, not '{}'", shown(options.path)));
  }
  return options;
}

}  // namespace

Result<void> run_phone_listen(Session& session) {
  SVC_TRY(options, receiver_options(session));
  SVC_CHECK(check_answering(session));
  SVC_TRY(verifier, webhook_verifier(session));
  SVC_TRY(token, secret_flag(session, "auth-token"));
  if (!is_loopback_address(options.address)) {
    session.notices().warning(
        "other machines can connect, and what they send can be read on the way: https needs a "
        "proxy in front");
  }
  allow_many_connections();
  SVC_TRY(receiver, webhook::Receiver::open(std::move(options)));
  return PhoneListener(session, std::move(verifier), token.value_or(""), std::move(receiver)).run();
}

}  // namespace svc::cli
