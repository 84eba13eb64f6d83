// Lists across their pages: one document, one line per item, or one table.
#include <algorithm>
#include <unordered_set>
#include <utility>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "base/text.h"
#include "base/url.h"
#include "json/document.h"
#include "json/slices.h"
#include "operation/batch_view.h"
#include "operation/runner.h"
#include "print/json.h"
#include "print/table.h"

namespace svc::cli {
namespace {

constexpr std::uint64_t k_default_limit = 100;

/// The value of a JSON string without escapes, or a literal as it stands; "" for null.
std::string scalar(std::optional<sv> text) {
  if (!text || *text == "null") return {};
  const auto value = parse_reply(*text);
  return value.is_string() ? value.get<std::string>() : std::string(*text);
}

class List {
 public:
  List(Session& session, ApiClient& client, const Operation& operation)
      : m_session(session),
        m_client(client),
        m_operation(operation),
        m_paging(*operation.paging),
        m_table(session.out(), operation.columns, session.globals().verbose),
        m_array(session.out()) {}

  Result<void> run() {
    SVC_TRY(request, prepare(m_session, m_operation, m_session.invocation().inputs));
    SVC_CHECK(read_flags());
    const std::string url = request.url;
    m_session.progress().start(fmt::format("Listing {}", m_operation.group), print::Unit::Items);
    while (m_left > 0) {
      const std::uint64_t size = std::min<std::uint64_t>(m_page_size, m_left);
      request.url = page_url(url, size);
      auto answered = m_client.call(request);
      // Large items: fewer of them at a time.
      if (!answered && is_too_large(answered.error()) && m_page_size > 1) {
        m_page_size = std::max<std::uint64_t>(1, m_page_size / 4);
        continue;
      }
      if (!answered) return std::move(answered).error();
      const CallReply& reply = *answered;
      if (m_session.format() == Format::Raw) {
        SVC_CHECK(m_session.write_foreign(reply.body));
      }
      SVC_TRY(count, page(reply));
      m_session.progress().update(m_shown);
      const std::string before = std::exchange(m_token, next_token(reply, count, size));
      if (m_token.empty() || count == 0) break;
      if (m_token == before) {
        return Error{Fault::Network,
                     "the service named the same page twice, so the list has no end",
                     "What was shown is complete up to there."};
      }
    }
    m_session.progress().finish();
    return finish();
  }

 private:
  Result<void> read_flags() {
    const Invocation& invocation = m_session.invocation();
    const std::uint64_t by_default = m_paging.all_by_default ? UINT64_MAX : k_default_limit;
    m_left = invocation.is_true("all") ? UINT64_MAX : number("limit", by_default);
    m_page_size = number("page-size", m_paging.max_page);
    if (m_page_size > m_paging.max_page) {
      return usage_error(
          fmt::format("--page-size is out of range: '{}' was given, 1 to {} is allowed",
                      m_page_size, m_paging.max_page));
    }
    m_token = invocation.value("pagination-token").value_or("");
    return {};
  }

  /// A number that was checked when the request was built.
  [[nodiscard]] std::uint64_t number(sv flag, std::uint64_t otherwise) const {
    const auto text = m_session.invocation().value(flag);
    const auto value = text ? parse_integer(*text) : std::nullopt;
    return value && *value > 0 ? static_cast<std::uint64_t>(*value) : otherwise;
  }

  [[nodiscard]] std::string page_url(const std::string& url, std::uint64_t size) const {
    std::vector<Header> query = {{std::string(m_paging.limit_param), fmt::format("{}", size)}};
    if (!m_token.empty()) query.push_back({std::string(m_paging.token_param), m_token});
    std::string added = query_string(query);
    if (url.find('?') != std::string::npos) added.front() = '&';
    return url + added;
  }

