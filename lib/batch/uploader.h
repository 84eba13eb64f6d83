// Sends what the journal has not sent yet, so that each request is in exactly one batch whatever
// happens on the way.
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
#include "batch/input.h"
#include "batch/journal.h"
#include "batch/service.h"

namespace svc::batch {

/// How many calls are under way at once: as many as keep the service busy, and no more.
/// Pure: whoever asks brings the times. Grows while answers come quickly, at first by one with
/// each; shrinks when they take twice the shortest time and longer, and by half where the service
/// had a call wait (429).
class SendWindow {
 public:
  using milliseconds = std::chrono::milliseconds;

  explicit SendWindow(std::size_t most) noexcept : m_most(most) {}

  [[nodiscard]] std::size_t size() const noexcept { return static_cast<std::size_t>(m_size); }

  /// A call was answered after `took`, with `others` still under way.
  void answered(milliseconds took, bool held_up, std::size_t others) noexcept;

 private:
  void shrink(double by, std::size_t others) noexcept;

  std::size_t m_most;
  double m_size = 2;
  bool m_probes = true;                ///< nothing has shown yet how much is too much
  std::size_t m_deaf = 0;              ///< answers still to come of calls from before it shrank
  std::optional<double> m_shortest{};  ///< milliseconds
};

/// The service's limits: 25 MB per add call, 100 of them in 30 s, one new batch per second, 50 MB
/// per file.
inline constexpr std::uint64_t k_max_call_bytes = 25'000'000;
inline constexpr std::uint64_t k_max_file_bytes = 50'000'000;
/// Calls, and their bytes, which are in memory.
inline constexpr std::size_t k_most_at_once = 16;
inline constexpr std::uint64_t k_most_bytes_at_once = 32'000'000;

struct UploaderOptions {
  Form form = Form::Added;
  std::string name{};                    ///< of the batches, for people
  std::uint64_t call_bytes = 8'000'000;  ///< a call ends here, when the next request does not fit
  std::int64_t call_items = 5'000;
  std::int64_t batch_items = 100'000;  ///< the service may throttle more
  bool skip_refused = false;           ///< leave out what the service refuses
  std::string scratch{};               ///< path of the file that is uploaded
};

class Uploader {
 public:
  /// How many are sent for certain, of how many.
  using Tell = std::function<void(std::int64_t sent, std::int64_t items)>;
  using Note = std::function<void(const std::string&)>;

  /// All references must outlive the submitter.
  Uploader(Journal& journal, const Input& input, Service& service, const Clock& clock,
           UploaderOptions options, Tell tell, Note note);

  /// Settles what an earlier run left open, then sends the rest. On an error everything known is in
  /// the journal.
  [[nodiscard]] Result<void> run();

 private:
  struct Part {
    std::vector<std::int64_t> ordinals{};
    std::string text{};  ///< the requests, separated as the form wants it
    std::uint64_t first_line = 0;
    std::uint64_t last_line = 0;
  };
  /// One that was not added. Its text is gone.
  struct Failed {
    Part part{};
    Error error;
  };

  [[nodiscard]] Result<void> settle_doubts();
  [[nodiscard]] Result<void> settle_creation(JournalBatch& batch);
  /// The batch of that name which is not `but`; "" for none.
  [[nodiscard]] Result<std::string> find_by_name(const std::string& name,
                                                 const std::string& but = {});
  [[nodiscard]] Result<void> drop_twin(const JournalBatch& batch);
  [[nodiscard]] Result<std::int64_t> reconcile(const JournalBatch& batch);
  [[nodiscard]] Result<JournalBatch> open_batch();
  [[nodiscard]] Result<JournalBatch> new_batch();
  [[nodiscard]] Result<void> create(JournalBatch& batch);
  [[nodiscard]] Result<Part> next_part(std::uint64_t max_bytes, std::int64_t max_items);
  [[nodiscard]] Result<void> send_parts();
  [[nodiscard]] Result<std::optional<Addition>> next_addition(JournalBatch& batch);
  void added(const JournalPart& sent, Part part, milliseconds began, Result<void> result,
             bool held_up);
  [[nodiscard]] Result<void> after_failures(const JournalBatch& batch);
  [[nodiscard]] Result<void> after_refusal(const JournalBatch& batch, const Failed& refused);
  [[nodiscard]] Result<void> send_files();
  [[nodiscard]] Result<void> write_scratch(const Part& part);
  [[nodiscard]] Result<void> count_sent();
  void sent_more(std::size_t count);
  [[nodiscard]] Result<void> pause_after_failure(const Error& error);

  Journal& m_journal;
  const Input& m_input;
  Service& m_service;
  const Clock& m_clock;
  UploaderOptions m_options;
  Tell m_tell;
  Note m_note;
  RateLimit m_adds{100, milliseconds(30'000)};
  RateLimit m_creations{1, milliseconds(1'000)};
  std::int64_t m_sent = 0;
  std::int64_t m_items = 0;
  std::int64_t m_cursor = 0;      // items up to here were looked at
  std::int64_t m_items_per_call;  // halved while the service refuses something
  int m_failures = 0;             // in a row
  SendWindow m_window{k_most_at_once};
  std::size_t m_under_way = 0;
  std::uint64_t m_bytes_under_way = 0;
  std::vector<Failed> m_failed{};  // nothing more is sent before they are settled
};

}  // namespace svc::batch
