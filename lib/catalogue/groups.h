// One accessor per <group>.cpp, joined by catalogue.cpp.
#pragma once

#include <span>

#include "catalogue/model.h"

namespace svc::catalogue {

[[nodiscard]] std::span<const Operation> chat_operations();
[[nodiscard]] std::span<const Operation> responses_operations();
[[nodiscard]] std::span<const Operation> tts_operations();
[[nodiscard]] std::span<const Operation> stt_operations();
[[nodiscard]] std::span<const Operation> batches_operations();
[[nodiscard]] std::span<const Operation> files_operations();
[[nodiscard]] std::span<const Operation> legacy_operations();
[[nodiscard]] std::span<const Operation> images_operations();
[[nodiscard]] std::span<const Operation> videos_operations();
[[nodiscard]] std::span<const Operation> keys_operations();
[[nodiscard]] std::span<const Operation> billing_operations();
[[nodiscard]] std::span<const Operation> collections_operations();
[[nodiscard]] std::span<const Operation> models_operations();
[[nodiscard]] std::span<const Operation> realtime_operations();
[[nodiscard]] std::span<const Operation> phone_operations();
[[nodiscard]] std::span<const Operation> tokenize_operations();
[[nodiscard]] std::span<const Operation> docs_operations();
[[nodiscard]] std::span<const Operation> api_operations();
[[nodiscard]] std::span<const Operation> operations_operations();
[[nodiscard]] std::span<const Operation> auth_operations();
[[nodiscard]] std::span<const Operation> config_operations();
[[nodiscard]] std::span<const Operation> templates_operations();
[[nodiscard]] std::span<const Operation> completion_operations();
[[nodiscard]] std::span<const Operation> emulator_operations();
[[nodiscard]] std::span<const Operation> doctor_operations();
[[nodiscard]] std::span<const Operation> sound_operations();
[[nodiscard]] std::span<const Operation> history_operations();
[[nodiscard]] std::span<const Operation> mcp_operations();

}  // namespace svc::catalogue
