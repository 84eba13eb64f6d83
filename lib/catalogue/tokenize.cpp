// The group tokenize.
#include "catalogue/check.h"
#include "catalogue/groups.h"
#include "catalogue/shared_fields.h"

namespace svc::catalogue {
namespace {

constexpr std::array k_fields = {
    Field{.flag = "text",
          .help = "Text to split; omit or use - for standard input.",
          .required = true,
          .positional = true,
          .common = true,
          .file_text = true,
          .example = "Hello world"},
    k_model_field,
    k_user_field,
};
constexpr std::array k_columns = {Column{"ID", "token_id", Cell::Count},
                                  Column{"TOKEN", "string_token"},
                                  Column{"BYTES", "token_bytes", Cell::List}};
constexpr std::array k_examples = {
    Example{"svc tokenize 'How many tokens is this?'", "Lists the tokens."},
    Example{"svc tokenize 'How many?' --jq length", "Prints their number."}};

constexpr std::array k_operations = {
    Operation{.group = "tokenize",
              .name = "",
              .method = "POST",
              .path = "/v1/tokenize-text",
              .summary = "Split text into tokens.",
              .fields = resolved<k_fields>,
              .is_default = true,
              .repeat = Repeat::Always,
              .default_model = "svc-4.5",
              .free = true,
              .items = "token_ids",
              .columns = k_columns,
              .examples = k_examples},
};
static_assert(check_operations(k_operations));

}  // namespace

std::span<const Operation> tokenize_operations() {
  return k_operations;
}

}  // namespace svc::catalogue
