// What a handler of the emulator is given and gives: one HTTP exchange, without sockets.
#pragma once

#include <chrono>
#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <span>
#include <stop_token>
#include <string>
#include <string_view>
#include <utility>
#include <variant>
#include <vector>

#include "base/message.h"
#include "base/result.h"
#include "emulator/handler/handler.h"

namespace svc::emulator {

/// `units` of something, each for `unit_ticks` (100,000,000 ticks are one US cent).
struct Charge {
  std::string description{};  ///< what a bill says: "svc-4.5 prompt tokens"
  std::string unit{};         ///< "token", "image", "second", "request"
  std::int64_t units = 0;
  std::int64_t unit_ticks = 0;
};

/// What all of them cost together, in ticks.
[[nodiscard]] constexpr std::int64_t total_ticks(std::span<const Charge> charges) {
  std::int64_t sum = 0;
  for (const Charge& charge : charges) sum += charge.units * charge.unit_ticks;
  return sum;
}

class State;
class BodyFile;      // http_call.h
struct SocketOffer;  // socket.h

/// What the emulator knows of the key that a request carries.
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
  std::optional<std::int64_t> qps{}, qpm{}, tpm{};  ///< the key's own limits
};

/// A request, read whole.
struct Call {
  std::string method{};
  std::string path{};                           ///< decoded, without query
  std::map<std::string, std::string> params{};  ///< the {parameters} of the route
  std::vector<Header> query{};                  ///< decoded, in order
  std::vector<Header> headers{};
  std::string body{};
  bool tls = false;  ///< it came over TLS
  KeyRecord key{};
  State* state = nullptr;                       ///< never null while a handler runs
  std::string request_id{};                     ///< what x-request-id will say
  std::shared_ptr<const BodyFile> body_file{};  ///< holds the body instead (Route::spool)
  std::string batch_key_id{};  ///< of a batch's request: the id of the key that made the batch
  std::optional<std::string> client_secret{};  ///< SecretGrant::session, when one was used
  std::stop_token stop{};  ///< of a route with RunOn::Worker: nobody waits for the answer any more

  [[nodiscard]] std::optional<std::string> query_value(std::string_view name) const;
  [[nodiscard]] std::optional<std::string> header(std::string_view name) const;
};

/// One piece of a streamed answer: bytes as they go out (for SSE a whole `data: …\n\n`), and how
/// long to wait before them.
struct Piece {
  std::string bytes;
  std::chrono::milliseconds delay{0};
};

/// A whole answer, or one that is streamed: then `next` is called until it gives nothing.
struct Answer {
  int status = 200;
  std::vector<Header> headers{};
  std::string content_type = "application/json";
  std::string body{};
  std::function<std::optional<Piece>()> next{};
  std::int64_t tokens = 0;        ///< used by this call; counted against the limits of the key
  std::vector<Charge> charges{};  ///< what it costs; the dispatcher books it on the key's team
  std::shared_ptr<SocketOffer> socket{};  ///< status 101: what goes on as a WebSocket
};

using Handler = std::function<Answer(const Call&)>;

/// What a route asks of a request's body. Json: a JSON document with its content type, else 415 or
/// 400 before the handler runs. Free: the handler looks itself.
enum class Input : std::uint8_t { Json, Free };

/// Which keys may use a route. Any: also disabled, blocked and powerless ones. None: no key at all.
/// Management: a management key of the team that `{teamId}` or `{team_id}` in the path names; such
/// a route refuses with the management service's errors (account/management.h).
enum class KeyNeed : std::uint8_t { Usable, Any, None, Management };

/// Where a handler, and the `next` of its answer, runs. Loop: on a thread that serves connections,
/// so it must be quick. Worker: on a thread that may take its time.
enum class RunOn : std::uint8_t { Loop, Worker };

/// What a client secret stands for.
struct SecretGrant {
  KeyRecord key;          ///< the key that made it
  std::string session{};  ///< the session configuration stored with it, JSON; "" for none
};

/// Finds a client secret that is still valid.
using SecretLookup =
    std::function<Result<std::optional<SecretGrant>>(State& state, std::string_view value)>;

/// How large a request's body may be, where a route says nothing else.
inline constexpr std::uint64_t k_max_request_body = 64ULL << 20U;

/// A row of the routing table; `{name}` in a path matches one segment.
struct Route {
  std::string method;
  std::string path;
  Handler handler;
  std::string
      endpoint_acl{};  ///< the name in `api-key:endpoint:<name>` that a key needs; empty: any key
  Input input = Input::Json;  ///< looked at for POST, PUT and PATCH
  KeyNeed key = KeyNeed::Usable;
  std::uint64_t max_body = k_max_request_body;  ///< a larger one is refused with 413 on its way
  RunOn run = RunOn::Loop;
  bool spool = false;      ///< a large body goes to Call::body_file as it arrives
  SecretLookup secrets{};  ///< takes client secrets too; empty: API keys only
};

