// One call of a tool of `svc mcp`: an operation run inside this program as on the command line, and
// what it gave as the result of a tool.
#pragma once

#include <atomic>
#include <cstdint>
#include <functional>
#include <memory>
#include <mutex>
#include <string>
#include <vector>

#include <nlohmann/json_fwd.hpp>

#include "base/cancel_token.h"
#include "base/result.h"
#include "mcp/server.h"
#include "session/session.h"

namespace svc::cli {

/// What all calls have in common.
struct ToolWorld {
  Session& session;      ///< of `svc mcp` itself
  std::string folder{};  ///< of --output-folder, with a slash at its end; empty: none
  std::shared_ptr<std::atomic<std::int64_t>> spent = std::make_shared<std::atomic<std::int64_t>>(0);
  std::mutex mutex{};  ///< of the emulator
};

/// What an operation gave.
struct OperationEnd {
  std::string output{};              ///< what would be on standard output
  std::vector<std::string> files{};  ///< what it has saved
  Result<void> verdict{};
};

/// Runs an operation with these inputs. `format` as --format takes it; `output` as --output does.
[[nodiscard]] OperationEnd run_inside(ToolWorld& world, const Operation& operation,
                                      const request::Inputs& inputs, const std::string& format,
                                      const std::string& output, const mcp::TellProgress& progress,
                                      const CancelToken& cancel);

/// Calls the operation with a tool's arguments: the result as MCP wants it, also of a failure.
[[nodiscard]] std::string call_operation(ToolWorld& world, const Operation& operation,
                                         const std::string& arguments,
                                         const mcp::TellProgress& progress,
                                         const CancelToken& cancel);

}  // namespace svc::cli
