// Input and output of the emulator's handlers: one HTTP request and its response, without sockets.
// Also what every part of the emulator uses: files that include this one need none of its includes.
#pragma once

#include <algorithm>
#include <array>
#include <cctype>
#include <chrono>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <deque>
#include <exception>
#include <functional>
#include <limits>
#include <map>
#include <memory>
#include <mutex>
#include <optional>
#include <set>
#include <span>
#include <stop_token>
#include <string>
#include <string_view>
#include <type_traits>
#include <utility>
#include <variant>
#include <vector>

#include <fmt/format.h>

#include "base/base64.h"
#include "base/clock.h"
#include "base/file_backed_buffer.h"
#include "base/message.h"
#include "base/result.h"
#include "base/text.h"

namespace svc::emulator {

/// Whether an element (or that member of one) equals `value`.
template <typename Range, typename Value, typename Member = std::identity>
[[nodiscard]] constexpr bool has_element(const Range& range, const Value& value,
                                         Member member = {}) {
  return std::ranges::find(range, value, member) != std::ranges::end(range);
}

struct HttpRequest {
  std::string method{};
  std::string target{};  ///< path and query, as sent
  std::vector<Header> headers{};
  std::string body{};
  std::string scope{};                            ///< the test that it belongs to; empty: none
  bool from_loopback = true;                      ///< the peer has a loopback address
  bool tls = false;                               ///< received over TLS
  std::shared_ptr<FileBackedBuffer> body_file{};  ///< contains it instead, if Route::spool is set
  std::stop_token stop{};  ///< for RunOn::Worker: requested when the client waits no longer

  /// Returns the target up to the question mark, still encoded.
  [[nodiscard]] sv raw_path() const { return sv(target).substr(0, target.find('?')); }
  /// Returns the value of the first header with this name, case-insensitively; "" if there is none.
  [[nodiscard]] sv header(sv name) const;
};

/// Returns the first header with this name, case-insensitively; null if there is none.
[[nodiscard]] const Header* find_header(const std::vector<Header>& headers, sv name);

/// Precedes a test's name in a path: every path exists below /_test/NAME, too.
inline constexpr sv k_scope_prefix = "/_test/";

/// Sets the scope of a request: the header X-Test-Id, the name in `/_test/NAME/…`, which is removed
/// from the target, or that in the key `svc-demo-key.NAME`, which is removed from the key.
void take_scope(HttpRequest& request);

/// Returns the query of a target, decoded, in order.
[[nodiscard]] std::vector<Header> parse_query(sv target);

/// `units` of something at `unit_ticks` each (100,000,000 ticks are one US cent).
struct Charge {
  std::string description{};  ///< as on the bill: "svc-4.5 prompt tokens"
  std::string unit{};         ///< "token", "image", "second", "request"
  std::int64_t units = 0, unit_ticks = 0;
};

/// Returns the total cost in ticks.
[[nodiscard]] constexpr std::int64_t total_ticks(std::span<const Charge> charges) {
  std::int64_t sum = 0;
  for (const Charge& charge : charges) sum += charge.units * charge.unit_ticks;
  return sum;
}

class State;
struct Controls;     // control/control.h
struct SocketOffer;  // handler/socket.h

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
  bool disabled = false, blocked = false, team_blocked = false;
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
  std::uint64_t number = 0;      ///< in the log of requests; 0: it is not there
  std::string request_id{};      ///< the value of the x-request-id response header
  std::string batch_key_id{};  ///< for a batch's request: the ID of the key that created the batch
  std::optional<std::string> client_secret{};  ///< SecretGrant::session, if one was used

  [[nodiscard]] std::optional<std::string> query_value(sv name) const;
  [[nodiscard]] std::optional<std::string> header(sv name) const;
};

/// One chunk of a streamed response (for SSE, a complete event), and the delay before it.
struct StreamChunk {
  std::string bytes;
  std::chrono::milliseconds delay{0};
  std::size_t tokens = 0;  ///< for a rule's rate: the words of text, 0 if `delay` is the rule's
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
  std::shared_ptr<SocketOffer> socket{};  ///< status 101: it takes over the connection
};

/// Sets a header, or the content type, in place of one with the same name.
void set_header(Response& response, const Header& header);

