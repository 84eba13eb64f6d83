#include "command_line/parse_args.h"

#include <CLI/App.hpp>
#include <CLI/Config.hpp>
#include <CLI/Formatter.hpp>
#include <fmt/format.h>

#include "base/text.h"
#include "catalogue/global_flags.h"
#include "command_line/split_args.h"
#include "request/convert.h"

namespace svc::cli {
namespace {

/// The flags of one operation as CLI11 options. CLI11 only cuts argv up: values are converted and
/// checked elsewhere, with our own words. Only what occurs among them becomes an option: CLI11
/// compares each new one with all before, which takes a millisecond for the 150 flags of chat.
class Parser {
 public:
  Parser(const Operation* operation, Cut words)
      : m_operation(operation),
        m_flags(std::move(words.flags)),
        m_positionals(std::move(words.positionals)) {
    m_app.set_help_flag();
    m_app.allow_extras();
    for (const GlobalFlag& flag : k_global_flags) add_global(flag);
    if (operation != nullptr) {
      for (const Field& field : operation->fields) add_field(field);
    }
  }

  Result<void> parse() {
    std::reverse(m_flags.begin(), m_flags.end());
    try {
      m_app.parse(std::move(m_flags));
    } catch (const CLI::ParseError& error) {
      return explain(error.what());
    }
    if (const auto unknown = m_app.remaining(); !unknown.empty()) {
      return unknown_flag(unknown.front());
    }
    return {};
  }

  Result<void> fill(Invocation& invocation) {
    SVC_CHECK(fill_globals(invocation));
    if (m_operation == nullptr) return {};
    for (const auto& [field, option] : m_fields) SVC_CHECK(fill_field(*field, *option, invocation));
    return fill_positionals(invocation);
  }

 private:
  /// A value that looks like the flag counts too: one option more does no harm.
  [[nodiscard]] bool occurs(const std::string& name) const {
    return std::find(m_flags.begin(), m_flags.end(), name) != m_flags.end();
  }

  void add_global(const GlobalFlag& flag) {
    const std::string name = fmt::format("--{}", flag.name);
    if (!occurs(name)) return;
    m_globals.emplace_back(&flag, flag.value.empty() ? m_app.add_flag(name) : add_valued(name));
  }

  CLI::Option* add_valued(const std::string& name) {
    return m_app.add_option(name)->expected(1)->allow_extra_args(false)->multi_option_policy(
        CLI::MultiOptionPolicy::TakeAll);
  }

  void add_field(const Field& field) {
    const std::string name = fmt::format("--{}", field.flag);
    const std::string denial = fmt::format("--no-{}", field.flag);
    const bool boolean = field.kind == Kind::Boolean;
    const bool denied = boolean && field.stands_for.empty() && occurs(denial) &&
                        find_global_flag(sv(denial).substr(2)) == nullptr;
    if (!denied && !occurs(name)) return;
    const bool valued = !boolean || !field.may_take.empty();
    m_fields.emplace_back(&field, valued ? add_valued(name) : m_app.add_flag(name));
    if (denied) m_denials.emplace_back(&field, m_app.add_flag(denial));
  }

  [[nodiscard]] std::string command() const {
    return m_operation == nullptr ? std::string("svc")
                                  : fmt::format("svc {}", command_name(*m_operation, true));
  }

  /// CLI11's only complaint here is a value that is missing: "--model: 1 required TEXT missing".
  [[nodiscard]] static Error explain(const std::string& what) {
    const std::string name = what.substr(0, what.find(':'));
    if (name.starts_with('-')) {
      return usage_error(fmt::format("{} needs a value", name.substr(0, name.find(','))));
    }
    return usage_error(fmt::format("the arguments cannot be read: {}", shown(what)));
  }

