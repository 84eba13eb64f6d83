#include "svc/client.h"

#include <unordered_set>

#include <fmt/format.h>

#include "base/clock.h"
#include "base/text.h"
#include "catalogue/catalogue.h"
#include "catalogue/shared_fields.h"
#include "client/list_items.h"
#include "json/slices.h"
#include "request/flags.h"
#include "svc/impl/call.h"
#include "svc/impl/socket.h"
#include "svc/webhook.h"
#include "webhook/signature.h"

namespace svc::v0 {
namespace {

using PageFlags = svc::Flags<catalogue::k_page_fields>;
using WaitFlags = svc::Flags<catalogue::k_wait_fields>;

/// The settings of options, as flags of the program.
svc::Overrides overrides_of(const Options& options) {
  svc::Overrides flags;
  const auto set = [&flags](const char* name, const std::string& value) {
    if (!value.empty()) flags[name] = value;
  };
  const auto set_time = [&set](const char* name, std::optional<std::chrono::milliseconds> time) {
    if (time) set(name, fmt::format("{}ms", time->count()));
  };
  set("profile", options.profile);
  set("base-url", options.base_url);
  set("management-url", options.management_url);
  set("realtime-url", options.realtime_url);
  set("docs-url", options.docs_url);
  set("team-id", options.team_id);
  set_time("timeout", options.timeout);
  set_time("connect-timeout", options.connect_timeout);
  set_time("idle-timeout", options.idle_timeout);
  if (options.retries) set("retries", std::to_string(*options.retries));
  return flags;
}

/// The program's guard against costs is not in the library: a limit that would be ignored is
/// refused.
svc::Result<void> check_cost_limits(const Options& options, const svc::Settings& settings) {
  if (options.ignore_cost_limits) return {};
  for (const auto& [name, limit] : {std::pair("max_cost", &settings.max_cost),
                                    std::pair("max_cost_per_day", &settings.max_cost_per_day)}) {
    if (!limit->is_set()) continue;
    return svc::usage_error(
        fmt::format("{} ({}) limits costs to {} US dollars, which libsvc does not enforce", name,
                    limit->source(), limit->value),
        "Use a profile without limits of costs, or set Options::ignore_cost_limits to go on "
        "without them.");
  }
  return {};
}

svc::Result<std::shared_ptr<Client::State>> open_state(const Options& options) {
  auto state = std::make_shared<Client::State>();
  if (options.environment) state->environment = svc::Environment::of_process();
  if (options.environment || !options.profile.empty()) {
    SVC_TRY(file, svc::ConfigFile::load_default());
    state->config = std::move(file);
  }
  SVC_TRY(settings,
          svc::resolve_settings(overrides_of(options), state->environment, state->config));
  state->settings = std::move(settings);
  if (state->settings.wants_emulator()) {
    return svc::usage_error(
        "the profile emulator is only for the program, which starts an emulator itself",
        "Start svc-emulator, and open a client with the URLs and keys that it prints.");
  }
  SVC_CHECK(check_cost_limits(options, state->settings));
  if (!options.model.empty()) state->settings.model = {options.model, svc::Origin::Flag, "model"};
  for (const auto& [kind, key] : {std::pair(KeyKind::Inference, options.api_key),
                                  std::pair(KeyKind::Management, options.management_key)}) {
    if (key.empty()) continue;
    SVC_CHECK(svc::check_key(kind == KeyKind::Inference ? "api_key" : "management_key", key));
    state->given_keys[kind] = key;
  }
  state->transport.user_agent =
      options.user_agent.empty() ? "libsvc/" SVC_VERSION : options.user_agent;
  state->transport.ca_file = options.ca_file;
  state->transport.environment = options.environment;
  return state;
}

/// An operation that can be called: not a command of the program, nor a socket.
svc::Result<const Operation*> find_request(sv name) {
  SVC_TRY(operation, request::find_by_name(name));
  if (operation->host == Host::Local || operation->method.empty()) {
    return svc::usage_error(fmt::format("'svc {}' is a command of the program, not a request",
                                        command_name(*operation)),
                            "svc-commands(7) lists the operations with their requests.");
  }
  return operation;
}

Reply reply_of(CallReply reply) {
  const auto header = [&](sv name) {
    return std::string(reply.head.header(name).value_or(std::string_view()));
  };
  return {.status = reply.head.status,
          .content_type = header("content-type"),
          .request_id = header("x-request-id"),
          .body = std::move(reply.body)};
}

svc::Result<CallReply> call_by_name(Call& call, sv name, const Flags& flags) {
  SVC_TRY(operation, find_request(name));
  if (operation->reply == svc::Reply::Socket) {
    return svc::usage_error(fmt::format("'svc {}' is a WebSocket", command_name(*operation)),
                            "Open it with connect().");
  }
  SVC_TRY(inputs, FlagList(flags).inputs(*operation));
  SVC_TRY(request, call.prepare(*operation, inputs));
  if (request.stream) {
    return svc::usage_error("call() returns an answer at once, so it cannot be streamed",
                            "Leave 'stream' out, or use chat() or responses() with a callback.");
  }
  const WaitFlags waiting(inputs);
  const bool about_job = operation->poll && operation->name == operation->poll->operation;
  // A verb that is only there to wait has no flag for it.
  const bool waits = operation->poll && (waiting.is_true<"wait">() ||
                                         (about_job && find_field(*operation, "wait") == nullptr));
  const auto interval = waiting.get<"poll-interval">();
  const auto limit = waiting.get<"wait-timeout">();
  const auto wait = [&](const std::string& id) {
    return call.wait(operation_of(operation->group, operation->poll->operation), id,
                     interval ? interval : call.options().poll_interval,
                     limit ? limit : call.options().wait_timeout);
  };
  if (waits && about_job) {
    return wait(request::text_given(inputs, operation->fields.front().flag).value_or(""));
  }
  SVC_TRY(reply, call.send(request));
  const auto job = waits ? submitted_job(*operation, reply.body) : std::nullopt;
  if (!job) return std::move(reply);
  return wait(*job);
}

/// Follows the pages of a list.
class Pages {
 public:
  Pages(Call& call, const Operation& operation, const OnItem& on_item)
      : m_call(call), m_operation(operation), m_on_item(on_item) {}