using Handler = std::function<Response(const Request&)>;

/// Json: a JSON document with its content type, otherwise 415 or 400. Free: the handler checks it.
enum class Input : std::uint8_t { Json, Free };

/// Which keys may use a route. Any: also disabled and blocked ones. None: no key at all.
/// Management: a management key of the team in the path; errors are the management service's.
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
using SecretLookup = std::function<Result<std::optional<SecretGrant>>(State& state, sv value)>;

/// The default maximum size of a request's body.
inline constexpr std::uint64_t k_max_request_body = 64ULL << 20U;

/// A row of the routing table; `{name}` in a path matches one segment.
struct Route {
  std::string method;
  std::string path;
  Handler handler;
  std::string endpoint_acl{};  ///< the name in `api-key:endpoint:<name>`; empty: any key
  Input input = Input::Json;   ///< checked for POST, PUT and PATCH
  KeyRequirement key = KeyRequirement::Usable;
  std::uint64_t max_body = k_max_request_body;  ///< larger ones are refused with 413
  RunOn run = RunOn::Loop;
  bool spool = false;      ///< a large body is written to Request::body_file as it arrives
  SecretLookup secrets{};  ///< also accepts client secrets; empty: API keys only
  std::vector<std::string> query{};  ///< of a control operation: its query parameters
};

/// Whether the key has the ACL `api-key:<kind>:<name>` or `api-key:<kind>:*`.
[[nodiscard]] bool has_acl(const KeyRecord& key, sv kind, sv name);

/// Whether the key may use the model. `model` is the canonical name.
[[nodiscard]] inline bool may_use_model(const KeyRecord& key, sv model) {
  return has_acl(key, "model", model);
}

// --- errors in the service's own shapes -----------------------------------

/// text/plain.
[[nodiscard]] Response text_response(int status, std::string text);

/// `{"code": …, "error": …}`.
[[nodiscard]] Response error_response(int status, sv code, sv message);

/// The same with the service's code for that status: 400, 401, 403, 404, 429, 500 or 503.
[[nodiscard]] Response error_response(int status, sv message);

/// 400, "Client specified an invalid argument".
[[nodiscard]] inline Response invalid_argument_error(sv message) {
  return error_response(400, message);
}

/// 403, "The caller does not have permission to execute the specified operation".
[[nodiscard]] inline Response permission_denied_error(sv message) {
  return error_response(403, message);
}

/// 404, "Some requested entity was not found".
[[nodiscard]] inline Response not_found_error(sv message) {
  return error_response(404, message);
}

/// 429, "Some resource has been exhausted"; with Retry-After if waiting helps.
[[nodiscard]] Response resource_exhausted_error(sv message, std::int64_t retry_after_s = 0);

/// The message, and what to do about it, as sentences.
[[nodiscard]] inline std::string sentences_of(const Error& error) {
  return fmt::format("{}{}{}{}", error.message, error.message.ends_with('.') ? "" : ".",
                     error.hint.empty() ? "" : " ", error.hint);
}

/// 503, "The service is currently unavailable".
[[nodiscard]] inline Response unavailable_error(sv message) {
  return error_response(503, message);
}

/// 422 text/plain: "Failed to deserialize the JSON body into the target type: …".
[[nodiscard]] Response schema_mismatch_error(sv path, sv reason, std::size_t line,
                                             std::size_t column);

/// 403 for a model that the key has no ACL for.
[[nodiscard]] Response model_access_error(sv model);

/// 500 for an error of the emulator itself, such as a state file that is not writable.
[[nodiscard]] inline Response internal_error(const Error& error) {
  return error_response(500, error.message);
}

/// A value, or the response that refuses the request; usable with SVC_TRY.
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
[[nodiscard]] std::string public_file_url(const std::string& address, sv token, sv filename);

/// Bytes as an answer (RFC 9110, section 14): 200 with all of `data`, 206 with the part that the
/// Range header asks for while If-Range allows it, or 416.
[[nodiscard]] Response serve_bytes(const Request& request, std::string data,
                                   std::string content_type, sv etag, std::int64_t modified_s);

