#include "emulator/api/billing/bill.h"

#include <algorithm>
#include <array>
#include <map>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "base/clock.h"
#include "base/money.h"
#include "base/text.h"
#include "emulator/account/auth.h"
#include "emulator/account/ledger.h"
#include "emulator/account/management.h"
#include "emulator/json/check.h"
#include "emulator/json/json.h"
#include "emulator/state/state.h"

namespace svc::emulator::billing {

namespace {

using sv = std::string_view;

constexpr int k_sample_cycles = 3;
constexpr std::int64_t k_ticks_per_unit_price = 100;  // 1/1,000,000 cent
constexpr std::int64_t k_charge_delay_s = 3 * 86'400;

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
  std::string id{};
  std::string number{};
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
  const std::int64_t subtotal = cents_of(bill.ticks());
  const std::int64_t prepaid = std::min(subtotal, cents_of(bill.prepaid_ticks()));
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
  return {head.id, cycle, head.created_s, text::dump(json)};
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
  return {head.id, std::nullopt, head.created_s, text::dump(json)};
}

}  // namespace

Json money(std::int64_t cents) {
  if (cents == 0) return Json::object();
  return {{"val", std::to_string(cents)}};
}

std::int64_t Bill::ticks() const {
  std::int64_t sum = 0;
  for (const UsageLine& line : lines) sum += line.charge.units * line.charge.unit_ticks;
  return sum;
}

std::int64_t Bill::prepaid_ticks() const {
  std::int64_t sum = 0;
  for (const UsageLine& line : lines) sum += line.prepaid_ticks;
  return sum;
}

Json Bill::json() const {
  Json list = Json::array();
  for (const auto& [charge, prepaid, hour] : lines) {
    list.push_back({{"clusterName", k_clusters.front()},
                    {"description", charge.description},
                    {"unitType", charge.unit},
                    {"unitPrice", std::to_string(charge.unit_ticks / k_ticks_per_unit_price)},
                    {"numUnits", std::to_string(charge.units)},
                    {"amount", std::to_string(cents_of(charge.units * charge.unit_ticks))}});
  }
  return list;
}

Result<BillingHistory> load_billing_history(Database& database, std::string_view team_id,
                                            std::int64_t now_ms) {
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

Json change_json(const BillingHistory& history, const CreditChange& change) {
  constexpr std::array<sv, 4> k_stages = {"TO_GENERATE_INVOICE", "TO_CHARGE", "SUCCEEDED",
                                          "FAILED_TO_CHARGE"};
  const bool bought = change.origin == "PURCHASE";
  const std::string time = format_rfc3339(change.created_ms / 1000);
  Json json = {{"teamId", history.team_id}, {"changeOrigin", change.origin}};
  if (bought) {
    json["topupStatus"] = k_stages[static_cast<std::size_t>(stage_of(change, history.now_ms))];
  }
  json["amount"] = money(change.cents);
  if (bought) {
    json["invoiceId"] = topup_invoice_id(change);
    json["invoiceNumber"] = topup_invoice_number(change);
  }
  json["createTime"] = time;
  json["createTs"] = time;
  json["paymentProcessor"] = {{"kind", bought ? "EXTERNAL" : "MANUAL"},
                              {"externalParty", "svc emulator"}};
  if (bought) {
    json["paymentProcessor"]["externalInvoiceId"] = "ext-" + topup_invoice_number(change);
  }
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

namespace {

const text::Types k_usage_types(R"(
usage = {analyticsRequest!: {
  timeRange: {startTime, endTime, timezone}, timeUnit, values: [{name, aggregation}],
  groupBy: texts, filters: texts}}
)");

enum class Unit : std::uint8_t { None, Hour, Day, Month };

struct UsageQuery {
  UsageSpan span{.by_hour = true};
  Unit unit = Unit::None;
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

std::optional<Unit> read_unit(sv word) {
  if (word.empty() || word == "TIME_UNIT_NONE") return Unit::None;
  if (word == "TIME_UNIT_HOUR") return Unit::Hour;
  if (word == "TIME_UNIT_DAY") return Unit::Day;
  if (word == "TIME_UNIT_MONTH") return Unit::Month;
  return std::nullopt;
}

Checked<UsageQuery> read_usage_query(const Json& request) {
  const Json range = text::copy_of(request, "timeRange");
  SVC_TRY(begin, read_time(range, "startTime"));
  SVC_TRY(end, read_time(range, "endTime"));
  UsageQuery query;
  query.span.begin_s = begin / 3600 * 3600;  // usage is stored by the hour
  query.span.end_s = end;
  const auto unit = read_unit(text::get_string(request, "timeUnit"));
  if (!unit) {
    return management::invalid_field_error(
        "analyticsRequest.timeUnit", "The emulator knows TIME_UNIT_NONE, _HOUR, _DAY and _MONTH.",
        "enum");
  }
  query.unit = *unit;
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
  if (query.unit == Unit::None) return query.span.begin_s;
  if (query.unit == Unit::Hour) return hour_s;
  if (query.unit == Unit::Day) return hour_s - hour_s % 86'400;
  return cycle_at(hour_s * 1000).begin_s();
}

struct Sum {
  std::int64_t ticks = 0;
  std::int64_t units = 0;
};

Json series_json(const std::string& group, const std::map<std::int64_t, Sum>& points,
                 const UsageQuery& query) {
  Json list = Json::array();
  for (const auto& [time, sum] : points) {
    Json values = Json::array();
    for (const std::string& name : query.values) {
      if (name == "usd") {
        values.push_back(static_cast<double>(sum.ticks) / static_cast<double>(k_ticks_per_dollar));
      } else {
        values.push_back(sum.units);
      }
    }
    list.push_back({{"timestamp", format_rfc3339(time)}, {"values", std::move(values)}});
  }
  Json labels = Json::array();
  if (query.by_description) labels.push_back(group);
  return {{"group", labels}, {"groupLabels", labels}, {"dataPoints", std::move(list)}};
}

}  // namespace

Response report_usage(const Request& call) {
  SVC_TRY(body, management::read_body(call, k_usage_types["usage"]));
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
  Json series = Json::array();
  for (const auto& [group, points] : groups) {
    series.push_back(series_json(group, points, query));
  }
  return json_response({{"timeSeries", std::move(series)}, {"limitReached", false}});
}

}  // namespace svc::emulator::billing
