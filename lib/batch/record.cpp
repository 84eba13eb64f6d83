#include "batch/record.h"

#include <array>
#include <optional>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "base/text.h"
#include "json/document.h"
#include "json/slices.h"
#include "json/text.h"

namespace svc::batch {
namespace {

using nlohmann::ordered_json;

std::string shown_member(std::string_view name) {
  return "'" + shown(name) + "'";
}

/// Decodes a string; returns any other value as written.
std::string cell_of(std::string_view value) {
  if (!value.starts_with('"')) return std::string(value);
  return parse_reply(value).get<std::string>();
}

/// The fields of the frame, without the messages.
std::string base_of(const BodyFrame& frame) {
  const std::string whole = frame.before + "\"\"" + frame.after;
  ordered_json base = parse_reply_in_order(whole);
  if (!base.is_object()) return "{}";
  base.erase("messages");
  return compact_json(base);
}

}  // namespace

struct RecordReader::Line {
  std::string_view text;
  std::uint64_t number;
  ParsedRecord read{};

  void fault(std::uint64_t column, std::string message) {
    read.errors.push_back({number, column, std::move(message)});
  }
  void fault_at(std::string_view slice, std::string message) {
    fault(static_cast<std::uint64_t>(slice.data() - text.data()) + 1, std::move(message));
  }
};

RecordReader::RecordReader(RecordOptions options, std::vector<std::string> columns, Template text)
    : m_options(std::move(options)),
      m_columns(std::move(columns)),
      m_template(std::move(text)),
      m_chat(m_options.frame),
      m_base(base_of(m_options.frame)) {}

Result<RecordReader> RecordReader::make(RecordOptions options) {
  std::vector<std::string> columns = {options.column.empty() ? "prompt" : options.column};
  SVC_TRY(text, Template::parse_open(options.text.empty() ? "{}" : options.text, columns));
  return RecordReader(std::move(options), std::move(columns), std::move(text));
}

ParsedRecord RecordReader::read(std::string_view text, std::uint64_t number) const {
  Line line{text, number};
  const std::string_view value = trim(text);
  if (const std::size_t nul = text.find('\0'); nul != std::string_view::npos) {
    line.fault(nul + 1, "a NUL byte, which is not valid in text");
  } else if (const auto broken = check_json(text)) {
    line.fault(broken->column, broken->reason);
  } else if (value.starts_with('{')) {
    read_object(line);
  } else if (value.starts_with('"')) {
    std::vector<std::string> cells(m_columns.size());
    cells.front() = cell_of(value);
    if (trim(cells.front()).empty()) line.fault(0, "the prompt is empty");
    if (m_columns.size() > 1) {
      line.fault(0, fmt::format("a plain string has no field {} for the prompt",
                                shown_member(m_columns[1])));
    }
    line.read.body = m_chat.with(m_template.fill(cells));
  } else {
    line.fault(1, "neither a JSON object nor a JSON string");
  }
  return std::move(line.read);
}

void RecordReader::read_object(Line& line) const {
  if (json_member(line.text, "batch_request") || json_member(line.text, "url")) {
    return read_entry_form(line);
  }
  line.read.id = id_of(line);
  if (json_member(line.text, "messages")) return read_request(line);
  std::vector<std::string> cells;
  for (const std::string& column : m_columns) {
    // The prompt field is optional if the template does not use it.
    const bool needed = &column != &m_columns.front() || m_template.uses(0);
    std::optional<std::string_view> value;
    for (const auto& [name, given] : json_members(line.text)) {
      if (cell_of(fmt::format("\"{}\"", name)) == column) value = given;
    }
    if (!value && needed) {
      line.fault(0, fmt::format("missing field {}", shown_member(column)));
      return;
    }
    cells.push_back(value ? cell_of(*value) : std::string());
  }
  if (m_template.uses(0) && trim(cells.front()).empty()) line.fault(0, "the prompt is empty");
  line.read.body = m_chat.with(m_template.fill(cells));
}

/// Reads a complete chat request; its fields override those of the command line.
void RecordReader::read_request(Line& line) const {
  const auto messages = *json_member(line.text, "messages");
  if (!messages.starts_with('[') || json_elements(messages).empty()) {
    return line.fault_at(messages, "'messages' must be a non-empty array");
  }
  auto body = parse_reply_in_order(m_base);
  const auto given = parse_reply_in_order(line.text);
  for (const auto& [name, value] : given.items()) {
    if (name != "custom_id" && name != "id" && name != m_options.id_column) body[name] = value;
  }
  body.erase("stream");
  line.read.body = compact_json(body);
}

void RecordReader::read_entry_form(Line& line) const {
  ParsedRequestLine entry = read_request_line(line.text, line.number, RequestFormat::Added);
  line.read.errors = std::move(entry.errors);
  if (!line.read.errors.empty()) return;
  if (entry.entry.endpoint != &chat_endpoint()) {
    return line.fault(0, fmt::format("a request for {}; only {} can be sent individually",
                                     entry.entry.endpoint->url, chat_endpoint().url));
  }
  auto body = parse_reply_in_order(m_base);
  body.update(parse_reply_in_order(entry.entry.body));
  body.erase("stream");
  line.read.id = std::move(entry.entry.id);
  line.read.body = compact_json(body);
}

std::string RecordReader::id_of(Line& line) const {
  static constexpr std::array<std::string_view, 2> k_default_id_fields = {"id", "custom_id"};
  std::vector<std::string_view> names(k_default_id_fields.begin(), k_default_id_fields.end());
  if (!m_options.id_column.empty()) names = {m_options.id_column};
  for (const std::string_view name : names) {
    const auto value = json_member(line.text, name);
    if (!value || *value == "null") continue;
    if (value->starts_with('{') || value->starts_with('[')) {
      line.fault_at(*value, fmt::format("the ID {} must be a string or a number", name));
      return {};
    }
    return std::string(trim(cell_of(*value)));
  }
  if (!m_options.id_column.empty()) {
    line.fault(0, fmt::format("missing field {}", shown_member(m_options.id_column)));
  }
  return {};
}

}  // namespace svc::batch
