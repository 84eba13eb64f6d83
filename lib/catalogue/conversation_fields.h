// The flags about conversations that are kept on this machine; chat and responses share them.
#pragma once

#include <array>

#include "catalogue/model.h"

namespace svc::catalogue {

inline constexpr std::array<Field, 3> k_conversation_fields = {
    Field{.flag = "continue",
          .kind = Kind::Boolean,
          .in = In::Local,
          .help = "Continue the last conversation of this terminal, or else this directory, or "
                  "the one with this number or name.",
          .letter = 'c',
          .common = true,
          .may_take = "NAME|N"},
    Field{.flag = "session",
          .in = In::Local,
          .help =
              "Continue the saved conversation with this name, or start it; or one by its number.",
          .common = true,
          .example = "work",
          .completes = "sessions"},
    Field{.flag = "save",
          .kind = Kind::Boolean,
          .in = In::Local,
          .help = "Save the conversation on this machine.",
          .fallback = "true on a terminal without a prompt and with --continue or --session, "
                      "unless the profile says history = false"},
};
inline constexpr std::array<Rule, 1> k_conversation_rules = {
    Rule{RuleKind::Excludes, "continue", "session", "Each of them names the conversation."},
};

}  // namespace svc::catalogue
