// The tool's manual pages, built in, and a search of their sections with FTS5 (BM25).
#pragma once

#include "emulator/state/state.h"

namespace svc::emulator::docs {

struct Page {
  std::string slug{};
  std::string title{};  ///< "svc-chat: ask a model and print its answer"
  std::string markdown{};
};

/// Returns all pages as Markdown, converted once.
[[nodiscard]] const std::vector<Page>& pages();

/// Returns null if there is none. The slug may omit `svc-`.
[[nodiscard]] const Page* find_page(sv slug);

/// Converts a manual page to Markdown; supports only the macros that our pages use.
[[nodiscard]] std::string to_markdown(sv roff);

struct Hit {
  std::string slug{};
  std::string title{};    ///< of the page
  std::string section{};  ///< its heading; empty for the part before the first heading
  std::string excerpt{};  ///< text around the matches, in one line
  double score = 0;
};

/// Returns the best sections for the words of `query`, best first, each once.
[[nodiscard]] std::vector<Hit> search_pages(sv query, std::size_t limit);

}  // namespace svc::emulator::docs
