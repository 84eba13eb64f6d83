#include "session/usage_report.h"

#include "client/api_client.h"
#include "client/usage.h"
#include "json/slices.h"

namespace svc::cli {
namespace {

using history::Booking;

std::string asked_model(const Session& session, const Operation& operation) {
  if (const auto model = session.invocation().value("model")) return *model;
  const Setting& setting = session.settings().model;
  if (operation.text_model && setting.is_set()) return setting.value;
  return std::string(operation.default_model);
}

/// What is looked at may have been booked when it was made, or looked at before.
Booking booking_of(const Operation& operation) {
  return operation.method == "GET" ? Booking::Fetched : Booking::New;
}

}  // namespace

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
  session.record_cost({.id = id, .model = model, .usage = usage, .booking = Booking::Fetched});
}

}  // namespace svc::cli
