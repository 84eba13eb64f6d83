// The fields of the group keys.
#pragma once

#include <array>

#include "catalogue/shared_fields.h"

namespace svc::catalogue::keys {

inline constexpr sv k_acl_help =
    "Permission: api-key:endpoint:NAME or api-key:model:NAME, * for all; a key needs both.";
inline constexpr std::array<sv, 3> k_acl_suggests = {"api-key:endpoint:*", "api-key:endpoint:chat",
                                                     "api-key:model:*"};

inline constexpr Field k_id_field = path_parameter("apiKeyId", "Key ID, from `svc keys list`.",
                                                   example("key_0001"), completes("keys"));

inline constexpr std::array k_limit_fields = {
    integer("qps", "Limit to N queries per second.", common, at_least(1, "queries"), example("5")),
    integer("qpm", "Limit to N queries per minute.", common, at_least(1, "queries"),
            example("200")),
    integer("tpm", "Limit to N tokens per minute, input and output together.", common, quoted,
            at_least(1, "tokens"), example("100000")),
    time("expireTime", "Expire the key at this time: RFC 3339, a date, or from now (30d).", common,
         example("30d")),
};

// create ------------------------------------------------------------------------------------------

inline constexpr std::array k_create_fields = concat(
    std::array{
        text("name", "Descriptive name.", required, positional, example("build server")),
        text("acls", k_acl_help, repeated, common, form(TextFormat::Permission),
             suggests(k_acl_suggests), fallback("none: every request of the key fails"),
             example("api-key:model:*"), completes("acls")),
        boolean("allow-all", "Allow every endpoint and every model.", alias("acls"), common,
                stands_for(R"(["api-key:endpoint:*","api-key:model:*"])")),
    },
    k_limit_fields,
    std::array{
        text("save-profile", "Store the secret for this profile instead of printing it.", local,
             common, example("ci"), completes("profiles")),
    });

// list --------------------------------------------------------------------------------------------

inline constexpr std::array k_list_fields = concat(
    std::array{
        text("aclFilters", "Show only keys with this permission.", query, repeated,
             form(TextFormat::Permission), suggests(k_acl_suggests), example("api-key:model:*"),
             completes("acls")),
        boolean("activeOnly", "Show only unexpired keys.", query, common, fallback("all keys")),
    },
    paging_fields());

// update ------------------------------------------------------------------------------------------

inline constexpr std::array<sv, 6> k_clearable = {"name", "qps",         "qpm",
                                                  "tpm",  "expire-time", "acl-strings"};

inline constexpr std::array k_update_fields = concat(
    std::array{
        k_id_field,
        text("name", "New name of the key.", common, example("build server 2")),
        text("aclStrings", "Replace all permissions with this one.", repeated, common,
             form(TextFormat::Permission), suggests(k_acl_suggests),
             example("api-key:endpoint:chat"), completes("acls")),
        text("acls", "Alias of --acl-strings.", alias("aclStrings"), repeated,
             form(TextFormat::Permission), suggests(k_acl_suggests), completes("acls")),
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

// rotate, delete, propagation, endpoints, self ----------------------------------------------------

inline constexpr std::array k_rotate_fields = {
    k_id_field,
    time("expireTime", "Expire the new secret at this time: RFC 3339, a date, or from now (30d).",
         common, fallback("the expiry of the old one"), example("30d")),
    time("oldSecretExpireTime",
         "Accept the old secret until this time: RFC 3339, or from now (2h).", common, max_days(7),
         fallback("24 hours from now"), example("2h")),
    text("save-profile", "Store the new secret for this profile instead of printing it.", local,
         common, example("ci"), completes("profiles")),
};

inline constexpr std::array k_delete_fields = {
    with(k_id_field, repeated, says("Key IDs, from `svc keys list`."))};

inline constexpr std::array k_propagation_fields = concat(std::array{k_id_field}, k_wait_fields);

}  // namespace svc::catalogue::keys
