// Parses CSV records (RFC 4180).
#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace svc::batch {

struct CsvRecord {
  std::vector<std::string> cells{};
  std::string fault{};     ///< the error; empty if none
  std::size_t column = 0;  ///< position of the error, from 1, in bytes
};

/// Parses a record returned by LineReader.
[[nodiscard]] CsvRecord parse_csv(std::string_view text, char separator);

}  // namespace svc::batch
