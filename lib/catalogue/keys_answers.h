// The answers of the group keys.
#pragma once

#include "catalogue/answer_builders.h"

namespace svc::catalogue::answer::keys {

inline constexpr sv k_in_state = "Text shows it as the state.";

inline constexpr std::array k_members = {
    text("apiKeyId", "Key ID.", label("ID")),
    text("name", "Descriptive name."),
    view("State", "", Unit::KeyState),
    boolean("disabled", "Whether a user has disabled the key.", hidden(k_in_state)),
    text("redactedApiKey", "Masked key.", label("Key")),
    text("aclStrings[]", "Permissions; without any, every request fails.", label("Permissions")),
    count("qps", "Limit of queries per second.", label("QPS")),
    count("qpm", "Limit of queries per minute.", label("QPM")),
    text_count("tpm", "Limit of tokens per minute.", label("TPM")),
    time("expireTime", "Time from which the key is refused.", label("Expires")),
    time("createTime", "Time of creation.", label("Created")),
    time("modifyTime", "Time of the last change.", label("Modified"), details),
    text("userId", "User who created the key.", label("User"), details),
    text("teamId", "Owning team.", label("Team"), details),
};
inline constexpr Shape k_key{"ApiKey", k_members};

/// The answer to creation and rotation.
inline constexpr std::array k_issued = {
    text("apiKey", "The secret, which is never shown again.", label("Secret"), secret_value,
         hidden("It is printed alone, on standard output.")),
    members_of(k_key),
};

inline constexpr std::array k_list = {
    list("apiKeys[]", k_key, "Keys of the team."),
    text("paginationToken", "Token of the next page.", hidden("svc fetches the pages itself.")),
};

inline constexpr std::array k_propagation = {
    json("icPropagation",
         "For the address of each inference cluster, whether it has the key: true or false."),
};

inline constexpr std::array k_endpoint_members = {
    text("acl", "Permission, for --acls.", label("ACL")),
    text("description", "What the permission allows."),
    text("namespace", "First part of the permission.", details),
    text("key", "Second part of the permission.", details),
    text("value", "Last part of the permission.", details),
};
inline constexpr Shape k_endpoint{"KeyPermission", k_endpoint_members};
inline constexpr std::array k_endpoints = {
    list("acls[]", k_endpoint, "Permissions that keys can have.")};

inline constexpr std::array k_self = {
    text("api_key_id", "Key ID.", required),
    text("name", "Descriptive name.", required),
    text("redacted_api_key", "Masked key.", required),
    text("acls[]", "Permissions.", required),
    boolean("api_key_blocked", "Whether the service has blocked the key.", required),
    boolean("api_key_disabled", "Whether a user has disabled the key.", required),
    boolean("team_blocked", "Whether the service has blocked the team.", required),
    text("team_id", "Owning team.", required),
    text("user_id", "User who created the key.", required),
    time("create_time", "Time of creation.", required),
    time("modify_time", "Time of the last change.", required),
    text("modified_by", "User who made the last change.", required),
};

}  // namespace svc::catalogue::answer::keys