  svc::Result<std::uint64_t> run(const request::Inputs& inputs) {
    SVC_TRY(request, m_call.prepare(m_operation, inputs));
    if (!m_operation.paging) {
      SVC_TRY(reply, m_call.send(request));
      SVC_CHECK(pass_on(reply.body));
      return m_count;
    }
    const Paging& paging = *m_operation.paging;
    request::PageRange pages = request::read_pages(m_operation, inputs);
    if (!PageFlags(inputs).has<"limit">()) pages.most = UINT64_MAX;
    m_left = pages.most;
    std::string token = pages.token;
    while (m_left > 0) {
      const std::uint64_t size = pages.next_size(m_left);
      request::set_page(request.url, paging, size, token);
      SVC_TRY(reply, m_call.send(request));
      SVC_TRY(count, pass_on(reply.body));
      std::string next = next_token(reply.body, count, size);
      if (next.empty() || count == 0) break;
      if (next == token) {
        return svc::Error{svc::Fault::Network, "the service returned the same page token twice"};
      }
      token = std::move(next);
    }
    return m_count;
  }

 private:
  svc::Result<std::uint64_t> pass_on(const std::string& body) {
    SVC_TRY(items, list_items(m_operation, body, m_call.secrets()));
    for (const sv item : items) {
      if (m_left == 0) break;
      if (m_operation.paging && !is_new(item)) continue;
      ++m_count;
      if (m_left != UINT64_MAX) --m_left;
      if (!m_call.ask([&] { return m_on_item(item); })) m_left = 0;
    }
    return static_cast<std::uint64_t>(items.size());
  }

  /// A page may overlap the one before, because the list grew at its start.
  bool is_new(sv item) {
    const sv unique = m_operation.paging->unique;
    const auto id = unique.empty() ? std::nullopt : json_member(item, unique);
    return !id || m_seen.emplace(*id).second;
  }

