#include "command_line/aliases.h"

#include <algorithm>
#include <span>
#include <utility>

#include <fmt/format.h>

#include "base/text.h"
#include "client/settings.h"
#include "command_line/flags.h"
#include "command_line/guesses.h"
#include "command_line/split_args.h"
#include "request/flags.h"

namespace svc::cli {
namespace {

using Words = std::vector<std::string>;

/// Splits a text into words as a shell does, with its quotes and backslashes; nothing is expanded.
Result<Words> split_like_shell(sv text) {
  Words words;
  std::string word;
  bool inside = false;
  char quote = '\0';
  for (std::size_t i = 0; i < text.size(); ++i) {
    const char c = text[i];
    const bool escapes = c == '\\' && quote != '\'' && i + 1 < text.size() &&
                         (quote == '\0' || sv("\"\\$`").find(text[i + 1]) != sv::npos);
    if (quote == '\0' && sv(" \t\n").find(c) != sv::npos) {
      if (inside) words.push_back(std::exchange(word, {}));
      inside = false;
      continue;
    }
    inside = true;
    if (escapes) {
      word += text[++i];
    } else if (quote != '\0' ? c == quote : c == '\'' || c == '"') {
      quote = quote != '\0' ? '\0' : c;
    } else {
      word += c;
    }
  }
  if (quote != '\0') return usage_error(fmt::format("unfinished quote {} in the alias", quote));
  if (inside) words.push_back(std::move(word));
  return words;
}

/// Whether `$1` to `$9` is at this place.
bool is_placeholder(sv word, std::size_t at) {
  return word[at] == '$' && at + 1 < word.size() && word[at + 1] >= '1' && word[at + 1] <= '9';
}

bool has_placeholder(sv word) {
  for (std::size_t i = 0; i < word.size(); ++i) {
    if (is_placeholder(word, i)) return true;
  }
  return false;
}

/// The expansion with its placeholders replaced, and the other arguments.
Result<Words> fill(const std::string& name, const Words& expansion,
                   std::span<const std::string> given) {
  std::vector<bool> used(given.size(), false);
  Words filled;
  for (const std::string& word : expansion) {
    std::string& text = filled.emplace_back();
    for (std::size_t i = 0; i < word.size(); ++i) {
      if (!is_placeholder(word, i)) {
        text += word[i];
        continue;
      }
      const auto number = static_cast<std::size_t>(word[++i] - '1');
      if (number >= given.size()) {
        return usage_error(fmt::format("alias {} has no argument for ${}", name, number + 1),
                           fmt::format("It stands for: svc {}", shown(join(expansion, " "))));
      }
      text += given[number];
      used[number] = true;
    }
  }
  for (std::size_t i = 0; i < given.size(); ++i) {
    if (!used[i]) filled.push_back(given[i]);
  }
  return filled;
}

bool asks_for_help(const std::string& word) {
  return word == "--help" || word == "-h" || word == "--help-all";
}

/// The words of the alias at `at`, with what follows it.
Result<Words> expand_alias(const Words& arguments, std::size_t at, const std::string& expansion) {
  const std::string& name = arguments[at];
  SVC_TRY(words, split_like_shell(expansion));
  if (words.empty() || find_group(words.front()) == nullptr) {
    return usage_error(fmt::format("alias {} does not begin with a command of svc", name),
                       fmt::format("Run `svc alias set {} 'COMMAND'` to change it.", name));
  }
  Words expanded(arguments.begin(), arguments.begin() + static_cast<std::ptrdiff_t>(at));
  const auto given = std::span(arguments).subspan(at + 1);
  const bool after_help = at > 0 && arguments[at - 1] == "help";
  if (after_help || std::any_of(given.begin(), given.end(), asks_for_help)) {
    expanded.push_back(words.front());
    if (!after_help) expanded.emplace_back("--help");
    return expanded;
  }
  SVC_TRY(filled, fill(name, words, given));
  std::move(filled.begin(), filled.end(), std::back_inserter(expanded));
  return expanded;
}

Result<std::string> default_command(const ConfigFile& file, const Words& arguments) {
  Overrides overrides;
  for (const auto& [flag, value] : cut_arguments(nullptr, arguments).flags) {
    if (flag.name() == k_global_flag<"profile"> && value) overrides["profile"] = *value;
  }
  std::vector<Error> faults;  // reported by the command
  SVC_TRY(settings,
          resolve_settings(overrides, Environment::of_process(), file, NewProfile::Allow, &faults));
  return settings.default_command.value;
}

/// The place of the word that is not a command of svc; the number of arguments if there is none.
std::size_t foreign_place(const Words& arguments) {
  std::size_t at = count_global_flags(arguments);
  if (at < arguments.size() && arguments[at] == "help") ++at;
  const bool foreign = at < arguments.size() && !arguments[at].starts_with('-') &&
                       find_group(arguments[at]) == nullptr;
  return foreign ? at : arguments.size();
}

}  // namespace

Result<Words> expand_command(const Words& arguments) {
  const std::size_t at = foreign_place(arguments);
  if (at == arguments.size()) return arguments;
  const bool help = at > 0 && arguments[at - 1] == "help";
  const std::string& word = arguments[at];
  auto file = ConfigFile::load_default();
  if (!file && help) return arguments;
  if (!file) return std::move(file).error();
  const auto& aliases = file->aliases();
  if (const auto alias = aliases.find(word); alias != aliases.end()) {
    return expand_alias(arguments, at, alias->second.text);
  }
  if (help) return arguments;
  const bool guess = !nearest_command(word).empty() || is_guess(word);
  const auto text = prompt_in(std::span(arguments).subspan(at));
  std::vector<sv> names;
  for (const auto& [name, expansion] : aliases) names.emplace_back(name);
  if (const sv near = nearest(word, names); !guess && !text && !near.empty()) {
    return usage_error(fmt::format("unknown command '{}'", shown(word)),
                       fmt::format("Did you mean `svc {}`?", near));
  }
  if (!text || guess) return arguments;
  SVC_TRY(command, default_command(*file, arguments));
  if (command.empty()) return arguments;
  const auto begin = arguments.begin() + static_cast<std::ptrdiff_t>(at);
  Words expanded(arguments.begin(), begin);
  expanded.push_back(command);
  expanded.push_back(text->text);
  expanded.insert(expanded.end(), begin + static_cast<std::ptrdiff_t>(text->words),
                  arguments.end());
  return expanded;
}

Words expand_typed(const Words& words) {
  const std::size_t at = foreign_place(words);
  if (at + 1 >= words.size()) return words;
  const ConfigFile::Profile aliases = known_aliases();
  const auto alias = aliases.find(words[at]);
  if (alias == aliases.end()) return words;
  auto expansion = split_like_shell(alias->second.text);
  if (!expansion) return words;
  std::erase_if(*expansion, has_placeholder);
  Words expanded(words.begin(), words.begin() + static_cast<std::ptrdiff_t>(at));
  expanded.insert(expanded.end(), expansion->begin(), expansion->end());
  expanded.insert(expanded.end(), words.begin() + static_cast<std::ptrdiff_t>(at + 1), words.end());
  return expanded;
}

Result<void> check_alias(const std::string& name, const std::string& expansion) {
  if (!check_profile_name(name)) {
    return usage_error(fmt::format("invalid alias name '{}'", shown(name)),
                       "Use 1 to 64 letters, digits, dashes and underscores.");
  }
  if (find_group(name) != nullptr || name == "help") {
    return usage_error(fmt::format("'{}' is a command of svc", name), "Choose another name.");
  }
  SVC_TRY(words, split_like_shell(expansion));
  if (words.empty() || find_group(words.front()) == nullptr) {
    return usage_error(fmt::format("an alias begins with a command of svc, not '{}'",
                                   shown(words.empty() ? expansion : words.front())),
                       fmt::format("For example: svc alias set {} 'chat -m svc-4.3'", name));
  }
  SVC_TRY(parts, split_args(words));
  if (parts.cut.unknown.empty()) return {};
  const std::string& flag = parts.cut.unknown.front();
  return usage_error(fmt::format("'svc {}' has no flag '{}'", words.front(), shown(flag)),
                     flag_hint(parts.operation, flag));
}

ConfigFile::Profile known_aliases() {
  const auto file = ConfigFile::load_default();
  return file ? file->aliases() : ConfigFile::Profile();
}

}  // namespace svc::cli
