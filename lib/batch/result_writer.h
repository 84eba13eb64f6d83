// Stores the results of a run in the journal and outputs them together with their input lines.
#pragma once

#include <cstdint>
#include <functional>
#include <string>
#include <string_view>

#include "base/result.h"
#include "batch/input.h"
#include "batch/journal.h"
#include "batch/service.h"

namespace svc::batch {

enum class Order : std::uint8_t { Input, Arrival };

/// The service's answer in an item of a batch's results, and its usage, as they came: slices of the
/// item, empty if absent.
struct ResultParts {
  std::string_view response{};
  std::string_view usage{};
};
[[nodiscard]] ResultParts result_parts(std::string_view json);

/// Formats a result as one line of JSON without a newline: `id`, `state`, `answer` (text, or the
/// URLs or files of media), `error`, `cost` in US dollars, `usage` and `response` as the service
/// sent them, each null if there is none, and `request` if `request_json` is not empty.
[[nodiscard]] std::string result_line(const Finished& finished, std::string_view request_json);

/// Whether results after an item without one are output, too, or have to wait for it.
enum class Gaps : std::uint8_t { Wait, Skip };

/// Outputs results as they become available, each once and in the requested order.
class ResultWriter {
 public:
  using Sink = std::function<Result<void>(const Finished& finished, std::string_view line)>;
  /// Called for each result before it is output; may save its media.
  using Prepare = std::function<Result<void>(Finished& finished)>;

  /// References must outlive it. `with_input`: include the request in each line.
  ResultWriter(Journal& journal, const Input& input, Order order, bool with_input, Sink sink,
               Prepare prepare)
      : m_journal(journal),
        m_input(input),
        m_order(order),
        m_with_input(with_input),
        m_sink(std::move(sink)),
        m_prepare(std::move(prepare)) {}

  [[nodiscard]] Result<void> advance(Gaps gaps = Gaps::Wait);

 private:
  Journal& m_journal;
  const Input& m_input;
  Order m_order;
  bool m_with_input;
  Sink m_sink;
  Prepare m_prepare;            // may be empty
  std::int64_t m_next = 1;      // ordinal, for Order::Input
  std::int64_t m_sequence = 0;  // of the last result output, for Order::Arrival
};

/// Stores the results of a batch in the journal, each once, however often its page is received.
class Collector {
 public:
  /// Both must outlive the collector. `on_page` is called after each page has been stored.
  Collector(Journal& journal, Service& service, std::function<Result<void>()> on_page)
      : m_journal(journal), m_service(service), m_on_page(std::move(on_page)) {}

  /// Continues from the last page read, which may have grown since.
  [[nodiscard]] Result<void> read_more(JournalBatch& batch);

  /// Reads all available results and returns the number of items still without one. Starts over if
  /// some are missing, because the list may have been reordered while it grew.
  [[nodiscard]] Result<std::int64_t> read_all(JournalBatch& batch);

  /// The number of results that belong to no request of this run: someone else added to the batch.
  [[nodiscard]] std::int64_t foreign_results() const noexcept { return m_foreign_results; }

 private:
  [[nodiscard]] Result<void> store(JournalBatch& batch, const Page& page);

  Journal& m_journal;
  Service& m_service;
  std::function<Result<void>()> m_on_page;
  std::int64_t m_foreign_results = 0;
};

}  // namespace svc::batch
