// `svc api METHOD PATH`: any request, with the right host and key.
#include <algorithm>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "base/text.h"
#include "catalogue/local_commands_fields.h"
#include "client/api_error.h"
#include "command_line/guesses.h"
#include "commands/command.h"
#include "http/sse.h"
#include "json/document.h"
#include "live/jsonl_session.h"
#include "live/live_channel.h"
#include "operation/plan.h"
#include "operation/runner.h"
#include "request/body.h"
#include "request/convert.h"
#include "request/media.h"

namespace svc::cli {
namespace {

using ApiFlags = Flags<catalogue::tool_commands::k_api_fields>;

Host host_of_path(sv path, const std::optional<std::string>& given) {
  if (given == "management") return Host::Management;
  if (given == "docs") return Host::Docs;
  if (given == "inference") return Host::Inference;
  for (const sv prefix : {"/auth/", "/audit/", "/v1/billing/", "/v1/collections"}) {
    if (path.starts_with(prefix)) return Host::Management;
  }
  if (path.starts_with("/api/mcp")) return Host::Docs;
  return Host::Inference;
}

Result<std::string> read_method(std::string text) {
  std::transform(text.begin(), text.end(), text.begin(),
                 [](unsigned char c) { return static_cast<char>(std::toupper(c)); });
  const bool letters =
      !text.empty() && text.size() <= 20 &&
      std::all_of(text.begin(), text.end(), [](char c) { return c >= 'A' && c <= 'Z'; });
  if (!letters) return usage_error("--method must be an HTTP method such as GET or POST");
  return text;
}

Result<std::string> read_path(sv flag, const std::string& text) {
  const bool clean = std::all_of(text.begin(), text.end(), [](char c) {
    return c > 0x20 && c < 0x7f && c != '{' && c != '}';
  });
  if (!text.starts_with('/') || text.starts_with("//") || !clean) {
    return usage_error(
        fmt::format("{} must start with a slash, such as /v1/models, not '{}'", flag, shown(text)),
        "The host comes from the configuration; --base-url changes it.");
  }
  return text;
}

/// The body: any JSON of --body; with --set, an object.
Result<Payload> read_body(Session& session, const request::Inputs& inputs) {
  if (!inputs.body && inputs.sets.empty()) return Payload();
  std::optional<std::string> piped;
  if (inputs.body == "-") {
    SVC_TRY(text, session.read_stdin());
    piped = std::move(text);
  }
  if (inputs.sets.empty() && inputs.body != "-") {
    SVC_TRY(any, request::resolve_json("--body", *inputs.body));
    return Payload(compact_json(any));
  }
  if (inputs.sets.empty()) {
    SVC_TRY(any, request::parse_user_json("--body (standard input)", piped.value_or("")));
    return Payload(compact_json(any));
  }
  SVC_TRY(body, request::base_body(inputs, piped));
  SVC_CHECK(request::apply_sets(body, inputs));
  return Payload(compact_json(body));
}

/// Writes the response as it arrives: events as lines with jsonl, otherwise bytes.
class Pass {
 public:
  explicit Pass(Session& session) : m_session(session) {}

  Result<void> bytes(sv piece) {
    if (m_first && m_session.out().terminal().is_tty &&
        request::sniff_type(piece) != "text/plain") {
      return Error{Fault::Local, "the response is binary and is not written to a terminal",
                   "Save it with -o FILE or pipe it to a program."};
    }
    SVC_CHECK(m_session.write_foreign(piece));
    m_first = false;
    if (!piece.empty()) m_last = piece.back();
    return m_session.out().flush();
  }

  Result<void> event(sv data) {
    if (data == "[DONE]") return {};
    return m_session.write_document(without_secrets_in_error(data, m_session.secrets()));
  }

  Result<void> finish() {
    if (!m_session.out().terminal().is_tty || m_last == '\n') return {};
    return m_session.out().write("\n");
  }

