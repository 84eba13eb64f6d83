// What was booked since the ledger was last opened: a line of JSON for each answer beside it, so
// that a call that books one answer and ends opens no database.
#pragma once

#include <chrono>
#include <cstdint>
#include <functional>
#include <string>

#include "base/result.h"
#include "database/database.h"

namespace svc::history {

struct Entry;

class LedgerIntake {
 public:
  /// `ledger` is the path of the database.
  explicit LedgerIntake(const std::string& ledger);

  /// Whether something waits to be taken in.
  [[nodiscard]] bool is_waiting() const;

  /// Adds an entry, whole or not at all, whatever other processes do meanwhile. How many bytes wait
  /// then. Local when it cannot be written.
  [[nodiscard]] Result<std::uint64_t> add(const Entry& entry) const;

  /// Gives everything that waits to `insert`, in one transaction, and removes it; what was taken in
  /// by a process that was killed before the removal is not taken in again. Waits for whoever adds
  /// something for `patience`. Local when the ledger or the file cannot be written; then everything
  /// still waits.
  [[nodiscard]] Result<void> take_in(Database& database,
                                     const std::function<Result<void>(const Entry&)>& insert,
                                     std::chrono::milliseconds patience) const;

 private:
  std::string m_path;
};

}  // namespace svc::history
