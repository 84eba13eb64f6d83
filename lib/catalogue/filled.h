// Which texts say something or are not sent at all.
#pragma once

#include <array>

#include "catalogue/model.h"

namespace svc::catalogue {

/// Names, models, prompts, and whatever is required: an empty one is a variable of a shell that was
/// not set, never what somebody wants to send.
constexpr bool must_be_filled(const Field& field) {
  if (field.kind != Kind::Text && field.kind != Kind::TextOrJson) return false;
  // What the tool itself takes may be a setting, which is unset by nothing.
  if (field.in != In::Local && (field.required || field.positional)) return true;
  constexpr std::array<sv, 6> k_words = {"model", "name",   "prompt",
                                         "input", "system", "instructions"};
  const sv member = field.path.empty() ? field.flag : field.path;
  const sv last = member.substr(member.rfind('.') + 1);
  for (const sv word : k_words) {
    if (last == word) return true;
  }
  return last.ends_with("_name") || last.ends_with("filename") || last.ends_with("_model");
}

}  // namespace svc::catalogue
