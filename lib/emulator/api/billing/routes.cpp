#include "emulator/handler/routes.h"

#include <algorithm>
#include <cmath>

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
  std::optional<BillingCycle> cycle{};
  std::optional<BillingCycle> since{};
  std::vector<std::string> ids{};

  [[nodiscard]] bool takes(const Invoice& invoice) const {
    if (cycle) return invoice.cycle == cycle;
    if (since) return invoice.created_s >= since->begin_s();
    return ids.empty() || std::ranges::find(ids, invoice.id) != ids.end();
  }
};

// Parses `<name>.year` and `<name>.month`, which must be given together.
Checked<std::optional<BillingCycle>> read_cycle(const Request& request, const std::string& name) {
  SVC_TRY(year, management::query_number(request, name + ".year", 1970, 9999));
  SVC_TRY(month, management::query_number(request, name + ".month", 1, 12));
  if (year && month) return std::optional(BillingCycle{*year, static_cast<int>(*month)});
  if (!year && !month) return std::optional<BillingCycle>{};
  return management::empty_field_error(name + (year ? ".month" : ".year"));
}

Checked<Filter> read_filter(const Request& request) {
  SVC_TRY(cycle, read_cycle(request, "billingCycle"));
  SVC_TRY(since, read_cycle(request, "since"));
  Filter filter{cycle, since, {}};
  for (const Header& pair : request.query) {
    if (pair.name == "invoiceIds.invoiceIds" && !pair.value.empty()) {
      filter.ids.push_back(pair.value);
    }
  }
  if (int{cycle.has_value()} + int{since.has_value()} + int{!filter.ids.empty()} <= 1)
    return filter;
  return management::error_response(Code::InvalidArgument,
                                    "Only one of billingCycle, since and invoiceIds may be given.",
                                    "form-invalid:one-of:filter");
}

Response list_invoices(const Request& request) {
  SVC_TRY(filter, read_filter(request));
  SVC_TRY(history, checked(request.state->change([&](Database& database) {
            return load_billing_history(database, request.key.team_id, request.state->now_ms());
          })));
  Response response;
  for (const Invoice& invoice : invoices_of(history)) {
    if (!filter.takes(invoice)) continue;
    response.body += response.body.empty() ? "" : ",";
    response.body += invoice.json;
  }
  response.body = fmt::format(R"({{"invoices":[{}]}})", response.body);
  return response;
}

// The largest accepted amount: a million dollars.
constexpr std::int64_t k_max_cents = 100'000'000;

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
  return management::get_int64(*amount, "val");
}

// Runs `work(database, account)` on the team's account in one transaction.
template <typename Work>
Response with_account(const Request& request, Work&& work) {
  return response_or_error(request.state->change([&](Database& database) -> Result<Response> {
    SVC_TRY(account, account_of(database, request.key.team_id, request.state->now_ms()));
    return work(database, account);
  }));
}

Response get_info(const Request& request) {
  return with_account(request, [](Database&, Account& account) -> Result<Response> {
    return json_response({{"billingInfo", text::parse_json(account.info)}});
  });
}

std::optional<Response> check_info(const Json& info) {
  const std::string email = text::get_string(info, "email");
  if (!email.empty() && email.find('@') == std::string::npos) {
    return management::invalid_field_error("billingInfo.email", "This is not an e-mail address.",
                                           "email");
  }
  const Json* address = text::member(info, "address");
  const std::string country = address == nullptr ? "" : text::get_string(*address, "country");
  const bool letters = std::ranges::all_of(country, [](char c) { return c >= 'A' && c <= 'Z'; });
  if (country.empty() || (country.size() == 2 && letters)) return std::nullopt;
  return management::invalid_field_error("billingInfo.address.country",
                                         "This is not a country code of two capital letters.",
                                         "country");
}

