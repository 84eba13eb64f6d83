#include "batch/result_writer.h"

#include <fmt/format.h>

#include "base/text.h"
#include "json/text.h"

namespace svc::batch {

std::string result_line(const Finished& finished, std::string_view request_json) {
  std::string line;
  const std::string_view item = trim(finished.json);
  if (item.size() > 2 && item.ends_with('}')) {
    // A page may be pretty-printed, but a line must not contain a newline.
    if (item.find('\n') == std::string_view::npos) {
      line = item;
    } else {
      (void)reformat_json(item, JsonStyle{JsonLayout::Compact},
                          [&line](std::string_view piece) { line += piece; });
    }
    line.pop_back();
  } else {
    line = fmt::format(R"({{"batch_request_id":{},"batch_result":null)",
                       json_quote(finished.location.id));
  }
  line += fmt::format(R"(,"line":{},"state":"{}")", finished.location.line,
                      outcome_name(finished.outcome));
  if (!finished.batch_id.empty())
    line += fmt::format(R"(,"batch_id":{})", json_quote(finished.batch_id));
  if (!finished.reason.empty()) line += fmt::format(R"(,"reason":{})", json_quote(finished.reason));
  if (!request_json.empty()) line += fmt::format(R"(,"request":{})", request_json);
  line += '}';
  return line;
}

Result<void> ResultWriter::advance() {
  const auto deliver_one = [this](const Finished& finished) -> Result<void> {
    std::string request;
    if (m_with_input) {
      SVC_TRY(item, m_input.reread(finished.location));
      request = std::move(item.json);
    }
    SVC_CHECK(m_sink(finished, result_line(finished, request)));
    m_next = finished.location.ordinal + 1;
    m_sequence = finished.sequence;
    return {};
  };
  return m_order == Order::Input ? m_journal.for_each_in_order(m_next, deliver_one)
                                 : m_journal.for_each_by_arrival(m_sequence, deliver_one);
}

/// Stores a page completely, together with the token of the next one: if svc is killed, it is
/// either stored or fetched again.
Result<void> Collector::store(JournalBatch& batch, const Page& page) {
  SVC_TRY(transaction, m_journal.begin());
  Usage tokens;
  for (const std::string_view json : page.items) {
    const ResultItem item = read_result_item(json);
    SVC_TRY(is_new, m_journal.add_result(batch.number, item, json));
    if (is_new) tokens.add(result_usage(json));
    if (!is_new) {
      SVC_TRY(ours, m_journal.has_item(item.id));
      if (!ours) ++m_foreign_results;
    }
  }
  SVC_CHECK(m_journal.add_tokens(batch.number, tokens));
  if (!page.next.empty()) batch.token = page.next;
  SVC_CHECK(m_journal.save_batch(batch));
  SVC_CHECK(transaction.commit());
  return m_on_page();
}

Result<void> Collector::read_more(JournalBatch& batch) {
  while (true) {
    const std::string token = batch.token;
    SVC_TRY(page, m_service.results(batch.remote_id, token));
    SVC_CHECK(store(batch, page));
    if (page.next.empty() || page.next == token) return {};
  }
}

Result<std::int64_t> Collector::read_all(JournalBatch& batch) {
  SVC_CHECK(read_more(batch));
  SVC_TRY(missing, m_journal.count_missing(batch.number));
  if (missing == 0) return missing;
  batch.token.clear();
  SVC_CHECK(read_more(batch));
  return m_journal.count_missing(batch.number);
}

}  // namespace svc::batch
