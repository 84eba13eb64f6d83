// The emulator's searches: invented pages for a question.
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
  bool citations = true;          ///< whether the answer cites them
};

/// Checks the values of `search_parameters`; returns an error message.
[[nodiscard]] std::optional<std::string> check_search(const Json& parameters);

/// Returns the results of a search with these `search_parameters`. Mode `auto` searches if the
/// question has a question mark.
[[nodiscard]] Search run_search(const Json& parameters, sv question);

/// Returns at most `count` pages on one site (without a scheme).
[[nodiscard]] std::vector<Source> find_pages(sv site, sv question, std::size_t count);

/// Whether the text is an existing calendar day, such as "2026-04-16".
[[nodiscard]] bool is_date(sv text);

}  // namespace svc::emulator::text
