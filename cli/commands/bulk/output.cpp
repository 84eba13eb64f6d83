// The results file of a bulk run.
#include <algorithm>
#include <cerrno>
#include <filesystem>
#include <fstream>

#include <fcntl.h>
#include <fmt/format.h>

#include "base/text.h"
#include "base/write_target.h"
#include "batch/csv.h"
#include "batch/input.h"
#include "batch/line_reader.h"
#include "batch/result_item.h"
#include "commands/bulk/bulk_run.h"

namespace svc::cli {
namespace {

/// FNV-1a; the result does not depend on how the bytes are split.
std::uint64_t add_hash(std::uint64_t hash, sv bytes) {
  for (const char c : bytes) hash = (hash ^ static_cast<unsigned char>(c)) * 0x100000001b3U;
  return hash;
}
constexpr std::uint64_t k_hash_begin = 0xcbf29ce484222325U;

/// The size and hash of a file as one string.
Result<std::string> fingerprint(const std::string& path) {
  std::ifstream in(path, std::ios::binary);
  std::uint64_t hash = k_hash_begin;
  std::uint64_t size = 0;
  std::string buffer(256UL << 10U, '\0');
  while (in.read(buffer.data(), static_cast<std::streamsize>(buffer.size())) || in.gcount() > 0) {
    const sv bytes = sv(buffer).substr(0, static_cast<std::size_t>(in.gcount()));
    hash = add_hash(hash, bytes);
    size += bytes.size();
  }
  if (in.bad()) return system_error(fmt::format("cannot read {}", shown_path(path)), EIO);
  return fmt::format("{}-{:016x}", size, hash);
}

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

/// The input of a bulk run as a table, with columns for the answers.
class AnswerTable {
 public:
  /// Nothing unless --output is a table (.csv, .tsv) and the input is a table or a list of prompts.
  /// Local if the input can no longer be read.
  [[nodiscard]] static Result<std::optional<AnswerTable>> open(const batch::RunOptions& options,
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

  /// The header row.
  [[nodiscard]] const std::string& header() const noexcept { return m_header; }

  /// The row of a result: the answer, if any, the state and the error. `line` is the result as
  /// JSON.
  [[nodiscard]] Result<std::string> row(const batch::Finished& finished, std::string_view line) {
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

 private:
  [[nodiscard]] std::string joined(const std::vector<std::string>& cells) const {
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

  FileDescriptor m_input{};
  std::string m_name{};
  char m_read = ',';   ///< separator of the input; 0: lines of prompts
  char m_write = ',';  ///< separator of the output
  std::size_t m_columns = 1;
  std::string m_header{};
};

}  // namespace

bool writes_file(const Session& session) {
  const auto& output = session.globals().output;
  return output && *output != "-";
}

Result<bool> RunOutput::is_ours(const std::string& path) {
  SVC_TRY(written, m_runner.journal().fact("output"));
  if (!written) return false;
  SVC_TRY(now, fingerprint(path));
  return *written == now;
}

Result<void> RunOutput::examine() {
  if (!writes_file(m_session)) return {};
  const std::string& path = *m_session.globals().output;
  m_replace = m_session.globals().replace();
  std::error_code none;
  if (m_replace == Replace::No && std::filesystem::is_regular_file(path, none)) {
    SVC_TRY(ours, is_ours(path));
    if (ours) m_replace = Replace::Yes;
  }
  // A trial file, to detect an unwritable directory now instead of after hours.
  SVC_TRY(trial, AtomicFile::create(path, m_replace));
  (void)trial;
  return {};
}

Result<void> RunOutput::write() {
  const std::string& path = *m_session.globals().output;
  SVC_TRY(file, AtomicFile::create(path, m_replace));
  std::uint64_t hash = k_hash_begin;
  std::uint64_t size = 0;
  std::string buffer;
  const auto flush = [&]() -> Result<void> {
    hash = add_hash(hash, buffer);
    size += buffer.size();
    const Result<void> written = file.write(buffer);
    buffer.clear();
    return written;
  };
  std::optional<AnswerTable> table;
  if (m_session.format() == Format::Text) {
    SVC_TRY(opened, AnswerTable::open(m_options, path));
    table = std::move(opened);
  }
  if (table) buffer = table->header() + "\n";
  SVC_CHECK(m_runner.deliver([&](const batch::Finished& finished, sv line) -> Result<void> {
    if (table) {
      SVC_TRY(row, table->row(finished, line));
      buffer += row;
    } else {
      buffer += line;
    }
    buffer += '\n';
    return buffer.size() < (1U << 20U) ? Result<void>() : flush();
  }));
  SVC_CHECK(flush());
  // Recorded before the rename, so that an interruption between the two does not make the file look
  // like another program's.
  SVC_CHECK(m_runner.journal().set_fact("output", fmt::format("{}-{:016x}", size, hash)));
  SVC_CHECK(file.commit());
  m_session.notices().note(fmt::format("the results are in {}", shown_path(path)));
  return {};
}

}  // namespace svc::cli
