// An MCP server on two descriptors: reads requests and writes responses. Supports every revision
// from 2024-11-05 to 2026-07-28.
#pragma once

#include <atomic>
#include <deque>
#include <functional>
#include <list>
#include <map>
#include <memory>
#include <mutex>
#include <set>
#include <string>
#include <string_view>
#include <thread>
#include <vector>

#include "base/cancel_token.h"
#include "base/result.h"
#include "mcp/message.h"

namespace svc::mcp {

/// Reports progress of a call: `done` of `total` (0: unknown), and a sentence.
using OnProgress = std::function<void(double done, double total, std::string_view message)>;

/// What a server offers. All texts are JSON. Methods are called concurrently from several threads.
class ServerHandler {
 public:
  ServerHandler() = default;
  ServerHandler(const ServerHandler&) = delete;
  ServerHandler& operator=(const ServerHandler&) = delete;
  virtual ~ServerHandler() = default;

  /// The array of tools, always in the same order.
  [[nodiscard]] virtual std::string tools() = 0;
  /// The result of a call, including one that failed (`isError`). Fails with Fault::Usage for an
  /// unknown tool.
  [[nodiscard]] virtual Result<std::string> call(const std::string& tool,
                                                 const std::string& arguments,
                                                 const OnProgress& progress,
                                                 const CancelToken& cancel) = 0;
  /// The array of resources.
  [[nodiscard]] virtual Result<std::string> resources(const CancelToken& cancel) = 0;
  /// The array of resource templates.
  [[nodiscard]] virtual std::string resource_templates() = 0;
  /// The client will name the directories that it grants ("roots"); then their URIs, again after
  /// each change; or it names none after all.
  virtual void expect_roots() {}
  virtual void on_roots(const std::vector<std::string>& uris) { (void)uris; }
  virtual void on_no_roots() {}
  /// The array of a resource's contents. Fails with Fault::NotFound for an unknown URI.
  [[nodiscard]] virtual Result<std::string> read_resource(const std::string& uri,
                                                          const CancelToken& cancel) = 0;
  /// The array of prompts.
  [[nodiscard]] virtual std::string prompts() = 0;
  /// The result of `prompts/get`. `arguments` is an object or empty. Fails with Fault::Usage for an
  /// unknown prompt.
  [[nodiscard]] virtual Result<std::string> prompt(const std::string& name,
                                                   const std::string& arguments) = 0;
};

struct ServerIdentity {
  std::string name{};
  std::string version{};
  std::string instructions{};  ///< for the model that uses the tools
};

class Server {
 public:
  Server(ServerHandler& handler, ServerIdentity identity, int input, int output);
  Server(const Server&) = delete;
  Server& operator=(const Server&) = delete;
  ~Server();

  /// Serves until the input has ended and its requests are answered, or until canceled, which also
  /// cancels calls in progress. Fails with Fault::ReaderGone if the client closes the output.
  [[nodiscard]] Result<void> run(const CancelToken& cancel);

 private:
  /// A request in progress.
  struct Work {
    CancelSource cancel{};
    std::thread thread{};
    bool over = false;
  };

  /// The responses to an array of requests, which are written together.
  struct Batch {
    std::mutex mutex{};
    std::size_t left = 0;
    std::string responses{};
  };
  using InBatch = std::shared_ptr<Batch>;  ///< null: a message of its own
  struct Waiting {
    RpcMessage message;
    InBatch batch;
  };

  void receive_line(std::string_view line);
  void receive(RpcMessage message, const InBatch& batch);
  void begin(RpcMessage message, const InBatch& batch);
  void start_waiting();
  void reply(const InBatch& batch, const std::string& text);
  void subscribe(const RpcMessage& message);
  void end_subscriptions();
  void ask_for_roots();
  void on_reply(const RpcMessage& message);
  void work(const RpcMessage& message, const std::shared_ptr<Work>& work, const InBatch& batch);
  [[nodiscard]] std::string answer(const RpcMessage& message, const CancelToken& cancel);
  [[nodiscard]] std::string initialize(const RpcMessage& message);
  [[nodiscard]] std::string discover(const RpcMessage& message) const;
  [[nodiscard]] std::string call_tool(const RpcMessage& message, const CancelToken& cancel);
  [[nodiscard]] std::string complete(const RpcMessage& message, std::string result,
                                     bool cacheable) const;
  void cancel_request(const RpcMessage& message);
  void write(const std::string& line);
  [[nodiscard]] bool wait_for_reader();
  [[nodiscard]] Result<void> serve(const CancelToken& cancel);
  void collect(bool all);

  ServerHandler& m_handler;
  ServerIdentity m_identity;
  int m_input;
  int m_output;
  std::mutex m_write_mutex{};
  const CancelToken* m_cancel = nullptr;  ///< of run()
  std::atomic<bool> m_reader_gone = false;
  bool m_has_roots = false;                                  ///< the client can name its roots
  int m_asked = 0;                                           ///< how often they were asked for
  std::mutex m_mutex{};                                      ///< guards everything below
  std::map<std::string, std::shared_ptr<Work>> m_working{};  ///< by request ID
  std::deque<Waiting> m_waiting{};                           ///< requests, in their order
  std::list<std::shared_ptr<Work>> m_threads{};
  std::set<std::string> m_subscriptions{};  ///< IDs of subscription requests
};

}  // namespace svc::mcp