  [[nodiscard]] Error unknown_flag(const std::string& word) const {
    const sv bare = sv(word).substr(0, word.find('='));
    const bool denies = bare.starts_with("--no-");
    std::vector<sv> names;
    if (m_operation != nullptr) {
      for (const Field& field : m_operation->fields) {
        if (!denies || (field.kind == Kind::Boolean && field.stands_for.empty())) {
          names.push_back(field.flag);
        }
      }
    }
    sv near = nearest(denies ? bare.substr(5) : without_dashes(bare), names);
    std::string meant = near.empty() ? "" : fmt::format("--{}{}", denies ? "no-" : "", near);
    if (near.empty()) {
      names.clear();
      for (const GlobalFlag& flag : k_global_flags) names.push_back(flag.name);
      near = nearest(without_dashes(bare), names);
      if (!near.empty()) meant = fmt::format("--{}", near);
    }
    return usage_error(fmt::format("'{}' has no flag '{}'", command(), shown(bare)),
                       meant.empty() ? fmt::format("`{} --help-all` lists its flags.", command())
                                     : fmt::format("Did you mean '{}'?", meant));
  }

  static sv without_dashes(sv word) {
    return word.substr(std::min(word.find_first_not_of('-'), word.size()));
  }

  Result<void> fill_globals(Invocation& invocation) {
    Globals& globals = invocation.globals;
    for (const auto& [flag, option] : m_globals) {
      if (option->count() == 0) continue;
      if (flag->value.empty()) {
        set_switch(flag->name, invocation);
        continue;
      }
      const std::vector<std::string>& values = option->results();
      if (flag->name == "header" || flag->name == "set") {
        (flag->name == "set" ? invocation.inputs.sets : invocation.inputs.headers) = values;
        continue;
      }
      SVC_CHECK(set_global(*flag, values, invocation));
    }
    if (globals.dry_run && globals.curl) {
      return usage_error("--dry-run and --curl exclude one another");
    }
    return {};
  }

  static Result<void> set_global(const GlobalFlag& flag, const std::vector<std::string>& values,
                                 Invocation& invocation) {
    Globals& globals = invocation.globals;
    if (values.size() > 1) {
      return usage_error(fmt::format("--{} was given {} times", flag.name, values.size()));
    }
    const std::string& value = values.front();
    if (!flag.choices.empty()) {
      const std::vector<sv> choices = split(flag.choices, '|');
      if (std::find(choices.begin(), choices.end(), value) == choices.end()) {
        const sv near = nearest(value, choices);
        return usage_error(fmt::format("--{} does not know '{}'; allowed: {}", flag.name,
                                       shown(value), join(choices, ", ")),
                           near.empty() ? std::string() : fmt::format("Did you mean '{}'?", near));
      }
    }
    if (flag.name == "jq") globals.jq = value;
    if (flag.name == "columns") globals.columns = value;
    if (flag.name == "output") globals.output = value;
    if (flag.name == "color") globals.color = value;
    if (flag.name == "body") invocation.inputs.body = value;
    if (flag.name == "format" && globals.settings.contains("format")) return {};  // --json won
    globals.settings[std::string(flag.name)] = value;
    return {};
  }

  static void set_switch(sv name, Invocation& invocation) {
    Globals& globals = invocation.globals;
    if (name == "json") globals.settings["format"] = "json";
    if (name == "cost") globals.settings["cost"] = "always";
    if (name == "no-cost") globals.settings["cost"] = "never";
    if (name == "force") globals.force = true;
    if (name == "dry-run") globals.dry_run = true;
    if (name == "curl") globals.curl = true;
    if (name == "verbose") globals.verbose = true;
    if (name == "quiet") globals.quiet = true;
    if (name == "no-progress") globals.no_progress = true;
    if (name == "no-stdin") globals.no_stdin = true;
    if (name == "yes") globals.yes = true;
    if (name == "wide") globals.wide = true;
    if (name == "help") invocation.ask = Ask::Help;
    if (name == "help-all") invocation.ask = Ask::HelpAll;
  }

  Result<void> fill_field(const Field& field, const CLI::Option& option, Invocation& invocation) {
    std::vector<std::string> values;
    if (option.count() > 0) values = option.results();
    for (const auto& [denied, denial] : m_denials) {
      if (denied != &field || denial->count() == 0) continue;
      if (!values.empty()) {
        return usage_error(fmt::format("--{0} and --no-{0} exclude one another", field.flag));
      }
      values.emplace_back("false");
    }
    if (field.kind == Kind::Boolean && values.size() > 1) values.resize(1);
    if (!field.repeated && values.size() > 1) {
      return usage_error(fmt::format("--{} was given {} times", field.flag, values.size()));
    }
    for (std::string& value : values) {
      invocation.inputs.given.push_back({&field, std::move(value)});
    }
    return {};
  }

