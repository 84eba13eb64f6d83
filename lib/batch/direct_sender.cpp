#include "batch/direct_sender.h"

#include <algorithm>
#include <utility>

#include <fmt/format.h>

#include "base/platform.h"
#include "base/text.h"
#include "client/concurrent_calls.h"
#include "client/quote.h"
#include "json/slices.h"
#include "json/text.h"

namespace svc::batch {
namespace {

/// Whether the next request would fail the same way. A network error or timeout of a request that
/// was already sent does not imply that.
bool is_fatal(const Error& error) {
  switch (error.fault) {
    case Fault::NotFound:
    case Fault::Service:
    case Fault::RemoteJob:
      return false;
    case Fault::Network:
    case Fault::Timeout:
    case Fault::UnknownOutcome:
      return !error.may_have_run;
    default:
      return true;
  }
}

/// Describes the signal that interrupted svc while it waited for a response; "" if there was none.
std::string_view describe_signal(Fault fault) {
  switch (fault) {
    case Fault::HungUp:
      return "svc lost its terminal (SIGHUP)";
    case Fault::Interrupted:
      return "svc was interrupted";
    case Fault::Quit:
      return "svc was quit (SIGQUIT)";
    case Fault::Terminated:
      return "svc was terminated";
    default:
      return {};
  }
}

/// Commits in quicker succession than this need not all wait for the disk.
constexpr std::chrono::milliseconds k_sync_interval{50};
/// Maximum number of requests sent before a commit waits for the disk.
constexpr std::int64_t k_ahead = 256;
/// "ORDINAL BOOT": requests up to this ordinal may have been sent, with the boot ID of the machine
/// at that time.
constexpr std::string_view k_sent_mark = "may be sent";
/// Set by a run that ended because the disk was full.
constexpr std::string_view k_disk_full = "disk full";

std::string one_line(std::string_view json) {
  std::string line;
  (void)reformat_json(json, JsonStyle{JsonLayout::Compact},
                      [&line](std::string_view piece) { line += piece; });
  return line;
}

}  // namespace

std::string as_result_item(const std::string& id, const std::string& answer) {
  return fmt::format(
      R"({{"batch_request_id":{},"batch_result":{{"response":{{"chat_get_completion":{}}}}}}})",
      json_quote(id), one_line(answer));
}

std::string as_result_item(const std::string& id, const Error& error) {
  const std::string code =
      error.code.empty() ? std::string() : fmt::format(R"(,"code":{})", json_quote(error.code));
  return fmt::format(R"({{"batch_request_id":{},"batch_result":{{"error":{{"message":{}{}}}}}}})",
                     json_quote(id), json_quote(error.message), code);
}

DirectSender::DirectSender(Journal& journal, const Input& input, DirectContext context,
                           DirectOptions options, OnProgress on_progress)
    : m_journal(journal),
      m_input(input),
      m_context(std::move(context)),
      m_options(options),
      m_on_progress(std::move(on_progress)) {}

Result<void> DirectSender::begin() {
  SVC_TRY(batches, m_journal.batches());
  if (batches.empty()) {
    SVC_TRY(made, m_journal.add_batch({.stage = BatchStage::Open}));
    m_batch = made.number;
  } else {
    m_batch = batches.front().number;
    SVC_CHECK(recover_after_power_loss());
    SVC_TRY(missing, m_journal.count_missing(m_batch));
    m_abandoned = missing;
    SVC_TRY(disk_full, m_journal.fact(k_disk_full));
    m_ended = disk_full && !disk_full->empty() ? "the disk was full" : "svc ended";
    SVC_CHECK(m_journal.set_fact(k_disk_full, ""));
    SVC_CHECK(m_options.retry ? m_journal.unassign_missing(m_batch)
                              : m_journal.set_missing_outcome(
                                    m_batch, Outcome::Unknown,
                                    fmt::format("{} before the response was saved", m_ended)));
    m_paid.resize(static_cast<std::size_t>(missing));
    record_paid();
  }
  SVC_TRY(totals, m_journal.totals());
  m_totals = totals;
  SVC_TRY(dearest, m_journal.dearest());
  SVC_TRY(lost, m_journal.reserved());
  if (m_context.resumes) m_context.resumes(m_totals.cost_ticks, dearest, lost);
  return m_options.budget.limit ? count_unreserved() : Result<void>();
}

/// Requests that an earlier run has sent without a limit, and whose answers were lost, count as
/// what they would be granted now; without a limit they may have cost more. Limited if that leaves
/// nothing for the others.
Result<void> DirectSender::count_unreserved() {
  SVC_TRY(left, m_journal.count_unassigned());
  SpendGuard* const spending = m_context.client->policy().spending;
  if (left == 0 || spending == nullptr) return {};
  SVC_TRY(lost, m_journal.unreserved());
  for (const auto& [location, sends] : lost) {
    SVC_TRY(body, body_of(location));
    Payload payload = std::move(body);
    SVC_TRY(reserved, spending->reserve(*m_context.frame.operation, payload));
    if (!reserved) continue;
    // The day's limit still holds what the run that sent it has reserved.
    spending->settle(reserved->number, SpendEnd::NotRun, {});
    if (m_context.resumes) m_context.resumes(0, 0, reserved->ticks * sends);
  }
  return {};
}

Result<std::string> DirectSender::body_of(const ItemLocation& location) const {
  SVC_TRY(item, m_input.reread(location));
  return direct_body(item.json);
}

Result<std::string> direct_body(std::string_view item) {
  const auto body = json_member(item, fmt::format("batch_request.{}", chat_endpoint().member));
  if (!body) return Error{Fault::Unexpected, "the request has no body"};
  return std::string(*body);
}

/// If the machine has stopped since, the latest commits of an earlier run may be lost.
Result<void> DirectSender::recover_after_power_loss() {
  SVC_TRY(mark, m_journal.fact(k_sent_mark));
  if (!mark) return {};
  const std::size_t space = mark->find(' ');
  if (mark->substr(space + 1) == m_boot) return {};
  return m_journal.assign_up_to(parse_integer(mark->substr(0, space)).value_or(0), m_batch);
}

Result<void> DirectSender::run() {
  m_boot = boot_id();
  SVC_CHECK(begin());
  const Result<void> ended = ConcurrentCalls::run_all(
      *m_context.client, m_options.jobs,
      [this]() -> std::optional<CallJob> {
        if (m_error) return std::nullopt;
        Result<std::optional<CallJob>> job = next();
        if (job) return *std::move(job);
        m_error = std::move(job).error();
        return std::nullopt;
      },
      [this] { return settle(false); }, m_options.drain, m_context.pace);
  (void)settle(true);
  if (m_error && m_error->cause == Cause::DiskFull) {
    (void)m_journal.set_fact(k_disk_full, "yes");  // a small change may still fit
  }
  SVC_CHECK(m_journal.set_synchronous(true));
  if (m_error) return *m_error;
  SVC_CHECK(ended);
  SVC_TRY(left, m_journal.count_unassigned());
  const auto drained = m_options.drain != nullptr ? m_options.drain->requested() : std::nullopt;
  if (left > 0 && drained) return canceled(*drained);
  SVC_TRY(batches, m_journal.batches());
  batches.front().stage = BatchStage::Collected;
  return m_journal.save_batch(batches.front());
}

std::int64_t DirectSender::spent() const {
  std::int64_t spent = m_totals.cost_ticks;
  for (const Answered& one : m_answered) spent += one.item.cost_ticks.value_or(0);
  return spent;
}

/// The next request; nothing if there is none, or if it has to wait for those in flight.
Result<std::optional<CallJob>> DirectSender::next() {
  record_paid();  // before the budget is checked
  SVC_TRY(location, m_journal.next_unassigned(m_cursor));
  if (!location) return std::optional<CallJob>();
  SVC_CHECK(m_options.budget.may_spend(spent()));
  SVC_TRY(body, body_of(*location));
  m_cursor = location->ordinal;
  CallJob job{.request = m_context.frame};
  if (m_context.pace.tokens_per_minute > 0) {
    job.input_tokens = quote_of(*job.request.operation, body, nullptr, {}).input.about;
  }
  job.request.body = std::move(body);
  // Recorded when the request goes out: one still held by the rate limiter when svc is killed was
  // not sent.
  job.on_send = [this, ordinal = location->ordinal](const Reserved& reserved) -> Result<void> {
    sending(ordinal, reserved);
    return {};
  };
  job.done = [this, location = *location](Result<CallReply> reply) {
    answered(location, std::move(reply));
  };
  return std::optional<CallJob>(std::move(job));
}

/// A limited answer may take less of the budget than its request would ask for in a later run, or
/// more: so what was reserved is recorded too.
void DirectSender::sending(std::int64_t ordinal, const Reserved& reserved) {
  const auto [known, first] = m_in_flight.try_emplace(ordinal);
  if (first) m_started.push_back(ordinal);
  const std::int64_t more = reserved.ticks - known->second.ticks;
  if (more > 0) m_reservations.emplace_back(ordinal, more);
  if (more > 0) known->second = reserved;
}

/// Once it is known what a request has cost, that is what counts.
void DirectSender::release(std::int64_t ordinal, const Result<CallReply>& reply, bool reported) {
  const auto sent = m_in_flight.extract(ordinal);
  if (sent.empty() || (!reply && reply.error().may_have_run)) return;
  const Reserved& reserved = sent.mapped();
  const std::int64_t counts = reply && !reported ? reserved.unreported : 0;
  if (reserved.ticks != counts) m_reservations.emplace_back(ordinal, counts - reserved.ticks);
}

void DirectSender::answered(const ItemLocation& location, Result<CallReply> reply) {
  if (reply || !is_fatal(reply.error())) {
    store(location, reply);
    if (reply) m_paid.emplace_back(std::move(reply->body));
    if (!reply && reply.error().may_have_run) m_paid.emplace_back();
    return;
  }
  Error error = std::move(reply).error();
  if (!m_error) m_error = error;
  if (!error.may_have_run) {
    m_not_sent.push_back(location.ordinal);
    release(location.ordinal, error, false);
    return;
  }
  if (const auto words = describe_signal(error.fault); !words.empty()) {
    error.message = fmt::format("{} while waiting for the response", words);
  }
  store(location, std::move(error));
  m_paid.emplace_back();
}

void DirectSender::record_paid() {
  if (m_context.paid && !m_paid.empty()) m_context.paid(m_paid);
  m_paid.clear();
}

void DirectSender::store(const ItemLocation& location, const Result<CallReply>& reply) {
  const std::string& id = location.id;
  std::string json = reply ? as_result_item(id, reply->body) : as_result_item(id, reply.error());
  ResultItem item = read_result_item(json);
  item.id = id;
  if (!reply && reply.error().may_have_run) {
    item.outcome = Outcome::Unknown;
    item.reason = reply.error().message;
  }
  if (item.outcome == Outcome::Succeeded && m_context.check) {
    if (const auto mismatch = m_context.check(item.text)) {
      item.outcome = Outcome::Failed;
      item.reason = mismatch->message;
    }
  }
  release(location.ordinal, reply, item.cost_ticks.has_value());
  m_answered.push_back({std::move(item), std::move(json)});
}

bool DirectSender::is_recently_synced() const {
  return !m_boot.empty() && std::chrono::steady_clock::now() - m_synced_at < k_sync_interval;
}

/// Records requests before they are sent, and stores results on disk before they count. Results
/// that could not be written are written on the next call.
Result<void> DirectSender::settle(bool last) {
  record_paid();
  for (const std::int64_t ordinal : m_started) m_sent_up_to = std::max(m_sent_up_to, ordinal);
  const bool durable = last || m_sent_up_to > m_mark || !is_recently_synced();
  const bool news =
      !m_answered.empty() || !m_started.empty() || !m_not_sent.empty() || !m_reservations.empty();
  if (!news && !(durable && m_unreported) && !last) return {};
  Result<void> settled = write_round(durable, last);
  m_started.clear();
  if (settled) {
    m_unreported = m_unreported || !m_answered.empty();
    m_answered.clear();
    m_not_sent.clear();
    m_reservations.clear();
    if (durable && std::exchange(m_unreported, false)) settled = m_on_progress(m_totals);
  }
  if (!settled && !m_error) m_error = settled.error();
  return settled;
}

Result<void> DirectSender::write_round(bool durable, bool last) {
  Totals totals = m_totals;
  SVC_CHECK(m_journal.set_synchronous(durable));
  SVC_TRY(transaction, m_journal.begin());
  for (const Answered& one : m_answered) {
    SVC_TRY(added, m_journal.add_result(m_batch, one.item, one.json));
    if (!added) continue;
    totals.cost_ticks += one.item.cost_ticks.value_or(0);
    ++totals.of(one.item.outcome);
  }
  for (const std::int64_t ordinal : m_not_sent) SVC_CHECK(m_journal.unassign(ordinal));
  if (!m_started.empty()) {
    SVC_CHECK(m_journal.add_part(m_batch, m_started));
    totals.assigned += static_cast<std::int64_t>(m_started.size());
  }
  for (const auto& [ordinal, more] : m_reservations) SVC_CHECK(m_journal.reserve(ordinal, more));
  // Everything written so far needs no mark once this commit has waited.
  const std::int64_t mark = last ? 0 : m_sent_up_to + (is_recently_synced() ? k_ahead : 0);
  if (durable) SVC_CHECK(m_journal.set_fact(k_sent_mark, fmt::format("{} {}", mark, m_boot)));
  SVC_CHECK(transaction.commit());
  m_totals = totals;
  if (!durable) return {};
  m_mark = mark;
  m_synced_at = std::chrono::steady_clock::now();
  return {};
}

}  // namespace svc::batch
