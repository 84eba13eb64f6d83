#include "session/cost_tracker.h"

#include <filesystem>

#include <fmt/format.h>

#include "base/counted.h"
#include "base/files.h"
#include "base/money.h"
#include "base/text.h"
#include "catalogue/shared_fields.h"
#include "client/api_client.h"
#include "client/usage.h"
#include "json/slices.h"
#include "request/media.h"
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
                  format_cost(spent, Rounding::Up), format_ticks(limit)),
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
    line = counted(usage.input_tokens, "token", "tokens") + " in";
    if (usage.cached_tokens > 0) line += fmt::format(" ({} cached)", usage.cached_tokens);
    line += fmt::format(", {} out", usage.output_tokens);
    if (usage.reasoning_tokens > 0) line += fmt::format(" ({} reasoning)", usage.reasoning_tokens);
  }
  const auto add = [&line](const std::string& part) { line += (line.empty() ? "" : ", ") + part; };
  if (usage.sources > 0) add(fmt::format("{} sources", usage.sources));
  if (usage.cost_ticks) add(format_cost(*usage.cost_ticks));
  return line;
}

std::string cache_line(const Usage& usage) {
  if (usage.cached_tokens == 0) return {};
  std::string line =
      fmt::format("{} came from the prompt cache", counted(usage.cached_tokens, "token", "tokens"));
  if (usage.saved_ticks) line += fmt::format(", which saved {}", format_cost(*usage.saved_ticks));
  return line;
}

std::int64_t SharedSpending::spent() const {
  const std::lock_guard lock(m_mutex);
  return m_spent;
}

void SharedSpending::add(std::int64_t ticks) {
  const std::lock_guard lock(m_mutex);
  m_spent += ticks;
}

void SharedSpending::resume(std::int64_t ticks, std::int64_t dearest, std::int64_t lost) {
  const std::lock_guard lock(m_mutex);
  m_spent += ticks + lost;
  m_lost += lost;
  if (dearest > 0) m_dearest = std::max(m_dearest.value_or(0), dearest);
}

void SharedSpending::set_parallel(std::size_t requests) {
  const std::lock_guard lock(m_mutex);
  m_parallel = std::max<std::int64_t>(static_cast<std::int64_t>(requests), 1);
}

