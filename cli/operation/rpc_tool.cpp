// Tools of the documentation server: called with JSON-RPC, their text shown.
#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "base/text.h"
#include "client/list_items.h"
#include "client/rpc.h"
#include "http/sse.h"
#include "json/document.h"
#include "json/slices.h"
#include "json/text.h"
#include "operation/answer_printer.h"
#include "operation/runner.h"
#include "request/body.h"

namespace svc::cli {
namespace {

/// Writes the body's bytes as they arrive; the parsed body still determines the exit code.
class RawRun {
 public:
  explicit RawRun(Session& session)
      : m_session(session), m_reader(request::k_rpc_id, session.secrets()) {}

  Result<std::string> run(ApiClient& client, const request::Request& request) {
    const auto head = client.fetch(request, [this](sv bytes) { return take(bytes); });
    if (!head && !m_reader.answered()) return head.error();
    if (!m_events) SVC_CHECK(m_reader.take(m_body));
    return m_reader.finish();
  }

 private:
  Result<void> take(sv bytes) {
    SVC_CHECK(m_session.write_foreign(bytes));
    SVC_CHECK(m_session.out().flush());
    if (m_body.empty() && !m_events) m_events = !trim(bytes).starts_with('{');
    if (m_events) {
      return m_parser.feed(
          bytes, [this](const http::SseEvent& event) { return m_reader.take(event.data); });
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

/// A page is Markdown, like an answer; JSON from a list is not changed.
Result<void> write_text(Session& session, const std::string& text) {
  if (!renders(session) || !check_json(text)) return session.write_foreign(text);
  print::MarkdownStream markdown(session.out().terminal());
  std::string shown = markdown.feed(text);
  shown += markdown.finish();
  return session.out().write(shown);
}

}  // namespace

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
    if (items && items->empty()) return {};
  }
  SVC_TRY(said, read_tool_result(*result, session.secrets()));
  if (format != Format::Text) return {};
  SVC_CHECK(write_text(session, said.text));
  SVC_CHECK(session.out().flush());
  for (const std::string& other : said.others) {
    session.notices().note(fmt::format("{} is not shown; use --json to get it", other));
  }
  return {};
}

}  // namespace svc::cli
