// A client of one MCP server: agrees with it on a revision of the protocol, reads its tools, calls
// them.
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

/// An image or a sound, as base64.
struct MediaPart {
  std::string type{};  ///< "image/png"
  std::string base64{};
};

struct ToolResult {
  std::string text{};  ///< its text parts and resources, one after the other; foreign
  std::vector<MediaPart> media{};
  bool failed = false;  ///< the tool's own error: the text says why
};

/// Reads the `result` of tools/call. Structured content stands for missing text. Network when it is
/// not one; Service when the server wants input that a tool call here cannot give.
[[nodiscard]] Result<ToolResult> read_tool_result(std::string_view result);

struct ToolInfo {
  std::string name{};
  std::string title{};
  std::string description{};
  std::string schema{};  ///< of its arguments: a JSON object
  bool read_only = false;
  bool destructive = false;  ///< by its annotations, which are the server's own word
  std::vector<HeaderArgument> headers{};
};

/// Makes the channel; it is asked again when the server has ended.
using Connect = std::function<Result<std::unique_ptr<Channel>>(OnNotice)>;

/// Any thread may use it, and several at a time. A server that has ended is started again by the
/// next call.
class Client {
 public:
  /// `name` is what the user calls the server, `version` this program's.
  Client(std::string name, std::string version, Connect connect);
  Client(const Client&) = delete;
  Client& operator=(const Client&) = delete;
  ~Client();

  /// Connects, agrees on a revision and reads the tools. The error says which server it is, and
  /// what that wrote on its standard error.
  [[nodiscard]] Result<void> open(const Patience& patience);

  [[nodiscard]] const std::string& name() const noexcept { return m_name; }
  /// What it calls itself, "everything 2.0.0": foreign text.
  [[nodiscard]] std::string title() const;
  [[nodiscard]] std::string revision() const;
  [[nodiscard]] std::vector<ToolInfo> tools() const;

  /// The server said that its tools are others now, since they were read.
  [[nodiscard]] bool tools_changed() const noexcept { return m_changed; }
  [[nodiscard]] Result<void> read_tools(const Patience& patience);

  /// Calls a tool; `arguments` is a JSON object.
  [[nodiscard]] Result<ToolResult> call(std::string_view tool, std::string_view arguments,
                                        const Patience& patience);
  /// The same; the `result` of the answer as it came.
  [[nodiscard]] Result<std::string> call_raw(std::string_view tool, std::string_view arguments,
                                             const Patience& patience);

  /// Progress and log messages that came since the last time: a line each, foreign text.
  [[nodiscard]] std::vector<std::string> take_news();

  /// Whether the server was started again since the last time.
  [[nodiscard]] bool take_restarted() noexcept { return m_restarted.exchange(false); }

  /// Asks the server to end, without waiting; the destructor waits.
  void ask_to_end() noexcept;

 private:
  [[nodiscard]] Result<void> begin(const Patience& patience);
  [[nodiscard]] Result<void> agree(Channel& channel, const Patience& patience);
  [[nodiscard]] Result<void> agree_without_handshake(Channel& channel, const Error& refusal,
                                                     const Patience& patience);
  [[nodiscard]] Result<void> list_tools(Channel& channel, const Patience& patience);
  void add_tool(std::vector<ToolInfo>& tools, std::string_view text);
  [[nodiscard]] std::shared_ptr<Channel> channel() const;
  [[nodiscard]] Result<std::shared_ptr<Channel>> living_channel(const Patience& patience);
  [[nodiscard]] std::vector<Header> headers_for(std::string_view tool,
                                                std::string_view arguments) const;
  void on_notice(const std::string& method, const std::string& params);
  void add_news(std::string line);
  [[nodiscard]] Error named(Error error) const;

  std::string m_name;
  std::string m_version;
  Connect m_connect;
  std::atomic<bool> m_ready = false;  ///< the channel has agreed and named its tools
  std::atomic<bool> m_changed = false;
  std::atomic<bool> m_restarted = false;
  std::mutex m_starting{};       ///< held while the server is started again
  mutable std::mutex m_mutex{};  ///< of all below
  std::shared_ptr<Channel> m_channel{};
  std::vector<ToolInfo> m_tools{};
  std::vector<std::string> m_news{};
  std::string m_title{};
  std::string m_revision{};
};

}  // namespace svc::mcp
