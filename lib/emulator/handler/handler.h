// Input and output of the emulator's handlers: one HTTP request and its response, without sockets.
#pragma once

#include <chrono>
#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <variant>
#include <vector>

#include "base/message.h"
#include "base/result.h"
#include "emulator/handler/http_request.h"

namespace svc::emulator {

/// `units` of something at `unit_ticks` each (100,000,000 ticks are one US cent).
struct Charge {
  std::string description{};  ///< as on the bill: "svc-4.5 prompt tokens"
  std::string unit{};         ///< "token", "image", "second", "request"
  std::int64_t units = 0;
  std::int64_t unit_ticks = 0;
};

/// Returns the total cost in ticks.
[[nodiscard]] constexpr std::int64_t total_ticks(std::span<const Charge> charges) {
  std::int64_t sum = 0;
  for (const Charge& charge : charges) sum += charge.units * charge.unit_ticks;
  return sum;
}

class State;
struct Controls;     // control/routes.h
struct SocketOffer;  // socket.h

/// A request's key, as stored by the emulator.
struct KeyRecord {
  std::string id;
  std::string name;
  std::string redacted;
  std::string team_id;
  std::string user_id;
  std::vector<std::string> acls{};
  std::string modified_by{};
  std::int64_t create_time = 0;               ///< Unix seconds
  std::int64_t modify_time = 0;               ///< Unix seconds
  std::optional<std::int64_t> expire_time{};  ///< Unix seconds
  bool disabled = false;
  bool blocked = false;
  bool team_blocked = false;
  std::optional<std::int64_t> qps{}, qpm{}, tpm{};  ///< the key's own rate limits
};

/// A complete request, routed and authenticated.
struct Request : HttpRequest {
  std::string path{};                           ///< decoded, without query
  std::map<std::string, std::string> params{};  ///< the {parameters} of the route
  std::vector<Header> query{};                  ///< decoded, in order
  KeyRecord key{};
  State* state = nullptr;        ///< never null in a handler
  Controls* controls = nullptr;  ///< of its scope; never null in a control operation
  std::string request_id{};      ///< the value of the x-request-id response header
  std::string batch_key_id{};  ///< for a batch's request: the ID of the key that created the batch
  std::optional<std::string>
      client_secret{};  ///< SecretGrant::session, if a client secret was used