// Only documented fields are stored.
Json known_fields(const Json& object, const text::Type& type) {
  Json out = Json::object();
  for (const text::Member& row : type.members) {
    const Json* value = text::member(object, row.name);
    if (value == nullptr) continue;
    out[std::string(row.name)] = value->is_object() ? known_fields(*value, *row.type) : *value;
  }
  return out;
}

Response set_info(const Request& request) {
  SVC_TRY(body, management::read_body(request, k_billing_types["set_info"]));
  const Json* info = text::member(body, "billingInfo");
  if (info == nullptr) return management::empty_field_error("billingInfo");
  if (auto error = check_info(*info)) return *error;
  return with_account(request, [&](Database& database, Account& account) -> Result<Response> {
    account.info = text::dump(known_fields(*info, k_billing_types["info"]));
    SVC_CHECK(update_account(database, request.key.team_id, account));
    return json_response(Json::object());
  });
}

Response list_methods(const Request& request) {
  return with_account(request, [](Database&, Account& account) -> Result<Response> {
    return json_response(
        {{"paymentMethods", payment_methods(account.payment_method, account.opened_ms / 1000)}});
  });
}

Response set_method(const Request& request) {
  SVC_TRY(body, management::read_body(request, k_billing_types["method"]));
  const std::string id = text::get_string(body, "paymentMethodId");
  if (id.empty()) return management::empty_field_error("paymentMethodId");
  if (!is_payment_method(id)) {
    return management::not_found_error("Payment method", id);
  }
  return with_account(request, [&](Database& database, Account& account) -> Result<Response> {
    account.payment_method = id;
    SVC_CHECK(update_account(database, request.key.team_id, account));
    return json_response(Json::object());
  });
}

Response get_preview(const Request& request) {
  const std::int64_t now = request.state->now_ms();
  return with_account(request, [&](Database& database, Account&) -> Result<Response> {
    const BillingCycle cycle = cycle_at(now);
    SVC_TRY(lines, usage_of(database, request.key.team_id,
                            {.begin_s = cycle.begin_s(), .end_s = cycle.moved(1).begin_s()}));
    const Bill bill{std::move(lines)};
    SVC_TRY(balance, balance_of(database, request.key.team_id, now));
    const std::int64_t total = cents_of(bill.ticks());
    const std::int64_t used = std::min(total, cents_of(bill.prepaid_ticks()));
    const std::int64_t credit = cents_of(std::max<std::int64_t>(0, balance.credit_ticks)) + used;
    return json_response(
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
         {"effectiveSpendingLimit", std::to_string(balance.soft_limit_cents)},
         {"defaultCredits", "0"},
         {"billingCycle", {{"year", cycle.year}, {"month", cycle.month}}}});
  });
}

Response get_limits(const Request& request) {
  return with_account(request, [](Database&, Account& account) -> Result<Response> {
    const std::int64_t soft = account.soft_limit_cents.value_or(0);
    Json limits = {{"hardSlAuto", money(k_hard_limit_cents)},
                   {"effectiveHardSl", money(k_hard_limit_cents)},
                   {"effectiveSl", money(soft)}};
    if (account.soft_limit_cents) limits["softSl"] = money(soft);
    return json_response({{"spendingLimits", std::move(limits)}});
  });
}

Response set_limits(const Request& request) {
  constexpr sv k_name = "desiredSoftSpendingLimit";
  SVC_TRY(body, management::read_body(request, k_billing_types["limit"]));
  if (text::member(body, k_name) == nullptr) return management::empty_field_error(k_name);
  const auto cents = cents_in(body, k_name);
  if (!cents || *cents < 0 || *cents > k_hard_limit_cents) {
    return management::invalid_field_error(
        k_name,
        fmt::format("The soft spending limit must be a whole number of cents from 0 to the hard "
                    "spending limit, {}.",
                    k_hard_limit_cents),
        "range");
  }
  return with_account(request, [&](Database& database, Account& account) -> Result<Response> {
    account.soft_limit_cents = *cents;
    SVC_CHECK(update_account(database, request.key.team_id, account));
    return json_response({{"thisBpSoftSpendingLimit", money(*cents)}});
  });
}

