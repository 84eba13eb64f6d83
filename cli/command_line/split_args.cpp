#include "command_line/split_args.h"

#include <algorithm>
#include <iterator>
#include <optional>

#include <fmt/format.h>

#include "base/text.h"
#include "catalogue/global_flags.h"
#include "command_line/verb_guess.h"
#include "docgen/topics.h"

namespace svc::cli {
namespace {

const GlobalFlag* short_flag(char letter) {
  for (const GlobalFlag& flag : k_global_flags) {
    if (flag.letter == letter) return &flag;
  }
  return nullptr;
}

Error unknown_group(sv word) {
  std::vector<sv> names;
  for (const Group& group : groups()) names.push_back(group.name);
  std::string near = likely_command(word);
  if (near.empty()) {
    if (const sv group = nearest(word, names); !group.empty()) near = fmt::format("svc {}", group);
  }
  return usage_error(
      fmt::format("unknown command '{}'", shown(word)),
      near.empty() ? fmt::format("Commands: {}. `svc --help` explains them.", join(names, ", "))
                   : fmt::format("Did you mean `{}`?", near));
}

Error unknown_topic(sv word) {
  std::vector<sv> names;
  for (const docgen::Topic& topic : docgen::topics()) names.push_back(topic.name);
  const std::string list = join(names, ", ");
  for (const Group& group : groups()) names.push_back(group.name);
  if (const std::string command = likely_command(word); !command.empty()) {
    return usage_error(fmt::format("unknown command or topic '{}'", shown(word)),
                       fmt::format("Did you mean `{}`?", command));
  }
  const sv near = nearest(word, names);
  return usage_error(fmt::format("unknown command or topic '{}'", shown(word)),
                     near.empty()
                         ? fmt::format("Topics: {}. `svc --help` lists the commands.", list)
                         : fmt::format("Did you mean '{}'?", near));
}

Error unknown_verb(const Group& group, sv word) {
  std::vector<sv> names;
  for (const Operation& operation : group.operations) names.push_back(operation.name);
  const std::string list = join(names, ", ");
  if (word.empty()) {
    return usage_error(fmt::format("'svc {}' needs a verb: {}", group.name, list),
                       fmt::format("`svc {} --help` explains them.", group.name));
  }
  // The first word of verbs of two.
  std::vector<sv> seconds;
  for (const sv name : names) {
    if (name.starts_with(word) && name.substr(word.size()).starts_with(' ')) {
      seconds.push_back(name.substr(word.size() + 1));
    }
  }
  if (!seconds.empty()) {
    return usage_error(
        fmt::format("'svc {} {}' needs a verb: {}", group.name, word, join(seconds, ", ")),
        fmt::format("`svc {} --help` explains them.", group.name));
  }
  const std::string near = likely_verb(group, word);
  return usage_error(
      fmt::format("'svc {}' has no verb '{}'; verbs: {}", group.name, shown(word), list),
      near.empty() ? std::string() : fmt::format("Did you mean `svc {} {}`?", group.name, near));
}

Error unknown_early_flag(sv word) {
  std::vector<sv> names;
  for (const GlobalFlag& flag : k_global_flags) names.push_back(flag.name);
  const sv bare = word.substr(0, word.find('='));
  const sv near = bare.starts_with("--") ? nearest(bare.substr(2), names) : sv();
  return usage_error(fmt::format("unknown global flag '{}'", shown(bare)),
                     near.empty() ? std::string("Command flags come after it.")
                                  : fmt::format("Did you mean '--{}'?", near));
}

class Finder {
 public:
  explicit Finder(const std::vector<std::string>& arguments) : m_arguments(arguments) {}

  Result<SplitArgs> find() {
    SVC_CHECK(find_group());
    if (m_words.group != nullptr) SVC_CHECK(find_verb());
    while (m_at < m_arguments.size()) m_words.rest.push_back(m_arguments[m_at++]);
    if (m_words.group != nullptr && m_words.operation == nullptr && !asks_for_help()) {
      return unknown_verb(*m_words.group, m_stray);
    }
    if (m_words.operation != nullptr && !m_words.verb_given && !asks_for_help()) {
      auto refused = refuse_lone_verb(*m_words.group, *m_words.operation, m_words.rest);
      if (refused) return *std::move(refused);
    }
    return std::move(m_words);
  }

