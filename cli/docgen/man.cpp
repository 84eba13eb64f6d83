#include "docgen/man.h"

#include <algorithm>
#include <array>
#include <cctype>
#include <iterator>

#include <fmt/format.h>

#include "base/text.h"
#include "catalogue/members.h"
#include "docgen/describe.h"
#include "docgen/group_intro.h"
#include "docgen/intro.h"

namespace svc::docgen {
namespace {

constexpr sv k_sample_config = R"(default_profile = "work"

[profile.work]
base_url = "https://api.example"
management_url = "https://management.example"
key_command = "pass show svc/work"
model = "svc-4.5"
voice = "ara"
max_cost_per_day = "5.00"

[profile.work.prices]
tts_per_million_characters = 15

[profile.ci]
base_url = "https://api.example"
key_file = "/run/secrets/svc-key"
history = false
retries = 4

[alias]
fix = "chat -m svc-4.3 'Fix the grammar of: $1'")";

/// "SVC-CHAT".
std::string capitals(std::string_view text) {
  std::string out(text);
  std::transform(out.begin(), out.end(), out.begin(),
                 [](unsigned char c) { return static_cast<char>(std::toupper(c)); });
  return out;
}

/// For the NAME section: a sentence that continues after a dash, without its full stop.
std::string clause(std::string_view sentence) {
  std::string text(sentence);
  if (text.ends_with('.')) text.pop_back();
  if (text.size() > 1 && std::islower(static_cast<unsigned char>(text[1])) != 0) {
    text[0] = static_cast<char>(std::tolower(static_cast<unsigned char>(text[0])));
  }
  return text;
}

/// "The address of the inference service.", and its built-in value.
std::string setting_text(const SettingRow& row) {
  std::string text(row.help);
  if (row.kind == SettingKind::Choice) text += fmt::format(" One of {}.", row.choices);
  if (!row.default_value.empty()) text += fmt::format(" Default: {}.", row.default_value);
  return text;
}

/// What the topic says, as parts of the section at hand.
void add_topic(RoffPage& page, const Topic& topic) {
  for (const TopicBlock& block : topic.blocks) {
    if (!block.paragraph.empty()) page.paragraph(block.paragraph);
    if (block.terms != nullptr) {
      for (const Term& term : block.terms()) page.entry(term.name, "", term.text);
    }
    for (const Example& example : block.examples) {
      page.paragraph(example.says);
      page.command(example.command);
    }
  }
}

void add_terms(RoffPage& page, sv title, std::span<const Term> terms) {
  page.section(title);
  for (const Term& term : terms) page.entry(term.name, "", term.text);
}

void add_environment(RoffPage& page) {
  add_terms(page, "ENVIRONMENT", k_environment);
  for (const SettingRow& row : setting_rows()) {
    std::string names;
    for (const sv name : row.variables) {
      if (!name.empty()) names += fmt::format("{}{}", names.empty() ? "" : ", ", name);
    }
    if (!names.empty()) page.entry(names, "", row.help);
  }
}

void add_settings(RoffPage& page) {
  for (const SettingRow& row : setting_rows()) page.entry(row.name, "", setting_text(row));
}

void add_paragraphs(RoffPage& page, std::span<const sv> paragraphs) {
  for (const sv paragraph : paragraphs) {
    // A paragraph that ends in a line break is printed verbatim.
    if (paragraph.ends_with('\n')) {
      page.command(paragraph.substr(0, paragraph.size() - 1));
    } else {
      page.paragraph(paragraph);
    }
  }
}

void add_flags(RoffPage& page, const std::vector<const Field*>& fields) {
  for (const Field* field : fields) {
    page.entry(flag_name(*field), value_name(*field), describe(*field));
  }
}

void add_examples(RoffPage& page, std::span<const Operation> operations) {
  page.section("EXAMPLES");
  for (const Operation& operation : operations) {
    for (const Example& example : operation.examples) {
      page.paragraph(example.says);
      page.example(example.command);
    }
  }
}

/// "--audio-format (pcm, mulaw or alaw)".
std::string rule_side(sv side) {
  std::string values = replace_all(std::string(rule_values(side)), "|", ", ");
  if (const std::size_t last = values.rfind(", "); last != std::string::npos) {
    values.replace(last, 2, " or ");
  }
  const std::string flag = fmt::format("--{}", rule_flag(side));
  return values.empty() ? flag : fmt::format("{} ({})", flag, values);
}

/// "--a", "--a and --b", "--a, --b and --c", with `conjunction` "and".
std::string enumerated(const std::vector<std::string>& names, sv conjunction) {
  std::string text;
  for (std::size_t i = 0; i < names.size(); ++i) {
    if (i > 0) text += i + 1 == names.size() ? fmt::format(" {} ", conjunction) : ", ";
    text += names[i];
  }
  return text;
}

constexpr std::ptrdiff_t k_max_pairs = 12;

/// One sentence per flag and reason, with all flags that it requires or cannot be combined with; or
/// per flag that several others require or cannot be combined with.
std::vector<std::string> rule_texts(std::span<const Rule> rules) {
  std::vector<std::string> texts;
  std::vector<bool> printed(rules.size());
  for (std::size_t i = 0; i < rules.size(); ++i) {
    const Rule& rule = rules[i];
    if (printed[i]) continue;
    if (rule.kind == RuleKind::Warns) continue;
    if (rule.kind == RuleKind::Either) {
      texts.push_back(fmt::format("{} or {} is required. {}", rule_side(rule.flag),
                                  rule_side(rule.other), rule.why));
      continue;
    }
    const auto same_reason = [&](const Rule& next) {
      return next.kind == rule.kind && next.why == rule.why;
    };
    if (std::count_if(rules.begin(), rules.end(), same_reason) > k_max_pairs) {
      // Too many pairs for one reason: print only the reason.
      for (std::size_t k = i; k < rules.size(); ++k)
        printed[k] = printed[k] || same_reason(rules[k]);
      texts.emplace_back(rule.why);
      continue;
    }
    const auto sides = [&](sv Rule::*same, sv Rule::*side) {
      std::vector<std::string> names;
      for (std::size_t k = i; k < rules.size(); ++k) {
        const Rule& next = rules[k];
        if (printed[k] || !same_reason(next) || next.*same != rule.*same) continue;
        printed[k] = true;
        names.push_back(rule_side(next.*side));
      }
      return names;
    };
    std::vector<std::string> others = sides(&Rule::flag, &Rule::other);
    std::vector<std::string> flags = {rule_side(rule.flag)};
    if (others.size() == 1)
      std::ranges::move(sides(&Rule::other, &Rule::flag), std::back_inserter(flags));
    const sv verb = rule.kind == RuleKind::Requires  ? (flags.size() > 1 ? "require" : "requires")
                    : rule.kind == RuleKind::Ordered ? "must not be after"
                                                     : "cannot be combined with";
    const sv conjunction = rule.kind == RuleKind::Excludes ? "or" : "and";
    texts.push_back(fmt::format("{} {} {}. {}", enumerated(flags, "and"), verb,
                                enumerated(others, conjunction), rule.why));
  }
  return texts;
}

/// "integer", "list of text", "File".
std::string type_of(const OpenMember& one) {
  const Member& member = *one.member;
  constexpr std::array<sv, 12> k_kinds = {"text", "integer", "number", "boolean", "json",  "json",
                                          "file", "media",   "time",   "time",    "money", "text"};
  const std::string kind(member.shape != nullptr ? member.shape->name
                                                 : k_kinds[static_cast<std::size_t>(member.kind)]);
  return one.path.ends_with("[]") ? "list of " + kind : kind;
}

std::string member_text(const Member& member) {
  std::string text(member.help);
  if (!member.choices.empty()) {
    text += fmt::format("{}Such as {}.", text.empty() ? "" : " ", join(member.choices, ", "));
  }
  return text;
}

/// The members of one shape: nested shapes have entries of their own.
void add_members(RoffPage& page, std::span<const Member> members,
                 std::vector<const Shape*>& shapes) {
  for (const Member& member : members) {
    if (member.shape != nullptr && member.path.empty()) {
      add_members(page, member.shape->members, shapes);
      continue;
    }
    if (member.view) continue;
    page.entry(plain_path(member.path), type_of({std::string(member.path), &member, member.show}),
               member_text(member));
    const bool known =
        member.shape == nullptr || std::ranges::find(shapes, member.shape) != shapes.end();
    if (!known) shapes.push_back(member.shape);
  }
}

void add_shape(RoffPage& page, const Shape& shape, std::vector<const Shape*>& shapes) {
  page.subsection(std::string(shape.name));
  add_members(page, shape.members, shapes);
  for (const Variant& variant : shape.variants) {
    page.paragraph(fmt::format("With {} {}:{}{}", shape.tag, variant.name,
                               variant.help.empty() ? "" : " ", variant.help));
    add_members(page, variant.members, shapes);
  }
}

/// What comes back: the members of each answer, then the shapes that several of them contain.
void add_output(RoffPage& page, std::span<const Operation> operations) {
  const auto answers = [](const Operation& one) { return !printed_members(one).empty(); };
  if (std::ranges::none_of(operations, answers)) return;
  page.section("OUTPUT");
  page.paragraph(
      "The members of the answers, as --json and --jq see them. A list is printed as an array of "
      "its items. The service may send others, or leave members out.");
  std::vector<const Shape*> shapes;
  std::vector<std::pair<std::span<const Member>, std::string>> blocks;
  const auto add = [&blocks](std::span<const Member> members, const std::string& command) {
    if (members.empty()) return;
    const auto same = [&](const auto& block) { return block.first.data() == members.data(); };
    const auto found = std::ranges::find_if(blocks, same);
    if (found != blocks.end()) {
      found->second += ", " + command;
    } else {
      blocks.emplace_back(members, command);
    }
  };
  for (const Operation& operation : operations) {
    const std::string command = "svc " + command_name(operation, true);
    add(printed_members(operation), command);
    add(operation.bulk.record, fmt::format("{} --{}", command, operation.bulk.flag));
  }
  for (const auto& [members, commands] : blocks) {
    page.subsection(commands);
    add_members(page, members, shapes);
  }
  for (std::size_t i = 0; i < shapes.size(); ++i) add_shape(page, *shapes[i], shapes);
}

void add_operation(RoffPage& page, const Operation& operation) {
  page.subsection(usage(operation));
  page.paragraph(marked_summary(operation));
  for (const std::string& remark : remarks(operation)) page.paragraph(remark);
  if (const std::string request = request_line(operation); !request.empty()) {
    page.paragraph("Request: " + request);
  }
  for (const Field* field : arguments(operation)) {
    page.entry(argument_name(*field), "", describe(*field));
  }
  add_flags(page, common_flags(operation));
  add_flags(page, further_flags(operation));
  for (const std::string& text : rule_texts(operation.rules)) page.paragraph(text);
}

}  // namespace

