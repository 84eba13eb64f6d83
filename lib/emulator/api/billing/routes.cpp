#include "emulator/handler/routes.h"

#include <algorithm>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "base/money.h"
#include "base/text.h"
#include "emulator/account/ledger.h"
#include "emulator/account/management.h"
#include "emulator/api/billing/bill.h"
#include "emulator/json/check.h"
#include "emulator/json/json.h"
#include "emulator/state/state.h"

namespace svc::emulator::billing {
namespace {

using management::Code;
using management::sv;

struct Filter {
  std::optional<Cycle> cycle{};
  std::optional<Cycle> since{};
  std::vector<std::string> ids{};

  [[nodiscard]] bool takes(const Invoice& invoice) const {
    if (cycle) return invoice.cycle == cycle;
    if (since) return invoice.created_s >= since->begin_s();
    return ids.empty() || std::ranges::find(ids, invoice.id) != ids.end();
  }
};

// Parses `<name>.year` and `<name>.month`, which must be given together.
Checked<std::optional<Cycle>> read_cycle(const Call& call, const std::string& name) {
  SVC_TRY(year, management::query_number(call, name + ".year", 1970, 9999));
  SVC_TRY(month, management::query_number(call, name + ".month", 1, 12));
  if (year && month) return std::optional(Cycle{*year, static_cast<int>(*month)});
  if (!year && !month) return std::optional<Cycle>{};
  return management::refuse_empty(name + (year ? ".month" : ".year"));
}

Checked<Filter> read_filter(const Call& call) {
  SVC_TRY(cycle, read_cycle(call, "billingCycle"));
  SVC_TRY(since, read_cycle(call, "since"));
  Filter filter{cycle, since, {}};
  for (const Header& pair : call.query) {
    if (pair.name == "invoiceIds.invoiceIds" && !pair.value.empty()) {
      filter.ids.push_back(pair.value);
    }
  }
  if (int{cycle.has_value()} + int{since.has_value()} + int{!filter.ids.empty()} <= 1)
    return filter;
  return management::refuse(Code::InvalidArgument,
                            "Only one of billingCycle, since and invoiceIds may be given.",
                            "form-invalid:one-of:filter");
}

Answer list_invoices(const Call& call) {
  SVC_TRY(filter, read_filter(call));
  SVC_TRY(books, checked(call.state->change([&](Database& database) {
            return open_books(database, call.key.team_id, call.state->now_ms());
          })));
  Answer answer;
  for (const Invoice& invoice : invoices_of(books)) {
    if (!filter.takes(invoice)) continue;
    answer.body += answer.body.empty() ? "" : ",";
    answer.body += invoice.json;
  }
  answer.body = fmt::format(R"({{"invoices":[{}]}})", answer.body);
  return answer;
}

// The largest accepted amount: a million dollars.
constexpr std::int64_t k_most_cents = 100'000'000;

const text::Types k_billing_types(R"(
money = {val: int64}
limit = {desiredSoftSpendingLimit: money}
topup = {amount: money}
method = {paymentMethodId}
info = {name, address: {line1, line2, city, country, postalCode, state}, email, taxIdType,
        taxNumber}
set_info = {billingInfo: info}
)");

// Returns the amount of a money object; zero is {} or absent.
std::optional<std::int64_t> cents_in(const Json& body, sv name) {
  const Json* amount = text::member(body, name);
  if (amount == nullptr || text::member(*amount, "val") == nullptr) return 0;
  return management::int64_of(*amount, "val");
}

// Runs `work(database, account)` on the team's account in one transaction.
template <typename Work>
Answer with_account(const Call& call, Work&& work) {
  return answer_of(call.state->change([&](Database& database) -> Result<Answer> {
    SVC_TRY(account, account_of(database, call.key.team_id, call.state->now_ms()));
    return work(database, account);
  }));
}

Answer get_info(const Call& call) {
  return with_account(call, [](Database&, Account& account) -> Result<Answer> {
    return json_answer({{"billingInfo", text::parse_json(account.info)}});
  });
}

std::optional<Answer> info_fault(const Json& info) {
  const std::string email = text::text_of(info, "email");
  if (!email.empty() && email.find('@') == std::string::npos) {
    return management::refuse_field("billingInfo.email", "This is not an e-mail address.", "email");
  }
  const Json* address = text::member(info, "address");
  const std::string country = address == nullptr ? "" : text::text_of(*address, "country");
  const bool letters = std::ranges::all_of(country, [](char c) { return c >= 'A' && c <= 'Z'; });
  if (country.empty() || (country.size() == 2 && letters)) return std::nullopt;
  return management::refuse_field("billingInfo.address.country",
                                  "This is not a country code of two capital letters.", "country");
}

// Only documented fields are stored.
Json known_members(const Json& object, const text::Type& type) {
  Json out = Json::object();
  for (const text::Member& row : type.members) {
    const Json* value = text::member(object, row.name);
    if (value == nullptr) continue;
    out[std::string(row.name)] = value->is_object() ? known_members(*value, *row.type) : *value;
  }
  return out;
}

Answer set_info(const Call& call) {
  SVC_TRY(body, management::read_body(call, k_billing_types["set_info"]));
  const Json* info = text::member(body, "billingInfo");
  if (info == nullptr) return management::refuse_empty("billingInfo");
  if (auto refusal = info_fault(*info)) return *refusal;
  return with_account(call, [&](Database& database, Account& account) -> Result<Answer> {
    account.info = text::dump(known_members(*info, k_billing_types["info"]));
    SVC_CHECK(update_account(database, call.key.team_id, account));
    return json_answer(Json::object());
  });
}

Answer list_methods(const Call& call) {
  return with_account(call, [](Database&, Account& account) -> Result<Answer> {
    return json_answer(
        {{"paymentMethods", payment_methods(account.payment_method, account.opened_ms / 1000)}});
  });
}

Answer set_method(const Call& call) {
  SVC_TRY(body, management::read_body(call, k_billing_types["method"]));
  const std::string id = text::text_of(body, "paymentMethodId");
  if (id.empty()) return management::refuse_empty("paymentMethodId");
  if (!is_payment_method(id)) {
    return management::refuse_missing("Payment method", id);
  }
  return with_account(call, [&](Database& database, Account& account) -> Result<Answer> {
    account.payment_method = id;
    SVC_CHECK(update_account(database, call.key.team_id, account));
    return json_answer(Json::object());
  });
}

Answer get_preview(const Call& call) {
  const std::int64_t now = call.state->now_ms();
  return with_account(call, [&](Database& database, Account&) -> Result<Answer> {
    const Cycle cycle = cycle_at(now);
    SVC_TRY(lines, usage_of(database, call.key.team_id,
                            {.begin_s = cycle.begin_s(), .end_s = cycle.moved(1).begin_s()}));
    const Bill bill{std::move(lines)};
    SVC_TRY(standing, standing_of(database, call.key.team_id, now));
    const std::int64_t total = cents_of(bill.ticks());
    const std::int64_t used = std::min(total, cents_of(bill.prepaid_ticks()));
    const std::int64_t credit = cents_of(std::max<std::int64_t>(0, standing.credit_ticks)) + used;
    return json_answer(
        {{"coreInvoice",
          {{"lines", bill.json()},
           {"amountBeforeVatLimited", money(total)},
           {"amountBeforeVatUnlimited", money(0)},
           {"amountBeforeVatLimitedAndUnlimited", money(total)},
           {"totalWithCorr", money(total)},
           // The sign of the balance: negative is credit. This is the cycle's opening balance.
           {"prepaidCredits", money(-credit)},
           {"prepaidCreditsUsed", money(used)},
           {"amountBeforeVat", std::to_string(total - used)},
           {"vatCost", "0"},
           {"amountAfterVat", std::to_string(total - used)},
           {"autoCreditsIssued", "0"},
           {"defaultCreditsIssued", "0"}}},
         {"effectiveSpendingLimit", std::to_string(standing.soft_limit_cents)},
         {"defaultCredits", "0"},
         {"billingCycle", {{"year", cycle.year}, {"month", cycle.month}}}});
  });
}

Answer get_limits(const Call& call) {
  return with_account(call, [](Database&, Account& account) -> Result<Answer> {
    const std::int64_t soft = account.soft_limit_cents.value_or(0);
    Json limits = {{"hardSlAuto", money(k_hard_limit_cents)},
                   {"effectiveHardSl", money(k_hard_limit_cents)},
                   {"effectiveSl", money(soft)}};
    if (account.soft_limit_cents) limits["softSl"] = money(soft);
    return json_answer({{"spendingLimits", std::move(limits)}});
  });
}

Answer set_limits(const Call& call) {
  constexpr sv k_name = "desiredSoftSpendingLimit";
  SVC_TRY(body, management::read_body(call, k_billing_types["limit"]));
  if (text::member(body, k_name) == nullptr) return management::refuse_empty(k_name);
  const auto cents = cents_in(body, k_name);
  if (!cents || *cents < 0 || *cents > k_hard_limit_cents) {
    return management::refuse_field(
        k_name,
        fmt::format("The soft spending limit must be a whole number of cents from 0 to the hard "
                    "spending limit, {}.",
                    k_hard_limit_cents),
        "range");
  }
  return with_account(call, [&](Database& database, Account& account) -> Result<Answer> {
    account.soft_limit_cents = *cents;
    SVC_CHECK(update_account(database, call.key.team_id, account));
    return json_answer({{"thisBpSoftSpendingLimit", money(*cents)}});
  });
}

Answer get_balance(const Call& call) {
  return with_account(call, [&](Database& database, Account&) -> Result<Answer> {
    SVC_TRY(books, open_books(database, call.key.team_id, call.state->now_ms()));
    SVC_TRY(spendings, spending_of(database, call.key.team_id));
    std::vector<Json> changes;
    std::int64_t total = 0;
    for (const Spending& spending : spendings) {
      total += cents_of(spending.ticks);
      changes.push_back(spending_json(books, spending));
    }
    for (const CreditChange& change : books.changes) {
      const bool counts = stage_of(change, books.now_ms) == TopUp::Succeeded;
      if (counts) total += change.cents;
      changes.push_back(change_json(books, change));
    }
    std::ranges::reverse(changes);  // newest first, also within a second
    std::ranges::stable_sort(changes, [](const Json& one, const Json& other) {
      return text::text_of(one, "createTime") > text::text_of(other, "createTime");
    });
    return json_answer({{"changes", Json(std::move(changes))}, {"total", money(total)}});
  });
}

Answer top_up(const Call& call) {
  SVC_TRY(body, management::read_body(call, k_billing_types["topup"]));
  const auto wish = cents_in(body, "amount");
  const std::int64_t cents = wish ? std::abs(*wish) : 0;  // the sign is ignored
  if (cents == 0 || cents > k_most_cents) {
    return management::refuse_field(
        "amount", fmt::format("The amount must be 1 to {} cents.", k_most_cents), "range");
  }
  return with_account(call, [&](Database& database, Account& account) -> Result<Answer> {
    SVC_TRY(books, open_books(database, call.key.team_id, call.state->now_ms()));
    for (const CreditChange& change : books.changes) {
      const auto stage = stage_of(change, books.now_ms);
      if (stage != TopUp::Invoicing && stage != TopUp::Charging) continue;
      return json_answer({{"change", change_json(books, change)}});
    }
    CreditChange change{.origin = "PURCHASE",
                        .cents = -cents,
                        .created_ms = books.now_ms,
                        .declined = account.payment_method == k_declining_payment_method,
                        .payment_method = account.payment_method};
    SVC_CHECK(add_credit_change(database, call.key.team_id, change));
    return json_answer({{"change", change_json(books, change)}});
  });
}

// Sets the demo team's credit, for scripts under test.
Answer set_credit(const Call& call) {
  const auto cents = management::int64_of(text::parse_json(call.body), "cents");
  if (!cents || *cents < 0 || *cents > k_most_cents) {
    return refuse_argument(
        fmt::format("The body is {{\"cents\": N}} with N from 0 to {}.", k_most_cents));
  }
  const std::int64_t now = call.state->now_ms();
  const auto set = [&](Database& database) -> Result<void> {
    SVC_CHECK(account_of(database, k_demo_team_id, now));
    SVC_TRY(standing, standing_of(database, k_demo_team_id, now));
    // Rounded up, so that a credit of zero leaves nothing.
    const std::int64_t has = (standing.credit_ticks + k_ticks_per_cent - 1) / k_ticks_per_cent;
    CreditChange change{.origin = "MANUAL", .cents = has - *cents, .created_ms = now};
    return add_credit_change(database, k_demo_team_id, change);
  };
  SVC_CHECK(checked(call.state->change(set)));
  return json_answer({{"team_id", k_demo_team_id}, {"cents", *cents}});
}

}  // namespace
}  // namespace svc::emulator::billing

namespace svc::emulator {

std::vector<Route> billing_routes() {
  using namespace billing;
  const std::string team = "/v1/billing/teams/{team_id}";
  std::vector<Route> routes = {
      {"GET", team + "/billing-info", get_info},
      {"POST", team + "/billing-info", set_info},
      {"GET", team + "/invoices", list_invoices},
      {"GET", team + "/payment-method", list_methods},
      {"POST", team + "/payment-method/default", set_method},
      {"GET", team + "/postpaid/invoice/preview", get_preview},
      {"GET", team + "/postpaid/spending-limits", get_limits},
      {"POST", team + "/postpaid/spending-limits", set_limits},
      {"GET", team + "/prepaid/balance", get_balance},
      {"POST", team + "/prepaid/top-up", top_up},
      {"POST", team + "/usage", report_usage},
  };
  for (Route& route : routes) route.key = KeyNeed::Management;
  routes.push_back(
      {.method = "POST", .path = "/_emulator/credit", .handler = set_credit, .key = KeyNeed::None});
  return routes;
}

}  // namespace svc::emulator
