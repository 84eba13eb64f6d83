// What can be completed, the same for every shell.
#pragma once

#include <span>
#include <string>
#include <vector>

#include "catalogue/catalogue.h"

namespace svc::docgen {

/// What may stand for a value.
enum class Values : std::uint8_t {
  None,       ///< a switch takes none
  Free,       ///< nothing is known
  SplitArgs,  ///< one of the words, or (for an open list) something else
  File,       ///< a path
  AtFile,     ///< @ and a path, or something else
  Ask,        ///< what `svc __complete` prints for the word (cli/complete.h)
};

struct CompletionValue {
  Values values = Values::Free;
  std::vector<std::string> words{};

  friend bool operator==(const CompletionValue&, const CompletionValue&) = default;
};

struct CompletionFlag {
  std::string name;    ///< "--model", "-o"
  std::string help{};  ///< without the full stop
  CompletionValue value{};
  bool offered = true;  ///< deprecated, ignored and unsupported ones are known but not offered
};

/// One command: "" (svc itself), "chat" (a group) or "chat create".
struct CompletionCommand {
  std::vector<std::string> names;            ///< a group's default verb has two
  std::vector<CompletionFlag> flags{};       ///< its own, without the global ones
  std::vector<CompletionValue> arguments{};  ///< by position
  bool last_repeats = false;
};

/// A word that may follow a command's name.
struct CompletionWord {
  std::string after;  ///< "" or "chat"
  std::string word;   ///< "chat" or "create"
  std::string help;
};

struct CompletionModel {
  std::vector<CompletionWord> words{};
  std::vector<CompletionCommand> commands{};
  std::vector<CompletionFlag> global_flags{};
};

[[nodiscard]] CompletionModel completion_model(std::span<const Group> groups);

/// The names of flags that take the same values, so that a script can list them together. Flags
/// without a value are left out.
struct CompletionClass {
  CompletionValue value;
  std::vector<std::string> names{};
};
[[nodiscard]] std::vector<CompletionClass> value_classes(const std::vector<CompletionFlag>& flags,
                                                         const CompletionCommand* command);

}  // namespace svc::docgen
