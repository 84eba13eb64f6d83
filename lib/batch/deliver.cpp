#include "batch/deliver.h"

#include <fmt/format.h>

#include "base/text.h"
#include "json/text.h"

namespace svc::batch {

std::string result_line(const Finished& finished, std::string_view request_json) {
  std::string line;
  const std::string_view item = trim(finished.json);
  if (item.size() > 2 && item.ends_with('}')) {
    // A page may be laid out for people; a line has no newline.
    if (item.find('\n') == std::string_view::npos) {
      line = item;
    } else {
      (void)reformat_json(item, JsonStyle{JsonLayout::Compact},
                          [&line](std::string_view piece) { line += piece; });
    }
    line.pop_back();
  } else {
    line = fmt::format(R"({{"batch_request_id":{},"batch_result":null)",
                       json_quote(finished.place.id));
  }
  line += fmt::format(R"(,"line":{},"state":"{}")", finished.place.line,
                      outcome_name(finished.outcome));
  if (!finished.batch_id.empty())
    line += fmt::format(R"(,"batch_id":{})", json_quote(finished.batch_id));
  if (!finished.reason.empty()) line += fmt::format(R"(,"reason":{})", json_quote(finished.reason));
  if (!request_json.empty()) line += fmt::format(R"(,"request":{})", request_json);
  line += '}';
  return line;
}

Result<void> Delivery::advance() {
  const auto hand_on = [this](const Finished& finished) -> Result<void> {
    std::string request;
    if (m_with_input) {
      SVC_TRY(item, m_input.read_again(finished.place));
      request = std::move(item.json);
    }
    SVC_CHECK(m_sink(finished, result_line(finished, request)));
    ++m_count;
    m_next = finished.place.ordinal + 1;
    m_sequence = finished.sequence;
    return {};
  };
  return m_order == Order::Input ? m_journal.each_in_order(m_next, hand_on)
                                 : m_journal.each_arrived(m_sequence, hand_on);
}

}  // namespace svc::batch
