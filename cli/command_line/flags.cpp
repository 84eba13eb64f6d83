#include "command_line/flags.h"

#include <algorithm>

#include <fmt/format.h>

namespace svc::cli {
namespace {

bool is_letter(char c) {
  return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z');
}

bool is_whole_number(sv word) {
  return !word.empty() && word.find_first_not_of("0123456789") == sv::npos;
}

/// Whether a word with one dash is rather a long flag that lacks the other: "-message", "-max-tok".
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

class Cutter {
 public:
  Cutter(const Operation* operation, const std::vector<std::string>& arguments)
      : m_operation(operation), m_arguments(arguments) {}

  Result<Cut> cut() {
    for (; m_at < m_arguments.size(); ++m_at) {
      if (m_arguments[m_at] == "--") {
        m_cut.positionals.insert(m_cut.positionals.end(),
                                 m_arguments.begin() + static_cast<std::ptrdiff_t>(m_at) + 1,
                                 m_arguments.end());
        break;
      }
      if (looks_like_flag()) {
        SVC_CHECK(read_flag());
      } else {
        m_cut.positionals.push_back(m_arguments[m_at]);
      }
    }
    return std::move(m_cut);
  }

  /// How many arguments the flag at `at` takes; 0 when it is not known.
  std::size_t length(std::size_t at) {
    m_at = at;
    if (!read_flag()) return 1;  // refused where all are cut
    return m_cut.flags.back().flag.known() ? m_at + 1 - at : 0;
  }

 private:
  /// Does it look like a flag, known or not? A name holds no blanks and begins with a letter: a
  /// list item, a negative number or "-v is broken" is text. The value behind a letter may hold
  /// any.
  [[nodiscard]] bool looks_like_flag() const {
    const sv word = m_arguments[m_at];
    if (!word.starts_with('-') || word == "-") return false;
    if (global_flag_length(m_arguments, m_at) > 0) return true;
    const std::size_t begin = word.starts_with("--") ? 2 : 1;
    const sv name = word.substr(begin, word.find('=') - begin);
    if (name.empty() || !is_letter(name.front())) return false;
    return (begin == 1 && find_flag(m_operation, name.front()).takes_value()) ||
           name.find_first_of(" \t\r\n") == sv::npos;
  }

  /// Leaves `m_at` at the last argument that belongs to the flag.
  Result<void> read_flag() {
    const sv word = m_arguments[m_at];
    return word.starts_with("--") ? read_name(word) : read_letters(word);
  }

  Result<void> read_name(sv word) {
    const std::size_t equals = word.find('=');
    const Flag flag = find_flag(m_operation, word.substr(2, equals - 2));
    if (!flag.known() || equals == sv::npos) {
      const bool counts = flag.may_take() == "N" && m_at + 1 < m_arguments.size() &&
                          is_whole_number(m_arguments[m_at + 1]);
      add(flag, word, counts ? next() : value_of(flag));
      return {};
    }
    if (!flag.takes_value() && flag.may_take().empty()) {
      return usage_error(fmt::format("{} takes no value", word.substr(0, equals)));
    }
    add(flag, word, std::string(word.substr(equals + 1)));
    return {};
  }

  /// "-q", "-qv", "-m NAME", "-mNAME", "-m=NAME", "-qm NAME". All of it is unknown where a letter
  /// is.
  Result<void> read_letters(sv word) {
    const std::size_t before = m_cut.flags.size();
    for (std::size_t i = 1; i < word.size(); ++i) {
      const Flag flag = is_meant_long(m_operation, word) ? Flag() : find_flag(m_operation, word[i]);
      if (!flag.known()) {
        m_cut.flags.resize(before);
        add(flag, word, {});
        return {};
      }
      const sv rest = word.substr(i + 1);
      const bool given = rest.starts_with('=');
      if (given && !flag.takes_value() && flag.may_take().empty()) {
        return usage_error(fmt::format("-{} takes no value", word[i]));
      }
      if (given || (flag.takes_value() && !rest.empty())) {
        add(flag, word, std::string(rest.substr(given ? 1 : 0)));
        return {};
      }
      add(flag, word, value_of(flag));
    }
    return {};
  }

  /// The value of a flag that has none attached.
  std::optional<std::string> value_of(const Flag& flag) {
    if (flag.takes_value()) return next();
    return flag.denies ? "false" : "true";
  }

  std::optional<std::string> next() {
    if (m_at + 1 == m_arguments.size()) return std::nullopt;
    return m_arguments[++m_at];
  }

  void add(const Flag& flag, sv word, std::optional<std::string> value) {
    m_cut.flags.push_back({flag, std::string(word), std::move(value)});
  }

  const Operation* m_operation;
  const std::vector<std::string>& m_arguments;
  std::size_t m_at = 0;
  Cut m_cut{};
};

}  // namespace

Flag find_flag(const Operation* operation, sv name) {
  Flag flag{.global = find_global_flag(name)};
  if (flag.known() || operation == nullptr) return flag;
  flag.field = find_field(*operation, name);
  if (flag.known() || !name.starts_with("no-")) return flag;
  const Field* denied = find_field(*operation, name.substr(3));
  const bool deniable =
      denied != nullptr && denied->kind == Kind::Boolean && denied->stands_for.empty();
  return deniable ? Flag{.field = denied, .denies = true} : Flag();
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

Result<Cut> cut_arguments(const Operation* operation, const std::vector<std::string>& arguments) {
  return Cutter(operation, arguments).cut();
}

std::size_t global_flag_length(const std::vector<std::string>& arguments, std::size_t at) {
  const sv word = arguments[at];
  if (word.size() < 2 || word.front() != '-' || word == "--") return 0;
  return Cutter(nullptr, arguments).length(at);
}

}  // namespace svc::cli
