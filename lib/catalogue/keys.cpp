// The group keys.
#include "catalogue/check.h"
#include "catalogue/groups.h"
#include "catalogue/keys_fields.h"

namespace svc::catalogue {
namespace keys {

constexpr std::array k_create_rules = {
    excludes("allow-all", "acls", "--allow-all includes every permission.")};

constexpr std::array k_list_columns = {
    Column{"ID", "apiKeyId"},
    Column{"NAME", "name"},
    Column{"STATE", "", Cell::KeyState},
    Column{"KEY", "redactedApiKey"},
    Column{"PERMISSIONS", "aclStrings|acl_strings", Cell::List},
    Column{"QPS", "qps", Cell::Count},
    Column{"QPM", "qpm", Cell::Count},
    Column{"TPM", "tpm", Cell::Count},
    Column{"EXPIRES", "expireTime", Cell::UnixTime},
    Column{"CREATED", "createTime", Cell::UnixTime},
    Column{"MODIFIED", "modifyTime", Cell::UnixTime, true},
    Column{"USER", "userId", Cell::Text, true},
    Column{"TEAM", "teamId", Cell::Text, true},
};
/// For a single key; `keys self` has other field names.
constexpr std::array k_key_columns = {
    Column{"CREATED", "createTime|create_time", Cell::UnixTime},
    Column{"MODIFIED", "modifyTime|modify_time", Cell::UnixTime},
    Column{"EXPIRES", "expireTime|expire_time", Cell::UnixTime},
};
/// Details of a new secret, printed with it.
constexpr std::array k_issued_columns = {
    Column{"Id", "apiKeyId"},
    Column{"Name", "name"},
    Column{"Key", "redactedApiKey"},
    Column{"State", "", Cell::KeyState},
    Column{"Permissions", "aclStrings|acl_strings", Cell::List},
    Column{"Queries per second", "qps"},
    Column{"Queries per minute", "qpm"},
    Column{"Tokens per minute", "tpm"},
    Column{"Expires", "expireTime", Cell::UnixTime},
    Column{"Created", "createTime", Cell::UnixTime},
    Column{"Modified", "modifyTime", Cell::UnixTime},
    Column{"User", "userId"},
    Column{"Team", "teamId"},
};

constexpr std::array k_update_rules = {
    excludes("disable", "enable", "A key is either disabled or enabled."),
    excludes("disable", "disabled", "They set the same field."),
    excludes("enable", "disabled", "They set the same field."),
    excludes("allow-all", "acl-strings", "--allow-all includes every permission."),
    excludes("allow-all", "acls", "--allow-all includes every permission."),
};

constexpr std::array k_endpoint_columns = {
    Column{"ACL", "acl"},
    Column{"DESCRIPTION", "description"},
    Column{"NAMESPACE", "namespace", Cell::Text, true},
    Column{"KEY", "key", Cell::Text, true},
    Column{"VALUE", "value", Cell::Text, true},
};

constexpr std::array k_examples = {
    Example{"svc keys create 'build server' --acls api-key:endpoint:chat --acls "
            "api-key:model:svc-4.5 --expire-time 30d",
            "Creates a key for chat with one model that expires in 30 days."},
    Example{"svc keys create laptop --allow-all --save-profile laptop",
            "Stores the secret privately, for `svc -p laptop`."},
    Example{"svc keys create nightly --allow-all --qpm 60",
            "Prints the secret, shown only once: pipe it into a password manager."},
    Example{"svc keys list --active-only", "Lists the team's unexpired keys."},
    Example{"svc keys list --acl-filters 'api-key:model:*' --all --json",
            "Prints every key that may use all models."},
    Example{"svc keys update key_0001 --disable", "Disables a key until it is enabled again."},
    Example{"svc keys update key_0001 --name 'build server 2' --qpm 200 --clear expire-time",
            "Renames a key, limits it and removes its expiry."},
    Example{"svc keys rotate key_0001 --old-secret-expire-time 2h",
            "Prints a new secret; the old one works for two more hours."},
    Example{"svc keys rotate key_0001 --save-profile ci", "Stores the new secret for a profile."},
    Example{"svc keys delete key_0001", "Deletes a key, after asking."},
    Example{"svc keys delete key_0001 key_0002 --yes", "Deletes two keys without asking."},
    Example{"svc keys propagation key_0001", "Shows which clusters have the key."},
    Example{"svc keys propagation key_0001 --wait", "Waits until all clusters have it."},
    Example{"svc keys endpoints", "Lists the endpoint permissions for keys."},
    Example{"svc keys self", "Shows the key's permissions and whether it is blocked."},
};

constexpr std::array k_rows = {
    post("keys create", "/auth/teams/{teamId}/api-keys",
         "Create an API key and print its secret, which is shown only once.", management,
         answers_secret, fields<k_create_fields>, rules(k_create_rules),
         details(card<k_issued_columns>)),
    get("keys list", "/auth/teams/{teamId}/api-keys",
        "List the team's API keys: all for an admin, otherwise your own.", management,
        fields<k_list_fields>, items("apiKeys"),
        paging(Paging{"pageSize", "paginationToken", "paginationToken"}), columns(k_list_columns)),
    operation("keys update", "PUT", "/auth/api-keys/{apiKeyId}",
              "Change an API key's name, permissions, limits or expiry.", management, repeatable,
              fields<k_update_fields>, mask(Mask{"apiKey", "fieldMask"}), rules(k_update_rules),
              columns(k_key_columns)),
    post("keys rotate", "/auth/api-keys/{apiKeyId}/rotate",
         "Rotate an API key: print a new secret, expire the old one.", management, answers_secret,
         fields<k_rotate_fields>, details(card<k_issued_columns>)),
    operation("keys delete", "DELETE", "/auth/api-keys/{apiKeyId}", "Delete API keys permanently.",
              management, repeatable_when_refused, answers_nothing, destructive,
              fields<k_delete_fields>),
    get("keys propagation", "/auth/api-keys/{apiKeyId}/propagation",
        "Show which inference clusters have an API key.", management, fields<k_propagation_fields>),
    get("keys endpoints", "/auth/teams/{team_id}/endpoints",
        "List the endpoints available for permissions.", management, items("acls"),
        columns(k_endpoint_columns)),
    get("keys self", "/v1/api-key", "Show the API key in use: permissions, team, status.",
        columns(k_key_columns)),
};
constexpr auto k_operations = checked(k_rows, k_examples);

}  // namespace keys

constinit const std::span<const Operation> k_keys_operations = keys::k_operations;

}  // namespace svc::catalogue
