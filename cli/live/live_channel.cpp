#include "live/live_channel.h"

#include <algorithm>
#include <utility>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "base/counted.h"
#include "base/text.h"
#include "base/wait.h"
#include "catalogue/local_commands_fields.h"
#include "catalogue/realtime_session_fields.h"
#include "client/api_error.h"
#include "client/credentials.h"
#include "operation/plan.h"
#include "operation/results.h"
#include "operation/runner.h"
#include "session/secret_value.h"
#include "websocket/handshake.h"

namespace svc::cli {
namespace {

using SocketFlags = Flags<catalogue::realtime::k_socket_fields>;
using RawSocketFlags = Flags<catalogue::tool_commands::k_api_fields>;

using std::chrono::milliseconds;
using websocket::ReceivedKind;

/// How long to wait for an error to end the connection.
constexpr milliseconds k_verdict{500};

/// The delay before the next attempt.
milliseconds retry_pause(int attempts) {
  return std::min(milliseconds(500) * (1 << std::clamp(attempts, 0, 10)), milliseconds(8'000));
}

/// Whether a refusal may be temporary: the service is overloaded or has failed.
bool may_pass(const Error& refusal) {
  return refusal.http_status == 429 || refusal.http_status >= 500;
}

/// Prefix of a client secret used in place of the API key.
constexpr sv k_secret_protocol = "svc-client-secret.";

/// How this session opens channels: its time limits, and its trace with -v.
websocket::ChannelOptions channel_options(Session& session) {
  websocket::ChannelOptions options;
  options.transport.user_agent = "svc/" SVC_VERSION;
  if (session.globals().verbose) {
    options.transport.trace = [&session](sv line) { session.notices().detail(line); };
  }
  options.connect = timeouts_of(session.settings()).connect;
  // A peer that answers no ping is gone; one that has nothing to say is not.
  options.idle_timeout = std::min(options.idle_timeout, timeouts_of(session.settings()).idle);
  options.ping_interval = options.idle_timeout / 2;
  return options;
}

websocket::ChannelOptions without_trace(websocket::ChannelOptions options) {
  options.transport.trace = nullptr;
  return options;
}

/// The handshake of a prepared request, with the key, or the client secret of --protocol-secret,
/// and what --subprotocol offers. Starts the emulator where it is meant.
Result<websocket::OpenRequest> socket_request(Session& session, const request::Request& request) {
  SVC_CHECK(session.cost_tracker().may_spend(session.cancel_token()));
  SVC_CHECK(session.ensure_emulator());
  websocket::OpenRequest open{
      .url = request.url,
      .headers = request.headers,
      .subprotocols = RawSocketFlags(session.inputs()).get<"subprotocol">()};
  if (open.url.starts_with('/')) {  // it was prepared before there was an emulator
    SVC_TRY(base, session.base_url(Host::Realtime));
    open.url = base + open.url;
  }
  SVC_TRY(secret,
          read_secret_flag(session, SocketFlags(session.inputs()).get<"protocol-secret">()));
  if (secret) {
    SVC_CHECK(check_key("--protocol-secret", *secret));
    open.subprotocols.push_back(fmt::format("{}{}", k_secret_protocol, *secret));
  } else {
    SVC_TRY(bearer, session.key(Host::Realtime));
    open.bearer = bearer;
  }
  return open;
}

/// The channel, or the service's refusal as its error.
Result<std::unique_ptr<websocket::WebSocket>> channel_of(websocket::OpenResult opening,
                                                         std::span<const std::string> secrets) {
  if (opening.channel == nullptr) return api_error(opening.head, opening.refusal, secrets);
  return std::move(opening.channel);
}

}  // namespace

Result<LivePlan> LivePlan::make(Session& session, const request::Request& request) {
  SVC_TRY(open, socket_request(session, request));
  LivePlan plan{.request = std::move(open), .channel = channel_options(session)};
  const Settings& settings = session.settings();
  if (settings.retries.origin != Origin::BuiltIn) plan.retries = retries_of(settings);
  return plan;
}

Result<void> LiveChannel::run(const std::function<void()>& begin,
                              const std::function<Result<void>()>& step,
                              const std::function<bool()>& is_over) {
  SVC_TRY(opening,
          websocket::open_channel(m_plan.request, m_plan.channel, m_session.cancel_token()));
  SVC_TRY(channel, channel_of(std::move(opening), m_session.secrets()));
  m_finish.emplace();
  connected(std::move(channel));
  begin();
  Result<void> ended;
  while (ended && !is_over()) ended = step();
  if (m_channel) say_goodbye(*m_channel, ended ? websocket::k_normal_closure : 1001);
  return ended;
}

void LiveChannel::connected(std::unique_ptr<websocket::WebSocket> channel) {
  m_channel = std::move(channel);
  m_greeted_by = Clock::now() + m_plan.greeting;
}

bool LiveChannel::send(websocket::Message message) {
  return m_channel && m_channel->send(std::move(message));
}

Result<websocket::Received> LiveChannel::wait(std::optional<Clock::time_point> until,
                                              std::vector<int> others) {
  const auto at_latest = [&until](Clock::time_point moment) {
    until = until ? std::min(*until, moment) : moment;
  };
  if (!m_channel && !m_connector) at_latest(m_retry);
  if (m_channel && m_greeted_by) at_latest(*m_greeted_by);
  if (!m_error_text.empty()) at_latest(m_error_at + k_verdict);
  if (m_end) at_latest(*m_end);
  if (m_finish) others.push_back(m_finish->wake_fd());
  if (m_connector) others.push_back(m_connector->descriptor());
  if (m_channel) return m_channel->receive(m_session.cancel_token(), until, others);
  std::vector<pollfd> waits;
  for (const int fd : others) waits.push_back({fd, POLLIN, 0});
  SVC_TRY(ready, svc::wait(waits, until, m_session.cancel_token()));
  return websocket::Received{.what = ready ? ReceivedKind::Ready : ReceivedKind::Nothing};
}

Result<LiveChannel::Change> LiveChannel::on_time() {
  report_blame();
  if (!m_channel) return advance();
  if (!m_greeted_by || Clock::now() < *m_greeted_by) return Change::None;
  Error late{Fault::Timeout,
             fmt::format("the service did not confirm within {} {}",
                         format_duration(m_plan.greeting), m_plan.ready),
             "Try again, or use --verbose to see the handshake."};
  if (m_attempts == 0) return late;
  SVC_CHECK(disconnect(std::move(late)));
  return Change::Lost;
}

Result<void> LiveChannel::disconnect(Error error) {
  m_channel.reset();
  if (m_attempts >= m_plan.retries) {
    if (m_attempts > 0) {
      error.message +=
          fmt::format("; {} to reconnect failed", counted(m_attempts, "attempt", "attempts"));
    }
    return error;
  }
  if (m_attempts > 0) {
    m_session.notices().detail(error.message);
  } else {
    sv said = error.message;
    if (said.ends_with('.')) said.remove_suffix(1);
    m_warn(fmt::format("{}; reconnecting, {}{}", said, m_plan.meanwhile,
                       m_plan.key ? "; press r to reconnect now" : ""));
  }
  m_retry = Clock::now() + retry_pause(m_attempts);
  return {};
}

void LiveChannel::renew() {
  if (m_channel) say_goodbye(*m_channel, 1001);
  m_channel.reset();
  m_connector.reset();
  m_attempts = 0;
  m_retry = Clock::now();
}

Result<LiveChannel::Change> LiveChannel::advance() {
  if (m_connector && m_connector->over()) {
    auto opening = std::move(m_connector->result());
    m_connector.reset();
    if (!opening) {
      SVC_CHECK(disconnect(std::move(opening).error()));
      return Change::None;
    }
    auto channel = channel_of(*std::move(opening), m_session.secrets());
    if (channel) {
      connected(*std::move(channel));
      return Change::Connected;
    }
    if (!may_pass(channel.error())) return std::move(channel).error();
    SVC_CHECK(disconnect(std::move(channel).error()));
  } else if (!m_connector && Clock::now() >= m_retry) {
    ++m_attempts;
    // The trace would write to a stream that this thread uses.
    m_connector.emplace([request = m_plan.request,
                         options = without_trace(m_plan.channel)](const CancelToken& cancel) {
      return websocket::open_channel(request, options, cancel);
    });
  }
  return Change::None;
}

bool LiveChannel::works() noexcept {
  greeted();
  return std::exchange(m_attempts, 0) > 0;
}

void LiveChannel::record_error(std::string text, std::string type, bool ends) {
  m_error_text = std::move(text);
  m_error_type = std::move(type);
  m_error_ends = ends;
  m_error_at = Clock::now();
}

void LiveChannel::report_blame(bool all) {
  if (m_error_text.empty() || (!all && Clock::now() < m_error_at + k_verdict)) return;
  m_warn(fmt::format("the service reported: {}", shown_message(std::exchange(m_error_text, {}))));
}

LiveChannel::End LiveChannel::take_end(const websocket::Close& close) {
  const std::string said = m_error_ends ? std::exchange(m_error_text, {}) : std::string();
  m_channel.reset();
  End end{.error = websocket::close_error(close), .said = !said.empty()};
  if (!end.said) return end;
  end.type = std::exchange(m_error_type, {});
  if (closed_in_order(close)) end.error.fault = Fault::Service;
  end.error.message = fmt::format("the service ended {}: {}", m_plan.what, shown_message(said));
  return end;
}

void LiveChannel::stop_within(Clock::duration time) {
  if (!m_end) m_end = Clock::now() + time;
  m_finish.reset();  // the next Ctrl-C exits immediately
}

Result<void> show_socket(Session& session, request::Request request) {
  if (session.globals().estimate) {
    return usage_error("the cost of a live session depends on how long it lasts");
  }
  std::vector<std::string> offered = RawSocketFlags(session.inputs()).get<"subprotocol">();
  if (const auto secret = SocketFlags(session.inputs()).get<"protocol-secret">()) {
    SVC_TRY(source, request::parse_secret_source(*secret->field, secret->text));
    request.variables.push_back(
        {request::placeholder_id("secret"), request::secret_variable(*secret->field, source)});
    offered.push_back(fmt::format("{}{}", k_secret_protocol, request.variables.back().mark));
    request.keyless = true;
  }
  // What is added here may not be given.
  SVC_CHECK(websocket::Handshake::make({.url = "wss://host/", .headers = request.headers}, {}));
  request.headers.insert(request.headers.begin(),
                         {{"Connection", "Upgrade"},
                          {"Upgrade", "websocket"},
                          {"Sec-WebSocket-Version", "13"},
                          {"Sec-WebSocket-Key", "dGhlIHNhbXBsZSBub25jZQ=="}});
  if (!offered.empty()) {
    request.headers.push_back(
        {"Sec-WebSocket-Protocol", fmt::format("{}", fmt::join(offered, ", "))});
  }
  if (session.globals().curl && request.url.starts_with("ws")) request.url.replace(0, 2, "http");
  if (session.globals().curl) request.body = {};  // curl does not send messages
  SVC_CHECK(approve(session, request));
  return {};
}

Result<std::unique_ptr<websocket::WebSocket>> open_socket(Session& session,
                                                          const request::Request& request) {
  SVC_TRY(open, socket_request(session, request));
  SVC_TRY(opening, websocket::open_channel(open, channel_options(session), session.cancel_token()));
  return channel_of(std::move(opening), session.secrets());
}

bool may_come_back(const websocket::Close& close) {
  if (close.code == websocket::k_abnormal_closure) return true;
  // RFC 6455 §7.4.1 and its registry: internal error, service restart, try again later.
  return !close.closed_locally && (close.code == 1011 || close.code == 1012 || close.code == 1013);
}

bool closed_in_order(const websocket::Close& close) {
  constexpr std::uint16_t k_going_away = 1001;
  return close.code == websocket::k_normal_closure || close.code == k_going_away ||
         close.code == websocket::k_no_status;
}

void say_goodbye(websocket::WebSocket& channel, std::uint16_t code) {
  channel.close(code);
  const NeverCanceled nobody;
  const auto until = websocket::WebSocket::Clock::now() +
                     std::chrono::milliseconds(code == websocket::k_normal_closure ? 500 : 50);
  while (websocket::WebSocket::Clock::now() < until) {
    const auto got = channel.receive(nobody, until);
    if (!got || got->what == websocket::ReceivedKind::Closed) break;
  }
}

}  // namespace svc::cli
