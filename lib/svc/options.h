// How a client is opened, and how a call is made. Part of <svc/svc.h>.
#pragma once

#include <chrono>
#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "svc/export.h"

namespace svc::v0 {

/// What a client uses. Nothing that is not given here is read: no environment variable, no
/// configuration file, unless `environment` or `profile` asks for it.
struct Options {
  /// A profile of the user's configuration file (svc-config(5)): its URLs, model, time limits, and
  /// its key, which may come from its key_command. Empty: no file is read, unless `environment`.
  std::string profile{};
  /// Also use SVC_* variables (svc-environment(7)) and, without `profile`, the default profile, as
  /// the program svc does. Client::open() without options sets it.
  bool environment = false;
  /// The library does not enforce max_cost and max_cost_per_day. If the profile or the environment
  /// sets them, Client::open() fails with Fault::Usage, unless this is set.
  bool ignore_cost_limits = false;

  // These override profile and environment.
  std::string base_url{};        ///< of the inference service
  std::string management_url{};  ///< of keys, billing, models and collections
  std::string realtime_url{};    ///< ws(s)://; follows from base_url if empty
  std::string docs_url{};
  std::string api_key{};
  std::string management_key{};
  std::string team_id{};
  std::string model{};  ///< of text operations; empty: each operation's default

  std::optional<std::chrono::milliseconds> timeout{};  ///< of a whole request; default: 1 hour
  std::optional<std::chrono::milliseconds> connect_timeout{};  ///< default: 30 s
  std::optional<std::chrono::milliseconds> idle_timeout{};     ///< without a byte; default: 5 min
  /// Of requests that can be repeated safely; default: 2. A request that may have run and must not
  /// run twice is never repeated.
  std::optional<int> retries{};
  std::string user_agent{};  ///< default: "libsvc/VERSION"
  std::string ca_file{};     ///< trusted certificates (PEM); default: the system's
};

/// Cancels calls. Copies share one state. Thread-safe; cancel() may be called from a signal
/// handler.
class SVC_API Cancellation {
 public:
  Cancellation();
  /// Calls that use it return Fault::Interrupted soon; later ones at once. Remote jobs go on.
  void cancel() const noexcept;
  [[nodiscard]] bool requested() const noexcept;

  struct SVC_LOCAL State;
  [[nodiscard]] const std::shared_ptr<State>& state() const noexcept { return m_state; }

 private:
  std::shared_ptr<State> m_state;
};

/// How one call is made.
struct CallOptions {
  std::optional<Cancellation> cancellation{};
  /// Of each request, instead of the client's; of a socket, of each step of opening it.
  std::optional<std::chrono::milliseconds> timeout{};
  /// How long to wait for a remote job; then Fault::Timeout, and the job goes on. Default: what
  /// the program does, such as 10 minutes for a video.
  std::optional<std::chrono::milliseconds> wait_timeout{};
  std::optional<std::chrono::milliseconds> poll_interval{};  ///< default: grows, from about 1 s
  /// Receives warnings about the request, such as a flag that the service ignores.
  std::function<void(const std::string& sentence)> on_warning{};
  /// Called while a body is sent: bytes so far, and in total (0: unknown).
  std::function<void(std::uint64_t sent, std::uint64_t total)> on_upload{};
};

/// A flag of the program svc and its value: {"max-completion-tokens", "200"}, {"store", "false"}.
/// Names are without dashes in front; a repeated flag is given several times. The value means what
/// it says: '@' and '-' at its beginning are not special, except that a media flag is a path, a
/// URL, a data: URL or a file ID, and a file flag a path.
struct Flag {
  std::string name;
  std::string value;
};
using Flags = std::vector<Flag>;

}  // namespace svc::v0