std::string man_file_name(const Group& group) {
  return fmt::format("svc-{}.1", group.name);
}

std::string overview_man(std::span<const Group> groups, sv version) {
  RoffPage page("SVC", k_manual_date, version);
  page.section("NAME");
  page.name("svc", "command-line client of a hosted AI service");
  page.section("SYNOPSIS");
  page.command("svc [global flags] GROUP [VERB] [ARGUMENTS] [flags]");
  page.section("DESCRIPTION");
  add_paragraphs(page, k_description);
  page.paragraph(k_observed_meaning);
  page.section("COMMANDS");
  page.paragraph("Each group has its own page.");
  for (const Group& group : groups) {
    page.entry(fmt::format("svc-{}(1)", group.name), "", group.summary);
  }
  page.section("GLOBAL FLAGS");
  page.paragraph("Global flags can appear anywhere after svc.");
  for (const GlobalFlag& flag : k_global_flags) {
    page.entry(trim(flag_name(flag)), value_name(flag), flag.help);
  }
  page.entry("-V, --version", "",
             "Print the version; with --json, also the versions of the libraries.");
  page.section("INPUT");
  add_paragraphs(page, k_input_paragraphs);
  page.section("OUTPUT");
  add_paragraphs(page, k_output_paragraphs);
  add_terms(page, "EXIT STATUS", k_exit_codes);
  add_environment(page);
  page.section("CONFIGURATION");
  add_paragraphs(page, k_configuration_paragraphs);
  add_settings(page);
  add_terms(page, "FILES", k_files);
  page.section("SEE ALSO");
  std::string others = "svc-config(5)";
  for (const Topic& topic : topics()) {
    if (!topic.in_group_page) others += ", " + topic_page(topic);
  }
  for (const Group& group : groups) others += fmt::format(", svc-{}(1)", group.name);
  page.paragraph(others);
  return page.take();
}

