// Who calls, and may they?
#pragma once

#include <array>
#include <map>
#include <string>
#include <string_view>
#include <variant>

#include "emulator/handler/handler.h"
#include "emulator/state/state.h"

namespace svc::emulator {

/// The names that `api-key:endpoint:<name>` knows. The routes ask for them; a test compares the
/// two.
inline constexpr std::array<std::string_view, 11> k_endpoints = {
    "batches",  "chat", "documents", "files", "image", "phone-numbers",
    "realtime", "stt",  "tokenize",  "tts",   "video"};

/// Where the emulator pretends to run.
inline constexpr std::array<std::string_view, 2> k_clusters = {"us-east-1", "eu-west-1"};

/// The id of the key of the calls that a batch makes; no key that anybody can have is called so.
inline constexpr std::string_view k_batch_key_id = "batch";

/// The key behind an Authorization header, or the answer that refuses it: 401 without a well-formed
/// header, 400 for a key that does not exist, 403 for one that may not do this.
[[nodiscard]] std::variant<KeyRecord, Answer> authenticate(State& state,
                                                           std::string_view authorization,
                                                           const Route& route);

/// The same for a client secret: 401 for one that does not exist or has expired. The key that made
/// it must be in order too.
[[nodiscard]] std::variant<SecretGrant, Answer> authenticate_secret(State& state,
                                                                    std::string_view secret,
                                                                    const Route& route);

/// The management key behind an Authorization header, or the answer that refuses it: 401 for a
/// wrong or missing one (an inference key too), 403 when `params` name the team of somebody else.
[[nodiscard]] std::variant<KeyRecord, Answer> authenticate_management(
    State& state, std::string_view authorization, const std::map<std::string, std::string>& params);

/// "sv***xy": what an error may show of a key.
[[nodiscard]] std::string mask_key(std::string_view secret);

}  // namespace svc::emulator
