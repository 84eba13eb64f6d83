// Pages as most lists of the service have them.
#pragma once

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

}  // namespace svc::catalogue
