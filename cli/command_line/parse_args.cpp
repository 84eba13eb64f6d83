#include "command_line/parse_args.h"

#include <algorithm>
#include <filesystem>
#include <span>

#include <fmt/format.h>

#include "base/text.h"
#include "catalogue/shared_fields.h"
#include "command_line/flags.h"
#include "command_line/guesses.h"
#include "command_line/output_ending.h"
#include "command_line/split_args.h"
#include "request/convert.h"
#include "request/flags.h"
#include "request/names.h"

namespace svc::cli {
namespace {

/// Assigns flags and arguments to fields and globals. Values are converted and checked later.
class ArgsParser {
 public:
  ArgsParser(std::span<const std::string> words, const Operation* operation, Cut cut,
             Invocation& invocation)
      : m_words(words), m_operation(operation), m_cut(std::move(cut)), m_invocation(invocation) {}

  Result<void> bind() {
    if (!m_cut.refused.empty()) return usage_error(fmt::format("{} takes no value", m_cut.refused));
    if (!m_cut.unknown.empty()) return unknown_flag(m_cut.unknown.front());
    for (const GivenFlag& given : m_cut.flags) {
      if (!given.value) return usage_error(fmt::format("--{} needs a value", given.flag.name()));
    }
    SVC_CHECK(bind_globals());
    if (m_operation == nullptr) return {};
    for (const Field& field : m_operation->fields) SVC_CHECK(bind_field(field));
    return bind_positionals();
  }

 private:
  /// The flag's values in the order given; empty if the flag was not given.
  [[nodiscard]] std::vector<std::string> values(const Flag& flag) const {
    std::vector<std::string> found;
    for (const GivenFlag& given : m_cut.flags) {
      if (given.flag == flag) found.push_back(*given.value);
    }
    return found;
  }

  [[nodiscard]] std::string command() const {
    return fmt::format("svc {}", command_name(*m_operation, true));
  }

  [[nodiscard]] Error unknown_flag(const std::string& word) const {
    Error error = request::unknown_flag(m_operation, word);
    if (std::string hint = flag_hint(m_operation, word); !hint.empty()) {
      error.hint = std::move(hint);
    } else if (takes_files() && request::nearest_flag(m_operation, word).empty()) {
      error.hint += fmt::format(" For a file: `{}`.", shown_word("./" + word));
    }
    return error;
  }

  Result<void> bind_globals() {
    for (const GlobalFlag& flag : k_global_flags) {
      std::vector<std::string> given = values({.global = &flag});
      if (given.empty()) continue;
      if (flag.value.empty()) {
        SVC_CHECK(set_switch(flag.name));
      } else if (flag.name == k_global_flag<"header">) {
        m_invocation.inputs.headers = std::move(given);
      } else if (flag.name == k_global_flag<"set">) {
        m_invocation.inputs.sets = std::move(given);
      } else {
        SVC_CHECK(set_global(flag, given));
      }
    }
    const Globals& globals = m_invocation.globals;
    if (int{globals.dry_run} + int{globals.curl} + int{globals.estimate} > 1) {
      return usage_error("--dry-run, --curl and --estimate cannot be combined");
    }
    return {};
  }

  Result<void> set_global(const GlobalFlag& flag, const std::vector<std::string>& given) {
    Globals& globals = m_invocation.globals;
    if (given.size() > 1) return given_often(flag.name, given.size());
    const std::string& value = given.front();
    if (!flag.choices.empty()) {
      const std::vector<sv> choices = split(flag.choices, '|');
      if (std::find(choices.begin(), choices.end(), value) == choices.end()) {
        return usage_error(fmt::format("--{} must be one of {}, not '{}'", flag.name,
                                       join(choices, ", "), shown(value)),
                           hint_for_choice(flag, value, nearest(value, choices)));
      }
    }
    if (flag.name == k_global_flag<"jq">) globals.jq = value;
    if (flag.name == k_global_flag<"columns">) globals.columns = value;
    if (flag.name == k_global_flag<"output">) {
      SVC_CHECK(refuse_flag_name(value));
      globals.output = value;
    }
    if (flag.name == k_global_flag<"color">) globals.color = value;
    if (flag.name == k_global_flag<"body">) m_invocation.inputs.body = value;
    return set_setting(flag.name, value);
  }

  /// Refuses two flags that contradict each other, like `--json --format text`.
  Result<void> set_setting(sv name, const std::string& value) {
    const auto [set, first] = m_invocation.globals.settings.try_emplace(std::string(name), value);
    if (first || set->second == value) return {};
    return usage_error(fmt::format("{} cannot be both {} and {}", name, set->second, value));
  }