 private:
  Session& m_session;
  bool m_first = true;
  char m_last = '\n';
};

Result<void> deliver(Session& session, ApiClient& client, const request::Request& request) {
  Pass pass(session);
  if (session.format() == Format::Jsonl) {
    auto reply = client.stream(
        request, [&](sv data) { return pass.event(data); }, [&] { return session.out().flush(); });
    if (!reply) return std::move(reply).error();
    return reply->streamed
               ? pass.finish()
               : session.write_document(without_secrets_in_error(reply->body, session.secrets()));
  }
  if (session.format() == Format::Json) {
    SVC_TRY(reply, client.call(request));
    if (trim(reply.body).empty()) return {};
    return session.write_document(without_secrets_in_error(reply.body, session.secrets()));
  }
  const auto head = client.fetch(request, [&](sv piece) { return pass.bytes(piece); });
  if (!head) return head.error();
  return pass.finish();
}

/// `svc api --socket PATH`: sends standard input as messages and prints received messages. Ends
/// --linger after the end of the input, or when the service closes the connection. An abnormal
/// close is an error.
Result<void> run_api_socket(Session& session, const std::string& path) {
  const ApiFlags flags(session.inputs());
  const Operation operation{.group = "api",
                            .name = "",
                            .method = "GET",
                            .path = path,
                            .summary = "",
                            .host = Host::Realtime,
                            .reply = Reply::Socket};
  SVC_TRY(request, prepare_other(session, operation, {}));
  if (session.globals().shows_only()) {
    return show_socket(session, std::move(request));
  }
  SVC_TRY(channel, open_socket(session, request));
  JsonlSessionOptions options{.send_bytes = flags.get<"send">() == "binary",
                              .receive_bytes = flags.get<"receive">() == "binary"};
  if (const auto time = flags.get<"linger">()) options.linger = time;
  return run_jsonl_session(session, *channel, std::move(options));
}

}  // namespace

template <>
Result<void> run<Handler::Api>(Session& session) {
  const ApiFlags flags(session.inputs());
  if (const auto socket = flags.get<"socket">()) {
    SVC_TRY(where, read_path("--socket", *socket));
    return run_api_socket(session, where);
  }
  if (!flags.get<"method">() || !flags.get<"path">()) {
    const auto only = flags.get<"method">();
    const std::string hint = only ? command_hint(*only) : std::string();
    return usage_error(!only                    ? "missing method and path"
                       : only->starts_with('/') ? "missing method before the path"
                                                : "missing path after the method",
                       hint.empty() ? "For example: svc api GET /v1/models" : hint);
  }
  SVC_TRY(method, read_method(*flags.get<"method">()));
  SVC_TRY(path, read_path("--path", *flags.get<"path">()));
  SVC_TRY(body, read_body(session, session.inputs()));
  if (method == "HEAD" && !std::holds_alternative<std::monostate>(body)) {
    return usage_error("HEAD takes no body", "GET and the other methods do.");
  }
  const bool safe = method == "GET" || method == "HEAD";
  Operation operation{.group = "api",
                      .name = "",
                      .method = method,
                      .path = path,
                      .summary = "",
                      .host = host_of_path(path, flags.get<"host">())};
  operation.reply = Reply::Nothing;
  operation.repeat = safe || flags.is_true<"repeatable">() ? Repeat::Always : Repeat::Never;
  SVC_TRY(request, prepare_other(session, operation, {}));
  if (std::holds_alternative<std::monostate>(body) && session.inputs().headers.empty()) {
    request.headers.clear();  // no body, no Content-Type
  } else if (!std::holds_alternative<std::monostate>(body)) {
    set_default_header(request.headers, "Content-Type", "application/json");
  }
  request.body = std::move(body);
  SVC_TRY(approved, approve(session, request));
  if (!approved) return {};
  SVC_TRY(client, session.client(operation.host));
  if (!request.url.starts_with("http")) {
    SVC_TRY(base, session.base_url(operation.host));
    request.url = base + request.url;
  }
  return deliver(session, *client, request);
}

}  // namespace svc::cli
