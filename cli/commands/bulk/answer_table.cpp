#include "commands/bulk/answer_table.h"

#include <algorithm>
#include <cerrno>

#include <fcntl.h>
#include <fmt/format.h>
#include <unistd.h>

#include "base/text.h"
#include "base/write_target.h"
#include "batch/csv.h"
#include "batch/input.h"
#include "batch/line_reader.h"
#include "batch/result_item.h"

namespace svc::cli {
namespace {

constexpr std::uint64_t k_longest_header = 1U << 20U;

char separator_of(std::string_view path) {
  const std::string name = to_lower(path);
  return name.ends_with(".csv") ? ',' : name.ends_with(".tsv") ? '\t' : '\0';
}

/// Adds a column, numbering its name if it is taken.
void add_column(std::vector<std::string>& columns, const std::string& wanted) {
  std::string name = wanted;
  for (int number = 2; std::find(columns.begin(), columns.end(), name) != columns.end(); ++number) {
    name = fmt::format("{}_{}", wanted, number);
  }
  columns.push_back(std::move(name));
}

}  // namespace

Result<std::optional<AnswerTable>> AnswerTable::open(const batch::RunOptions& options,
                                                     const std::string& output) {
  using Form = batch::InputForm;
  const Form form = options.reading.form;
  const bool fits = form == Form::Csv || form == Form::Tsv || form == Form::Prompts;
  if (!fits || separator_of(output) == 0) return std::optional<AnswerTable>();
  AnswerTable table;
  table.m_name = options.input;
  table.m_read = form == Form::Csv ? ',' : form == Form::Tsv ? '\t' : '\0';
  table.m_write = separator_of(output);
  table.m_input = FileDescriptor(::open(options.input.c_str(), O_RDONLY | O_CLOEXEC));
  if (!table.m_input.is_open()) {
    return system_error(fmt::format("cannot read {}", shown_path(options.input)), errno);
  }
  std::vector<std::string> columns = {"prompt"};
  if (table.m_read != 0) {
    batch::LineReader reader(batch::read_descriptor(table.m_input.get(), options.input),
                             k_longest_header, batch::Cut::Records);
    batch::Line line;
    SVC_TRY(any, reader.next(line));
    if (any) columns = batch::parse_csv(line.text, table.m_read).cells;
  }
  table.m_columns = columns.size();
  for (const char* added : {"answer", "state", "error"}) add_column(columns, added);
  table.m_header = table.joined(columns);
  return std::optional<AnswerTable>(std::move(table));
}

std::string AnswerTable::joined(const std::vector<std::string>& cells) const {
  const std::string special = std::string("\"\n\r") + m_write;
  std::string line;
  for (const std::string& cell : cells) {
    if (&cell != cells.data()) line += m_write;
    if (cell.find_first_of(special) == std::string::npos) {
      line += cell;
    } else {
      line += '"' + replace_all(cell, "\"", "\"\"") + '"';
    }
  }
  return line;
}

Result<std::string> AnswerTable::row(const batch::Finished& finished, std::string_view line) {
  SVC_TRY(text, batch::read_place(m_input, shown_path(m_name), finished.place));
  std::vector<std::string> cells = {text};
  if (m_read != 0) cells = batch::parse_csv(text, m_read).cells;
  cells.resize(m_columns);
  // Partial answers are included: they were billed.
  batch::ResultItem item = batch::read_result_item(line);
  cells.push_back(std::move(item.text));
  cells.emplace_back(batch::outcome_name(finished.outcome));
  cells.push_back(item.reason.empty() ? finished.reason : std::move(item.reason));
  return joined(cells);
}

}  // namespace svc::cli