namespace {

using Grant = SharedSpending::Grant;

/// Less is not worth asking for.
constexpr std::int64_t k_least_answer = 16;
/// Tokens for which an open answer waits rather than being cut; later twice the longest so far.
constexpr std::int64_t k_usual_answer = 1024;

std::string lost_part(std::int64_t lost) {
  return fmt::format("{} of it for answers that were lost", format_cost(lost));
}

/// `others`: the part of the day's limit that is reserved for answers that were lost, or that other
/// processes still wait for.
Error does_not_fit(const Quote& quote, std::int64_t left, std::int64_t spent, std::int64_t lost,
                   std::int64_t others) {
  const std::int64_t cost = quote.most && !quote.is_open() ? *quote.most : quote.floor();
  const sv how = quote.by_quantity ? "costs" : quote.limited ? "may cost" : "costs at least";
  const sv whose = quote.of_time ? "more time" : "the request";
  const std::string what =
      cost > 0 ? fmt::format("{} {} {}", whose, how, format_cost(cost, Rounding::Up))
               : "the cost of the request is unknown";
  return Error{
      Fault::Limited,
      fmt::format(
          "{}, but {} is left{}{}{}", what,
          format_cost(std::max<std::int64_t>(left, 0), Rounding::Down),
          spent > 0 ? fmt::format(" after {}{}", format_cost(spent),
                                  lost > 0 ? fmt::format(" ({})", lost_part(lost)) : "")
                    : "",
          others > 0
              ? fmt::format(", beside {} reserved for answers that were lost or are still to come",
                            format_cost(others))
              : "",
          quote.of_time ? "" : "; it was not sent"),
      "Ask for less, or raise the limit (--max-cost, max_cost_per_day)."};
}

/// What a limit leaves.
struct Room {
  std::int64_t left = 0;  ///< beside what is reserved
  std::int64_t free = 1;  ///< requests that may still be sent at once
  bool others = false;    ///< requests are in flight, so that more may be left later
};

/// The share of an open answer of `enough` tokens or more; nothing if it has to wait.
std::optional<Grant> grant_open(const Quote& quote, const Room& room, std::int64_t enough) {
  const std::int64_t each = quote.output_price;
  const auto tokens_for = [&](std::int64_t ticks) {
    return std::clamp<std::int64_t>((ticks - *quote.fixed) / each, 0, quote.output);
  };
  const std::int64_t fitting = tokens_for(room.left);
  enough = std::min(enough * quote.choices, quote.output);
  if (fitting < enough && room.others) return std::nullopt;
  const std::int64_t tokens =
      std::max(tokens_for(room.left / room.free), std::min(fitting, enough));
  Grant grant{.ticks = *quote.fixed + tokens * each};
  if (tokens == quote.output) return grant;
  grant.tokens = tokens / quote.choices;
  return *grant.tokens < k_least_answer ? std::nullopt : std::optional(grant);
}

std::optional<Grant> grant_known(const Quote& quote, const Room& room) {
  if (*quote.most > room.left) return std::nullopt;
  return Grant{.ticks = *quote.most};
}

/// The next one may be twice as dear as any so far.
std::optional<Grant> grant_unknown(const Quote& quote, const Room& room,
                                   std::optional<std::int64_t> dearest) {
  const auto guess = dearest ? std::optional(std::max(2 * *dearest, quote.floor())) : std::nullopt;
  if (guess && *guess <= room.left) return Grant{.ticks = *guess};
  if (room.others || room.left <= 0) return std::nullopt;
  const std::int64_t usual = std::min(room.left, quote.usual_most().value_or(room.left));
  return Grant{.ticks = std::max(usual, quote.floor())};
}

}  // namespace

Result<std::optional<SharedSpending::Grant>> SharedSpending::reserve(const Budget& budget,
                                                                     const Quote& quote,
                                                                     const Day& day) {
  const std::lock_guard lock(m_mutex);
  if (budget.is_used_up(m_spent)) {
    return m_lost == 0 ? budget.refusal(m_spent) : budget.refusal(m_spent, lost_part(m_lost));
  }
  const std::int64_t run = budget.limit ? *budget.limit - m_spent : k_unlimited;
  const std::int64_t most_left = std::min(run, day.left_at_best);
  const std::int64_t left = std::min(budget.limit ? run - m_reserved : k_unlimited, day.left);
  const Room room{.left = left,
                  .free = std::max<std::int64_t>(m_parallel - m_in_flight, 1),
                  .others = m_in_flight > 0 || day.others};
  const std::int64_t needed =
      quote.is_open() ? *quote.fixed + k_least_answer * quote.choices * quote.output_price
                      : quote.most.value_or(quote.floor());
  if (needed > most_left) return does_not_fit(quote, most_left, m_spent, m_lost, 0);
  const bool shares = quote.is_open() && *quote.most > left / room.free;
  const auto grant = shares       ? grant_open(quote, room, std::max(k_usual_answer, 2 * m_longest))
                     : quote.most ? grant_known(quote, room)
                                  : grant_unknown(quote, room, m_dearest);
  // What dead processes reserved does not come back.
  if (!grant && !room.others)
    return does_not_fit(quote, left, m_spent, m_lost, day.left_at_best - day.left);
  if (!grant) return std::optional<Grant>();
  m_reserved += grant->ticks;
  ++m_in_flight;
  return grant;
}

