// The commands of the tool itself: no operation of the service is behind them.
#include "catalogue/check.h"
#include "catalogue/groups.h"
#include "catalogue/sound_fields.h"

namespace svc::catalogue {
namespace {

constexpr std::array<sv, 9> k_methods = {"GET",  "POST",    "PUT", "PATCH", "DELETE",
                                         "HEAD", "OPTIONS", "get", "post"};
constexpr std::array<sv, 2> k_message_forms = {"lines", "binary"};
constexpr std::array<sv, 3> k_hosts = {"inference", "management", "docs"};
constexpr std::array k_api_fields = {
    Field{.flag = "method",
          .in = In::Local,
          .help = "The HTTP method.",
          .positional = true,
          .common = true,
          .suggests = k_methods,
          .example = "GET"},
    Field{.flag = "path",
          .in = In::Local,
          .help = "The path on the host, with its query.",
          .positional = true,
          .common = true,
          .example = "/v1/models"},
    Field{
        .flag = "host",
        .in = In::Local,
        .help = "Host, and thus the key (default: chosen by path).",
        .common = true,
        .choices = k_hosts,
        .fallback = "management for /auth, /audit, /v1/billing and /v1/collections, else inference",
        .example = "inference"},
    Field{.flag = "repeatable",
          .kind = Kind::Boolean,
          .in = In::Local,
          .help = "Allow retries after a failure; on by default for GET and HEAD."},
    Field{.flag = "socket",
          .in = In::Local,
          .help = "Open a WebSocket at this path of the realtime host; standard input and output "
                  "carry one message per line.",
          .common = true,
          .example = "/v1/realtime"},
    Field{.flag = "send",
          .in = In::Local,
          .help = "Format of standard input: lines ({\"binary\":\"base64\"} is sent as bytes), or "
                  "raw bytes.",
          .choices = k_message_forms,
          .fallback = "lines",
          .example = "binary"},
    Field{.flag = "receive",
          .in = In::Local,
          .help = "Output format: lines (bytes as {\"binary\":\"base64\"}), or raw bytes with text "
                  "on standard error.",
          .choices = k_message_forms,
          .fallback = "lines",
          .example = "binary"},
    Field{.flag = "linger",
          .kind = Kind::Duration,
          .in = In::Local,
          .help = "Close the WebSocket this long after input ends without a message; otherwise it "
                  "stays open.",
          .example = "2s"},
    Field{.flag = "subprotocol",
          .in = In::Local,
          .help = "Offer this subprotocol in the handshake.",
          .repeated = true,
          .example = "chat"},
};
constexpr std::array k_api_rules = {
    Rule{RuleKind::Excludes, "socket", "method", "A WebSocket has no method."},
    Rule{RuleKind::Excludes, "socket", "path", "--socket takes the path."},
    Rule{RuleKind::Excludes, "socket", "host", "WebSockets are on the realtime host."},
    Rule{RuleKind::Requires, "send", "socket", "It applies only to WebSockets."},
    Rule{RuleKind::Requires, "receive", "socket", "It applies only to WebSockets."},
    Rule{RuleKind::Requires, "linger", "socket", "It applies only to WebSockets."},
    Rule{RuleKind::Requires, "subprotocol", "socket", "It applies only to WebSockets."},
};
constexpr std::array k_api_examples = {
    Example{"svc api GET /v1/models", "Calls an operation without a command."},
    Example{"svc api POST /v1/tokenize-text --body '{\"model\":\"svc-4.5\",\"text\":\"Hi\"}'",
            "Sends a body."},
    Example{"svc api --socket /v1/realtime --linger 5s", "Opens a raw WebSocket."}};
constexpr std::array k_api = {Operation{.group = "api",
                                        .name = "",
                                        .summary = "Send an authenticated request to any path.",
                                        .host = Host::Local,
                                        .fields = resolved<k_api_fields>,
                                        .is_default = true,
                                        .rules = k_api_rules,
                                        .examples = k_api_examples}};
static_assert(check_operations(k_api));

constexpr std::array k_operations_examples = {
    Example{"svc operations", "Lists every command and the request behind it."},
    Example{"svc operations --json", "Prints the whole catalogue, every field included."},
    Example{"svc operations --openapi -o svc.json", "Writes an OpenAPI document of the service."}};
constexpr std::array k_operations_fields = {Field{.flag = "openapi",
                                                  .kind = Kind::Boolean,
                                                  .in = In::Local,
                                                  .help = "Print an OpenAPI 3.1 document instead.",
                                                  .common = true}};
constexpr std::array k_operations_columns = {
    Column{"COMMAND", "command"}, Column{"REQUEST", "request"}, Column{"SUMMARY", "summary"}};
constexpr std::array k_operations = {Operation{.group = "operations",
                                               .name = "",
                                               .summary = "List every operation and its flags.",
                                               .host = Host::Local,
                                               .fields = resolved<k_operations_fields>,
                                               .is_default = true,
                                               .columns = k_operations_columns,
                                               .examples = k_operations_examples}};
static_assert(check_operations(k_operations));

constexpr Field k_management_field{.flag = "management",
                                   .kind = Kind::Boolean,
                                   .in = In::Local,
                                   .help = "Use the management key, not the API key.",
                                   .common = true};
constexpr std::array k_login_fields = {
    k_management_field,
    Field{.flag = "check",
          .kind = Kind::Boolean,
          .in = In::Local,
          .help = "Check the key with the service before storing it.",
          .common = true,
          .fallback = "true"},
};
constexpr std::array k_logout_fields = {k_management_field};
constexpr std::array k_login_examples = {
    Example{"svc auth login",
            "Asks for the URL, if none is set, and the key; checks and stores both."},
    Example{"svc auth login --management --no-check",
            "Stores the management key without a check."}};
constexpr std::array k_logout_examples = {Example{"svc auth logout", "Removes the stored key."}};
constexpr std::array k_status_examples = {
    Example{"svc auth status", "Shows the key in use and where it comes from."}};
constexpr std::array k_auth = {
    Operation{.group = "auth",
              .name = "login",
              .summary = "Store an API key and the service's URL for this profile.",
              .host = Host::Local,
              .fields = resolved<k_login_fields>,
              .examples = k_login_examples},
    Operation{.group = "auth",
              .name = "logout",
              .summary = "Remove this profile's stored key.",
              .host = Host::Local,
              .fields = resolved<k_logout_fields>,
              .examples = k_logout_examples},
    Operation{.group = "auth",
              .name = "status",
              .summary = "Show the keys in use and where they come from.",
              .host = Host::Local,
              .examples = k_status_examples}};
static_assert(check_operations(k_auth));

constexpr Field k_setting_field{.flag = "name",
                                .in = In::Local,
                                .help = "Setting, such as base_url or model.",
                                .required = true,
                                .positional = true,
                                .common = true,
                                .example = "model",
                                .completes = "settings"};
constexpr std::array k_get_fields = {k_setting_field};
constexpr std::array k_set_fields = {k_setting_field,
                                     Field{.flag = "value",
                                           .in = In::Local,
                                           .help = "New value; an empty one removes the setting.",
                                           .required = true,
                                           .positional = true,
                                           .common = true,
                                           .example = "svc-4.5"}};
constexpr std::array k_get_examples = {
    Example{"svc config get timeout", "Prints the value in use."}};
constexpr std::array k_set_examples = {
    Example{"svc config set model svc-4.3 -p work", "Sets the model of the profile work."}};
constexpr std::array k_list_examples = {
    Example{"svc config list", "Lists each setting, its value and where it comes from."}};
constexpr std::array k_path_examples = {
    Example{"svc config path", "Prints the path of the configuration file."}};
constexpr std::array k_list_columns = {Column{"NAME", "name"}, Column{"VALUE", "value"},
                                       Column{"SOURCE", "source"}};
constexpr std::array k_config = {
    Operation{.group = "config",
              .name = "get",
              .summary = "Print a setting.",
              .host = Host::Local,
              .fields = resolved<k_get_fields>,
              .examples = k_get_examples},
    Operation{.group = "config",
              .name = "set",
              .summary = "Change a setting, such as base_url, of this profile.",
              .host = Host::Local,
              .fields = resolved<k_set_fields>,
              .examples = k_set_examples},
    Operation{.group = "config",
              .name = "list",
              .summary = "List the settings and where they come from.",
              .host = Host::Local,
              .is_default = true,
              .columns = k_list_columns,
              .examples = k_list_examples},
    Operation{.group = "config",
              .name = "path",
              .summary = "Print the path of the configuration file.",
              .host = Host::Local,
              .examples = k_path_examples}};
static_assert(check_operations(k_config));

constexpr Field k_template_name{.flag = "name",
                                .in = In::Local,
                                .help = "Template, as shown by `svc templates`.",
                                .required = true,
                                .positional = true,
                                .common = true,
                                .example = "summarize",
                                .completes = "templates"};
constexpr std::array k_template_fields = {k_template_name};
constexpr std::array k_templates_examples = {
    Example{"svc templates", "Lists the prompt templates of the profile."}};
constexpr std::array k_template_show_examples = {
    Example{"svc templates show summarize", "Prints a template as it stands in the profile."}};
constexpr std::array k_template_edit_examples = {
    Example{"svc templates edit summarize",
            "Opens the template in $EDITOR; `svc chat -t summarize < report.txt` uses it."}};
constexpr std::array k_template_columns = {Column{"NAME", "name"}, Column{"SYSTEM", "system"},
                                           Column{"PROMPT", "prompt"}, Column{"MODEL", "model"},
                                           Column{"FLAGS", "flags"}};
constexpr std::array k_templates = {
    Operation{.group = "templates",
              .name = "list",
              .summary = "List the prompt templates of the profile.",
              .host = Host::Local,
              .is_default = true,
              .columns = k_template_columns,
              .examples = k_templates_examples},
    Operation{.group = "templates",
              .name = "show",
              .summary = "Print a prompt template.",
              .host = Host::Local,
              .fields = resolved<k_template_fields>,
              .examples = k_template_show_examples},
    Operation{.group = "templates",
              .name = "edit",
              .summary = "Create or change a prompt template in $EDITOR; an empty one is removed.",
              .host = Host::Local,
              .fields = resolved<k_template_fields>,
              .examples = k_template_edit_examples}};
static_assert(check_operations(k_templates));

constexpr std::array<sv, 3> k_shells = {"bash", "zsh", "fish"};
constexpr std::array k_completion_fields = {Field{.flag = "shell",
                                                  .in = In::Local,
                                                  .help = "The shell.",
                                                  .required = true,
                                                  .positional = true,
                                                  .common = true,
                                                  .choices = k_shells,
                                                  .example = "bash"}};
constexpr std::array k_completion_examples = {Example{
    "svc completion bash", "Prints the script; add `. <(svc completion bash)` to ~/.bashrc."}};
constexpr std::array k_completion = {Operation{.group = "completion",
                                               .name = "",
                                               .summary = "Print the completion script of a shell.",
                                               .host = Host::Local,
                                               .fields = resolved<k_completion_fields>,
                                               .is_default = true,
                                               .examples = k_completion_examples}};
static_assert(check_operations(k_completion));

constexpr std::array k_doctor_examples = {
    Example{"svc doctor", "Checks configuration, keys and hosts."}};
constexpr std::array k_doctor_columns = {Column{"CHECK", "check"}, Column{"STATE", "state"},
                                         Column{"DETAIL", "detail"}};
constexpr std::array k_doctor = {Operation{.group = "doctor",
                                           .name = "",
                                           .summary = "Check configuration, keys and connectivity.",
                                           .host = Host::Local,
                                           .is_default = true,
                                           .columns = k_doctor_columns,
                                           .examples = k_doctor_examples}};
static_assert(check_operations(k_doctor));

constexpr std::array k_sound_test_fields = {k_input_device_field, k_output_device_field};
constexpr std::array k_sound_devices_examples = {
    Example{"svc sound devices", "Lists microphones and speakers with their numbers."}};
constexpr std::array k_sound_test_examples = {
    Example{"svc sound test", "Plays a tone, records you and plays it back."},
    Example{"svc sound test --input-device USB --json",
            "Tests another microphone, for a program."}};
constexpr std::array k_sound = {
    Operation{.group = "sound",
              .name = "devices",
              .summary = "List audio devices.",
              .host = Host::Local,
              .is_default = true,
              .columns = k_device_columns,
              .examples = k_sound_devices_examples},
    Operation{.group = "sound",
              .name = "test",
              .summary = "Test the microphone, the speaker and the echo between them.",
              .host = Host::Local,
              .fields = resolved<k_sound_test_fields>,
              .columns = k_doctor_columns,
              .examples = k_sound_test_examples}};
static_assert(check_operations(k_sound));

}  // namespace

std::span<const Operation> api_operations() {
  return k_api;
}
std::span<const Operation> operations_operations() {
  return k_operations;
}
std::span<const Operation> auth_operations() {
  return k_auth;
}
std::span<const Operation> config_operations() {
  return k_config;
}
std::span<const Operation> templates_operations() {
  return k_templates;
}
std::span<const Operation> completion_operations() {
  return k_completion;
}
std::span<const Operation> doctor_operations() {
  return k_doctor;
}
std::span<const Operation> sound_operations() {
  return k_sound;
}

}  // namespace svc::catalogue
