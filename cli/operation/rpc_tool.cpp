#include "operation/rpc_tool.h"

#include <algorithm>
#include <array>
#include <utility>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "base/text.h"
#include "client/api_error.h"
#include "client/list_items.h"
#include "http/sse.h"
#include "json/document.h"
#include "json/slices.h"
#include "json/text.h"
#include "mcp/message.h"
#include "operation/answer_printer.h"
#include "operation/runner.h"
#include "request/body.h"

namespace svc::cli {
namespace {

/// Tools report a missing page only in words.
bool means_not_found(sv text) {
  constexpr std::array<sv, 6> k_words = {"not found",    "no page",      "no such",
                                         "unknown page", "unknown slug", "does not exist"};
  return std::ranges::any_of(k_words, [&](sv word) { return contains_ignore_case(text, word); });
}

/// A protocol-level error: -32700 to -32600 reject the message, -32603 is the server's own failure.
Error protocol_error(const mcp::RpcMessage& message, std::span<const std::string> secrets) {
  const std::string said = redacted(message.error_message, secrets, 2000);
  Error error = mcp::error_of(message);
  if (message.code == mcp::k_invalid_params && means_not_found(said)) error.fault = Fault::NotFound;
  const sv words = message.code == mcp::k_internal_error ? "the server failed"
                   : error.fault == Fault::NotFound      ? "not found on the server"
                                                         : "the server rejected the call";
  error.message = said.empty() ? std::string(words) : fmt::format("{}: {}", words, said);
  return error;
}

/// Writes the body's bytes as they arrive; the parsed body still determines the exit code.
class RawRun {
 public:
  explicit RawRun(Session& session) : m_session(session), m_reader(session.secrets()) {}

  Result<std::string> run(ApiClient& client, const request::Request& request) {
    const auto head = client.fetch(request, [this](sv bytes) { return take(bytes); });
    if (!head && !m_reader.answered()) return head.error();
    if (!m_events) SVC_CHECK(m_reader.feed(m_body));
    return m_reader.finish();
  }

 private:
  Result<void> take(sv bytes) {
    SVC_CHECK(m_session.write_foreign(bytes));
    SVC_CHECK(m_session.out().flush());
    if (m_body.empty() && !m_events) m_events = !trim(bytes).starts_with('{');
    if (m_events) {
      return m_parser.feed(
          bytes, [this](const http::SseEvent& event) { return m_reader.feed(event.data); });
    }
    if (m_body.size() + bytes.size() > http::k_max_collected_body) {
      return Error{Fault::Network, fmt::format("the response exceeds {}",
                                               format_bytes(http::k_max_collected_body))};
    }
    m_body += bytes;
    return {};
  }