  Result<void> fill_positionals(Invocation& invocation) {
    std::size_t at = 0;
    const Field* by_flag = nullptr;
    for (const Field& field : m_operation->fields) {
      if (!field.positional || at == m_positionals.size()) continue;
      if (!field.repeated && invocation.value(field.flag)) {
        if (by_flag == nullptr) by_flag = &field;
        continue;
      }
      do {
        invocation.inputs.given.push_back({&field, m_positionals[at++]});
      } while (field.repeated && at < m_positionals.size());
    }
    if (at == m_positionals.size()) return {};
    if (by_flag != nullptr) {
      return usage_error(
          fmt::format("--{} was given twice, as an argument and as a flag", by_flag->flag));
    }
    return too_many(at);
  }

  /// Whether an argument is words, and no id.
  [[nodiscard]] bool takes_text() const {
    return std::any_of(m_operation->fields.begin(), m_operation->fields.end(),
                       [](const Field& field) { return field.positional && field.file_text; });
  }

  /// Nothing takes the argument at `at`.
  [[nodiscard]] Error too_many(std::size_t at) const {
    if (at > 0) {
      return usage_error(
          fmt::format("'{}' takes no further argument: '{}'", command(), shown(m_positionals[at])),
          takes_text() ? "Put quotes around a text of several words." : "");
    }
    // What was typed where nothing belongs may be a key: it is not repeated.
    return usage_error(fmt::format("'{}' takes no argument", command()),
                       m_operation->examples.empty()
                           ? std::string()
                           : fmt::format("For example: {}", m_operation->examples[0].command));
  }

  const Operation* m_operation;
  std::vector<std::string> m_flags;
  std::vector<std::string> m_positionals;
  CLI::App m_app{};
  std::vector<std::pair<const GlobalFlag*, CLI::Option*>> m_globals{};
  std::vector<std::pair<const Field*, CLI::Option*>> m_fields{};
  std::vector<std::pair<const Field*, CLI::Option*>> m_denials{};
};

}  // namespace

std::optional<std::string> Invocation::value(sv flag) const {
  std::optional<std::string> found;
  for (const request::Given& given : inputs.given) {
    if (given.field->flag == flag) found = given.text;
  }
  return found;
}

Result<Invocation> parse_args(const std::vector<std::string>& arguments) {
  SVC_TRY(words, split_args(arguments));
  Invocation invocation;
  invocation.group = words.group;
  invocation.operation = words.operation;
  invocation.verb_given = words.verb_given;
  invocation.topic = words.topic;
  if (words.group == nullptr) {
    for (const std::string& word : words.rest) {
      if (word == "--version" || word == "-V") invocation.ask = Ask::Version;
    }
    if (invocation.ask == Ask::Version) return invocation;
  }
  SVC_TRY(cut, cut_arguments(words.operation, std::move(words.rest)));
  Parser parser(words.operation, std::move(cut));
  SVC_CHECK(parser.parse());
  SVC_CHECK(parser.fill(invocation));
  if (words.help && invocation.ask == Ask::Run) invocation.ask = Ask::Help;
  if (words.group == nullptr && invocation.ask == Ask::Run) invocation.ask = Ask::Help;
  return invocation;
}

EarlyLook look_early(const std::vector<std::string>& arguments) {
  EarlyLook look;
  const auto read = cut_arguments(nullptr, arguments);
  if (!read) return look;
  const std::vector<std::string>& flags = read->flags;
  for (std::size_t i = 0; i < flags.size(); ++i) {
    const std::string next = i + 1 < flags.size() ? flags[i + 1] : std::string();
    look.quiet = look.quiet || flags[i] == "--quiet";
    look.json_errors = look.json_errors || flags[i] == "--json" ||
                       (flags[i] == "--format" && (next == "json" || next == "jsonl"));
    if (flags[i] == "--color") look.color = next;
  }
  return look;
}

}  // namespace svc::cli
