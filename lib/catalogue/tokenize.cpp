// The group tokenize.
#include "catalogue/check.h"
#include "catalogue/groups.h"
#include "catalogue/shared_fields.h"

namespace svc::catalogue {
namespace tokenize {

constexpr std::array k_fields = {
    text("text", "Text to split; omit or use - for standard input.", required, positional, common,
         file_text, example("Hello world")),
    k_model_field,
    k_user_field,
};
constexpr std::array k_columns = {Column{"ID", "token_id", Cell::Count},
                                  Column{"TOKEN", "string_token"},
                                  Column{"BYTES", "token_bytes", Cell::List}};

constexpr std::array k_examples = {
    Example{"svc tokenize 'How many tokens is this?'", "Lists the tokens."},
    Example{"svc tokenize 'How many?' --jq length", "Prints the number of tokens."},
};

constexpr std::array k_rows = {
    post("tokenize", "/v1/tokenize-text", "Split text into tokens.", default_verb, repeatable,
         free_of_charge, fields<k_fields>, default_model("svc-4.5"), items("token_ids"),
         columns(k_columns)),
};
constexpr auto k_operations = checked(k_rows, k_examples);

}  // namespace tokenize

constinit const std::span<const Operation> k_tokenize_operations = tokenize::k_operations;

}  // namespace svc::catalogue
