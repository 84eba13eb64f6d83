// keys: api 1 §2.9.
#include "catalogue/check.h"
#include "catalogue/groups.h"

namespace svc::catalogue {
namespace {

constexpr std::array k_self_examples = {
    Example{"svc keys self", "Shows what the calling key may do and whether it is blocked."}};

constexpr std::array k_operations = {
    Operation{.group = "keys",
              .name = "self",
              .method = "GET",
              .path = "/v1/api-key",
              .summary = "Show the calling API key: permissions, team, blocks.",
              .repeat = Repeat::Always,
              .document = "api 1 §2.9",
              .examples = k_self_examples},
};
static_assert(check_operations(k_operations));

}  // namespace

std::span<const Operation> keys_operations() {
  return k_operations;
}

}  // namespace svc::catalogue
