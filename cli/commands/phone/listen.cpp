// `svc phone listen`: receives and verifies the webhooks of phone calls.
#include <algorithm>
#include <array>

#include <fmt/format.h>
#include <sys/resource.h>

#include "base/clock.h"
#include "base/counted.h"
#include "base/file_descriptor.h"
#include "base/text.h"
#include "base/wait.h"
#include "catalogue/phone_fields.h"
#include "commands/command.h"
#include "commands/phone/listen_programs.h"
#include "http/url.h"
#include "json/text.h"
#include "live/jsonl_session.h"
#include "session/secret_value.h"
#include "terminal/signals.h"

namespace svc::cli {
namespace {

using ListenFlags = Flags<catalogue::phone::k_listen_fields>;

using webhook::Verification;
using Clock = std::chrono::steady_clock;

/// Rejected deliveries reported per second, so that a hostile sender cannot flood the screen.
constexpr std::size_t k_status_meanings = 20;
constexpr auto k_refusal_pause = std::chrono::seconds(1);
constexpr auto k_look = std::chrono::seconds(5);

/// Raises the limit of open files, so that every allowed connection can be accepted.
void allow_many_connections() {
  rlimit limit{};
  if (::getrlimit(RLIMIT_NOFILE, &limit) != 0) return;
  limit.rlim_cur = std::min<rlim_t>(limit.rlim_max, std::max<rlim_t>(limit.rlim_cur, 4'096));
  (void)::setrlimit(RLIMIT_NOFILE, &limit);
}

/// Receives deliveries and prints events.
class PhoneListener {
 public:
  /// `token` is the bearer token that deliveries must have; "" if none is required.
  PhoneListener(Session& session, webhook::Verifier verifier, std::string token,
                webhook::ReceiverOptions options)
      : m_session(session),
        m_flags(session.inputs()),
        m_verifier(std::move(verifier)),
        m_options(std::move(options)),
        m_token(std::move(token)),
        m_output(session, false),
        m_programs(session, m_queue),
        m_wanted(listen_number(m_flags.get<"events">(), UINT64_MAX)),
        m_left(m_wanted) {}
  PhoneListener(const PhoneListener&) = delete;
  PhoneListener& operator=(const PhoneListener&) = delete;
  ~PhoneListener() {
    m_queue.close();
    stop_serving();
  }

  Result<void> run() {
    if (const auto directory = m_flags.get<"store">()) {
      SVC_TRY(store, DeliveryStore::open(*directory));
      m_destination = std::move(store);
    }
    m_options.refused = [this](const webhook::HttpReply& answer) { report_refusal({}, answer); };
    SVC_TRY(receiver, webhook::WebhookServer::open(m_options));
    m_session.notices().note(fmt::format("listening on {}", receiver.url()));
    m_thread = std::thread([this, &receiver] {
      m_served = receiver.serve(m_cancel, [this](auto& request) { return answer(request); });
      m_over = true;
      m_queue.wake();
    });
    if (const auto command = m_flags.get<"tunnel">()) {
      m_tunnel.emplace(*command, receiver.port(), m_options.path, m_queue);
    }
    const Result<void> ended = loop();
    m_queue.close();
    m_tunnel.reset();
    stop_serving();
    SVC_CHECK(print_waiting());
    print_refusals(SIZE_MAX);
    SVC_CHECK(m_output.finish());
    return ended ? m_served : ended;
  }

 private:
  // Runs on the receiver's thread.

  webhook::HttpReply answer(const webhook::HttpRequest& delivery) {
    const std::int64_t now = unix_now();
    webhook::HttpReply answer = judge(delivery, now);
    if (answer.status == 204 && !m_replays.claim(delivery.id)) return answer;
    if (m_destination) {
      const auto stored = m_destination->save(delivery, now, answer);
      if (!stored && answer.status == 204) {
        // Rejected if it cannot be stored: the sender will retry.
        m_replays.drop(delivery.id);
        m_queue.refuse(stored.error().message);
        answer = {503, "it could not be stored"};
      }
    }
    if (answer.status != 204) {
      report_refusal(delivery.id, answer);
    } else {
      ++m_taken;
      (void)m_queue.put({ListenEvent::Kind::Delivery, delivery.body});
    }
    return answer;
  }

  webhook::HttpReply judge(const webhook::HttpRequest& delivery, std::int64_t now) const {
    const Verification verification = m_verifier.verify(delivery, now);
    if (verification != Verification::Valid) {
      const bool unknown = verification == Verification::WrongSignature ||
                           verification == Verification::TooOld ||
                           verification == Verification::TooNew;
      return {unknown ? 401 : 400, webhook::describe(verification, delivery, now)};
    }
    if (!m_token.empty() && !webhook::is_bearer(delivery.authorization, m_token)) {
      return {401, "its signature is valid, but its bearer token is missing or wrong"};
    }
    if (check_json(delivery.body)) {
      return {400, "its signature is valid, but its body is not JSON"};
    }
    if (m_replays.contains(delivery.id))
      return {};  // already accepted, but the sender did not get the response
    if (m_taken == m_wanted) return {503, "the --events limit has been reached"};
    if (!m_queue.has_room()) return {503, "too many deliveries are queued"};
    return {};
  }

  void report_refusal(const std::string& id, const webhook::HttpReply& answer) {
    m_queue.refuse(fmt::format("{} ({}answered {})", answer.reason,
                               id.empty() ? "" : fmt::format("id {}, ", shown(id)), answer.status));
  }

  // Runs on the printing thread.

  Result<void> loop() {
    while (m_left > 0 && !m_finish.requested()) {
      wait();
      if (const auto fault = m_session.cancel_token().requested()) return canceled(*fault);
      SVC_CHECK(print_waiting());
      if (m_over) break;
    }
    stop_serving();
    SVC_CHECK(print_waiting());
    return wait_for_programs();
  }

  /// Waits for running programs. A further Ctrl-C, after the one that stopped listening, stops
  /// them.
  Result<void> wait_for_programs() {
    const bool calls = m_flags.is_true<"answer">();
    const auto tell = [&](sv how) {
      m_session.notices().note(fmt::format(
          "no longer accepting deliveries; waiting for {} to finish{}",
          counted(m_programs.count(), calls ? "call" : "program", calls ? "calls" : "programs"),
          how));
    };
    bool asked = m_finish.requested().has_value();
    if (m_programs.count() > 0) tell(asked ? " (press Ctrl-C again to stop now)" : "");
    while (m_programs.count() > 0) {
      wait();
      if (const auto fault = m_session.cancel_token().requested()) return canceled(*fault);
      SVC_CHECK(print_waiting());
      if (!asked && m_finish.requested()) tell(" (press Ctrl-C again to stop now)");
      asked = m_finish.requested().has_value();
    }
    return {};
  }

  void wait() {
    std::array<pollfd, 3> waits = {
        pollfd{m_queue.descriptor(), POLLIN, 0}, pollfd{m_programs.descriptor(), POLLIN, 0},
        pollfd{m_finish.requested() ? -1 : m_finish.wake_fd(), POLLIN, 0}};
    const Deadline until =
        m_refused >= k_status_meanings ? m_next_refusals : Deadline(Clock::now() + k_look);
    (void)svc::wait(waits, until, m_session.cancel_token());
    m_queue.quiet();
    m_programs.quiet();
  }

  Result<void> print_waiting() {
    while (const auto event = m_queue.take()) SVC_CHECK(show_event(*event));
    if (Clock::now() >= m_next_refusals) {
      m_refused = 0;
      m_next_refusals = Clock::now() + k_refusal_pause;
    }
    print_refusals(k_status_meanings - m_refused);
    return {};
  }

  void print_refusals(std::size_t most) {
    const auto [reasons, more] = m_queue.take_refusals(most);
    m_refused += reasons.size();
    for (const std::string& reason : reasons) {
      m_session.notices().warning(fmt::format("delivery rejected: {}", reason));
    }
    if (more > 0)
      m_session.notices().warning(fmt::format("{} more deliveries were rejected", more));
  }

  [[nodiscard]] Result<void> show_event(const ListenEvent& event) {
    switch (event.kind) {
      case ListenEvent::Kind::Note:
        m_session.notices().note(event.text);
        return {};
      case ListenEvent::Kind::Failed:
        if (m_cancel.requested()) return {};  // no longer needed
        return Error{Fault::Local, event.text,
                     "Run the tunnel command yourself to see its error; without --tunnel, forward "
                     "deliveries another way."};
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
  ListenFlags m_flags;
  webhook::Verifier m_verifier;
  webhook::ReceiverOptions m_options;
  std::optional<DeliveryStore> m_destination{};  ///< used by the receiver's thread once it runs
  std::string m_token;
  webhook::ReplayStore m_replays{};  ///< used by the receiver's thread
  ListenQueue m_queue{};
  JsonlWriter m_output;
  FinishOnInterrupt m_finish{};
  CancelSource m_cancel{};
  std::atomic<bool> m_over = false;
  Result<void> m_served{};  ///< used by the receiver's thread until it is joined
  std::size_t m_refused{};  ///< reported in the current second
  Clock::time_point m_next_refusals{};
  ListenPrograms m_programs;  ///< destroyed before the queue, to which its threads write
  std::uint64_t m_wanted;     ///< constant once the thread runs
  std::uint64_t m_taken = 0;  ///< used by the receiver's thread
  std::uint64_t m_left;
  std::thread m_thread{};  ///< runs the receiver; ended by stop_serving()
  std::optional<Tunnel> m_tunnel{};
};

Result<void> check_tunnel(const ListenFlags& flags) {
  const auto command = flags.get<"tunnel">();
  if (!command || command->find("{port}") != std::string::npos || flags.get<"port">()) return {};
  return usage_error(
      fmt::format("--tunnel '{}' does not contain {{port}}", shown(*command)),
      "Write {port} where the program expects the local port, or set a fixed one with --port.");
}

Result<webhook::ReceiverOptions> receiver_options(const ListenFlags& flags) {
  webhook::ReceiverOptions options;
  options.address = flags.get<"address">().value_or(options.address);
  options.path = flags.get<"path">().value_or(options.path);
  options.port = static_cast<std::uint16_t>(flags.get<"port">().value_or(0));
  if (!options.path.starts_with('/') || options.path.find_first_of("?# ") != std::string::npos) {
    return usage_error(
        fmt::format("--path must be a path such as /calls, not '{}'", shown(options.path)));
  }
  return options;
}

}  // namespace

template <>
Result<void> run<Handler::PhoneListen>(Session& session) {
  const ListenFlags flags(session.inputs());
  SVC_TRY(options, receiver_options(flags));
  SVC_CHECK(check_answering(session));
  SVC_TRY(verifier, webhook_verifier(session));
  SVC_TRY(token, read_secret_flag(session, flags.get<"auth-token">()));
  if (!http::is_loopback_host(options.address)) {
    session.notices().warning(
        "other machines can connect, and traffic is not encrypted: put an HTTPS proxy in front");
  }
  SVC_CHECK(check_tunnel(flags));
  allow_many_connections();
  return PhoneListener(session, std::move(verifier), token.value_or(""), std::move(options)).run();
}

}  // namespace svc::cli