std::string group_man(const Group& group, sv version) {
  RoffPage page(capitals(fmt::format("svc-{}", group.name)), k_manual_date, version);
  page.section("NAME");
  page.name(fmt::format("svc-{}", group.name), clause(group.summary));
  page.section("SYNOPSIS");
  for (const Operation& operation : group.operations) page.command(usage(operation));
  page.section("DESCRIPTION");
  const Introduction& introduction = introduction_of(group.name);
  if (introduction.paragraphs.empty()) page.paragraph(group.summary);
  add_paragraphs(page, introduction.paragraphs);
  page.section("COMMANDS");
  for (const Operation& operation : group.operations) add_operation(page, operation);
  if (const Topic* topic = find_topic(group.name); topic != nullptr && topic->in_group_page) {
    page.section("IN TESTS");
    add_topic(page, *topic);
  }
  add_output(page, group.operations);
  add_examples(page, group.operations);
  page.section("EXIT STATUS");
  page.paragraph("0 on success, otherwise an exit code listed in svc(1).");
  page.section("SEE ALSO");
  page.paragraph(
      "svc(1) for global flags, the mark †, input and output, environment variables and files.");
  if (!introduction.relatives.empty()) page.paragraph(introduction.relatives);
  return page.take();
}

std::string_view sample_config() {
  return k_sample_config;
}

