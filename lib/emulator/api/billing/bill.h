// Billing views: lines, invoices, credit changes.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "emulator/account/ledger.h"
#include "emulator/json/json.h"

namespace svc::emulator::billing {

using text::Json;

/// Returns `{"val": "…"}`; an amount of zero is left out, as the service does.
[[nodiscard]] Json money(std::int64_t cents);

/// The lines of a bill, and their total.
struct Bill {
  std::vector<UsageLine> lines{};
  [[nodiscard]] std::int64_t ticks() const;
  [[nodiscard]] std::int64_t prepaid_ticks() const;
  [[nodiscard]] Json json() const;
};

/// The data for all invoices.
struct BillingHistory {
  std::string team_id{};
  Account account{};
  std::vector<CreditChange> changes{};
  std::vector<std::pair<BillingCycle, Bill>>
      cycles{};  ///< the past cycles since the account was opened
  std::int64_t now_ms = 0;
};
[[nodiscard]] Result<BillingHistory> load_billing_history(Database& database,
                                                          std::string_view team_id,
                                                          std::int64_t now_ms);

struct Invoice {
  std::string id{};
  std::optional<BillingCycle> cycle{};  ///< of a monthly invoice
  std::int64_t created_s = 0;
  std::string json{};  ///< as text
};

/// Returns invoices, newest first: one for each past cycle, including three invented ones (marked
/// as such) from before the account was opened, and one for each top-up.
[[nodiscard]] std::vector<Invoice> invoices_of(const BillingHistory& history);

/// Returns a credit change as JSON.
[[nodiscard]] Json change_json(const BillingHistory& history, const CreditChange& change);
[[nodiscard]] Json spending_json(const BillingHistory& history, const Spending& spending);

/// POST …/usage: usage over time.
[[nodiscard]] Response report_usage(const Request& request);

}  // namespace svc::emulator::billing
