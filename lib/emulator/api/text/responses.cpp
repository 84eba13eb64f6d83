#include "emulator/api/text/responses.h"

#include <algorithm>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "base/text.h"
#include "emulator/api/text/chat.h"
#include "emulator/api/text/handlers.h"
#include "emulator/api/text/items.h"
#include "emulator/json/json.h"
#include "emulator/model/answer.h"
#include "emulator/model/rules.h"
#include "emulator/model/search.h"
#include "emulator/model/tokenizer.h"
#include "emulator/state/seal.h"

namespace svc::emulator::text {

namespace {

// Server tools run unless the client's tool_choice excludes them, or the request only returns a
// tool result.
bool runs_server_tools(const ModelRequest& model_request) {
  const bool open = model_request.tool_choice == ToolChoice::Auto ||
                    model_request.tool_choice == ToolChoice::Required;
  return open && model_request.turns.back().role != "tool";
}

ToolResults work_for(const Request& request, const Json& body, const ModelRequest& model_request,
                     bool& cites) {
  const std::string& question = last_user_text(model_request);
  ToolResults work;
  if (model_request.canned && model_request.canned->citations) {
    work.sources = cited_by_rule(*model_request.canned);
    return work;
  }
  if (is_canned(model_request)) return work;
  if (runs_server_tools(model_request))
    work = run_server_tools(request, body, question, request.request_id);
  if (const Json* parameters = member(body, "search_parameters")) {
    Search search = run_search(*parameters, question);
    cites = search.citations;
    for (Source& source : search.sources) work.sources.push_back(std::move(source));
  }
  return work;
}

Result<void> store(const Request& request, const Json& items, const Json& response) {
  return request.state->store_response({.id = response["id"].get<std::string>(),
                                        .team_id = request.key.team_id,
                                        .created_at = response["created_at"].get<std::int64_t>(),
                                        .body = dump(response),
                                        .input_items = dump(items)});
}

constexpr std::int64_t k_default_limit = 20;
constexpr std::int64_t k_max_items = 100;

Response unknown_field_error(const std::string& id) {
  return not_found_error(fmt::format("Response with id={} not found", id));
}

}  // namespace

Response create_response(const Request& request) {
  SVC_TRY(body, read_body(request, request_types()["responses"]));
  SVC_TRY(model, pick_model(request, body));
  const Json items = normal_items(body["input"], "item_" + request.request_id);
  SVC_TRY(parts, read_question(request, body, items, *model));
  ModelRequest& model_request = parts.model_request;
  if (auto canned = take_canned_answer(request, "responses", body, model_request))
    return *std::move(canned);
  bool cites = true;
  parts.work = work_for(request, body, model_request, cites);
  if (cites) model_request.sources = parts.work.sources;
  auto model_output = generate(model_request, 0, 1);
  if (!model_output) return invalid_argument_error(model_output.error().message);
  parts.model_output = *std::move(model_output);
  Json response = response_object(body, parts);
  if (model_request.canned) patch_canned(*model_request.canned, response);
  if (get_bool(body, "store", true)) SVC_CHECK(checked(store(request, items, response)));
  Response answer =
      get_bool(body, "stream", false)
          ? stream_response(response, chunk_delay(request, k_piece_delay), parts.model_output.cuts)
          : json_response(response);
  answer.tokens = parts.tokens;
  answer.charges = std::move(parts.charges);
  finish_canned(model_request.canned, answer);
  return answer;
}

// Stored responses: retrieval, deletion, and the list of their input.

Checked<StoredResponse> find_response(const Request& request, const std::string& id) {
  return found_or(request.state->find_response(request.key.team_id, id), unknown_field_error(id));
}

Response get_response(const Request& request) {
  SVC_TRY(stored, find_response(request, request.params.at("response_id")));
  Response answer;
  answer.body = std::move(stored.body);
  return answer;
}

Response delete_response(const Request& request) {
  const std::string& id = request.params.at("response_id");
  SVC_CHECK(
      found_or(request.state->delete_response(request.key.team_id, id), unknown_field_error(id)));
  return json_response(Json{{"id", id}, {"object", "response"}, {"deleted", true}});
}

Response list_input_items(const Request& request) {
  std::int64_t limit = k_default_limit;
  if (const auto canned = request.query_value("limit")) {
    limit = parse_integer(*canned).value_or(0);
    if (limit < 1 || limit > k_max_items) {
      return invalid_argument_error(
          fmt::format("limit must be an integer between 1 and {}.", k_max_items));
    }
  }
  const std::string order = request.query_value("order").value_or("desc");
  if (order != "asc" && order != "desc")
    return invalid_argument_error("order must be asc or desc.");
  SVC_TRY(stored, find_response(request, request.params.at("response_id")));
  Json items = parse_json(stored.input_items);
  if (order == "desc") std::ranges::reverse(items);
  auto first = items.begin();
  if (const std::string after = request.query_value("after").value_or(""); !after.empty()) {
    first = std::find_if(items.begin(), items.end(),
                         [&](const Json& item) { return get_string(item, "id") == after; });
    if (first == items.end()) {
      return invalid_argument_error(
          fmt::format("after names no input item of this response: {}", excerpt(after, 80)));
    }
    ++first;
  }
  const auto end = first + std::min<std::ptrdiff_t>(limit, items.end() - first);
  const Json page = std::vector<Json>(first, end);
  return json_response(Json{{"object", "list"},
                            {"data", page},
                            {"first_id", page.empty() ? Json(nullptr) : page.front()["id"]},
                            {"last_id", page.empty() ? Json(nullptr) : page.back()["id"]},
                            {"has_more", end != items.end()}});
}

// POST /v1/responses/compact: replaces a conversation by one item, which the emulator can read when
// it is used as input.

namespace {

Json compaction_usage(const ModelRequest& model_request, const std::string& sealed_turns) {
  const PromptTokens prompt = count_prompt(model_request);
  const auto input = prompt.text + prompt.images;
  const auto output = static_cast<std::int64_t>(count_tokens(sealed_turns));
  return {{"input_tokens", input},
          {"input_tokens_details", {{"cached_tokens", 0}}},
          {"output_tokens", output},
          {"output_tokens_details", {{"reasoning_tokens", 0}}},
          {"total_tokens", input + output},
          // All of them: the item replaces the whole conversation.
          {"dropped_message_count", model_request.turns.size()}};
}

}  // namespace

Response compact(const Request& request) {
  SVC_TRY(body, read_body(request, request_types()["compact"]));
  SVC_TRY(model, pick_model(request, body));
  Conversation conversation;
  const Json items = normal_items(body["input"], "item_" + request.request_id);
  if (auto refusal = add_items(items, conversation)) return *refusal;
  if (auto refusal = attach_files(request, conversation.turns)) return *refusal;
  if (conversation.turns.empty()) return invalid_argument_error("input has no message.");
  const ModelRequest model_request{.model = model, .turns = std::move(conversation.turns)};
  if (const auto fault = check_prompt(model_request)) return invalid_argument_error(*fault);

  const std::string sealed_turns = serialize_turns(model_request.turns);
  const std::string id = "cmp_" + request.request_id;
  const Json item = {{"type", "compaction"},
                     {"id", id},
                     {"encrypted_content", seal(k_compaction_kind, sealed_turns)}};
  const Json usage = compaction_usage(model_request, sealed_turns);
  Response answer = json_response(Json{{"id", id},
                                       {"object", "response.compaction"},
                                       {"created_at", request.state->now_ms() / 1000},
                                       {"model", model->name},
                                       {"output", Json::array({item})},
                                       {"usage", usage}});
  answer.tokens = usage["total_tokens"].get<std::int64_t>();
  answer.charges = charges_of(*model, {.prompt = usage["input_tokens"].get<std::int64_t>(),
                                       .completion = usage["output_tokens"].get<std::int64_t>()});
  return answer;
}

}  // namespace svc::emulator::text
