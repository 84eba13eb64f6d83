#include "operation/list.h"

#include <algorithm>
#include <unordered_set>
#include <utility>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "base/counted.h"
#include "base/text.h"
#include "batch/result_item.h"
#include "catalogue/batches_fields.h"
#include "client/list_items.h"
#include "json/document.h"
#include "json/slices.h"
#include "operation/batch_view.h"
#include "operation/result_media.h"
#include "operation/runner.h"
#include "print/json.h"
#include "print/table.h"
#include "request/inputs.h"
#include "session/cost_tracker.h"

namespace svc::cli {
namespace {

/// Returns the value of a JSON string without escapes, or any other literal unchanged; "" for null.
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
        m_choice(session.list_choice()),
        m_columns(print::columns_of(operation)),
        m_table(session.out(), m_columns, m_choice),
        m_array(session.out()),
        m_media(session) {}

  /// `request` fetches the first page.
  Result<void> run(request::Request request) {
    SVC_CHECK(m_media.open());
    const Result<void> ended = show(std::move(request));
    // Record the cost of the items read, even after an error.
    if (m_operation.view == View::BatchResult) {
      const std::string id =
          Flags<catalogue::batches::k_results_fields>(m_session.inputs()).text<"batch-id">();
      record_batch(m_session, id, "", m_usage);
    }
    if (ended && m_media.failure()) return *m_media.failure();
    return ended;
  }

 private:
  Result<void> show(request::Request request) {
    request::PageRange pages = request::read_pages(m_operation, m_session.invocation().inputs);
    m_left = pages.most;
    m_token = pages.token;
    m_session.progress().start(fmt::format("Listing {}", m_operation.noun.many),
                               print::ProgressUnit::Items);
    while (m_left > 0) {
      const std::uint64_t size = pages.next_size(m_left);
      request::set_page(request.url, m_paging, size, m_token);
      auto answered = m_client.call(request);
      // Items are large: request fewer at a time.
      if (!answered && answered.error().cause == Cause::TooLarge && pages.page_size > 1) {
        pages.page_size = std::max<std::uint64_t>(1, pages.page_size / 4);
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
        return Error{Fault::Network, "the service returned the same page token twice; stopping",
                     "Everything before that page was printed."};
      }
    }
    m_session.progress().finish();
    return finish();
  }

  Result<std::size_t> page(const CallReply& reply) {
    const JsonOutline& outline = reply.outline;
    std::unordered_set<std::string_view> ids;
    std::size_t count = 0;
    const auto take = [&](sv item, bool plain) -> Result<void> {
      ++count;
      m_cut = m_left == 0;
      if (m_cut || (!m_paging.unique.empty() && !is_new(item, ids))) return {};
      ++m_shown;
      if (m_left != UINT64_MAX) --m_left;
      SVC_CHECK(print(item, plain));
      if (m_operation.view == View::BatchResult) save_result(item);
      return {};
    };
    for (const JsonSpan& piece : outline.elements) {
      SVC_CHECK(check_item(m_operation, piece.of(reply.body)));
    }
    for (const JsonSpan& piece : outline.elements) {
      SVC_CHECK(take(piece.of(reply.body), piece.plain));
    }
    if (!outline.has_list) {
      SVC_TRY(items, list_items(m_operation, reply.body, m_session.secrets()));
      for (const sv item : items) SVC_CHECK(take(item, false));
    }
    m_before.clear();
    for (const sv id : ids) m_before.emplace(id);
    SVC_CHECK(m_session.out().flush());
    return count;
  }

  /// Counts the cost of a batch's result, and saves its media.
  void save_result(sv item) {
    m_usage.add(batch::result_usage(item));
    const std::string paths = m_media.save(batch::result_item_id(item), item);
    if (!paths.empty()) m_session.notices().note("saved " + paths);
  }

  /// Skips items already shown: a page may be repeated, or overlap the previous one because the
  /// list grew at its start.
  bool is_new(sv item, std::unordered_set<std::string_view>& ids) {
    const auto id = json_member(item, m_paging.unique);
    if (!id) return true;
    const bool first_here = ids.insert(*id).second;
    return first_here && !m_before.contains(std::string(*id));
  }

  [[nodiscard]] std::vector<std::string> batch_cells(sv item) const {
    const bool person = m_session.out().terminal().is_tty;
    return result_cells(item, m_columns, m_choice.details || !m_choice.columns.empty(),
                        person ? print::Reader::Person : print::Reader::Program);
  }

