// A client of one MCP server: negotiates the protocol revision, lists its tools and calls them.
#pragma once

#include <atomic>
#include <functional>
#include <memory>
#include <mutex>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"
#include "mcp/channel.h"
#include "mcp/header_arguments.h"

namespace svc::mcp {

// The result of an MCP tool call.

/// An image or audio, as base64.
struct MediaPart {
  std::string type{};  ///< "image/png"
  std::string base64{};
};

struct ToolResult {
  std::string text{};  ///< its text parts and resources, joined; untrusted
  std::vector<MediaPart> media{};
  bool failed = false;  ///< the tool reported an error, described in the text
};

/// Parses the `result` of tools/call. Missing text is replaced with the structured content. Fails
/// with Fault::Network if it is not a tool result, Fault::Service if the server requests input,
/// which is not supported.
[[nodiscard]] Result<ToolResult> read_tool_result(std::string_view result);

struct ToolInfo {
  std::string name{};
  std::string title{};
  std::string description{};
  std::string schema{};  ///< of the arguments: a JSON object
  bool read_only = false;
  bool destructive = false;  ///< according to its annotations, which the server chooses
  std::vector<HeaderArgument> headers{};
};

/// Creates the channel; called again when the server has exited.
using Connect = std::function<Result<std::unique_ptr<Channel>>(OnNotification)>;

/// Thread-safe; calls may run concurrently. A server that has exited is restarted by the next call.
class Client {
 public:
  /// `name` is the user's name for the server, `version` the version of svc.
  Client(std::string name, std::string version, Connect connect);
  Client(const Client&) = delete;
  Client& operator=(const Client&) = delete;
  ~Client();

  /// Connects, negotiates a revision and lists the tools. An error includes the server's name and
  /// its standard error output.
  [[nodiscard]] Result<void> open(const CallContext& context);

  [[nodiscard]] const std::string& name() const noexcept { return m_name; }
  /// The server's own name and version, such as "everything 2.0.0": untrusted text.
  [[nodiscard]] std::string title() const;
  [[nodiscard]] std::string revision() const;
  [[nodiscard]] std::vector<ToolInfo> tools() const;

  /// Whether the server has reported a change of its tools since they were listed.
  [[nodiscard]] bool tools_changed() const noexcept { return m_changed; }
  [[nodiscard]] Result<void> read_tools(const CallContext& context);

  /// Calls a tool; `arguments` is a JSON object.
  [[nodiscard]] Result<ToolResult> call(std::string_view tool, std::string_view arguments,
                                        const CallContext& context);
  /// As call(), but returns the unparsed `result`.
  [[nodiscard]] Result<std::string> call_raw(std::string_view tool, std::string_view arguments,
                                             const CallContext& context);

  /// Progress and log messages since the last call, one line each: untrusted text.
  [[nodiscard]] std::vector<std::string> take_messages();

  /// Which tools were left out since the last call, and why, one line each: untrusted text.
  [[nodiscard]] std::vector<std::string> take_warnings();

  /// Whether the server was restarted since the last call.
  [[nodiscard]] bool take_restarted() noexcept { return m_restarted.exchange(false); }

  /// Asks the server to exit, without waiting; the destructor waits.
  void request_exit() noexcept;

 private:
  [[nodiscard]] Result<void> begin(const CallContext& context);
  [[nodiscard]] Result<void> adopt_protocol(Channel& channel, const CallContext& context);
  [[nodiscard]] Result<void> adopt_stateless_protocol(Channel& channel, const Error& refusal,
                                                      const CallContext& context);
  [[nodiscard]] Result<void> list_tools(Channel& channel, const CallContext& context);
  [[nodiscard]] std::string add_tool(std::vector<ToolInfo>& tools, std::string_view text);
  void add_warning(std::string line);
  [[nodiscard]] std::shared_ptr<Channel> channel() const;
  [[nodiscard]] Result<std::shared_ptr<Channel>> ensure_channel(const CallContext& context);
  [[nodiscard]] std::vector<Header> headers_for(std::string_view tool,
                                                std::string_view arguments) const;
  void on_notification(const std::string& method, const std::string& params);
  void add_message(std::string line);
  [[nodiscard]] Error named(Error error) const;

  std::string m_name;
  std::string m_version;
  Connect m_connect;
  std::atomic<bool> m_ready = false;  ///< the channel has been negotiated and the tools are listed
  std::atomic<bool> m_changed = false;
  std::atomic<bool> m_restarted = false;
  std::mutex m_starting{};       ///< held during a restart of the server
  mutable std::mutex m_mutex{};  ///< guards everything below
  std::shared_ptr<Channel> m_channel{};
  std::vector<ToolInfo> m_tools{};
  std::vector<std::string> m_messages{};
  std::vector<std::string> m_warnings{};
  std::string m_title{};
  std::string m_revision{};
};

}  // namespace svc::mcp
