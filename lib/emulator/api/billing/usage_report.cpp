// POST /v1/billing/teams/{team_id}/usage: what was used, as series over time.
#include <array>
#include <map>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "base/clock.h"
#include "base/money.h"
#include "base/text.h"
#include "emulator/account/management.h"
#include "emulator/api/billing/bill.h"
#include "emulator/json/check.h"
#include "emulator/json/json.h"
#include "emulator/state/state.h"

namespace svc::emulator::billing {
namespace {

const text::Types k_usage_types(R"(
usage = {analyticsRequest!: {
  timeRange: {startTime, endTime, timezone}, timeUnit, values: [{name, aggregation}],
  groupBy: texts, filters: texts}}
)");

enum class Unit : std::uint8_t { None, Hour, Day, Month };

struct Question {
  UsageSpan span{.by_hour = true};
  Unit unit = Unit::None;
  std::vector<std::string> values{};
  bool by_description = false;
};

// "2026-01-01 00:00:00" in UTC.
Checked<std::int64_t> read_time(const Json& range, sv name) {
  std::string text = text::text_of(range, name);
  if (text.size() == 19) text = replace_all(text, " ", "T") + "Z";
  if (const auto time = parse_rfc3339(text)) return *time;
  return management::refuse_field(fmt::format("analyticsRequest.timeRange.{}", name),
                                  "This is not a time such as 2026-01-01 00:00:00.", "timestamp");
}

std::optional<Unit> read_unit(sv word) {
  if (word.empty() || word == "TIME_UNIT_NONE") return Unit::None;
  if (word == "TIME_UNIT_HOUR") return Unit::Hour;
  if (word == "TIME_UNIT_DAY") return Unit::Day;
  if (word == "TIME_UNIT_MONTH") return Unit::Month;
  return std::nullopt;
}

std::optional<Answer> read_words(const Json& request, Question& question) {
  const auto unit = read_unit(text::text_of(request, "timeUnit"));
  if (!unit) {
    return management::refuse_field("analyticsRequest.timeUnit",
                                    "The emulator knows TIME_UNIT_NONE, _HOUR, _DAY and _MONTH.",
                                    "enum");
  }
  question.unit = *unit;
  for (const Json& value : text::copy_of(request, "values")) {
    const std::string name = text::text_of(value, "name");
    if (name != "usd" && name != "num_units") {
      return management::refuse_field("analyticsRequest.values",
                                      "The emulator knows the values usd and num_units.", "enum");
    }
    question.values.push_back(name);
  }
  if (question.values.empty()) return management::refuse_empty("analyticsRequest.values");
  for (const Json& word : text::copy_of(request, "groupBy")) {
    if (word != "description") {
      return management::refuse_field("analyticsRequest.groupBy",
                                      "The emulator groups by description only.", "enum");
    }
    question.by_description = true;
  }
  if (const Json* filters = text::member(request, "filters"); filters && !filters->empty()) {
    return management::refuse_field("analyticsRequest.filters",
                                    "The emulator has no filters of usage.", "unsupported");
  }
  return std::nullopt;
}

std::optional<Answer> read_question(const Json& request, Question& question) {
  const Json range = text::copy_of(request, "timeRange");
  SVC_TRY(begin, read_time(range, "startTime"));
  SVC_TRY(end, read_time(range, "endTime"));
  question.span.begin_s = begin / 3600 * 3600;  // use is kept by the hour
  question.span.end_s = end;
  return read_words(request, question);
}

// The begin of the unit of time that `hour_s` lies in.
std::int64_t begin_of(std::int64_t hour_s, const Question& question) {
  switch (question.unit) {
    case Unit::None:
      return question.span.begin_s;
    case Unit::Hour:
      return hour_s;
    case Unit::Day:
      return hour_s - hour_s % 86'400;
    case Unit::Month:
      break;
  }
  return cycle_at(hour_s * 1000).begin_s();
}

struct Sum {
  std::int64_t ticks = 0;
  std::int64_t units = 0;
};

Json series_json(const std::string& group, const std::map<std::int64_t, Sum>& points,
                 const Question& question) {
  Json list = Json::array();
  for (const auto& [time, sum] : points) {
    Json values = Json::array();
    for (const std::string& name : question.values) {
      if (name == "usd") {
        values.push_back(static_cast<double>(sum.ticks) / static_cast<double>(k_ticks_per_dollar));
      } else {
        values.push_back(sum.units);
      }
    }
    list.push_back({{"timestamp", format_rfc3339(time)}, {"values", std::move(values)}});
  }
  Json labels = Json::array();
  if (question.by_description) labels.push_back(group);
  return {{"group", labels}, {"groupLabels", labels}, {"dataPoints", std::move(list)}};
}

}  // namespace

Answer report_usage(const Call& call) {
  SVC_TRY(body, management::read_body(call, k_usage_types["usage"]));
  Question question;
  if (auto refusal = read_question(body["analyticsRequest"], question)) return *refusal;
  SVC_TRY(lines, checked(call.state->with([&](Database& database) {
            return usage_of(database, call.key.team_id, question.span);
          })));
  std::map<std::string, std::map<std::int64_t, Sum>> groups;
  for (const UsageLine& line : lines) {
    const std::string group = question.by_description ? line.charge.description : "";
    Sum& sum = groups[group][begin_of(line.hour_s, question)];
    sum.ticks += line.charge.units * line.charge.unit_ticks;
    sum.units += line.charge.units;
  }
  Json series = Json::array();
  for (const auto& [group, points] : groups) {
    series.push_back(series_json(group, points, question));
  }
  return json_answer({{"timeSeries", std::move(series)}, {"limitReached", false}});
}

}  // namespace svc::emulator::billing
