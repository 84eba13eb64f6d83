#include "session/cost_tracker.h"

#include <filesystem>

#include <fmt/format.h>

#include "base/files.h"
#include "base/money.h"
#include "base/text.h"
#include "catalogue/shared_fields.h"
#include "client/api_client.h"
#include "client/usage.h"
#include "json/slices.h"
#include "session/session.h"

namespace svc::cli {
namespace {

bool has_tokens(const Usage& usage) {
  return usage.input_tokens > 0 || usage.output_tokens > 0;
}

bool counts(const CostEntry& entry) {
  return has_tokens(entry.usage) || entry.usage.cost_ticks || entry.interrupted;
}

std::string cost_json(const Usage& usage) {
  const std::string ticks = usage.cost_ticks ? std::to_string(*usage.cost_ticks) : "null";
  return fmt::format(
      R"({{"usage":{{"input_tokens":{},"output_tokens":{},"cached_tokens":{},"reasoning_tokens":{},"cost_in_usd_ticks":{}}}}})",
      usage.input_tokens, usage.output_tokens, usage.cached_tokens, usage.reasoning_tokens, ticks);
}

Error day_is_over(const std::string& profile, std::int64_t spent, std::int64_t limit) {
  return Error{
      Fault::Limited,
      fmt::format("profile {} has reached max_cost_per_day: {} of {} spent today", profile,
                  format_ticks(spent), format_ticks(limit)),
      fmt::format("Raise it with `svc config set max_cost_per_day USD -p {}`; `svc billing "
                  "usage --by command` shows the costs.",
                  profile)};
}

using history::RecordKind;

std::string asked_model(const Session& session, const Operation& operation) {
  if (const auto model = Flags<catalogue::k_model_fields>(session.inputs()).get<"model">())
    return *model;
  const Setting& setting = session.settings().model;
  if (operation.text_model && setting.is_set()) return setting.value;
  return std::string(operation.default_model);
}

/// How to record the cost: that of a fetched answer may already be recorded.
RecordKind booking_of(const Operation& operation) {
  return operation.method == "GET" ? RecordKind::Fetched : RecordKind::New;
}

}  // namespace

std::string ledger_path() {
  const std::filesystem::path directory = state_directory();
  return directory.empty() ? std::string() : (directory / "ledger").string();
}

std::string cost_line(const Usage& usage) {
  std::string line;
  if (has_tokens(usage)) {
    line = fmt::format("{} tokens in", usage.input_tokens);
    if (usage.cached_tokens > 0) line += fmt::format(" ({} cached)", usage.cached_tokens);
    line += fmt::format(", {} out", usage.output_tokens);
    if (usage.reasoning_tokens > 0) line += fmt::format(" ({} reasoning)", usage.reasoning_tokens);
  }
  const auto add = [&line](const std::string& part) { line += (line.empty() ? "" : ", ") + part; };
  if (usage.sources > 0) add(fmt::format("{} sources", usage.sources));
  if (usage.cost_ticks) add(format_ticks(*usage.cost_ticks));
  return line;
}

std::int64_t SharedSpending::spent() const {
  const std::lock_guard lock(m_mutex);
  return m_spent;
}

void SharedSpending::add(std::int64_t ticks) {
  const std::lock_guard lock(m_mutex);
  m_spent += ticks;
  if (ticks > 0) m_most = std::max(m_most.value_or(0), ticks);
}

Result<void> SharedSpending::begin(const Budget& budget, const CancelToken& cancel) {
  std::unique_lock lock(m_mutex);
  while (true) {
    SVC_CHECK(budget.may_spend(m_spent));
    if (budget.fits(m_spent, m_in_flight, m_most)) break;
    if (const auto fault = cancel.requested()) return canceled(*fault);
    m_changed.wait_for(lock, std::chrono::milliseconds(20));
  }
  ++m_in_flight;
  return {};
}

void SharedSpending::end() {
  const std::lock_guard lock(m_mutex);
  --m_in_flight;
  m_changed.notify_all();
}

CostTracker::CostTracker(Owner owner, print::Notices& notices)
    : m_owner(std::move(owner)), m_notices(notices) {
  if (!m_owner.spent) m_owner.spent = std::make_shared<SharedSpending>();
}

CostTracker::~CostTracker() {
  if (m_in_flight) m_owner.spent->end();
}

Result<history::CostLedger*> CostTracker::ledger() {
  if (ledger_path().empty())
    return Error{Fault::Local, "no directory for the local cost records: HOME is not set"};
  if (!m_ledger) m_ledger.emplace(ledger_path());
  return &*m_ledger;
}

void CostTracker::print(const Usage& usage) {
  if (!m_owner.tells || (!has_tokens(usage) && !usage.cost_ticks)) return;
  m_notices.aside(cost_line(usage), cost_json(usage));
}

history::Entry CostTracker::ledger_entry(const CostEntry& entry) const {
  const Usage& usage = entry.usage;
  return {.profile = m_owner.profile,
          .emulated = m_owner.emulated,
          .command = m_owner.command,
          .model = entry.model,
          .input_tokens = usage.input_tokens,
          .output_tokens = usage.output_tokens,
          .cached_tokens = usage.cached_tokens,
          .reasoning_tokens = usage.reasoning_tokens,
          .ticks = usage.cost_ticks,
          .key = entry.id};
}

/// Adds the recorded cost to the run's total, or the reported one if recording failed.
void CostTracker::count(const Result<std::int64_t>& booked, std::int64_t otherwise) {
  m_owner.spent->add(booked ? *booked : otherwise);
  if (std::exchange(m_in_flight, false)) m_owner.spent->end();
  if (booked) return;
  const std::string told =
      fmt::format("the cost of this request was not recorded: {}", booked.error().message);
  // Without a home directory, as in a container, there is no ledger and so nothing is missing.
  if (!m_warned && !ledger_path().empty()) {
    m_notices.warning(told);
  } else {
    m_notices.detail(told);
  }
  m_warned = true;
}

void CostTracker::record(const CostEntry& entry) {
  if (!counts(entry)) return;
  const std::lock_guard lock(m_mutex);
  auto opened = ledger();
  count(opened ? (*opened)->record(ledger_entry(entry), entry.booking) : std::move(opened).error(),
        entry.usage.cost_ticks.value_or(0));
}

void CostTracker::record_new(std::span<const CostEntry> entries) {
  std::vector<history::Entry> booked;
  std::int64_t ticks = 0;
  for (const CostEntry& entry : entries) {
    if (!counts(entry)) continue;
    booked.push_back(ledger_entry(entry));
    ticks += entry.usage.cost_ticks.value_or(0);
  }
  if (booked.empty()) return;
  const std::lock_guard lock(m_mutex);
  auto opened = ledger();
  count(opened ? (*opened)->record_all(std::move(booked)) : std::move(opened).error(), ticks);
}

/// What was spent today, if the next cost can be recorded too.
Result<std::int64_t> CostTracker::known_day_costs() {
  SVC_TRY(opened, ledger());
  SVC_CHECK(opened->check_writable());
  return opened->spent_today(m_owner.profile);
}

Result<void> CostTracker::may_spend() {
  const std::lock_guard lock(m_mutex);
  const Budget budget{m_owner.run_limit};
  if (m_in_flight) {
    SVC_CHECK(budget.may_spend(m_owner.spent->spent()));
  } else {
    SVC_CHECK(m_owner.spent->begin(budget, m_owner.cancel));
    m_in_flight = true;
  }
  if (!m_owner.day_limit) return {};
  const auto spent = known_day_costs();
  if (spent && *spent < *m_owner.day_limit) return {};
  if (spent) return day_is_over(m_owner.profile, *spent, *m_owner.day_limit);
  return Error{Fault::Limited,
               fmt::format("max_cost_per_day cannot be enforced, so nothing is sent: {}",
                           spent.error().message),
               "Make the directory of the cost records writable, or remove the limit with `svc "
               "config set max_cost_per_day ''`."};
}

void record_answer(Session& session, const Operation& operation, const Answer& answer, sv job) {
  if (!answer.usage) return;
  session.record_cost(
      {.id = job.empty() ? answer.id : std::string(job),
       .model = answer.model.empty() ? asked_model(session, operation) : answer.model,
       .usage = *answer.usage,
       .booking = booking_of(operation)});
}

namespace {

CostEntry entry_of(const Session& session, const Operation& operation, sv body, sv job) {
  std::string model = asked_model(session, operation);
  if (const auto named = json_member(body, "model"); named && named->size() > 2) {
    model = std::string(named->substr(1, named->size() - 2));
  }
  return {.id = std::string(job),
          .model = std::move(model),
          .usage = read_usage(body).value_or(Usage{}),
          .booking = booking_of(operation)};
}

}  // namespace

void record_document(Session& session, const Operation& operation, sv body, sv job) {
  session.record_cost(entry_of(session, operation, body, job));
}

void record_documents(Session& session, const Operation& operation,
                      std::span<const std::optional<std::string>> bodies) {
  std::vector<CostEntry> entries;
  for (const auto& body : bodies) {
    entries.push_back(
        body ? entry_of(session, operation, *body, {})
             : CostEntry{.model = asked_model(session, operation), .interrupted = true});
  }
  session.cost_tracker().record_new(entries);
}

void print_cost(Session& session, sv body) {
  session.cost_tracker().print(read_usage(body).value_or(Usage{}));
}

void record_interrupted(Session& session, const Operation& operation, const Error& error) {
  if (error.may_have_run && may_cost(operation)) record_interrupted(session, operation);
}

void record_interrupted(Session& session, const Operation& operation) {
  session.record_cost({.model = asked_model(session, operation), .interrupted = true});
}

void record_batch(Session& session, const std::string& id, const std::string& model, Usage usage) {
  if (usage.cost_ticks == 0) usage.cost_ticks.reset();
  session.record_cost({.id = id, .model = model, .usage = usage, .booking = RecordKind::Fetched});
}

}  // namespace svc::cli
