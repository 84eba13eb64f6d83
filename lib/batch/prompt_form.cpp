#include "batch/prompt_form.h"

#include <algorithm>

#include <fmt/format.h>

#include "base/text.h"
#include "json/slices.h"
#include "json/text.h"

namespace svc::batch {
namespace {

std::string listed(std::span<const std::string> columns) {
  std::string text;
  for (const std::string& column : columns) {
    if (!text.empty()) text += ", ";
    text += shown(column);
  }
  return text;
}

}  // namespace

Result<std::size_t> find_column(std::string_view flag, std::string_view name,
                                std::span<const std::string> columns) {
  for (std::size_t i = 0; i < columns.size(); ++i) {
    if (columns[i] == name) return i;
  }
  const auto number = parse_integer(name);
  if (number && *number >= 1 && static_cast<std::size_t>(*number) <= columns.size()) {
    return static_cast<std::size_t>(*number) - 1;
  }
  return usage_error(
      fmt::format("{}: unknown column '{}'; columns: {}", flag, shown(name), listed(columns)));
}

Result<Template> Template::parse(std::string_view text, std::span<const std::string> columns,
                                 std::size_t prompt_column) {
  return parse(text, prompt_column,
               [&](std::string_view name) { return find_column("the template", name, columns); });
}

Result<Template> Template::parse_open(std::string_view text, std::vector<std::string>& columns) {
  return parse(text, 0, [&](std::string_view name) -> Result<std::size_t> {
    const auto known = std::find(columns.begin(), columns.end(), name);
    const auto index = static_cast<std::size_t>(known - columns.begin());
    if (known == columns.end()) columns.emplace_back(name);
    return index;
  });
}

Result<Template> Template::parse(std::string_view text, std::size_t prompt_column,
                                 const Find& find) {
  Template made;
  std::string literal;
  for (std::size_t i = 0; i < text.size(); ++i) {
    const char c = text[i];
    if ((c == '{' || c == '}') && i + 1 < text.size() && text[i + 1] == c) {
      literal += c;
      ++i;
      continue;
    }
    if (c != '{') {
      literal += c;
      continue;
    }
    const std::size_t end = text.find('}', i);
    if (end == std::string_view::npos) {
      return usage_error("the template has an unclosed '{'", "Use '{{' for a literal brace.");
    }
    const std::string_view name = text.substr(i + 1, end - i - 1);
    std::size_t column = prompt_column;
    if (!name.empty() && name != "prompt") {
      SVC_TRY(found, find(name));
      column = found;
    }
    made.m_segments.push_back({std::move(literal), -1});
    made.m_segments.push_back({{}, static_cast<std::ptrdiff_t>(column)});
    literal.clear();
    i = end;
  }
  made.m_segments.push_back({std::move(literal), -1});
  return made;
}

std::string Template::fill(std::span<const std::string> cells) const {
  std::string text;
  for (const Segment& segment : m_segments) {
    if (segment.column < 0) {
      text += segment.text;
    } else if (static_cast<std::size_t>(segment.column) < cells.size()) {
      text += cells[static_cast<std::size_t>(segment.column)];
    }
  }
  return text;
}

bool Template::uses(std::size_t column) const noexcept {
  return std::any_of(m_segments.begin(), m_segments.end(), [&](const Segment& segment) {
    return segment.column == static_cast<std::ptrdiff_t>(column);
  });
}

ChatBody::ChatBody(std::string_view base, std::string_view model, std::string_view system) {
  std::string messages;
  const auto add_message = [&messages](std::string_view message) {
    if (!messages.empty()) messages += ',';
    messages += message;
  };
  if (const auto given = json_member(base, "messages")) {
    for (const std::string_view message : json_elements(*given)) add_message(message);
  }
  if (!system.empty()) {
    add_message(fmt::format(R"({{"role":"system","content":{}}})", json_quote(system)));
  }
  bool has_model = false;
  m_frame.before = "{";
  for (const auto& [name, value] : json_members(base)) {
    if (name == "messages") continue;
    has_model = has_model || name == "model";
    m_frame.before += fmt::format(R"("{}":{},)", name, value);
  }
  if (!has_model) m_frame.before += fmt::format(R"("model":{},)", json_quote(model));
  if (!messages.empty()) messages += ',';
  m_frame.before += fmt::format(R"("messages":[{}{{"role":"user","content":)", messages);
  m_frame.after = "}]}";
}

std::string ChatBody::with(std::string_view prompt) const {
  return m_frame.before + json_quote(prompt) + m_frame.after;
}

}  // namespace svc::batch
