// A team's account: the charges of every call, prepaid credit, limits. All in ticks or in whole US
// cents, never in floating point.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"
#include "database/database.h"
#include "emulator/handler/handler.h"
#include "emulator/json/json.h"
#include "emulator/state/state.h"

namespace svc::emulator::billing {

/// The operator's limit on postpaid usage; the soft limit cannot exceed it.
inline constexpr std::int64_t k_hard_limit_cents = 500'000;

/// A billing cycle: a calendar month in UTC.
struct BillingCycle {
  std::int64_t year = 1970;
  int month = 1;
  [[nodiscard]] auto operator<=>(const BillingCycle&) const = default;
  [[nodiscard]] std::int64_t begin_s() const;  ///< Unix seconds
  [[nodiscard]] BillingCycle moved(int months) const;
};
[[nodiscard]] BillingCycle cycle_at(std::int64_t now_ms);

/// Rounds to whole cents.
[[nodiscard]] std::int64_t cents_of(std::int64_t ticks);

struct Account {
  std::int64_t opened_ms = 0;
  std::optional<std::int64_t> soft_limit_cents{};
  std::string info{};            ///< the billing info, a JSON object as text
  std::string payment_method{};  ///< the ID of the default one
  // Sums, so that no call has to add up the past.
  std::int64_t prepaid_spent_ticks = 0;
  std::int64_t cycle_begin_s = 0;
  std::int64_t postpaid_ticks = 0;  ///< in that cycle
};

/// Returns the team's account, creating it if needed.
[[nodiscard]] Result<Account> account_of(Database& database, std::string_view team_id,
                                         std::int64_t now_ms);
[[nodiscard]] Result<void> update_account(Database& database, std::string_view team_id,
                                          const Account& account);

/// The team's balance at `now_ms`.
struct Balance {
  std::int64_t credit_ticks = 0;    ///< remaining prepaid credit
  std::int64_t postpaid_ticks = 0;  ///< postpaid usage in this cycle
  std::int64_t soft_limit_cents = 0;
  /// Whether prepaid credit is used up and postpaid usage has reached the soft limit.
  [[nodiscard]] bool stopped() const;
};
[[nodiscard]] Result<Balance> balance_of(Database& database, std::string_view team_id,
                                         std::int64_t now_ms);

/// Records charges: prepaid credit is used first, the rest is postpaid.
[[nodiscard]] Result<void> record_charges(Database& database, std::string_view team_id,
                                          std::span<const Charge> charges, std::int64_t now_ms);

/// Usage in a period, summed by line.
struct UsageLine {
  Charge charge{};
  std::int64_t prepaid_ticks = 0;
  std::int64_t hour_s = 0;  ///< start of the hour, if grouped by hour
};
struct UsageSpan {
  std::int64_t begin_s = 0;
  std::int64_t end_s = 0;
  bool by_hour = false;
};
[[nodiscard]] Result<std::vector<UsageLine>> usage_of(Database& database, std::string_view team_id,
                                                      const UsageSpan& span);

/// Prepaid credit spent, by cycle.
struct Spending {
  BillingCycle cycle{};
  std::int64_t ticks = 0;
};
[[nodiscard]] Result<std::vector<Spending>> spending_of(Database& database,
                                                        std::string_view team_id);

/// A change of the prepaid credit other than spending.
struct CreditChange {
  std::int64_t id = 0;
  std::string origin{};    ///< "PURCHASE" or "MANUAL"
  std::int64_t cents = 0;  ///< negative: more credit
  std::int64_t created_ms = 0;
  bool declined = false;  ///< the payment method declined it
  std::string payment_method{};
};
enum class TopUp : std::uint8_t { Invoicing, Charging, Succeeded, Failed };
[[nodiscard]] TopUp stage_of(const CreditChange& change, std::int64_t now_ms);

[[nodiscard]] Result<std::vector<CreditChange>> credit_changes(Database& database,
                                                               std::string_view team_id);
/// Adds it and sets its ID.
[[nodiscard]] Result<void> add_credit_change(Database& database, std::string_view team_id,
                                             CreditChange& change);

inline constexpr std::string_view k_default_payment_method = "pm-emulator-visa";
/// Declines every charge, like the test cards of card processors.
inline constexpr std::string_view k_declining_payment_method = "pm-emulator-declined";

/// A new team's billing info, as JSON text.
inline constexpr std::string_view k_default_billing_info =
    R"({"name":"Emulator Demo Team","address":{"line1":"1 Loopback Road","line2":"",)"
    R"("city":"Localhost","country":"US","postalCode":"12701","state":"NY"},)"
    R"("email":"billing@emulator.example"})";

/// Returns all payment methods as JSON, the default one first.
[[nodiscard]] text::Json payment_methods(std::string_view default_id, std::int64_t added_s);

[[nodiscard]] bool is_payment_method(std::string_view id);

}  // namespace svc::emulator::billing

namespace svc::emulator {

/// Returns 429 if the team's prepaid credit is used up and its limit is reached: then every
/// operation is refused, and retrying is useless.
[[nodiscard]] std::optional<Response> check_balance(State& state, std::string_view team_id);

/// Records the cost of a call.
[[nodiscard]] Result<void> charge_team(State& state, std::string_view team_id,
                                       std::span<const Charge> charges);

}  // namespace svc::emulator
