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
#include "base/program.h"
#include "base/result.h"
#include "session/session.h"
#include "webhook/receiver.h"
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
    Failed,    ///< what ends the command
  };
  Kind kind = Kind::Delivery;
  std::string text{};
};

/// Deliveries on their way from the receiver's thread to the one that prints.
class ListenQueue {
 public:
  /// False when it is full: the sender is to come again.
  [[nodiscard]] bool put(ListenEvent event);
  [[nodiscard]] std::optional<ListenEvent> take();
  [[nodiscard]] bool has_room() const;
  /// The same, waiting for room, or until it is closed.
  void put_when_room(const ListenEvent& event);
  void close() noexcept { m_closed = true; }
  /// Reports a delivery that was refused; when very many wait to be shown, the rest are counted.
  void refuse(std::string reason);
  /// The next `most` of them, and once those are through, how many more there were.
  [[nodiscard]] std::pair<std::vector<std::string>, std::size_t> take_refusals(std::size_t most);
  /// Readable when there may be something.
  [[nodiscard]] int descriptor() const noexcept { return m_wake.descriptor(); }
  /// Before looking: what comes from now on makes it readable again.
  void quiet() noexcept { m_wake.clear(); }
  /// Makes it readable.
  void wake() noexcept { m_wake.signal(); }

 private:
  mutable std::mutex m_mutex{};
  std::deque<ListenEvent> m_events{};    ///< guarded
  std::deque<std::string> m_refusals{};  ///< guarded
  std::size_t m_uncounted = 0;           ///< guarded: refusals beside those
  std::atomic<bool> m_closed = false;
  Event m_wake{};
};

/// Runs a limited number of programs at a time; others wait for their turn.
class ProgramPool {
 public:
  struct Job {
    std::string name{};  ///< for the report of its end
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
  [[nodiscard]] int descriptor() const noexcept { return m_wake.descriptor(); }
  void quiet() noexcept { m_wake.clear(); }

 private:
  void work();

  Ended m_ended;
  CancelSource m_cancel{};
  Event m_wake{};
  mutable std::mutex m_mutex{};
  std::condition_variable m_changed{};
  std::deque<Job> m_waiting{};           ///< guarded
  std::size_t m_running = 0;             ///< guarded
  bool m_over = false;                   ///< guarded
  std::vector<std::thread> m_threads{};  ///< run programs; the destructor ends them
};

/// The folder of --store: every delivery in a file of its own, as read_stored_delivery() reads it.
class DeliveryStore {
 public:
  /// Local when the folder cannot be made.
  [[nodiscard]] static Result<DeliveryStore> open(const std::string& folder);

  /// Keeps a delivery that was answered with that status and reason.
  [[nodiscard]] Result<void> keep(const webhook::Delivery& delivery, std::int64_t received,
                                  const webhook::Answer& answer);

 private:
  explicit DeliveryStore(std::string folder) : m_folder(std::move(folder)) {}

  std::string m_folder;
  std::size_t m_refused = 0;
};

struct StoredDelivery {
  webhook::Delivery delivery{};
  std::int64_t received = 0;
};

/// The ending of such a file.
inline constexpr sv k_delivery_ending = ".delivery";

/// Usage when `text` is not the content of such a file.
[[nodiscard]] Result<StoredDelivery> read_stored_delivery(const std::string& text);

/// The program of --tunnel, which makes this machine reachable.
class Tunnel {
 public:
  /// Runs `command` in a shell, with the port in the place of {port}; the URLs that it prints, and
  /// its end, go to `queue`, which must outlive this. Deliveries come to `path` there.
  Tunnel(const std::string& command, std::uint16_t port, std::string path, ListenQueue& queue);
  Tunnel(const Tunnel&) = delete;
  Tunnel& operator=(const Tunnel&) = delete;
  /// Ends the program.
  ~Tunnel();

 private:
  void read(std::string line);

  std::string m_path;
  ListenQueue& m_queue;
  CancelSource m_cancel{};
  std::vector<std::string> m_seen{};  ///< the thread's: URLs
  std::string m_last{};               ///< the thread's: its last line
  std::thread m_thread{};             ///< runs the program; the destructor ends it
};

/// Cuts what a program writes into lines; one without an end in 4 MB is cut there.
class LineCutter {
 public:
  explicit LineCutter(std::function<void(std::string)> line) : m_line(std::move(line)) {}
  void operator()(sv bytes);
  /// What has no line end yet is a line.
  void finish();

 private:
  std::function<void(std::string)> m_line;
  std::string m_rest{};
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