  Result<std::size_t> page(const CallReply& reply) {
    const JsonOutline& outline = reply.outline;
    if (!outline.has_list) return no_list(m_operation);
    std::unordered_set<std::string_view> ids;
    for (const JsonPiece& piece : outline.elements) {
      const sv item = piece.of(reply.body);
      if (m_left == 0) break;
      if (!m_paging.unique.empty() && !is_new(item, ids)) continue;
      SVC_CHECK(print(item, piece.plain));
      ++m_shown;
      if (m_left != UINT64_MAX) --m_left;
    }
    m_before.clear();
    for (const sv id : ids) m_before.emplace(id);
    SVC_CHECK(m_session.out().flush());
    return outline.elements.size();
  }

  /// A page that comes twice, or overlaps the one before because the list grew at its beginning,
  /// shows nothing twice.
  bool is_new(sv item, std::unordered_set<std::string_view>& ids) {
    const auto id = json_member(item, m_paging.unique);
    if (!id) return true;
    const bool first_here = ids.insert(*id).second;
    return first_here && !m_before.contains(std::string(*id));
  }

  [[nodiscard]] std::vector<std::string> batch_cells(sv item) const {
    const bool person = m_session.out().terminal().is_tty;
    return result_cells(item, m_operation.columns, m_session.globals().verbose,
                        person ? print::Reader::Person : print::Reader::Program);
  }

  /// `plain`: the item is one line as it stands.
  Result<void> print(sv item, bool plain) {
    switch (m_session.format()) {
      case Format::Text:
        return m_operation.view == View::BatchResult ? m_table.add_cells(batch_cells(item))
                                                     : m_table.add(parse_reply(item));
      case Format::Jsonl:
        return plain ? m_session.write_line(item) : m_session.write_document(item);
      case Format::Json:
        // A jq program gets the whole list as one document.
        if (m_session.globals().jq) {
          m_document += m_document.empty() ? "[" : ",";
          m_document += item;
          return {};
        }
        return m_array.add(item);
      case Format::Raw:
        return {};
    }
    return {};
  }

  [[nodiscard]] std::string next_token(const CallReply& reply, std::size_t count,
                                       std::uint64_t size) const {
    if (m_paging.short_page_ends && count < size) return {};
    const auto member = [&](sv name) { return reply.outline.member(reply.body, name); };
    if (!m_paging.more_path.empty() && member(m_paging.more_path) != "true") return {};
    return scalar(member(m_paging.token_path));
  }

  Result<void> finish() {
    if (m_session.format() == Format::Text) {
      SVC_CHECK(m_table.finish());
      SVC_CHECK(m_session.out().flush());
      note_hidden_columns(m_session, m_table);
      if (m_shown == 0 && m_session.out().terminal().is_tty) {
        m_session.notices().aside("The list is empty.");
      }
    }
    if (m_session.format() == Format::Json) {
      if (m_session.globals().jq) {
        SVC_CHECK(m_session.write_document(m_document.empty() ? "[]" : m_document + "]"));
      } else {
        SVC_CHECK(m_array.finish());
      }
    }
    if (m_left == 0 && !m_token.empty()) {
      m_session.notices().note("there are more; --limit N or --all shows them");
    }
    return {};
  }

  Session& m_session;
  ApiClient& m_client;
  const Operation& m_operation;
  const Paging& m_paging;
  print::Table m_table;
  print::JsonArray m_array;
  std::string m_document{};
  std::string m_token{};
  std::unordered_set<std::string> m_before{};  // what is unique about the items of the last page
  std::uint64_t m_left = 0;
  std::uint64_t m_page_size = 0;
  std::uint64_t m_shown = 0;
};

}  // namespace

void note_hidden_columns(Session& session, const print::Table& table) {
  if (table.hidden() == 0) return;
  session.notices().aside(fmt::format("{} more {} a wider terminal; --json shows everything",
                                      table.hidden(),
                                      table.hidden() == 1 ? "column needs" : "columns need"));
}

Error no_list(const Operation& operation) {
  return Error{Fault::Network, fmt::format("the answer has no list '{}'", operation.items),
               "Look at it with --format raw."};
}

Result<void> run_list(Session& session, ApiClient& client, const Operation& operation) {
  return List(session, client, operation).run();
}

}  // namespace svc::cli