std::string topic_man(const Topic& topic, sv version) {
  const std::string name = fmt::format("svc-{}", topic.name);
  RoffPage page(capitals(name), k_manual_date, version, 7);
  page.section("NAME");
  page.name(name, clause(topic.summary));
  page.section("DESCRIPTION");
  add_topic(page, topic);
  page.section("SEE ALSO");
  std::string others = "svc(1), svc-config(5)";
  for (const Topic& other : topics()) {
    if (other.name != topic.name) others += ", " + topic_page(other);
  }
  page.paragraph(others);
  return page.take();
}

std::string config_man(sv version) {
  RoffPage page("SVC-CONFIG", k_manual_date, version, 5);
  page.section("NAME");
  page.name("svc-config", "configuration file of svc");
  page.section("SYNOPSIS");
  page.command("$XDG_CONFIG_HOME/svc/config.toml\n~/.config/svc/config.toml");
  page.section("DESCRIPTION");
  add_paragraphs(page, k_configuration_paragraphs);
  page.section("SETTINGS");
  add_settings(page);
  page.section("EXAMPLES");
  page.paragraph("Two profiles; work is the default.");
  page.command(k_sample_config);
  page.paragraph("The same with commands; comments and order are preserved.");
  page.command("svc config set model svc-4.5 --profile work\nsvc config list");
  page.section("SEE ALSO");
  page.paragraph("svc-config(1), svc-auth(1), svc-environment(7), svc(1)");
  return page.take();
}

}  // namespace svc::docgen
