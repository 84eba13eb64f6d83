#include "svc/impl/call.h"

#include <algorithm>
#include <array>
#include <set>

#include <fmt/format.h>

#include "base/text.h"
#include "base/url.h"
#include "catalogue/catalogue.h"
#include "client/api_error.h"
#include "client/job.h"
#include "json/slices.h"
#include "websocket/open_channel.h"

namespace svc::v0 {
namespace {

using std::chrono::milliseconds;

constexpr milliseconds k_key_pause{20};

Fault public_fault(svc::Fault fault) {
  if (is_cancellation(fault) || fault == svc::Fault::ReaderGone) return Fault::Interrupted;
  return static_cast<Fault>(fault);
}

Cause public_cause(svc::Cause cause) {
  return cause == svc::Cause::SoundServerFrozen ? Cause::None : static_cast<Cause>(cause);
}

static_assert(static_cast<int>(Fault::UnknownOutcome) ==
                  static_cast<int>(svc::Fault::UnknownOutcome) &&
              static_cast<int>(Fault::Interrupted) == static_cast<int>(svc::Fault::Interrupted));
static_assert(static_cast<int>(Cause::NoDescriptors) ==
                  static_cast<int>(svc::Cause::NoDescriptors) &&
              static_cast<int>(Cause::MissingFile) == static_cast<int>(svc::Cause::MissingFile));

KeyKind key_kind(Host host) {
  return host == Host::Management ? KeyKind::Management : KeyKind::Inference;
}

const SettingRow& url_row(Host host) {
  return *find_setting(host == Host::Management ? "management_url"
                       : host == Host::Docs     ? "docs_url"
                       : host == Host::Realtime ? "realtime_url"
                                                : "base_url");
}

std::unique_ptr<http::Transport> take_transport(Client::State& state) {
  const std::lock_guard lock(state.mutex);
  if (state.idle.empty()) return http::make_curl_transport(state.transport);
  auto taken = std::move(state.idle.back());
  state.idle.pop_back();
  return taken;
}

}  // namespace

Error exported(svc::Error error) {
  return {.fault = public_fault(error.fault),
          .cause = public_cause(error.cause),
          .message = std::move(error.message),
          .hint = std::move(error.hint),
          .http_status = error.http_status,
          .code = std::move(error.code),
          .request_id = std::move(error.request_id),
          .may_have_run = error.may_have_run,
          .subject = std::move(error.subject)};
}

svc::Error error_of_exception() noexcept {
  svc::Error error{svc::Fault::Unexpected, {}};
  try {
    try {
      throw;
    } catch (const std::bad_alloc&) {
      error.message = "out of memory";
    } catch (const std::exception& bug) {
      error.message = fmt::format("unexpected condition in libsvc: {}", bug.what());
    } catch (...) {
      error.message = "unexpected condition in libsvc";
    }
  } catch (...) {  // not even memory for the message
  }
  return error;
}

std::span<const sv> local_flags() noexcept {
  static constexpr std::array<sv, 7> k_flags = {"wait", "poll-interval", "wait-timeout",    "limit",
                                                "all",  "page-size",     "pagination-token"};
  return k_flags;
}

svc::Result<request::Inputs> FlagList::inputs(const Operation& operation) const {
  std::vector<request::NamedValue> values;
  for (const Flag& flag : m_flags) values.push_back({flag.name, flag.value});
  return request::inputs_by_name(operation, values, local_flags());
}

Call::Call(const std::shared_ptr<Client::State>& state, const CallOptions& options)
    : m_state(state), m_options(options) {
  if (options.cancellation) {
    m_cancel.link({&m_abort, &options.cancellation->state()->source});
  } else {
    m_cancel.link({&m_abort});
  }
}

Call::~Call() {
  m_clients.clear();
  if (!m_transport) return;
  try {
    const std::lock_guard lock(m_state->mutex);
    m_state->idle.push_back(std::move(m_transport));
  } catch (const std::bad_alloc&) {  // later calls make another one
  }
}

bool Call::ask(const std::function<bool()>& callback) noexcept {
  bool answer = false;
  return tell([&] { answer = callback(); }) && answer;
}

bool Call::tell(const std::function<void()>& callback) noexcept {
  if (m_thrown) return false;
  try {
    callback();
    return true;
  } catch (...) {
    m_thrown = std::current_exception();
    m_abort.cancel();
    return false;
  }
}

svc::Result<std::string> Call::base_url(Host host) const {
  if (host == Host::Local) return svc::usage_error("it sends no request");
  const SettingRow& row = url_row(host);
  const Setting& setting = m_state->settings.*row.member;
  if (!setting.is_set()) return missing_setting(row);
  return setting.value;
}

std::string Call::known_key(KeyKind kind) const {
  if (const auto given = m_state->given_keys.find(kind); given != m_state->given_keys.end()) {
    return given->second;
  }
  const std::lock_guard lock(m_state->mutex);
  const auto known = m_state->keys.find(kind);
  return known == m_state->keys.end() ? std::string() : known->second;
}

svc::Result<std::string> Call::key(Host host) {
  if (host == Host::Docs) return std::string();
  const KeyKind kind = key_kind(host);
  // One call looks it up, as a program may run for it; the others wait, but can be canceled.
  std::unique_lock search(m_state->key_search, std::defer_lock);
  while (true) {
    const bool alone = search.try_lock();
    if (std::string known = known_key(kind); !known.empty()) {
      m_keys[kind] = known;
      return known;
    }
    if (alone) break;
    SVC_CHECK(interruptible_sleep(k_key_pause, m_cancel));
  }
  SVC_TRY(found, find_credential(kind, m_state->settings, m_state->environment, m_state->config,
                                 m_cancel));
  m_keys[kind] = found.key;
  const std::lock_guard lock(m_state->mutex);
  m_state->keys[kind] = found.key;
  return std::move(found.key);
}

void Call::forget_keys() {
  const std::lock_guard lock(m_state->mutex);
  for (const auto& [kind, key] : m_keys) {
    // Another call may have a newer one.
    const auto known = m_state->keys.find(kind);
    if (known != m_state->keys.end() && known->second == key) m_state->keys.erase(known);
  }
}

std::vector<std::string> Call::secrets() const {
  std::set<std::string> all;
  const auto add = [&all](const std::map<KeyKind, std::string>& keys) {
    for (const auto& [kind, key] : keys) all.insert(key);
  };
  add(m_state->given_keys);
  add(m_keys);
  const std::lock_guard lock(m_state->mutex);
  add(m_state->keys);
  return {all.begin(), all.end()};
}

svc::Result<ApiClient*> Call::client(Host host) {
  std::unique_ptr<ApiClient>& known = m_clients[host];
  if (known) return known.get();
  SVC_TRY(secret, key(host));
  if (!m_transport) m_transport = take_transport(*m_state);
  CallPolicy policy{.timeouts = timeouts_of(m_state->settings),
                    .retries = retries_of(m_state->settings),
                    .max_wait = max_wait_of(m_state->settings),
                    .key = std::move(secret),
                    .secrets = secrets()};
  if (m_options.timeout) policy.timeouts.total = *m_options.timeout;
  known = std::make_unique<ApiClient>(*m_transport, m_state->quota, m_cancel, std::move(policy),
                                      [](const std::string&) {});
  if (m_options.on_upload) {
    known->on_upload([this](std::uint64_t sent, std::uint64_t total) {
      tell([&] { m_options.on_upload(sent, total); });
    });
  }
  return known.get();
}

svc::Result<std::string> Call::team() {
  {
    const std::lock_guard lock(m_state->mutex);
    if (!m_state->team.empty()) return m_state->team;
  }
  std::string found;
  request::Request about_key;
  about_key.operation = &k_calling_key;
  about_key.method = k_calling_key.method;
  SVC_TRY(base, base_url(Host::Management));
  about_key.url = base + std::string(k_calling_key.path);
  SVC_TRY(api, client(Host::Management));
  SVC_TRY(reply, api->call(about_key));
  found = json_string(json_member(reply.body, "teamId"));
  if (found.empty()) return missing_setting(*find_setting("team_id"));
  const std::lock_guard lock(m_state->mutex);
  m_state->team = found;
  return found;
}

svc::Result<request::Request> Call::prepare(
    const Operation& operation, const request::Inputs& inputs,
    const std::function<void(request::BuildContext&)>& adjust) {
  const bool needs_team = operation.path.find("{team") != sv::npos;
  const svc::Result<std::string> base = base_url(operation.host);
  request::BuildContext context{.team_id = m_state->settings.team_id.value,
                                .model = m_state->settings.model.value};
  if (needs_team && context.team_id.empty()) context.team_id = request::k_team_variable;
  // Invalid input is reported before a missing URL.
  if (base) context.base_url = *base;
  if (adjust) adjust(context);
  SVC_TRY(request, build_request(operation, inputs, context));
  if (!base) return base.error();
  if (const std::size_t at = needs_team ? request.url.find(request::k_team_variable) : sv::npos;
      at != sv::npos) {
    SVC_TRY(id, team());
    request.url.replace(at, request::k_team_variable.size(), percent_encode(id));
  }
  for (const std::string& warning : request.warnings) {
    if (!m_options.on_warning) break;
    if (!tell([&] { m_options.on_warning(warning); })) return canceled(svc::Fault::Interrupted);
  }
  return std::move(request);
}

svc::Result<request::Request> Call::prepare(const Operation& operation, const FlagList& flags) {
  SVC_TRY(inputs, flags.inputs(operation));
  return prepare(operation, inputs);
}

svc::Result<CallReply> Call::send(const request::Request& request) {
  SVC_TRY(api, client(request.operation->host));
  SVC_TRY(reply, api->call(request));
  note_answered(*request.operation);
  return std::move(reply);
}

void Call::note_answered(const Operation& operation) {
  m_may_have_cost = m_may_have_cost || may_cost(operation);
}

svc::Result<CallReply> Call::run(const Operation& operation, const FlagList& flags) {
  SVC_TRY(request, prepare(operation, flags));
  return send(request);
}

svc::Result<CallReply> Call::wait(const Operation& job, const std::string& id,
                                  std::optional<milliseconds> interval,
                                  std::optional<milliseconds> limit) {
  auto reply = poll(job, id, interval, limit);
  if (reply) return reply;
  svc::Error& error = reply.error();
  error.subject = id;
  const bool over = error.fault == svc::Fault::RemoteJob || error.fault == svc::Fault::NotFound;
  if (over) return reply;
  error.hint += fmt::format(
      R"({}The job {} goes on; wait for it with call("{}", {{{{"{}", "{}"}}{}}}).)",
      error.hint.empty() ? "" : " ", shown(id), command_name(job), job.fields.front().flag,
      shown(id), find_field(job, "wait") != nullptr ? R"(, {"wait", "true"})" : "");
  return reply;
}

svc::Result<CallReply> Call::finish(const Operation& operation, CallReply reply) {
  const auto id = submitted_job(operation, reply.body);
  if (!id) return reply;
  return wait(operation_of(operation.group, operation.poll->operation), *id);
}

svc::Result<CallReply> Call::poll(const Operation& job, const std::string& id,
                                  std::optional<milliseconds> interval,
                                  std::optional<milliseconds> limit) {
  FlagList flags({});
  flags.add(std::string(job.fields.front().flag).c_str(), id);
  SVC_TRY(request, prepare(job, flags));
  CallReply reply;
  const auto is_over = [&]() -> svc::Result<bool> {
    SVC_TRY(polled, send(request));
    reply = std::move(polled);
    JobStatus status = read_job_status(job.poll->judge, reply.head.status, reply.body, secrets());
    if (status.failure) return *std::move(status.failure);
    return status.state == JobState::Done;
  };
  SVC_CHECK(poll_until(times_of(*job.poll).with(interval, limit),
                       fmt::format("{} was not ready", shown(id)), is_over,
                       [&](milliseconds time) { return interruptible_sleep(time, m_cancel); }));
  return reply;
}

svc::Result<std::unique_ptr<websocket::WebSocket>> Call::open_socket(
    const request::Request& request) {
  SVC_TRY(secret, key(Host::Realtime));
  const http::Timeouts timeouts = timeouts_of(m_state->settings);
  websocket::ChannelOptions options;
  options.transport = m_state->transport;
  options.connect = timeouts.connect;
  if (m_options.timeout) {
    options.connect = std::min(options.connect, *m_options.timeout);
    options.handshake = std::min(options.handshake, *m_options.timeout);
  }
  options.idle_timeout = std::min(options.idle_timeout, timeouts.idle);
  options.ping_interval = options.idle_timeout / 2;
  SVC_TRY(opened, websocket::open_channel(
                      {.url = request.url, .headers = request.headers, .bearer = secret}, options,
                      m_cancel));
  if (!opened.channel) return api_error(opened.head, opened.refusal, secrets());
  return std::move(opened.channel);
}

const Operation& operation_of(sv group, sv name) {
  return *find_operation(group, name);
}

std::optional<std::string> submitted_job(const Operation& operation, const std::string& body) {
  if (!operation.poll || operation.name == operation.poll->operation) return std::nullopt;
  const auto id = json_member(body, operation.poll->id_path);
  if (!id || !id->starts_with('"')) return std::nullopt;
  if (json_member(body, "choices") || json_member(body, "data")) return std::nullopt;
  return json_string(id);
}

}  // namespace svc::v0
