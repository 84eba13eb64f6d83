#include "command_line/flags.h"

#include <algorithm>

#include <CLI/CLI.hpp>
#include <fmt/format.h>

#include "base/text.h"

namespace svc::cli {
namespace {

constexpr std::size_t k_nothing = sv::npos;
constexpr char k_switch = '_';

bool is_whole_number(sv word) {
  return !word.empty() && word.find_first_not_of("0123456789") == sv::npos;
}

/// Whether a word with one dash is probably a long flag that lacks the second: "-message",
/// "-max-tok".
bool is_meant_long(const Operation* operation, sv word) {
  constexpr std::size_t k_shortest = 4;
  const sv name = word.substr(1, word.find('=') - 1);
  if (name.size() < k_shortest) return false;
  const auto begins = [&](const auto& rows, auto member) {
    return std::any_of(rows.begin(), rows.end(),
                       [&](const auto& row) { return (row.*member).starts_with(name); });
  };
  return begins(k_global_flags, &GlobalFlag::name) ||
         (operation != nullptr && begins(operation->fields, &Field::flag));
}

/// The position of the value attached to flag letters: "-mNAME", "-qm=NAME". k_nothing if no value
/// is attached, 0 if a letter is unknown.
std::size_t value_behind_letters(const Operation* operation, sv word) {
  if (is_meant_long(operation, word)) return 0;
  for (std::size_t i = 1; i < word.size(); ++i) {
    const Flag flag = find_flag(operation, word[i]);
    if (!flag.known()) return 0;
    if (word.substr(i + 1).starts_with('=')) return i + 2;
    if (flag.takes_value() && i + 1 < word.size()) return i + 1;
  }
  return k_nothing;
}

/// Whether the word looks like a flag, known or unknown. A flag name starts with a letter and
/// contains no whitespace, so a list item, a negative number or "-v is broken" is text. A value
/// attached to a letter may contain whitespace.
bool looks_like_flag(const Operation* operation, sv word) {
  if (!word.starts_with('-') || word == "-") return false;
  const std::size_t begin = word.starts_with("--") ? 2 : 1;
  const sv name = word.substr(begin, word.find('=') - begin);
  if (name.empty() || !is_letter(name.front())) return false;
  if (name.find_first_of(" \t\r\n") == sv::npos) return true;
  return begin == 1 && (find_flag(operation, name.front()).takes_value() ||
                        value_behind_letters(nullptr, word) != 0);
}

/// Lets CLI11 decide which words are flags, values and arguments. Text, unknown flags and attached
/// values are passed to CLI11 as their positions, as it would read "[a]" as a list, "--system=" as
/// a flag without a value and "-m=x" as "=x".
///
///   hello  --nonsense  →  @0  @1
///   --model NAME       →  --model @1
///   --model=NAME       →  --model=@0
///   --stream           →  --stream=@0
///   -qmNAME  -qm=NAME  →  -qm@0  -qm@1
///   -qc=NAME           →  -q_@0           c is a switch: the option "_" takes its value
class Cutter {
 public:
  Cutter(const Operation* operation, std::span<const std::string> words)
      : m_operation(operation), m_words(words) {
    m_app.set_help_flag();
    m_app.option_defaults()->configurable(false);
    m_app.option_defaults()->multi_option_policy(CLI::MultiOptionPolicy::TakeAll);
    m_app.allow_extras();
    m_options.push_back({Flag(), m_app.add_option(std::string{'-', k_switch})});
  }

  Cut cut() {
    parse();
    read_remaining();
    for (const CLI::Option* option : m_app.parse_order()) {
      const auto of = std::find_if(m_options.begin(), m_options.end(),
                                   [&](const Known& known) { return known.option == option; });
      const std::string& result = option->results()[of->read++];
      if (of->flag.takes_value()) {
        m_cut.flags.push_back({of->flag, value(result)});
      } else {
        read_switch(of->flag, place_in(result));
      }
    }
    for (const std::size_t place : m_positionals) m_cut.positionals.push_back(m_words[place]);
    return std::move(m_cut);
  }

  /// The number of words that leading flags and their values take up.
  std::size_t count_front() {
    m_app.prefix_command();
    parse();
    return std::min(m_words.size(), m_words.size() + 1 - m_app.remaining().size());
  }

 private:
  struct Known {
    Flag flag{};  ///< unknown for `_`, which takes the values given to switch letters
    CLI::Option* option = nullptr;
    std::size_t read = 0;  ///< number of its results already read
  };

  /// Appends one extra position, which becomes the value of a last flag without one.
  void parse() {
    std::vector<std::string> words;
    for (std::size_t i = 0; i < m_words.size(); ++i) words.push_back(encode(i));
    words.push_back(encoded(m_words.size()));
    std::reverse(words.begin(), words.end());
    m_app.parse(std::move(words));
  }

  static std::string encoded(std::size_t place) { return fmt::format("@{}", place); }
  static std::size_t place_in(const std::string& encoded) {
    const std::size_t at = encoded.find('@');
    return at == sv::npos ? k_nothing : std::stoul(encoded.substr(at + 1));
  }

