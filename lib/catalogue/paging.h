// Pages as most lists of the service have them, and the flags that every paged list has.
#pragma once

#include <array>

#include "catalogue/rows.h"

namespace svc::catalogue {

/// `unique`: a member that no two items share; `all_by_default`: the whole list without --limit.
constexpr Paging token_pages(std::uint32_t max_page = 100, sv unique = {},
                             bool all_by_default = false) {
  return Paging{.limit_param = "limit",
                .token_param = "pagination_token",
                .token_path = "pagination_token",
                .unique = unique,
                .max_page = max_page,
                .all_by_default = all_by_default};
}

/// How much of the list is shown and asked for at a time: at most `max_page`.
constexpr std::array<Field, 4> paging_fields(std::uint32_t max_page = 100) {
  return {
      integer("limit", "Show at most N items.", local, common, letter('n'), at_least(1, "items"),
              fallback("100"), example("20")),
      boolean("all", "Show all items, from all pages.", local, common),
      integer("page-size", "Fetch N items per page.", local,
              range(1, static_cast<double>(max_page), "items"), example("50")),
      text("pagination-token", "Start at the page token from an earlier response.", local,
           example("abc")),
  };
}

}  // namespace svc::catalogue
