#include "emulator/api/collections/paging.h"

#include <fmt/format.h>

#include "base/text.h"

namespace svc::emulator::collections {
namespace {

using management::sv;

constexpr sv k_seal = "collections page";

// A token is only valid with the same order.
std::string seal_kind(const PageWish& wish) {
  return fmt::format("{} {} {}", k_seal, wish.sort_by, wish.ascending);
}

}  // namespace

PageWish read_page_wish(const Call& call, std::span<const sv> sort_words,
                        std::optional<Answer>& refusal) {
  PageWish wish;
  const auto limit = management::query_number(call, "limit", 1, 1'000'000'000, refusal);
  if (limit) wish.limit = static_cast<std::size_t>(std::min<std::int64_t>(*limit, 100));
  const std::string order = call.query_value("order").value_or("");
  wish.ascending = order == "ORDERING_ASCENDING";
  constexpr std::array<sv, 4> k_orders = {"", "ORDERING_UNKNOWN", "ORDERING_ASCENDING",
                                          "ORDERING_DESCENDING"};
  if (std::ranges::find(k_orders, order) == k_orders.end()) {
    refusal = management::refuse_field("order", "The order is ORDERING_ASCENDING or _DESCENDING.",
                                       "enum");
  }
  wish.sort_by = call.query_value("sort_by").value_or("");
  if (!wish.sort_by.empty() &&
      std::ranges::find(sort_words, sv(wish.sort_by)) == sort_words.end()) {
    refusal = management::refuse_field(
        "sort_by", fmt::format("Known are {}.", join(sort_words, ", ")), "enum");
  }
  const std::string token = call.query_value("pagination_token").value_or("");
  if (token.empty()) return wish;
  const auto start = management::open_token(seal_kind(wish), token);
  if (start && *start >= 0) {
    wish.start = static_cast<std::size_t>(*start);
  } else {
    refusal = management::refuse_field(
        "pagination_token", "The token comes from no page of this listing in this order.",
        "invalid-token");
  }
  return wish;
}

std::string page_token(const PageWish& wish, std::size_t start) {
  return management::seal_token(seal_kind(wish), std::to_string(start));
}

}  // namespace svc::emulator::collections
