// The searches of the emulator: pages that do not exist, found for a question.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "emulator/json/json.h"
#include "emulator/model/answer.h"

namespace svc::emulator::text {

struct Search {
  std::vector<Source> sources{};  ///< counted in num_sources_used
  bool citations = true;          ///< shall the answer name them?
};

/// What is wrong with `search_parameters` beyond its types, as a sentence.
[[nodiscard]] std::optional<std::string> search_fault(const Json& parameters);

/// What a search with these `search_parameters` finds. Mode `auto` searches when the question has a
/// question mark.
[[nodiscard]] Search run_search(const Json& parameters, sv question);

/// Pages at one address (a site without scheme), at most `count`.
[[nodiscard]] std::vector<Source> find_pages(sv site, sv question, std::size_t count);

/// "2026-04-16", a day that the calendar has.
[[nodiscard]] bool is_date(sv text);

}  // namespace svc::emulator::text
