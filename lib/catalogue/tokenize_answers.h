// The answer of tokenize.
#pragma once

#include "catalogue/answer_builders.h"

namespace svc::catalogue::answer::tokenize {

inline constexpr std::array k_token_members = {
    count("token_id", "Number of the token in the model's vocabulary.", label("ID"), required),
    text("string_token", "The token's text.", label("Token"), required),
    integer("token_bytes[]", "The same in UTF-8.", label("Bytes"), required),
};
inline constexpr Shape k_token{"Token", k_token_members};
inline constexpr std::array k_members = {
    list("token_ids[]", k_token, "Tokens of the text, in order.", required)};

}  // namespace svc::catalogue::answer::tokenize
