#include "print/table.h"

#include <algorithm>
#include <ctime>
#include <numeric>
#include <optional>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "base/clock.h"
#include "base/money.h"
#include "base/text.h"
#include "print/width.h"

namespace svc::print {
namespace {

using nlohmann::json;

constexpr std::size_t k_sample_rows = 1000;
constexpr std::size_t k_gap = 2;
constexpr std::size_t k_least_width = 3;

const json* step_into(const json& value, sv key) {
  if (value.is_object()) {
    const auto found = value.find(std::string(key));
    return found != value.end() ? &*found : nullptr;
  }
  if (value.is_array()) {
    const auto index = parse_integer(key);
    if (!index || *index < 0 || static_cast<std::size_t>(*index) >= value.size()) return nullptr;
    return &value[static_cast<std::size_t>(*index)];
  }
  return nullptr;
}

const json* find_one_path(const json& item, sv path) {
  if (path.empty()) return &item;
  const json* value = &item;
  for (const sv key : split(path, '.')) {
    value = step_into(*value, key);
    if (value == nullptr) return nullptr;
  }
  return value;
}

const json* find_path(const json& item, sv path) {
  for (const sv one : split(path, '|')) {
    const json* value = find_one_path(item, one);
    if (value != nullptr && !value->is_null()) return value;
  }
  return nullptr;
}

std::string dump(const json& value) {
  return value.dump(-1, ' ', false, json::error_handler_t::replace);
}

std::string plain(const json& value) {
  if (value.is_null()) return {};
  if (value.is_string()) return value.get_ref<const std::string&>();
  if (!value.is_array()) return dump(value);
  std::string joined;
  for (const json& item : value) {
    if (!joined.empty()) joined += ", ";
    joined += item.is_string() ? item.get_ref<const std::string&>() : dump(item);
  }
  return joined;
}

std::optional<std::int64_t> whole_number(const json& value) {
  if (value.is_string()) return parse_integer(value.get_ref<const std::string&>());
  if (value.is_number_unsigned()) {
    const auto number = value.get<std::uint64_t>();
    if (number > static_cast<std::uint64_t>(INT64_MAX)) return std::nullopt;
    return static_cast<std::int64_t>(number);
  }
  if (value.is_number_integer()) return value.get<std::int64_t>();
  if (!value.is_number_float()) return std::nullopt;
  const double number = value.get<double>();
  constexpr double k_exact = 9'007'199'254'740'992.0;
  if (!(number > -k_exact && number < k_exact)) return std::nullopt;
  return static_cast<std::int64_t>(number);
}

std::string local_minute(std::int64_t unix_seconds) {
  const auto time = static_cast<std::time_t>(unix_seconds);
  std::tm parts{};
  if (::localtime_r(&time, &parts) == nullptr) return {};
  std::string text(32, '\0');
  text.resize(std::strftime(text.data(), text.size(), "%Y-%m-%d %H:%M", &parts));
  return text;
}

std::string time_text(const json& value, Reader reader) {
  constexpr std::int64_t k_year_0 = -62'167'219'200;
  constexpr std::int64_t k_year_9999 = 253'402'300'799;
  auto seconds = whole_number(value);
  const bool is_date = !seconds && value.is_string();
  if (is_date) seconds = parse_rfc3339(value.get_ref<const std::string&>());
  if (!seconds || *seconds < k_year_0 || *seconds > k_year_9999) return plain(value);
  if (reader == Reader::Person) return local_minute(*seconds);
  return is_date ? plain(value) : format_rfc3339(*seconds);
}

/// Money alone or as {"val"}, where a zero may be missing (api 4 §10.2).
std::string money_text(const json& value, Cell cell) {
  const json* amount = &value;
  if (value.is_object()) {
    const auto found = value.find("val");
    if (found == value.end()) return value.empty() ? format_cents(0) : dump(value);
    amount = &*found;
  }
  std::string digits = plain(*amount);
  if (cell == Cell::Credit) {
    digits = digits.starts_with('-') ? digits.substr(1) : "-" + digits;
  }
  const auto unit = cell == Cell::MicroCents ? MoneyUnit::MicroCent : MoneyUnit::Cent;
  return format_money(digits, unit).value_or(plain(*amount));
}

std::string month_text(const json& value) {
  const auto member = [&](const char* name) {
    const json* found = step_into(value, name);
    return found != nullptr ? whole_number(*found) : std::nullopt;
  };
  const auto year = member("year");
  const auto month = member("month");
  return year && month ? fmt::format("{:04}-{:02}", *year, *month) : plain(value);
}

/// As api 3 §3 says; `disabled` may be a text (api 4 §10.1).
std::string key_state(const json& key) {
  const json* disabled = step_into(key, "disabled");
  if (disabled != nullptr && plain(*disabled) == "true") return "disabled";
  const json* expiry = step_into(key, "expireTime");
  const auto time = expiry != nullptr ? parse_rfc3339(plain(*expiry)) : std::nullopt;
  return time && *time <= unix_now() ? "expired" : "active";
}

bool is_numeric(Cell cell) {
  switch (cell) {
    case Cell::Count:
    case Cell::Bytes:
    case Cell::Ticks:
    case Cell::Cents:
    case Cell::MicroCents:
    case Cell::Credit:
      return true;
    default:
      return false;
  }
}

}  // namespace

std::string cell_text(const json& item, const Column& column, Reader reader) {
  const json* value = find_path(item, column.path);
  if (value == nullptr || value->is_null()) return {};
  switch (column.cell) {
    case Cell::Count:
      return value->is_structured() ? std::to_string(value->size()) : plain(*value);
    case Cell::Bytes: {
      const auto bytes = whole_number(*value);
      if (reader == Reader::Program || !bytes || *bytes < 0) return plain(*value);
      return format_bytes(static_cast<std::uint64_t>(*bytes));
    }
    case Cell::UnixTime:
      return time_text(*value, reader);
    case Cell::Ticks: {
      const auto ticks = whole_number(*value);
      return ticks ? format_ticks(*ticks) : plain(*value);
    }
    case Cell::Cents:
    case Cell::MicroCents:
    case Cell::Credit:
      return money_text(*value, column.cell);
    case Cell::Month:
      return month_text(*value);
    case Cell::KeyState:
      return key_state(*value);
    case Cell::Text:
    case Cell::List:
      break;
  }
  return plain(*value);
}

std::vector<std::size_t> settle_widths(std::vector<std::size_t> widths, std::size_t columns) {
  while (widths.size() > 1 &&
         widths.size() * k_least_width + (widths.size() - 1) * k_gap > columns &&
         std::reduce(widths.begin(), widths.end()) + (widths.size() - 1) * k_gap > columns) {
    widths.pop_back();
  }
  if (widths.empty()) return widths;
  const std::size_t gaps = (widths.size() - 1) * k_gap;
  std::size_t room = columns > gaps ? columns - gaps : 1;
  // Narrow columns keep what they need; the others share the rest evenly.
  std::vector<std::size_t> order(widths.size());
  std::iota(order.begin(), order.end(), std::size_t{0});
  std::stable_sort(order.begin(), order.end(),
                   [&](std::size_t a, std::size_t b) { return widths[a] < widths[b]; });
  for (std::size_t done = 0; done < order.size(); ++done) {
    std::size_t& width = widths[order[done]];
    width = std::min(width, room / (order.size() - done));
    room -= width;
  }
  return widths;
}

Table::Table(Out& out, std::span<const Column> columns) : m_out(out), m_columns(columns) {}

Result<void> Table::add(const json& item) {
  ++m_rows;
  if (!m_out.terminal().is_tty) return add_tabbed(item);
  Row row;
  row.reserve(m_columns.size());
  for (const Column& column : m_columns) {
    row.push_back(visible(cell_text(item, column, Reader::Person), Lines::Escape));
  }
  if (!m_widths.empty()) return write_row(row, false);
  m_held.push_back(std::move(row));
  return m_held.size() < k_sample_rows ? Result<void>{} : write_held();
}

Result<void> Table::finish() {
  return m_held.empty() ? Result<void>{} : write_held();
}

Result<void> Table::add_tabbed(const json& item) {
  std::string line;
  for (const Column& column : m_columns) {
    if (&column != m_columns.data()) line += '\t';
    std::string cell = cell_text(item, column, Reader::Program);
    cell = replace_all(std::move(cell), "\t", "\\t");
    line += replace_all(std::move(cell), "\n", "\\n");
  }
  line += '\n';
  return m_out.write(line);
}

Result<void> Table::write_held() {
  Row header;
  std::vector<std::size_t> widths;
  for (const Column& column : m_columns) {
    header.emplace_back(column.title);
    widths.push_back(display_width(column.title));
  }
  for (const Row& row : m_held) {
    for (std::size_t i = 0; i < row.size(); ++i) {
      widths[i] = std::max(widths[i], display_width(row[i]));
    }
  }
  m_widths = settle_widths(std::move(widths), static_cast<std::size_t>(m_out.terminal().columns));
  SVC_CHECK(write_row(header, true));
  for (const Row& row : m_held) SVC_CHECK(write_row(row, false));
  m_held = {};
  return {};
}

Result<void> Table::write_row(const Row& row, bool header) {
  std::string line;
  for (std::size_t i = 0; i < m_widths.size(); ++i) {
    if (i > 0) line.append(k_gap, ' ');
    const std::string cell = fit(row[i], m_widths[i], m_out.terminal().utf8);
    const std::string padding(m_widths[i] - std::min(m_widths[i], display_width(cell)), ' ');
    line += is_numeric(m_columns[i].cell) ? padding + cell : cell + padding;
  }
  line.resize(line.find_last_not_of(' ') + 1);
  if (header && m_out.terminal().color) line = "\x1b[1m" + line + "\x1b[0m";
  line += '\n';
  return m_out.write(line);
}

}  // namespace svc::print
