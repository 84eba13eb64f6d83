#include "command_line/verb_guess.h"

#include <algorithm>
#include <array>
#include <span>

#include <fmt/format.h>

#include "base/text.h"
#include "docgen/describe.h"

namespace svc::cli {
namespace {

struct Synonym {
  sv word;
  std::array<sv, 3> verbs;  ///< in order of preference
};

constexpr std::array k_aliases = {Synonym{"ls", {"list"}}, Synonym{"rm", {"delete", "remove"}},
                                  Synonym{"show", {"get"}}};

constexpr std::array k_synonyms = {Synonym{"status", {"get", "status", "wait"}},
                                   Synonym{"show", {"get", "status", "list"}},
                                   Synonym{"info", {"get", "status", "self"}},
                                   Synonym{"describe", {"get", "status"}},
                                   Synonym{"view", {"get", "show"}},
                                   Synonym{"cat", {"download", "show"}},
                                   Synonym{"fetch", {"get", "download"}},
                                   Synonym{"poll", {"wait", "get"}},
                                   Synonym{"retrieve", {"get", "deferred"}},
                                   Synonym{"download", {"download", "wait", "get"}},
                                   Synonym{"get", {"get", "show", "deferred"}},
                                   Synonym{"delete", {"delete", "remove"}},
                                   Synonym{"remove", {"delete", "remove"}},
                                   Synonym{"del", {"delete", "remove"}},
                                   Synonym{"rm", {"delete", "remove"}},
                                   Synonym{"new", {"create", "generate"}},
                                   Synonym{"make", {"create", "generate"}},
                                   Synonym{"create", {"create", "generate", "upload"}},
                                   Synonym{"add", {"create", "upload", "add"}},
                                   Synonym{"submit", {"run", "create"}},
                                   Synonym{"start", {"run", "create"}},
                                   Synonym{"find", {"search"}},
                                   Synonym{"query", {"search"}},
                                   Synonym{"change", {"update", "edit"}},
                                   Synonym{"set", {"update", "set"}},
                                   Synonym{"put", {"upload", "update"}},
                                   Synonym{"stop", {"cancel"}},
                                   Synonym{"abort", {"cancel"}},
                                   Synonym{"list", {"list", "voices"}},
                                   Synonym{"ls", {"list", "voices"}}};

bool has_verb(const Group& group, sv name) {
  return std::any_of(group.operations.begin(), group.operations.end(),
                     [&](const Operation& operation) { return operation.name == name; });
}

/// The first of the table's verbs for `word` that the group has; empty if there is none.
sv first_of(std::span<const Synonym> table, const Group& group, sv prefix, sv word) {
  for (const Synonym& row : table) {
    if (row.word != word) continue;
    for (const sv verb : row.verbs) {
      if (!verb.empty() && has_verb(group, std::string(prefix) + std::string(verb))) return verb;
    }
  }
  return {};
}

bool is_verb_anywhere(sv word) {
  for (const Group& group : groups()) {
    if (has_verb(group, word)) return true;
  }
  const auto is_word = [&](const Synonym& row) { return row.word == word; };
  return std::any_of(k_aliases.begin(), k_aliases.end(), is_word) || word == "status";
}

}  // namespace

const Operation* find_verb(const Group& group, sv name) {
  if (const Operation* found = find_operation(group.name, name)) return found;
  const std::size_t blank = name.rfind(' ');
  const std::size_t begin = blank == sv::npos ? 0 : blank + 1;
  const sv verb = first_of(k_aliases, group, name.substr(0, begin), name.substr(begin));
  if (verb.empty()) return nullptr;
  return find_operation(group.name, std::string(name.substr(0, begin)) + std::string(verb));
}

std::string nearest_verb(const Group& group, sv word) {
  const sv synonym = first_of(k_synonyms, group, "", word);
  return std::string(synonym.empty() ? nearest(word, names_of(group.operations)) : synonym);
}

std::optional<Error> refuse_lone_verb(const Group& group, const Operation& default_verb,
                                      const Cut& cut) {
  if (default_verb.name.empty()) return std::nullopt;  // the group has no verbs
  const std::vector<std::string>& given = cut.positionals;
  const std::vector<const Field*> places = docgen::arguments(default_verb);
  if (cut.dashes || !cut.refused.empty()) return std::nullopt;
  if (given.empty() || places.empty()) return std::nullopt;
  const bool more = given.size() > places.size() && !places.back()->repeated;
  if (given.size() > 1 && !more) return std::nullopt;
  const std::string& word = given.front();
  const bool is_word = !word.empty() && std::all_of(word.begin(), word.end(), [](char c) {
    return (c >= 'a' && c <= 'z') || c == '-';
  });
  if (word == "help" && given.size() == 1) {
    return usage_error(
        fmt::format("'svc {} help' takes no flags", group.name),
        fmt::format("`svc {0} --help` describes it. To use the word as {1}: `svc {0} -- help`.",
                    group.name, docgen::argument_name(*places.front())));
  }
  const std::string likely = is_word ? nearest_verb(group, word) : std::string();
  if (!is_word || (likely.empty() && !is_verb_anywhere(word))) return std::nullopt;
  std::string hint = likely.empty() ? std::string()
                                    : fmt::format("Did you mean `svc {} {}`? ", group.name, likely);
  hint += fmt::format("To use it as {}: `svc {} -- {}`.", docgen::argument_name(*places.front()),
                      group.name, word);
  return usage_error(fmt::format("'svc {}' has no verb '{}'; verbs: {}", group.name, word,
                                 join(names_of(group.operations), ", ")),
                     std::move(hint));
}

std::string nearest_command(sv word) {
  struct Guess {
    sv word;
    sv command;
  };
  constexpr std::array k_guesses = {Guess{"version", "svc --version"},
                                    Guess{"login", "svc auth login"},
                                    Guess{"logout", "svc auth logout"},
                                    Guess{"whoami", "svc auth status"},
                                    Guess{"status", "svc doctor"},
                                    Guess{"init", "svc auth login"},
                                    Guess{"ask", "svc chat"},
                                    Guess{"run", "svc batches run"},
                                    Guess{"speak", "svc tts"},
                                    Guess{"talk", "svc realtime talk"},
                                    Guess{"listen", "svc stt live"},
                                    Guess{"embed", "svc collections"},
                                    Guess{"commands", "svc operations"},
                                    Guess{"man", "svc help"}};
  for (const Guess& guess : k_guesses) {
    if (guess.word == word) return std::string(guess.command);
  }
  // A verb that only one group has determines the command.
  std::string found;
  for (const Group& group : groups()) {
    if (!has_verb(group, word)) continue;
    if (!found.empty()) return {};
    found = fmt::format("svc {} {}", group.name, word);
  }
  return found;
}

}  // namespace svc::cli