Response get_balance(const Request& request) {
  return with_account(request, [&](Database& database, Account&) -> Result<Response> {
    SVC_TRY(history, load_billing_history(database, request.key.team_id, request.state->now_ms()));
    SVC_TRY(spendings, spending_of(database, request.key.team_id));
    std::vector<Json> changes;
    std::int64_t total = 0;
    for (const Spending& spending : spendings) {
      total += cents_of(spending.ticks);
      changes.push_back(spending_json(history, spending));
    }
    for (const CreditChange& change : history.changes) {
      const bool counts = stage_of(change, history.now_ms) == TopUp::Succeeded;
      if (counts) total += change.cents;
      changes.push_back(change_json(history, change));
    }
    std::ranges::reverse(changes);  // newest first, also within a second
    std::ranges::stable_sort(changes, [](const Json& one, const Json& other) {
      return text::get_string(one, "createTime") > text::get_string(other, "createTime");
    });
    return json_response({{"changes", Json(std::move(changes))}, {"total", money(total)}});
  });
}

Response top_up(const Request& request) {
  SVC_TRY(body, management::read_body(request, k_billing_types["topup"]));
  const auto amount_cents = cents_in(body, "amount");
  const std::int64_t cents = amount_cents ? std::abs(*amount_cents) : 0;  // the sign is ignored
  if (cents == 0 || cents > k_max_cents) {
    return management::invalid_field_error(
        "amount", fmt::format("The amount must be 1 to {} cents.", k_max_cents), "range");
  }
  return with_account(request, [&](Database& database, Account& account) -> Result<Response> {
    SVC_TRY(history, load_billing_history(database, request.key.team_id, request.state->now_ms()));
    for (const CreditChange& change : history.changes) {
      const auto stage = stage_of(change, history.now_ms);
      if (stage != TopUp::Invoicing && stage != TopUp::Charging) continue;
      return json_response({{"change", change_json(history, change)}});
    }
    CreditChange change{.origin = "PURCHASE",
                        .cents = -cents,
                        .created_ms = history.now_ms,
                        .declined = account.payment_method == k_declining_payment_method,
                        .payment_method = account.payment_method};
    SVC_CHECK(add_credit_change(database, request.key.team_id, change));
    return json_response({{"change", change_json(history, change)}});
  });
}

// Sets the demo team's credit, for scripts under test.
Response set_credit(const Request& request) {
  const auto cents = management::get_int64(text::parse_json(request.body), "cents");
  if (!cents || *cents < 0 || *cents > k_max_cents) {
    return invalid_argument_error(
        fmt::format("The body is {{\"cents\": N}} with N from 0 to {}.", k_max_cents));
  }
  const std::int64_t now = request.state->now_ms();
  const auto set = [&](Database& database) -> Result<void> {
    SVC_CHECK(account_of(database, k_demo_team_id, now));
    SVC_TRY(balance, balance_of(database, k_demo_team_id, now));
    // Rounded up, so that a credit of zero leaves nothing.
    const std::int64_t has = (balance.credit_ticks + k_ticks_per_cent - 1) / k_ticks_per_cent;
    CreditChange change{.origin = "MANUAL", .cents = has - *cents, .created_ms = now};
    return add_credit_change(database, k_demo_team_id, change);
  };
  SVC_CHECK(checked(request.state->change(set)));
  return json_response({{"team_id", k_demo_team_id}, {"cents", *cents}});
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
  for (Route& route : routes) route.key = KeyRequirement::Management;
  routes.push_back({.method = "POST",
                    .path = "/_emulator/credit",
                    .handler = set_credit,
                    .key = KeyRequirement::None});
  return routes;
}

}  // namespace svc::emulator
