// What the completion scripts of bash and zsh have in common.
#pragma once

#include <string>
#include <vector>

#include "docgen/completion_model.h"

namespace svc::docgen {

/// `text` as one word in single quotes.
[[nodiscard]] std::string single_quoted(sv text);

/// The pattern of a case for the command, under all of its names: "'chat create'|'chat'".
[[nodiscard]] std::string case_labels(const CompletionCommand& command);

/// What the scripts call the kind of a value: "", "free", "words a b", "file",
/// "at" or "ask keys".
[[nodiscard]] std::string value_kind(const CompletionValue& value);

/// The function _svc_values, the same for both shells.
[[nodiscard]] std::string values_function(const CompletionModel& model);

[[nodiscard]] std::string joined(const std::vector<std::string>& words, sv separator);

}  // namespace svc::docgen
