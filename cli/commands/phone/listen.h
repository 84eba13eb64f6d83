// The parts of `svc phone listen`.
#pragma once

#include <atomic>
#include <chrono>
#include <condition_variable>
#include <deque>
#include <functional>
#include <mutex>
#include <optional>
#include <string>
#include <thread>
#include <vector>

#include "base/cancel_token.h"
#include "base/file_descriptor.h"
#include "base/program.h"
#include "base/result.h"
#include "session/session.h"
#include "webhook/receiver.h"
#include "webhook/replay.h"
#include "webhook/signature.h"

namespace svc::cli {

/// The signing secrets: those of --secret, else SVC_WEBHOOK_SECRET, else the profile's
/// webhook_secret_file, a line each. Auth when there is none.
[[nodiscard]] Result<webhook::Verifier> webhook_verifier(Session& session);

/// What other threads hand to the one that prints.
struct ListenEvent {
  enum class Kind : std::uint8_t {
    Delivery,  ///< JSON, verified
    Line,      ///< a line of JSON that a program wrote
    Said,      ///< a line to read, from outside
    Note,      ///< for standard error
  };
  Kind kind = Kind::Delivery;
  std::string text{};
};

/// Deliveries on their way from the receiver's thread to the one that prints.
class ListenQueue {
 public:
  ListenQueue();

  /// False when it is full: the sender is to come again.
  [[nodiscard]] bool put(ListenEvent event);
  [[nodiscard]] std::optional<ListenEvent> take();
  [[nodiscard]] bool has_room() const;
  /// The same, waiting for room, or until it is closed.
  void put_when_room(const ListenEvent& event);
  void close() noexcept { m_closed = true; }
  /// Tells of a delivery that was not taken; of many at once only the last reason is kept.
  void refuse(std::string reason);
  /// How many were refused since the last call, and the last reason.
  [[nodiscard]] std::pair<std::size_t, std::string> take_refusals();
  /// Readable when there may be something.
  [[nodiscard]] int descriptor() const noexcept { return m_wake.get(); }
  /// Before looking: what comes from now on makes it readable again.
  void quiet() noexcept;
  /// Makes it readable.
  void wake() noexcept;

 private:
  mutable std::mutex m_mutex{};
  std::deque<ListenEvent> m_events{};  ///< guarded
  std::size_t m_refused = 0;           ///< guarded
  std::string m_reason{};              ///< guarded
  std::atomic<bool> m_closed = false;
  FileDescriptor m_wake;
};

/// Runs programs, so many at a time; others wait for their turn.
class ProgramPool {
 public:
  struct Job {
    std::string name{};  ///< for what is told of its end
    ProgramRun run{};
  };
  /// Called on a thread of the pool.
  using Ended = std::function<void(const Job&, const Result<ProgramEnd>&)>;

  ProgramPool(std::size_t threads, Ended ended);
  ProgramPool(const ProgramPool&) = delete;
  ProgramPool& operator=(const ProgramPool&) = delete;
  /// Ends what runs, and leaves out what waits.
  ~ProgramPool();

  void start(Job job);
  /// Those that run or wait.
  [[nodiscard]] std::size_t count() const;
  /// Readable when one has ended.
  [[nodiscard]] int descriptor() const noexcept { return m_wake.get(); }
  void quiet() noexcept;

 private:
  void work();

  Ended m_ended;
  CancelSource m_cancel{};
  FileDescriptor m_wake;
  mutable std::mutex m_mutex{};
  std::condition_variable m_changed{};
  std::deque<Job> m_waiting{};           ///< guarded
  std::size_t m_running = 0;             ///< guarded
  bool m_over = false;                   ///< guarded
  std::vector<std::thread> m_threads{};  ///< run programs; the destructor ends them
};

/// What is run for events: the user's program, or this one, which answers the call.
class ListenPrograms {
 public:
  /// What they write and how they end goes to `queue`, which must outlive this.
  ListenPrograms(Session& session, ListenQueue& queue);

  /// What the invocation wants to be run for an event, if anything.
  void start(const std::string& event);
  [[nodiscard]] std::size_t count() const { return m_pool.count(); }
  [[nodiscard]] int descriptor() const noexcept { return m_pool.descriptor(); }
  void quiet() noexcept { m_pool.quiet(); }

 private:
  [[nodiscard]] ProgramRun own_program(const std::string& program, const std::string& event) const;
  [[nodiscard]] ProgramRun answering(const std::string& call);
  void tell_end(const ProgramPool::Job& job, const Result<ProgramEnd>& end);

  Session& m_session;
  ListenQueue& m_queue;
  ProgramPool m_pool;
};

/// Usage for flags about answering where nothing is answered; what answering needs is looked at
/// before the first call comes.
[[nodiscard]] Result<void> check_answering(Session& session);

/// A flag of this invocation that takes a whole number from 1 on.
[[nodiscard]] std::uint64_t listen_number(Session& session, sv flag, std::uint64_t usual);

}  // namespace svc::cli
