#include "command_line/flags.h"

#include <algorithm>

#include <CLI/CLI.hpp>
#include <fmt/format.h>

#include "base/text.h"
#include "catalogue/shared_fields.h"
#include "command_line/guesses.h"
#include "request/flags.h"

namespace svc::cli {
namespace {

constexpr sv k_file = Flags<catalogue::k_attachment_fields>::k_name<"file">;
constexpr std::size_t k_nothing = sv::npos;

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

/// A flag as typed, by its name or an accepted other one: --max_tokens, --temp, -a.
Flag typed_flag(const Operation* operation, sv name) {
  Flag flag = find_flag(operation, name);
  if (!flag.known()) flag = find_accepted_flag(operation, "--" + std::string(name));
  if (flag.known() || name.find('_') == sv::npos) return flag;
  return typed_flag(operation, replace_all(std::string(name), "_", "-"));
}
Flag typed_flag(const Operation* operation, char letter) {
  const Flag flag = find_flag(operation, letter);
  return flag.known() ? flag : find_accepted_flag(operation, std::string{'-', letter});
}

/// The position of the value attached to flag letters: "-mNAME", "-qm=NAME". k_nothing if no value
/// is attached, 0 if a letter is unknown.
std::size_t value_behind_letters(const Operation* operation, sv word) {
  if (is_meant_long(operation, word)) return 0;
  for (std::size_t i = 1; i < word.size(); ++i) {
    const Flag flag = typed_flag(operation, word[i]);
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
  return begin == 1 && (typed_flag(operation, name.front()).takes_value() ||
                        value_behind_letters(nullptr, word) != 0);
}

/// CLI11 decides which words are flags, values and arguments. Words reach it as they are, but for
/// those that CLI11 misreads: a guard character is put into these, and taken out of what comes
/// back.
///
///   -v is it  -message  --nonsense  →  ^-v is it  ^-message  ^--nonsense
///                                       text and unknown flags, of which it would read -v and -m
///   --system=                       →  --system=^   it would take the next word for the value
///   -m=NAME                         →  -m=^NAME     it would read "=NAME"
///   --continue=NAME  --stream=      →  --continue=^NAME  --stream=^
///                                       a switch with a value: it would read "" and "{}" as true
///   -qc=NAME                        →  -q^c=NAME    likewise; the option -^ takes such a value
///   --code 5                        →  --code^ 5    a value that is optional: any word would be it
///   [[x]]  --system=[[x]]           →  ^[[x]]  --system=^[[x]]   CLI11 2.6 would read "[x]"
///   ^                               →  ^^           the guard itself
class Cutter {
 public:
  Cutter(const Operation* operation, std::span<const std::string> words)
      : m_operation(operation), m_words(words) {
    m_app.set_help_flag();
    m_app.option_defaults()->configurable(false);
    m_app.option_defaults()->multi_option_policy(CLI::MultiOptionPolicy::TakeAll);
    m_app.allow_extras();
    m_options.push_back({Flag(), {}, m_app.add_option(std::string{'-', k_guard})});
  }

  Cut cut() {
    parse();
    for (const CLI::Option* option : m_app.parse_order()) {
      const auto of = std::find_if(m_options.begin(), m_options.end(),
                                   [&](const Known& known) { return known.option == option; });
      const std::string& result = option->results()[of->read++];
      if (!of->flag.known()) {
        read_switch(typed_flag(m_operation, result.front()), fmt::format("-{}", result.front()),
                    result.substr(2));
      } else if (of->takes_value) {
        std::string value = plain(result);
        const Flag flag = of->attaches ? attachment_flag(m_operation, of->flag, value) : of->flag;
        m_cut.flags.push_back({flag, std::move(value)});
      } else if (result.front() == k_guard) {
        read_switch(of->flag, long_name(of->flag), result.substr(1));
      } else {
        m_cut.flags.push_back({of->flag, of->flag.negated ? "false" : "true"});
      }
    }
    if (m_lacks_value) m_cut.flags.push_back({last_flag(), std::nullopt});
    read_remaining();
    return std::move(m_cut);
  }

  /// The number of words that leading flags and their values take up.
  std::size_t count_front() {
    m_app.prefix_command();
    parse();
    return m_words.size() - m_app.remaining().size();
  }

 private:
  static constexpr char k_guard = '\x7F';

  struct Known {
    Flag flag{};  ///< unknown for the guard, which takes the values given to switch letters
    std::string names{};
    CLI::Option* option = nullptr;
    bool takes_value = false;
    bool attaches = false;  ///< -a, whose value decides between --file and --image
    std::size_t read = 0;   ///< number of its results already read
  };

  void parse() {
    std::vector<std::string> words;
    for (std::size_t i = 0; i < m_words.size(); ++i) {
      words.push_back(m_words[i]);
      if (const auto at = guard_place(i); at != k_nothing) words[i].insert(at, 1, k_guard);
    }
    std::reverse(words.begin(), words.end());
    try {
      m_app.parse(std::move(words));
    } catch (const CLI::ArgumentMismatch&) {
      m_lacks_value = true;  // all other words have been read by then
    }
  }

  static bool is_misread(sv text) {
    return text.find(k_guard) != sv::npos || text.starts_with("[[");
  }

  /// Registers the flags in a word. Returns the position for its guard, or k_nothing.
  std::size_t guard_place(std::size_t place) {
    const sv word = m_words[place];
    if (word == "-" || word == "--") return k_nothing;
    if (!looks_like_flag(m_operation, word)) {
      return is_misread(word) || word.starts_with('-') ? 0 : k_nothing;
    }
    if (!word.starts_with("--")) return guard_place_in_letters(word);
    const std::size_t equals = word.find('=');
    const Flag flag = typed_flag(m_operation, word.substr(2, equals - 2));
    if (!flag.known()) return 0;
    if (equals == sv::npos) {
      const bool number_follows = place + 1 < m_words.size() && is_whole_number(m_words[place + 1]);
      if (flag.optional_value() != "N" || !number_follows) return add(flag, word);
      add(flag, std::string(word) + k_guard, true);
      return word.size();
    }
    add(flag, word.substr(0, equals));
    const sv value = word.substr(equals + 1);
    const bool guarded = value.empty() || is_misread(value) || !flag.takes_value();
    return guarded ? equals + 1 : k_nothing;
  }

  std::size_t guard_place_in_letters(sv word) {
    const std::size_t value = value_behind_letters(m_operation, word);
    if (value == 0) return 0;
    const bool equals = value != k_nothing && word[value - 1] == '=';
    const sv letters = word.substr(0, equals ? value - 1 : value);
    for (const char letter : letters.substr(1)) {
      add(typed_flag(m_operation, letter), std::string{'-', letter});
    }
    if (!equals) {
      return value != k_nothing && is_misread(word.substr(value)) ? value : k_nothing;
    }
    return typed_flag(m_operation, letters.back()).takes_value() ? value : letters.size() - 1;
  }

  static std::string plain(std::string text) {
    if (text.starts_with(std::string{'=', k_guard})) return text.substr(2);
    if (const auto at = text.find(k_guard); at != sv::npos) text.erase(at, 1);
    return text;
  }

  static std::string long_name(const Flag& flag) {
    return fmt::format("--{}{}", flag.negated ? "no-" : "", flag.name());
  }

  std::size_t add(const Flag& flag, sv typed) {
    std::string names = long_name(flag);
    const std::string letter =
        flag.letter() != 0 && !flag.negated ? fmt::format("-{}", flag.letter()) : std::string();
    if (typed != names && typed != letter) {
      names = typed;
    } else if (!letter.empty()) {
      names += "," + letter;
    }
    add(flag, names, flag.takes_value());
    return k_nothing;
  }

  /// Registers a flag with CLI11. Only flags that occur are registered: all flags of `chat` would
  /// take a hundred times as long.
  void add(const Flag& flag, const std::string& names, bool takes_value) {
    for (const Known& known : m_options) {
      if (known.names == names) return;
    }
    m_options.push_back({flag, names, takes_value ? m_app.add_option(names) : m_app.add_flag(names),
                         takes_value,
                         flag.field != nullptr && flag.field->flag == k_file &&
                             !names.starts_with(long_name(flag))});
  }

  /// Reads a switch that was given a value, for which most have no use.
  void read_switch(const Flag& flag, const std::string& typed, std::string value) {
    if (!flag.optional_value().empty()) {
      m_cut.flags.push_back({flag, std::move(value)});
    } else if (m_cut.refused.empty()) {
      m_cut.refused = typed;
    }
  }

  /// The flag that ends the last word.
  [[nodiscard]] Flag last_flag() const {
    const sv word = m_words.back();
    return word.starts_with("--") ? typed_flag(m_operation, word.substr(2))
                                  : typed_flag(m_operation, word.back());
  }

  void read_remaining() {
    for (std::string& word : m_app.remaining()) {
      std::string text = plain(std::move(word));
      if (!m_cut.dashes && text == "--") {
        m_cut.dashes = true;
      } else if (!m_cut.dashes && looks_like_flag(m_operation, text)) {
        m_cut.unknown.push_back(std::move(text));
      } else {
        m_cut.positionals.push_back(std::move(text));
      }
    }
  }

  const Operation* m_operation;
  std::span<const std::string> m_words;
  CLI::App m_app{};
  std::vector<Known> m_options{};
  bool m_lacks_value = false;  ///< the last word is a flag that takes a value
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
