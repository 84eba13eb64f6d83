// The key of the calls that a batch makes.
#pragma once

#include <string_view>

namespace svc::emulator::batches {

/// Its id; no key that anybody can have is called so.
inline constexpr std::string_view k_key_id = "batch";

}  // namespace svc::emulator::batches
