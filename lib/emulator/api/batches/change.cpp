// The operations that change a batch: create, add, cancel.
#include <array>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "base/text.h"
#include "emulator/api/batches/due.h"
#include "emulator/api/batches/handlers.h"
#include "emulator/api/batches/json.h"
#include "emulator/api/batches/read.h"
#include "emulator/api/batches/store.h"
#include "emulator/api/files/store.h"
#include "emulator/json/check_tables.h"
#include "emulator/model/rules.h"

namespace svc::emulator::batches {
namespace {

using text::Json;
using text::Member;
using text::refuse_argument;

constexpr std::array k_create_members = {Member{"name", &text::k_text, true},
                                         Member{"input_file_id", &text::k_text}};
constexpr text::Type k_create{.shape = text::Shape::Object, .members = k_create_members};

Answer refuse_often(const char* what, std::int64_t wait_ms) {
  const std::int64_t wait_s = (wait_ms + 999) / 1'000;
  Answer answer = refuse(429, "Some resource has been exhausted",
                         fmt::format("Too many {}. Try again in {} s.", what, wait_s));
  answer.headers.push_back({"Retry-After", std::to_string(wait_s)});
  return answer;
}

// The file must be there and whole; its lines are looked at when it is loaded.
std::optional<Answer> input_fault(const Call& call, const std::string& file_id) {
  const auto file = find_file(*call.state, call.key.team_id, file_id);
  if (!file) return refuse_internal(file.error());
  if (!*file) return text::refuse_missing(fmt::format("File with id={} not found", file_id));
  if ((*file)->complete()) return std::nullopt;
  return refuse_argument(fmt::format("The file {} is not fully uploaded.", file_id));
}

Answer refuse_add(const Call& call, const AddOutcome& outcome) {
  const std::string& id = call.params.at("batch_id");
  switch (outcome.fault) {
    case AddFault::Cancelled:
      return refuse_argument(
          fmt::format("Batch {} is cancelled: no requests can be added to it.", id));
    case AddFault::Expired:
      return refuse_argument(
          fmt::format("Batch {} is expired: no requests can be added to it.", id));
    case AddFault::FileBased:
      return refuse_argument(
          fmt::format("Batch {} was created from a file: no requests can be added to it.", id));
    case AddFault::Duplicate:
      return refuse_argument(fmt::format("Duplicate batch_request_id: {} is already in the batch.",
                                         excerpt(outcome.id, 200)));
    case AddFault::Missing:
    case AddFault::None:
      break;
  }
  return refuse_batch(call);
}

}  // namespace

Answer create(const Call& call, Meter& meter) {
  std::optional<Answer> refusal;
  const Json body = text::read_body(call, k_create, refusal);
  if (refusal) return *refusal;
  std::optional<std::string> file_id;
  if (text::member(body, "input_file_id")) {
    file_id = text::text_of(body, "input_file_id");
    if ((refusal = input_fault(call, *file_id))) return *refusal;
  }
  if (const auto wait = meter.refuse(call.key.team_id, call.state->now_ms())) {
    return refuse_often("batch creations", *wait);
  }
  const auto created = create_batch(*call.state, call.key.team_id, call.key.id,
                                    text::text_of(body, "name"), file_id);
  if (!created) return refuse_internal(created.error());
  return batch_answer(*created, call);
}

Answer add(const Call& call, Meter& meter) {
  if (const auto wait = meter.refuse(call.key.team_id, call.state->now_ms())) {
    return refuse_often("add calls", *wait);
  }
  std::vector<NewRequest> items;
  if (auto refusal = read_items(call, items)) return *refusal;
  const auto delay = text::piece_delay(call, std::chrono::milliseconds(k_usual_delay_ms));
  spread(items, call.state->now_ms(), delay.count());
  const auto added = add_requests(*call.state, call.key.team_id, call.params.at("batch_id"), items);
  if (!added) return refuse_internal(added.error());
  if (added->fault != AddFault::None) return refuse_add(call, *added);
  Answer answer;
  answer.body = "null";  // as recorded, whatever the document says
  return answer;
}

Answer cancel(const Call& call) {
  const auto cancelled = cancel_batch(*call.state, call.key.team_id, call.params.at("batch_id"));
  if (!cancelled) return refuse_internal(cancelled.error());
  if (!*cancelled) return refuse_batch(call);
  return batch_answer(**cancelled, call);
}

}  // namespace svc::emulator::batches
