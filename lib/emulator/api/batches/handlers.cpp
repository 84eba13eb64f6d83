// The operations on batches.
#include <deque>
#include <map>
#include <memory>
#include <mutex>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "base/clock.h"
#include "base/text.h"
#include "emulator/account/auth.h"
#include "emulator/api/batches/read.h"
#include "emulator/api/batches/store.h"
#include "emulator/api/files/store.h"
#include "emulator/handler/routes.h"
#include "emulator/json/check.h"
#include "emulator/json/json.h"
#include "emulator/model/rules.h"
#include "emulator/state/seal.h"
#include "json/text.h"

namespace svc::emulator::batches {
namespace {

/// Counts calls per team in sliding windows. Thread-safe.
class Meter {
 public:
  Meter(std::size_t calls, std::int64_t window_ms) : m_calls(calls), m_window_ms(window_ms) {}

  /// Counts a call, or returns the milliseconds until one is allowed.
  std::optional<std::int64_t> refuse(const std::string& team_id, std::int64_t now_ms) {
    const std::lock_guard lock(m_mutex);
    auto& times = m_times[team_id];
    while (!times.empty() && times.front() <= now_ms - m_window_ms) times.pop_front();
    if (times.size() >= m_calls) return times.front() + m_window_ms - now_ms;
    times.push_back(now_ms);
    return std::nullopt;
  }

