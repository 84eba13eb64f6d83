// The lines of the ledger's files.
#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <string_view>

#include "base/result.h"
#include "history/ledger.h"

namespace svc::history {

/// With the line feed.
[[nodiscard]] std::string line_of(const Entry& entry);

/// As it stands in a line.
[[nodiscard]] std::string json_text(std::string_view text);

/// Nothing for a line that names no command, such as one that was cut off.
[[nodiscard]] std::optional<Entry> read_entry(std::string_view line);

/// The time of a line that line_of() wrote, without reading the rest of it; else nothing.
[[nodiscard]] std::optional<std::int64_t> time_of(std::string_view line);

/// Hands on each whole line of a file from `offset` on, however many there are; `offset` is behind
/// the last one then. A file that is not there has none.
[[nodiscard]] Result<void> each_line(const std::string& path, std::uint64_t& offset,
                                     const std::function<void(std::string_view)>& sink);

}  // namespace svc::history
