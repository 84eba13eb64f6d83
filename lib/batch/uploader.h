// Uploads requests that the journal has not marked as sent, so that each request is in exactly one
// batch even after interruptions.
#pragma once

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "base/result.h"
#include "batch/clock.h"
#include "batch/holds.h"
#include "batch/input.h"
#include "batch/journal.h"
#include "batch/service.h"

namespace svc::batch {

/// How many calls may be in flight: as many as keep the service busy, and no more. Pure: callers
/// pass in the times. Grows while responses are fast, at first by one for each; shrinks when they
/// take at least twice the shortest time, and by half when the service delays a call (429).
class SendWindow {
 public:
  using milliseconds = std::chrono::milliseconds;

  explicit SendWindow(std::size_t most) noexcept : m_most(most) {}

  [[nodiscard]] std::size_t size() const noexcept { return static_cast<std::size_t>(m_size); }

  /// Records that a call was answered after `took`, with `others` still in flight.
  void answered(milliseconds took, bool throttled, std::size_t others) noexcept;

 private:
  void shrink(double by, std::size_t others) noexcept;

  std::size_t m_most;
  double m_size = 2;
  bool m_slow_start = true;            ///< the limit has not been found yet
  std::size_t m_stale_responses = 0;   ///< responses pending for calls made before it shrank
  std::optional<double> m_shortest{};  ///< milliseconds
};

/// The service's limits: 25 MB per add call, 100 such calls in 30 s, one new batch per second, 50
/// MB per file.
inline constexpr std::uint64_t k_max_call_bytes = 25'000'000;
inline constexpr std::uint64_t k_max_file_bytes = 50'000'000;
/// The maximum number of calls in flight, and of their bytes, which are in memory.
inline constexpr std::size_t k_max_at_once = 16;
inline constexpr std::uint64_t k_max_bytes_at_once = 32'000'000;

struct UploaderOptions {
  RequestFormat format = RequestFormat::Added;
  std::string name{};                    ///< display name of the batches
  std::uint64_t call_bytes = 8'000'000;  ///< a call ends before the request that would exceed this
  std::int64_t call_items = 5'000;
  std::int64_t batch_items = 100'000;  ///< the service may throttle larger batches
  bool skip_rejected = false;          ///< skip requests that the service rejects
  std::string scratch{};               ///< path of the file to upload
  const CancelToken* drain = nullptr;  ///< once canceled, nothing more is sent; null: never
};

/// Leaves room for the limit of an answer's length.
inline constexpr std::uint64_t k_limit_bytes = 64;

class Uploader {
 public:
  /// Reports how many items have definitely been sent, and how many there are.
  using OnProgress = std::function<void(std::int64_t sent, std::int64_t items)>;
  using Note = std::function<void(const std::string&)>;

  /// All references must outlive the uploader.
  Uploader(Journal& journal, const Input& input, Service& service, Holds& holds, const Clock& clock,
           UploaderOptions options, OnProgress on_progress, Note note);

  /// Settles what an earlier run left open, then sends the rest, or as much of it as fits. After an
  /// error, everything known is in the journal.
  [[nodiscard]] Result<void> run();

 private:
  struct Part {
    std::vector<std::int64_t> ordinals{};
    std::string text{};  ///< the requests, separated as the format requires
    std::uint64_t first_line = 0;
    std::uint64_t last_line = 0;
  };
  /// A part that was not added. Its text has been discarded.
  struct Failed {
    Part part{};
    Error error;
  };

  [[nodiscard]] Result<void> resolve_unconfirmed();
  [[nodiscard]] Result<void> resolve_creation(JournalBatch& batch);
  /// The ID of the batch with this name that is not `excluded_id`; "" if there is none.
  [[nodiscard]] Result<std::string> find_by_name(const std::string& name,
                                                 const std::string& excluded_id = {});
  [[nodiscard]] Result<void> cancel_duplicate(const JournalBatch& batch);
  [[nodiscard]] Result<std::int64_t> reconcile(const JournalBatch& batch);
  [[nodiscard]] Result<JournalBatch> open_batch();
  [[nodiscard]] Result<JournalBatch> new_batch();
  [[nodiscard]] Result<void> create(JournalBatch& batch);
  [[nodiscard]] Result<bool> is_admitted(const ItemLocation& next);
  [[nodiscard]] Result<Part> next_part(std::uint64_t max_bytes, std::int64_t max_items);
  [[nodiscard]] Result<void> send_parts();
  [[nodiscard]] Result<void> may_continue() const;
  [[nodiscard]] Result<std::optional<Addition>> next_addition(JournalBatch& batch);
  void added(std::int64_t number, Part part, milliseconds began, Result<void> result,
             bool throttled);
  [[nodiscard]] Result<void> handle_failures(const JournalBatch& batch);
  [[nodiscard]] Result<void> handle_rejection(const JournalBatch& batch, const Failed& rejected);
  [[nodiscard]] Result<void> send_files();
  [[nodiscard]] Result<void> count_sent();
  void add_sent(std::size_t count);
  [[nodiscard]] Result<void> pause_after_failure(const Error& error);

  Journal& m_journal;
  const Input& m_input;
  Service& m_service;
  Holds& m_holds;
  const Clock& m_clock;
  UploaderOptions m_options;
  OnProgress m_on_progress;
  Note m_note;
  RateLimit m_adds{100, milliseconds(30'000)};
  RateLimit m_creations{1, milliseconds(1'000)};
  std::int64_t m_sent = 0;
  std::int64_t m_items = 0;
  std::int64_t m_cursor = 0;      // items up to here were considered
  std::int64_t m_items_per_call;  // halved while the service rejects something
  int m_failures = 0;             // consecutive failures
  SendWindow m_window{k_max_at_once};
  std::size_t m_in_flight = 0;
  std::uint64_t m_bytes_in_flight = 0;
  std::vector<Failed> m_failed{};  // nothing more is sent until these are settled
};

}  // namespace svc::batch
