// The commands that need their own code; all others are run by the generic runner.
#pragma once

#include "base/result.h"
#include "session/session.h"

namespace svc::cli {

/// Runs the session's invocation: opens the session, runs the command or the operation, and closes
/// the output. `invocation` is the session's own; a prompt template may add to it.
[[nodiscard]] Result<void> run_invocation(Session& session, Invocation& invocation);

[[nodiscard]] Result<void> run_api(Session& session);
[[nodiscard]] Result<void> run_auth_login(Session& session);
[[nodiscard]] Result<void> run_auth_logout(Session& session);
[[nodiscard]] Result<void> run_auth_status(Session& session);
[[nodiscard]] Result<void> run_billing_invoices(Session& session);
[[nodiscard]] Result<void> run_billing_limits_set(Session& session);
[[nodiscard]] Result<void> run_billing_preview(Session& session);
[[nodiscard]] Result<void> run_billing_top_up(Session& session);
[[nodiscard]] Result<void> run_billing_usage(Session& session);
[[nodiscard]] Result<void> run_collections_search(Session& session);
[[nodiscard]] Result<void> run_batches_add(Session& session);
[[nodiscard]] Result<void> run_batches_run(Session& session);
[[nodiscard]] Result<void> run_batches_wait(Session& session);
[[nodiscard]] Result<void> run_chat(Session& session);
[[nodiscard]] Result<void> run_chat_each(Session& session);
[[nodiscard]] Result<void> run_completion(Session& session);
[[nodiscard]] Result<void> run_config_get(Session& session);
[[nodiscard]] Result<void> run_config_list(Session& session);
[[nodiscard]] Result<void> run_config_path(Session& session);
[[nodiscard]] Result<void> run_config_set(Session& session);
[[nodiscard]] Result<void> run_doctor(Session& session);
[[nodiscard]] Result<void> run_sound_devices(Session& session);
[[nodiscard]] Result<void> run_sound_test(Session& session);
[[nodiscard]] Result<void> run_documents_add(Session& session);
[[nodiscard]] Result<void> run_documents_get(Session& session);
[[nodiscard]] Result<void> run_emulator(Session& session);
[[nodiscard]] Result<void> run_emulator_call(Session& session);
[[nodiscard]] Result<void> run_files_download(Session& session);
[[nodiscard]] Result<void> run_files_upload(Session& session);
[[nodiscard]] Result<void> run_history_delete(Session& session);
[[nodiscard]] Result<void> run_history_export(Session& session);
[[nodiscard]] Result<void> run_history_list(Session& session);
[[nodiscard]] Result<void> run_history_rename(Session& session);
[[nodiscard]] Result<void> run_history_search(Session& session);
[[nodiscard]] Result<void> run_history_show(Session& session);
[[nodiscard]] Result<void> run_keys_endpoints(Session& session);
[[nodiscard]] Result<void> run_keys_propagation(Session& session);
[[nodiscard]] Result<void> run_keys_issue(Session& session);
[[nodiscard]] Result<void> run_mcp_call(Session& session);
[[nodiscard]] Result<void> run_mcp_serve(Session& session);
[[nodiscard]] Result<void> run_mcp_tools(Session& session);
[[nodiscard]] Result<void> run_models_list(Session& session);
[[nodiscard]] Result<void> run_operations(Session& session);
[[nodiscard]] Result<void> run_templates_edit(Session& session);
[[nodiscard]] Result<void> run_templates_list(Session& session);
[[nodiscard]] Result<void> run_templates_show(Session& session);
[[nodiscard]] Result<void> run_phone_create(Session& session);
[[nodiscard]] Result<void> run_phone_answer(Session& session);
[[nodiscard]] Result<void> run_phone_listen(Session& session);
[[nodiscard]] Result<void> run_phone_verify(Session& session);
[[nodiscard]] Result<void> run_realtime_connect(Session& session);
[[nodiscard]] Result<void> run_realtime_secret(Session& session);
[[nodiscard]] Result<void> run_realtime_talk(Session& session);
[[nodiscard]] Result<void> run_responses(Session& session);
[[nodiscard]] Result<void> run_responses_get(Session& session);
[[nodiscard]] Result<void> run_stt_live(Session& session);
[[nodiscard]] Result<void> run_stt_transcribe(Session& session);
[[nodiscard]] Result<void> run_tts_speak(Session& session);
[[nodiscard]] Result<void> run_tts_voice(Session& session);
[[nodiscard]] Result<void> run_tts_voices(Session& session);

}  // namespace svc::cli
