// The operations that change a batch: create, add, cancel.
#include <algorithm>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "base/clock.h"
#include "base/text.h"
#include "emulator/account/auth.h"
#include "emulator/api/batches/handlers.h"
#include "emulator/api/batches/json.h"
#include "emulator/api/batches/read.h"
#include "emulator/api/batches/store.h"
#include "emulator/api/files/store.h"
#include "emulator/json/check.h"
#include "emulator/json/json.h"
#include "emulator/model/rules.h"
#include "emulator/state/seal.h"
#include "json/text.h"

namespace svc::emulator::batches {
namespace {

using text::Json;
using text::refuse_argument;

const text::Types k_create_types("create = {name!, input_file_id}");

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

using text::Json;
using text::refuse_argument;

constexpr std::int64_t k_default_page = 100;
constexpr std::int64_t k_largest_page = 1'000;

Json time_or_null(const std::optional<std::int64_t>& time) {
  return time ? Json(format_rfc3339(*time)) : Json(nullptr);
}

struct Page {
  std::int64_t limit = k_default_page;
  std::int64_t after = 0;
};

// `kind` names the list whose tokens are meant.
std::optional<Answer> read_page(const Call& call, const std::string& kind, Page& page) {
  if (const auto text = call.query_value("limit"); text && !text->empty()) {
    const auto limit = parse_integer(*text);
    if (!limit || *limit < 1 || *limit > k_largest_page) {
      return refuse_argument(
          fmt::format("Invalid value for limit: it must be between 1 and {}.", k_largest_page));
    }
    page.limit = *limit;
  }
  const std::string token = call.query_value("pagination_token").value_or("");
  if (token.empty()) return std::nullopt;
  const auto values = read_page_token(kind, token, 1);
  const auto after = values ? parse_integer(values->front()) : std::nullopt;
  if (!after) return refuse_argument("Invalid pagination_token: it is not one of this list.");
  page.after = *after;
  return std::nullopt;
}

// Null on the last page, which is known because one more was asked for than is shown.
template <typename Row, typename Place>
Json next_token(const std::string& kind, std::vector<Row>& rows, std::int64_t limit,
                const Place& place) {
  const auto most = static_cast<std::size_t>(limit);
  if (rows.size() <= most) return nullptr;
  rows.resize(most);
  return make_page_token(kind, {std::to_string(place(rows.back()))});
}

std::string list_kind(const char* what, const Batch& batch) {
  return fmt::format("{} of batch {}", what, batch.seq);
}

// The batch of the call in `batch`, or the refusal.
std::optional<Answer> need_batch(const Call& call, std::optional<Batch>& batch) {
  auto found = find_batch(*call.state, call.key.team_id, call.params.at("batch_id"));
  if (!found) return refuse_internal(found.error());
  if (!*found) return refuse_batch(call);
  batch = std::move(*found);
  return std::nullopt;
}

Json request_object(const RequestRow& row) {
  const Kind* kind = find_kind(row.kind);
  return {{"batch_request_id", row.id},
          {"endpoint", kind == nullptr ? "" : kind->endpoint},
          {"model", row.model},
          {"state", row.state},
          {"create_time", format_rfc3339(row.create_time)},
          {"finish_time", time_or_null(row.finish_time)}};
}

}  // namespace

Answer create(const Call& call, Meter& meter) {
  std::optional<Answer> refusal;
  const Json body = text::read_body(call, k_create_types["create"], refusal);
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

// The operations that read batches: get, list, requests, results.

Json batch_object(const Batch& batch, const Call& call) {
  Json object = {
      {"batch_id", batch.id},
      {"name", batch.name},
      {"create_time", format_rfc3339(batch.create_time)},
      {"expire_time", format_rfc3339(batch.expire_time)},
      {"create_api_key_id", mask_key(batch.key_id)},
      {"cancel_time", time_or_null(batch.cancel_time)},
      {"cancel_by_xai_message", batch.cancel_message ? Json(*batch.cancel_message) : Json(nullptr)},
      {"state",
       {{"num_requests", batch.num_requests},
        {"num_pending", batch.num_pending},
        {"num_success", batch.num_success},
        {"num_error", batch.num_error},
        {"num_cancelled", batch.num_cancelled}}},
      {"cost_breakdown",
       {{"total_cost_usd_ticks", batch.cost_ticks},
        {"calculation_time", format_rfc3339(call.state->now_ms() / 1'000)}}}};
  if (batch.input_file_id) object["input_file_id"] = *batch.input_file_id;
  return object;
}

Answer batch_answer(const Batch& batch, const Call& call) {
  return json_answer(batch_object(batch, call));
}

Answer refuse_batch(const Call& call) {
  return text::refuse_missing(
      fmt::format("Batch with id={} not found", excerpt(call.params.at("batch_id"), 80)));
}

Answer get(const Call& call) {
  std::optional<Batch> batch;
  if (auto refusal = need_batch(call, batch)) return *refusal;
  return batch_answer(*batch, call);
}

Answer list(const Call& call) {
  const std::string kind = "batches";
  Page page;
  if (auto refusal = read_page(call, kind, page)) return *refusal;
  auto found = list_batches(*call.state, call.key.team_id, page.after, page.limit + 1);
  if (!found) return refuse_internal(found.error());
  const Json token =
      next_token(kind, *found, page.limit, [](const Batch& batch) { return batch.seq; });
  Json batches = Json::array();
  for (const Batch& batch : *found) batches.push_back(batch_object(batch, call));
  return json_answer(Json{{"batches", std::move(batches)}, {"pagination_token", token}});
}

Answer requests(const Call& call) {
  std::optional<Batch> batch;
  if (auto refusal = need_batch(call, batch)) return *refusal;
  const std::string kind = list_kind("requests", *batch);
  Page page;
  if (auto refusal = read_page(call, kind, page)) return *refusal;
  auto rows = list_requests(*call.state, *batch, page.after, page.limit + 1);
  if (!rows) return refuse_internal(rows.error());
  const Json token =
      next_token(kind, *rows, page.limit, [](const RequestRow& row) { return row.place; });
  Json metadata = Json::array();
  for (const RequestRow& row : *rows) metadata.push_back(request_object(row));
  return json_answer(
      Json{{"batch_request_metadata", std::move(metadata)}, {"pagination_token", token}});
}

// Written by hand: what is stored is JSON text already.
Answer results(const Call& call) {
  std::optional<Batch> batch;
  if (auto refusal = need_batch(call, batch)) return *refusal;
  if (batch->expire_time <= call.state->now_ms() / 1'000) {
    return text::refuse_missing(fmt::format("The results of batch {} are expired.", batch->id));
  }
  const std::string kind = list_kind("results", *batch);
  Page page;
  if (auto refusal = read_page(call, kind, page)) return *refusal;
  auto rows = list_results(*call.state, *batch, page.after, page.limit + 1);
  if (!rows) return refuse_internal(rows.error());
  const Json token =
      next_token(kind, *rows, page.limit, [](const RequestRow& row) { return row.place; });
  Answer answer;
  answer.body = R"({"results":[)";
  for (const RequestRow& row : *rows) {
    if (answer.body.back() == '}') answer.body += ',';
    answer.body += fmt::format(R"({{"batch_request_id":{},"batch_result":{}}})", json_quote(row.id),
                               row.result);
  }
  answer.body += fmt::format(R"(],"pagination_token":{}}})", text::dump(token));
  return answer;
}

}  // namespace svc::emulator::batches
