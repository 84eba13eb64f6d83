#include "print/text_view.h"

#include <algorithm>
#include <array>
#include <utility>
#include <vector>

#include <nlohmann/json.hpp>

#include "base/text.h"
#include "json/scanner.h"
#include "print/table.h"
#include "print/width.h"

namespace svc::print {
namespace {

constexpr std::size_t k_max_aligned =
    32;  ///< a longer name does not shift the values of the others
constexpr std::size_t k_max_name_bytes = 256;  ///< makes hostile nesting linear

struct Line {
  std::string name;
  std::string value;
};

using LineSink = std::function<Result<void>(Line line)>;

using json_scan::Token;
using Scanner = json_scan::Scanner<json_scan::Input::Checked>;

std::string decoded(const Scanner& scanner) {
  std::string text;
  json_scan::append_decoded(text, scanner.inside());
  return text;
}

/// Turns tokens into lines.
class Flattener {
 public:
  explicit Flattener(LineSink sink) : m_sink(std::move(sink)) {}

  Result<void> run(sv document) {
    Scanner scanner(document);
    for (Token token = scanner.next(); token != Token::End; token = scanner.next()) {
      SVC_CHECK(take(token, scanner));
    }
    return {};
  }

 private:
  struct Level {
    bool is_array;
    std::size_t path_bytes;       ///< of the container itself
    std::size_t count = 0;        ///< items or fields seen
    bool has_containers = false;  ///< if so, each item has its own lines
  };

  Result<void> take(Token token, const Scanner& scanner) {
    switch (token) {
      case Token::BeginObject:
        return begin(false);
      case Token::BeginArray:
        return begin(true);
      case Token::EndObject:
      case Token::EndArray:
        return end();
      case Token::Name:
        enter_member(decoded(scanner));
        return {};
      case Token::String:
        return scalar(decoded(scanner), false);
      default:
        return scalar(std::string(scanner.text()), scanner.text() == "null");
    }
  }

  void enter_member(const std::string& name) {
    Level& level = m_levels.back();
    ++level.count;
    m_path.resize(level.path_bytes);
    if (!m_path.empty()) m_path += '.';
    m_path += name;
  }

  void enter_item(std::size_t index) {
    m_path.resize(m_levels.back().path_bytes);
    m_path += '[' + std::to_string(index) + ']';
  }

  /// Called when the array of the scalars collected so far turns out to contain containers too.
  Result<void> split_array() {
    Level& level = m_levels.back();
    level.has_containers = true;
    for (std::size_t index = 0; index < m_pending.size(); ++index) {
      enter_item(index);
      SVC_CHECK(emit(std::move(m_pending[index])));
    }
    m_pending.clear();
    return {};
  }

  Result<void> begin(bool is_array) {
    if (!m_levels.empty() && m_levels.back().is_array) {
      if (!m_levels.back().has_containers) SVC_CHECK(split_array());
      enter_item(m_levels.back().count++);
    }
    m_levels.push_back(Level{is_array, m_path.size()});
    return {};
  }

  Result<void> end() {
    const Level level = m_levels.back();
    m_levels.pop_back();
    m_path.resize(level.path_bytes);
    if (level.is_array && !level.has_containers) {
      std::string joined = join(m_pending, ", ");
      m_pending.clear();
      return emit(std::move(joined));
    }
    return level.count == 0 ? emit({}) : Result<void>{};
  }

  Result<void> scalar(std::string text, bool is_null) {
    if (m_levels.empty()) return emit(std::move(text));
    Level& level = m_levels.back();
    if (!level.is_array) return is_null ? Result<void>{} : emit(std::move(text));
    const std::size_t index = level.count++;
    if (!level.has_containers) {
      m_pending.push_back(std::move(text));
      return {};
    }
    enter_item(index);
    return emit(std::move(text));
  }

  Result<void> emit(std::string value) {
    return m_sink(Line{excerpt(m_path, k_max_name_bytes), std::move(value)});
  }

