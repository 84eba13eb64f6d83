#include "emulator/account/spending.h"

#include <fmt/format.h>

#include "emulator/account/ledger.h"

namespace svc::emulator {

std::optional<Answer> refuse_spent(State& state, std::string_view team_id) {
  const auto standing = state.with(
      [&](Database& database) { return billing::standing_of(database, team_id, state.now_ms()); });
  if (!standing) return refuse_internal(standing.error());
  if (!standing->stopped()) return std::nullopt;
  return refuse(429, "Some resource has been exhausted",
                fmt::format("Your team {} has either used all available credits or reached its "
                            "monthly spending limit. To continue making API requests, please "
                            "purchase more credits or raise your spending limit.",
                            team_id));
}

Result<void> book_charges(State& state, std::string_view team_id, std::span<const Charge> charges) {
  if (charges.empty()) return {};
  return state.change([&](Database& database) {
    return billing::book(database, team_id, charges, state.now_ms());
  });
}

}  // namespace svc::emulator
