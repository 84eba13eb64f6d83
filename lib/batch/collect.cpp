#include "batch/collect.h"

namespace svc::batch {

/// A page is kept whole, with the mark of the next one: after a kill it is either here or asked for
/// again.
Result<void> Collector::keep(JournalBatch& batch, const Page& page) {
  SVC_TRY(transaction, m_journal.begin());
  Usage tokens;
  for (const std::string_view json : page.items) {
    const ResultItem item = read_result_item(json);
    SVC_TRY(is_new, m_journal.add_result(batch.number, item, json));
    if (is_new) tokens.add(result_usage(json));
    if (!is_new) {
      SVC_TRY(ours, m_journal.has_item(item.id));
      if (!ours) ++m_strangers;
    }
  }
  SVC_CHECK(m_journal.add_tokens(batch.number, tokens));
  if (!page.next.empty()) batch.token = page.next;
  SVC_CHECK(m_journal.save_batch(batch));
  SVC_CHECK(transaction.commit());
  return m_on_page();
}

Result<void> Collector::read_on(JournalBatch& batch) {
  while (true) {
    const std::string token = batch.token;
    SVC_TRY(page, m_service.results(batch.remote_id, token));
    SVC_CHECK(keep(batch, page));
    if (page.next.empty() || page.next == token) return {};
  }
}

Result<std::int64_t> Collector::read_all(JournalBatch& batch) {
  SVC_CHECK(read_on(batch));
  SVC_TRY(missing, m_journal.count_missing(batch.number));
  if (missing == 0) return missing;
  batch.token.clear();
  SVC_CHECK(read_on(batch));
  return m_journal.count_missing(batch.number);
}

}  // namespace svc::batch