void SharedSpending::settle(const Grant& grant, std::int64_t ticks, std::int64_t output_tokens) {
  const std::lock_guard lock(m_mutex);
  m_reserved -= grant.ticks;
  --m_in_flight;
  m_spent += ticks;
  m_longest = std::max(m_longest, output_tokens);
  if (ticks > 0) m_dearest = std::max(m_dearest.value_or(0), ticks);
}

void SharedSpending::lose(const Grant& grant, std::int64_t ticks) {
  const std::lock_guard lock(m_mutex);
  m_reserved -= grant.ticks;
  --m_in_flight;
  m_spent += ticks;
  m_lost += ticks;
}

CostTracker::CostTracker(Owner owner, print::Notices& notices)
    : m_owner(std::move(owner)), m_notices(notices) {
  if (!m_owner.spent) m_owner.spent = std::make_shared<SharedSpending>();
  if (m_owner.day_limit && !ledger_path().empty()) {
    m_day.emplace(ledger_path(), m_owner.profile);
  }
}

/// What is still open was sent, perhaps.
CostTracker::~CostTracker() {
  end_streamed();
  for (const auto& [number, open] : m_open) lose(open);
  if (m_day) m_day->lost(m_unrecorded);
  m_owner.spent->add(-m_shown);
}

Result<history::CostLedger*> CostTracker::ledger() {
  if (ledger_path().empty())
    return Error{Fault::Local, "no directory for the local cost records: HOME is not set"};
  if (!m_ledger) m_ledger.emplace(ledger_path());
  return &*m_ledger;
}

