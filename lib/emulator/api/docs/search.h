// Search over the sections of the documentation, by the ranking of FTS5 (BM25).
#pragma once

#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

namespace svc::emulator::docs {

struct Hit {
  std::string slug{};
  std::string title{};    ///< of the page
  std::string section{};  ///< its heading; empty for what stands before the first
  std::string excerpt{};  ///< around the words that were found, in one line
  double score = 0;
};

/// The best sections for the words of `query`, best first, at most `most`, at most one of each
/// section. Words that are nowhere do not count; nothing is found when none is left.
[[nodiscard]] std::vector<Hit> search_pages(std::string_view query, std::size_t most);

}  // namespace svc::emulator::docs
