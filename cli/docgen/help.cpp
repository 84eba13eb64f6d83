#include "docgen/help.h"

#include <algorithm>
#include <vector>

#include <fmt/format.h>

#include "base/counted.h"
#include "base/text.h"
#include "docgen/describe.h"
#include "docgen/group_intro.h"
#include "docgen/intro.h"
#include "print/width.h"
#include "request/flags.h"

namespace svc::docgen {
namespace {

constexpr std::size_t k_indent = 2;
constexpr std::size_t k_gap = 2;

struct Item {
  std::string left;
  std::string right;
};

/// Text in sections, wrapped.
class Page {
 public:
  explicit Page(int columns) : m_columns(static_cast<std::size_t>(std::clamp(columns, 40, 100))) {}

  void paragraph(sv text) {
    gap();
    line(text);
  }

  void heading(sv title) {
    gap();
    m_text.append(title).append(":\n");
  }

  /// Adds a line without wrapping it, so that it can be copied.
  void verbatim(sv text, std::size_t indent = k_indent) {
    m_text.append(indent, ' ').append(text) += '\n';
  }

  void indented(sv text, std::size_t indent) {
    for (const std::string& line : print::wrap(text, m_columns - indent)) verbatim(line, indent);
  }

  /// Two columns; if an entry is too long for the left one, its text starts on the next line.
  void items(const std::vector<Item>& entries) {
    const std::size_t most = m_columns * 2 / 5;
    std::size_t left = 0;
    for (const Item& item : entries) {
      const std::size_t width = print::display_width(item.left);
      if (width <= most) left = std::max(left, width);
    }
    for (const Item& item : entries) add(item, left);
  }

  /// Adds a paragraph without a blank line before it.
  void line(sv text) {
    for (const std::string& one : print::wrap(text, m_columns)) m_text += one + "\n";
  }

  void gap() {
    if (!m_text.empty()) m_text += '\n';
  }

  [[nodiscard]] std::string take() {
    if (m_text.find("†") != std::string::npos) paragraph(k_observed_meaning);
    return std::move(m_text);
  }

 private:
  void add(const Item& item, std::size_t left) {
    const std::size_t begin = k_indent + left + k_gap;
    const std::size_t width = print::display_width(item.left);
    m_text.append(k_indent, ' ').append(item.left);
    bool first = true;
    for (const std::string& line : print::wrap(item.right, m_columns - begin)) {
      if (first && width <= left) {
        m_text.append(left - width + k_gap, ' ');
      } else {
        m_text.append("\n").append(begin, ' ');
      }
      first = false;
      m_text += line;
    }
    m_text += '\n';
  }

