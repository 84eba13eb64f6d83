#include "batch/direct_sender.h"

#include <utility>

#include <fmt/format.h>

#include "json/slices.h"
#include "json/text.h"

namespace svc::batch {
namespace {

/// Whether the next request would meet the same. A network or a deadline that fails one request
/// after it was sent may serve the next.
bool ends_the_run(const Error& error) {
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

/// What came to svc while it waited for an answer; "" for no signal.
std::string_view signal_words(Fault fault) {
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

DirectSender::DirectSender(Journal& journal, const Input& input, DirectWay way,
                           DirectOptions options, Tell tell)
    : m_journal(journal),
      m_input(input),
      m_way(std::move(way)),
      m_options(options),
      m_tell(std::move(tell)) {}

Result<void> DirectSender::begin() {
  SVC_TRY(batches, m_journal.batches());
  if (batches.empty()) {
    SVC_TRY(made, m_journal.add_batch({.stage = BatchStage::Open}));
    m_batch = made.number;
  } else {
    m_batch = batches.front().number;
    SVC_TRY(missing, m_journal.count_missing(m_batch));
    m_abandoned = missing;
    SVC_CHECK(m_options.retry ? m_journal.take_back_missing(m_batch)
                              : m_journal.give_up(m_batch, Outcome::Unknown,
                                                  "svc was killed while it waited for the answer"));
    for (std::int64_t i = 0; i < missing; ++i) record(nullptr);
  }
  SVC_TRY(totals, m_journal.totals());
  m_totals = totals;
  return {};
}

Result<void> DirectSender::run() {
  SVC_CHECK(begin());
  const Result<void> ended =
      m_way.client->call_many(m_options.jobs, [this]() -> std::optional<CallJob> {
        if (m_error) return std::nullopt;
        Result<std::optional<CallJob>> job = next();
        if (job) return *std::move(job);
        m_error = std::move(job).error();
        return std::nullopt;
      });
  if (m_error) return *m_error;
  SVC_CHECK(ended);
  SVC_TRY(batches, m_journal.batches());
  batches.front().stage = BatchStage::Collected;
  return m_journal.save_batch(batches.front());
}

/// What is under way costs about what the others did.
Result<void> DirectSender::may_spend() const {
  const std::int64_t paid = m_totals.succeeded + m_totals.failed;
  const std::int64_t each = paid > 0 ? m_totals.cost_ticks / paid : 0;
  return m_options.budget.may_spend(m_totals.cost_ticks, each * m_under_way);
}

Result<std::optional<CallJob>> DirectSender::next() {
  SVC_TRY(place, m_journal.next_unassigned(m_cursor));
  if (!place) return std::optional<CallJob>();
  SVC_CHECK(may_spend());
  SVC_TRY(item, m_input.read_again(*place));
  const auto body = json_member(item.json, fmt::format("batch_request.{}", chat_endpoint().member));
  if (!body) return Error{Fault::Unexpected, "a request without a body"};
  m_cursor = place->ordinal;
  ++m_under_way;
  CallJob job{.request = m_way.frame};
  job.request.body = std::string(*body);
  // Not before it goes out: what waits for the rate limit when svc is killed was not sent.
  job.on_send = [this, ordinal = place->ordinal, sent = false]() mutable -> Result<void> {
    return std::exchange(sent, true) ? Result<void>() : sending(ordinal);
  };
  job.done = [this, place = *place](Result<CallReply> reply) {
    --m_under_way;
    const Result<void> kept = answered(place, std::move(reply));
    if (!kept && !m_error) m_error = kept.error();
  };
  return std::optional<CallJob>(std::move(job));
}

Result<void> DirectSender::sending(std::int64_t ordinal) {
  SVC_TRY(part, m_journal.begin_part(m_batch, {ordinal}));
  (void)part;
  ++m_totals.assigned;
  return {};
}

Result<void> DirectSender::answered(const ItemPlace& place, Result<CallReply> reply) {
  if (reply || !ends_the_run(reply.error())) {
    SVC_CHECK(keep(place.id, reply));
    if (reply || reply.error().may_have_run) record(reply ? &reply->body : nullptr);
    return {};
  }
  Error error = std::move(reply).error();
  if (!error.may_have_run) {
    SVC_CHECK(m_journal.take_back(place.ordinal));
    return error;
  }
  Error lost = error;
  if (const auto words = signal_words(error.fault); !words.empty()) {
    lost.message = fmt::format("{} while it waited for the answer", words);
  }
  SVC_CHECK(keep(place.id, std::move(lost)));
  record(nullptr);
  return error;
}

void DirectSender::record(const std::string* answer) const {
  if (m_way.paid) m_way.paid(answer);
}

ResultItem DirectSender::read_reply(const std::string& json, const Result<CallReply>& reply) const {
  ResultItem item = read_result_item(json);
  if (!reply && reply.error().may_have_run) {
    item.outcome = Outcome::Unknown;
    item.reason = reply.error().message;
  }
  if (item.outcome != Outcome::Succeeded || !m_way.check) return item;
  if (const auto misfit = m_way.check(item.text)) {
    item.outcome = Outcome::Failed;
    item.reason = misfit->message;
  }
  return item;
}

Result<void> DirectSender::keep(const std::string& id, const Result<CallReply>& reply) {
  const std::string json =
      reply ? as_result_item(id, reply->body) : as_result_item(id, reply.error());
  ResultItem item = read_reply(json, reply);
  item.id = id;
  SVC_TRY(transaction, m_journal.begin());
  SVC_TRY(added, m_journal.add_result(m_batch, item, json));
  SVC_CHECK(transaction.commit());
  if (!added) return {};
  m_totals.cost_ticks += item.cost_ticks.value_or(0);
  switch (item.outcome) {
    case Outcome::Succeeded:
      ++m_totals.succeeded;
      break;
    case Outcome::Failed:
      ++m_totals.failed;
      break;
    case Outcome::Cancelled:
      ++m_totals.cancelled;
      break;
    case Outcome::Unknown:
      ++m_totals.unknown;
      break;
  }
  return m_tell(m_totals);
}

}  // namespace svc::batch