  std::string encode(std::size_t place) {
    const std::string& word = m_words[place];
    std::size_t& value = m_values.emplace_back(0);
    if (word == "--") return word;
    if (!looks_like_flag(m_operation, word)) return encoded(place);
    const std::size_t equals = word.find('=');
    if (word.starts_with("--")) {
      const std::string name = word.substr(0, equals);
      const Flag flag = find_flag(m_operation, sv(name).substr(2));
      if (!flag.known()) return encoded(place);
      add(flag);
      value = equals == sv::npos ? k_nothing : equals + 1;
      return value == k_nothing && flag.takes_value() ? name : name + "=" + encoded(place);
    }
    value = value_behind_letters(m_operation, word);
    if (value == 0) return encoded(place);
    std::string letters = word.substr(0, std::min(value, equals));
    for (const char letter : letters.substr(1)) add(find_flag(m_operation, letter));
    if (value == k_nothing) return letters;
    if (!find_flag(m_operation, letters.back()).takes_value()) letters.back() = k_switch;
    return letters + encoded(place);
  }

  /// Registers a flag with CLI11. Only flags that occur are registered: all flags of `chat` would
  /// take a hundred times as long.
  void add(const Flag& flag) {
    for (const Known& known : m_options) {
      if (known.flag == flag) return;
    }
    std::string names = fmt::format("--{}{}", flag.negated ? "no-" : "", flag.name());
    if (flag.letter() != 0 && !flag.negated) names += fmt::format(",-{}", flag.letter());
    m_options.push_back(
        {flag, flag.takes_value() ? m_app.add_option(names) : m_app.add_flag(names)});
  }

  /// The value of a flag that takes one; nothing if it is missing.
  [[nodiscard]] std::optional<std::string> value(const std::string& result) const {
    const std::size_t place = place_in(result);
    if (place == k_nothing) return result;
    if (place == m_words.size()) return std::nullopt;
    return m_words[place].substr(result.starts_with('-') ? 0 : m_values[place]);
  }

  /// Records a switch. `place` is the position of its word, if the word also contains a value.
  void read_switch(Flag flag, std::size_t place) {
    std::string value = flag.negated ? "false" : "true";
    if (place != k_nothing) {
      const sv word = m_words[place];
      const sv name = word.substr(0, word.find('='));
      if (!flag.known()) flag = find_flag(m_operation, name.back());
      if (m_values[place] != k_nothing) {
        if (flag.optional_value().empty()) return refuse(name);
        value = word.substr(m_values[place]);
      } else if (flag.optional_value() == "N" && place + 1 < m_words.size() &&
                 is_whole_number(m_words[place + 1])) {
        value = m_words[place + 1];
        std::erase(m_positionals, place + 1);
      }
    }
    m_cut.flags.push_back({flag, std::move(value)});
  }

  void refuse(sv name) {
    if (!m_cut.refused.empty()) return;
    m_cut.refused = name.starts_with("--") ? name : fmt::format("-{}", name.back());
  }

  void read_remaining() {
    const std::vector<std::string> left = m_app.remaining();
    for (std::size_t i = 0; i < left.size(); ++i) {
      // Everything after `--` is remaining, at the end of the list.
      const std::size_t place =
          m_cut.dashes ? m_words.size() + 1 - (left.size() - i) : place_in(left[i]);
      if (place == m_words.size()) return;
      if (place == k_nothing) {
        m_cut.dashes = true;
      } else if (!m_cut.dashes && looks_like_flag(m_operation, m_words[place])) {
        m_cut.unknown.push_back(m_words[place]);
      } else {
        m_positionals.push_back(place);
      }
    }
  }

  const Operation* m_operation;
  std::span<const std::string> m_words;
  std::vector<std::size_t> m_values{};  ///< per word: position of the value attached to a known
                                        ///< flag; k_nothing: no value; 0: not a known flag
  CLI::App m_app{};
  std::vector<Known> m_options{};
  std::vector<std::size_t> m_positionals{};
  Cut m_cut{};
};

}  // namespace

Flag find_flag(const Operation* operation, sv name) {
  Flag flag{.global = find_global_flag(name)};
  if (flag.known() || operation == nullptr) return flag;
  flag.field = find_field(*operation, name);
  if (flag.known() || !name.starts_with("no-")) return flag;
  const Field* denied = find_field(*operation, name.substr(3));
  const bool negatable =
      denied != nullptr && denied->kind == Kind::Boolean && denied->stands_for.empty();
  return negatable ? Flag{.field = denied, .negated = true} : Flag();
}

Flag find_flag(const Operation* operation, char letter) {
  for (const GlobalFlag& flag : k_global_flags) {
    if (flag.letter != 0 && flag.letter == letter) return {.global = &flag};
  }
  if (operation == nullptr) return {};
  for (const Field& field : operation->fields) {
    if (field.letter != 0 && field.letter == letter) return {.field = &field};
  }
  return {};
}

Cut cut_arguments(const Operation* operation, std::span<const std::string> words) {
  return Cutter(operation, words).cut();
}

std::size_t count_global_flags(std::span<const std::string> words) {
  return Cutter(nullptr, words).count_front();
}

}  // namespace svc::cli
