// The local commands, which are not operations of the service.
#include "catalogue/check.h"
#include "catalogue/groups.h"
#include "catalogue/local_answers.h"
#include "catalogue/local_commands_fields.h"

namespace svc::catalogue {
namespace tool_commands {

constexpr std::array k_api_rules = {
    excludes("socket", "method", "A WebSocket has no method."),
    excludes("socket", "path", "--socket takes the path."),
    excludes("socket", "host", "WebSockets are on the realtime host."),
    needs("send", "socket", "It applies only to WebSockets."),
    needs("receive", "socket", "It applies only to WebSockets."),
    needs("linger", "socket", "It applies only to WebSockets."),
    needs("subprotocol", "socket", "It applies only to WebSockets."),
};
constexpr std::array k_examples = {
    Example{"svc api GET /v1/models", "Calls an operation without a command."},
    Example{"svc api POST /v1/tokenize-text --body '{\"model\":\"svc-4.5\",\"text\":\"Hi\"}'",
            "Sends a request body."},
    Example{"svc api --socket /v1/realtime --linger 5s", "Opens a raw WebSocket."},
    Example{"svc operations", "Lists every command and its request."},
    Example{"svc operations --json", "Prints the whole catalogue, every field included."},
    Example{"svc operations --openapi -o svc.json", "Writes an OpenAPI document of the service."},
    Example{"svc operations --asyncapi -o sockets.json",
            "Writes an AsyncAPI document of its WebSockets."},
    Example{"svc auth login",
            "Asks for the URL, if none is set, and the key; checks and stores both."},
    Example{"svc auth login --management --no-check", "Stores the management key without a check."},
    Example{"svc auth logout", "Removes the stored key."},
    Example{"svc auth status", "Shows the key in use and where it comes from."},
    Example{"svc config get timeout", "Prints the value in use."},
    Example{"svc config set model svc-4.3 -p work", "Sets the model of the profile work."},
    Example{"svc config unset model", "Removes the model of the default profile."},
    Example{"svc config edit", "Opens the file, and saves it if it is valid."},
    Example{"svc config profiles", "Lists the profiles for -p."},
    Example{"svc config list", "Lists each setting, its value and where it comes from."},
    Example{"svc config path", "Prints the path of the configuration file."},
    Example{"svc templates", "Lists the prompt templates of the profile."},
    Example{"svc templates show summarize", "Prints a template of the profile."},
    Example{"svc templates edit summarize",
            "Opens the template in $EDITOR; `svc chat -t summarize < report.txt` uses it."},
    Example{"svc alias set fix \"chat -m svc-4.3 'Fix the grammar of: $1'\"",
            "`svc fix 'i is here' -q` then runs that command with -q."},
    Example{"svc alias list", "Lists the aliases."},
    Example{"svc alias delete fix", "Deletes an alias."},
    Example{"svc completion bash",
            "Prints the script; add `. <(svc completion bash)` to ~/.bashrc."},
    Example{"svc expiring", "Lists what ends within a week, soonest first."},
    Example{"svc expiring --within 2d --json", "Prints what ends within two days, for a script."},
    Example{"svc doctor", "Checks configuration, keys and hosts."},
    Example{"svc sound devices", "Lists microphones and speakers with their numbers."},
    Example{"svc sound test", "Plays a tone, records you and plays it back."},
    Example{"svc sound test --input-device USB --json",
            "Tests another microphone, with JSON "
            "output."},
};

constexpr std::array k_api_rows = {command("api", "Send an authenticated request to any path.",
                                           runs(Handler::Api), default_verb, fields<k_api_fields>,
                                           rules(k_api_rules))};
constexpr auto k_api = checked(k_api_rows, k_examples);
constexpr std::array k_operations_rows = {
    command("operations", "List every operation and its flags.", runs(Handler::Operations),
            config(ConfigUse::Optional), new_profile, default_verb, fields<k_operations_fields>,
            answers(answer::local_commands::k_operation))};
constexpr auto k_operations = checked(k_operations_rows, k_examples);
constexpr std::array k_auth_rows = {
    command("auth login", "Store an API key and the service's URL for this profile.",
            runs(Handler::AuthLogin), new_profile, fields<k_login_fields>, one_document,
            answers(answer::local_commands::k_login)),
    command("auth logout", "Remove this profile's stored key.", runs(Handler::AuthLogout),
            new_profile, fields<k_logout_fields>, one_document,
            answers(answer::local_commands::k_logout)),
    command("auth status", "Show the keys in use and where they come from.",
            runs(Handler::AuthStatus), config(ConfigUse::CommandReports), one_document,
            answers(answer::local_commands::k_auth_status))};
constexpr auto k_auth = checked(k_auth_rows, k_examples);
constexpr std::array k_config_rows = {
    command("config get", "Print a setting.", runs(Handler::ConfigGet), fields<k_get_fields>,
            one_document, answers(answer::local_commands::k_setting)),
    command("config set", "Change a setting, such as base_url, of this profile.",
            runs(Handler::ConfigSet), config(ConfigUse::CommandReports), new_profile,
            fields<k_set_fields>, one_document, answers(answer::local_commands::k_change)),
    command("config unset", "Remove a setting of this profile.", runs(Handler::ConfigUnset),
            config(ConfigUse::CommandReports), new_profile, fields<k_get_fields>, one_document,
            answers(answer::local_commands::k_change)),
    command("config edit", "Open the configuration file in $EDITOR, and check it.",
            runs(Handler::ConfigEdit), config(ConfigUse::CommandReports), new_profile),
    command("config profiles", "List the profiles.", runs(Handler::ConfigProfiles),
            config(ConfigUse::CommandReports), new_profile,
            answers(answer::local_commands::k_profile)),
    command("config list", "List the settings and where they come from.", runs(Handler::ConfigList),
            config(ConfigUse::CommandReports), default_verb,
            answers(answer::local_commands::k_setting)),
    command("config path", "Print the path of the configuration file.", runs(Handler::ConfigPath),
            config(ConfigUse::Optional), new_profile, one_document,
            answers(answer::local_commands::k_config_path))};
constexpr auto k_config = checked(k_config_rows, k_examples);
constexpr std::array k_templates_rows = {
    command("templates list", "List the prompt templates of the profile.",
            runs(Handler::TemplatesList), default_verb,
            answers(answer::local_commands::k_template)),
    command("templates show", "Print a prompt template.", runs(Handler::TemplatesShow),
            fields<k_template_fields>, one_document, answers(answer::local_commands::k_template)),
    command("templates edit",
            "Create or change a prompt template in $EDITOR; an empty one is removed.",
            runs(Handler::TemplatesEdit), fields<k_template_fields>)};
constexpr auto k_templates = checked(k_templates_rows, k_examples);
constexpr std::array k_alias_rows = {
    command("alias set", "Name a command, or change what a name stands for.",
            runs(Handler::AliasSet), new_profile, fields<k_alias_set_fields>, one_document,
            answers(answer::local_commands::k_alias)),
    command("alias list", "List the aliases.", runs(Handler::AliasList), new_profile, default_verb,
            answers(answer::local_commands::k_alias)),
    command("alias delete", "Delete an alias.", runs(Handler::AliasDelete), new_profile,
            fields<k_alias_fields>)};
constexpr auto k_alias = checked(k_alias_rows, k_examples);
constexpr std::array k_completion_rows = {
    command("completion", "Print the completion script of a shell.", runs(Handler::Completion),
            config(ConfigUse::Optional), new_profile, default_verb, fields<k_completion_fields>)};
constexpr auto k_completion = checked(k_completion_rows, k_examples);

constexpr std::array k_doctor_rows = {
    command("doctor", "Check configuration, keys and connectivity.", runs(Handler::Doctor),
            config(ConfigUse::CommandReports), default_verb, items("checks"),
            noun("check", "checks"), answers(answer::local_commands::k_findings))};
constexpr std::array k_expiring_rows = {command(
    "expiring", "List what ends soon, and how to save or renew it.", runs(Handler::Expiring),
    default_verb, fields<k_expiring_fields>, answers(answer::local_commands::k_ending))};
constexpr auto k_expiring = checked(k_expiring_rows, k_examples);
constexpr auto k_doctor = checked(k_doctor_rows, k_examples);
constexpr std::array k_sound_rows = {
    command("sound devices", "List audio devices.", runs(Handler::SoundDevices),
            config(ConfigUse::Optional), new_profile, default_verb,
            answers(answer::local_commands::k_device)),
    command("sound test", "Test the microphone, the speaker and the echo between them.",
            runs(Handler::SoundTest), config(ConfigUse::Optional), new_profile,
            fields<k_sound_test_fields>, items("checks"), noun("check", "checks"),
            answers(answer::local_commands::k_findings))};
constexpr auto k_sound = checked(k_sound_rows, k_examples);

}  // namespace tool_commands

constinit const std::span<const Operation> k_api_operations = tool_commands::k_api;
constinit const std::span<const Operation> k_operations_operations = tool_commands::k_operations;
constinit const std::span<const Operation> k_auth_operations = tool_commands::k_auth;
constinit const std::span<const Operation> k_config_operations = tool_commands::k_config;
constinit const std::span<const Operation> k_templates_operations = tool_commands::k_templates;
constinit const std::span<const Operation> k_alias_operations = tool_commands::k_alias;
constinit const std::span<const Operation> k_completion_operations = tool_commands::k_completion;
constinit const std::span<const Operation> k_doctor_operations = tool_commands::k_doctor;
constinit const std::span<const Operation> k_expiring_operations = tool_commands::k_expiring;
constinit const std::span<const Operation> k_sound_operations = tool_commands::k_sound;

}  // namespace svc::catalogue
