// `svc billing usage`: the account that this machine keeps.
#pragma once

#include <array>

#include "catalogue/model.h"

namespace svc::catalogue::billing {

inline constexpr std::array<sv, 4> k_usage_by = {"day", "model", "command", "profile"};
inline constexpr std::array k_usage_fields = {
    Field{.flag = "by",
          .in = In::Local,
          .help = "Group the costs by this.",
          .common = true,
          .choices = k_usage_by,
          .fallback = "day",
          .example = "model"},
    Field{.flag = "since",
          .in = In::Local,
          .help = "Start date: YYYY-MM-DD in local time, or a time ago, such as 30d.",
          .common = true,
          .example = "2026-11-01"},
    Field{.flag = "until",
          .in = In::Local,
          .help = "End date (inclusive), or a time ago.",
          .common = true,
          .example = "2026-11-30"},
    Field{.flag = "chart",
          .kind = Kind::Boolean,
          .in = In::Local,
          .help = "Chart the costs.",
          .common = true},
    Field{.flag = "emulated",
          .kind = Kind::Boolean,
          .in = In::Local,
          .help = "Show what emulator answers would have cost (never in other totals)."},
};
inline constexpr std::array k_usage_columns = {
    Column{"NAME", "day|model|command|profile"},
    Column{"ANSWERS", "answers", Cell::Count},
    Column{"TOKENS IN", "input_tokens", Cell::Count},
    Column{"CACHED", "cached_tokens", Cell::Count},
    Column{"TOKENS OUT", "output_tokens", Cell::Count},
    Column{"COST", "cost_in_usd_ticks", Cell::Ticks},
};
inline constexpr std::array k_usage_examples = {
    Example{"svc billing usage --since 30d --chart", "Charts the cost of each of the last days."},
    Example{"svc billing usage --by model --since 2026-11-01",
            "Shows this month's cost by model."}};

}  // namespace svc::catalogue::billing