 private:
  /// In words or by a flag. Without an operation only global flags are known.
  [[nodiscard]] bool asks_for_help() const {
    if (m_words.help) return true;
    for (std::size_t at = 0; at < m_words.rest.size() && m_words.rest[at] != "--"; ++at) {
      const std::string& word = m_words.rest[at];
      if (word == "--help" || word == "-h" || word == "--help-all") return true;
      if (global_flag_length(m_words.rest, at) == 2) ++at;
    }
    return false;
  }

  void skip_global_flags() {
    while (m_at < m_arguments.size()) {
      const std::size_t length = global_flag_length(m_arguments, m_at);
      if (length == 0) return;
      for (std::size_t i = 0; i < length && m_at < m_arguments.size(); ++i) {
        m_words.rest.push_back(m_arguments[m_at++]);
      }
    }
  }

  Result<void> find_group() {
    skip_global_flags();
    if (m_at < m_arguments.size() && m_arguments[m_at] == "help") {
      m_words.help = true;
      ++m_at;
      skip_global_flags();
    }
    if (m_at == m_arguments.size()) return {};
    const std::string& word = m_arguments[m_at];
    if (word == "--version" || word == "-V") return {};
    if (word.starts_with('-') && word != "-") return unknown_early_flag(word);
    // With a verb behind it, it is the group of that name.
    const bool more = m_at + 1 < m_arguments.size() && !m_arguments[m_at + 1].starts_with('-') &&
                      svc::find_group(word) != nullptr;
    if (const docgen::Topic* topic = m_words.help && !more ? docgen::find_topic(word) : nullptr) {
      m_words.topic = topic->name;
      ++m_at;
      return {};
    }
    m_words.group = svc::find_group(word);
    if (m_words.group == nullptr && m_words.help) return unknown_topic(word);
    if (m_words.group == nullptr) return unknown_group(word);
    ++m_at;
    return {};
  }

  static bool takes_words(const Operation* operation) {
    if (operation == nullptr) return false;
    for (const Field& field : operation->fields) {
      if (field.positional) return true;
    }
    // A group of one has no other verb to name.
    return operation->name.empty();
  }

  /// `svc chat help` is `svc chat --help`, `svc chat help deferred` is that of the verb; "help me"
  /// without quotes is neither.
  [[nodiscard]] bool is_help_word() const {
    if (m_words.help || m_at >= m_arguments.size() || m_arguments[m_at] != "help") return false;
    std::size_t next = m_at + 1;
    while (next < m_arguments.size() && m_arguments[next].starts_with('-')) ++next;
    if (next == m_arguments.size()) return true;
    const Group& group = *m_words.group;
    const sv word = m_arguments[next];
    return !takes_words(default_operation(group)) ||
           std::any_of(group.operations.begin(), group.operations.end(),
                       [&](const Operation& operation) {
                         return operation.name.starts_with(word) &&
                                operation.name.substr(0, operation.name.find(' ')) == word;
                       });
  }

  /// The longest run of words that names a verb; verbs of two words exist ("documents add").
  Result<void> find_verb() {
    skip_global_flags();
    if (is_help_word()) {
      m_words.help = true;
      ++m_at;
      skip_global_flags();
    }
    const Group& group = *m_words.group;
    std::string name;
    std::size_t taken = 0;
    for (std::size_t i = 0; i < 3 && m_at + i < m_arguments.size(); ++i) {
      name += (i == 0 ? "" : " ") + m_arguments[m_at + i];
      if (const Operation* found = cli::find_verb(group, name); found && !name.empty()) {
        m_words.operation = found;
        taken = i + 1;
      }
    }
    if (m_words.operation == nullptr) {
      m_words.operation = default_operation(group);
      const bool word = m_at < m_arguments.size() && !m_arguments[m_at].starts_with('-');
      if (word && !takes_words(m_words.operation)) {
        m_words.operation = nullptr;
        m_stray = m_arguments[m_at];
      }
    }
    m_words.verb_given = taken > 0;
    m_at += taken;
    return {};
  }

