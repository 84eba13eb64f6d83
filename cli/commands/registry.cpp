#include "commands/registry.h"

#include <array>

#include <fmt/format.h>

#include "catalogue/catalogue.h"
#include "conversation/prompt_template.h"
#include "operation/runner.h"
#include "operation/save_media.h"
#include "print/table.h"
#include "request/rules.h"

namespace svc::cli {
namespace {

struct Row {
  sv name;
  Command* run;
  OpenRules rules{};
};

constexpr OpenRules k_optional{ConfigUse::Optional, NewProfile::Allow};
constexpr OpenRules k_reports_config{ConfigUse::CommandReports};
// These commands create profiles.
constexpr OpenRules k_makes_profile{ConfigUse::Required, NewProfile::Allow};
constexpr OpenRules k_repairs_profile{ConfigUse::CommandReports, NewProfile::Allow};
constexpr OpenRules k_own_output{ConfigUse::Required, NewProfile::Refuse, true};

constexpr std::array k_commands = {
    Row{"api", run_api},
    Row{"auth login", run_auth_login, k_makes_profile},
    Row{"auth logout", run_auth_logout, k_makes_profile},
    Row{"auth status", run_auth_status, k_reports_config},
    Row{"billing invoices", run_billing_invoices},
    Row{"billing limits set", run_billing_limits_set},
    Row{"billing preview", run_billing_preview},
    Row{"billing top-up", run_billing_top_up},
    Row{"billing usage", run_billing_usage, k_optional},
    Row{"collections documents add", run_documents_add},
    Row{"collections documents get", run_documents_get},
    Row{"collections search", run_collections_search},
    Row{"batches add", run_batches_add},
    Row{"batches run", run_batches_run, k_own_output},
    Row{"batches wait", run_batches_wait},
    Row{"chat create", run_chat, k_own_output},
    Row{"completion", run_completion, k_optional},
    Row{"config get", run_config_get},
    Row{"config list", run_config_list, k_reports_config},
    Row{"config path", run_config_path, k_optional},
    Row{"config set", run_config_set, k_repairs_profile},
    Row{"doctor", run_doctor, k_reports_config},
    Row{"emulator", run_emulator, k_optional},
    Row{"emulator call", run_emulator_call},
    Row{"files download", run_files_download, k_own_output},
    Row{"files upload", run_files_upload},
    Row{"history delete", run_history_delete, k_optional},
    Row{"history export", run_history_export, k_optional},
    Row{"history list", run_history_list, k_optional},
    Row{"history rename", run_history_rename, k_optional},
    Row{"history search", run_history_search, k_optional},
    Row{"history show", run_history_show, k_optional},
    Row{"keys create", run_keys_issue},
    Row{"keys endpoints", run_keys_endpoints},
    Row{"keys propagation", run_keys_propagation},
    Row{"keys rotate", run_keys_issue},
    Row{"mcp call", run_mcp_call},
    Row{"mcp serve", run_mcp_serve},
    Row{"mcp tools", run_mcp_tools},
    Row{"models list", run_models_list},
    Row{"operations", run_operations, k_optional},
    Row{"phone create", run_phone_create},
    Row{"phone answer", run_phone_answer},
    Row{"phone listen", run_phone_listen},
    Row{"phone verify", run_phone_verify},
    Row{"realtime connect", run_realtime_connect},
    Row{"realtime secret", run_realtime_secret},
    Row{"realtime talk", run_realtime_talk},
    Row{"responses create", run_responses, k_own_output},
    Row{"responses get", run_responses_get, k_own_output},
    Row{"sound devices", run_sound_devices, k_optional},
    Row{"sound test", run_sound_test, k_optional},
    Row{"stt live", run_stt_live},
    Row{"stt transcribe", run_stt_transcribe, k_own_output},
    Row{"templates edit", run_templates_edit},
    Row{"templates list", run_templates_list},
    Row{"templates show", run_templates_show},
    Row{"tts speak", run_tts_speak, k_own_output},
    Row{"tts voice", run_tts_voice, k_own_output},
    Row{"tts voices", run_tts_voices, k_own_output},
};

const Row* find_row(const Operation& operation) {
  const std::string name = command_name(operation);
  for (const Row& row : k_commands) {
    if (row.name == name) return &row;
  }
  return nullptr;
}

/// Checks that --columns names columns of the list that the command prints.
Result<void> check_columns(const Session& session, const Operation& operation) {
  if (!session.globals().columns) return {};
  // For a single document, --columns only formats its fields.
  const bool lists =
      operation.host == Host::Local || (!operation.items.empty() && operation.tool.empty());
  const std::vector<print::Column> columns = print::columns_of(operation);
  if (columns.empty() || !lists) {
    return usage_error(fmt::format("'svc {}' prints no list, so --columns does not apply",
                                   command_name(operation)));
  }
  for (const sv name : split(*session.globals().columns, ',')) {
    if (!trim(name).empty()) continue;
    return usage_error(
        fmt::format("--columns must be names separated by commas; '{}' has an empty one",
                    shown(*session.globals().columns, 80)));
  }
  return print::check_columns(columns, session.list_choice().columns);
}

}  // namespace

Result<void> run_invocation(Session& session, Invocation& invocation) {
  const Operation& operation = *session.invocation().operation;
  const Row* row = find_row(operation);
  OpenRules rules = row != nullptr ? row->rules : OpenRules{};
  rules.own_output = rules.own_output || saves_media(operation);
  SVC_CHECK(session.open(rules));
  session.notices().set_json(session.format() == Format::Json || session.format() == Format::Jsonl);
  SVC_CHECK(apply_template(session, invocation));
  SVC_CHECK(check_columns(session, operation));
  if (operation.host == Host::Local) {
    SVC_CHECK(request::check_local(operation, session.invocation().inputs));
  }
  Result<void> done = row != nullptr ? row->run(session) : run_operation(session);
  session.progress().finish();
  const bool success = done || done.error().fault == Fault::RemoteJob;
  Result<void> closed = session.close(success);
  return done ? closed : done;
}

}  // namespace svc::cli