  [[nodiscard]] std::string next_token(const std::string& body, std::uint64_t count,
                                       std::uint64_t size) const {
    const Paging& paging = *m_operation.paging;
    if (paging.short_page_ends && count < size) return {};
    if (!paging.more_path.empty() && json_member(body, paging.more_path) != "true") return {};
    const auto token = json_member(body, paging.token_path);
    if (!token || *token == "null") return {};
    return token->starts_with('"') ? json_string(token) : std::string(*token);
  }

  Call& m_call;
  const Operation& m_operation;
  const OnItem& m_on_item;
  std::unordered_set<std::string> m_seen{};
  std::uint64_t m_left = UINT64_MAX;
  std::uint64_t m_count = 0;
};

}  // namespace

svc::Result<std::uint64_t> list_by_name(Call& call, sv name, const Flags& flags,
                                        const OnItem& on_item) {
  SVC_CHECK(check_callback(on_item));
  SVC_TRY(operation, find_request(name));
  if (operation->items.empty()) {
    return svc::usage_error(
        fmt::format("'svc {}' does not return a list", command_name(*operation)), "Use call().");
  }
  SVC_TRY(inputs, FlagList(flags).inputs(*operation));
  return Pages(call, *operation, on_item).run(inputs);
}

const char* fault_name(Fault fault) noexcept {
  return svc::fault_name(static_cast<svc::Fault>(fault));
}

const char* version() noexcept {
  return SVC_VERSION;
}

Cancellation::Cancellation() : m_state(std::make_shared<State>()) {}

void Cancellation::cancel() const noexcept {
  m_state->source.cancel();
}

bool Cancellation::requested() const noexcept {
  return m_state->source.requested().has_value();
}

Result<Client> Client::open() {
  return open({.environment = true});
}

Result<Client> Client::open(const Options& options) {
  auto state = at_boundary<std::shared_ptr<Client::State>>([&] { return open_state(options); });
  if (!state) return std::move(state).error();
  return Client(*std::move(state));
}

Result<Reply> Client::call(std::string_view operation, const Flags& flags,
                           const CallOptions& options) const {
  return run_call<Reply>(m_state, options, [&](Call& call) -> svc::Result<Reply> {
    SVC_TRY(reply, call_by_name(call, operation, flags));
    return reply_of(std::move(reply));
  });
}

Result<std::uint64_t> Client::list(std::string_view operation, const Flags& flags,
                                   const OnItem& on_item, const CallOptions& options) const {
  return run_call<std::uint64_t>(
      m_state, options, [&](Call& call) { return list_by_name(call, operation, flags, on_item); });
}

Result<Socket> Client::connect(std::string_view operation, const Flags& flags,
                               const CallOptions& options) const {
  return run_call<Socket>(m_state, options, [&](Call& call) -> svc::Result<Socket> {
    SVC_TRY(found, find_request(operation));
    if (found->reply != svc::Reply::Socket) {
      return svc::usage_error(fmt::format("'svc {}' is not a WebSocket", command_name(*found)),
                              "Use call().");
    }
    return open_socket(call, *found, FlagList(flags));
  });
}

Result<void> verify_webhook(const std::string& secret, const Delivery& delivery,
                            std::optional<std::int64_t> now) {
  return at_boundary<void>([&]() -> svc::Result<void> {
    SVC_TRY(verifier, webhook::Verifier::make({&secret, 1}));
    const webhook::Delivery received{.id = delivery.id,
                                     .timestamp = delivery.timestamp,
                                     .signature = delivery.signature,
                                     .body = delivery.body};
    const std::int64_t at = now.value_or(unix_now());
    const webhook::Verification verdict = verifier.verify(received, at);
    if (verdict == webhook::Verification::Valid) return {};
    return svc::Error{svc::Fault::Auth,
                      "the delivery is not valid: " + webhook::describe(verdict, received, at)};
  });
}

}  // namespace svc::v0
