#include "batch/uploader.h"

#include <algorithm>
#include <filesystem>
#include <utility>

#include <fmt/format.h>

#include "base/atomic_file.h"
#include "base/text.h"
#include "client/api_error.h"
#include "json/slices.h"

namespace svc::batch {

namespace {

constexpr int k_max_failures = 6;
/// If svc was killed while it created a batch, the creation may still be in progress: how long to
/// wait, and how often to check.
constexpr std::int64_t k_creation_grace_seconds = 15;
constexpr int k_creation_polls = 5;
constexpr milliseconds k_creation_poll_interval{3'000};

/// Whether the service rejected the content of the request, not the caller.
bool is_content_rejection(const Error& error) {
  return error.http_status == 400 || error.http_status == 409 || error.http_status == 413 ||
         error.http_status == 422;
}

std::string lines_text(std::uint64_t first, std::uint64_t last) {
  return first == last ? fmt::format("line {}", first) : fmt::format("lines {} to {}", first, last);
}

}  // namespace

Uploader::Uploader(Journal& journal, const Input& input, Service& service, Holds& holds,
                   const Clock& clock, UploaderOptions options, OnProgress on_progress, Note note)
    : m_journal(journal),
      m_input(input),
      m_service(service),
      m_holds(holds),
      m_clock(clock),
      m_options(std::move(options)),
      m_on_progress(std::move(on_progress)),
      m_note(std::move(note)),
      m_items_per_call(m_options.call_items) {}

Result<void> Uploader::run() {
  SVC_CHECK(resolve_unconfirmed());
  SVC_CHECK(m_options.format == RequestFormat::File ? send_files() : send_parts());
  SVC_TRY(batches, m_journal.batches());
  for (JournalBatch& batch : batches) {
    if (batch.stage != BatchStage::Open) continue;
    batch.stage = BatchStage::Closed;
    SVC_CHECK(m_journal.save_batch(batch));
  }
  return {};
}

Result<void> Uploader::count_sent() {
  SVC_TRY(totals, m_journal.totals());
  m_sent = totals.assigned;
  m_items = totals.items;
  m_cursor = 0;
  m_on_progress(m_sent, m_items);
  return {};
}

void Uploader::add_sent(std::size_t count) {
  m_sent += static_cast<std::int64_t>(count);
  m_on_progress(m_sent, m_items);
}

Result<void> Uploader::pause_after_failure(const Error& error) {
  if (++m_failures >= k_max_failures) return error;
  const milliseconds pause = milliseconds(500) * (1 << m_failures);  // at most 16 s
  m_note(fmt::format("{}; checking what arrived before continuing", error.message));
  return m_clock.sleep(pause);
}

/// Settles what an earlier run, or a lost response in this one, left open.
Result<void> Uploader::resolve_unconfirmed() {
  SVC_TRY(batches, m_journal.batches());
  for (JournalBatch& batch : batches) {
    if (batch.stage == BatchStage::Creating) SVC_CHECK(resolve_creation(batch));
  }
  SVC_TRY(doubtful, m_journal.batches_in_doubt());
  for (const JournalBatch& batch : batches) {
    if (std::ranges::find(doubtful, batch.number) == doubtful.end()) continue;
    // The service loads the batch's file asynchronously, so its current list proves nothing.
    if (!batch.file_id.empty()) {
      SVC_CHECK(m_journal.confirm_batch(batch.number));
    } else {
      SVC_CHECK(reconcile(batch));
    }
  }
  return count_sent();
}

Result<void> Uploader::resolve_creation(JournalBatch& batch) {
  SVC_TRY(found, find_by_name(batch.name));
  std::string id = std::move(found);
  const bool by_file = !batch.file_id.empty();
  // An extra empty batch is harmless, but a second one from the same file would run everything
  // twice.
  const auto may_arrive = [&] {
    return m_clock.unix_now() - batch.created_at < k_creation_grace_seconds;
  };
  for (int poll = 0; poll < k_creation_polls && id.empty() && by_file && may_arrive(); ++poll) {
    if (poll == 0) {
      m_note("the last run ended while it created a batch; checking whether the batch exists");
    }
    SVC_CHECK(m_clock.sleep(k_creation_poll_interval));
    SVC_TRY(again, find_by_name(batch.name));
    id = std::move(again);
  }
  if (id.empty()) {
    if (m_options.format == RequestFormat::File && !by_file)
      return m_journal.drop_batch(batch.number);
    SVC_CHECK(create(batch));
    return by_file ? cancel_duplicate(batch) : Result<void>();
  }
  batch.remote_id = std::move(id);
  batch.stage = by_file ? BatchStage::Closed : BatchStage::Open;
  SVC_CHECK(m_journal.save_batch(batch));
  return by_file ? m_journal.confirm_batch(batch.number) : Result<void>();
}

/// The first creation may have been delayed and have succeeded after all. Cancels the batch it
/// created before much of it has run.
Result<void> Uploader::cancel_duplicate(const JournalBatch& batch) {
  SVC_TRY(duplicate, find_by_name(batch.name, batch.remote_id));
  if (duplicate.empty()) return {};
  m_note(
      fmt::format("the batch was created twice; canceling {}", visible(duplicate, Lines::Escape)));
  return m_service.cancel(duplicate);
}

Result<std::string> Uploader::find_by_name(const std::string& name,
                                           const std::string& excluded_id) {
  std::string token;
  while (true) {
    SVC_TRY(page, m_service.list(token));
    for (const std::string_view item : page.items) {
      const auto batch = read_batch_state(item);
      if (batch && batch->name == name && batch->id != excluded_id) return batch->id;
    }
    if (page.next.empty() || page.next == token) return std::string();
    token = page.next;
  }
}

/// Asks the service which requests of the batch it has; the others are unassigned.
Result<std::int64_t> Uploader::reconcile(const JournalBatch& batch) {
  SVC_CHECK(m_journal.clear_present());
  std::string token;
  while (true) {
    SVC_TRY(page, m_service.requests(batch.remote_id, token));
    for (const std::string_view item : page.items) {
      SVC_CHECK(m_journal.mark_present(result_item_id(item)));
    }
    if (page.next.empty() || page.next == token) break;
    token = page.next;
  }
  SVC_TRY(confirmed, m_journal.settle(batch.number));
  SVC_CHECK(count_sent());
  return confirmed;
}

Result<JournalBatch> Uploader::new_batch() {
  SVC_TRY(run, m_journal.fact("run"));
  std::string run_id = run.value_or("");
  if (run_id.empty()) {
    run_id = random_uuid().substr(0, 8);
    SVC_CHECK(m_journal.set_fact("run", run_id));
  }
  SVC_TRY(batches, m_journal.batches());
  JournalBatch batch;
  const std::int64_t number = batches.empty() ? 1 : batches.back().number + 1;
  batch.name = fmt::format("{} {}-{}", m_options.name, run_id, number);
  batch.created_at = m_clock.unix_now();
  return m_journal.add_batch(batch);
}

/// Creates the batch. Because it is journaled before, under a unique name, it can be found again.
Result<void> Uploader::create(JournalBatch& batch) {
  while (true) {
    SVC_CHECK(m_clock.wait_for(m_creations));
    Result<std::string> id = m_service.create(batch.name, batch.file_id);
    if (!id && is_outcome_unknown(id.error())) {
      SVC_CHECK(pause_after_failure(id.error()));
      SVC_TRY(found, find_by_name(batch.name));
      if (found.empty()) continue;
      id = std::move(found);
    }
    if (!id) return std::move(id).error();
    m_failures = 0;
    batch.remote_id = *std::move(id);
    batch.stage = batch.file_id.empty() ? BatchStage::Open : BatchStage::Closed;
    SVC_CHECK(m_journal.save_batch(batch));
    return batch.file_id.empty() ? Result<void>() : m_journal.confirm_batch(batch.number);
  }
}

Result<JournalBatch> Uploader::open_batch() {
  SVC_TRY(batches, m_journal.batches());
  if (!batches.empty()) {
    JournalBatch& last = batches.back();
    if (last.stage == BatchStage::Open && last.assigned < m_options.batch_items) return last;
    if (last.stage == BatchStage::Open) {
      last.stage = BatchStage::Closed;
      SVC_CHECK(m_journal.save_batch(last));
    }
  }
  SVC_TRY(batch, new_batch());
  SVC_CHECK(create(batch));
  return batch;
}

/// Whether the next request fits in the limit, so that a batch is worth creating.
Result<bool> Uploader::is_admitted(const ItemLocation& next) {
  if (!m_holds.is_limited()) return true;
  SVC_TRY(item, m_input.reread(next));
  SVC_TRY(admitted, m_holds.admit(next.ordinal, item.json));
  if (admitted) m_holds.keep(next.ordinal, std::move(item.json));
  return admitted;
}

/// Collects the next requests that fit in one call. A request larger than `max_bytes` is sent
/// alone.
Result<Uploader::Part> Uploader::next_part(std::uint64_t max_bytes, std::int64_t max_items) {
  Part part;
  const char separator = m_options.format == RequestFormat::File ? '\n' : ',';
  while (static_cast<std::int64_t>(part.ordinals.size()) < max_items) {
    SVC_TRY(location, m_journal.next_unassigned(m_cursor));
    if (!location) break;
    SVC_TRY(item, m_input.reread(*location));
    const std::uint64_t size = part.text.size() + item.json.size() + k_limit_bytes;
    if (!part.text.empty() && size > max_bytes) break;
    SVC_TRY(admitted, m_holds.admit(location->ordinal, item.json));
    if (!admitted) break;
    if (!part.text.empty()) part.text += separator;
    part.text += item.json;
    if (part.ordinals.empty()) part.first_line = location->line;
    part.last_line = location->line;
    part.ordinals.push_back(location->ordinal);
    m_cursor = location->ordinal;
  }
  return part;
}

Result<void> Uploader::may_continue() const {
  const auto drained = m_options.drain != nullptr ? m_options.drain->requested() : std::nullopt;
  return drained ? Result<void>(canceled(*drained)) : Result<void>();
}

/// Sends several calls at a time, all for one batch, so that a single check of the batch settles
/// any doubt once nothing is in flight.
Result<void> Uploader::send_parts() {
  while (true) {
    SVC_TRY(left, m_journal.next_unassigned(m_cursor));
    if (!left) return {};
    SVC_CHECK(may_continue());
    SVC_TRY(admitted, is_admitted(*left));
    if (!admitted) return {};
    SVC_TRY(batch, open_batch());
    if (const auto wait = m_adds.wait(m_clock.now()); wait.count() > 0) {
      SVC_CHECK(m_clock.sleep(wait));
    }
    std::optional<Error> error;
    const Result<void> ended = m_service.add_many(
        [&]() -> std::optional<Addition> {
          if (error) return std::nullopt;
          auto addition = next_addition(batch);
          if (addition) return *std::move(addition);
          error = std::move(addition).error();
          return std::nullopt;
        },
        m_options.drain);
    SVC_CHECK(handle_failures(batch));
    if (error) return *std::move(error);
    SVC_CHECK(ended);
  }
}

/// Returns nothing while there is no capacity for another call.
Result<std::optional<Addition>> Uploader::next_addition(JournalBatch& batch) {
  const bool bisecting = m_items_per_call < m_options.call_items;  // for rejected requests
  const std::int64_t room = m_options.batch_items - batch.assigned;
  if (!m_failed.empty() || room <= 0 || m_in_flight >= (bisecting ? 1 : m_window.size()) ||
      m_bytes_in_flight + m_options.call_bytes > k_max_bytes_at_once ||
      m_adds.wait(m_clock.now()).count() > 0) {
    return std::optional<Addition>();
  }
  SVC_TRY(part, next_part(m_options.call_bytes, std::min(room, m_items_per_call)));
  if (part.ordinals.empty()) return std::optional<Addition>();
  SVC_CHECK(m_holds.assign(batch.number, part.ordinals));
  SVC_TRY(sent, m_journal.begin_part(batch.number, part.ordinals));
  batch.assigned += static_cast<std::int64_t>(part.ordinals.size());
  const milliseconds began = m_clock.now();
  m_adds.note(began);
  const std::uint64_t bytes = part.text.size();
  ++m_in_flight;
  m_bytes_in_flight += bytes;
  // In place: a second copy of each call would count in memory.
  Addition addition{.batch = batch.remote_id, .body = std::move(part.text)};
  addition.body.insert(0, "{\"batch_requests\":[").append("]}");
  addition.done = [this, number = sent, part = std::move(part), began, bytes](
                      Result<void> result, bool throttled) mutable {
    m_bytes_in_flight -= bytes;
    added(number, std::move(part), began, std::move(result), throttled);
  };
  return std::optional(std::move(addition));
}

void Uploader::added(std::int64_t number, Part part, milliseconds began, Result<void> result,
                     bool throttled) {
  --m_in_flight;
  m_window.answered(m_clock.now() - began, throttled, m_in_flight);
  if (result) result = m_journal.confirm_part(number);
  if (!result) {
    m_failed.push_back({std::move(part), std::move(result).error()});
    return;
  }
  m_items_per_call = std::min(m_options.call_items, m_items_per_call * 2);
  add_sent(part.ordinals.size());
}

Result<void> Uploader::handle_failures(const JournalBatch& batch) {
  const std::vector<Failed> failed = std::exchange(m_failed, {});
  if (failed.empty()) {
    m_failures = 0;
    return {};
  }
  const auto find = [&failed](const auto& is) {
    return std::ranges::find_if(failed, is, &Failed::error);
  };
  const auto doubtful = find(is_outcome_unknown);
  const auto rejected = find(is_content_rejection);
  const auto other = find([](const Error& error) {
    return !is_outcome_unknown(error) && !is_content_rejection(error);
  });
  if (doubtful != failed.end()) SVC_CHECK(pause_after_failure(doubtful->error));
  std::int64_t confirmed = 0;
  if (doubtful != failed.end() || rejected != failed.end()) {
    // IDs are unique in a batch: if some of these exist already, that is why the call was rejected.
    SVC_TRY(existing, reconcile(batch));
    confirmed = existing;
    if (confirmed > 0) m_failures = 0;
  } else if (std::ranges::all_of(failed,
                                 [](const Failed& one) { return one.error.http_status != 0; })) {
    // The call as a whole was rejected: too many requests, or no permission. Unlike an interrupted
    // call, it is not in doubt.
    SVC_CHECK(m_journal.clear_present());
    SVC_CHECK(m_journal.settle(batch.number));
  }
  for (const Failed& one : failed) SVC_CHECK(m_holds.release(batch.number, one.part.ordinals));
  if (other != failed.end()) return other->error;
  if (confirmed > 0 || rejected == failed.end()) return {};
  return handle_rejection(batch, *rejected);
}

/// The service rejected the whole call. With skip_rejected, bisects to find the offending request
/// and skips it.
Result<void> Uploader::handle_rejection(const JournalBatch& batch, const Failed& rejected) {
  const Part& part = rejected.part;
  Error error = rejected.error;
  const auto count = static_cast<std::int64_t>(part.ordinals.size());
  if (!m_options.skip_rejected) {
    error.message =
        fmt::format("{} of {} rejected: {}", lines_text(part.first_line, part.last_line),
                    m_input.name(), error.message);
    if (error.hint.empty()) {
      error.hint = "Pass --skip-invalid to skip and report requests that the service rejects.";
    }
    return error;
  }
  if (count > 1) {
    m_items_per_call = count / 2;
    return {};
  }
  m_note(fmt::format("line {} was skipped: {}", part.first_line, error.message));
  return m_journal.reject_item(part.ordinals.front(), reason_class(error.message), batch.number);
}

// Uploading by file.

Result<void> Uploader::send_files() {
  while (true) {
    SVC_TRY(part, next_part(k_max_file_bytes - 1, m_options.batch_items));
    if (part.ordinals.empty()) break;
    SVC_CHECK(may_continue());
    SVC_CHECK(write_file(m_options.scratch, part.text + "\n", Replace::Yes, 0600));
    SVC_TRY(batch, new_batch());
    SVC_CHECK(m_holds.assign(batch.number, part.ordinals));
    SVC_CHECK(m_journal.begin_part(batch.number, part.ordinals));
    // An upload whose response was lost leaves an unused file, which causes no request to run.
    Result<std::string> file = m_service.upload(m_options.scratch, part.text.size() + 1);
    while (!file && is_outcome_unknown(file.error())) {
      if (auto paused = pause_after_failure(file.error()); !paused) {
        file = std::move(paused).error();
        break;
      }
      file = m_service.upload(m_options.scratch, part.text.size() + 1);
    }
    if (!file) {
      SVC_CHECK(m_journal.drop_batch(batch.number));
      SVC_CHECK(m_holds.release(batch.number, part.ordinals));
      return std::move(file).error();
    }
    m_failures = 0;
    batch.file_id = *std::move(file);
    batch.assigned = static_cast<std::int64_t>(part.ordinals.size());
    batch.created_at = m_clock.unix_now();
    SVC_CHECK(m_journal.save_batch(batch));
    SVC_CHECK(create(batch));
    add_sent(part.ordinals.size());
  }
  std::error_code ignored;
  std::filesystem::remove(m_options.scratch, ignored);
  return {};
}

namespace {

/// Occasional network delays below this do not count as slowness.
constexpr double k_usual_delay = 100;  // ms

}  // namespace

void SendWindow::shrink(double by, std::size_t others) noexcept {
  m_slow_start = false;
  m_size = std::max(1.0, m_size * by);
  m_stale_responses = others;
}

void SendWindow::answered(milliseconds took, bool throttled, std::size_t others) noexcept {
  // Adapts gradually to a service that has become slower permanently.
  const auto time = static_cast<double>(took.count());
  m_shortest = m_shortest ? std::min(time, *m_shortest * 1.005) : time;
  if (m_stale_responses > 0) {
    --m_stale_responses;
    return;
  }
  if (throttled) return shrink(0.5, others);
  if (time > *m_shortest * 2 + k_usual_delay) return shrink(0.8, others);
  m_size = std::min(static_cast<double>(m_most), m_size + (m_slow_start ? 1 : 1 / m_size));
}

}  // namespace svc::batch
