// The operations of each <group>.cpp, joined by catalogue.cpp.
#pragma once

#include <span>

#include "catalogue/model.h"

namespace svc::catalogue {

extern const std::span<const Operation> k_chat_operations, k_responses_operations, k_tts_operations,
    k_stt_operations, k_batches_operations, k_files_operations, k_legacy_operations,
    k_images_operations, k_videos_operations, k_keys_operations, k_billing_operations,
    k_collections_operations, k_models_operations, k_realtime_operations, k_phone_operations,
    k_tokenize_operations, k_docs_operations, k_api_operations, k_operations_operations,
    k_auth_operations, k_config_operations, k_templates_operations, k_completion_operations,
    k_emulator_operations, k_doctor_operations, k_sound_operations, k_history_operations,
    k_mcp_operations, k_alias_operations, k_expiring_operations;

}  // namespace svc::catalogue