  LineSink m_sink;
  std::vector<Level> m_levels{};
  std::string m_path{};
  std::vector<std::string> m_pending{};  ///< scalars of the innermost array
};

std::string indented(sv value) {
  if (value.ends_with('\n')) value.remove_suffix(1);
  std::string text;
  for (const sv line : split(value, '\n')) {
    text += '\n';
    if (!line.empty()) text.append("  ").append(line);
  }
  return text;
}

/// `label` is the name with its colon; `gap` separates it from the value.
Result<void> write_line(Out& out, sv label, sv gap, sv value) {
  SVC_CHECK(out.write(label));
  if (value.find('\n') != sv::npos && !label.empty()) {
    SVC_CHECK(out.write(indented(value)));
  } else if (!value.empty()) {
    SVC_CHECK(out.write(gap));
    SVC_CHECK(out.write(value));
  }
  return out.write("\n");
}

Result<void> write_plain(Out& out, const Line& line) {
  std::string label = replace_all(line.name, "\n", "\\n");
  if (!label.empty()) label += ':';
  return write_line(out, label, label.empty() ? "" : " ", line.value);
}

/// Whether a value of this unit is formatted.
bool is_format(Unit unit) {
  constexpr std::array k_formats = {Unit::Bytes, Unit::Seconds,    Unit::UnixTime, Unit::Ticks,
                                    Unit::Cents, Unit::MicroCents, Unit::Credit};
  return std::find(k_formats.begin(), k_formats.end(), unit) != k_formats.end();
}

/// "a.b" of "a[0].b".
std::string without_indexes(sv name) {
  std::string path;
  bool inside = false;
  for (const char c : name) {
    if (c == '[') inside = true;
    if (!inside) path += c;
    if (c == ']') inside = false;
  }
  return path;
}

/// Whether the value at `path` is the member, or one of a shape that both return.
bool is_at(sv path, const Column& column) {
  sv end = column.path;
  if (end.starts_with('(')) end.remove_prefix(end.find('.') + 1);
  if (end.empty() || !path.ends_with(end)) return false;
  return path.size() == end.size() || path[path.size() - end.size() - 1] == '.';
}

/// Adds the local time to a Unix timestamp that has no format.
std::string with_time(sv name, std::string value) {
  const auto seconds =
      name.ends_with("_at") || name == "created" ? parse_integer(value) : std::nullopt;
  if (!seconds || *seconds < 1'000'000'000 || *seconds > 99'999'999'999) return value;
  const Column moment{{}, {}, Unit::UnixTime};
  return value + " (" + cell_text(nlohmann::json(*seconds), moment, Reader::Person) + ")";
}

/// Formats the value as the first format for this field does.
std::string formatted(std::string value, sv name, std::span<const Column> formats, Reader reader) {
  if (value.empty()) return value;
  const std::string path = without_indexes(name);
  for (const Column& column : formats) {
    if (!is_format(column.unit) || !is_at(path, column)) continue;
    return cell_text(nlohmann::json(value), Column{{}, {}, column.unit}, reader);
  }
  if (reader == Reader::Person) value = with_time(name, std::move(value));
  return enum_words(path, std::move(value));
}

Result<void> write_aligned(Out& out, std::vector<Line> lines) {
  std::size_t widest = 0;
  for (Line& line : lines) {
    line.name = visible(line.name, Lines::Escape);
    if (!line.name.empty()) line.name += ':';
    const std::size_t width = display_width(line.name);
    if (width <= k_max_aligned) widest = std::max(widest, width);
  }
  const bool color = out.terminal().color;
  for (const Line& line : lines) {
    const std::size_t width = display_width(line.name);
    const std::string gap(width == 0 ? 0 : std::max(widest, width) - width + 1, ' ');
    const std::string label = color && width > 0 ? "\x1b[1m" + line.name + "\x1b[0m" : line.name;
    SVC_CHECK(write_line(out, label, gap, visible(line.value)));
  }
  return {};
}

using nlohmann::json;

/// Returns the rows at a path: the items of its arrays.
std::vector<const json*> rows_at(const json& document, sv path) {
  std::vector<const json*> rows;
  for (const json* list : find_all(document, path)) {
    if (!list->is_array()) continue;
    for (const json& row : *list) rows.push_back(&row);
  }
  return rows;
}

Result<void> print_rows(Out& out, const std::vector<const json*>& rows,
                        std::span<const Column> columns, bool details, bool log) {
  Table table(out, columns, {.details = details, .log = log});
  for (const json* row : rows) SVC_CHECK(table.add(*row));
  return table.finish();
}

/// Returns the columns that have a value.
std::vector<Line> card_lines(const json& document, std::span<const Column> columns, Reader reader) {
  std::vector<Line> lines;
  for (const Column& column : columns) {
    std::string value = cell_text(document, column, reader);
    if (!value.empty()) lines.push_back({column.title, std::move(value)});
  }
  return lines;
}

Result<void> print_card(Out& out, const std::vector<Line>& lines) {
  const bool person = out.terminal().is_tty;
  std::size_t widest = 0;
  for (const Line& line : lines) widest = std::max(widest, display_width(line.name));
  for (const Line& line : lines) {
    const std::string gap(person ? widest - display_width(line.name) + 1 : 1, ' ');
    const std::string value =
        person ? visible(line.value, Lines::Escape) : replace_all(line.value, "\n", "\\n");
    SVC_CHECK(out.write(line.name + ":" + gap + value + "\n"));
  }
  return {};
}

}  // namespace

Result<void> print_fields(Out& out, sv json, std::span<const Column> formats, sv whose) {
  const bool repaired = first_invalid_utf8(json).has_value();
  const std::string copy = repaired ? replace_invalid_utf8(json) : std::string();
  const sv text = repaired ? sv(copy) : json;
  SVC_CHECK(check_printable(text, whose));
  const bool person = out.terminal().is_tty;
  const Reader reader = person ? Reader::Person : Reader::Program;
  std::vector<Line> lines;
  SVC_CHECK(Flattener([&](Line line) -> Result<void> {
              line.value = formatted(std::move(line.value), line.name, formats, reader);
              if (!person) return write_plain(out, line);
              lines.push_back(std::move(line));
              return {};
            }).run(text));
  return write_aligned(out, std::move(lines));
}

Result<void> print_sections(Out& out, const json& document, std::span<const Section> sections,
                            bool details, bool log) {
  const bool person = out.terminal().is_tty;
  const Reader reader = log ? Reader::Log : person ? Reader::Person : Reader::Program;
  bool first = true;
  for (const Section& section : sections) {
    std::vector<Column> columns = section.columns;
    if (!details) std::erase_if(columns, [](const Column& column) { return column.detail; });
    const bool card = section.items.empty();
    const auto lines = card ? card_lines(document, columns, reader) : std::vector<Line>();
    const auto rows = card ? std::vector<const json*>() : rows_at(document, section.items);
    if (lines.empty() && rows.empty()) continue;
    if (!std::exchange(first, false)) SVC_CHECK(out.write("\n"));
    SVC_CHECK(card ? print_card(out, lines) : print_rows(out, rows, columns, details, log));
  }
  return {};
}

}  // namespace svc::print
