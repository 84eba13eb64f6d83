// The parts of `svc phone listen`: its queue, the store of deliveries and the tunnel.
#pragma once

#include <atomic>
#include <deque>
#include <mutex>
#include <optional>
#include <string>
#include <thread>
#include <vector>

#include "base/cancel_token.h"
#include "base/result.h"
#include "session/session.h"
#include "webhook/receiver.h"
#include "webhook/signature.h"

namespace svc::cli {

/// The signing secrets, one per line: of --secret, else SVC_WEBHOOK_SECRET, else the profile's
/// webhook_secret_file. Auth if there is none.
[[nodiscard]] Result<webhook::Verifier> webhook_verifier(Session& session);

/// An event that another thread passes to the printing thread.
struct ListenEvent {
  enum class Kind : std::uint8_t {
    Delivery,  ///< verified JSON
    Line,      ///< a line of JSON printed by a program
    Said,      ///< a line of text printed by a program; untrusted
    Note,      ///< for standard error
    Failed,    ///< an error that ends the command
  };
  Kind kind = Kind::Delivery;
  std::string text{};
};

/// Passes deliveries from the receiver's thread to the printing thread.
class ListenQueue {
 public:
  /// Adds an event. False if the queue is full: the sender should retry.
  [[nodiscard]] bool put(ListenEvent event);
  [[nodiscard]] std::optional<ListenEvent> take();
  [[nodiscard]] bool has_room() const;
  /// Adds an event, waiting for room or until the queue is closed.
  void put_when_room(const ListenEvent& event);
  void close() noexcept { m_closed = true; }
  /// Queues the reason of a rejected delivery for reporting; beyond a limit, only counts it.
  void refuse(std::string reason);
  /// Removes up to `most` reasons; the number is that of uncounted rejections, once all reasons
  /// have been returned.
  [[nodiscard]] std::pair<std::vector<std::string>, std::size_t> take_refusals(std::size_t most);
  /// Becomes readable when there may be an event.
  [[nodiscard]] int descriptor() const noexcept { return m_wake.descriptor(); }
  /// Makes the descriptor unreadable until the next event. Call before reading the events.
  void quiet() noexcept { m_wake.clear(); }
  /// Makes the descriptor readable.
  void wake() noexcept { m_wake.signal(); }

 private:
  mutable std::mutex m_mutex{};
  std::deque<ListenEvent> m_events{};    ///< guarded by the mutex
  std::deque<std::string> m_refusals{};  ///< guarded by the mutex
  std::size_t m_uncounted = 0;           ///< guarded by the mutex: rejections not in m_refusals
  std::atomic<bool> m_closed = false;
  Event m_wake{};
};

/// The directory of --store: one file per delivery, in the format of read_stored_delivery().
class DeliveryStore {
 public:
  /// Opens or creates the directory. Local if that fails.
  [[nodiscard]] static Result<DeliveryStore> open(const std::string& directory);

  /// Saves a delivery with the status and the reason of its response.
  [[nodiscard]] Result<void> save(const webhook::Delivery& delivery, std::int64_t received,
                                  const webhook::HttpReply& answer);

 private:
  explicit DeliveryStore(std::string directory) : m_directory(std::move(directory)) {}

  std::string m_directory;
  std::size_t m_refused = 0;
};

struct StoredDelivery {
  webhook::Delivery delivery{};
  std::int64_t received = 0;
};

/// The extension of a stored delivery.
inline constexpr sv k_delivery_ending = ".delivery";

/// Parses a stored delivery. Usage if `text` is not one.
[[nodiscard]] Result<StoredDelivery> read_stored_delivery(const std::string& text);

/// The program of --tunnel, which makes this machine reachable from outside.
class Tunnel {
 public:
  /// Runs `command` in a shell, with {port} replaced by the port. The URLs it prints and its exit
  /// are reported to `queue`, which must outlive this object. Deliveries arrive at `path`.
  Tunnel(const std::string& command, std::uint16_t port, std::string path, ListenQueue& queue);
  Tunnel(const Tunnel&) = delete;
  Tunnel& operator=(const Tunnel&) = delete;
  /// Kills the program.
  ~Tunnel();

 private:
  void read(std::string line);

  std::string m_path;
  ListenQueue& m_queue;
  CancelSource m_cancel{};
  std::vector<std::string> m_seen{};  ///< used by the thread: URLs already reported
  std::string m_last{};               ///< used by the thread: the last line printed
  std::thread m_thread{};             ///< runs the program; joined by the destructor
};

}  // namespace svc::cli
