// One connection: requests in, answers out, one after the other.
#pragma once

#include <array>
#include <atomic>
#include <cstdint>
#include <functional>
#include <memory>
#include <string>

#include "emulator/server/crew.h"
#include "emulator/server/dispatch.h"
#include "emulator/server/reply.h"
#include "emulator/server/request_parser.h"
#include "emulator/server/server.h"
#include "emulator/server/socket_link.h"
#include "emulator/server/wire.h"

namespace svc::emulator {

class Session : public std::enable_shared_from_this<Session> {
 public:
  /// `dispatcher` and `crew` must outlive it. `closed` is called once, when the connection has
  /// ended.
  Session(std::shared_ptr<Wire> wire, Dispatcher& dispatcher, Crew& crew, const Timing& timing,
          std::function<void()> closed);

  /// From any thread.
  void start();

  /// Ends the connection: at once when it waits for a request, else after the answer, but not
  /// later than `grace` from now. From any thread.
  void stop(std::chrono::milliseconds grace);

  /// Ends the connection when it waits for a request. From any thread.
  void make_room();

  /// Does it wait for a request? From any thread.
  [[nodiscard]] bool is_idle() const { return m_idle; }

 private:
  enum class Stage : std::uint8_t { Opening, Receiving, Answering, Upgraded, Draining, Closed };

  void receive();
  void read_more();
  void on_read(std::size_t bytes);
  void parse();
  void on_head();
  void on_request(HttpCall call);
  void refuse_now(const HttpCall& call, Answer answer);
  void act_apart(const std::shared_ptr<HttpCall>& call, const HttpCall& head,
                 const Dispatcher::Ticket& ticket);
  void act(const std::shared_ptr<HttpCall>& call, const Dispatcher::Ticket& ticket);
  void answer_instead(const HttpCall& call, const Dispatcher::Ticket& ticket);
  void hold();
  void send(const HttpCall& call, const Dispatcher::Ticket& ticket, Answer answer);
  void upgrade(const Dispatcher::Ticket& ticket, SocketOffer offer);
  void on_sent(Reply::End end);
  void drain();
  void leave();
  void set_receive_deadline();
  void on_receive_timeout();
  void close();

  std::shared_ptr<Wire> m_wire;
  Dispatcher& m_dispatcher;
  Crew& m_crew;
  Timing m_timing;
  std::function<void()> m_closed;
  Stage m_stage = Stage::Opening;
  RequestParser m_parser{};
  std::shared_ptr<Reply> m_reply{};
  std::shared_ptr<SocketLink> m_link{};
  std::stop_source m_stop{};  ///< of the request that runs apart
  std::string m_input{};      ///< read, not yet parsed
  std::array<char, 16'384> m_chunk{};
  std::atomic<bool> m_idle = false;
  bool m_reading = false;
  bool m_peer_ended = false;
  bool m_stopping = false;
  bool m_unread = false;  ///< the answer came before the request was read whole
  bool m_keep_alive = true;
  bool m_http_10 = false;
  bool m_apart = false;  ///< the answer comes from the crew
};

}  // namespace svc::emulator
