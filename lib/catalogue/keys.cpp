// The group keys.
#include "catalogue/catalogue.h"
#include "catalogue/check.h"
#include "catalogue/groups.h"
#include "catalogue/keys_answers.h"
#include "catalogue/keys_fields.h"

namespace svc::catalogue {
namespace keys {

constexpr std::array k_create_rules = {
    excludes("allow-all", "acls", "--allow-all includes every permission.")};

constexpr std::array k_update_rules = {
    excludes("disable", "enable", "A key is either disabled or enabled."),
    excludes("disable", "disabled", "Both set the same field."),
    excludes("enable", "disabled", "Both set the same field."),
    excludes("allow-all", "acl-strings", "--allow-all includes every permission."),
    excludes("allow-all", "acls", "--allow-all includes every permission."),
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
         "Create an API key and print its secret, which is shown only once.",
         runs(Handler::KeysIssue), management, answers_secret, fields<k_create_fields>,
         rules(k_create_rules), answers(answer::keys::k_issued)),
    get("keys list", "/auth/teams/{teamId}/api-keys",
        "List the team's API keys: all for an admin, otherwise your own.", management,
        fields<k_list_fields>, items("apiKeys"), answers(answer::keys::k_list),
        paging(Paging{"pageSize", "paginationToken", "paginationToken"})),
    operation("keys update", "PUT", "/auth/api-keys/{apiKeyId}",
              "Change an API key's name, permissions, limits or expiry.", management, repeatable,
              ends("Requests with a disabled key fail until it is enabled again."),
              ends_if("disabled"), fields<k_update_fields>, mask(Mask{"apiKey", "fieldMask"}),
              rules(k_update_rules), answers(answer::keys::k_members)),
    post("keys rotate", "/auth/api-keys/{apiKeyId}/rotate",
         "Rotate an API key: print a new secret, expire the old one.", runs(Handler::KeysIssue),
         management, answers_secret,
         ends("The old secret expires: in 24 hours, unless --old-secret-expire-time is set."),
         fields<k_rotate_fields>, answers(answer::keys::k_issued)),
    operation("keys delete", "DELETE", "/auth/api-keys/{apiKeyId}", "Delete API keys permanently.",
              management, repeatable_when_refused, answers_nothing,
              ends("Requests with a deleted key fail, and it cannot be restored."),
              fields<k_delete_fields>),
    get("keys propagation", "/auth/api-keys/{apiKeyId}/propagation",
        "Show which inference clusters have an API key.", runs(Handler::KeysPropagation),
        management, fields<k_propagation_fields>, answers(answer::keys::k_propagation)),
    get("keys endpoints", "/auth/teams/{team_id}/endpoints",
        "List the endpoints available for permissions.", noun("endpoint", "endpoints"),
        runs(Handler::KeysEndpoints), management, items("acls"),
        answers(answer::keys::k_endpoints)),
    get("keys self", "/v1/api-key", "Show the API key in use: permissions, team, status.",
        answers(answer::keys::k_self)),
};
constexpr auto k_operations = checked(k_rows, k_examples, {"API key", "API keys"});

}  // namespace keys

constinit const std::span<const Operation> k_keys_operations = keys::k_operations;

}  // namespace svc::catalogue

namespace svc {

constinit const Operation k_calling_key =
    catalogue::get("keys validation", "/auth/management-keys/validation",
                   "Show the calling management key.", catalogue::management, catalogue::observed);

}  // namespace svc
