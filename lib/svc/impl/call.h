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
#include "websocket/channel.h"

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

  std::mutex mutex{};
  std::vector<std::unique_ptr<http::Transport>> idle{};  ///< guarded: one for each concurrent call
  std::map<KeyKind, std::string> keys{};                 ///< guarded: those found so far
  std::string team{};                                    ///< guarded: of the key, once looked up
};

/// The error of the library as one of the interface.
[[nodiscard]] Error exported(svc::Error error);
/// And back, for what a caller's function returns.
[[nodiscard]] svc::Error imported(const Error& error);

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

class Call {
 public:
  Call(const std::shared_ptr<Client::State>& state, const CallOptions& options);
  Call(const Call&) = delete;
  Call& operator=(const Call&) = delete;
  /// Returns the transport for later calls.
  ~Call();

  [[nodiscard]] const CancelToken& cancel() const noexcept { return m_cancel; }
  [[nodiscard]] const svc::Settings& settings() const noexcept { return m_state->settings; }
  [[nodiscard]] const CallOptions& options() const noexcept { return m_options; }

  /// Calls a function of the caller; false if it returns false or throws. What it throws reaches
  /// the caller once the call has ended.
  [[nodiscard]] bool ask(const std::function<bool()>& callback) noexcept;
  [[nodiscard]] std::exception_ptr thrown() const noexcept { return m_thrown; }

  [[nodiscard]] svc::Result<std::string> base_url(Host host) const;
  [[nodiscard]] svc::Result<std::string> key(Host host);
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
  /// Polls the job `id` with `job` until it is done. RemoteJob if it fails, Timeout if it takes
  /// longer than `limit`.
  [[nodiscard]] svc::Result<CallReply> wait(const Operation& job, const std::string& id,
                                            std::optional<std::chrono::milliseconds> interval,
                                            std::optional<std::chrono::milliseconds> limit);
  [[nodiscard]] svc::Result<CallReply> wait(const Operation& job, const std::string& id) {
    return wait(job, id, m_options.poll_interval, m_options.wait_timeout);
  }
  [[nodiscard]] svc::Result<std::unique_ptr<websocket::Channel>> open_socket(
      const request::Request& request);
  /// The keys in use, to be masked in errors.
  [[nodiscard]] std::vector<std::string> secrets() const;

 private:
  [[nodiscard]] svc::Result<std::string> team();

  std::shared_ptr<Client::State> m_state;
  const CallOptions& m_options;
  NeverCanceled m_never{};
  const CancelToken& m_cancel;
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

/// Runs `work`, and turns its error, or a bug's exception, into an error of the interface.
template <typename T>
[[nodiscard]] Result<T> run_call(const std::shared_ptr<Client::State>& state,
                                 const CallOptions& options,
                                 const std::function<svc::Result<T>(Call&)>& work) {
  std::exception_ptr thrown;
  try {
    Call call(state, options);
    svc::Result<T> ended = work(call);
    thrown = call.thrown();
    if (!thrown) {
      if (!ended) return exported(std::move(ended).error());
      if constexpr (std::is_void_v<T>) {
        return {};
      } else {
        return *std::move(ended);
      }
    }
  } catch (const std::bad_alloc&) {
    return Error{.fault = Fault::Unexpected, .message = "out of memory"};
  } catch (const std::exception& bug) {
    return Error{.fault = Fault::Unexpected,
                 .message = std::string("unexpected condition in libsvc: ") + bug.what()};
  }
  std::rethrow_exception(thrown);
}

}  // namespace svc::v0
