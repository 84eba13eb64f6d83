// The group keys.
#include "catalogue/check.h"
#include "catalogue/groups.h"
#include "catalogue/shared_fields.h"

namespace svc::catalogue {
namespace keys {

constexpr sv k_acl_help =
    "Permission: api-key:endpoint:NAME or api-key:model:NAME, * for all; a key needs both.";
constexpr std::array<sv, 3> k_acl_suggests = {"api-key:endpoint:*", "api-key:endpoint:chat",
                                              "api-key:model:*"};

constexpr Field k_id_field = path_parameter("apiKeyId", "Key ID, from `svc keys list`.",
                                            example("key_0001"), completes("keys"));

constexpr std::array k_limit_fields = {
    integer("qps", "Limit to N queries per second.", common, at_least(1, "queries"), example("5")),
    integer("qpm", "Limit to N queries per minute.", common, at_least(1, "queries"),
            example("200")),
    integer("tpm", "Limit to N tokens per minute, input and output together.", common, quoted,
            at_least(1, "tokens"), example("100000")),
    time("expireTime", "Expire the key at this time: RFC 3339, a date, or from now (30d).", common,
         example("2027-01-01T00:00:00Z")),
};

// create ------------------------------------------------------------------------------------------

constexpr std::array k_create_fields = concat(
    std::array{
        text("name", "Descriptive name.", required, positional, example("build server")),
        text("acls", k_acl_help, repeated, common, suggests(k_acl_suggests),
             fallback("none: every request of the key fails"), example("api-key:model:*"),
             completes("acls")),
        boolean("allow-all", "Allow every endpoint and every model.", alias("acls"), common,
                stands_for(R"(["api-key:endpoint:*","api-key:model:*"])")),
    },
    k_limit_fields,
    std::array{
        text("save-profile", "Store the secret for this profile instead of printing it.", local,
             common, example("ci"), completes("profiles")),
    });

constexpr std::array k_create_rules = {
    excludes("allow-all", "acls", "--allow-all includes every permission.")};

// list --------------------------------------------------------------------------------------------

constexpr std::array k_list_fields = concat(
    std::array{
        text("aclFilters", "Show only keys with this permission.", query, repeated,
             suggests(k_acl_suggests), example("api-key:model:*"), completes("acls")),
        boolean("activeOnly", "Show only unexpired keys.", query, common, fallback("all keys")),
    },
    paging_fields());

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

// update ------------------------------------------------------------------------------------------

constexpr std::array<sv, 6> k_clearable = {"name", "qps",         "qpm",
                                           "tpm",  "expire-time", "acl-strings"};

constexpr std::array k_update_fields = concat(
    std::array{
        k_id_field,
        text("name", "New name of the key.", common, example("build server 2")),
        text("aclStrings", "Replace all permissions with this one.", repeated, common,
             suggests(k_acl_suggests), example("api-key:endpoint:chat"), completes("acls")),
        text("acls", "Alias of --acl-strings.", alias("aclStrings"), repeated,
             suggests(k_acl_suggests), completes("acls")),
        boolean("allow-all", "Allow every endpoint and every model.", alias("aclStrings"),
                stands_for(R"(["api-key:endpoint:*","api-key:model:*"])")),
        boolean("disabled", "Disable the key, so its requests are refused."),
        boolean("disable", "Disable the key until it is enabled again.", alias("disabled"), common,
                stands_for("true")),
        boolean("enable", "Enable the key again.", alias("disabled"), common, stands_for("false")),
    },
    k_limit_fields,
    std::array{
        text("clear", "Clear this field, such as a limit.", local, repeated, common,
             choices(k_clearable), example("qps")),
    });

constexpr std::array k_update_rules = {
    excludes("disable", "enable", "A key is either disabled or enabled."),
    excludes("disable", "disabled", "They set the same field."),
    excludes("enable", "disabled", "They set the same field."),
    excludes("allow-all", "acl-strings", "--allow-all includes every permission."),
    excludes("allow-all", "acls", "--allow-all includes every permission."),
};

// rotate, delete, propagation, endpoints, self ----------------------------------------------------

constexpr std::array k_rotate_fields = {
    k_id_field,
    time("expireTime", "Expire the new secret at this time: RFC 3339, a date, or from now (30d).",
         common, fallback("the expiry of the old one"), example("2027-01-01T00:00:00Z")),
    time("oldSecretExpireTime",
         "Accept the old secret until this time: RFC 3339, or from now (2h).", common, max_days(7),
         fallback("24 hours from now"), example("2026-06-03T00:00:00Z")),
    text("save-profile", "Store the new secret for this profile instead of printing it.", local,
         common, example("ci"), completes("profiles")),
};

constexpr std::array k_delete_fields = {
    with(k_id_field, repeated, says("Key IDs, from `svc keys list`."))};

constexpr std::array k_propagation_fields = concat(std::array{k_id_field}, k_wait_fields);

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
