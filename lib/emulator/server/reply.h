// Sends one Answer over a Wire, as HTTP/1, with the faults that befall it.
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <string>

#include "emulator/control/faults.h"
#include "emulator/handler/handler.h"
#include "emulator/server/crew.h"
#include "emulator/server/wire.h"

namespace svc::emulator {

/// How the answer goes out.
struct ReplyMode {
  bool head_only = false;  ///< HEAD: the body is described, not sent
  bool http_10 = false;    ///< no chunks: a stream ends with the connection
  bool keep_alive = true;  ///< what the peer and the server want
  std::chrono::milliseconds write_timeout{300'000};  ///< for one piece that the peer does not read
  std::int64_t now_s = 0;  ///< what the clock of the emulator shows, Unix seconds
  Crew* crew = nullptr;    ///< runs Answer::next; null: it is run where it is called
};

/// The whole answer that is not a stream, or the head of one that is, as bytes.
[[nodiscard]] std::string serialize_head(const Answer& answer, const ReplyMode& mode);

class Reply : public std::enable_shared_from_this<Reply> {
 public:
  enum class End : std::uint8_t {
    Sent,    ///< whole; the connection may go on when the mode says so
    Broken,  ///< the connection is closed or reset
  };
  using Done = std::function<void(End)>;

  /// `done` is called once, when nothing more is written.
  Reply(std::shared_ptr<Wire> wire, Answer answer, const FaultPlan& plan, ReplyMode mode,
        Done done);

  void start();

  /// The peer has gone: a stream ends, a whole answer is still written.
  void peer_gone();

 private:
  using Then = std::function<void()>;
  void send_whole();
  struct Pulled;
  using Next = std::function<std::optional<Piece>()>;
  [[nodiscard]] static Pulled pull(const Next& next);
  void pump();
  void deliver(Pulled pulled);
  void send_piece(const std::string& bytes);
  void end_stream();
  /// Writes `bytes` whole, at the pace that the plan allows, then goes on with `then`.
  void emit(std::string bytes, Then then);
  void emit_one_by_one(std::size_t position, Then then);
  void write(std::string_view bytes, Then then);
  void stall();
  void reset_soon();
  void fail();
  void finish(End end);
  [[nodiscard]] bool within_budget(std::string& payload);

  std::shared_ptr<Wire> m_wire;  ///< shared: a write under way outlasts the session
  Answer m_answer;
  FaultPlan m_plan;
  ReplyMode m_mode;
  Done m_done;
  std::shared_ptr<const Next> m_next{};  ///< while a stream goes on; the crew may hold it longer
  std::string m_out{};                   ///< what is being written
  std::uint64_t m_events = 0;            ///< pieces of a stream that went out
  std::uint64_t m_payload = 0;           ///< bytes of the body that went out
};

}  // namespace svc::emulator
