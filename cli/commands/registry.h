// The commands that need their own code; all others are run by the generic runner.
#pragma once

#include "base/result.h"
#include "session/session.h"

namespace svc::cli {

/// Runs the session's invocation: opens the session, runs the command or the operation, and closes
/// the output. `invocation` is the session's own; a prompt template may add to it.
[[nodiscard]] Result<void> run_invocation(Session& session, Invocation& invocation);

/// Runs one command.
using Command = Result<void>(Session& session);
Command run_api, run_auth_login, run_auth_logout, run_auth_status, run_batches_add, run_batches_run,
    run_batches_wait, run_billing_invoices, run_billing_limits_set, run_billing_preview,
    run_billing_top_up, run_billing_usage, run_chat, run_collections_search, run_completion,
    run_config_get, run_config_list, run_config_path, run_config_set, run_doctor, run_documents_add,
    run_documents_get, run_emulator, run_emulator_call, run_files_download, run_files_upload,
    run_history_delete, run_history_export, run_history_list, run_history_rename,
    run_history_search, run_history_show, run_keys_endpoints, run_keys_issue, run_keys_propagation,
    run_mcp_call, run_mcp_serve, run_mcp_tools, run_models_list, run_operations, run_phone_answer,
    run_phone_create, run_phone_listen, run_phone_verify, run_realtime_connect, run_realtime_secret,
    run_realtime_talk, run_responses, run_responses_get, run_sound_devices, run_sound_test,
    run_stt_live, run_stt_transcribe, run_templates_edit, run_templates_list, run_templates_show,
    run_tts_speak, run_tts_voice, run_tts_voices;

/// The hidden command `svc __complete WORDS...`, called by the completion scripts: WORDS are the
/// arguments up to the cursor; the last may be empty. Prints `files PREFIX` where a path is
/// expected, else `words PREFIX`, where PREFIX is the part of the last word to keep; then one
/// candidate per line, with its description after a tab. Prints nothing if nothing can be
/// completed. The exit code is always 0.
[[nodiscard]] int run_complete(const std::vector<std::string>& words, const CancelToken& cancel);

}  // namespace svc::cli
