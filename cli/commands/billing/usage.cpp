// `svc billing usage`: sums up the costs recorded on this machine.
#include <algorithm>
#include <array>
#include <chrono>
#include <ctime>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "base/clock.h"
#include "base/counted.h"
#include "base/money.h"
#include "base/text.h"
#include "catalogue/billing_fields.h"
#include "commands/command.h"
#include "history/cost_ledger.h"
#include "json/document.h"
#include "operation/runner.h"
#include "print/chart.h"

namespace svc::cli {
namespace {

using UsageFlags = Flags<catalogue::billing::k_usage_fields>;

using history::UsageBy;
using history::UsageRow;
struct Dimension {
  sv name;
  sv title;
  UsageBy by;
};
constexpr std::array k_dimensions = {Dimension{"day", "DAY", UsageBy::Day},
                                     Dimension{"model", "MODEL", UsageBy::Model},
                                     Dimension{"command", "COMMAND", UsageBy::Command},
                                     Dimension{"profile", "PROFILE", UsageBy::Profile}};

const Dimension& dimension_of(const UsageFlags& flags) {
  const std::string chosen = flags.get<"by">().value_or("day");
  return *std::find_if(k_dimensions.begin(), k_dimensions.end(),
                       [&](const Dimension& one) { return one.name == chosen; });
}

/// Parses digits with leading zeros: "07" is 7.
std::optional<std::int64_t> padded_number(sv digits) {
  while (digits.size() > 1 && digits.front() == '0') digits.remove_prefix(1);
  return parse_integer(digits);
}

/// The local midnight `later` days after `day`.
std::optional<std::int64_t> local_midnight(sv day, int later) {
  const std::vector<sv> parts = split(day, '-');
  if (parts.size() != 3 || parts[0].size() != 4) return std::nullopt;
  const auto year = padded_number(parts[0]);
  const auto month = padded_number(parts[1]);
  const auto number = padded_number(parts[2]);
  const auto valid = [&] {
    return std::chrono::year_month_day(std::chrono::year(static_cast<int>(*year)),
                                       std::chrono::month(static_cast<unsigned>(*month)),
                                       std::chrono::day(static_cast<unsigned>(*number)))
        .ok();
  };
  if (!year || !month || !number || *month > 12 || *number > 31 || !valid()) return std::nullopt;
  std::tm time{};
  time.tm_year = static_cast<int>(*year) - 1900;
  time.tm_mon = static_cast<int>(*month) - 1;
  time.tm_mday = static_cast<int>(*number) + later;
  time.tm_isdst = -1;
  return std::mktime(&time);
}

Result<std::optional<std::int64_t>> read_bound(sv flag, const std::optional<std::string>& text,
                                               int later) {
  if (!text) return std::optional<std::int64_t>();
  if (const auto day = local_midnight(*text, later)) return day;
  const auto ago = parse_duration(*text);
  if (ago && !parse_integer(*text)) {
    return std::optional<std::int64_t>(unix_now() -
                                       std::chrono::floor<std::chrono::seconds>(*ago).count());
  }
  return usage_error(
      fmt::format("--{} must be a date such as 2026-11-21 or a duration such as 30d, not '{}'",
                  flag, shown(*text)));
}

/// What a day will have cost at its end if it goes on as so far; empty unless it is today and whole
/// in `query`, and for its first hour, which says little.
std::optional<std::int64_t> forecast(const UsageRow& day, const history::UsageQuery& query) {
  const std::int64_t now = unix_now();
  constexpr std::int64_t k_first_hour = 3600;
  const auto begin = local_midnight(day.name, 0);
  const auto end = local_midnight(day.name, 1);
  if (!begin || !end || now < *begin + k_first_hour || now >= *end) return std::nullopt;
  if (query.since.value_or(0) > *begin || query.until.value_or(*end) <= now) return std::nullopt;
  const double part = static_cast<double>(now - *begin) / static_cast<double>(*end - *begin);
  constexpr double k_most = 9e18;
  return static_cast<std::int64_t>(std::min(static_cast<double>(day.ticks) / part, k_most));
}

OrderedJson json_of(const UsageRow& row, const Dimension& dimension,
                    const history::UsageQuery& query) {
  OrderedJson out{
      {std::string(dimension.name), row.name}, {"answers", row.answers},
      {"input_tokens", row.input_tokens},      {"cached_tokens", row.cached_tokens},
      {"output_tokens", row.output_tokens},    {"reasoning_tokens", row.reasoning_tokens},
      {"cost_in_usd_ticks", row.ticks},        {"answers_without_cost", row.unpriced}};
  if (dimension.by == UsageBy::Day) {
    const auto expected = forecast(row, query);
    out["forecast_in_usd_ticks"] = expected ? OrderedJson(*expected) : OrderedJson();
  }
  return out;
}

UsageRow sum_of(const std::vector<UsageRow>& rows) {
  UsageRow sum;
  for (const UsageRow& row : rows) {
    sum.answers += row.answers;
    sum.input_tokens += row.input_tokens;
    sum.output_tokens += row.output_tokens;
    sum.ticks += row.ticks;
    sum.unpriced += row.unpriced;
  }
  return sum;
}

void print_total(Session& session, const std::vector<UsageRow>& rows,
                 const history::UsageQuery& query) {
  const UsageRow sum = sum_of(rows);
  std::string line = fmt::format("{}, {} in, {} out, {}", counted(sum.answers, "answer", "answers"),
                                 counted(sum.input_tokens, "token", "tokens"), sum.output_tokens,
                                 format_cost(sum.ticks));
  if (query.emulated) line += " (emulator: not real money)";
  if (sum.unpriced > 0) line += fmt::format("; {} without a price", sum.unpriced);
  session.notices().aside(line);
  const auto today = rows.empty() ? std::nullopt : forecast(rows.back(), query);
  if (!today || *today == 0) return;
  session.notices().aside(fmt::format("today: {} so far, about {} by midnight at this rate",
                                      format_cost(rows.back().ticks), format_cost(*today)));
}

Result<void> print_usage(Session& session, const std::vector<UsageRow>& rows,
                         const Dimension& dimension, const history::UsageQuery& query) {
  std::vector<print::Column> columns = print::columns_of(*session.invocation().operation);
  if (!columns.empty()) columns.front().title = dimension.title;
  OrderedJson all = OrderedJson::array();
  for (const UsageRow& row : rows) all.push_back(json_of(row, dimension, query));
  return print_list(session, all, columns);
}

Result<void> draw_usage(Session& session, const std::vector<UsageRow>& rows) {
  std::vector<print::Bar> bars;
  for (const UsageRow& row : rows) bars.push_back({row.name, row.ticks, format_cost(row.ticks)});
  SVC_CHECK(print::print_chart(session.out(), bars));
  return session.out().flush();
}

Result<history::UsageQuery> read_query(const Session& session, const UsageFlags& flags) {
  history::UsageQuery query{.by = dimension_of(flags).by};
  SVC_TRY(since, read_bound("since", flags.get<"since">(), 0));
  SVC_TRY(until, read_bound("until", flags.get<"until">(), 1));
  if (since && until && *since >= *until) {
    return usage_error(fmt::format("--since {} is after --until {}", shown(flags.text<"since">()),
                                   shown(flags.text<"until">())));
  }
  query.since = since;
  query.until = until;
  // Filters by profile only if one was selected for this command, not by the default one.
  const auto& settings = session.globals().settings;
  if (const auto profile = settings.find(std::string(k_global_flag<"profile">));
      profile != settings.end()) {
    query.profile = profile->second;
  }
  query.emulated = flags.is_true<"emulated">() || session.settings().wants_emulator();
  return query;
}

}  // namespace

template <>
Result<void> run<Handler::BillingUsage>(Session& session) {
  const UsageFlags flags(session.inputs());
  const bool text = session.format() == Format::Text;
  if (flags.is_true<"chart">() && !text) {
    return usage_error("--chart requires --format text", "Omit --chart to get the numbers.");
  }
  SVC_TRY(query, read_query(session, flags));
  std::vector<UsageRow> rows;
  if (const std::string path = ledger_path(); !path.empty()) {
    SVC_TRY(found, history::CostLedger(path).usage(query));
    rows = std::move(found);
  }
  const Dimension& dimension = dimension_of(flags);
  if (rows.empty() && text) {
    session.notices().note("no costs recorded on this machine in this period");
    return {};
  }
  SVC_CHECK(flags.is_true<"chart">() ? draw_usage(session, rows)
                                     : print_usage(session, rows, dimension, query));
  if (text) print_total(session, rows, query);
  return {};
}

}  // namespace svc::cli
