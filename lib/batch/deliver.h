// The results of a run: brought into the journal, and handed on joined with the lines of its input.
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

/// A result as one line of JSON without its newline: the service's item as it is, then `line`,
/// `state`, `reason` where there is one, and `request` when `request_json` is not empty.
[[nodiscard]] std::string result_line(const Finished& finished, std::string_view request_json);

/// Hands on results that were not handed on yet, in the order asked for: what can be told so far.
class Delivery {
 public:
  using Sink = std::function<Result<void>(const Finished& finished, std::string_view line)>;

  /// References must outlive it. `with_input`: each line carries its request.
  Delivery(Journal& journal, const Input& input, Order order, bool with_input, Sink sink)
      : m_journal(journal),
        m_input(input),
        m_order(order),
        m_with_input(with_input),
        m_sink(std::move(sink)) {}

  [[nodiscard]] Result<void> advance();
  [[nodiscard]] std::int64_t count() const noexcept { return m_count; }

 private:
  Journal& m_journal;
  const Input& m_input;
  Order m_order;
  bool m_with_input;
  Sink m_sink;
  std::int64_t m_next = 1;      // ordinal, for Order::Input
  std::int64_t m_sequence = 0;  // of the last one, for Order::Arrival
  std::int64_t m_count = 0;
};

/// Brings the results of a batch into the journal, each once, however often its page arrives.
class Collector {
 public:
  /// Both must outlive the collector. `on_page` is called after each page is kept.
  Collector(Journal& journal, Service& service, std::function<Result<void>()> on_page)
      : m_journal(journal), m_service(service), m_on_page(std::move(on_page)) {}

  /// Reads on from where the batch's results were left: the last page may have grown since.
  [[nodiscard]] Result<void> read_on(JournalBatch& batch);

  /// Reads everything that is there; gives how many items still have no result. The list may have
  /// been reordered while it grew, so it is read from its beginning when some are missing.
  [[nodiscard]] Result<std::int64_t> read_all(JournalBatch& batch);

  /// Results that belong to no request of this run: somebody else has added to the batch.
  [[nodiscard]] std::int64_t strangers() const noexcept { return m_strangers; }

 private:
  [[nodiscard]] Result<void> keep(JournalBatch& batch, const Page& page);

  Journal& m_journal;
  Service& m_service;
  std::function<Result<void>()> m_on_page;
  std::int64_t m_strangers = 0;
};

}  // namespace svc::batch