  const std::vector<std::string>& m_arguments;
  std::size_t m_at = 0;
  std::string m_stray{};
  SplitArgs m_words{};
};

}  // namespace

std::size_t global_flag_length(const std::vector<std::string>& arguments, std::size_t at) {
  const std::string& word = arguments[at];
  if (word.size() < 2 || word.front() != '-' || word == "--") return 0;
  if (word.starts_with("--")) {
    const std::size_t equals = word.find('=');
    const GlobalFlag* flag =
        find_global_flag(sv(word).substr(2, equals == std::string::npos ? sv::npos : equals - 2));
    if (flag == nullptr) return 0;
    return flag->value.empty() || equals != std::string::npos ? 1 : 2;
  }
  for (std::size_t i = 1; i < word.size(); ++i) {
    const GlobalFlag* flag = short_flag(word[i]);
    if (flag == nullptr) return 0;
    if (!flag->value.empty()) return i + 1 < word.size() ? 1 : 2;
  }
  return 1;
}

namespace {

bool is_letter(char c) {
  return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z');
}

enum class Takes : std::uint8_t { Unknown, Nothing, Value, MayHaveValue };

bool is_whole_number(sv word) {
  return !word.empty() && word.find_first_not_of("0123456789") == sv::npos;
}

/// What the long flag of that name takes.
Takes long_flag(const Operation* operation, sv name) {
  if (const GlobalFlag* flag = find_global_flag(name)) {
    return flag->value.empty() ? Takes::Nothing : Takes::Value;
  }
  if (operation == nullptr) return Takes::Unknown;
  const Field* field = find_field(*operation, name);
  if (field != nullptr && !field->may_take.empty()) return Takes::MayHaveValue;
  if (field != nullptr) return field->kind == Kind::Boolean ? Takes::Nothing : Takes::Value;
  if (!name.starts_with("no-")) return Takes::Unknown;
  const Field* denied = find_field(*operation, name.substr(3));
  const bool deniable =
      denied != nullptr && denied->kind == Kind::Boolean && denied->stands_for.empty();
  return deniable ? Takes::Nothing : Takes::Unknown;
}

const Field* field_of_letter(const Operation& operation, char letter) {
  const auto found =
      std::find_if(operation.fields.begin(), operation.fields.end(),
                   [&](const Field& field) { return letter != 0 && field.letter == letter; });
  return found == operation.fields.end() ? nullptr : &*found;
}

/// What a letter stands for: the name of its flag, and whether that takes a value.
struct Letter {
  sv name{};
  bool value = false;
  bool may_take = false;  ///< a switch that may have one
};

std::optional<Letter> find_letter(const Operation* operation, char letter) {
  if (const GlobalFlag* flag = short_flag(letter)) return Letter{flag->name, !flag->value.empty()};
  const Field* field = operation == nullptr ? nullptr : field_of_letter(*operation, letter);
  if (field == nullptr) return std::nullopt;
  return Letter{field->flag, field->kind != Kind::Boolean, !field->may_take.empty()};
}

/// Whether a word with one dash is rather a long flag that lacks the other: "-message", "-max-tok".
bool is_meant_long(const Operation* operation, sv word) {
  constexpr std::size_t k_shortest = 4;
  const sv name = word.substr(1, word.find('=') - 1);
  const auto is_one = [&](sv known) { return known.starts_with(name); };
  if (name.size() < k_shortest) return false;
  const auto& globals = k_global_flags;
  if (std::any_of(globals.begin(), globals.end(),
                  [&](const GlobalFlag& flag) { return is_one(flag.name); })) {
    return true;
  }
  return operation != nullptr &&
         std::any_of(operation->fields.begin(), operation->fields.end(),
                     [&](const Field& field) { return is_one(field.flag); });
}

/// Does it look like a flag, known or not? A name holds no blanks and begins with a letter: a list
/// item, a negative number or "-v is broken" is text. The value behind a letter may hold any.
bool looks_like_flag(const Operation* operation, const std::vector<std::string>& arguments,
                     std::size_t at) {
  const sv word = arguments[at];
  if (!word.starts_with('-') || word == "-") return false;
  if (global_flag_length(arguments, at) > 0) return true;
  const std::size_t begin = word.starts_with("--") ? 2 : 1;
  const sv name = word.substr(begin, word.find('=') - begin);
  if (name.empty() || !is_letter(name.front())) return false;
  const auto letter = begin == 1 ? find_letter(operation, name.front()) : std::nullopt;
  return (letter && letter->value) || name.find_first_of(" \t\r\n") == sv::npos;
}

/// "-q", "-qv", "-m NAME", "-mNAME", "-m=NAME", "-qm NAME" as long flags, each with its value
/// behind it. The word as it stands where a letter is not known.
Result<void> cut_letters(const Operation* operation, std::vector<std::string>& arguments,
                         std::size_t& at, std::vector<std::string>& flags) {
  const std::string word = std::move(arguments[at]);
  std::vector<std::string> names;
  for (std::size_t i = 1; i < word.size() && !is_meant_long(operation, word); ++i) {
    const auto letter = find_letter(operation, word[i]);
    if (!letter) break;
    names.push_back(fmt::format("--{}", letter->name));
    const sv rest = sv(word).substr(i + 1);
    if (letter->may_take) {
      const bool given = rest.starts_with('=');
      names.emplace_back(given ? rest.substr(1) : sv("true"));
      if (!given && !rest.empty()) continue;
      std::move(names.begin(), names.end(), std::back_inserter(flags));
      return {};
    }
    if (!letter->value && rest.starts_with('=')) {
      return usage_error(fmt::format("-{} takes no value", word[i]));
    }
    if (!letter->value && !rest.empty()) continue;
    std::move(names.begin(), names.end(), std::back_inserter(flags));
    if (!letter->value) return {};
    if (!rest.empty()) {
      flags.emplace_back(rest.substr(rest.starts_with('=') ? 1 : 0));
    } else if (at + 1 < arguments.size()) {
      flags.push_back(std::move(arguments[++at]));
    }
    return {};
  }
  flags.push_back(word);
  return {};
}

}  // namespace

Result<Cut> cut_arguments(const Operation* operation, std::vector<std::string> arguments) {
  Cut cut;
  for (std::size_t at = 0; at < arguments.size(); ++at) {
    std::string& word = arguments[at];
    if (word == "--") {
      std::move(arguments.begin() + static_cast<std::ptrdiff_t>(at) + 1, arguments.end(),
                std::back_inserter(cut.positionals));
      break;
    }
    if (!looks_like_flag(operation, arguments, at)) {
      cut.positionals.push_back(std::move(word));
      continue;
    }
    if (!word.starts_with("--")) {
      SVC_CHECK(cut_letters(operation, arguments, at, cut.flags));
      continue;
    }
    const std::size_t equals = word.find('=');
    const sv name = sv(word).substr(2, equals - 2);
    const Takes takes = long_flag(operation, name);
    if (takes == Takes::Nothing && equals != std::string::npos) {
      return usage_error(fmt::format("--{} takes no value", name));
    }
    if (takes == Takes::MayHaveValue && equals == std::string::npos) {
      const Field& field = *find_field(*operation, name);
      const bool counted =
          field.may_take == "N" && at + 1 < arguments.size() && is_whole_number(arguments[at + 1]);
      cut.flags.push_back(std::move(word));
      cut.flags.push_back(counted ? std::move(arguments[++at]) : std::string("true"));
      continue;
    }
    if (takes >= Takes::Value && equals != std::string::npos) {
      // Apart, as an empty value would be lost behind its equals sign.
      cut.flags.push_back(word.substr(0, equals));
      cut.flags.push_back(word.substr(equals + 1));
      continue;
    }
    cut.flags.push_back(std::move(word));
    if (takes == Takes::Value && at + 1 < arguments.size()) {
      cut.flags.push_back(std::move(arguments[++at]));
    }
  }
  return cut;
}

Result<SplitArgs> split_args(const std::vector<std::string>& arguments) {
  return Finder(arguments).find();
}

}  // namespace svc::cli
