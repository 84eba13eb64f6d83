#include "conversation/slash_commands.h"

#include <algorithm>
#include <array>
#include <filesystem>
#include <utility>

#include <fmt/format.h>

#include "base/text.h"
#include "print/width.h"

namespace svc::cli {
namespace {

namespace fs = std::filesystem;

constexpr std::array<sv, 1> k_copy_words = {"code"};
constexpr std::array<sv, 1> k_edit_words = {"last"};
constexpr std::array<sv, 3> k_reasoning_words = {"full", "fold", "none"};
constexpr std::size_t k_max_paths = 200;

constexpr std::array k_slash_words = {
    SlashWord{"help", "[COMMAND]", "Show these commands, or one of them.",
              ArgumentCompletion::Commands},
    SlashWord{"model", "[NAME]", "Show or change the model.", ArgumentCompletion::Models},
    SlashWord{"system", "[TEXT]", "Show or set the system prompt."},
    SlashWord{"image", "PATH|URL", "Attach an image to the next message.",
              ArgumentCompletion::Paths},
    SlashWord{"paste", "", "Attach the image on the clipboard to the next message."},
    SlashWord{"file", "PATH|URL|ID", "Attach a file to the next message.",
              ArgumentCompletion::Paths},
    SlashWord{"tool", "[NAME=PROGRAM]", "List the model's tools or add one.",
              ArgumentCompletion::Programs},
    SlashWord{"tools", "[ask NAME]",
              "Show which tools run without asking, or ask again before one's calls."},
    SlashWord{"reasoning", "[full|fold|none]",
              "Show all of the model's reasoning, how long it took, or nothing.",
              ArgumentCompletion::Words, k_reasoning_words},
    SlashWord{"mcp", "[SERVER]",
              "List MCP servers or one's tools; NAME=COMMAND|URL adds a server, call SERVER TOOL "
              "JSON calls a tool."},
    SlashWord{"retry", "", "Discard the last answer and resend the message."},
    SlashWord{"edit", "[last]", "Write a message in $EDITOR, or edit and resend the last one.",
              ArgumentCompletion::Words, k_edit_words},
    SlashWord{"undo", "[N]", "Undo the last message and its answer, or the last N."},
    SlashWord{"save", "FILE", "Save the conversation as Markdown, or as JSON to FILE.json.",
              ArgumentCompletion::Paths},
    SlashWord{"copy", "[code|N]", "Copy the last answer, its last code block or the Nth.",
              ArgumentCompletion::Words, k_copy_words},
    SlashWord{"resume", "[NUMBER|NAME]",
              "Resume another saved conversation (without an argument: choose from a list)."},
    SlashWord{"history", "", "Show the whole conversation again, in the pager."},
    SlashWord{.name = "compact",
              .argument = "",
              .help = "Compact the conversation into one item on the service.",
              .responses = true},
    SlashWord{"cost", "", "Show the conversation's cost so far."},
    SlashWord{"clear", "", "Start a new conversation with the same settings."},
    SlashWord{"exit", "", "Exit (also Ctrl-D)."},
};

constexpr sv k_slash_remarks =
    "@PATH in a message attaches a file; !COMMAND runs a shell command and offers its output. "
    "Enter sends. For a multi-line message, end a line with a backslash, press Alt-Enter or put "
    "\"\"\" around the text; a paste is one message. Ctrl-C stops an answer or clears the line; "
    "Ctrl-R searches earlier messages; Ctrl-X Ctrl-E opens $EDITOR (`svc config set keys vi` sets "
    "vi's keys). Start with a space to send a text that begins with a slash.";

bool is_name_char(char c) {
  return c >= 'a' && c <= 'z';
}

/// Where the argument starts.
std::size_t argument_begin(sv text) {
  const std::size_t blank = text.find(' ');
  if (blank == sv::npos) return text.size();
  const std::size_t begin = text.find_first_not_of(' ', blank);
  return begin == sv::npos ? text.size() : begin;
}

std::vector<std::string> path_words(sv typed) {
  const std::size_t slash = typed.rfind('/');
  const std::string directory(slash == sv::npos ? sv{} : typed.substr(0, slash + 1));
  const sv begin = typed.substr(directory.size());
  const fs::path place =
      directory.empty() ? fs::path(".") : fs::path(with_home(directory, Environment::of_process()));
  std::vector<std::string> words;
  std::error_code failed;
  for (const auto& entry : fs::directory_iterator(place, failed)) {
    const std::string name = entry.path().filename().string();
    if (!name.starts_with(begin) || (name.starts_with('.') && begin.empty())) continue;
    // Names with control characters are not offered.
    if (visible(name, Lines::Escape) != name) continue;
    words.push_back(directory + name + (entry.is_directory(failed) ? "/" : ""));
    if (words.size() >= k_max_paths) break;
  }
  return words;
}

void keep_matching(std::vector<std::string>& words, sv typed) {
  std::erase_if(words, [&](const std::string& word) { return !word.starts_with(typed); });
  std::sort(words.begin(), words.end());
  words.erase(std::unique(words.begin(), words.end()), words.end());
}

Completion complete_name(sv typed, bool responses) {
  Completion completion;
  for (const SlashWord& word : k_slash_words) {
    if (word.responses && !responses) continue;
    const std::string whole = fmt::format("/{}{}", word.name, word.argument.empty() ? "" : " ");
    if (whole.starts_with(typed)) completion.words.push_back(whole);
  }
  return completion;
}

/// Completes the `@path` before the cursor.
Completion complete_mention(sv typed) {
  const std::size_t blank = typed.find_last_of(" \t\n");
  const std::size_t begin = blank == sv::npos ? 0 : blank + 1;
  if (!typed.substr(begin).starts_with('@')) return {};
  Completion completion{begin + 1, path_words(typed.substr(begin + 1))};
  std::erase_if(completion.words,
                [](const std::string& word) { return word.find(' ') != std::string::npos; });
  keep_matching(completion.words, typed.substr(begin + 1));
  return completion;
}

}  // namespace

std::vector<std::string> mentioned_paths(sv text) {
  std::vector<std::string> paths;
  for (std::size_t at = 0; at < text.size();) {
    const std::size_t end = std::min(text.find_first_of(" \t\n", at), text.size());
    sv word = text.substr(at, end - at);
    at = end + 1;
    if (!word.starts_with('@') || word.size() < 2) continue;
    word.remove_prefix(1);
    std::error_code failed;
    const auto is_file = [&](sv path) {
      return fs::is_regular_file(with_home(std::string(path), Environment::of_process()), failed);
    };
    // Trailing punctuation is not part of a path, unless such a file exists.
    while (word.size() > 1 && !is_file(word) && sv(".,;:!?)\"'").find(word.back()) != sv::npos) {
      word.remove_suffix(1);
    }
    if (is_file(word)) paths.emplace_back(word);
  }
  return paths;
}

std::string with_home(const std::string& path, const Environment& environment) {
  if (!path.starts_with("~/")) return path;
  return environment("HOME").value_or("~") + path.substr(1);
}

std::span<const SlashWord> slash_words() noexcept {
  return k_slash_words;
}

std::optional<SlashLine> read_slash_line(sv text) {
  if (!text.starts_with('/')) return std::nullopt;
  std::size_t end = 1;
  while (end < text.size() && is_name_char(text[end])) ++end;
  if (end == 1 || (end < text.size() && text[end] != ' ' && text[end] != '\n')) return std::nullopt;
  return SlashLine{std::string(text.substr(1, end - 1)), std::string(trim(text.substr(end)))};
}

const SlashWord* find_slash_word(sv name) {
  const SlashWord* found = nullptr;
  if (name == "quit") name = "exit";
  for (const SlashWord& word : k_slash_words) {
    if (word.name == name) return &word;
    if (!word.name.starts_with(name)) continue;
    if (found != nullptr) return nullptr;
    found = &word;
  }
  return found;
}

std::string slash_help(std::size_t columns, bool responses, const SlashWord* only) {
  constexpr std::size_t k_names = 28;
  constexpr std::size_t k_below = 4;  // of the help below a name, in a narrow window
  const std::size_t width = std::clamp<std::size_t>(columns, 20, 100) - 1;
  const bool narrow = width < 2 * k_names;
  std::string text;
  for (const SlashWord& word : k_slash_words) {
    if (only != nullptr ? word.name != only->name : word.responses && !responses) continue;
    std::string lead =
        fmt::format("/{}{}{}", word.name, word.argument.empty() ? "" : " ", word.argument);
    if (narrow) text += std::exchange(lead, {}) + '\n';
    const std::size_t indent = narrow ? k_below : k_names;
    for (const std::string& line : print::wrap(word.help, width - indent)) {
      text += fmt::format("{:<{}}{}\n", std::exchange(lead, {}), indent, line);
    }
  }
  if (only != nullptr) return text;
  text += '\n';
  for (const std::string& line : print::wrap(k_slash_remarks, width)) text += line + '\n';
  return text;
}

Completion complete_slash(sv text, std::size_t cursor, bool responses,
                          const std::function<std::vector<std::string>()>& models) {
  const sv typed = text.substr(0, cursor);
  if (!text.starts_with('/') || text.find('\n') != sv::npos) return complete_mention(typed);
  if (typed.find(' ') == sv::npos) return complete_name(typed, responses);
  const SlashWord* word = find_slash_word(typed.substr(1, typed.find(' ') - 1));
  if (word == nullptr) return {};
  Completion completion{argument_begin(typed), {}};
  sv argument = typed.substr(completion.begin);
  if (word->offer == ArgumentCompletion::Programs) {
    const std::size_t equals = argument.find('=');
    if (equals == sv::npos) return {};
    completion.begin += equals + 1;
    argument.remove_prefix(equals + 1);
  }
  switch (word->offer) {
    case ArgumentCompletion::Models:
      completion.words = models();
      break;
    case ArgumentCompletion::Paths:
    case ArgumentCompletion::Programs:
      completion.words = path_words(argument);
      break;
    case ArgumentCompletion::Words:
      completion.words.assign(word->words.begin(), word->words.end());
      break;
    case ArgumentCompletion::Commands:
      for (const SlashWord& known : k_slash_words) completion.words.emplace_back(known.name);
      break;
    case ArgumentCompletion::None:
      break;
  }
  keep_matching(completion.words, argument);
  return completion;
}

}  // namespace svc::cli
