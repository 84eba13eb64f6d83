// The state of a client, and one call of it.
#pragma once

#include <exception>
#include <functional>
#include <map>
#include <memory>
#include <mutex>
#include <string>
#include <vector>

#include "base/cancel_token.h"
#include "base/result.h"
#include "client/api_client.h"
#include "client/credentials.h"
#include "client/settings.h"
#include "request/build.h"
#include "request/names.h"
#include "svc/client.h"
#include "svc/impl/boundary.h"
#include "websocket/web_socket.h"

namespace svc::v0 {

struct Cancellation::State {
  CancelSource source{};
};

struct Client::State {
  svc::Settings settings{};
  svc::Environment environment{};
  svc::ConfigFile config{};
  http::TransportOptions transport{};
  http::RetryQuota quota{};
  std::map<KeyKind, std::string> given_keys{};  ///< by the caller: never looked up again

  std::mutex key_search{};  ///< held while a key is looked up, for which a program may run
  std::mutex mutex{};
  std::vector<std::unique_ptr<http::Transport>> idle{};  ///< guarded: one for each concurrent call
  std::map<KeyKind, std::string> keys{};                 ///< guarded: those looked up so far
  std::string team{};                                    ///< guarded: of the key, once looked up
};

/// The local flags that the library implements.
[[nodiscard]] std::span<const sv> local_flags() noexcept;

/// Collects the flags of a typed request.
class FlagList {
 public:
  explicit FlagList(const Flags& more) : m_flags(more) {}
  void add(const char* name, std::string value) { m_flags.push_back({name, std::move(value)}); }
  void add_text(const char* name, const std::string& value) {
    if (!value.empty()) add(name, value);
  }
  template <typename T>
  void add_number(const char* name, const std::optional<T>& value) {
    if (value) add(name, std::to_string(*value));
  }
  void add_all(const char* name, const std::vector<std::string>& values) {
    for (const std::string& value : values) add(name, value);
  }
  [[nodiscard]] svc::Result<request::Inputs> inputs(const Operation& operation) const;

 private:
  Flags m_flags;
};

class SVC_LOCAL Call {
 public:
  Call(const std::shared_ptr<Client::State>& state, const CallOptions& options);
  Call(const Call&) = delete;
  Call& operator=(const Call&) = delete;
  /// Returns the transport for later calls.
  ~Call();

  [[nodiscard]] const CancelToken& cancel() const noexcept { return m_cancel; }
  [[nodiscard]] const svc::Settings& settings() const noexcept { return m_state->settings; }
  [[nodiscard]] const CallOptions& options() const noexcept { return m_options; }

  /// Calls a function of the caller; false if it returns false or throws. What it throws cancels
  /// the call, and reaches the caller once that has ended.
  [[nodiscard]] bool ask(const std::function<bool()>& callback) noexcept;
  /// As ask(), for a function that answers nothing: false if it throws.
  bool tell(const std::function<void()>& callback) noexcept;
  [[nodiscard]] std::exception_ptr thrown() const noexcept { return m_thrown; }

  [[nodiscard]] svc::Result<std::string> base_url(Host host) const;
  [[nodiscard]] svc::Result<std::string> key(Host host);
  /// The keys of this call were rejected: the next call looks them up again.
  void forget_keys();
  /// A client for that host, which lives as long as the call.
  [[nodiscard]] svc::Result<ApiClient*> client(Host host);

  /// Builds the request, and reports its warnings.
  [[nodiscard]] svc::Result<request::Request> prepare(
      const Operation& operation, const request::Inputs& inputs,
      const std::function<void(request::BuildContext&)>& adjust = {});
  /// prepare() with these flags.
  [[nodiscard]] svc::Result<request::Request> prepare(const Operation& operation,
                                                      const FlagList& flags);
  [[nodiscard]] svc::Result<CallReply> send(const request::Request& request);
  /// prepare() and send().
  [[nodiscard]] svc::Result<CallReply> run(const Operation& operation, const FlagList& flags);
  /// A request was answered that may cost money.
  void note_answered(const Operation& operation);
  [[nodiscard]] bool may_have_cost() const noexcept { return m_may_have_cost; }
  /// Polls the job `id` with `job` until it is done. RemoteJob if it fails, Timeout if it takes
  /// longer than `limit`. Each error has the ID.
  [[nodiscard]] svc::Result<CallReply> wait(const Operation& job, const std::string& id,
                                            std::optional<std::chrono::milliseconds> interval,
                                            std::optional<std::chrono::milliseconds> limit);
  [[nodiscard]] svc::Result<CallReply> wait(const Operation& job, const std::string& id) {
    return wait(job, id, m_options.poll_interval, m_options.wait_timeout);
  }
  /// The result of the job that `reply` submits; `reply` if it submits none.
  [[nodiscard]] svc::Result<CallReply> finish(const Operation& operation, CallReply reply);
  [[nodiscard]] svc::Result<std::unique_ptr<websocket::WebSocket>> open_socket(
      const request::Request& request);
  /// The keys in use, to be masked in errors.
  [[nodiscard]] std::vector<std::string> secrets() const;

 private:
  [[nodiscard]] svc::Result<std::string> team();
  [[nodiscard]] std::string known_key(KeyKind kind) const;
  [[nodiscard]] svc::Result<CallReply> poll(const Operation& job, const std::string& id,
                                            std::optional<std::chrono::milliseconds> interval,
                                            std::optional<std::chrono::milliseconds> limit);

  std::shared_ptr<Client::State> m_state;
  const CallOptions& m_options;
  CancelSource m_abort{};  ///< a function of the caller has thrown
  LinkedToken m_cancel{};
  std::map<KeyKind, std::string> m_keys{};  ///< in use
  bool m_may_have_cost = false;
  std::exception_ptr m_thrown{};
  std::unique_ptr<http::Transport> m_transport{};
  std::map<Host, std::unique_ptr<ApiClient>> m_clients{};
};

/// The operation, which exists.
[[nodiscard]] const Operation& operation_of(sv group, sv name);

/// The ID of the job that a response submits; nothing if it has the result, or another job is not
/// possible.
[[nodiscard]] std::optional<std::string> submitted_job(const Operation& operation,
                                                       const std::string& body);

/// Usage for a function that is empty, before anything is sent.
template <typename Function>
[[nodiscard]] svc::Result<void> check_callback(const Function& function) {
  if (function) return {};
  return svc::usage_error("the function that receives the results is empty");
}

/// Passes on all items of the list; returns their number.
[[nodiscard]] svc::Result<std::uint64_t> list_by_name(Call& call, sv name, const Flags& flags,
                                                      const OnItem& on_item);

/// Runs `work` at the boundary. Only what a function of the caller throws gets out.
template <typename T>
[[nodiscard]] Result<T> run_call(const std::shared_ptr<Client::State>& state,
                                 const CallOptions& options,
                                 const std::function<svc::Result<T>(Call&)>& work) {
  std::exception_ptr thrown;
  Result<T> result = at_boundary<T>([&]() -> svc::Result<T> {
    Call call(state, options);
    svc::Result<T> ended = work(call);
    thrown = call.thrown();
    if (!ended && ended.error().http_status == 401) call.forget_keys();
    // What an earlier request of the call has cost is not undone by a later error.
    if (!ended && call.may_have_cost()) ended.error().may_have_run = true;
    return ended;
  });
  if (thrown) std::rethrow_exception(thrown);
  return result;
}

}  // namespace svc::v0
