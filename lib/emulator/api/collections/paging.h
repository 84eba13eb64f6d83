// The pages of both listings.
#pragma once

#include <algorithm>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "emulator/account/management.h"

namespace svc::emulator::collections {

/// What a listing's query says.
struct PageWish {
  std::size_t limit = 100;
  bool ascending = false;
  std::string sort_by{};  ///< empty: by name
  std::size_t start = 0;
};

/// `sort_words` are the words that sort_by may be. The refusal, when the query says nonsense.
[[nodiscard]] PageWish read_page_wish(const Call& call, std::span<const management::sv> sort_words,
                                      std::optional<Answer>& refusal);

/// The token of the page that begins at `start`.
[[nodiscard]] std::string page_token(const PageWish& wish, std::size_t start);

/// Sorts `list`, which is in the order of creation, by `key`, and leaves the page in it; the token
/// of the next one, "" on the last.
template <typename Item, typename Key>
[[nodiscard]] std::string take_page(std::vector<Item>& list, const PageWish& wish, Key key) {
  std::ranges::stable_sort(list, std::ranges::less{}, key);
  if (!wish.ascending) std::ranges::reverse(list);
  const std::size_t start = std::min(wish.start, list.size());
  const std::size_t end = std::min(start + wish.limit, list.size());
  const std::string token = end < list.size() ? page_token(wish, end) : std::string{};
  std::vector<Item> page(std::make_move_iterator(list.begin() + static_cast<std::ptrdiff_t>(start)),
                         std::make_move_iterator(list.begin() + static_cast<std::ptrdiff_t>(end)));
  list = std::move(page);
  return token;
}

}  // namespace svc::emulator::collections
