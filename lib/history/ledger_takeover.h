// Until 2026 the ledger was an SQLite database, "PATH.db", and a log of new entries, "PATH.db.new".
#pragma once

#include <functional>
#include <string>

#include "base/result.h"

namespace svc::history {

struct Entry;

/// Whether there is such a ledger at `path`.
[[nodiscard]] bool has_old_ledger(const std::string& path);

/// Gives every entry of it to `sink`. Local when it cannot be read.
[[nodiscard]] Result<void> read_old_ledger(const std::string& path,
                                           const std::function<void(const Entry&)>& sink);

void remove_old_ledger(const std::string& path);

}  // namespace svc::history
