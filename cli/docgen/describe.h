// How help and man pages word the rows of the catalogue: said here once.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "catalogue/global_flags.h"
#include "catalogue/model.h"

namespace svc::docgen {

/// The name of a positional argument: "RESPONSE_ID".
[[nodiscard]] std::string argument_name(const Field& field);

/// What stands for the value: "N", "TEXT", "auto|on|off"; empty for a boolean.
[[nodiscard]] std::string value_name(const Field& field);

/// The flag without its value: "--max-tokens", "--[no-]store".
[[nodiscard]] std::string flag_name(const Field& field);

/// The help sentence with what the service does with the member before it and what is allowed
/// behind it: "[deprecated] At most this many tokens. (1 or more; default: 128000)".
[[nodiscard]] std::string describe(const Field& field);

/// "-p, --profile", or "    --force" for a flag without a letter.
[[nodiscard]] std::string flag_name(const GlobalFlag& flag);

/// "NAME", "text|json|jsonl|raw"; empty for a switch.
[[nodiscard]] std::string value_name(const GlobalFlag& flag);

/// "svc chat [create] [PROMPT] [flags]".
[[nodiscard]] std::string usage(const Operation& operation);

/// "POST /v1/chat/completions", with the host where it is not the inference host; empty for a
/// command of the tool itself.
[[nodiscard]] std::string request_line(const Operation& operation);

/// What to know before using the operation: not documented, asks before it acts.
[[nodiscard]] std::vector<std::string> remarks(const Operation& operation);

/// The positional fields, in order.
[[nodiscard]] std::vector<const Field*> arguments(const Operation& operation);

/// The fields that --help shows: not positional, and common or required; then the others.
[[nodiscard]] std::vector<const Field*> common_flags(const Operation& operation);
[[nodiscard]] std::vector<const Field*> further_flags(const Operation& operation);

}  // namespace svc::docgen
