// The group keys.
#include "catalogue/check.h"
#include "catalogue/groups.h"
#include "catalogue/keys_fields.h"

namespace svc::catalogue {
namespace {

using namespace keys;

constexpr std::array k_operations = {
    Operation{.group = "keys",
              .name = "create",
              .method = "POST",
              .path = "/auth/teams/{teamId}/api-keys",
              .summary = "Create an API key and print its secret, which is shown only once.",
              .host = Host::Management,
              .fields = resolved<k_create_fields>,
              .secret = true,
              .rules = k_create_rules,
              .details = k_issued_details,
              .examples = k_create_examples},
    Operation{.group = "keys",
              .name = "list",
              .method = "GET",
              .path = "/auth/teams/{teamId}/api-keys",
              .summary = "List the team's API keys: all for an admin, else your own.",
              .host = Host::Management,
              .fields = resolved<k_list_fields>,
              .repeat = Repeat::Always,
              .items = "apiKeys",
              .paging = Paging{"pageSize", "paginationToken", "paginationToken"},
              .columns = k_list_columns,
              .examples = k_list_examples},
    Operation{.group = "keys",
              .name = "update",
              .method = "PUT",
              .path = "/auth/api-keys/{apiKeyId}",
              .summary = "Change an API key's name, permissions, limits or expiry.",
              .host = Host::Management,
              .fields = resolved<k_update_fields>,
              .repeat = Repeat::Always,
              .mask = Mask{"apiKey", "fieldMask"},
              .rules = k_update_rules,
              .columns = k_key_columns,
              .examples = k_update_examples},
    Operation{.group = "keys",
              .name = "rotate",
              .method = "POST",
              .path = "/auth/api-keys/{apiKeyId}/rotate",
              .summary = "Rotate an API key: print a new secret, expire the old one.",
              .host = Host::Management,
              .fields = resolved<k_rotate_fields>,
              .secret = true,
              .details = k_issued_details,
              .examples = k_rotate_examples},
    Operation{.group = "keys",
              .name = "delete",
              .method = "DELETE",
              .path = "/auth/api-keys/{apiKeyId}",
              .summary = "Delete API keys permanently.",
              .host = Host::Management,
              .fields = resolved<k_delete_fields>,
              .reply = Reply::Nothing,
              .repeat = Repeat::WhenRefused,
              .destructive = true,
              .examples = k_delete_examples},
    Operation{.group = "keys",
              .name = "propagation",
              .method = "GET",
              .path = "/auth/api-keys/{apiKeyId}/propagation",
              .summary = "Show which inference clusters have an API key.",
              .host = Host::Management,
              .fields = resolved<k_propagation_fields>,
              .repeat = Repeat::Always,
              .examples = k_propagation_examples},
    Operation{.group = "keys",
              .name = "endpoints",
              .method = "GET",
              .path = "/auth/teams/{team_id}/endpoints",
              .summary = "List the endpoints that permissions can name.",
              .host = Host::Management,
              .repeat = Repeat::Always,
              .items = "acls",
              .columns = k_endpoint_columns,
              .examples = k_endpoints_examples},
    Operation{.group = "keys",
              .name = "self",
              .method = "GET",
              .path = "/v1/api-key",
              .summary = "Show the API key in use: permissions, team, status.",
              .repeat = Repeat::Always,
              .columns = k_key_columns,
              .examples = k_self_examples},
};
static_assert(check_operations(k_operations));

}  // namespace

std::span<const Operation> keys_operations() {
  return k_operations;
}

}  // namespace svc::catalogue
