// Pages as most lists of the service have them, and the flags that every paged list has.
#pragma once

#include <array>

#include "catalogue/model.h"

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
      Field{.flag = "limit",
            .kind = Kind::Integer,
            .in = In::Local,
            .help = "Show at most N items.",
            .letter = 'n',
            .common = true,
            .range = Range{1, k_no_max, "items"},
            .fallback = "100",
            .example = "20"},
      Field{.flag = "all",
            .kind = Kind::Boolean,
            .in = In::Local,
            .help = "Show all items, from all pages.",
            .common = true},
      Field{.flag = "page-size",
            .kind = Kind::Integer,
            .in = In::Local,
            .help = "Fetch N items per page.",
            .range = Range{1, static_cast<double>(max_page), "items"},
            .example = "50"},
      Field{.flag = "pagination-token",
            .in = In::Local,
            .help = "Start at the page token from an earlier response.",
            .example = "abc"},
  };
}

}  // namespace svc::catalogue
