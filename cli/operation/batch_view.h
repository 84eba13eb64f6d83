// Batches for people: results as rows, reasons, counts.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "base/result.h"
#include "batch/result_item.h"
#include "print/table.h"
#include "session/session.h"

namespace svc::cli {

/// Returns the cells of `batches results` for an item: ID, state, and the answer's text or the
/// reason for its absence; with `details`, also the detail columns.
[[nodiscard]] std::vector<std::string> result_cells(std::string_view item,
                                                    std::span<const print::Column> columns = {},
                                                    bool details = false,
                                                    print::Reader reader = print::Reader::Program);

using Reasons = std::vector<std::pair<std::string, std::int64_t>>;

/// Prints a note for each of the most frequent reasons, such as "2 x rate limited", and returns the
/// error of a batch in which not all requests succeeded.
[[nodiscard]] Error batch_failures(Session& session, std::int64_t not_well, std::int64_t all,
                                   const Reasons& reasons, std::string hint);

/// Returns "997 succeeded, 3 failed, $0.12"; parts other than the first are left out if zero.
[[nodiscard]] std::string counts_text(std::int64_t succeeded, std::int64_t failed,
                                      std::int64_t canceled, std::int64_t unknown,
                                      std::int64_t cost_ticks);

/// Shows a batch's progress: rate and time left, counts, cost so far and estimated total.
class BatchProgress {
 public:
  explicit BatchProgress(Session& session) : m_session(session) {}
  void update(std::int64_t done, std::int64_t total, std::int64_t failed, std::int64_t canceled,
              std::int64_t cost_ticks);

 private:
  Session& m_session;
  bool m_started = false;
  std::int64_t m_first_done = 0;
  std::chrono::steady_clock::time_point m_begin{};
};

}  // namespace svc::cli
