// Where the emulator pretends to run.
#pragma once

#include <array>
#include <string_view>

namespace svc::emulator {

inline constexpr std::array<std::string_view, 2> k_clusters = {"us-east-1", "eu-west-1"};

}  // namespace svc::emulator
