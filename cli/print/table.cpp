#include "print/table.h"

#include <algorithm>
#include <array>
#include <numeric>
#include <optional>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "base/clock.h"
#include "base/money.h"
#include "base/text.h"
#include "json/document.h"
#include "print/width.h"

namespace svc::print {
namespace {

using nlohmann::json;

constexpr std::size_t k_sample_rows = 1000;
constexpr std::size_t k_gap = 2;
constexpr std::size_t k_useful_width = 10;
constexpr std::size_t k_day_width = 10;
constexpr std::size_t k_minute_width = 16;
constexpr std::size_t k_below_indent = 2;  ///< indentation of the lines below a row

/// "createTime" of "create_time", and the reverse.
std::string twin_of(sv name) {
  std::string twin;
  bool capital = false;
  for (const char c : name) {
    if (c >= 'A' && c <= 'Z') (twin += '_') += static_cast<char>(c - 'A' + 'a');
    if (c != '_' && (c < 'A' || c > 'Z')) twin += capital ? to_upper(sv(&c, 1)) : std::string(1, c);
    capital = c == '_';
  }
  return twin;
}

const json* step_into(const json& value, sv key) {
  if (key.starts_with('(')) {
    const json* wrapped = step_into(value, key.substr(1, key.size() - 2));
    return wrapped != nullptr && wrapped->is_object() ? wrapped : &value;
  }
  if (value.is_object()) {
    auto found = value.find(std::string(key));
    if (found == value.end()) found = value.find(twin_of(key));
    return found != value.end() ? &*found : nullptr;
  }
  if (value.is_array()) {
    const auto index = parse_integer(key);
    if (!index || *index < 0 || static_cast<std::size_t>(*index) >= value.size()) return nullptr;
    return &value[static_cast<std::size_t>(*index)];
  }
  return nullptr;
}

/// Collects the values at the path; an array on the way is searched in each of its items.
void collect(const json& value, std::span<const sv> keys, std::vector<const json*>& found) {
  if (keys.empty()) {
    found.push_back(&value);
    return;
  }
  if (const json* inner = step_into(value, keys.front())) {
    return collect(*inner, keys.subspan(1), found);
  }
  if (!value.is_array()) return;
  for (const json& item : value) collect(item, keys, found);
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

std::string plain(const json& value) {
  if (value.is_null()) return {};
  if (value.is_string()) return value.get_ref<const std::string&>();
  if (!value.is_array()) return compact_json(value);
  std::string joined;
  for (const json& item : value) {
    if (!joined.empty()) joined += ", ";
    joined += item.is_string() ? item.get_ref<const std::string&>() : compact_json(item);
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

std::string time_text(const json& value, Reader reader) {
  constexpr std::int64_t k_year_0 = -62'167'219'200;
  constexpr std::int64_t k_year_9999 = 253'402'300'799;
  auto seconds = whole_number(value);
  const bool is_date = !seconds && value.is_string();
  if (is_date) seconds = parse_rfc3339(value.get_ref<const std::string&>());
  if (!seconds || *seconds < k_year_0 || *seconds > k_year_9999) return plain(value);
  if (reader == Reader::Person) return format_local(*seconds).substr(0, 16);
  return is_date ? plain(value) : format_rfc3339(*seconds);
}

/// Formats money, a plain value or {"val"}; a missing "val" may mean zero.
std::string money_text(const json& value, Unit unit_of) {
  const json* amount = &value;
  if (value.is_object()) {
    const auto found = value.find("val");
    if (found == value.end()) return value.empty() ? format_cents(0) : compact_json(value);
    amount = &*found;
  }
  std::string digits = plain(*amount);
  if (unit_of == Unit::Credit) {
    digits = digits.starts_with('-') ? digits.substr(1) : "-" + digits;
  }
  const auto unit = unit_of == Unit::MicroCents ? MoneyUnit::MicroCent : MoneyUnit::Cent;
  return format_money(digits, unit).value_or(plain(*amount));
}

std::string month_text(const json& value) {
  const auto member = [&](const char* name) {
    const json* found = step_into(value, name);
    return found != nullptr ? whole_number(*found) : std::nullopt;
  };
  const auto year = member("year");
  const auto month = member("month");
  if (year && month) return fmt::format("{:04}-{:02}", *year, *month);
  // Of a card, only the expiry date is shown. The month has a leading zero.
  const json* last_year = step_into(value, "expYear");
  const json* last_month = step_into(value, "expMonth");
  if (last_year != nullptr && last_month != nullptr) {
    return fmt::format("{:0>2}/{}", plain(*last_month), plain(*last_year));
  }
  return value.is_object() && value.contains("last4") ? std::string() : plain(value);
}

/// Nobody reads seventeen fraction digits.
std::string number_text(const json& value, Reader reader) {
  if (reader == Reader::Program || !value.is_number_float()) return plain(value);
  return fmt::format("{:.6g}", value.get<double>());
}

/// From every item, if the path leads through arrays.
std::string list_text(const json& item, sv path, Reader reader) {
  std::string joined;
  for (const sv one : split(path, '|')) {
    for (const json* value : find_all(item, one)) {
      const std::string text = number_text(*value, reader);
      if (!text.empty()) joined += (joined.empty() ? "" : ", ") + text;
    }
    if (!joined.empty()) break;
  }
  return joined;
}

std::string seconds_text(const json& value, Reader reader) {
  const std::string digits = plain(value);
  const bool number = !digits.empty() && digits.find_first_not_of("0123456789.") == sv::npos;
  return reader == Reader::Program || !number ? digits : digits + " s";
}

/// Zero, false and empty values are not shown.
std::string tally_text(const json& value) {
  if (value.is_structured() && value.empty()) return {};
  std::string text = plain(value);
  return text == "0" || text == "0.0" || text == "false" ? std::string() : text;
}

/// "disabled", "blocked", "expired" or "active"; `disabled` may be a string.
std::string key_state(const json& key) {
  const json* disabled = step_into(key, "disabled");
  if (disabled != nullptr && plain(*disabled) == "true") return "disabled";
  const json* expiry = step_into(key, "expireTime");
  const auto time = expiry != nullptr ? parse_rfc3339(plain(*expiry)) : std::nullopt;
  return time && *time <= unix_now() ? "expired" : "active";
}

bool is_numeric(Unit unit) {
  constexpr std::array k_others = {Unit::None, Unit::Url,   Unit::UnixTime,
                                   Unit::List, Unit::Month, Unit::KeyState};
  return std::find(k_others.begin(), k_others.end(), unit) == k_others.end();
}

std::size_t find_column(std::span<const Column> columns, sv name) {
  const std::string wanted = replace_all(replace_all(to_lower(name), " ", "-"), "_", "-");
  for (std::size_t i = 0; i < columns.size(); ++i) {
    if (column_name(columns[i]) == wanted) return i;
    for (const sv path : split(columns[i].path, '|')) {
      if (to_lower(path) == to_lower(name)) return i;
    }
  }
  return columns.size();
}

/// Decides by the column's content: IDs and commands are copied, names are searched for.
Keep keep_of(const Column& column) {
  constexpr std::array<sv, 5> k_names = {"NAME", "TITLE", "VOICE", "COMMAND", "TOTAL"};
  constexpr std::array<sv, 3> k_ids = {"ID", "ACL", "TO KEEP IT"};
  const sv path = sv(column.path).substr(0, column.path.find('|'));
  const bool id = path == "id" || path.ends_with("_id") || path.ends_with("Id");
  const bool called = std::find(k_ids.begin(), k_ids.end(), column.title) != k_ids.end();
  if (called || (id && !is_numeric(column.unit))) return Keep::Whole;
  const bool name = std::find(k_names.begin(), k_names.end(), column.title) != k_names.end();
  return name ? Keep::Name : Keep::Some;
}

/// "Last used" for LAST USED. Initials stay capitals.
std::string spoken(sv title) {
  constexpr std::array<sv, 7> k_initials = {"ID", "ACL", "URL", "QPS", "QPM", "TPM", "USD"};
  std::string label;
  for (const sv word : split(title, ' ')) {
    const bool initials = std::find(k_initials.begin(), k_initials.end(), word) != k_initials.end();
    const bool first = label.empty();
    if (!first) label += ' ';
    label += initials ? std::string(word)
             : first  ? std::string(word.substr(0, 1)) + to_lower(word.substr(1))
                      : to_lower(word);
  }
  return label;
}

/// The working state of settle_widths().
class Settling {
 public:
  Settling(const std::vector<std::size_t>& widths, std::size_t columns,
           const std::vector<std::size_t>& useful, const std::vector<Keep>& keep)
      : m_widths(widths), m_columns(columns), m_useful(useful), m_keep(keep), m_name(columns) {
    m_order.resize(widths.size());
    std::iota(m_order.begin(), m_order.end(), std::size_t{0});
  }

  /// More room never shows less: what is left out depends only on what a line needs without IDs,
  /// and an ID stands on the line only if nothing else is left out for it.
  std::vector<std::size_t> run() {
    std::vector<std::size_t> settled(m_widths.size(), k_hidden);
    std::vector<std::size_t> ids;
    std::erase_if(m_order, [&](std::size_t i) {
      const bool long_id = kept(i) == Keep::Whole && m_widths[i] > k_useful_width;
      if (long_id) ids.push_back(i);
      return long_id;
    });
    const std::size_t share = std::min(names(), names_share());
    while (m_name > k_useful_width && names() > share) --m_name;
    // What several names leave of their share would otherwise jump from width to width.
    const std::size_t slack = share - std::min(share, names());
    while (m_order.size() > 1 && taken() + slack > m_columns) {
      const auto last = std::find_if(m_order.rbegin(), m_order.rend(),
                                     [&](std::size_t i) { return i > 0 && kept(i) == Keep::Some; });
      if (last == m_order.rend()) break;
      m_order.erase(std::next(last).base());
    }
    while (m_name > k_useful_width && taken() > m_columns) --m_name;
    while (m_order.size() > 1 && taken() > m_columns) m_order.pop_back();
    std::stable_sort(ids.begin(), ids.end(),
                     [&](std::size_t a, std::size_t b) { return m_widths[a] < m_widths[b]; });
    for (const std::size_t id : ids) {
      const bool fits = m_order.empty() || taken() + k_gap + m_widths[id] <= m_columns;
      if (fits) m_order.push_back(id);
      if (!fits) settled[id] = k_below;
    }
    hand_out(settled);
    while (!settled.empty() && settled.back() == k_hidden) settled.pop_back();
    return settled;
  }

 private:
  [[nodiscard]] Keep kept(std::size_t i) const {
    return i < m_keep.size() ? m_keep[i] : Keep::Some;
  }

  /// The first column identifies the row and is copied into other commands: it is cut last.
  [[nodiscard]] std::size_t least(std::size_t i) const {
    if (kept(i) == Keep::Whole) return m_widths[i];
    if (kept(i) == Keep::Name) return std::min(m_widths[i], m_name);
    if (i == 0) return std::min(m_widths[i], m_columns / 2 + k_gap * 2);
    return std::min(m_widths[i], i < m_useful.size() ? m_useful[i] : k_useful_width);
  }

  [[nodiscard]] std::size_t names() const {
    std::size_t sum = 0;
    for (std::size_t i = 0; i < m_widths.size(); ++i) sum += kept(i) == Keep::Name ? least(i) : 0;
    return sum;
  }

  /// All names together get half of the line, less on a narrow one, where other columns would be
  /// left out for them.
  [[nodiscard]] std::size_t names_share() const {
    constexpr std::size_t k_narrow = 60;
    if (m_columns < k_narrow) return m_columns * 3 / 10;
    return std::min(m_columns / 2, m_columns - k_narrow + k_narrow * 3 / 10);
  }

  [[nodiscard]] std::size_t taken() const {
    std::size_t sum = m_order.empty() ? 0 : (m_order.size() - 1) * k_gap;
    for (const std::size_t i : m_order) sum += least(i);
    return sum;
  }

  /// First names get their full width, then narrow columns; the others share the rest evenly.
  void hand_out(std::vector<std::size_t>& settled) {
    std::size_t room = m_columns - std::min(m_columns, taken());
    const auto wish = [&](std::size_t i) { return m_widths[i] - least(i); };
    std::stable_sort(m_order.begin(), m_order.end(), [&](std::size_t a, std::size_t b) {
      const bool name_a = kept(a) == Keep::Name;
      const bool name_b = kept(b) == Keep::Name;
      return name_a != name_b ? name_a : wish(a) < wish(b);
    });
    for (std::size_t done = 0; done < m_order.size(); ++done) {
      const std::size_t i = m_order[done];
      const std::size_t part = kept(i) == Keep::Name ? room : room / (m_order.size() - done);
      const std::size_t more = std::min(wish(i), part);
      settled[i] = least(i) + more;
      if (kept(i) != Keep::Whole) settled[i] = std::min(settled[i], m_columns);
      room -= more;
    }
  }

  const std::vector<std::size_t>& m_widths;
  std::size_t m_columns;
  const std::vector<std::size_t>& m_useful;
  const std::vector<Keep>& m_keep;
  std::size_t m_name;                  ///< maximum width of a name
  std::vector<std::size_t> m_order{};  ///< columns of the line
};

}  // namespace

std::vector<const json*> find_all(const json& document, sv path) {
  std::vector<const json*> found;
  if (path.empty()) return {&document};
  const std::vector<sv> keys = split(path, '.');
  collect(document, keys, found);
  std::erase_if(found, [](const json* value) { return value->is_null(); });
  return found;
}

std::string enum_words(sv member, std::string value) {
  constexpr std::array<sv, 7> k_kinds = {"STATUS",     "ORIGIN", "METRIC", "SCOPE",
                                         "RESOLUTION", "KIND",   "TYPE"};
  const auto in_constant = [](char c) {
    return (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '_';
  };
  if (!std::all_of(value.begin(), value.end(), in_constant)) return value;
  const std::string name = to_lower(member.substr(member.rfind('.') + 1));
  for (const sv kind : k_kinds) {
    if (name.find(to_lower(kind)) == std::string::npos) continue;
    const std::string prefix = "_" + std::string(kind) + "_";
    const std::size_t at = value.find(prefix);
    if (at == std::string::npos || at + prefix.size() == value.size()) continue;
    return replace_all(to_lower(value.substr(at + prefix.size())), "_", " ");
  }
  return value;
}

std::string cell_text(const json& item, const Column& column, Reader reader) {
  if (column.unit == Unit::List) return list_text(item, column.path, reader);
  const json* value = find_path(item, column.path);
  if (value == nullptr || value->is_null()) return {};
  switch (column.unit) {
    case Unit::Count:
      return value->is_structured() ? std::to_string(value->size()) : number_text(*value, reader);
    case Unit::Tally:
      return tally_text(*value);
    case Unit::Seconds:
      return seconds_text(*value, reader);
    case Unit::Bytes: {
      const auto bytes = whole_number(*value);
      if (reader == Reader::Program || !bytes || *bytes < 0) return plain(*value);
      return format_bytes(static_cast<std::uint64_t>(*bytes));
    }
    case Unit::UnixTime:
      return time_text(*value, reader);
    case Unit::Ticks: {
      const auto ticks = whole_number(*value);
      if (!ticks) return plain(*value);
      return reader == Reader::Program ? format_ticks(*ticks) : format_cost(*ticks);
    }
    case Unit::Cents:
    case Unit::MicroCents:
    case Unit::Credit:
      return money_text(*value, column.unit);
    case Unit::Month:
      return month_text(*value);
    case Unit::KeyState:
      return key_state(*value);
    case Unit::None:
    case Unit::Url:
    case Unit::List:
      break;
  }
  return value->is_string() ? enum_words(column.path, plain(*value)) : plain(*value);
}

std::vector<std::size_t> settle_widths(const std::vector<std::size_t>& widths, std::size_t columns,
                                       const std::vector<std::size_t>& useful,
                                       const std::vector<Keep>& keep) {
  return Settling(widths, columns, useful, keep).run();
}

std::string column_name(const Column& column) {
  return replace_all(to_lower(column.title), " ", "-");
}

Result<void> check_columns(std::span<const Column> columns, const std::vector<std::string>& names) {
  std::vector<std::string> known;
  for (const Column& column : columns) known.push_back(column_name(column));
  for (const std::string& name : names) {
    if (find_column(columns, name) < columns.size()) continue;
    return usage_error(
        fmt::format("--columns: unknown column '{}'; columns: {}", shown(name), join(known, ", ")),
        did_you_mean(nearest(name, known)));
  }
  return {};
}

Table::Table(Out& out, std::span<const Column> columns, const ListChoice& choice)
    : m_out(out),
      m_wide(choice.wide),
      m_details(choice.details),
      m_log(choice.log),
      m_separator(choice.separator) {
  for (const std::string& name : choice.columns) {
    const std::size_t at = find_column(columns, name);
    if (at < columns.size()) m_order.push_back(at);
  }
  // A column requested by name is not a detail.
  for (const std::size_t at : m_order) m_columns.push_back(columns[at]);
  m_main = m_columns.size();
  if (!m_order.empty()) return;
  m_columns.assign(columns.begin(), columns.end());
  if (!m_details) std::erase_if(m_columns, [](const Column& column) { return column.detail; });
  const auto rest = std::stable_partition(m_columns.begin(), m_columns.end(),
                                          [](const Column& column) { return !column.detail; });
  m_main = static_cast<std::size_t>(rest - m_columns.begin());
}

Result<void> Table::add(const json& item) {
  const bool person = m_out.terminal().is_tty;
  const Reader reader = m_log ? Reader::Log : person ? Reader::Person : Reader::Program;
  Row row;
  row.reserve(m_columns.size());
  for (const Column& column : m_columns) row.push_back(cell_text(item, column, reader));
  return add_row(std::move(row));
}

Result<void> Table::add_cells(std::vector<std::string> row) {
  if (!m_order.empty()) {
    Row chosen;
    for (const std::size_t at : m_order)
      chosen.push_back(at < row.size() ? row[at] : std::string());
    row = std::move(chosen);
  }
  return add_row(std::move(row));
}

Result<void> Table::add_row(Row row) {
  if (m_separator != '\0' && m_rows == 0) SVC_CHECK(write_names());
  ++m_rows;
  if (m_separator != '\0') return write_tabbed(row);
  if (!m_out.terminal().is_tty) return write_tabbed(row);
  for (std::string& cell : row) cell = visible(cell, Lines::Escape);
  if (m_out.terminal().screen_reader) return write_record(row);
  if (!m_widths.empty()) return write_row(row, false);
  m_held.push_back(std::move(row));
  return m_held.size() < k_sample_rows ? Result<void>{} : write_held();
}

Result<void> Table::write_tabbed(const Row& cells) {
  const bool markdown = m_separator == '|';
  std::string line = markdown ? "| " : "";
  for (const std::string& cell : cells) {
    if (&cell != cells.data()) line += markdown ? " | " : m_separator == ',' ? "," : "\t";
    if (m_separator == ',' && cell.find_first_of(",\"\r\n") != std::string::npos) {
      line += '"' + replace_all(cell, "\"", "\"\"") + '"';
    } else if (markdown) {
      line += replace_all(replace_all(cell, "|", "\\|"), "\n", "<br>");
    } else if (m_separator == ',' ||
               // Two searches for one character are much faster than one for two.
               (cell.find('\t') == std::string::npos && cell.find('\n') == std::string::npos)) {
      line += cell;
    } else {
      line += replace_all(replace_all(cell, "\t", "\\t"), "\n", "\\n");
    }
  }
  line += markdown ? " |\n" : "\n";
  return m_out.write(line);
}

/// A row that is read aloud: a line for each value, with its label.
Result<void> Table::write_record(const Row& row) {
  std::string lines = m_rows > 1 ? "\n" : "";
  for (std::size_t i = 0; i < std::min(row.size(), m_columns.size()); ++i) {
    if (!row[i].empty()) lines += fmt::format("{}: {}\n", spoken(m_columns[i].title), row[i]);
  }
  return m_out.write(lines);
}

Result<void> Table::write_names() {
  Row names;
  for (const Column& column : m_columns) names.push_back(column_name(column));
  SVC_CHECK(write_tabbed(names));
  return m_separator == '|' ? write_tabbed(Row(names.size(), "---")) : Result<void>();
}

Result<void> Table::write_held() {
  Row header;
  std::vector<std::size_t> widths;
  std::vector<std::size_t> useful;
  std::vector<Keep> keep;
  for (const Column& column : m_columns) {
    header.emplace_back(column.title);
    widths.push_back(display_width(column.title));
    // A truncated number would be a different number; a title is not cut for another column.
    useful.push_back(is_numeric(column.unit)         ? SIZE_MAX
                     : column.unit == Unit::UnixTime ? k_day_width
                                                     : std::max(k_useful_width, widths.back()));
    keep.push_back(keep_of(column));
  }
  widths.resize(m_main);
  for (const Row& row : m_held) {
    for (std::size_t i = 0; i < m_main; ++i) {
      widths[i] = std::max(widths[i], display_width(row[i]));
    }
  }
  const auto room = static_cast<std::size_t>(m_out.terminal().columns);
  m_widths = m_wide ? widths : settle_widths(widths, room, useful, keep);
  for (std::size_t i = 0; i < m_widths.size(); ++i) {
    // Show a time in full or only its day: a truncated one reads as a different time.
    if (m_columns[i].unit != Unit::UnixTime || widths[i] != k_minute_width) continue;
    if (m_widths[i] < k_minute_width) m_widths[i] = std::min(m_widths[i], k_day_width);
  }
  m_hidden = m_main - m_widths.size() +
             static_cast<std::size_t>(std::count(m_widths.begin(), m_widths.end(), k_hidden));
  SVC_CHECK(write_row(header, true));
  for (const Row& row : m_held) SVC_CHECK(write_row(row, false));
  m_held = {};
  return {};
}

Result<void> Table::write_row(const Row& row, bool header) {
  std::string line;
  const auto columns = static_cast<std::size_t>(m_out.terminal().columns);
  std::string below;
  for (std::size_t i = 0; i < m_widths.size(); ++i) {
    if (m_widths[i] == k_hidden) continue;
    if (m_widths[i] == k_below) {
      const bool fits = display_width(row[i]) + k_below_indent <= columns;
      if (!row[i].empty()) below += "\n" + std::string(fits ? k_below_indent : 0, ' ') + row[i];
      continue;
    }
    if (!line.empty()) line.append(k_gap, ' ');
    const bool day = m_columns[i].unit == Unit::UnixTime && m_widths[i] == k_day_width &&
                     row[i].size() == k_minute_width;
    const std::string cell = fit(day ? sv(row[i]).substr(0, k_day_width) : sv(row[i]), m_widths[i],
                                 m_out.terminal().utf8);
    const std::string padding(m_widths[i] - std::min(m_widths[i], display_width(cell)), ' ');
    line += is_numeric(m_columns[i].unit) ? padding + cell : cell + padding;
  }
  line.resize(line.find_last_not_of(' ') + 1);
  line += below;
  if (header && m_out.terminal().color) line = "\x1b[1m" + line + "\x1b[0m";
  line += '\n';
  SVC_CHECK(m_out.write(line));
  return header || !m_details ? Result<void>{} : write_rest(row);
}

/// Writes details and the columns without room: "    expires: 2026-12-23 00:18; type: …".
Result<void> Table::write_rest(const Row& row) {
  constexpr std::size_t k_indent = 4;
  const auto columns = static_cast<std::size_t>(m_out.terminal().columns);
  const std::size_t room = columns > 2 * k_indent ? columns - k_indent : columns;
  std::string line;
  const auto end_line = [&]() -> Result<void> {
    for (const std::string& one : wrap(line, room)) {
      SVC_CHECK(m_out.write(std::string(k_indent, ' ') + one + "\n"));
    }
    line.clear();
    return {};
  };
  for (std::size_t i = 0; i < row.size(); ++i) {
    const bool shown = i < m_widths.size() && m_widths[i] != k_hidden;
    const bool whole = shown && display_width(row[i]) <= m_widths[i];
    if (whole || row[i].empty()) continue;
    const std::string part = fmt::format("{}: {}", to_lower(m_columns[i].title), row[i]);
    if (!line.empty() && display_width(line) + 2 + display_width(part) > room) {
      SVC_CHECK(end_line());
    }
    line += (line.empty() ? "" : "; ") + part;
  }
  return line.empty() ? Result<void>{} : end_line();
}

}  // namespace svc::print
