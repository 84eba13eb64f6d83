// The texts about catalogue rows that help and man pages share.
#pragma once

#include <array>
#include <string>
#include <string_view>
#include <vector>

#include "catalogue/global_flags.h"
#include "catalogue/model.h"

namespace svc::docgen {

/// The name of a positional argument: "RESPONSE_ID".
[[nodiscard]] std::string argument_name(const Field& field);

/// The placeholder of the value: "N", "TEXT", "auto|on|off"; empty for a boolean.
[[nodiscard]] std::string value_name(const Field& field);

/// The flag without its value: "--max-tokens", "--[no-]store".
[[nodiscard]] std::string flag_name(const Field& field);

/// The help sentence, preceded by the field's status and followed by the allowed values:
/// "[deprecated] Limit the answer to N tokens. (1 or more; default: 128000)".
[[nodiscard]] std::string describe(const Field& field);

/// "-p, --profile", or "    --force" for a flag without a letter.
[[nodiscard]] std::string flag_name(const GlobalFlag& flag);

/// "NAME", "text|json|jsonl|raw"; empty for a switch.
[[nodiscard]] std::string value_name(const GlobalFlag& flag);

/// "svc chat [create] [PROMPT] [flags]".
[[nodiscard]] std::string usage(const Operation& operation);

/// "POST /v1/chat/completions", with the host unless it is the inference host; empty for a local
/// command.
[[nodiscard]] std::string request_line(const Operation& operation);

/// By RuleKind.
inline constexpr std::array<sv, 5> k_rule_words = {"excludes", "requires", "either", "ordered",
                                                   "warns"};
static_assert(k_rule_words.size() == static_cast<std::size_t>(RuleKind::Warns) + 1);

/// What the mark † in a help text means.
inline constexpr sv k_observed_meaning =
    "† Observed, not documented: it works today, but the service may change it without notice.";
/// The operation's sentence, marked if the operation is only observed.
[[nodiscard]] std::string marked_summary(const Operation& operation);

/// Sentences to read before using the operation: that it is undocumented, deprecated or asks for
/// confirmation.
[[nodiscard]] std::vector<std::string> remarks(const Operation& operation);

/// The positional fields, in order.
[[nodiscard]] std::vector<const Field*> arguments(const Operation& operation);

/// The fields that --help shows: not positional, and common or required; then the others.
[[nodiscard]] std::vector<const Field*> common_flags(const Operation& operation);
[[nodiscard]] std::vector<const Field*> further_flags(const Operation& operation);

}  // namespace svc::docgen