  [[nodiscard]] std::optional<std::string> query_value(std::string_view name) const;
  [[nodiscard]] std::optional<std::string> header(std::string_view name) const;
};

/// One chunk of a streamed response: bytes as sent (for SSE, a complete `data: …\n\n`), and the
/// delay before them.
struct StreamChunk {
  std::string bytes;
  std::chrono::milliseconds delay{0};
};

/// A complete or a streamed HTTP response. If streamed, `next` is called until it returns nothing.
struct Response {
  int status = 200;
  std::vector<Header> headers{};
  std::string content_type = "application/json";
  std::string body{};
  std::function<std::optional<StreamChunk>()> next{};
  std::chrono::milliseconds delay{0};  ///< before the response is sent
  std::int64_t tokens = 0;             ///< used by this call; counted against the key's limits
  std::vector<Charge> charges{};       ///< the cost, which the dispatcher charges to the key's team
  std::shared_ptr<SocketOffer>
      socket{};  ///< status 101: the WebSocket that takes over the connection
};

using Handler = std::function<Response(const Request&)>;

/// What a route requires of a request's body. Json: a JSON document with its content type,
/// otherwise 415 or 400 before the handler runs. Free: the handler checks it.
enum class Input : std::uint8_t { Json, Free };

/// Which keys may use a route. Any: also disabled, blocked and powerless ones. None: no key at all.
/// Management: a management key of the team that `{teamId}` or `{team_id}` in the path names; such
/// a route refuses with the management service's errors (account/management.h).
enum class KeyRequirement : std::uint8_t { Usable, Any, None, Management };

/// Where a handler and its response's `next` run. Loop: on a thread that serves connections, so it
/// must be fast. Worker: on a thread that may block.
enum class RunOn : std::uint8_t { Loop, Worker };

/// The key and session of a client secret.
struct SecretGrant {
  KeyRecord key;          ///< the key that created it
  std::string session{};  ///< the session configuration stored with it, JSON; "" if none
};

/// Finds a client secret that has not expired.
using SecretLookup =
    std::function<Result<std::optional<SecretGrant>>(State& state, std::string_view value)>;

/// The default maximum size of a request's body.
inline constexpr std::uint64_t k_max_request_body = 64ULL << 20U;

/// A row of the routing table; `{name}` in a path matches one segment.
struct Route {
  std::string method;
  std::string path;
  Handler handler;
  std::string
      endpoint_acl{};  ///< the name in `api-key:endpoint:<name>` that a key needs; empty: any key
  Input input = Input::Json;  ///< checked for POST, PUT and PATCH
  KeyRequirement key = KeyRequirement::Usable;
  std::uint64_t max_body =
      k_max_request_body;  ///< larger bodies are refused with 413 while being received
  RunOn run = RunOn::Loop;
  bool spool = false;      ///< a large body is written to Request::body_file as it arrives
  SecretLookup secrets{};  ///< also accepts client secrets; empty: API keys only
  std::vector<std::string> query{};  ///< of a control operation: its query parameters
};

/// Whether the key has the ACL `api-key:<kind>:<name>` or `api-key:<kind>:*`.
[[nodiscard]] bool has_acl(const KeyRecord& key, std::string_view kind, std::string_view name);

/// Whether the key may use the model. `model` is the canonical name.
[[nodiscard]] inline bool may_use_model(const KeyRecord& key, std::string_view model) {
  return has_acl(key, "model", model);
}

// --- errors in the service's own shapes -----------------------------------

/// `{"code": …, "error": …}`.
[[nodiscard]] Response error_response(int status, std::string_view code, std::string_view message);

/// 400, "Client specified an invalid argument".
[[nodiscard]] Response invalid_argument_error(std::string_view message);

/// 403, "The caller does not have permission to execute the specified operation".
[[nodiscard]] Response permission_denied_error(std::string_view message);

/// 404, "Some requested entity was not found".
[[nodiscard]] Response not_found_error(std::string_view message);

/// 429, "Some resource has been exhausted"; with Retry-After if waiting helps.
[[nodiscard]] Response resource_exhausted_error(std::string_view message,
                                                std::int64_t retry_after_s = 0);

/// 503, "The service is currently unavailable".
[[nodiscard]] Response unavailable_error(std::string_view message);

/// 422 text/plain: "Failed to deserialize the JSON body into the target type: …".
[[nodiscard]] Response schema_mismatch_error(std::string_view path, std::string_view reason,
                                             std::size_t line, std::size_t column);

/// 403 for a model that the key has no ACL for.
[[nodiscard]] Response model_access_error(std::string_view model);

/// 500 for an error of the emulator itself, such as a state file that is not writable.
[[nodiscard]] Response internal_error(const Error& error);

/// A value, or the response that refuses the request: like Result for errors, and usable with
/// SVC_TRY.
template <typename T>
class [[nodiscard]] Checked {
 public:
  Checked(T value) : m_state(std::in_place_index<0>, std::move(value)) {}
  Checked(Response refusal) : m_state(std::in_place_index<1>, std::move(refusal)) {}

  explicit operator bool() const noexcept { return m_state.index() == 0; }
  [[nodiscard]] T& operator*() { return std::get<0>(m_state); }
  [[nodiscard]] Response&& error() && { return std::get<1>(std::move(m_state)); }

 private:
  std::variant<T, Response> m_state;
};

/// Returns a store's result, or the 500 for its error.
template <typename T>
Checked<T> checked(Result<T> outcome) {
  if (!outcome) return internal_error(outcome.error());
  return *std::move(outcome);
}

/// Returns what a store found; `missing` if it found nothing.
template <typename T>
Checked<T> found_or(Result<std::optional<T>> outcome, Response missing) {
  if (!outcome) return internal_error(outcome.error());
  if (!*outcome) return missing;
  return **std::move(outcome);
}

/// The same for results without a value and for existence checks: for SVC_CHECK.
inline Checked<std::monostate> checked(Result<void> outcome) {
  if (!outcome) return internal_error(outcome.error());
  return std::monostate{};
}
inline Checked<std::monostate> found_or(Result<bool> found, Response missing) {
  if (!found) return internal_error(found.error());
  if (!*found) return missing;
  return std::monostate{};
}

/// Returns the response from a transaction, or the 500 for its error.
[[nodiscard]] inline Response response_or_error(Result<Response> outcome) {
  return outcome ? *std::move(outcome) : internal_error(outcome.error());
}

/// Returns the scheme and host of this request: "http://127.0.0.1:8080". A request without a plain
/// host and port gets "http://127.0.0.1". In a test's scope, the scope's prefix follows.
[[nodiscard]] std::string base_url(const Request& request);

/// Returns the URL of a file's public copy; "" if it has none. `token` is StoredFile::public_token.
[[nodiscard]] std::string public_file_url(const std::string& address, std::string_view token,
                                          std::string_view filename);

/// Bytes of one content type as an answer (RFC 9110, section 14): 200 with all of `data`, 206 with
/// the part that the Range header asks for while If-Range allows it, or 416. Several ranges at once
/// are answered with the whole.
[[nodiscard]] Response serve_bytes(const Request& request, std::string data,
                                   std::string content_type, std::string_view etag,
                                   std::int64_t modified_s);

}  // namespace svc::emulator