  std::size_t m_columns;
  std::string m_text{};
};

std::string with_value(const std::string& flag, const std::string& value) {
  return value.empty() || value.starts_with("[=") ? flag + value : flag + " " + value;
}

void add_flags(Page& page, sv title, const std::vector<const Field*>& fields) {
  if (fields.empty()) return;
  page.heading(title);
  std::vector<Item> entries;
  for (const Field* field : fields) {
    entries.push_back({with_value(flag_name(*field), value_name(*field)), describe(*field)});
  }
  page.items(entries);
}

void add_arguments(Page& page, const Operation& operation) {
  std::vector<Item> entries;
  for (const Field* field : arguments(operation)) {
    entries.push_back({argument_name(*field), describe(*field)});
  }
  if (entries.empty()) return;
  page.heading("Arguments");
  page.items(entries);
}

void add_global_flags(Page& page) {
  page.heading("Global flags");
  std::vector<Item> entries;
  for (const GlobalFlag& flag : k_global_flags) {
    entries.push_back({with_value(flag_name(flag), value_name(flag)), std::string(flag.help)});
  }
  entries.push_back({"-V, --version", "Print the version."});
  page.items(entries);
}

void add_examples(Page& page, std::span<const Example> examples) {
  if (examples.empty()) return;
  page.heading("Examples");
  for (const Example& example : examples) {
    page.verbatim(example.command);
    page.indented(example.says, 2 * k_indent + 2);
  }
}

/// For a group without a default verb: one example of each of its most common verbs.
std::vector<Example> first_examples(const Group& group) {
  std::vector<Example> examples;
  const auto add = [&](const Operation& operation) {
    if (!operation.examples.empty()) examples.push_back(operation.examples.front());
  };
  for (const sv verb : first_verbs(group.name)) {
    for (const Operation& operation : group.operations) {
      if (operation.name == verb && !verb.empty()) add(operation);
    }
  }
  if (examples.empty()) add(group.operations.front());
  return examples;
}

void add_more(Page& page, const Operation& operation, std::size_t count) {
  if (count == 0) return;
  page.paragraph(fmt::format("{}: svc {} --help-all", counted(count, "more flag", "more flags"),
                             command_name(operation)));
}

void add_groups(Page& page, std::span<const Group> groups) {
  page.heading("Groups");
  std::vector<Item> entries;
  for (const Group& group : groups) {
    entries.push_back({std::string(group.name), std::string(group.summary)});
  }
  page.items(entries);
}

/// The groups by task; groups without a task come last.
std::vector<Item> tasks_of(std::span<const Group> groups) {
  std::vector<Item> entries;
  std::vector<sv> left = names_of(groups);
  for (const Task& task : tasks()) {
    std::vector<sv> names;
    for (const sv name : task.groups) {
      const auto found = std::find(left.begin(), left.end(), name);
      if (found == left.end()) continue;
      names.push_back(name);
      left.erase(found);
    }
    if (!names.empty()) entries.push_back({std::string(task.name), join(names, ", ")});
  }
  if (!left.empty()) entries.push_back({"Other", join(left, ", ")});
  return entries;
}

/// Adds one line with the most common global flags.
void add_common_globals(Page& page) {
  std::vector<std::string> names;
  std::vector<sv> parts;
  for (const GlobalFlag& flag : k_global_flags) {
    if (!flag.common || flag.name == k_global_flag<"help"> || flag.name == k_global_flag<"format">)
      continue;
    names.push_back(flag.letter == 0 ? fmt::format("--{}", flag.name)
                                     : fmt::format("-{}", flag.letter));
    if (!flag.value.empty()) names.back() += " " + std::string(flag.value);
  }
  for (const std::string& name : names) parts.push_back(name);
  page.paragraph(fmt::format("Global flags: {}; all: svc --help-all", join(parts, ", ")));
}

void add_manual(Page& page, sv group) {
  const sv others = introduction_of(group).relatives;
  page.line(fmt::format("Manual: svc-{}(1){}{}", group, others.empty() ? "" : ", ", others));
}

/// Adds everything below the usage.
void add_details(Page& page, const Operation& operation, bool all) {
  for (const std::string& remark : remarks(operation)) page.paragraph(remark);
  if (const std::string request = request_line(operation); all && !request.empty()) {
    page.paragraph("Request: " + request);
  }
  add_arguments(page, operation);
  add_flags(page, "Flags", common_flags(operation));
  const auto further = further_flags(operation);
  if (all) {
    add_flags(page, "Other flags", further);
  } else {
    add_more(page, operation, further.size());
  }
  // Short help shows two examples.
  const std::size_t shown = all ? operation.examples.size() : 2;
  add_examples(page, operation.examples.subspan(0, std::min(shown, operation.examples.size())));
  if (all) {
    add_global_flags(page);
  } else {
    add_common_globals(page);
  }
  add_manual(page, operation.group);
}

void add_verbs(Page& page, const Group& group) {
  page.heading("Verbs");
  std::vector<Item> entries;
  for (const Operation& operation : group.operations) {
    if (operation.name.empty()) continue;  // the group itself
    std::string summary = marked_summary(operation);
    if (operation.is_default) summary += " (default verb)";
    if (!operation.replaced_by.empty()) summary += " (deprecated)";
    entries.push_back({std::string(operation.name), std::move(summary)});
  }
  page.items(entries);
}

}  // namespace

std::string overview_help(std::span<const Group> groups, bool all, int columns) {
  Page page(columns);
  page.paragraph("svc is the command-line client of a hosted AI service.");
  page.heading("Usage");
  page.verbatim("svc [global flags] GROUP [VERB] [ARGUMENTS] [flags]");
  if (all) {
    add_groups(page, groups);
    page.paragraph("Run svc GROUP --help or svc GROUP VERB --help for details.");
    add_global_flags(page);
    return page.take();
  }
  page.heading("First steps");
  std::vector<Item> steps;
  for (const Example& step : first_steps()) {
    steps.push_back({std::string(step.command), std::string(step.says)});
  }
  page.items(steps);
  page.heading("Groups");
  page.items(tasks_of(groups));
  page.line("Global flags: -p PROFILE, --json, -o FILE, --version; all: svc --help-all");
  page.line("Run svc GROUP --help, svc GROUP VERB --help or svc help TOPIC for details.");
  page.line(fmt::format("Topics: {}", join(names_of(topics()), ", ")));
  return page.take();
}

std::string topic_help(const Topic& topic, int columns) {
  Page page(columns);
  page.paragraph(topic.summary);
  for (const TopicBlock& block : topic.blocks) {
    if (!block.paragraph.empty()) page.paragraph(block.paragraph);
    if (block.terms != nullptr) {
      std::vector<Item> entries;
      for (const Term& term : block.terms()) {
        entries.push_back({std::string(term.name), std::string(term.text)});
      }
      page.gap();
      page.items(entries);
    }
    if (!block.examples.empty()) add_examples(page, block.examples);
  }
  return page.take();
}

std::string group_help(const Group& group, bool all, int columns) {
  if (group.operations.size() == 1 && group.operations.front().name.empty()) {
    return operation_help(group.operations.front(), all, columns);
  }
  Page page(columns);
  page.paragraph(group.summary);
  page.heading("Usage");
  for (const Operation& operation : group.operations) page.verbatim(usage(operation));
  add_verbs(page, group);
  const std::string more = fmt::format("svc {} VERB --help describes a verb", group.name);
  const Operation* chosen = default_operation(group);
  if (chosen == nullptr) {
    page.paragraph(more + ".");
    add_examples(page, first_examples(group));
    if (all) add_global_flags(page);
    if (!all) add_common_globals(page);
    add_manual(page, group.name);
  } else {
    page.paragraph(fmt::format("{}; the rest describes {}.", more,
                               chosen->name.empty() ? "the command" : chosen->name));
    add_details(page, *chosen, all);
  }
  return page.take();
}

std::string operation_help(const Operation& operation, bool all, int columns) {
  Page page(columns);
  page.paragraph(marked_summary(operation));
  page.heading("Usage");
  page.verbatim(usage(operation));
  add_details(page, operation, all);
  return page.take();
}

}  // namespace svc::docgen
