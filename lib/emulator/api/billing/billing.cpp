#include <nlohmann/json.hpp>

#include "base/money.h"
#include "emulator/account/auth.h"
#include "emulator/account/ledger.h"

namespace svc::emulator::billing {
namespace {

using text::Json;

constexpr int k_sample_cycles = 3;
constexpr std::int64_t k_ticks_per_unit_price = 100;  // 1/1,000,000 cent
constexpr std::int64_t k_charge_delay_s = 3 * 86'400;

/// The lines of a bill, and their total.
struct Bill {
  std::vector<UsageLine> lines{};

  /// The whole amount in cents, and how much of it is prepaid.
  [[nodiscard]] std::pair<std::int64_t, std::int64_t> cents() const {
    std::int64_t all = 0;
    std::int64_t prepaid = 0;
    for (const UsageLine& line : lines) {
      all += line.charge.units * line.charge.unit_ticks;
      prepaid += line.prepaid_ticks;
    }
    return {cents_of(all), std::min(cents_of(all), cents_of(prepaid))};
  }
  [[nodiscard]] Json json() const {
    return text::json_list(lines, [](const UsageLine& line) -> Json {
      const Charge& charge = line.charge;
      return {{"clusterName", k_clusters.front()},
              {"description", charge.description},
              {"unitType", charge.unit},
              {"unitPrice", std::to_string(charge.unit_ticks / k_ticks_per_unit_price)},
              {"numUnits", std::to_string(charge.units)},
              {"amount", std::to_string(cents_of(charge.units * charge.unit_ticks))}};
    });
  }
};

/// The data for all invoices.
struct BillingHistory {
  std::string team_id{};
  Account account{};
  std::vector<CreditChange> changes{};
  std::vector<std::pair<BillingCycle, Bill>> cycles{};  ///< since the account was opened
  std::int64_t now_ms = 0;
};
struct Invoice {
  std::string id{};
  std::optional<BillingCycle> cycle{};  ///< of a monthly invoice
  std::int64_t created_s = 0;
  Json json{};
};

// Returns `{"val": "…"}`; an amount of zero is left out, as the service does.
Json money(std::int64_t cents) {
  if (cents == 0) return Json::object();
  return {{"val", std::to_string(cents)}};
}

// A deterministic pseudo-random number.
std::uint64_t scatter(std::uint64_t seed) {
  seed += 0x9E3779B97F4A7C15U;
  seed = (seed ^ (seed >> 30)) * 0xBF58476D1CE4E5B9U;
  seed = (seed ^ (seed >> 27)) * 0x94D049BB133111EBU;
  return seed ^ (seed >> 31);
}

std::string invoice_id(std::uint64_t kind, std::uint64_t number) {
  const std::uint64_t bits = scatter(kind * 1'000'003 + number);
  return fmt::format("{:08x}-{:04x}-4{:03x}-8{:03x}-{:012x}", bits >> 32, (bits >> 16) & 0xFFFF,
                     bits & 0xFFF, kind & 0xFFF, number);
}

std::uint64_t index_of(const BillingCycle& cycle) {
  return static_cast<std::uint64_t>(cycle.year * 12 + cycle.month);
}

Json cycle_json(const BillingCycle& cycle) {
  return {{"year", cycle.year}, {"month", cycle.month}};
}

// Usage in a month before the account existed: always the same for the same month.
Bill sample_bill(const BillingCycle& cycle) {
  const auto millions = [&](std::uint64_t salt, std::uint64_t most) {
    return static_cast<std::int64_t>(scatter(index_of(cycle) * 31 + salt) % most + 1) * 1'000'000;
  };
  Bill bill;
  const auto add = [&](sv what, std::int64_t units, std::int64_t ticks) {
    bill.lines.push_back({{fmt::format("Emulated history: {}", what), "token", units, ticks}});
  };
  add("svc-4.5 prompt tokens", millions(1, 40), 20'000);
  add("svc-4.5 completion tokens", millions(2, 8), 100'000);
  add("svc-4.3 prompt tokens", millions(3, 60), 12'500);
  return bill;
}

struct Head {
  std::string id{}, number{};
  std::int64_t created_s = 0;
  sv status{};
  sv payment_method{};                   ///< empty: nothing was charged
  std::int64_t subtotal = 0, total = 0;  ///< cents
};

Json invoice_json(const BillingHistory& history, const Head& head, Json lines) {
  Json attempts = Json::array();
  if (!head.payment_method.empty()) {
    attempts.push_back({{"ticket", 1},
                        {"successful", head.status == "PAID"},
                        {"paymentMethodId", head.payment_method}});
  }
  return {{"teamId", history.team_id},
          {"invoiceId", head.id},
          {"invoiceNumber", head.number},
          {"createTime", format_rfc3339(head.created_s)},
          {"invoiceStatus", head.status},
          {"firstDesiredNextCycleTs", format_rfc3339(head.created_s + k_charge_delay_s)},
          {"chargerAttempts", std::move(attempts)},
          {"lines", std::move(lines)},
          {"subtotal", std::to_string(head.subtotal)},
          {"tax", "0"},
          {"total", std::to_string(head.total)},
          {"invoicePdfAssetKeySuffix", fmt::format("emulator/{}.pdf", head.number)}};
}

Invoice monthly_invoice(const BillingHistory& history, const BillingCycle& cycle,
                        const Bill& bill) {
  const auto [subtotal, prepaid] = bill.cents();
  const bool due = subtotal > prepaid;
  const Head head{.id = invoice_id(1, index_of(cycle)),
                  .number = fmt::format("EMU-{:04}-{:02}", cycle.year, cycle.month),
                  .created_s = cycle.moved(1).begin_s(),
                  .status = due ? "PAID" : "WILL_NEVER_BE_CHARGED",
                  .payment_method = due ? k_default_payment_method : sv{},
                  .subtotal = subtotal,
                  .total = subtotal - prepaid};
  Json json = invoice_json(history, head, bill.json());
  json["monthly"] = {{"billingCycle", cycle_json(cycle)},
                     {"defaultCreditsIssued", money(0)},
                     {"autoCreditsIssued", money(0)},
                     {"prepaidTokensToSpend", money(prepaid)},
                     {"billingItemsCsvAssetKeySuffix", fmt::format("emulator/{}.csv", head.number)},
                     {"correctionsCsvAssetKeySuffix", ""}};
  return {head.id, cycle, head.created_s, std::move(json)};
}

std::string topup_invoice_id(const CreditChange& change) {
  return invoice_id(2, static_cast<std::uint64_t>(change.id));
}

std::string topup_invoice_number(const CreditChange& change) {
  return fmt::format("EMU-P-{:06}", change.id);
}

Invoice topup_invoice(const BillingHistory& history, const CreditChange& change) {
  constexpr std::array<sv, 4> k_statuses = {"PENDING", "PENDING", "PAID", "FAILED"};
  const TopUp stage = stage_of(change, history.now_ms);
  const bool tried = stage == TopUp::Succeeded || stage == TopUp::Failed;
  const std::int64_t cents = -change.cents;
  const Head head{.id = topup_invoice_id(change),
                  .number = topup_invoice_number(change),
                  .created_s = change.created_ms / 1000,
                  .status = k_statuses[static_cast<std::size_t>(stage)],
                  .payment_method = tried ? sv(change.payment_method) : sv{},
                  .subtotal = cents,
                  .total = cents};
  const Bill bill{{{{"Prepaid credit", "cent", cents, k_ticks_per_cent}}}};
  Json json = invoice_json(history, head, bill.json());
  json["prepaid"] = Json::object();
  return {head.id, std::nullopt, head.created_s, std::move(json)};
}

Result<BillingHistory> load_billing_history(Database& database, sv team_id, std::int64_t now_ms) {
  BillingHistory history{.team_id = std::string(team_id), .now_ms = now_ms};
  SVC_TRY(account, account_of(database, team_id, now_ms));
  history.account = std::move(account);
  SVC_TRY(changes, credit_changes(database, team_id));
  history.changes = std::move(changes);
  const BillingCycle current = cycle_at(now_ms);
  for (BillingCycle cycle = cycle_at(history.account.opened_ms); cycle < current;
       cycle = cycle.moved(1)) {
    SVC_TRY(lines, usage_of(database, team_id,
                            {.begin_s = cycle.begin_s(), .end_s = cycle.moved(1).begin_s()}));
    history.cycles.emplace_back(cycle, Bill{std::move(lines)});
  }
  return history;
}

// Returns invoices, newest first: one for each past cycle, including three invented ones (marked
// as such) from before the account was opened, and one for each top-up.
std::vector<Invoice> invoices_of(const BillingHistory& history) {
  std::vector<Invoice> list;
  const BillingCycle opened = cycle_at(history.account.opened_ms);
  for (int i = k_sample_cycles; i > 0; --i) {
    const BillingCycle cycle = opened.moved(-i);
    list.push_back(monthly_invoice(history, cycle, sample_bill(cycle)));
  }
  for (const auto& [cycle, bill] : history.cycles) {
    list.push_back(monthly_invoice(history, cycle, bill));
  }
  for (const CreditChange& change : history.changes) {
    if (change.origin == "PURCHASE") list.push_back(topup_invoice(history, change));
  }
  std::ranges::stable_sort(list, std::ranges::greater{}, &Invoice::created_s);
  return list;
}

// Returns a credit change as JSON.
Json change_json(const BillingHistory& history, const CreditChange& change) {
  constexpr std::array<sv, 4> k_stages = {"TO_GENERATE_INVOICE", "TO_CHARGE", "SUCCEEDED",
                                          "FAILED_TO_CHARGE"};
  const bool bought = change.origin == "PURCHASE";
  const std::string time = format_rfc3339(change.created_ms / 1000);
  Json json = {{"teamId", history.team_id}, {"changeOrigin", change.origin}};
  json["amount"] = money(change.cents);
  json["createTime"] = time;
  json["createTs"] = time;
  json["paymentProcessor"] = {{"kind", bought ? "EXTERNAL" : "MANUAL"},
                              {"externalParty", "svc emulator"}};
  if (!bought) return json;
  json["topupStatus"] = k_stages[static_cast<std::size_t>(stage_of(change, history.now_ms))];
  json["invoiceId"] = topup_invoice_id(change);
  json["invoiceNumber"] = topup_invoice_number(change);
  json["paymentProcessor"]["externalInvoiceId"] = "ext-" + topup_invoice_number(change);
  return json;
}

Json spending_json(const BillingHistory& history, const Spending& spending) {
  const std::string time = format_rfc3339(spending.cycle.begin_s());
  return {{"teamId", history.team_id},
          {"changeOrigin", "SPEND"},
          {"amount", money(cents_of(spending.ticks))},
          {"createTime", time},
          {"spendBpKeyYear", spending.cycle.year},
          {"spendBpKeyMonth", spending.cycle.month},
          {"createTs", time}};
}

// POST /v1/billing/teams/{team_id}/usage: usage as time series.

constexpr std::array<sv, 5> k_units = {"", "TIME_UNIT_NONE", "TIME_UNIT_HOUR", "TIME_UNIT_DAY",
                                       "TIME_UNIT_MONTH"};

struct UsageQuery {
  UsageSpan span{.by_hour = true};
  std::string unit{};  ///< one of k_units
  std::vector<std::string> values{};
  bool by_description = false;
};

// "2026-01-01 00:00:00" in UTC.
Checked<std::int64_t> read_time(const Json& range, sv name) {
  std::string text = text::get_string(range, name);
  if (text.size() == 19) text = replace_all(text, " ", "T") + "Z";
  if (const auto time = parse_rfc3339(text)) return *time;
  return management::invalid_field_error(fmt::format("analyticsRequest.timeRange.{}", name),
                                         "This is not a time such as 2026-01-01 00:00:00.",
                                         "timestamp");
}

Checked<UsageQuery> read_usage_query(const Json& request) {
  const Json range = text::copy_of(request, "timeRange");
  SVC_TRY(begin, read_time(range, "startTime"));
  SVC_TRY(end, read_time(range, "endTime"));
  UsageQuery query;
  query.span.begin_s = begin / 3600 * 3600;  // usage is stored by the hour
  query.span.end_s = end;
  query.unit = text::get_string(request, "timeUnit");
  if (!has_element(k_units, query.unit)) {
    return management::invalid_field_error(
        "analyticsRequest.timeUnit", "The emulator knows TIME_UNIT_NONE, _HOUR, _DAY and _MONTH.",
        "enum");
  }
  for (const Json& value : text::copy_of(request, "values")) {
    const std::string name = text::get_string(value, "name");
    if (name != "usd" && name != "num_units") {
      return management::invalid_field_error(
          "analyticsRequest.values", "The emulator knows the values usd and num_units.", "enum");
    }
    query.values.push_back(name);
  }
  if (query.values.empty()) return management::empty_field_error("analyticsRequest.values");
  for (const Json& word : text::copy_of(request, "groupBy")) {
    if (word != "description") {
      return management::invalid_field_error("analyticsRequest.groupBy",
                                             "The emulator groups by description only.", "enum");
    }
    query.by_description = true;
  }
  if (const Json* filters = text::member(request, "filters"); filters && !filters->empty()) {
    return management::invalid_field_error("analyticsRequest.filters",
                                           "The emulator has no filters of usage.", "unsupported");
  }
  return query;
}

// Returns the start of the time unit that contains `hour_s`.
std::int64_t begin_of(std::int64_t hour_s, const UsageQuery& query) {
  if (query.unit == "TIME_UNIT_HOUR") return hour_s;
  if (query.unit == "TIME_UNIT_DAY") return hour_s - hour_s % 86'400;
  return query.unit == "TIME_UNIT_MONTH" ? cycle_at(hour_s * 1000).begin_s() : query.span.begin_s;
}

struct Sum {
  std::int64_t ticks = 0, units = 0;
};

Json series_json(const std::string& group, const std::map<std::int64_t, Sum>& points,
                 const UsageQuery& query) {
  Json list = Json::array();
  for (const auto& [time, sum] : points) {
    const double dollars = static_cast<double>(sum.ticks) / static_cast<double>(k_ticks_per_dollar);
    Json values = text::json_list(query.values, [&, units = sum.units](const std::string& name) {
      return name == "usd" ? Json(dollars) : Json(units);
    });
    list.push_back({{"timestamp", format_rfc3339(time)}, {"values", std::move(values)}});
  }
  Json labels = Json::array();
  if (query.by_description) labels.push_back(group);
  return {{"group", labels}, {"groupLabels", labels}, {"dataPoints", std::move(list)}};
}

// POST …/usage: usage over time.
Response report_usage(const Request& call) {
  SVC_TRY(body, management::read_body(call, "usage"));
  SVC_TRY(query, read_usage_query(body["analyticsRequest"]));
  SVC_TRY(lines, checked(call.state->with([&](Database& database) {
            return usage_of(database, call.key.team_id, query.span);
          })));
  std::map<std::string, std::map<std::int64_t, Sum>> groups;
  for (const UsageLine& line : lines) {
    const std::string group = query.by_description ? line.charge.description : "";
    Sum& sum = groups[group][begin_of(line.hour_s, query)];
    sum.ticks += line.charge.units * line.charge.unit_ticks;
    sum.units += line.charge.units;
  }
  const auto series = [&](const auto& one) { return series_json(one.first, one.second, query); };
  return json_response({{"timeSeries", text::json_list(groups, series)}, {"limitReached", false}});
}

using management::Code;

struct Filter {
  std::optional<BillingCycle> cycle{};
  std::optional<BillingCycle> since{};
  std::vector<std::string> ids{};

  [[nodiscard]] bool takes(const Invoice& invoice) const {
    if (cycle) return invoice.cycle == cycle;
    if (since) return invoice.created_s >= since->begin_s();
    return ids.empty() || has_element(ids, invoice.id);
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
  Json list = Json::array();
  for (Invoice& invoice : invoices_of(history)) {
    if (filter.takes(invoice)) list.push_back(std::move(invoice.json));
  }
  return json_response({{"invoices", std::move(list)}});
}

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
  SVC_TRY(body, management::read_body(request, "billing_info_update"));
  const Json* info = text::member(body, "billingInfo");
  if (info == nullptr) return management::empty_field_error("billingInfo");
  if (auto error = check_info(*info)) return *error;
  return with_account(request, [&](Database& database, Account& account) -> Result<Response> {
    account.info = text::dump(known_fields(*info, text::request_type("billing_info")));
    SVC_CHECK(update_account(database, account));
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
  SVC_TRY(body, management::read_body(request, "payment_method"));
  const std::string id = text::get_string(body, "paymentMethodId");
  if (id.empty()) return management::empty_field_error("paymentMethodId");
  if (!is_payment_method(id)) return management::not_found_error("Payment method", id);
  return with_account(request, [&](Database& database, Account& account) -> Result<Response> {
    account.payment_method = id;
    SVC_CHECK(update_account(database, account));
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
    const auto [total, used] = bill.cents();
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
         {"billingCycle", cycle_json(cycle)}});
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
  SVC_TRY(body, management::read_body(request, "spending_limit"));
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
    SVC_CHECK(update_account(database, account));
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
  SVC_TRY(body, management::read_body(request, "top_up"));
  const auto amount_cents = cents_in(body, "amount");
  const std::int64_t cents = amount_cents ? std::abs(*amount_cents) : 0;  // the sign is ignored
  if (cents == 0 || cents > k_max_amount) {
    return management::invalid_field_error(
        "amount", fmt::format("The amount must be 1 to {} cents.", k_max_amount), "range");
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
Response set_team_credit(const Request& request) {
  const Json body = text::parse_json(request.body);
  const auto cents = management::get_int64(body, "cents");
  if (!cents || *cents < 0 || *cents > k_max_amount || body.size() != 1) {
    return invalid_argument_error(
        fmt::format("The body is {{\"cents\": N}} with N from 0 to {}.", k_max_amount));
  }
  SVC_CHECK(checked(billing::set_credit(*request.state, *cents)));
  return json_response({{"team_id", k_demo_team_id}, {"cents", *cents}});
}

}  // namespace
}  // namespace svc::emulator::billing

auto svc::emulator::billing_routes() -> std::vector<Route> {
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
                    .handler = set_team_credit,
                    .key = KeyRequirement::None});
  return routes;
}
