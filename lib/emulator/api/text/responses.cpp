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
bool runs_server_tools(const Ask& ask) {
  const bool open = ask.choose == Choose::Auto || ask.choose == Choose::Required;
  return open && ask.turns.back().role != "tool";
}

ToolWork work_for(const Call& call, const Json& body, const Ask& ask, bool& cites) {
  const std::string& question = last_user_text(ask);
  ToolWork work;
  if (ask.given) return work;
  if (runs_server_tools(ask)) work = run_server_tools(call, body, question, call.request_id);
  if (const Json* parameters = member(body, "search_parameters")) {
    Search search = run_search(*parameters, question);
    cites = search.citations;
    for (Source& source : search.sources) work.sources.push_back(std::move(source));
  }
  return work;
}

Result<void> store(const Call& call, const Json& items, const Json& response) {
  return call.state->store_response({.id = response["id"].get<std::string>(),
                                     .team_id = call.key.team_id,
                                     .created_at = response["created_at"].get<std::int64_t>(),
                                     .body = dump(response),
                                     .input_items = dump(items)});
}

constexpr std::int64_t k_default_limit = 20;
constexpr std::int64_t k_most_items = 100;

Answer refuse_unknown(const std::string& id) {
  return refuse_missing(fmt::format("Response with id={} not found", id));
}

}  // namespace

Answer create_response(const Call& call) {
  SVC_TRY(body, read_body(call, request_types()["responses"]));
  SVC_TRY(model, pick_model(call, body));
  const Json items = normal_items(body["input"], "item_" + call.request_id);
  SVC_TRY(parts, read_question(call, body, items, *model));
  Ask& ask = parts.ask;
  if (auto given = take_given(call, "responses", body, ask)) return *std::move(given);
  bool cites = true;
  parts.work = work_for(call, body, ask, cites);
  if (cites) ask.sources = parts.work.sources;
  auto said = say(ask, 0, 1);
  if (!said) return refuse_argument(said.error().message);
  parts.said = *std::move(said);
  const Json response = response_object(body, parts);
  if (flag_of(body, "store", true)) SVC_CHECK(checked(store(call, items, response)));
  Answer answer = flag_of(body, "stream", false)
                      ? stream_response(response, piece_delay(call, k_piece_delay))
                      : json_answer(response);
  answer.tokens = parts.tokens;
  answer.charges = std::move(parts.charges);
  add_given_headers(ask, answer);
  return answer;
}

// Stored responses: retrieval, deletion, and the list of their input.

Checked<StoredResponse> find_response(const Call& call, const std::string& id) {
  return found_or(call.state->find_response(call.key.team_id, id), refuse_unknown(id));
}

Answer get_response(const Call& call) {
  SVC_TRY(stored, find_response(call, call.params.at("response_id")));
  Answer answer;
  answer.body = std::move(stored.body);
  return answer;
}

Answer delete_response(const Call& call) {
  const std::string& id = call.params.at("response_id");
  SVC_CHECK(found_or(call.state->delete_response(call.key.team_id, id), refuse_unknown(id)));
  return json_answer(Json{{"id", id}, {"object", "response"}, {"deleted", true}});
}

Answer list_input_items(const Call& call) {
  std::int64_t limit = k_default_limit;
  if (const auto given = call.query_value("limit")) {
    limit = parse_integer(*given).value_or(0);
    if (limit < 1 || limit > k_most_items) {
      return refuse_argument(
          fmt::format("limit must be an integer between 1 and {}.", k_most_items));
    }
  }
  const std::string order = call.query_value("order").value_or("desc");
  if (order != "asc" && order != "desc") return refuse_argument("order must be asc or desc.");
  SVC_TRY(stored, find_response(call, call.params.at("response_id")));
  Json items = parse_json(stored.input_items);
  if (order == "desc") std::ranges::reverse(items);
  auto first = items.begin();
  if (const std::string after = call.query_value("after").value_or(""); !after.empty()) {
    first = std::find_if(items.begin(), items.end(),
                         [&](const Json& item) { return text_of(item, "id") == after; });
    if (first == items.end()) {
      return refuse_argument(
          fmt::format("after names no input item of this response: {}", excerpt(after, 80)));
    }
    ++first;
  }
  const auto end = first + std::min<std::ptrdiff_t>(limit, items.end() - first);
  const Json page = std::vector<Json>(first, end);
  return json_answer(Json{{"object", "list"},
                          {"data", page},
                          {"first_id", page.empty() ? Json(nullptr) : page.front()["id"]},
                          {"last_id", page.empty() ? Json(nullptr) : page.back()["id"]},
                          {"has_more", end != items.end()}});
}

// POST /v1/responses/compact: replaces a conversation by one item, which the emulator can read when
// it is used as input.

namespace {

Json compaction_usage(const Ask& ask, const std::string& kept) {
  const PromptTokens prompt = count_prompt(ask);
  const auto input = prompt.text + prompt.images;
  const auto output = static_cast<std::int64_t>(count_tokens(kept));
  return {{"input_tokens", input},
          {"input_tokens_details", {{"cached_tokens", 0}}},
          {"output_tokens", output},
          {"output_tokens_details", {{"reasoning_tokens", 0}}},
          {"total_tokens", input + output},
          // All of them: the item replaces the whole conversation.
          {"dropped_message_count", ask.turns.size()}};
}

}  // namespace

Answer compact(const Call& call) {
  SVC_TRY(body, read_body(call, request_types()["compact"]));
  SVC_TRY(model, pick_model(call, body));
  Conversation conversation;
  const Json items = normal_items(body["input"], "item_" + call.request_id);
  if (auto refusal = add_items(items, conversation)) return *refusal;
  if (auto refusal = attach_files(call, conversation.turns)) return *refusal;
  if (conversation.turns.empty()) return refuse_argument("input has no message.");
  const Ask ask{.model = model, .turns = std::move(conversation.turns)};
  if (const auto fault = prompt_fault(ask)) return refuse_argument(*fault);

  const std::string kept = write_turns(ask.turns);
  const std::string id = "cmp_" + call.request_id;
  const Json item = {
      {"type", "compaction"}, {"id", id}, {"encrypted_content", seal(k_compaction_kind, kept)}};
  const Json usage = compaction_usage(ask, kept);
  Answer answer = json_answer(Json{{"id", id},
                                   {"object", "response.compaction"},
                                   {"created_at", call.state->now_ms() / 1000},
                                   {"model", model->name},
                                   {"output", Json::array({item})},
                                   {"usage", usage}});
  answer.tokens = usage["total_tokens"].get<std::int64_t>();
  answer.charges = charges_of(*model, {.prompt = usage["input_tokens"].get<std::int64_t>(),
                                       .completion = usage["output_tokens"].get<std::int64_t>()});
  return answer;
}

}  // namespace svc::emulator::text
