// The flags about conversations that are kept on this machine; chat and responses share them.
#pragma once

#include <array>

#include "catalogue/model.h"

namespace svc::catalogue {

inline constexpr std::array<Field, 3> k_conversation_fields = {
    Field{.flag = "continue",
          .path = "",
          .kind = Kind::Boolean,
          .in = In::Local,
          .help = "Go on with the last kept conversation of this terminal, else of this folder.",
          .common = true},
    Field{.flag = "session",
          .path = "",
          .in = In::Local,
          .help = "Go on with the kept conversation of this name, or begin it.",
          .common = true,
          .example = "work",
          .completes = "sessions"},
    Field{.flag = "save",
          .path = "",
          .kind = Kind::Boolean,
          .in = In::Local,
          .help = "Keep the conversation on this machine; --no-save does not.",
          .fallback = "true on a terminal without a prompt and with --continue or --session, "
                      "unless the profile says history = false"},
};
inline constexpr std::array<Rule, 1> k_conversation_rules = {
    Rule{RuleKind::Excludes, "continue", "session", "Each of them names the conversation."},
};

}  // namespace svc::catalogue