  /// `plain`: the item is already one line.
  Result<void> print(sv item, bool plain) {
    switch (m_session.format()) {
      case Format::Text:
        return m_operation.view == View::BatchResult ? m_table.add_cells(batch_cells(item))
                                                     : m_table.add(parse_reply(item));
      case Format::Jsonl:
        return plain ? m_session.write_line(item) : m_session.write_document(item);
      case Format::Json:
        // A jq program receives the whole list as one document.
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
      SVC_CHECK(finish_table(m_session, m_table));
    }
    if (m_session.format() == Format::Json) {
      if (m_session.globals().jq) {
        SVC_CHECK(m_session.write_document(m_document.empty() ? "[]" : m_document + "]"));
      } else {
        SVC_CHECK(m_array.finish());
      }
    }
    note_more();
    return {};
  }

  void note_more() {
    if (m_left != 0 || (m_token.empty() && !m_cut)) return;
    const bool all =
        find_field(m_operation, Flags<catalogue::k_page_fields>::k_name<"all">) != nullptr;
    const std::string_view rest = all ? "--all lists everything" : "a larger --limit lists more";
    // The next page's token would skip the items of this page beyond the limit.
    m_session.notices().note(m_cut
                                 ? fmt::format("there are more; {}", rest)
                                 : fmt::format("there {} more: --pagination-token {} continues, {}",
                                               m_paging.short_page_ends ? "may be" : "are",
                                               shell_quote(m_token), rest));
  }

  Session& m_session;
  ApiClient& m_client;
  const Operation& m_operation;
  const Paging& m_paging;
  print::ListChoice m_choice;
  std::vector<print::Column> m_columns;
  print::Table m_table;
  print::JsonArray m_array;
  std::string m_document{};
  std::string m_token{};
  std::unordered_set<std::string> m_before{};  // unique values of the last page's items
  std::uint64_t m_left = 0;
  std::uint64_t m_shown = 0;
  ResultMedia m_media;
  Usage m_usage{};     ///< of a batch's results
  bool m_cut = false;  ///< the last page had more items than --limit allows
};

}  // namespace

void note_empty(Session& session) {
  const bool person = session.out().terminal().is_tty || session.err().terminal().is_tty;
  if (person) session.notices().aside("The list is empty.");
}

Result<void> finish_table(Session& session, print::Table& table) {
  SVC_CHECK(table.finish());
  SVC_CHECK(session.out().flush());
  if (table.rows() == 0) note_empty(session);
  if (table.hidden() == 0) return {};
  session.notices().aside(
      fmt::format("{} a wider terminal; --wide and --json show everything",
                  counted(table.hidden(), "more column needs", "more columns need")));
  return {};
}

Result<void> write_list(Session& session, std::span<const sv> items) {
  if (session.format() == Format::Jsonl) {
    for (const sv item : items) SVC_CHECK(session.write_document(item));
    return {};
  }
  return session.write_document(fmt::format("[{}]", join(items, ",")));
}

Result<void> print_list(Session& session, const OrderedJson& items,
                        const std::function<OrderedJson(const OrderedJson&)>& row) {
  return print_list(session, items, print::columns_of(*session.invocation().operation), row);
}

Result<void> print_list(Session& session, const OrderedJson& items,
                        std::span<const print::Column> columns,
                        const std::function<OrderedJson(const OrderedJson&)>& row) {
  if (session.format() == Format::Text) {
    print::Table table(session.out(), columns, session.list_choice());
    for (const OrderedJson& item : items)
      SVC_CHECK(table.add(nlohmann::json(row ? row(item) : item)));
    return finish_table(session, table);
  }
  if (session.format() != Format::Jsonl) return session.write_document(compact_json(items));
  for (const OrderedJson& item : items) SVC_CHECK(session.write_line(compact_json(item)));
  return {};
}

Result<void> each_item(Session& session, ApiClient& client, request::Request request,
                       const std::function<void(sv item)>& use) {
  const Operation& operation = *request.operation;
  const Paging& paging = *operation.paging;
  std::string token;
  while (true) {
    request::set_page(request.url, paging, paging.max_page, token);
    SVC_TRY(reply, client.call(request));
    SVC_TRY(items, list_items(operation, reply.body, session.secrets()));
    for (const sv item : items) use(item);
    std::string next = scalar(json_member(reply.body, paging.token_path));
    if (next.empty() || items.empty()) return {};
    if (paging.short_page_ends && items.size() < paging.max_page) return {};
    if (next == token) {
      return Error{Fault::Network, "the service returned the same page token twice"};
    }
    token = std::move(next);
  }
}

Result<void> run_list(Session& session, ApiClient& client, request::Request request) {
  List list(session, client, *request.operation);
  return list.run(std::move(request));
}

}  // namespace svc::cli
