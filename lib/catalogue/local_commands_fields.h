// The fields of the local commands.
#pragma once

#include <array>

#include "catalogue/voice_fields.h"

namespace svc::catalogue::tool_commands {

inline constexpr std::array<sv, 9> k_methods = {"GET",  "POST",    "PUT", "PATCH", "DELETE",
                                                "HEAD", "OPTIONS", "get", "post"};
inline constexpr std::array<sv, 2> k_message_forms = {"lines", "binary"};
inline constexpr std::array<sv, 3> k_hosts = {"inference", "management", "docs"};
inline constexpr std::array k_api_fields = {
    text("method", "HTTP method.", local, positional, common, suggests(k_methods), example("GET")),
    text("path", "Path on the host, with its query.", local, positional, common,
         example("/v1/models")),
    text("host", "Host, and thus the key (default: chosen by path).", local, common,
         choices(k_hosts),
         fallback("management for /auth, /audit, /v1/billing and /v1/collections, otherwise "
                  "inference"),
         example("inference")),
    boolean("repeatable", "Allow retries after a failure; on by default for GET and HEAD.", local),
    text("socket",
         "Open a WebSocket at this path of the realtime host; standard input and output carry one "
         "message per line.",
         local, common, example("/v1/realtime")),
    text(
        "send",
        "Format of standard input: lines ({\"binary\":\"base64\"} is sent as bytes), or raw bytes.",
        local, choices(k_message_forms), fallback("lines"), example("binary")),
    text("receive",
         "Output format: lines (bytes as {\"binary\":\"base64\"}), or raw bytes with text on "
         "standard error.",
         local, choices(k_message_forms), fallback("lines"), example("binary")),
    duration("linger",
             "Close the WebSocket this long after input ends without a message; otherwise it stays "
             "open.",
             local, example("2s")),
    text("subprotocol", "Offer this subprotocol in the handshake.", local, repeated,
         example("chat")),
};

inline constexpr std::array k_operations_fields = {
    boolean("openapi", "Print an OpenAPI 3.1 document instead.", local, plain_switch, common),
    boolean("asyncapi", "Print an AsyncAPI 3 document of the WebSockets instead.", local,
            plain_switch, common)};

inline constexpr Field k_management_field =
    boolean("management", "Use the management key, not the API key.", local, plain_switch, common);
inline constexpr std::array k_login_fields = {
    k_management_field,
    boolean("check", "Check the key with the service before storing it.", local, common,
            fallback("true")),
};
inline constexpr std::array k_logout_fields = {k_management_field};

inline constexpr Field k_setting_field =
    text("name", "Setting, such as base_url or model.", local, required, positional, common,
         example("model"), completes("settings"));
inline constexpr std::array k_get_fields = {k_setting_field};
inline constexpr std::array k_set_fields = {
    k_setting_field, text("value", "New value; an empty one removes the setting.", local, required,
                          positional, common, example("svc-4.5"))};

inline constexpr Field k_template_name =
    text("name", "Template, as shown by `svc templates`.", local, required, positional, common,
         example("summarize"), completes("templates"));
inline constexpr std::array k_template_fields = {k_template_name};

inline constexpr Field k_alias_name =
    text("name", "Name of the alias.", local, required, positional, common, example("fix"),
         completes("aliases"));
inline constexpr std::array k_alias_fields = {k_alias_name};
inline constexpr std::array k_alias_set_fields = {
    k_alias_name,
    text(
        "expansion",
        "Command that it stands for, without svc; $1 to $9 are its arguments, others are appended.",
        local, required, positional, common, example("chat -m svc-4.3 'Fix: $1'"))};

inline constexpr std::array<sv, 3> k_shells = {"bash", "zsh", "fish"};
inline constexpr std::array k_completion_fields = {text(
    "shell", "Shell.", local, required, positional, common, choices(k_shells), example("bash"))};

inline constexpr std::array k_sound_test_fields = {k_input_device_field, k_output_device_field,
                                                   k_latency_field};

inline constexpr std::array k_expiring_fields = {
    duration("within", "List what ends within this time.", local, common, fallback("7d"),
             example("2d")),
};

}  // namespace svc::catalogue::tool_commands