namespace text {

// A streamed response, generated while it is sent, so that memory use does not grow.

/// Where a chunk of a run's text ends, and the delay before the chunk.
struct Cut {
  std::size_t end = 0;
  std::chrono::milliseconds delay{0};
};

/// Several events: one for each word-sized chunk of `text`, or exactly one if `whole` is true.
struct Run {
  /// Returns the event data for a chunk. `last` is true for the last chunk of the run.
  std::function<std::string(sv chunk, bool last)> event;
  std::string text{};
  bool whole = true;
  std::string name{};       ///< event name; empty: none
  std::vector<Cut> cuts{};  ///< all chunks of `text`; empty: words
};

/// A single event with this data.
[[nodiscard]] Run single(std::string data, std::string name = {});

struct Feed {
  std::vector<std::vector<Run>> lanes{};  ///< interleaved, one event from each in turn
  std::vector<Run> tail{};                ///< after all lanes
  bool done_mark = true;                  ///< ends with `data: [DONE]`
  std::chrono::milliseconds delay{0};     ///< before each chunk of text
};

/// Returns a text/event-stream response that sends `feed`.
[[nodiscard]] Response stream(Feed feed);

/// Returns the end of the chunk of `text` that starts at `begin`: spaces, then a word.
[[nodiscard]] std::size_t chunk_end(sv text, std::size_t begin);

}  // namespace text

// The operations of each area, defined there and joined in api/routes.cpp.

namespace realtime {
class Speech;
}

struct VideoOptions {
  /// Duration of a video. The request header `x-emulator-video-ms` overrides it.
  std::chrono::milliseconds render_time{3000};
};

/// The service's operations, without the emulator's control operations (server/control.cpp).
[[nodiscard]] std::vector<Route> all_routes(const VideoOptions& videos = {});

/// GET /v1/api-key.
[[nodiscard]] std::vector<Route> api_key_routes();

/// GET /v1/models[/{model_id}], and likewise for each kind of models.
[[nodiscard]] std::vector<Route> model_routes();

/// POST /v1/tokenize-text.
[[nodiscard]] std::vector<Route> tokenize_routes();

/// Chat, deferred chat, Responses and compaction.
[[nodiscard]] std::vector<Route> text_routes();

/// POST /v1/completions, /v1/messages and /v1/complete, which share their implementation with chat.
[[nodiscard]] std::vector<Route> legacy_routes();

/// Files, chunked uploads, and GET of a public URL, without a key.
[[nodiscard]] std::vector<Route> file_routes();

/// Added requests are processed by batches::Worker.
[[nodiscard]] std::vector<Route> batch_routes();

/// The documentation MCP server: Streamable HTTP, stateless, without a key.
[[nodiscard]] std::vector<Route> docs_routes();

/// Creating and editing images, and fetching deferred ones.
[[nodiscard]] std::vector<Route> image_routes();

/// Creating, editing and extending videos, and fetching them.
[[nodiscard]] std::vector<Route> video_routes(VideoOptions options = {});

/// GET and HEAD /_media/{name}. A request with a key is refused, to detect clients that leak it.
[[nodiscard]] std::vector<Route> media_routes();

/// The eight operations under /auth and GET /auth/management-keys/validation.
[[nodiscard]] std::vector<Route> key_routes();

/// The operations under /v1/billing, and POST /_emulator/credit, which sets the demo team's credit.
[[nodiscard]] std::vector<Route> billing_routes();

/// /v1/collections of the management host, and /v1/documents/search of the inference host.
[[nodiscard]] std::vector<Route> collection_routes();

/// POST /v1/tts, GET /v1/tts/voices[/{voice_id}], and the socket /v1/tts.
[[nodiscard]] std::vector<Route> tts_routes();

/// POST /v1/stt and the socket /v1/stt.
[[nodiscard]] std::vector<Route> stt_routes();

/// Phone numbers, call control, POST /_emulator/calls and GET /_emulator/calls/{call_id}.
[[nodiscard]] std::vector<Route> phone_routes();

/// POST /v1/realtime/client_secrets and the socket /v1/realtime.
[[nodiscard]] std::vector<Route> realtime_routes(
    std::shared_ptr<const realtime::Speech> speech = nullptr);

}  // namespace svc::emulator