  /// What a wrong choice was probably meant as; of -f also an attachment, a field or a type of
  /// file.
  [[nodiscard]] std::string hint_for_choice(const GlobalFlag& flag, const std::string& value,
                                            sv near) const {
    if (flag.name != k_global_flag<"format"> || m_operation == nullptr) return did_you_mean(near);
    if (is_ending(value)) return fmt::format("`--output FILE.{}` writes that format.", value);
    if (value.find('=') != std::string::npos) return "`--set PATH=JSON` sets a field.";
    const bool path = value.find_first_of("./") != std::string::npos;
    if (!path ||
        find_field(*m_operation, Flags<catalogue::k_attachment_fields>::k_name<"file">) == nullptr)
      return did_you_mean(near);
    return fmt::format("Did you mean `--file {}`?", shown_word(value));
  }

  /// Refuses `-o temperature 0.5`, which elsewhere sets an option of the model.
  Result<void> refuse_flag_name(const std::string& value) const {
    const Flag flag = find_flag(m_operation, replace_all(value, "_", "-"));
    const bool follows = !m_cut.positionals.empty();
    if (flag.field == nullptr || flag.field->positional || !follows) return {};
    return usage_error(fmt::format("--output {} is the name of a flag", value),
                       fmt::format("Did you mean '--{}'? `-o ./{}` writes to a file of that name.",
                                   flag.field->flag, value));
  }

  Result<void> set_switch(sv name) {
    Globals& globals = m_invocation.globals;
    if (name == k_global_flag<"json">) return set_setting("format", "json");
    if (name == k_global_flag<"cost">) return set_setting("cost", "always");
    if (name == k_global_flag<"no-cost">) return set_setting("cost", "never");
    if (name == k_global_flag<"force">) globals.force = true;
    if (name == k_global_flag<"dry-run">) globals.dry_run = true;
    if (name == k_global_flag<"curl">) globals.curl = true;
    if (name == k_global_flag<"estimate">) globals.estimate = true;
    if (name == k_global_flag<"estimate-exact">) globals.estimate = globals.exact = true;
    if (name == k_global_flag<"verbose">) globals.verbose = true;
    if (name == k_global_flag<"quiet">) globals.quiet = true;
    if (name == k_global_flag<"no-progress">) globals.no_progress = true;
    if (name == k_global_flag<"no-stdin">) globals.no_stdin = true;
    if (name == k_global_flag<"yes">) globals.yes = true;
    if (name == k_global_flag<"wide">) globals.wide = true;
    if (name == k_global_flag<"help">) m_invocation.ask = Ask::Help;
    if (name == k_global_flag<"help-all">) m_invocation.ask = Ask::HelpAll;
    return {};
  }

  static Error given_often(sv name, std::size_t times) {
    return usage_error(fmt::format("--{} was given {} times", name, times));
  }

  Result<void> bind_field(const Field& field) {
    std::vector<std::string> given = values({.field = &field});
    if (field.kind == Kind::Boolean) {
      if (const auto denials = values({.field = &field, .negated = true}); !denials.empty()) {
        if (!given.empty()) {
          return usage_error(fmt::format("--{0} and --no-{0} cannot be combined", field.flag));
        }
        given = denials;
      }
      if (given.size() > 1) given.resize(1);
    }
    if (!field.repeated && given.size() > 1) return given_often(field.flag, given.size());
    for (std::string& value : given) {
      m_invocation.inputs.given.push_back({&field, std::move(value)});
    }
    return {};
  }

  Result<void> bind_positionals() {
    const std::vector<std::string>& positionals = m_cut.positionals;
    std::size_t at = 0;
    const Field* by_flag = nullptr;
    for (const Field& field : m_operation->fields) {
      if (!field.positional || at == positionals.size()) continue;
      if (!field.repeated && request::text_given(m_invocation.inputs, field.flag)) {
        if (by_flag == nullptr) by_flag = &field;
        continue;
      }
      if (field.file_text && positionals.size() == 1 && !m_cut.dashes) {
        m_invocation.lone_text = m_invocation.inputs.given.size();
      }
      do {
        m_invocation.inputs.given.push_back({&field, positionals[at++]});
      } while (field.repeated && at < positionals.size());
    }
    if (at == positionals.size()) return {};
    if (by_flag != nullptr) {
      return usage_error(
          fmt::format("--{} was given twice, as an argument and as a flag", by_flag->flag));
    }
    return too_many(at);
  }

  /// Whether any field of the operation satisfies the predicate.
  [[nodiscard]] bool takes(bool (*such)(const Field&)) const {
    return m_operation != nullptr &&
           std::any_of(m_operation->fields.begin(), m_operation->fields.end(),
                       [&](const Field& field) { return field.positional && such(field); });
  }
  [[nodiscard]] bool takes_files() const {
    return takes([](const Field& field) { return field.kind == Kind::File; });
  }
  /// Whether an argument is free text, not an ID.
  [[nodiscard]] bool takes_text() const {
    return takes([](const Field& field) { return field.file_text; });
  }

