// The members of the operations on keys. Only for keys.cpp.
#pragma once

#include "catalogue/check.h"
#include "catalogue/paging.h"
#include "catalogue/shared_fields.h"

namespace svc::catalogue::keys {

inline constexpr sv k_acl_help =
    "Permission: api-key:endpoint:NAME or api-key:model:NAME, * for all; a key needs both.";
inline constexpr std::array<sv, 3> k_acl_suggests = {"api-key:endpoint:*", "api-key:endpoint:chat",
                                                     "api-key:model:*"};

inline constexpr Field k_id_field{.flag = "api-key-id",
                                  .path = "apiKeyId",
                                  .in = In::Path,
                                  .help = "Key ID, from `svc keys list`.",
                                  .required = true,
                                  .positional = true,
                                  .example = "key_0001",
                                  .completes = "keys"};

constexpr Field several(Field field, sv help) {
  field.repeated = true;
  field.help = help;
  return field;
}

inline constexpr std::array<Field, 4> k_limit_fields = {
    Field{.flag = "qps",
          .kind = Kind::Integer,
          .help = "Limit to N queries per second.",
          .common = true,
          .range = Range{1, k_no_max, "queries"},
          .example = "5"},
    Field{.flag = "qpm",
          .kind = Kind::Integer,
          .help = "Limit to N queries per minute.",
          .common = true,
          .range = Range{1, k_no_max, "queries"},
          .example = "200"},
    Field{.flag = "tpm",
          .kind = Kind::Integer,
          .help = "Limit to N tokens per minute, input and output together.",
          .common = true,
          .range = Range{1, k_no_max, "tokens"},
          .example = "100000",
          .quoted = true},
    Field{.flag = "expire-time",
          .path = "expireTime",
          .kind = Kind::Time,
          .help = "Expire the key at this time: RFC 3339, a date, or from now (30d).",
          .common = true,
          .example = "2027-01-01T00:00:00Z"},
};

// create ------------------------------------------------------------------------------------------

inline constexpr std::array k_create_fields = concat(
    std::array{
        Field{.flag = "name",
              .help = "Descriptive name.",
              .required = true,
              .positional = true,
              .example = "build server"},
        Field{.flag = "acls",
              .help = k_acl_help,
              .repeated = true,
              .common = true,
              .suggests = k_acl_suggests,
              .fallback = "none: every request of the key fails",
              .example = "api-key:model:*",
              .completes = "acls"},
        Field{.flag = "allow-all",
              .path = "acls",
              .kind = Kind::Boolean,
              .help = "Allow every endpoint and every model.",
              .common = true,
              .alias = true,
              .stands_for = R"(["api-key:endpoint:*","api-key:model:*"])"},
    },
    k_limit_fields,
    std::array{
        Field{.flag = "save-profile",
              .in = In::Local,
              .help = "Store the secret for this profile instead of printing it.",
              .common = true,
              .example = "ci",
              .completes = "profiles"},
    });

inline constexpr std::array k_create_rules = {
    Rule{RuleKind::Excludes, "allow-all", "acls", "--allow-all includes every permission."}};

inline constexpr std::array k_create_examples = {
    Example{"svc keys create 'build server' --acls api-key:endpoint:chat --acls "
            "api-key:model:svc-4.5 --expire-time 30d",
            "Creates a key for chat with one model that expires in 30 days."},
    Example{"svc keys create laptop --allow-all --save-profile laptop",
            "Stores the secret privately, for `svc -p laptop`."},
    Example{"svc keys create nightly --allow-all --qpm 60",
            "Prints the secret, shown only once: pipe it into a password manager."},
};

// list --------------------------------------------------------------------------------------------

inline constexpr std::array k_list_fields = concat(
    std::array{
        Field{.flag = "acl-filters",
              .path = "aclFilters",
              .in = In::Query,
              .help = "Show only keys with this permission.",
              .repeated = true,
              .suggests = k_acl_suggests,
              .example = "api-key:model:*",
              .completes = "acls"},
        Field{.flag = "active-only",
              .path = "activeOnly",
              .kind = Kind::Boolean,
              .in = In::Query,
              .help = "Show only keys that have not expired.",
              .common = true,
              .fallback = "all keys"},
    },
    paging_fields());

inline constexpr std::array k_list_columns = {
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
/// Of one key; the one in use names its members otherwise.
inline constexpr std::array k_key_columns = {
    Column{"CREATED", "createTime|create_time", Cell::UnixTime},
    Column{"MODIFIED", "modifyTime|modify_time", Cell::UnixTime},
    Column{"EXPIRES", "expireTime|expire_time", Cell::UnixTime},
};
/// What is said about a new secret beside it.
inline constexpr std::array k_issued_columns = {
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
inline constexpr std::array k_issued_details = {Section{"", k_issued_columns}};

inline constexpr std::array k_list_examples = {
    Example{"svc keys list --active-only", "Lists the team's keys that have not expired."},
    Example{"svc keys list --acl-filters 'api-key:model:*' --all --json",
            "Prints every key that may use all models."},
};

// update ------------------------------------------------------------------------------------------

inline constexpr std::array<sv, 6> k_clearable = {"name", "qps",         "qpm",
                                                  "tpm",  "expire-time", "acl-strings"};

inline constexpr std::array k_update_fields = concat(
    std::array{
        k_id_field,
        Field{.flag = "name",
              .help = "New name of the key.",
              .common = true,
              .example = "build server 2"},
        Field{.flag = "acl-strings",
              .path = "aclStrings",
              .help = "Replace all permissions with this one.",
              .repeated = true,
              .common = true,
              .suggests = k_acl_suggests,
              .example = "api-key:endpoint:chat",
              .completes = "acls"},
        Field{.flag = "acls",
              .path = "aclStrings",
              .help = "Alias of --acl-strings.",
              .repeated = true,
              .suggests = k_acl_suggests,
              .completes = "acls",
              .alias = true},
        Field{.flag = "allow-all",
              .path = "aclStrings",
              .kind = Kind::Boolean,
              .help = "Allow every endpoint and every model.",
              .alias = true,
              .stands_for = R"(["api-key:endpoint:*","api-key:model:*"])"},
        Field{.flag = "disabled",
              .kind = Kind::Boolean,
              .help = "Disable the key, so its requests are refused."},
        Field{.flag = "disable",
              .path = "disabled",
              .kind = Kind::Boolean,
              .help = "Disable the key until it is enabled again.",
              .common = true,
              .alias = true,
              .stands_for = "true"},
        Field{.flag = "enable",
              .path = "disabled",
              .kind = Kind::Boolean,
              .help = "Enable the key again.",
              .common = true,
              .alias = true,
              .stands_for = "false"},
    },
    k_limit_fields,
    std::array{
        Field{.flag = "clear",
              .in = In::Local,
              .help = "Clear this field, such as a limit.",
              .repeated = true,
              .common = true,
              .choices = k_clearable,
              .example = "qps"},
    });

inline constexpr std::array k_update_rules = {
    Rule{RuleKind::Excludes, "disable", "enable", "A key is either disabled or enabled."},
    Rule{RuleKind::Excludes, "disable", "disabled", "They set the same field."},
    Rule{RuleKind::Excludes, "enable", "disabled", "They set the same field."},
    Rule{RuleKind::Excludes, "allow-all", "acl-strings", "--allow-all includes every permission."},
    Rule{RuleKind::Excludes, "allow-all", "acls", "--allow-all includes every permission."},
};

inline constexpr std::array k_update_examples = {
    Example{"svc keys update key_0001 --disable", "Disables a key until it is enabled again."},
    Example{"svc keys update key_0001 --name 'build server 2' --qpm 200 --clear expire-time",
            "Renames a key, limits it and removes its expiry."},
};

// rotate, delete, propagation, endpoints, self ----------------------------------------------------

inline constexpr std::array k_rotate_fields = {
    k_id_field,
    Field{.flag = "expire-time",
          .path = "expireTime",
          .kind = Kind::Time,
          .help = "Expire the new secret at this time: RFC 3339, a date, or from now (30d).",
          .common = true,
          .fallback = "the expiry of the old one",
          .example = "2027-01-01T00:00:00Z"},
    Field{.flag = "old-secret-expire-time",
          .path = "oldSecretExpireTime",
          .kind = Kind::Time,
          .help = "Accept the old secret until this time: RFC 3339, or from now (2h).",
          .common = true,
          .max_days = 7,
          .fallback = "24 hours from now",
          .example = "2026-06-03T00:00:00Z"},
    Field{.flag = "save-profile",
          .in = In::Local,
          .help = "Store the new secret for this profile instead of printing it.",
          .common = true,
          .example = "ci",
          .completes = "profiles"},
};

inline constexpr std::array k_rotate_examples = {
    Example{"svc keys rotate key_0001 --old-secret-expire-time 2h",
            "Prints a new secret; the old one works for two more hours."},
    Example{"svc keys rotate key_0001 --save-profile ci", "Stores the new secret for a profile."},
};

inline constexpr std::array k_delete_fields = {
    several(k_id_field, "Key IDs, from `svc keys list`.")};

inline constexpr std::array k_delete_examples = {
    Example{"svc keys delete key_0001", "Deletes a key, after asking."},
    Example{"svc keys delete key_0001 key_0002 --yes", "Deletes two keys without asking."},
};

inline constexpr std::array k_propagation_fields = concat(std::array{k_id_field}, k_wait_fields);
inline constexpr std::array k_propagation_examples = {
    Example{"svc keys propagation key_0001", "Shows which clusters have the key."},
    Example{"svc keys propagation key_0001 --wait", "Waits until all clusters have it."},
};

inline constexpr std::array k_endpoint_columns = {
    Column{"ACL", "acl"},
    Column{"DESCRIPTION", "description"},
    Column{"NAMESPACE", "namespace", Cell::Text, true},
    Column{"KEY", "key", Cell::Text, true},
    Column{"VALUE", "value", Cell::Text, true},
};
inline constexpr std::array k_endpoints_examples = {
    Example{"svc keys endpoints", "Lists the endpoint permissions that a key can have."}};

inline constexpr std::array k_self_examples = {
    Example{"svc keys self", "Shows the key's permissions and whether it is blocked."}};

}  // namespace svc::catalogue::keys