/// May this key use that model (`api-key:model:<name>`)? `model` is the canonical name.
[[nodiscard]] bool may_use_model(const KeyRecord& key, std::string_view model);

// --- errors in the service's own shapes -----------------------------------

/// `{"code": …, "error": …}`.
[[nodiscard]] Answer refuse(int status, std::string_view code, std::string_view message);

/// 400, "Client specified an invalid argument".
[[nodiscard]] Answer refuse_argument(std::string_view sentence);

/// 403, "The caller does not have permission to execute the specified operation".
[[nodiscard]] Answer refuse_permission(std::string_view sentence);

/// 404, "Some requested entity was not found".
[[nodiscard]] Answer refuse_missing(std::string_view sentence);

/// 429, "Some resource has been exhausted"; with Retry-After when there is something to wait for.
[[nodiscard]] Answer refuse_exhausted(std::string_view sentence, std::int64_t retry_after_s = 0);

/// 503, "The service is currently unavailable".
[[nodiscard]] Answer refuse_unavailable(std::string_view sentence);

/// 422 text/plain: "Failed to deserialize the JSON body into the target type: …".
[[nodiscard]] Answer refuse_schema(std::string_view path, std::string_view reason, std::size_t line,
                                   std::size_t column);

/// 403 for a model that the key has no ACL for.
[[nodiscard]] Answer refuse_model(std::string_view model);

/// 500 for an error of the emulator itself, such as a state that cannot be written.
[[nodiscard]] Answer refuse_internal(const Error& error);

/// A value, or the answer that refuses the request: what Result is to errors, for SVC_TRY too.
template <typename T>
class [[nodiscard]] Checked {
 public:
  Checked(T value) : m_state(std::in_place_index<0>, std::move(value)) {}
  Checked(Answer refusal) : m_state(std::in_place_index<1>, std::move(refusal)) {}

  explicit operator bool() const noexcept { return m_state.index() == 0; }
  [[nodiscard]] T& operator*() { return std::get<0>(m_state); }
  [[nodiscard]] Answer&& error() && { return std::get<1>(std::move(m_state)); }

 private:
  std::variant<T, Answer> m_state;
};

/// What a store gave, or the 500 for its error.
template <typename T>
Checked<T> checked(Result<T> outcome) {
  if (!outcome) return refuse_internal(outcome.error());
  return *std::move(outcome);
}

/// What a store found; `missing` when there is nothing.
template <typename T>
Checked<T> found_or(Result<std::optional<T>> outcome, Answer missing) {
  if (!outcome) return refuse_internal(outcome.error());
  if (!*outcome) return missing;
  return **std::move(outcome);
}

/// The same for what gives nothing, and for what was found or not: for SVC_CHECK.
inline Checked<std::monostate> checked(Result<void> outcome) {
  if (!outcome) return refuse_internal(outcome.error());
  return std::monostate{};
}
inline Checked<std::monostate> found_or(Result<bool> found, Answer missing) {
  if (!found) return refuse_internal(found.error());
  if (!*found) return missing;
  return std::monostate{};
}

/// The answer that a transaction gave, or the 500 for its error.
[[nodiscard]] inline Answer answer_of(Result<Answer> outcome) {
  return outcome ? *std::move(outcome) : refuse_internal(outcome.error());
}

/// "http://127.0.0.1:8080": the scheme and host by which this request came. A request without a
/// plain host and port gets "http://127.0.0.1".
[[nodiscard]] std::string own_address(const Call& call);

/// The URL of a file's public copy; "" when it has none. `token` is
/// StoredFile::public_token.
[[nodiscard]] std::string public_file_url(const std::string& address, std::string_view token,
                                          std::string_view filename);

// --- ids: a seed makes them repeat, for tests that compare whole answers -------

/// From now on new_uuid() gives the row of ids that belongs to this seed, from its beginning.
void seed_ids(std::uint64_t seed);

/// 36 characters, random (version 4) unless a seed was given. Safe for several threads.
[[nodiscard]] std::string new_uuid();

/// Bytes of one content type as an answer (RFC 9110, section 14): 200 with all of `data`, 206 with
/// the part that the Range header asks for while If-Range allows it, or 416. Several ranges at once
/// are answered with the whole.
[[nodiscard]] Answer serve_bytes(const Call& call, std::string data, std::string content_type,
                                 std::string_view etag, std::int64_t modified_s);

}  // namespace svc::emulator