  /// What an argument too many was probably meant as; `before` is the argument before it.
  [[nodiscard]] std::string hint_for_extra(sv before, sv extra) const {
    const auto place = std::find(m_words.begin(), m_words.end(), extra);
    const sv left = place == m_words.begin() || place == m_words.end() ? sv() : sv(*(place - 1));
    if (left == "--json") return std::string(k_json_takes_no_value);
    if (extra.starts_with('{') || extra.starts_with('[')) return "--body sends JSON.";
    const bool spaced = (std::string(before) + std::string(extra)).find(' ') != std::string::npos;
    const std::size_t dot = extra.rfind('.');
    const bool ending = dot != sv::npos && extra.size() - dot > 2 && extra.size() - dot < 7;
    if (ending && !spaced) return fmt::format("To write to a file: `-o {}`.", shown_word(extra));
    if (extra.find('=') != sv::npos && !spaced) return "`--set PATH=JSON` sets a field.";
    return takes_text() && left == before && !spaced ? "Quote text that contains spaces." : "";
  }

  /// The error for the argument at `at`, which belongs to no field.
  [[nodiscard]] Error too_many(std::size_t at) const {
    if (at > 0) {
      return usage_error(
          fmt::format("'{}': unexpected argument '{}'", command(), shown(m_cut.positionals[at])),
          hint_for_extra(m_cut.positionals[at - 1], m_cut.positionals[at]));
    }
    // An unexpected argument may be a key, so the message does not contain it.
    const bool columns = hint_for_extra("", m_cut.positionals[at]) == k_json_takes_no_value;
    return usage_error(fmt::format("'{}' takes no argument", command()),
                       columns ? std::string(k_json_takes_no_value)
                       : m_operation->examples.empty()
                           ? std::string()
                           : fmt::format("For example: {}", m_operation->examples[0].command));
  }

  std::span<const std::string> m_words;  ///< as typed
  const Operation* m_operation;
  Cut m_cut;
  Invocation& m_invocation;
};

/// Names `--estimate exact` and `--estimate=exact` by one word, as the value is optional.
std::vector<std::string> with_exact_estimate(std::vector<std::string> words) {
  const std::string exact = fmt::format("--{}", k_global_flag<"estimate-exact">);
  for (std::size_t i = 0; i < words.size() && words[i] != "--"; ++i) {
    if (words[i] == "--estimate=exact") words[i] = exact;
    if (words[i] != "--estimate" || i + 1 == words.size() || words[i + 1] != "exact") continue;
    words[i] = exact;
    words.erase(words.begin() + static_cast<std::ptrdiff_t>(i) + 1);
  }
  return words;
}

}  // namespace

bool Globals::has_output_directory() const {
  std::error_code unknown;
  return has_output_path() &&
         (output->ends_with('/') || std::filesystem::is_directory(*output, unknown));
}

Result<Invocation> parse_args(const std::vector<std::string>& given) {
  Invocation invocation;
  const std::vector<std::string> arguments = with_exact_estimate(given);
  SVC_TRY(words, split_args(arguments));
  invocation.group = words.group;
  invocation.operation = words.operation;
  invocation.verb_given = words.verb_given;
  invocation.topic = words.topic;
  if (words.group == nullptr) {
    for (const std::string& word : words.cut.unknown) {
      if (word == "--version" || word == "-V") invocation.ask = Ask::Version;
    }
    if (invocation.ask == Ask::Version) return invocation;
  }
  SVC_CHECK(ArgsParser(arguments, words.operation, std::move(words.cut), invocation).bind());
  if (words.help && invocation.ask == Ask::Run) invocation.ask = Ask::Help;
  if (words.group == nullptr && invocation.ask == Ask::Run) invocation.ask = Ask::Help;
  if (invocation.ask == Ask::Run) SVC_CHECK(apply_output_ending(invocation));
  return invocation;
}

EarlyLook look_early(const std::vector<std::string>& arguments) {
  EarlyLook look;
  for (const auto& [flag, value] : cut_arguments(nullptr, arguments).flags) {
    const sv name = flag.name();
    look.quiet = look.quiet || name == k_global_flag<"quiet">;
    look.json_errors = look.json_errors || name == k_global_flag<"json"> ||
                       (name == k_global_flag<"format"> && (value == "json" || value == "jsonl"));
    if (name == k_global_flag<"color">) look.color = value.value_or("");
  }
  return look;
}

}  // namespace svc::cli
