#include "operation/batch_view.h"

#include <algorithm>
#include <chrono>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "base/counted.h"
#include "base/money.h"
#include "base/text.h"
#include "json/document.h"

namespace svc::cli {
namespace {

constexpr std::size_t k_max_reasons = 10;

double dollars(std::int64_t ticks) {
  return static_cast<double>(ticks) / static_cast<double>(k_ticks_per_dollar);
}

/// For a temporary line: rounded to cents, or with more digits if the total is only a few cents.
std::string rounded_dollars(double amount, double in_all) {
  return in_all < 0.1 ? fmt::format("${:.4f}", amount) : fmt::format("${:.2f}", amount);
}

}  // namespace

std::vector<std::string> result_cells(std::string_view item, std::span<const print::Column> columns,
                                      bool details, print::Reader reader) {
  batch::ResultItem result = batch::read_result_item(item);
  const bool well = result.outcome == batch::Outcome::Succeeded;
  std::vector<std::string> cells;
  cells.reserve(3);
  cells.push_back(std::move(result.id));
  cells.emplace_back(batch::outcome_name(result.outcome));
  cells.push_back(std::move(well ? result.text : result.reason));
  if (!details) return cells;
  const nlohmann::json whole = parse_reply(item);
  for (const print::Column& column : columns) {
    if (column.detail) cells.push_back(print::cell_text(whole, column, reader));
  }
  return cells;
}

Error batch_failures(Session& session, std::int64_t not_well, std::int64_t all,
                     const Reasons& reasons, std::string hint) {
  const std::size_t listed = std::min(reasons.size(), k_max_reasons);
  for (std::size_t i = 0; i < listed; ++i) {
    session.notices().note(fmt::format("{} x {}", reasons[i].second, reasons[i].first));
  }
  if (reasons.size() > listed) {
    session.notices().note(fmt::format("and {} more reasons", reasons.size() - listed));
  }
  return Error{
      Fault::RemoteJob,
      fmt::format("{} of {} did not succeed", not_well, counted(all, "request", "requests")),
      std::move(hint)};
}

std::string counts_text(std::int64_t succeeded, std::int64_t failed, std::int64_t canceled,
                        std::int64_t unknown, std::int64_t cost_ticks) {
  std::string text = fmt::format("{} succeeded", succeeded);
  if (failed > 0) text += fmt::format(", {} failed", failed);
  if (canceled > 0) text += fmt::format(", {} canceled", canceled);
  if (unknown > 0) text += fmt::format(", {} unknown", unknown);
  if (cost_ticks > 0) text += fmt::format(", {}", format_cost(cost_ticks));
  return text;
}

void BatchProgress::update(std::int64_t done, std::int64_t total, std::int64_t failed,
                           std::int64_t canceled, std::int64_t cost_ticks) {
  const auto now = std::chrono::steady_clock::now();
  if (!m_started) {
    m_started = true;
    m_begin = now;
    m_first_done = done;
    m_session.progress().start("Waiting", print::ProgressUnit::Items,
                               static_cast<std::uint64_t>(total));
  }
  std::string pace;
  std::string aside;
  const auto add = [&aside](const std::string& part) {
    aside += aside.empty() ? part : ", " + part;
  };
  if (failed > 0) add(fmt::format("{} failed", failed));
  if (canceled > 0) add(fmt::format("{} canceled", canceled));
  if (cost_ticks > 0) {
    const bool in_progress = done > 0 && done < total;
    const double cost = dollars(cost_ticks);
    const double in_all =
        in_progress ? cost * static_cast<double>(total) / static_cast<double>(done) : cost;
    const std::string so_far = rounded_dollars(cost, in_all);
    add(in_progress ? fmt::format("{} of about {}", so_far, rounded_dollars(in_all, in_all))
                    : so_far);
  }
  const std::chrono::duration<double> elapsed = now - m_begin;
  if (done > m_first_done && done < total && elapsed > std::chrono::seconds(2)) {
    const double rate = static_cast<double>(done - m_first_done) / elapsed.count();
    const std::chrono::duration<double> left(static_cast<double>(total - done) / rate);
    pace = rate >= 1 ? fmt::format("{:.1f}/s", rate) : fmt::format("{:.1f}/min", rate * 60);
    pace += fmt::format(
        ", {} left", format_duration(std::chrono::duration_cast<std::chrono::milliseconds>(left)));
  }
  if (!aside.empty() && !pace.empty()) pace += ", ";
  m_session.progress().aside(pace + aside);
  m_session.progress().update(static_cast<std::uint64_t>(done), static_cast<std::uint64_t>(total));
}

}  // namespace svc::cli
