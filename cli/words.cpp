#include "words.h"

#include <fmt/format.h>

#include "base/text.h"
#include "catalogue/global_flags.h"

namespace svc::cli {
namespace {

std::string shown(sv word) {
  return visible(excerpt(word, 60), Lines::Escape);
}

const GlobalFlag* short_flag(char letter) {
  for (const GlobalFlag& flag : k_global_flags) {
    if (flag.letter == letter) return &flag;
  }
  return nullptr;
}

Error unknown_group(sv word) {
  std::vector<sv> names;
  for (const Group& group : groups()) names.push_back(group.name);
  const sv near = nearest(word, names);
  return usage_error(
      fmt::format("there is no command '{}'", shown(word)),
      near.empty() ? fmt::format("Commands: {}. `svc --help` explains them.", join(names, ", "))
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
  const sv near = nearest(word, names);
  return usage_error(
      fmt::format("'svc {}' has no verb '{}'; there are: {}", group.name, shown(word), list),
      near.empty() ? std::string() : fmt::format("Did you mean '{}'?", near));
}

Error unknown_early_flag(sv word) {
  std::vector<sv> names;
  for (const GlobalFlag& flag : k_global_flags) names.push_back(flag.name);
  const sv bare = word.substr(0, word.find('='));
  const sv near = bare.starts_with("--") ? nearest(bare.substr(2), names) : sv();
  return usage_error(fmt::format("there is no flag '{}' before the command", shown(bare)),
                     near.empty() ? std::string("Flags of a command stand after it.")
                                  : fmt::format("Did you mean '--{}'?", near));
}

class Finder {
 public:
  explicit Finder(const std::vector<std::string>& arguments) : m_arguments(arguments) {}

  Result<Words> find() {
    SVC_CHECK(find_group());
    if (m_words.group != nullptr) SVC_CHECK(find_verb());
    while (m_at < m_arguments.size()) m_words.rest.push_back(m_arguments[m_at++]);
    for (const std::string& word : m_words.rest) {
      if (word == "--") break;
      m_words.help = m_words.help || word == "--help" || word == "-h" || word == "--help-all";
    }
    if (m_words.group != nullptr && m_words.operation == nullptr && !m_words.help) {
      return unknown_verb(*m_words.group, m_stray);
    }
    return std::move(m_words);
  }

 private:
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
    m_words.group = svc::find_group(word);
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

  /// The longest run of words that names a verb; verbs of two words exist ("documents add").
  Result<void> find_verb() {
    skip_global_flags();
    const Group& group = *m_words.group;
    std::string name;
    std::size_t taken = 0;
    for (std::size_t i = 0; i < 3 && m_at + i < m_arguments.size(); ++i) {
      name += (i == 0 ? "" : " ") + m_arguments[m_at + i];
      if (const Operation* found = find_operation(group.name, name); found && !name.empty()) {
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
  Words m_words{};
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
  const GlobalFlag* flag = short_flag(word[1]);
  if (flag == nullptr) return 0;
  return flag->value.empty() || word.size() > 2 ? 1 : 2;
}

Result<Words> find_words(const std::vector<std::string>& arguments) {
  return Finder(arguments).find();
}

}  // namespace svc::cli
