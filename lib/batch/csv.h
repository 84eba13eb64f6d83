// One CSV record (RFC 4180).
#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace svc::batch {

struct CsvRecord {
  std::vector<std::string> cells{};
  std::string fault{};     ///< what is wrong; empty: nothing
  std::size_t column = 0;  ///< where, from 1, in bytes
};

/// Reads a record as LineReader cuts it.
[[nodiscard]] CsvRecord parse_csv(std::string_view text, char separator);

}  // namespace svc::batch
