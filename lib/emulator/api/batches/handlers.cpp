#include <unordered_set>

#include <nlohmann/json.hpp>

#include "emulator/account/auth.h"
#include "emulator/api/batches/batches.h"
#include "emulator/api/files/store.h"
#include "emulator/api/text/text.h"
#include "json/slices.h"

namespace svc::emulator::batches {
namespace {

using text::get_string;
using text::Json;

// A text model must support batches; other models are checked by their operations.
std::optional<std::string> check_model(const Kind& kind, const std::string& name) {
  if (!kind.text) return std::nullopt;
  const Model* model = find_model(name);
  if (model == nullptr) return "Model not found: " + name;
  if (model->batches) return std::nullopt;
  return fmt::format("Model {} does not support batches.", model->name);
}

// Returns the only field of `batch_request`, or null.
const Kind* kind_of(const Json& body) {
  const Kind* kind = nullptr;
  for (const Kind& one : kinds()) {
    if (one.in_files_only || text::member(body, one.member) == nullptr) continue;
    if (kind != nullptr) return nullptr;
    kind = &one;
  }
  return kind;
}

std::string kind_names() {
  std::vector<sv> names;
  for (const Kind& kind : kinds()) {
    if (!kind.in_files_only) names.push_back(kind.member);
  }
  return join(names, ", ");
}

// Checks the whole document against its type, for the position of the error.
Response document_not_found_error(const Request& call) {
  SVC_CHECK(text::read_body(call, "batch_items"));
  return invalid_argument_error("batch_requests cannot be read.");
}

Response unknown_kind_error(const Request& call, std::size_t index) {
  return text::request_error(
      call,
      std::array{text::Step("batch_requests"), text::Step(index), text::Step("batch_request")},
      "expected exactly one member out of " + kind_names());
}

std::optional<Response> read_item(const Request& call, sv slice, std::size_t index,
                                  NewRequest& request) {
  const Json item = text::parse_json(slice);
  const auto mismatch = text::check_type(item, text::request_type("batch_item"), slice);
  if (mismatch && mismatch->kind != text::SchemaMismatch::Kind::Range)
    return document_not_found_error(call);
  const Json& body = *text::member(item, "batch_request");
  const Kind* kind = kind_of(body);
  if (kind == nullptr) return unknown_kind_error(call, index);
  const Json& inner = *text::member(body, kind->member);
  request.kind = kind->member;
  request.model = get_string(inner, "model");
  request.body = text::dump(inner);
  request.id = get_string(item, "batch_request_id");
  if (text::member(item, "batch_request_id") == nullptr) request.id = call.state->new_uuid();
  if (request.id.empty()) return invalid_argument_error("A batch_request_id is empty.");
  if (const auto fault = check_model(*kind, request.model)) return invalid_argument_error(*fault);
  if (!kind->text) return std::nullopt;
  const sv model = find_model(request.model)->name;
  return may_use_model(call.key, model) ? std::nullopt : std::optional(model_access_error(model));
}

Result<NewRequest> read_line(sv line) {
  if (const auto fault = check_json(line)) return usage_error(fault->reason);
  const Json item = text::parse_json(line);
  if (const auto fault = text::check_type(item, text::request_type("batch_line"), line)) {
    return usage_error(fmt::format("{}: {}", fault->path, fault->reason));
  }
  const std::string url = get_string(item, "url");
  const Kind* kind = find_kind_by_path(url);
  if (kind == nullptr) return usage_error(fmt::format("{} is not a url for batches", excerpt(url)));
  if (!equals_ignore_case(get_string(item, "method", "POST"), "POST")) {
    return usage_error("method must be POST");
  }
  NewRequest request;
  const Json& body = *text::member(item, "body");
  request.id = get_string(item, "custom_id");
  if (request.id.empty()) return usage_error("custom_id is empty");
  request.kind = kind->member;
  request.model = get_string(body, "model");
  request.body = text::dump(body);
  if (const auto fault = check_model(*kind, request.model)) return usage_error(*fault);
  return request;
}

// The endpoints are internal names of the service; one of them was observed.
constexpr std::array k_kinds = {
    Kind{"chat_get_completion", "/v1/chat/completions", "svc_api.Chat/GetCompletion",
         "chat_get_completion", true},
    Kind{"responses", "/v1/responses", "svc_api.Responses/CreateResponse", "chat_get_completion",
         true},
    Kind{"image_generation", "/v1/images/generations", "svc_api.Image/GenerateImage",
         "image_generation"},
    Kind{"image_edit", "/v1/images/edits", "svc_api.Image/EditImage", "image_generation"},
    Kind{"video_generation", "/v1/videos/generations", "svc_api.Video/GenerateVideo",
         "video_generation", false, true},
    Kind{"video_extension", "/v1/videos/extensions", "svc_api.Video/ExtendVideo",
         "video_generation", false, true},
    Kind{"video_edit", "/v1/videos/edits", "svc_api.Video/EditVideo", "video_generation", false,
         true, true}};

/// Counts calls per team in sliding windows, in each state. Thread-safe.
class Meter {
 public:
  Meter(std::size_t calls, std::int64_t window_ms) : m_calls(calls), m_window_ms(window_ms) {}

