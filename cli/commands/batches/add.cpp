// `svc batches add ID FILE`: sends the requests of a JSON Lines file, in either format, in one
// call.
#include <set>

#include <fmt/format.h>

#include "base/text.h"
#include "batch/line_reader.h"
#include "batch/request_line.h"
#include "batch/uploader.h"
#include "catalogue/batches_fields.h"
#include "commands/command.h"
#include "json/slices.h"
#include "json/text.h"
#include "operation/plan.h"
#include "operation/runner.h"
#include "request/convert.h"

namespace svc::cli {
namespace {

constexpr std::size_t k_max_reported = 20;

Result<std::string> read_source(Session& session, const std::string& path) {
  if (path != "-") return request::read_named_file("--file", path);
  SVC_TRY(piped, session.read_stdin());
  if (!piped) return usage_error("standard input is empty", "Pass a FILE.");
  return *std::move(piped);
}

/// Collects the requests for `batch_requests`.
class Collection {
 public:
  /// `is_inline`: the requests come from a flag and are numbered, not identified by line.
  Collection(Session& session, bool is_inline) : m_session(session), m_inline(is_inline) {}

  Result<std::string> read(const std::string& text) {
    if (trim(text).starts_with('[')) {
      if (const auto fault = check_json(text)) return usage_error(svc::describe(*fault));
      std::uint64_t number = 0;
      for (const sv element : json_elements(trim(text))) add(element, ++number);
    } else {
      SVC_CHECK(read_lines(text));
    }
    if (m_bad > 0) {
      return usage_error(fmt::format("{} invalid requests; nothing was sent", m_bad));
    }
    if (m_body.empty()) {
      return usage_error(m_inline ? "--batch-requests is empty" : "the file contains no request");
    }
    return fmt::format(R"({{"batch_requests":[{}]}})", m_body);
  }

 private:
  Result<void> read_lines(const std::string& text) {
    std::size_t at = 0;
    batch::LineReader reader(
        [&](char* buffer, std::size_t size) -> Result<std::size_t> {
          const std::size_t count = text.copy(buffer, size, at);
          at += count;
          return count;
        },
        batch::k_max_call_bytes);
    batch::Line line;
    while (true) {
      SVC_TRY(any, reader.next(line));
      if (!any) return {};
      if (!trim(line.text).empty()) add(line.text, line.number);
    }
  }

  void add(sv text, std::uint64_t number) {
    const batch::ParsedRequestLine read =
        batch::read_request_line(text, number, batch::RequestFormat::Added);
    auto errors = read.errors;
    if (!read.entry.id.empty() && !m_ids.insert(read.entry.id).second) {
      errors.push_back(
          {number, 0, fmt::format("the ID '{}' is already used", shown(read.entry.id))});
    }
    if (!errors.empty()) ++m_bad;
    for (const batch::LineError& fault : errors) {
      if (++m_reported > k_max_reported) continue;
      m_session.notices().warning(
          m_inline ? fmt::format("--batch-requests, request {}: {}", number, fault.message)
                   : batch::describe(fault));
    }
    if (!errors.empty()) return;
    if (!m_body.empty()) m_body += ',';
    batch::append_request_line(m_body, *read.entry.endpoint, read.entry.id, read.entry.body, {},
                               batch::RequestFormat::Added);
  }

  Session& m_session;
  bool m_inline;
  std::string m_body{};
  std::set<std::string> m_ids{};
  std::size_t m_bad = 0;
  std::size_t m_reported = 0;
};

}  // namespace

template <>
Result<void> run<Handler::BatchesAdd>(Session& session) {
  const auto file = Flags<catalogue::batches::k_add_fields>(session.inputs()).get<"file">();
  const Operation& operation = *session.invocation().operation;
  SVC_TRY(request, prepare(session, operation, session.invocation().inputs));
  if (!file) {
    // A body given by flag is sent unchanged, once it has been checked.
    const auto* given = std::get_if<std::string>(&request.body);
    const auto requests = given != nullptr ? json_member(*given, "batch_requests") : std::nullopt;
    if (!requests || !requests->starts_with('[')) {
      return usage_error("no requests to add",
                         "Pass a FILE of JSON Lines, or --batch-requests JSON.");
    }
    SVC_TRY(checked, Collection(session, true).read(std::string(*requests)));
    (void)checked;
    return run_operation(session);
  }
  SVC_TRY(text, read_source(session, *file));
  SVC_TRY(body, Collection(session, false).read(text));
  if (body.size() > batch::k_max_call_bytes) {
    return usage_error(
        fmt::format("the requests total {}; one call takes up to {}", format_bytes(body.size()),
                    format_bytes(batch::k_max_call_bytes)),
        "`svc batches run FILE` splits any number of requests into several calls.");
  }
  request.body = std::move(body);
  set_default_header(request.headers, "Content-Type", "application/json");
  SVC_TRY(approved, approve(session, request));
  if (!approved) return {};
  SVC_TRY(client, open_client(session, request));
  return send(session, *client, request);
}

}  // namespace svc::cli
