// The group tokenize.
#include "catalogue/check.h"
#include "catalogue/groups.h"
#include "catalogue/shared_fields.h"
#include "catalogue/tokenize_answers.h"

namespace svc::catalogue {
namespace tokenize {

constexpr std::array k_fields = {
    text("text", "Text to split.", typed("; omit or use - for standard input"), required,
         positional, common, file_text, example("Hello world")),
    k_model_field,
    k_user_field,
};
constexpr std::array k_examples = {
    Example{"svc tokenize 'How many tokens is this?'", "Lists the tokens."},
    Example{"svc tokenize 'How many?' --jq length", "Prints the number of tokens."},
};

constexpr std::array k_rows = {
    post("tokenize", "/v1/tokenize-text", "Split text into tokens.", default_verb, repeatable,
         free_of_charge, fields<k_fields>, default_model("svc-4.5"), items("token_ids"),
         answers(answer::tokenize::k_members)),
};
constexpr auto k_operations = checked(k_rows, k_examples, {"token", "tokens"});

}  // namespace tokenize

constinit const std::span<const Operation> k_tokenize_operations = tokenize::k_operations;

}  // namespace svc::catalogue
