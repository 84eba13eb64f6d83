// Brings the results of a batch into the journal, each once, however often its page arrives.
#pragma once

#include <functional>

#include "base/result.h"
#include "batch/journal.h"
#include "batch/service.h"

namespace svc::batch {

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