void CostTracker::print(const Usage& usage) {
  if (const std::string line = cache_line(usage); !line.empty()) m_notices.detail(line);
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

/// Adds the recorded cost to the run's total, or the reported one if recording failed, unless it
/// was added when the answer came.
void CostTracker::count(const Result<std::int64_t>& booked, std::int64_t otherwise,
                        const Usage& usage) {
  const std::int64_t ticks = booked ? *booked : otherwise;
  if (m_streamed) {
    m_owner.spent->settle(m_streamed->grant, ticks, usage.output_tokens);
    m_streamed.reset();
  } else {
    // What another process has recorded is recorded, too.
    const std::int64_t known = std::min(m_unrecorded, std::max(ticks, otherwise));
    m_unrecorded -= known;
    m_owner.spent->add(std::max<std::int64_t>(ticks - known, 0));
  }
  update_day();
  if (booked) return;
  const std::string message =
      fmt::format("the cost of this request was not recorded: {}", booked.error().message);
  // Without a home directory, as in a container, there is no ledger and so nothing is missing.
  if (!m_warned && !ledger_path().empty()) {
    m_notices.warning(message);
  } else {
    m_notices.detail(message);
  }
  m_warned = true;
}

void CostTracker::record(const CostEntry& entry) {
  const std::lock_guard lock(m_mutex);
  book(entry);
}

void CostTracker::book(const CostEntry& entry) {
  if (!counts(entry)) return;
  if (entry.interrupted && m_streamed) lose(*std::exchange(m_streamed, std::nullopt));
  auto opened = ledger();
  count(opened ? (*opened)->record(ledger_entry(entry), entry.booking) : std::move(opened).error(),
        entry.usage.cost_ticks.value_or(0), entry.usage);
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
  count(opened ? (*opened)->record_all(std::move(booked)) : std::move(opened).error(), ticks, {});
}

/// What was spent today, if the next cost can be recorded too.
Result<std::int64_t> CostTracker::known_day_costs() {
  SVC_TRY(opened, ledger());
  SVC_CHECK(opened->check_writable());
  return opened->spent_today(m_owner.profile);
}

std::int64_t CostTracker::outstanding() const {
  std::int64_t ticks = m_unrecorded + m_shown + (m_streamed ? m_streamed->grant.ticks : 0);
  for (const auto& [number, open] : m_open) ticks += open.grant.ticks;
  return ticks;
}

void CostTracker::bill(std::int64_t ticks) {
  const std::lock_guard lock(m_mutex);
  m_owner.spent->add(ticks);
  m_unrecorded += ticks;
}

void CostTracker::give_back(const std::string& account, std::int64_t ticks) {
  const std::lock_guard lock(m_mutex);
  if (!m_day) return;
  // What was billed instead counts first. If this fails, too much stays reserved.
  update_day();
  (void)m_day->give_back(account, ticks);
}

void CostTracker::update_day() {
  if (!m_day || m_owner.sends_nothing) return;
  m_day->update(outstanding(), !m_slow && (!m_open.empty() || m_streamed));
}

/// Nobody knows what the request cost.
void CostTracker::lose(const Open& open) {
  const std::int64_t ticks = open.counts ? open.grant.ticks : 0;
  m_owner.spent->lose(open.grant, ticks);
  if (m_day) m_day->lost(ticks);
}

/// The reader of an answer reported no cost.
void CostTracker::end_streamed() {
  if (!m_streamed) return;
  const std::int64_t ticks = m_streamed->known ? m_streamed->grant.ticks : 0;
  m_owner.spent->settle(m_streamed->grant, ticks, 0);
  if (m_day) m_day->lost(ticks);
  m_streamed.reset();
}

/// Reserves under both limits, or under neither.
Result<std::optional<SharedSpending::Grant>> CostTracker::grant(const Quote& quote) {
  const Budget budget{m_owner.run_limit};
  if (!m_owner.day_limit) return m_owner.spent->reserve(budget, quote, {});
  auto others = m_day ? m_day->look() : Result<history::Reservations::Others>(ledger().error());
  const auto spent = others ? known_day_costs() : Result<std::int64_t>(others.error());
  if (!spent) {
    return Error{Fault::Limited,
                 fmt::format("max_cost_per_day cannot be enforced, so nothing is sent: {}",
                             spent.error().message),
                 "Make the directory of the cost records writable, or remove the limit with `svc "
                 "config set max_cost_per_day ''`."};
  }
  if (*spent >= *m_owner.day_limit) {
    return day_is_over(m_owner.profile, *spent, *m_owner.day_limit);
  }
  const std::int64_t left = *m_owner.day_limit - *spent;
  SVC_TRY(granted, m_owner.spent->reserve(budget, quote,
                                          {.left = left - others->ticks - outstanding(),
                                           .left_at_best = left,
                                           .others = others->in_flight}));
  if (!granted || m_owner.sends_nothing) return granted;
  if (auto written = m_day->write(*others, outstanding() + granted->ticks, !m_slow); !written) {
    m_owner.spent->settle(*granted, 0, 0);
    return std::move(written).error();
  }
  return granted;
}

Result<std::optional<Reserved>> CostTracker::reserve_quoted(const Quote& quote, bool counts) {
  end_streamed();
  SVC_TRY(granted, grant(quote));
  if (!granted) return std::optional<Reserved>();
  m_open[++m_last] = {.grant = *granted,
                      .known = quote.most.has_value(),
                      .by_quantity = quote.by_quantity,
                      .counts = counts,
                      .model = quote.model,
                      .least = quote.by_quantity ? granted->ticks : quote.floor()};
  const std::int64_t unreported = quote.most ? granted->ticks : 0;
  return std::optional(Reserved{m_last, granted->ticks, unreported});
}

Result<std::optional<Reserved>> CostTracker::reserve(const Operation& operation, Payload& body) {
  const std::lock_guard lock(m_mutex);
  // Without a limit only what no answer reports is of interest.
  if (!is_limited() && !price_list_of(operation).empty()) return std::optional(Reserved{});
  const Quote quote = m_owner.quote ? m_owner.quote(operation, body) : Quote{};
  if (!is_limited() && !quote.by_quantity) return std::optional(Reserved{});
  SVC_TRY(reserved, reserve_quoted(quote, quote.by_quantity || !price_list_of(operation).empty()));
  if (!reserved) return reserved;
  const auto tokens = m_open[reserved->number].grant.tokens;
  if (!tokens) return reserved;
  SVC_TRY(whole, request::complete_body(body));
  body = with_token_limit(operation, whole, *tokens);
  const std::string note =
      fmt::format("the answer is limited to {} tokens, which the cost limit allows", *tokens);
  if (std::exchange(m_limit_reported, true)) {
    m_notices.detail(note);
  } else {
    m_notices.note(note);
  }
  return reserved;
}

void CostTracker::settle(std::uint64_t reserved, SpendEnd end, std::string_view answer) {
  const std::lock_guard lock(m_mutex);
  const auto found = m_open.find(reserved);
  if (found == m_open.end()) return;
  const Open open = found->second;
  m_open.erase(found);
  const auto usage = end == SpendEnd::Answered ? read_usage(answer) : std::nullopt;
  const bool cost_known = usage && usage->cost_ticks;
  if (end == SpendEnd::Answered && !cost_known && !open.by_quantity && answer.empty()) {
    m_streamed = open;
    return;
  }
  if (end == SpendEnd::Unknown) {
    lose(open);
    update_day();
    return;
  }
  std::int64_t ticks = end == SpendEnd::Answered && open.known ? open.grant.ticks : 0;
  if (cost_known) ticks = *usage->cost_ticks;
  m_owner.spent->settle(open.grant, ticks, usage ? usage->output_tokens : 0);
  if (end == SpendEnd::Answered) m_unrecorded += ticks;
  // What the answer does not report is recorded as the price says; a job may report it later.
  if (end == SpendEnd::Answered && !cost_known && open.by_quantity) {
    book({.id = json_string(json_member(answer, "request_id")),
          .model = open.model,
          .usage = {.cost_ticks = ticks}});
  }
  if (!cost_known) update_day();
}

void CostTracker::settle_shown(std::uint64_t reserved) {
  const std::lock_guard lock(m_mutex);
  const auto found = m_open.find(reserved);
  if (found == m_open.end()) return;
  m_owner.spent->settle(found->second.grant, 0, 0);
  m_owner.spent->add(found->second.least);
  m_shown += found->second.least;
  m_open.erase(found);
}

Result<void> CostTracker::may_spend(const CancelToken& cancel) {
  while (true) {
    SVC_TRY(may, may_spend_now());
    if (may) return {};
    SVC_CHECK(interruptible_sleep(std::chrono::milliseconds(20), cancel));
  }
}

Result<bool> CostTracker::may_spend_now() {
  if (!is_limited()) return true;
  const std::lock_guard lock(m_mutex);
  SVC_TRY(reserved, reserve_quoted({.unknown = "a session has no end"}, false));
  if (!reserved) return false;
  // Nobody waits until a conversation ends.
  m_owner.spent->settle(m_open[reserved->number].grant, 0, 0);
  m_open.erase(reserved->number);
  update_day();
  return true;
}

Result<std::optional<Reserved>> CostTracker::reserve_known(std::int64_t ticks, sv model) {
  const std::lock_guard lock(m_mutex);
  return reserve_quoted({.model = std::string(model),
                         .least = ticks,
                         .about = ticks,
                         .fixed = ticks,
                         .most = ticks,
                         .by_quantity = true,
                         .of_time = true},
                        true);
}

void CostTracker::settle_known(std::uint64_t reserved, std::int64_t ticks) {
  const std::lock_guard lock(m_mutex);
  const auto found = m_open.find(reserved);
  if (found == m_open.end()) return;
  const Open open = std::move(found->second);
  m_open.erase(found);
  m_owner.spent->settle(open.grant, ticks, 0);
  m_unrecorded += ticks;
  if (ticks > 0) book({.model = open.model, .usage = {.cost_ticks = ticks}});
  update_day();
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
