// Which part of a paged list is asked for.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

#include "catalogue/model.h"
#include "request/inputs.h"

namespace svc::request {

/// What --limit, --all, --page-size and --pagination-token say about an operation with pages.
struct Pages {
  std::uint64_t most = 0;       ///< items in all; UINT64_MAX: all there are
  std::uint64_t page_size = 0;  ///< items of a page, the last one may ask for fewer
  std::string token{};          ///< of the first page; "" for the list's beginning

  /// How many items the next page is asked for, with `left` items to come.
  [[nodiscard]] std::uint64_t next_size(std::uint64_t left) const {
    return page_size < left ? page_size : left;
  }
};

/// The flags' values must have been checked.
[[nodiscard]] Pages read_pages(const Operation& operation, const Inputs& inputs);

/// Makes the address of a list's page the address of another one.
void set_page(std::string& url, const Paging& paging, std::uint64_t size, std::string_view token);

}  // namespace svc::request
