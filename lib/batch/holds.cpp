#include "batch/holds.h"

#include <algorithm>
#include <utility>

#include <fmt/format.h>

#include "base/text.h"
#include "batch/request_line.h"
#include "batch/result_item.h"

namespace svc::batch {
namespace {

/// What a batch may cost, for runs that continue this one.
std::string reserved_fact(std::int64_t batch) {
  return fmt::format("reserved {}", batch);
}

/// Who reserved it: "ACCOUNT TICKS ACCOUNT TICKS".
std::string accounts_fact(std::int64_t batch) {
  return fmt::format("reserved {} by", batch);
}

}  // namespace

/// What was admitted and not put into a batch was not sent.
Holds::~Holds() {
  for (const auto& [ordinal, hold] : m_holds) {
    if (!hold.assigned) m_allowance->settle(hold.reserved.number, SpendEnd::NotRun, {});
  }
}

Result<void> Holds::resume() {
  if (m_allowance == nullptr) return {};
  SVC_TRY(totals, m_journal.totals());
  SVC_TRY(dearest, m_journal.dearest());
  m_allowance->resume(totals.cost_ticks, dearest);
  SVC_TRY(batches, m_journal.batches());
  for (const JournalBatch& batch : batches) {
    // In a batch that was not created no request runs, unless it is made from a file.
    const bool is_empty = batch.stage == BatchStage::Creating && batch.file_id.empty();
    if (batch.stage == BatchStage::Collected) continue;
    SVC_CHECK(read_accounts(batch.number));
    if (is_empty) {
      SVC_CHECK(give_back(batch.number));
      continue;
    }
    SVC_TRY(fact, m_journal.fact(reserved_fact(batch.number)));
    const std::int64_t most = fact ? parse_integer(*fact).value_or(0) : 0;
    m_by_batch[batch.number] = most;
    const std::int64_t reserved = std::max<std::int64_t>(most - batch.cost_ticks, 0);
    m_earlier[batch.number] = {.reserved = reserved, .counted = batch.cost_ticks};
    m_allowance->resume(reserved, 0);
  }
  return {};
}

Result<void> Holds::begin_round() {
  if (m_allowance == nullptr) return {};
  m_full = m_settled = false;
  m_refusal.reset();
  m_assigned = 0;
  SVC_TRY(left, m_journal.count_unassigned());
  m_allowance->share(left);
  return {};
}

Result<bool> Holds::admit(std::int64_t ordinal, std::string& json) {
  if (m_allowance == nullptr) return true;
  if (m_full) return false;
  if (const auto held = m_holds.find(ordinal); held != m_holds.end()) {
    if (!held->second.kept.empty()) {
      json = std::exchange(held->second.kept, {});
      return true;
    }
    settle_hold(ordinal, SpendEnd::NotRun, {});
  }
  const auto sent = sent_request(json);
  if (!sent) return Error{Fault::Unexpected, "the request has no body"};
  Payload body = std::string(sent->body);
  auto reserved = m_allowance->reserve(*sent->operation, body);
  if (!reserved && reserved.error().fault != Fault::Limited) return std::move(reserved).error();
  m_full = !reserved || !*reserved;
  if (!reserved) m_refusal = std::move(reserved).error();
  if (m_full) return false;
  m_holds[ordinal] = {.reserved = **reserved};
  if (const auto& limited = std::get<std::string>(body); limited != sent->body) {
    json.replace(static_cast<std::size_t>(sent->body.data() - json.data()), sent->body.size(),
                 limited);
  }
  return true;
}

void Holds::keep(std::int64_t ordinal, std::string json) {
  if (m_allowance != nullptr) m_holds[ordinal].kept = std::move(json);
}

Result<void> Holds::assign(std::int64_t batch, const std::vector<std::int64_t>& ordinals) {
  if (m_allowance == nullptr) return {};
  std::int64_t ticks = 0;
  for (const std::int64_t ordinal : ordinals) {
    Hold& hold = m_holds[ordinal];
    hold.assigned = true;
    ticks += hold.reserved.ticks;
  }
  m_assigned += std::ssize(ordinals);
  return save_reserved(batch, ticks);
}

Result<void> Holds::release(std::int64_t batch, const std::vector<std::int64_t>& ordinals) {
  if (m_allowance == nullptr) return {};
  std::int64_t ticks = 0;
  for (const std::int64_t ordinal : ordinals) {
    SVC_TRY(next, m_journal.next_unassigned(ordinal - 1));
    const auto held = m_holds.find(ordinal);
    if (!next || next->ordinal != ordinal || held == m_holds.end()) continue;
    ticks -= held->second.reserved.ticks;
    --m_assigned;
    settle_hold(ordinal, SpendEnd::NotRun, {});
    // They are sent again in this round.
    m_full = false;
    m_refusal.reset();
  }
  return save_reserved(batch, ticks);
}

Result<void> Holds::read_accounts(std::int64_t batch) {
  SVC_TRY(fact, m_journal.fact(accounts_fact(batch)));
  const std::string text = fact.value_or("");
  const auto words = split(text, ' ');
  for (std::size_t i = 0; i + 1 < words.size(); i += 2) {
    m_accounts[batch][std::string(words[i])] = parse_integer(words[i + 1]).value_or(0);
  }
  return {};
}

/// Records that this run reserves `more` for the batch.
Result<void> Holds::save_reserved(std::int64_t batch, std::int64_t more) {
  SVC_CHECK(m_journal.set_fact(reserved_fact(batch), std::to_string(m_by_batch[batch] += more)));
  const std::string own = m_allowance->account();
  if (own.empty()) return {};
  m_accounts[batch][own] += more;
  std::string text;
  for (const auto& [account, ticks] : m_accounts[batch]) {
    text += fmt::format("{}{} {}", text.empty() ? "" : " ", account, ticks);
  }
  return m_journal.set_fact(accounts_fact(batch), text);
}

/// Gives back what earlier runs left reserved for a batch that is settled. If this process is
/// killed meanwhile, it stays reserved rather than being given back twice.
Result<void> Holds::give_back(std::int64_t batch) {
  const auto accounts = std::exchange(m_accounts[batch], {});
  if (accounts.empty()) return {};
  SVC_CHECK(m_journal.set_fact(accounts_fact(batch), ""));
  for (const auto& [account, ticks] : accounts) {
    if (account != m_allowance->account()) m_allowance->give_back(account, ticks);
  }
  return {};
}

void Holds::settle_hold(std::int64_t ordinal, SpendEnd end, const Usage& usage) {
  const auto held = m_holds.find(ordinal);
  if (held == m_holds.end()) return;
  const std::string answer =
      fmt::format(R"({{"usage":{{"output_tokens":{},"cost_in_usd_ticks":{}}}}})",
                  usage.output_tokens, usage.cost_ticks.value_or(0));
  m_allowance->settle(held->second.reserved.number, end, answer);
  m_holds.erase(held);
}

Result<void> Holds::settle(const JournalBatch& batch) {
  if (m_allowance == nullptr) return {};
  m_settled = true;
  struct Billed {
    std::int64_t ordinal = 0;
    Outcome outcome = Outcome::Unknown;
    Usage usage{};
  };
  std::vector<Billed> results;
  std::int64_t reported = 0;
  std::int64_t untold = 0;  // answers whose cost only the batch has
  SVC_CHECK(m_journal.for_each_of(
      batch.number, [&](std::int64_t ordinal, Outcome outcome, std::string_view json) {
        Usage usage = json.empty() ? Usage() : result_usage(json);
        reported += usage.cost_ticks.value_or(0);
        if (!usage.cost_ticks && outcome == Outcome::Succeeded) ++untold;
        results.push_back({ordinal, outcome, std::move(usage)});
      }));
  const std::int64_t rest = std::max<std::int64_t>(batch.cost_ticks - reported, 0);
  std::int64_t counted = 0;
  for (Billed& one : results) {
    if (!one.usage.cost_ticks && one.outcome == Outcome::Succeeded && rest > 0) {
      one.usage.cost_ticks = rest / untold;
    }
    const bool lost = one.outcome == Outcome::Succeeded ||
                      (one.outcome == Outcome::Unknown && batch.cost_ticks == 0);
    if (m_holds.contains(one.ordinal)) counted += one.usage.cost_ticks.value_or(0);
    settle_hold(one.ordinal,
                one.usage.cost_ticks ? SpendEnd::Answered
                : lost               ? SpendEnd::Unknown
                                     : SpendEnd::NotRun,
                one.usage);
  }
  const auto earlier = m_earlier.find(batch.number);
  if (earlier == m_earlier.end()) return {};
  SVC_TRY(dearest, m_journal.dearest());
  m_allowance->resume(-earlier->second.reserved, dearest);
  m_allowance->bill(
      std::max<std::int64_t>(batch.cost_ticks - earlier->second.counted - counted, 0));
  m_earlier.erase(earlier);
  return give_back(batch.number);
}

}  // namespace svc::batch
