#include "batch/result_writer.h"

#include <array>

#include <fmt/format.h>

#include "base/money.h"
#include "base/text.h"
#include "json/slices.h"
#include "json/text.h"

namespace svc::batch {

namespace {

/// JSON on one line; "null" if there is none.
std::string line_or_null(std::string_view json) {
  if (json.empty()) return "null";
  // A page may be pretty-printed, but a line must not contain a newline.
  if (json.find('\n') == std::string_view::npos) return std::string(json);
  std::string line;
  (void)reformat_json(json, JsonStyle{JsonLayout::Compact},
                      [&line](std::string_view piece) { line += piece; });
  return line;
}

/// US dollars as a JSON number.
std::string dollars(const std::optional<std::int64_t>& ticks) {
  return ticks ? replace_all(format_ticks(*ticks), "$", "") : "null";
}

std::string quoted_or_null(std::string_view text) {
  return text.empty() ? "null" : json_quote(text);
}

}  // namespace

ResultParts result_parts(std::string_view json) {
  constexpr std::array<std::string_view, 4> paths = {
      "batch_result.response.chat_get_completion", "batch_result.response.image_generation",
      "batch_result.response.video_generation", "batch_result.response"};
  for (const auto& found : json_pick(json, paths)) {
    if (!found || !found->starts_with('{')) continue;
    const auto usage = json_member(*found, "usage");
    return {*found, usage && usage->starts_with('{') ? *usage : std::string_view()};
  }
  return {};
}

std::string result_line(const Finished& finished, std::string_view request_json) {
  const ResultItem item = finished.json.empty() ? ResultItem() : read_result_item(finished.json);
  const ResultParts parts = result_parts(finished.json);
  const bool succeeded = finished.outcome == Outcome::Succeeded;
  const std::string& reason = item.reason.empty() ? finished.reason : item.reason;
  // An answer may be empty; a partial one is included, because it was billed.
  std::string line = fmt::format(
      R"({{"id":{},"state":"{}","answer":{},"error":{},"cost":{},"usage":{},"response":{})",
      json_quote(finished.location.id), outcome_name(finished.outcome),
      succeeded ? json_quote(finished.saved.empty() ? item.text : finished.saved)
                : quoted_or_null(item.text),
      succeeded ? "null" : quoted_or_null(reason), dollars(item.cost_ticks),
      line_or_null(parts.usage), line_or_null(parts.response));
  if (!request_json.empty()) line += fmt::format(R"(,"request":{})", request_json);
  line += '}';
  return line;
}

Result<void> ResultWriter::advance(Gaps gaps) {
  const auto deliver_one = [this](Finished finished) -> Result<void> {
    if (m_prepare) SVC_CHECK(m_prepare(finished));
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
  return m_order == Order::Input
             ? m_journal.for_each_in_order(m_next, deliver_one, gaps == Gaps::Skip)
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
