// The commands of a conversation: "/model svc-4.3".
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

/// What its argument can be completed to.
enum class ArgumentCompletion : std::uint8_t { None, Models, Paths, Programs, Words, Commands };

struct SlashWord {
  sv name;      ///< without the slash
  sv argument;  ///< as the help names it
  sv help;
  ArgumentCompletion offer = ArgumentCompletion::None;
  std::span<const sv> words{};  ///< of ArgumentCompletion::Words
  bool responses = false;       ///< for conversations of `svc responses` only
};

[[nodiscard]] std::span<const SlashWord> slash_words() noexcept;

/// A command as it was typed.
struct SlashLine {
  std::string name{};
  std::string argument{};
};

/// Nothing for what is to be said: a text without a slash at its begin, or with one that begins
/// something else ("/usr/bin", "/ 2").
[[nodiscard]] std::optional<SlashLine> read_slash_line(sv text);

/// The word of that name, or of which it is the only begin ("/mo"); null when there is none.
[[nodiscard]] const SlashWord* find_slash_word(sv name);

/// "/help" and the others, one per line with its help, or `only` one; as wide as the terminal at
/// most. `responses`: those of such conversations too.
[[nodiscard]] std::string slash_help(std::size_t columns, bool responses,
                                     const SlashWord* only = nullptr);

/// The files that a message names as `@path`: those that there are.
[[nodiscard]] std::vector<std::string> mentioned_paths(sv text);

/// `~/` as a shell reads it.
[[nodiscard]] std::string with_home(const std::string& path, const Environment& environment);

/// Completes names of commands and their arguments, and `@path` in a message; `models` is asked
/// when a model is wanted.
[[nodiscard]] Completion complete_slash(sv text, std::size_t cursor, bool responses,
                                        const std::function<std::vector<std::string>()>& models);

}  // namespace svc::cli
