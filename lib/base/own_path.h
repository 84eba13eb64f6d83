// Where the running program is, to find what was installed beside it.
#pragma once

#include <filesystem>

namespace svc {

/// The running program's file, with links resolved; empty if the system does not say. Without /proc
/// a program that changed its directory and was started by a relative path is not found.
[[nodiscard]] std::filesystem::path own_path();

}  // namespace svc