  /// Counts a call, or returns the milliseconds until one is allowed.
  std::optional<std::int64_t> wait_for(const Request& request) {
    const std::int64_t now_ms = request.state->now_ms();
    const auto batches = list_batches(*request.state, request.key.team_id, 0, 1);
    const std::lock_guard lock(m_mutex);
    auto& times = m_times[{request.state, request.key.team_id}];
    if (batches && batches->empty()) times.clear();  // the state was reset
    // Times in the future are those before a test set the clock back.
    std::erase_if(times,
                  [&](std::int64_t time) { return time <= now_ms - m_window_ms || time > now_ms; });
    if (times.size() >= m_calls) return times.front() + m_window_ms - now_ms;
    times.push_back(now_ms);
    return std::nullopt;
  }

 private:
  std::size_t m_calls;
  std::int64_t m_window_ms;
  std::mutex m_mutex{};
  // Only teams with a key get here.
  std::map<std::pair<const State*, std::string>, std::deque<std::int64_t>> m_times{};
};

Response rate_limit_error(const char* what, std::int64_t wait_ms) {
  const std::int64_t wait_s = (wait_ms + 999) / 1'000;
  return resource_exhausted_error(fmt::format("Too many {}. Try again in {} s.", what, wait_s),
                                  wait_s);
}

// The file must exist and be complete; its lines are checked when it is loaded.
std::optional<Response> check_input(const Request& request, const std::string& file_id) {
  SVC_TRY(file, found_or(find_file(*request.state, request.key.team_id, file_id),
                         not_found_error(fmt::format("File with id={} not found", file_id))));
  if (file.complete()) return std::nullopt;
  return invalid_argument_error(fmt::format("The file {} is not fully uploaded.", file_id));
}

Response batch_not_found_error(const Request& request) {
  return not_found_error(
      fmt::format("Batch with id={} not found", excerpt(request.params.at("batch_id"))));
}

constexpr std::int64_t k_default_page = 100;
constexpr std::int64_t k_max_page = 1'000;

Json time_or_null(const std::optional<std::int64_t>& time) {
  return time ? Json(format_rfc3339(*time)) : Json(nullptr);
}

Json batch_object(const Batch& batch, const Request& request) {
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
                   {"num_cancelled", batch.num_canceled}}},
                 {"cost_breakdown",
                  {{"total_cost_usd_ticks", batch.cost_ticks},
                   {"calculation_time", format_rfc3339(request.state->now_ms() / 1'000)}}}};
  if (batch.input_file_id) object["input_file_id"] = *batch.input_file_id;
  return object;
}

/// A page of a list, and the next page's token: null on the last page.
template <typename Row>
struct Page {
  std::vector<Row> rows{};
  Json token{};
};

// `fetch(after, limit)` reads the list, and the next page starts after the `position` of the last
// row. The path identifies the list for its tokens.
template <typename Row, typename Fetch>
Checked<Page<Row>> fetch_page(const Request& request, std::int64_t Row::*position,
                              const Fetch& fetch) {
  std::int64_t limit = k_default_page;
  if (const auto text = request.query_value("limit"); text && !text->empty()) {
    limit = parse_integer(*text).value_or(0);
    if (limit < 1 || limit > k_max_page) {
      return invalid_argument_error(
          fmt::format("Invalid value for limit: it must be between 1 and {}.", k_max_page));
    }
  }
  const std::string token = request.query_value("pagination_token").value_or("");
  const auto after =
      token.empty() ? std::optional(std::int64_t{0}) : read_page_number(request.path, token);
  if (!after)
    return invalid_argument_error("Invalid pagination_token: it is not one of this list.");
  // Fetch one more than is shown, to know whether there is another page.
  SVC_TRY(rows, checked(fetch(*after, limit + 1)));
  Page<Row> page{std::move(rows)};
  if (page.rows.size() <= static_cast<std::size_t>(limit)) return page;
  page.rows.resize(static_cast<std::size_t>(limit));
  page.token = make_page_token(request.path, {std::to_string(page.rows.back().*position)});
  return page;
}

// Returns a page of a batch's requests.
using List = Result<std::vector<RequestRow>>(State&, const Batch&, std::int64_t, std::int64_t);
Checked<Page<RequestRow>> request_page(const Request& request, const Batch& batch, List& fetch) {
  return fetch_page(request, &RequestRow::position, [&](std::int64_t after, std::int64_t most) {
    return fetch(*request.state, batch, after, most);
  });
}

// Returns the batch of the call.
Checked<Batch> require_batch(const Request& request) {
  return found_or(find_batch(*request.state, request.key.team_id, request.params.at("batch_id")),
                  batch_not_found_error(request));
}

Json request_object(const RequestRow& row) {
  return {{"batch_request_id", row.id},
          {"endpoint", find_kind(row.kind)->endpoint},
          {"model", row.model},
          {"state", row.state},
          {"create_time", format_rfc3339(row.create_time)},
          {"finish_time", time_or_null(row.finish_time)}};
}

Response create(const Request& request, Meter& meter) {
  SVC_TRY(body, text::read_body(request, "batch"));
  std::optional<std::string> file_id;
  if (text::member(body, "input_file_id")) {
    file_id = text::get_string(body, "input_file_id");
    if (auto error = check_input(request, *file_id)) return *error;
  }
  if (const auto wait = meter.wait_for(request)) return rate_limit_error("batch creations", *wait);
  SVC_TRY(created, checked(create_batch(*request.state, request.key.team_id, request.key.id,
                                        text::get_string(body, "name"), file_id)));
  return json_response(batch_object(created, request));
}

Response add(const Request& request, Meter& meter) {
  if (const auto wait = meter.wait_for(request)) return rate_limit_error("add calls", *wait);
  std::vector<NewRequest> items;
  if (auto error = read_items(request, items)) return *error;
  const auto delay = text::chunk_delay(request, std::chrono::milliseconds(k_default_delay_ms));
  stagger(items, request.state->now_ms(), delay.count());
  SVC_TRY(added, checked(add_requests(*request.state, request.key.team_id,
                                      request.params.at("batch_id"), items)));
  if (!added) return batch_not_found_error(request);
  if (!added->empty()) return invalid_argument_error(*added);
  return Response{.body = "null"};  // as recorded, despite the document
}

Response cancel(const Request& request) {
  SVC_TRY(canceled,
          found_or(cancel_batch(*request.state, request.key.team_id, request.params.at("batch_id")),
                   batch_not_found_error(request)));
  return json_response(batch_object(canceled, request));
}

Response get(const Request& request) {
  SVC_TRY(batch, require_batch(request));
  return json_response(batch_object(batch, request));
}

Response list(const Request& request) {
  SVC_TRY(page, fetch_page(request, &Batch::seq, [&](std::int64_t after, std::int64_t most) {
            return list_batches(*request.state, request.key.team_id, after, most);
          }));
  Json batches =
      text::json_list(page.rows, [&](const Batch& batch) { return batch_object(batch, request); });
  return json_response(Json{{"batches", std::move(batches)}, {"pagination_token", page.token}});
}

Response requests(const Request& request) {
  SVC_TRY(batch, require_batch(request));
  SVC_TRY(page, request_page(request, batch, list_requests));
  return json_response(Json{{"batch_request_metadata", text::json_list(page.rows, request_object)},
                            {"pagination_token", page.token}});
}

// Built as text: what is stored is already JSON.
Response results(const Request& request) {
  SVC_TRY(batch, require_batch(request));
  if (batch.expire_time <= request.state->now_ms() / 1'000) {
    return not_found_error(fmt::format("The results of batch {} are expired.", batch.id));
  }
  SVC_TRY(page, request_page(request, batch, list_results));
  Response response;
  response.body = R"({"results":[)";
  for (const RequestRow& row : page.rows) {
    if (response.body.back() == '}') response.body += ',';
    response.body += fmt::format(R"({{"batch_request_id":{},"batch_result":{}}})",
                                 json_quote(row.id), row.result);
  }
  response.body += fmt::format(R"(],"pagination_token":{}}})", text::dump(page.token));
  return response;
}

}  // namespace

std::optional<Response> read_items(const Request& call, std::vector<NewRequest>& requests) {
  // Item by item: a tree of the whole document would take ten times its size.
  const auto list = json_member(call.body, "batch_requests");
  if (!list || !list->starts_with('[')) return document_not_found_error(call);
  const std::vector<sv> items = json_elements(*list);
  requests.resize(items.size());
  for (std::size_t i = 0; i < items.size(); ++i) {
    if (auto refusal = read_item(call, items[i], i, requests[i])) return refusal;
  }
  return std::nullopt;
}

Result<std::vector<NewRequest>> read_lines(sv text) {
  std::vector<NewRequest> requests;
  std::unordered_set<std::string> ids;
  std::size_t number = 0;
  for (const sv line : split(text, '\n')) {
    ++number;
    if (trim(line).empty()) continue;
    auto request = read_line(trim(line));
    if (!request) return usage_error(fmt::format("line {}: {}", number, request.error().message));
    if (!ids.insert(request->id).second) {
      return usage_error(
          fmt::format("line {}: the custom_id {} comes twice", number, excerpt(request->id)));
    }
    requests.push_back(std::move(*request));
  }
  if (requests.empty()) return usage_error("it has no requests");
  return requests;
}

std::span<const Kind> kinds() {
  return k_kinds;
}

const Kind* find_kind(sv member) {
  return &*std::ranges::find(k_kinds, member, &Kind::member);
}

const Kind* find_kind_by_path(sv path) {
  const auto found = std::ranges::find(k_kinds, path, &Kind::path);
  return found == k_kinds.end() ? nullptr : &*found;
}

}  // namespace svc::emulator::batches

auto svc::emulator::batch_routes() -> std::vector<Route> {
  constexpr const char* k_acl = "batches";
  // One creation per second, 100 add calls in 30 seconds.
  const auto creations = std::make_shared<batches::Meter>(1, 1'000);
  const auto additions = std::make_shared<batches::Meter>(100, 30'000);
  return {
      {.method = "POST",
       .path = "/v1/batches/{batch_id}/requests",
       .handler = [additions](const Request& request) { return batches::add(request, *additions); },
       .endpoint_acl = k_acl,
       .max_body = 25'000'000},
      {"POST", "/v1/batches",
       [creations](const Request& request) { return batches::create(request, *creations); }, k_acl},
      {"GET", "/v1/batches", batches::list, k_acl},
      {"GET", "/v1/batches/{batch_id}", batches::get, k_acl},
      {"GET", "/v1/batches/{batch_id}/requests", batches::requests, k_acl},
      {"GET", "/v1/batches/{batch_id}/results", batches::results, k_acl},
      {"POST", "/v1/batches/{batch_id}:cancel", batches::cancel, k_acl, Input::Free},
  };
}
