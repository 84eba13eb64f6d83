#include "command_line/split_args.h"

#include <algorithm>
#include <span>

#include <fmt/format.h>

#include "base/text.h"
#include "command_line/flags.h"
#include "command_line/guesses.h"
#include "docgen/topics.h"
#include "request/flags.h"
#include "request/names.h"

namespace svc::cli {
namespace {

/// The word may be a whole prompt, or the first of one: `words` are the arguments.
Error unknown_group(sv word, std::span<const std::string> words) {
  const auto prompt = prompt_in(words);
  std::string hint = !prompt || is_guess(word) ? command_hint(word) : std::string();
  if (prompt) {
    const std::string chat = fmt::format("`svc chat \"{}\"`", shown(prompt->text));
    hint = hint.empty() ? fmt::format("Did you mean {}?", chat)
                        : fmt::format("{} To ask a model: {}.", hint, chat);
  }
  if (hint.empty()) {
    hint = fmt::format("Commands: {}. `svc --help` explains them.", join(names_of(groups()), ", "));
  }
  return usage_error(fmt::format("unknown command '{}'", shown(word)), std::move(hint));
}

Error unknown_topic(sv word) {
  std::vector<sv> names = names_of(docgen::topics());
  const std::string list = join(names, ", ");
  for (const Group& group : groups()) names.push_back(group.name);
  std::string hint = nearest_command(word).empty() ? std::string() : command_hint(word);
  if (hint.empty()) {
    hint = did_you_mean(nearest(word, names),
                        fmt::format("Topics: {}. `svc --help` lists the commands.", list));
  }
  return usage_error(fmt::format("unknown command or topic '{}'", shown(word)), std::move(hint));
}

Error unknown_early_flag(sv word) {
  const sv bare = word.substr(0, word.find('='));
  std::string hint = command_hint(bare);
  if (hint.empty()) {
    const sv near = nearest(bare.substr(std::min(bare.find_first_not_of('-'), bare.size())),
                            names_of(k_global_flags));
    hint = near.empty() ? std::string("Command flags come after the command.")
                        : fmt::format("Did you mean '--{}'?", near);
  }
  return usage_error(fmt::format("unknown global flag '{}'", shown(bare)), std::move(hint));
}

class Finder {
 public:
  explicit Finder(const std::vector<std::string>& arguments) : m_arguments(arguments) {}

  Result<SplitArgs> find() {
    SVC_CHECK(find_group());
    if (m_words.group != nullptr) find_verb();
    take(m_arguments.size() - m_at);
    m_words.cut = cut_arguments(m_words.operation, m_rest);
    if (m_words.group == nullptr || is_help_request()) return std::move(m_words);
    if (m_words.operation == nullptr) {
      return request::unknown_verb(*m_words.group, m_unknown, verb_hint(*m_words.group, m_unknown));
    }
    if (!m_words.verb_given) {
      auto refused = refuse_lone_verb(*m_words.group, *m_words.operation, m_words.cut);
      if (refused) return *std::move(refused);
    }
    return std::move(m_words);
  }

 private:
  /// Whether help is requested, by the word `help` or by a flag.
  [[nodiscard]] bool is_help_request() const {
    return m_words.help || std::any_of(m_words.cut.flags.begin(), m_words.cut.flags.end(),
                                       [](const GivenFlag& given) {
                                         return given.flag.name() == k_global_flag<"help"> ||
                                                given.flag.name() == k_global_flag<"help-all">;
                                       });
  }

  /// Moves the next `count` arguments to the rest.
  void take(std::size_t count) {
    while (count-- > 0) m_rest.push_back(m_arguments[m_at++]);
  }

  void skip_global_flags() { take(count_global_flags(std::span(m_arguments).subspan(m_at))); }

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
    // `svc help NAME VERB` is about the group, even if a topic has the same name.
    const bool more = m_at + 1 < m_arguments.size() && !m_arguments[m_at + 1].starts_with('-') &&
                      svc::find_group(word) != nullptr;
    if (const docgen::Topic* topic = m_words.help && !more ? docgen::find_topic(word) : nullptr) {
      m_words.topic = topic->name;
      ++m_at;
      return {};
    }
    m_words.group = svc::find_group(word);
    if (m_words.group == nullptr && m_words.help) return unknown_topic(word);
    if (m_words.group == nullptr) return unknown_group(word, std::span(m_arguments).subspan(m_at));
    ++m_at;
    return {};
  }

  static bool takes_words(const Operation* operation) {
    if (operation == nullptr) return false;
    for (const Field& field : operation->fields) {
      if (field.positional) return true;
    }
    // A group with a single operation has no verbs.
    return operation->name.empty();
  }

  /// Whether the next word requests help: `svc chat help` is `svc chat --help`, and `svc chat help
  /// deferred` is `svc chat deferred --help`; an unquoted prompt such as "help me" is not.
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

  /// Takes the longest verb, as verbs may have two words ("documents add").
  void find_verb() {
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
        m_unknown = m_arguments[m_at];
      }
    }
    m_words.verb_given = taken > 0;
    m_at += taken;
  }

  const std::vector<std::string>& m_arguments;
  std::size_t m_at = 0;
  std::string m_unknown{};
  std::vector<std::string> m_rest{};
  SplitArgs m_words{};
};

}  // namespace

std::optional<BarePrompt> prompt_in(std::span<const std::string> words) {
  const auto end = std::ranges::find_if(words, [](sv one) { return one.starts_with('-'); });
  const auto count = static_cast<std::size_t>(end - words.begin());
  if (count == 0 || (count <= 2 && words.front().find(' ') == std::string::npos)) {
    return std::nullopt;
  }
  return BarePrompt{join(words.first(count), " "), count};
}

Result<SplitArgs> split_args(const std::vector<std::string>& arguments) {
  return Finder(arguments).find();
}

}  // namespace svc::cli
