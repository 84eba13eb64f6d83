#include "emulator/api/text/responses.h"

#include <algorithm>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "base/text.h"
#include "emulator/api/text/handlers.h"
#include "emulator/api/text/items.h"
#include "emulator/json/json.h"
#include "emulator/model/answer.h"
#include "emulator/model/rules.h"
#include "emulator/model/search.h"
#include "emulator/model/tokenizer.h"
#include "emulator/state/seal.h"
#include "emulator/state/state.h"

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

// Reads the request and its history; returns the refusal, if any.
std::optional<Answer> read_question(const Call& call, const Json& body, const Json& items,
                                    ResponseQuestion& question) {
  Past past;
  if (auto fault = load_past(call, body, past)) return fault;
  const Ask before{.model = question.model, .turns = past.conversation.turns};
  question.past_tokens = past.continued ? count_prompt(before).text : 0;
  question.instructions = past.instructions;
  if (auto fault = add_items(items, past.conversation)) return fault;
  if (auto fault = attach_files(call, past.conversation.turns)) return fault;
  question.ask = read_responses(body, *question.model, std::move(past));
  if (question.ask.turns.empty()) return refuse_argument("input has no message.");
  const Json* tools = member(body, "tools");
  const bool other_tools = tools != nullptr && has_server_tool(*tools);
  if (const auto fault = choice_fault(question.ask, other_tools)) return refuse_argument(*fault);
  if (const auto fault = prompt_fault(question.ask)) return refuse_argument(*fault);
  return std::nullopt;
}

constexpr std::int64_t k_default_limit = 20;
constexpr std::int64_t k_most_items = 100;

Answer refuse_unknown(const std::string& id) {
  return refuse_missing(fmt::format("Response with id={} not found", id));
}

Checked<StoredResponse> find(const Call& call) {
  const std::string& id = call.params.at("response_id");
  return found_or(call.state->find_response(call.key.team_id, id), refuse_unknown(id));
}

struct Page {
  std::int64_t limit = k_default_limit;
  bool ascending = false;
  std::string after{};
};

// Parses the query of the list; returns an error message.
std::optional<std::string> read_page(const Call& call, Page& page) {
  if (const auto limit = call.query_value("limit")) {
    const auto number = parse_integer(*limit);
    if (!number || *number < 1 || *number > k_most_items) {
      return fmt::format("limit must be an integer between 1 and {}.", k_most_items);
    }
    page.limit = *number;
  }
  const std::string order = call.query_value("order").value_or("desc");
  if (order != "asc" && order != "desc") return "order must be asc or desc.";
  page.ascending = order == "asc";
  page.after = call.query_value("after").value_or("");
  return std::nullopt;
}

// Reduces `items` to one page; returns whether there are more.
std::optional<std::string> cut_page(const Page& page, Json& items, bool& more) {
  if (!page.ascending) std::ranges::reverse(items);
  auto first = items.begin();
  if (!page.after.empty()) {
    first = std::find_if(items.begin(), items.end(),
                         [&](const Json& item) { return text_of(item, "id") == page.after; });
    if (first == items.end()) {
      return fmt::format("after names no input item of this response: {}", excerpt(page.after, 80));
    }
    ++first;
  }
  Json cut = Json::array();
  for (; first != items.end() && static_cast<std::int64_t>(cut.size()) < page.limit; ++first) {
    cut.push_back(*first);
  }
  more = first != items.end();
  items = std::move(cut);
  return std::nullopt;
}

}  // namespace

Answer create_response(const Call& call, const TextOptions& options) {
  SVC_TRY(body, read_body(call, request_types()["responses"]));
  ResponseQuestion question;
  SVC_TRY(model, pick_model(call, body));
  question.model = model;
  if (const auto fault = responses_fault(body, *question.model)) return refuse_argument(*fault);
  const Json items = normal_items(body["input"], "item_" + call.request_id);
  if (auto refusal = read_question(call, body, items, question)) return *refusal;

  Ask& ask = question.ask;
  if (auto given = take_given(call, "responses", body, ask)) return *std::move(given);
  bool cites = true;
  const ToolWork work = work_for(call, body, ask, cites);
  if (cites) ask.sources = work.sources;
  const auto said = say(ask, 0, 1);
  if (!said) return refuse_argument(said.error().message);
  ResponseUse used;
  const Json response = response_object(body,
                                        {.ask = ask,
                                         .said = *said,
                                         .work = work,
                                         .id = call.request_id,
                                         .created = call.state->now_ms() / 1000,
                                         .past_tokens = question.past_tokens,
                                         .instructions = question.instructions},
                                        used);
  if (flag_of(body, "store", true)) {
    if (const auto stored = store(call, items, response); !stored) {
      return refuse_internal(stored.error());
    }
  }
  Answer answer;
  if (flag_of(body, "stream", false)) {
    answer = stream_response(response, piece_delay(call, options.piece_delay));
  } else {
    answer.body = dump(response);
  }
  answer.tokens = used.tokens;
  answer.charges = std::move(used.charges);
  add_given_headers(ask, answer);
  return answer;
}

// Stored responses: retrieval, deletion, and the list of their input.

Answer get_response(const Call& call) {
  SVC_TRY(stored, find(call));
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
  Page page;
  if (const auto fault = read_page(call, page)) return refuse_argument(*fault);
  SVC_TRY(stored, find(call));
  Json items = parse_json(stored.input_items);
  bool more = false;
  if (const auto fault = cut_page(page, items, more)) return refuse_argument(*fault);
  const Json first = items.empty() ? Json(nullptr) : items.front()["id"];
  const Json last = items.empty() ? Json(nullptr) : items.back()["id"];
  return json_answer(Json{{"object", "list"},
                          {"data", std::move(items)},
                          {"first_id", first},
                          {"last_id", last},
                          {"has_more", more}});
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