 private:
  std::size_t m_calls;
  std::int64_t m_window_ms;
  std::mutex m_mutex{};
  std::map<std::string, std::deque<std::int64_t>> m_times{};  ///< only teams with a key get here
};

using text::Json;

const text::Types k_create_types("create = {name!, input_file_id}");

Answer refuse_often(const char* what, std::int64_t wait_ms) {
  const std::int64_t wait_s = (wait_ms + 999) / 1'000;
  return refuse_exhausted(fmt::format("Too many {}. Try again in {} s.", what, wait_s), wait_s);
}

// The file must exist and be complete; its lines are checked when it is loaded.
std::optional<Answer> input_fault(const Call& call, const std::string& file_id) {
  SVC_TRY(file, found_or(find_file(*call.state, call.key.team_id, file_id),
                         refuse_missing(fmt::format("File with id={} not found", file_id))));
  if (file.complete()) return std::nullopt;
  return refuse_argument(fmt::format("The file {} is not fully uploaded.", file_id));
}

Answer refuse_batch(const Call& call) {
  return refuse_missing(
      fmt::format("Batch with id={} not found", excerpt(call.params.at("batch_id"), 80)));
}

constexpr std::int64_t k_default_page = 100;
constexpr std::int64_t k_largest_page = 1'000;

Json time_or_null(const std::optional<std::int64_t>& time) {
  return time ? Json(format_rfc3339(*time)) : Json(nullptr);
}

Json batch_object(const Batch& batch, const Call& call) {
  Json object = {{"batch_id", batch.id},
                 {"name", batch.name},
                 {"create_time", format_rfc3339(batch.create_time)},
                 {"expire_time", format_rfc3339(batch.expire_time)},
                 {"create_api_key_id", mask_key(batch.key_id)},
                 {"cancel_time", time_or_null(batch.cancel_time)},
                 {"cancel_by_xai_message", text::or_null(batch.cancel_message)},
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

/// A page of a list, and the next page's token: null on the last page.
template <typename Row>
struct Page {
  std::vector<Row> rows{};
  Json token{};
};

// `kind` identifies the list for its tokens; `fetch(after, limit)` reads it, and the next page
// starts after the `place` of the last row.
template <typename Row, typename Fetch>
Checked<Page<Row>> fetch_page(const Call& call, const std::string& kind, std::int64_t Row::*place,
                              const Fetch& fetch) {
  std::int64_t limit = k_default_page;
  if (const auto text = call.query_value("limit"); text && !text->empty()) {
    limit = parse_integer(*text).value_or(0);
    if (limit < 1 || limit > k_largest_page) {
      return refuse_argument(
          fmt::format("Invalid value for limit: it must be between 1 and {}.", k_largest_page));
    }
  }
  const std::string token = call.query_value("pagination_token").value_or("");
  const auto after = token.empty() ? std::optional(std::int64_t{0}) : read_page_number(kind, token);
  if (!after) return refuse_argument("Invalid pagination_token: it is not one of this list.");
  // Fetch one more than is shown, to know whether there is another page.
  SVC_TRY(rows, checked(fetch(*after, limit + 1)));
  Page<Row> page{std::move(rows)};
  if (page.rows.size() <= static_cast<std::size_t>(limit)) return page;
  page.rows.resize(static_cast<std::size_t>(limit));
  page.token = make_page_token(kind, {std::to_string(page.rows.back().*place)});
  return page;
}

// Returns a page of a batch's requests.
using List = Result<std::vector<RequestRow>>(State&, const Batch&, std::int64_t, std::int64_t);
Checked<Page<RequestRow>> request_page(const Call& call, const Batch& batch, sv what, List& fetch) {
  return fetch_page(call, fmt::format("{} of batch {}", what, batch.seq), &RequestRow::place,
                    [&](std::int64_t after, std::int64_t most) {
                      return fetch(*call.state, batch, after, most);
                    });
}

// Returns the batch of the call.
Checked<Batch> need_batch(const Call& call) {
  return found_or(find_batch(*call.state, call.key.team_id, call.params.at("batch_id")),
                  refuse_batch(call));
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

Answer create(const Call& call, Meter& meter) {
  SVC_TRY(body, text::read_body(call, k_create_types["create"]));
  std::optional<std::string> file_id;
  if (text::member(body, "input_file_id")) {
    file_id = text::text_of(body, "input_file_id");
    if (auto refusal = input_fault(call, *file_id)) return *refusal;
  }
  if (const auto wait = meter.refuse(call.key.team_id, call.state->now_ms())) {
    return refuse_often("batch creations", *wait);
  }
  SVC_TRY(created, checked(create_batch(*call.state, call.key.team_id, call.key.id,
                                        text::text_of(body, "name"), file_id)));
  return json_answer(batch_object(created, call));
}

Answer add(const Call& call, Meter& meter) {
  if (const auto wait = meter.refuse(call.key.team_id, call.state->now_ms())) {
    return refuse_often("add calls", *wait);
  }
  std::vector<NewRequest> items;
  if (auto refusal = read_items(call, items)) return *refusal;
  const auto delay = text::piece_delay(call, std::chrono::milliseconds(k_usual_delay_ms));
  spread(items, call.state->now_ms(), delay.count());
  SVC_TRY(added,
          checked(add_requests(*call.state, call.key.team_id, call.params.at("batch_id"), items)));
  if (!added) return refuse_batch(call);
  if (!added->empty()) return refuse_argument(*added);
  Answer answer;
  answer.body = "null";  // as recorded, despite the document
  return answer;
}

Answer cancel(const Call& call) {
  SVC_TRY(cancelled,
          found_or(cancel_batch(*call.state, call.key.team_id, call.params.at("batch_id")),
                   refuse_batch(call)));
  return json_answer(batch_object(cancelled, call));
}

Answer get(const Call& call) {
  SVC_TRY(batch, need_batch(call));
  return json_answer(batch_object(batch, call));
}

Answer list(const Call& call) {
  SVC_TRY(page,
          fetch_page(call, "batches", &Batch::seq, [&](std::int64_t after, std::int64_t most) {
            return list_batches(*call.state, call.key.team_id, after, most);
          }));
  Json batches =
      text::json_list(page.rows, [&](const Batch& batch) { return batch_object(batch, call); });
  return json_answer(Json{{"batches", std::move(batches)}, {"pagination_token", page.token}});
}

Answer requests(const Call& call) {
  SVC_TRY(batch, need_batch(call));
  SVC_TRY(page, request_page(call, batch, "requests", list_requests));
  return json_answer(Json{{"batch_request_metadata", text::json_list(page.rows, request_object)},
                          {"pagination_token", page.token}});
}

// Built as text: what is stored is already JSON.
Answer results(const Call& call) {
  SVC_TRY(batch, need_batch(call));
  if (batch.expire_time <= call.state->now_ms() / 1'000) {
    return refuse_missing(fmt::format("The results of batch {} are expired.", batch.id));
  }
  SVC_TRY(page, request_page(call, batch, "results", list_results));
  Answer answer;
  answer.body = R"({"results":[)";
  for (const RequestRow& row : page.rows) {
    if (answer.body.back() == '}') answer.body += ',';
    answer.body += fmt::format(R"({{"batch_request_id":{},"batch_result":{}}})", json_quote(row.id),
                               row.result);
  }
  answer.body += fmt::format(R"(],"pagination_token":{}}})", text::dump(page.token));
  return answer;
}

}  // namespace
}  // namespace svc::emulator::batches

namespace svc::emulator {

std::vector<Route> batch_routes() {
  constexpr const char* k_acl = "batches";
  // One creation per second, 100 add calls in 30 seconds.
  const auto creations = std::make_shared<batches::Meter>(1, 1'000);
  const auto additions = std::make_shared<batches::Meter>(100, 30'000);
  return {
      {.method = "POST",
       .path = "/v1/batches/{batch_id}/requests",
       .handler = [additions](const Call& call) { return batches::add(call, *additions); },
       .endpoint_acl = k_acl,
       .max_body = 25'000'000},
      {"POST", "/v1/batches",
       [creations](const Call& call) { return batches::create(call, *creations); }, k_acl},
      {"GET", "/v1/batches", batches::list, k_acl},
      {"GET", "/v1/batches/{batch_id}", batches::get, k_acl},
      {"GET", "/v1/batches/{batch_id}/requests", batches::requests, k_acl},
      {"GET", "/v1/batches/{batch_id}/results", batches::results, k_acl},
      {"POST", "/v1/batches/{batch_id}:cancel", batches::cancel, k_acl, Input::Free},
  };
}

}  // namespace svc::emulator
