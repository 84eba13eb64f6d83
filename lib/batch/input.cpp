#include "batch/input.h"

#include <algorithm>
#include <bit>
#include <cerrno>
#include <cstring>

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/stat.h>

#include "base/digest.h"
#include "base/text.h"
#include "batch/csv.h"
#include "json/text.h"

namespace svc::batch {
namespace {

/// Space around the body: the ID and the field names.
constexpr std::uint64_t k_line_slack = 4096;

bool is_table(InputFormat format) {
  return format == InputFormat::Csv || format == InputFormat::Tsv;
}

/// "UTF-16" or "UTF-32" if the first bytes indicate it, by a byte order mark or the position of
/// zeros.
std::string_view wide_encoding(std::string_view head) {
  using namespace std::string_view_literals;
  if (head.starts_with("\xFF\xFE\0\0"sv) || head.starts_with("\0\0\xFE\xFF"sv)) return "UTF-32";
  if (head.starts_with("\xFF\xFE"sv) || head.starts_with("\xFE\xFF"sv)) return "UTF-16";
  if (head.size() < 4) return {};
  const bool little = head[0] != 0 && head[1] == 0 && head[2] != 0 && head[3] == 0;
  const bool big = head[0] == 0 && head[1] != 0 && head[2] == 0 && head[3] != 0;
  return little || big ? "UTF-16" : "";
}

LineError nul_error(std::uint64_t line, std::size_t at) {
  return {line, at + 1, "a NUL byte, which is not valid in text"};
}

/// Checks for UTF-8 without NUL; returns the error and its position otherwise.
std::optional<LineError> text_error(std::string_view text, std::uint64_t line) {
  if (const std::size_t nul = text.find('\0'); nul != std::string_view::npos) {
    return nul_error(line, nul);
  }
  if (const auto bad = first_invalid_utf8(text)) {
    return LineError{line, *bad + 1, "the text is not UTF-8"};
  }
  return std::nullopt;
}

}  // namespace

std::uint64_t hash_line(std::string_view text) noexcept {
  // Two independent products at a time, so that neither waits for the other's result.
  constexpr std::uint64_t k_odd = 0x9e3779b97f4a7c15U;
  const auto mix = [](std::uint64_t hash, std::uint64_t word) {
    hash = (hash ^ word) * k_odd;
    return hash ^ (hash >> 29U);
  };
  std::uint64_t one = text.size();
  std::uint64_t two = k_odd;
  std::size_t at = 0;
  for (std::uint64_t words[2]; at + sizeof words <= text.size(); at += sizeof words) {
    std::memcpy(words, text.data() + at, sizeof words);
    one = mix(one, words[0]);
    two = mix(two, words[1]);
  }
  for (; at < text.size(); ++at) one = mix(one, static_cast<unsigned char>(text[at]));
  return mix(mix(one, two), two >> 32U);
}

std::uint64_t combine_hash(std::uint64_t hashes, std::uint64_t hash) noexcept {
  return (std::rotl(hashes, 7) ^ hash) * 0x9e3779b97f4a7c15U;
}

InputFormat format_of_file(std::string_view path) {
  const std::string lower = to_lower(path);
  if (lower.ends_with(".txt")) return InputFormat::Prompts;
  if (lower.ends_with(".csv")) return InputFormat::Csv;
  if (lower.ends_with(".tsv")) return InputFormat::Tsv;
  return InputFormat::Jsonl;
}

bool names_format(std::string_view path) {
  if (format_of_file(path) != InputFormat::Jsonl) return true;
  const std::string lower = to_lower(path);
  return lower.ends_with(".jsonl") || lower.ends_with(".ndjson") || lower.ends_with(".json");
}

bool is_json_lines(const std::string& path) {
  constexpr std::uint64_t k_enough = 1U << 20U;
  // A pipe must not wait for its writer here, or lose what is read.
  const FileDescriptor file(::open(path.c_str(), O_RDONLY | O_CLOEXEC | O_NONBLOCK));
  struct stat status {};
  if (!file.is_open() || ::fstat(file.get(), &status) != 0 || !S_ISREG(status.st_mode))
    return false;
  LineReader reader(read_descriptor(file.get(), path), k_enough);
  Line line;
  for (auto any = reader.next(line); any && *any; any = reader.next(line)) {
    const std::string_view text = trim(line.text);
    if (text.empty()) continue;
    // A line of text may start with a quotation mark or a bracket, too.
    if (text.starts_with('{') || text == "[") return true;
    return (text.starts_with('"') || text.starts_with('[')) && !check_json(text);
  }
  return false;
}

std::string InputOptions::signature() const {
  return fmt::format(
      "input form: {}\n--model: {}\n--system: {}\n{}: {}\n--column: {}\n"
      "--id-column: {}\n--body and --set: {}\n{}",
      static_cast<int>(format), model, visible(system, Lines::Escape), k_saved_template,
      visible(text == "{}" ? "" : text, Lines::Escape), visible(column, Lines::Escape),
      visible(id_column, Lines::Escape), base_body,
      frame ? fmt::format("{}: {}{}\n", k_saved_frame, frame->before, frame->after) : "");
}

Input::Input(std::string name, FileDescriptor file, InputOptions options)
    : m_name(std::move(name)), m_file(std::move(file)), m_options(std::move(options)) {}

Result<Input> Input::open(const std::string& path, InputOptions options, std::string name) {
  const std::string shown = name.empty() ? quote_path(path) : std::move(name);
  if (has_nul(path)) return usage_error(fmt::format("{} is not a valid file name", shown));
  // Not blocking, so that a pipe without a writer is refused at once.
  FileDescriptor file(::open(path.c_str(), O_RDONLY | O_CLOEXEC | O_NONBLOCK));
  if (!file.is_open()) {
    Error error = system_error(fmt::format("{} cannot be read", shown), errno);
    error.fault = Fault::Usage;
    return error;
  }
  struct stat status {};
  if (::fstat(file.get(), &status) != 0)
    return system_error(fmt::format("{} cannot be read", shown), errno);
  if (!S_ISREG(status.st_mode)) {
    return usage_error(fmt::format("{} is not a regular file", shown),
                       "Pass a file, or - for standard input.");
  }
  Input input(shown, std::move(file), std::move(options));
  input.m_size = static_cast<std::uint64_t>(status.st_size);
  input.m_reader = std::make_unique<LineReader>(read_descriptor(input.m_file.get(), shown),
                                                input.max_line(), input.split_mode());
  SVC_CHECK(input.read_header());
  return input;
}

std::uint64_t Input::max_line() const {
  return m_options.max_item + k_line_slack;
}

SplitMode Input::split_mode() const {
  return is_table(m_options.format) ? SplitMode::Records : SplitMode::Lines;
}

void Input::seek(std::uint64_t offset, std::uint64_t line) {
  m_position = offset;
  m_reader = std::make_unique<LineReader>(read_descriptor(m_file.get(), m_name, offset), max_line(),
                                          split_mode(), offset, line);
}

void Input::stop_within(std::uint64_t bytes) {
  m_end = std::min(m_end, m_position + (m_is_text ? bytes : 0));
  m_reader->stop_at(m_end);
}

/// Reads the columns of a table and resolves the options that refer to them.
Result<void> Input::read_header() {
  if (m_options.format == InputFormat::Jsonl) return {};
  if (m_options.format == InputFormat::Records) {
    SVC_TRY(records, RecordReader::make({.text = m_options.text,
                                         .column = m_options.column,
                                         .id_column = m_options.id_column,
                                         .frame = m_options.frame.value_or(BodyFrame{})}));
    m_records.emplace(std::move(records));
    return {};
  }
  std::vector<std::string> columns = {"prompt"};
  if (is_table(m_options.format)) {
    Line line;
    SVC_TRY(any, m_reader->next(line));
    detect_encoding();
    if (m_file_error) return {};
    const CsvRecord header =
        parse_csv(line.text, m_options.format == InputFormat::Csv ? ',' : '\t');
    if (!any || trim(line.text).empty() || !header.fault.empty() || text_error(line.text, 1)) {
      return usage_error(fmt::format("{}: the first line is not a valid header{}{}", m_name,
                                     header.fault.empty() ? "" : ": ", header.fault));
    }
    columns = header.cells;
    m_position = line.offset + line.text.size();
  }
  m_columns = columns.size();
  if (!m_options.column.empty()) {
    SVC_TRY(column, find_column("--column", m_options.column, columns));
    m_column = column;
  }
  if (!m_options.id_column.empty()) {
    SVC_TRY(column, find_column("--id-column", m_options.id_column, columns));
    m_id_column = column;
  }
  SVC_TRY(filled,
          Template::parse(m_options.text.empty() ? "{}" : m_options.text, columns, m_column));
  m_template = std::move(filled);
  const bool whole = m_options.text.empty() || m_options.text.find("{}") != std::string::npos;
  if (is_table(m_options.format) && whole) m_prompt_column = columns[m_column];
  if (m_options.frame) {
    m_chat.emplace(*m_options.frame);
    return {};
  }
  m_chat.emplace(m_options.base_body.empty() ? "{}" : m_options.base_body, m_options.model,
                 m_options.system);
  return {};
}

bool Input::is_fixed() const noexcept {
  if (m_records) return m_records->prompt_template().is_fixed();
  return m_template && m_template->is_fixed();
}

void Input::detect_encoding() {
  const std::string_view encoding = wide_encoding(m_reader->head());
  if (encoding.empty()) return;
  m_file_error = LineError{
      1, 0,
      fmt::format("the file is {0}, not UTF-8; convert it with: iconv -f {0} -t UTF-8", encoding)};
}

Result<bool> Input::next(Item& item) {
  Line line;
  while (true) {
    if (m_file_error) return false;
    SVC_TRY(any, m_reader->next(line));
    if (line.number <= 1) detect_encoding();
    if (!any || m_file_error) return false;
    m_position = line.offset + line.text.size();
    if (!trim(line.text).empty()) break;
  }
  item = Item{.line = line.number,
              .offset = line.offset,
              .length = line.text.size(),
              .json = std::move(item.json)};
  item.json.clear();  // reuse its memory
  if (line.too_long) {
    // A sparse file, or another binary file, is one long line.
    const std::size_t nul = line.text.find('\0');
    m_is_text = nul == std::string_view::npos;
    item.errors.push_back(nul != std::string_view::npos
                              ? nul_error(line.number, nul)
                              : LineError{line.number, 0,
                                          fmt::format("longer than {}, the most one call "
                                                      "carries",
                                                      format_bytes(m_options.max_item))});
    return true;
  }
  item.hash = hash_line(line.text);
  convert(line.text, item);
  return true;
}

void Input::convert(std::string_view text, Item& item) const {
  if (m_options.format == InputFormat::Jsonl) {
    convert_entry(text, item);
  } else if (m_options.format == InputFormat::Records) {
    convert_record(text, item);
  } else {
    convert_prompt(text, item);
  }
  if (item.errors.empty()) check_size(item);
}

void Input::convert_entry(std::string_view text, Item& item) const {
  ParsedRequestLine read = read_request_line(text, item.line, m_options.sent_as);
  item.errors = std::move(read.errors);
  item.id = std::move(read.entry.id);
  if (!item.errors.empty()) return;
  item.id_generated = item.id.empty();
  if (item.id_generated) item.id = generated_id(item.line);
  const Endpoint& endpoint = *read.entry.endpoint;
  append_request_line(item.json, endpoint, item.id, read.entry.body,
                      endpoint.text ? std::string_view(m_options.model) : std::string_view(),
                      m_options.sent_as);
}

void Input::convert_prompt(std::string_view text, Item& item) const {
  if (auto fault = text_error(text, item.line)) {
    item.errors.push_back(*std::move(fault));
    return;
  }
  std::vector<std::string> cells = {std::string(text)};
  if (is_table(m_options.format)) {
    CsvRecord record = parse_csv(text, m_options.format == InputFormat::Csv ? ',' : '\t');
    if (record.fault.empty() && record.cells.size() != m_columns) {
      record.fault =
          fmt::format("{} cells in this row, {} in the header", record.cells.size(), m_columns);
    }
    if (!record.fault.empty()) {
      item.errors.push_back({item.line, record.column, record.fault});
      return;
    }
    cells = std::move(record.cells);
  }
  if (trim(cells[m_column]).empty()) {
    item.errors.push_back({item.line, 0, "the prompt is empty"});
    return;
  }
  std::string id = m_id_column ? std::string(trim(cells[*m_id_column])) : std::string();
  make_chat(std::move(id), m_chat->with(m_template->fill(cells)), item);
}

void Input::convert_record(std::string_view text, Item& item) const {
  ParsedRecord read = m_records->read(text, item.line);
  item.errors = std::move(read.errors);
  if (item.errors.empty()) make_chat(std::move(read.id), read.body, item);
}

void Input::make_chat(std::string id, std::string_view body, Item& item) const {
  item.id = std::move(id);
  item.id_generated = item.id.empty();
  if (item.id_generated) item.id = generated_id(item.line);
  append_request_line(item.json, chat_endpoint(), item.id, body, {}, m_options.sent_as);
}

void Input::check_size(Item& item) const {
  if (item.json.size() <= m_options.max_item) return;
  item.errors.push_back(
      {item.line, 0,
       fmt::format("{} as a request, but a call can carry at most {}",
                   format_bytes(item.json.size()), format_bytes(m_options.max_item))});
}

Error input_changed(std::string_view name, std::uint64_t line) {
  return Error{Fault::Local,
               fmt::format("{} has changed since it was checked: line {} or a later line is "
                           "different",
                           name, line),
               "Restore the original file and rerun the command."};
}

namespace {

/// The bytes at `location`; fewer at the end of the file.
Result<std::string> read_bytes_at(const FileDescriptor& file, std::string_view name,
                                  const ItemLocation& location) {
  std::string text(location.length, '\0');
  std::size_t filled = 0;
  while (filled < text.size()) {
    const ssize_t count = ::pread(file.get(), text.data() + filled, text.size() - filled,
                                  static_cast<off_t>(location.offset + filled));
    if (count < 0 && errno == EINTR) continue;
    if (count < 0) return system_error(fmt::format("{} cannot be read", name), errno);
    if (count == 0) break;
    filled += static_cast<std::size_t>(count);
  }
  text.resize(filled);
  return text;
}

}  // namespace

Result<std::string> read_text_at(const FileDescriptor& file, std::string_view name,
                                 const ItemLocation& location) {
  SVC_TRY(text, read_bytes_at(file, name, location));
  if (text.size() == location.length && hash_line(text) == location.hash) return text;
  return input_changed(name, location.line);
}

Result<std::uint64_t> Input::hash_at(const ItemLocation& location) const {
  SVC_TRY(text, read_bytes_at(m_file, m_name, location));
  return hash_line(text);
}

Result<Item> Input::reread(const ItemLocation& location) const {
  SVC_TRY(text, read_text_at(m_file, m_name, location));
  Item item{.line = location.line,
            .offset = location.offset,
            .length = location.length,
            .hash = location.hash};
  convert(text, item);
  if (item.errors.empty()) return item;
  return Error{Fault::Local, fmt::format("line {} of {} cannot be read again: {}", location.line,
                                         m_name, item.errors.front().message)};
}

Result<void> Input::read_blocks(const std::function<void(std::string_view block)>& add) const {
  const ReadSome read = read_descriptor(m_file.get(), m_name);
  std::string block(256UL << 10U, '\0');
  for (std::size_t filled = block.size(); filled == block.size();) {
    filled = 0;
    while (filled < block.size()) {
      SVC_TRY(count, read(block.data() + filled, block.size() - filled));
      if (count == 0) break;
      filled += count;
    }
    add(std::string_view(block).substr(0, filled));
  }
  return {};
}

Result<std::string> Input::digest() const {
  std::uint64_t hash = 0;
  SVC_CHECK(read_blocks(
      [&hash](std::string_view block) { hash = combine_hash(hash, hash_line(block)); }));
  return fmt::format("{:016x}", hash);
}

Result<std::string> Input::sha256() const {
  Sha256 hash;
  SVC_CHECK(read_blocks([&hash](std::string_view block) { hash.add(block); }));
  return hash.hexadecimal();
}

}  // namespace svc::batch
