// The pages of the documentation: the manual pages of the tool, built in; and the search in their
// sections, by the ranking of FTS5 (BM25).
#pragma once

#include <cstddef>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace svc::emulator::docs {

/// A manual page as it stands in man/.
struct Source {
  std::string_view slug;  ///< "svc-chat"
  std::string_view roff;
};

/// Made at build time by embed_pages.cmake, ordered by slug.
[[nodiscard]] std::span<const Source> sources();

struct Page {
  std::string slug{};
  std::string title{};  ///< "svc-chat: ask a model and print its answer"
  std::string markdown{};
};

/// All pages as Markdown; made once.
[[nodiscard]] const std::vector<Page>& pages();

/// Null when there is none. The slug may lack its `svc-`.
[[nodiscard]] const Page* find_page(std::string_view slug);

/// A manual page in the few macros that our own use, as Markdown.
[[nodiscard]] std::string to_markdown(std::string_view roff);

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
