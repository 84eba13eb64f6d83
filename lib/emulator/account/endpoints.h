// The names that `api-key:endpoint:<name>` knows. The routes ask for them; a test compares the two.
#pragma once

#include <array>
#include <string_view>

namespace svc::emulator {

inline constexpr std::array<std::string_view, 11> k_endpoints = {
    "batches",  "chat", "documents", "files", "image", "phone-numbers",
    "realtime", "stt",  "tokenize",  "tts",   "video"};

/// Where the emulator pretends to run.
inline constexpr std::array<std::string_view, 2> k_clusters = {"us-east-1", "eu-west-1"};

}  // namespace svc::emulator
