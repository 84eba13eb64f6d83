// The commands of an interactive conversation, such as "/model svc-4.3".
#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "client/settings.h"
#include "terminal/editor/line_editor.h"

namespace svc::cli {

using sv = std::string_view;

/// What a command's argument completes to.
enum class ArgumentCompletion : std::uint8_t { None, Models, Paths, Programs, Words, Commands };

struct SlashWord {
  sv name;      ///< without the slash
  sv argument;  ///< as shown in help
  sv help;
  ArgumentCompletion offer = ArgumentCompletion::None;
  std::span<const sv> words{};  ///< of ArgumentCompletion::Words
  bool responses = false;       ///< for conversations of `svc responses` only
};

[[nodiscard]] std::span<const SlashWord> slash_words() noexcept;

/// A command line as typed.
struct SlashLine {
  std::string name{};
  std::string argument{};
};

/// Parses a command. Nothing for a message: text that does not start with a slash, or that
/// continues otherwise ("/usr/bin", "/ 2").
[[nodiscard]] std::optional<SlashLine> read_slash_line(sv text);

/// The command of that name or with that unique prefix ("/mo"); null if there is none.
[[nodiscard]] const SlashWord* find_slash_word(sv name);

/// Help for all commands, one per line, or for `only` one, at most `columns` wide. `responses`
/// includes the commands of such conversations.
[[nodiscard]] std::string slash_help(std::size_t columns, bool responses,
                                     const SlashWord* only = nullptr);

/// The existing files that a message mentions as `@path`.
[[nodiscard]] std::vector<std::string> mentioned_paths(sv text);

/// Expands a leading `~/` like a shell.
[[nodiscard]] std::string with_home(const std::string& path, const Environment& environment);

/// Completes command names, their arguments, and `@path` in a message. `models` is called when a
/// model name is wanted.
[[nodiscard]] Completion complete_slash(sv text, std::size_t cursor, bool responses,
                                        const std::function<std::vector<std::string>()>& models);

}  // namespace svc::cli
