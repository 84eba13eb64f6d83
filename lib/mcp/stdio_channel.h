// The channel to an MCP server that is a program of this machine: one message per line on its
// standard input and output.
#pragma once

#include <map>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <thread>

#include "base/event.h"
#include "mcp/channel.h"
#include "mcp/message.h"
#include "mcp/server_process.h"

namespace svc::mcp {

/// One thread reads and writes, so that a server that does not read holds nobody up. What the
/// server sends is bounded: a message by k_most_message, what comes between two answers by a
/// flood's size, its standard error by what is kept of its end.
class StdioChannel final : public Channel {
 public:
  [[nodiscard]] static Result<std::unique_ptr<StdioChannel>> start(const ServerCommand& command,
                                                                   OnNotice on_notice);
  ~StdioChannel() override;

  [[nodiscard]] Result<std::string> request(std::string_view method, std::string params,
                                            const Patience& patience,
                                            const std::vector<Header>& headers) override;
  [[nodiscard]] Result<void> notify(std::string_view method, std::string_view params) override;
  void agree(Agreement agreement) override;
  [[nodiscard]] bool is_over() const override;
  void ask_to_end() noexcept override;
  [[nodiscard]] std::string complaints() const override;

 private:
  /// Somebody who waits for an answer.
  struct Waiter {
    Event done{};
    std::optional<Result<std::string>> answer{};
  };

  StdioChannel(ServerProcess process, OnNotice on_notice);
  void work();
  void wait();
  void write_some();
  void read_output();
  void read_error();
  void take_bytes(std::string_view bytes);
  void take_line(std::string_view line);
  void take_noise(std::string_view line);
  void take(Message message);
  void answer(const Message& message);
  void send(std::string line);
  [[nodiscard]] std::size_t unread() const;
  [[nodiscard]] bool is_stateless() const;
  /// Nothing more can come: every pending request fails with the reason.
  void fail(const std::string& why);

  ServerProcess m_process;
  OnNotice m_on_notice;
  Event m_changed{};
  std::string m_line{};         ///< of the output, as far as it has come
  std::size_t m_unasked = 0;    ///< bytes of messages since the last answer
  std::string m_first_noise{};  ///< the first line of output that is not a message
  std::size_t m_noise = 0;      ///< bytes of it, in all

  mutable std::mutex m_mutex{};  ///< of all below
  std::string m_outbox{};
  std::size_t m_written = 0;
  std::map<std::int64_t, std::shared_ptr<Waiter>> m_waiting{};
  std::int64_t m_last_id = 0;
  std::string m_complaints{};
  std::string m_meta{};
  std::optional<Error> m_failure{};
  bool m_closing = false;

  std::thread m_thread{};
};

}  // namespace svc::mcp
