// Authentication and authorization.
#pragma once

#include <array>
#include <map>
#include <string>
#include <string_view>

#include "emulator/handler/handler.h"
#include "emulator/state/state.h"

namespace svc::emulator {

/// The names valid in `api-key:endpoint:<name>`. Routes refer to them; a test compares the two.
inline constexpr std::array<std::string_view, 11> k_endpoints = {
    "batches",  "chat", "documents", "files", "image", "phone-numbers",
    "realtime", "stt",  "tokenize",  "tts",   "video"};

/// The emulator's pretended clusters.
inline constexpr std::array<std::string_view, 2> k_clusters = {"us-east-1", "eu-west-1"};

/// The key ID of calls made by a batch; no real key can have it.
inline constexpr std::string_view k_batch_key_id = "batch";

/// Returns the key of an Authorization header, or the response that refuses it: 401 without a
/// well-formed header, 400 for an unknown key, 403 for one without permission.
[[nodiscard]] Checked<KeyRecord> authenticate(State& state, std::string_view authorization,
                                              const Route& route);

/// The same for a client secret: 401 if it is unknown or expired. The key that created it must be
/// usable too.
[[nodiscard]] Checked<SecretGrant> authenticate_secret(State& state, std::string_view secret,
                                                       const Route& route);

/// Returns the management key of an Authorization header, or the response that refuses it: 401 for
/// a wrong or missing one (or an inference key), 403 if `params` contain another team.
[[nodiscard]] Checked<KeyRecord> authenticate_management(
    State& state, std::string_view authorization, const std::map<std::string, std::string>& params);

/// "sv***xy": the part of a key that may appear in an error.
[[nodiscard]] std::string mask_key(std::string_view secret);

}  // namespace svc::emulator
