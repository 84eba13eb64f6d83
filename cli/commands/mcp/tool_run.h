// One tool call of `svc mcp`: runs an operation in this process as the command line would, and
// converts the output to a tool's result.
#pragma once

#include <atomic>
#include <cstdint>
#include <memory>
#include <mutex>
#include <string>
#include <vector>

#include "base/cancel_token.h"
#include "base/result.h"
#include "commands/mcp/read_roots.h"
#include "json/document.h"
#include "mcp/server.h"
#include "session/session.h"

namespace svc::cli {

/// State shared by all calls.
struct ToolContext {
  Session& session;         ///< of `svc mcp` itself
  ReadRoots& roots;         ///< what may be read
  std::string directory{};  ///< --output-dir with a trailing slash; empty: none
  std::shared_ptr<SharedSpending> spent = std::make_shared<SharedSpending>();
  std::mutex mutex{};                  ///< guards the emulator and the secrets
  std::vector<std::string> secrets{};  ///< of all calls

  void add_secrets(const std::vector<std::string>& more);
  /// `text` without a secret, as the client may see it: a service may repeat them.
  [[nodiscard]] std::string without_secrets(std::string text);
};

/// The outcome of an operation.
struct OperationEnd {
  std::string output{};              ///< what the command prints on standard output
  std::vector<std::string> files{};  ///< the files saved
  Result<void> verdict{};
};

/// Runs an operation with these inputs. `format` and `output` are the values of --format and
/// --output.
[[nodiscard]] OperationEnd run_inside(ToolContext& context, const Operation& operation,
                                      const request::Inputs& inputs, const std::string& format,
                                      const std::string& output, const mcp::OnProgress& progress,
                                      const CancelToken& cancel);

/// Adds the bytes to a resource: as `text` if they are text, otherwise as `blob`.
void add_content(OrderedJson& resource, const std::string& bytes);

/// Runs the operation with a tool's arguments and returns the result in MCP's format, also if it
/// fails.
[[nodiscard]] std::string call_operation(ToolContext& context, const Operation& operation,
                                         const std::string& arguments,
                                         const mcp::OnProgress& progress,
                                         const CancelToken& cancel);

}  // namespace svc::cli
