// Who may do what: keys, their limits, and the errors of the management service.
#pragma once

#include "emulator/state/state.h"

namespace svc::emulator {

/// The names valid in `api-key:endpoint:<name>`. Routes refer to them; a test compares the two.
inline constexpr std::array<sv, 11> k_endpoints = {
    "batches",  "chat", "documents", "files", "image", "phone-numbers",
    "realtime", "stt",  "tokenize",  "tts",   "video"};

/// The emulator's pretended clusters.
inline constexpr std::array<sv, 2> k_clusters = {"us-east-1", "eu-west-1"};

/// The key ID of calls made by a batch; no real key can have it.
inline constexpr sv k_batch_key_id = "batch";

/// Returns the key of an Authorization header, or the response that refuses it: 401, 400 or 403.
[[nodiscard]] Checked<KeyRecord> authenticate(State& state, sv authorization, const Route& route);

/// The same for a client secret, whose creator's key must be usable too.
[[nodiscard]] Checked<SecretGrant> authenticate_secret(State& state, sv secret, const Route& route);

/// The same for a management key, which must be of the team that `params` name.
[[nodiscard]] Checked<KeyRecord> authenticate_management(
    State& state, sv authorization, const std::map<std::string, std::string>& params);

/// "sv***xy": the part of a key that may appear in an error.
[[nodiscard]] std::string mask_key(sv secret);

// Rate limits of a key per second and minute, and their headers.

/// The rest of a key's current minute.
struct Quota {
  std::int64_t limit_requests = 0, remaining_requests = 0, limit_tokens = 0, remaining_tokens = 0;
  bool refused = false;            ///< the call exceeds a limit of the key itself
  std::int64_t retry_after_s = 0;  ///< if refused
};

/// Counts calls and tokens per key in fixed windows. Only a key's own limits are enforced, and
/// counted in the state, because a new emulator may run for each command. Thread-safe.
class RateLimiter {
 public:
  /// `state` must outlive the meter.
  explicit RateLimiter(State& state) : m_state(state) {}

  /// Counts one call, unless it is refused.
  [[nodiscard]] Quota count_call(const KeyRecord& key, std::int64_t now_ms);

  /// Resets the counts in memory.
  void clear() {
    const std::lock_guard lock(m_mutex);
    m_windows.clear();
  }

  /// Adds tokens to the key's minute; returns the remaining quota.
  Quota add_tokens(const KeyRecord& key, std::int64_t tokens, std::int64_t now_ms);

 private:
  struct Window {
    std::int64_t second = 0, minute = 0;  ///< the second and minute of the counts
    std::int64_t calls_in_second = 0, calls_in_minute = 0, tokens_in_minute = 0;
  };

  /// Runs `work` on the key's current window, and stores the result.
  template <typename Work>
  void with_window(const KeyRecord& key, std::int64_t now_ms, const Work& work);
  static void advance(Window& window, std::int64_t now_ms);

  State& m_state;
  std::mutex m_mutex{};
  std::map<std::string, Window> m_windows{};  ///< by key ID; only existing keys get here
};

/// Which metric headers an operation's responses have.
struct MetricHeaders {
  bool request_id = false, request_id_of_errors = false;
  bool requests = false;  ///< also x-zero-data-retention
  bool tokens = false, timings = false;
};

/// By method and route path, such as "/v1/models/{model_id}".
[[nodiscard]] MetricHeaders metric_headers(sv method, sv route_path);

}  // namespace svc::emulator

namespace svc::emulator::management {

// Error responses of the management service, and parsing of its requests.

using text::Json;

/// The gRPC status codes, whose numbers are the `code` of an error.
enum class Code : std::uint8_t {
  InvalidArgument = 3,
  NotFound = 5,
  AlreadyExists = 6,
  PermissionDenied = 7,
  ResourceExhausted = 8,
  FailedPrecondition = 9,
  Unimplemented = 12,
  Internal = 13,
  Unauthenticated = 16,
};

/// Returns the error with the code's HTTP status; ` [WKE=<marker>]` ends its message.
[[nodiscard]] Response error_response(Code code, sv message, sv marker = {});

/// 400: "<field>: <reason> [WKE=form-invalid:<rule>:<field>]".
[[nodiscard]] Response invalid_field_error(sv field, sv reason, sv rule);

/// 400 for a required string that is empty.
[[nodiscard]] Response empty_field_error(sv field);

/// 404: "<what> <id> not found<where>." with the marker not-found:<what>.
[[nodiscard]] Response not_found_error(sv what, sv id, sv where = {});

/// 403 for a team that is not the key's.
[[nodiscard]] Response team_access_error(sv team_id);

/// 401; the message is in the header www-authenticate.
[[nodiscard]] Response unauthenticated_error(sv message);

/// Converts an error of the inference service to the management service's format.
[[nodiscard]] Response to_management_error(Response error);

/// Returns the body as JSON if it matches the text::request_type(); otherwise 400.
[[nodiscard]] Checked<Json> read_body(const Request& request, sv type);

/// Returns a 64-bit integer, which JSON may contain as a number or as a decimal string.
[[nodiscard]] std::optional<std::int64_t> get_int64(const Json& object, sv name);

/// Parses an integer in the query: nothing if it is absent or empty; refused if it is out of range.
[[nodiscard]] Checked<std::optional<std::int64_t>> query_number(const Request& request, sv name,
                                                                std::int64_t minimum,
                                                                std::int64_t maximum);

/// Parses an RFC 3339 time. Nothing for an empty string; any other invalid text is refused.
[[nodiscard]] Checked<std::optional<std::int64_t>> time_of(sv field, sv text);

}  // namespace svc::emulator::management