  Session& m_session;
  RpcReader m_reader;
  http::SseParser m_parser{};
  std::string m_body{};
  bool m_events = false;
};

/// Sends the request and returns the `result` of its response, from a document or an event stream;
/// does not wait for the stream to end after that.
Result<std::string> call_rpc(ApiClient& client, const request::Request& request) {
  RpcReader reader(client.policy().secrets);
  const auto reply = client.stream(request,
                                   [&reader](sv data) -> Result<void> {
                                     if (trim(data).empty()) return {};
                                     SVC_CHECK(reader.feed(data));
                                     // Ends the stream early.
                                     return reader.answered()
                                                ? Result<void>(Error{Fault::Unexpected, "enough"})
                                                : Result<void>();
                                   },
                                   {});
  if (!reply && !reader.answered()) return reply.error();
  if (reply && !reply->streamed) {
    if (trim(reply->body).empty()) {
      return Error{Fault::Network,
                   fmt::format("the server accepted the call (HTTP {}) but sent no response",
                               reply->head.status)};
    }
    SVC_CHECK(reader.feed(reply->body));
  }
  return reader.finish();
}

/// Parses a Markdown list of pages, one "- [title](slug)" per line; empty if any line differs.
std::vector<std::string> listed_pages(sv text) {
  std::vector<std::string> pages;
  for (const sv whole : split(text, '\n')) {
    const sv line = trim(whole);
    if (line.empty()) continue;
    const std::size_t middle = line.rfind("](");
    const bool link = (line.starts_with("- [") || line.starts_with("* [")) && line.ends_with(')');
    if (!link || middle == sv::npos) return {};
    const std::string title(line.substr(3, middle - 3));
    const std::string slug(line.substr(middle + 2, line.size() - middle - 3));
    pages.push_back(compact_json(OrderedJson{{"slug", slug}, {"title", title}}));
  }
  return pages;
}

/// A list's text is an array of items, or has a page on each line; otherwise the parts of the
/// response are the items.
Result<void> write_result(Session& session, const Operation& operation, const std::string& result) {
  if (operation.items.empty()) return session.write_document(result);
  SVC_TRY(parts, list_items(operation, result, session.secrets()));
  const auto only = parts.size() == 1 ? parse_reply(parts.front()) : nlohmann::json();
  const std::string text = only.is_object() ? text_member(only, "text") : std::string();
  const std::vector<std::string> pages = listed_pages(text);
  const bool array = trim(text).starts_with('[') && !check_json(text);
  return write_list(session, !pages.empty() ? std::vector<sv>(pages.begin(), pages.end())
                             : array        ? json_elements(trim(text))
                                            : parts);
}

}  // namespace

Result<void> RpcReader::feed(sv text) {
  auto messages = mcp::read_messages(text);
  if (!messages) {
    return Error{Fault::Network,
                 fmt::format("response is {}", redacted(messages.error().message, m_secrets, 300)),
                 "Check the documentation URL with `svc doctor`."};
  }
  for (mcp::RpcMessage& message : *messages) {
    if (m_result) break;
    if (!message.method.empty()) continue;
    const std::string id = std::to_string(request::k_rpc_id);
    const bool ours = message.id == id || message.id == json_quote(id);
    // An error without an ID refers to an unreadable message, which was ours.
    const bool unreadable = message.id.empty() || message.id == "null";
    if (message.kind == mcp::MessageKind::Error && (ours || unreadable)) {
      return protocol_error(message, m_secrets);
    }
    if (ours) m_result = std::move(message.result);
    m_other_id = !ours;
  }
  return {};
}

Result<std::string> RpcReader::finish() {
  if (m_result) return *std::move(m_result);
  return Error{Fault::Network,
               m_other_id ? "the server responded to a different call"
                          : "the stream ended without a response to the call",
               "Try again; `svc doctor` checks the URL."};
}

Result<mcp::ToolResult> read_tool_answer(sv result, std::span<const std::string> secrets) {
  SVC_TRY(given, mcp::read_tool_result(result));
  if (!given.text.empty() && !given.text.ends_with('\n')) given.text += '\n';
  if (!given.failed) return std::move(given);
  const std::string message = redacted(given.text, secrets, 2000);
  const bool absent = means_not_found(message);
  return Error{absent ? Fault::NotFound : Fault::Service,
               message.empty() ? std::string("the tool failed without a reason")
                               : fmt::format("the tool failed: {}", message),
               absent ? "`svc docs list` lists the pages." : ""};
}

Result<void> run_tool(Session& session, ApiClient& client, const request::Request& request) {
  const Format format = session.format();
  session.progress().start(fmt::format("svc {}", command_name(*request.operation, true)));
  Result<std::string> result =
      format == Format::Raw ? RawRun(session).run(client, request) : call_rpc(client, request);
  session.progress().finish();
  if (!result) return std::move(result).error();
  if (format == Format::Json || format == Format::Jsonl) {
    SVC_CHECK(write_result(session, *request.operation, *result));
    SVC_CHECK(session.out().flush());
  }
  if (!request.operation->items.empty() && json_member(*result, "isError") != "true") {
    const auto items = list_items(*request.operation, *result, session.secrets());
    if (items && items->empty()) {
      if (format == Format::Text) note_empty(session);
      return {};
    }
  }
  SVC_TRY(said, read_tool_answer(*result, session.secrets()));
  if (format != Format::Text) return {};
  // A page is Markdown, like an answer; JSON from a list is not changed.
  const bool json = !check_json(said.text);
  SVC_CHECK(json ? session.write_foreign(said.text) : show_document(session, said.text));
  SVC_CHECK(session.out().flush());
  note_media(session, said.media);
  return {};
}

void note_media(Session& session, std::span<const mcp::MediaPart> parts) {
  for (const mcp::MediaPart& part : parts) {
    session.notices().note(fmt::format("{} of {} is not shown; use --json to get it",
                                       format_bytes(part.base64.size() / 4 * 3), shown(part.type)));
  }
}

}  // namespace svc::cli
