#include <fmt/ranges.h>
#include <nlohmann/json.hpp>

#include "emulator/handler/socket.h"
#include "emulator/model/answer.h"
#include "emulator/picture/picture.h"

namespace svc::emulator::text {
namespace {

constexpr std::array<sv, 4> k_efforts = {"none", "low", "medium", "high"};

// Answers chosen by a test: how rules find requests, and how they change responses.

Response canned_response(const CannedAnswer& canned) {
  return fault_response({.action = FaultAction::Status,
                         .status = canned.status,
                         .headers = canned.headers,
                         .body = canned.body});
}

Response canned_stream(const Request& call, const CannedAnswer& canned) {
  Response response;
  response.content_type = "text/event-stream";
  for (const Header& header : canned.headers) set_header(response, header);
  const auto delay = chunk_delay(call, std::chrono::milliseconds(0));
  // A function must be copyable, and copies must share the state.
  auto next = std::make_shared<std::size_t>(0);
  response.next = [events = canned.events, next, delay]() -> std::optional<StreamChunk> {
    if (*next == events.size()) return std::nullopt;
    return StreamChunk{events[(*next)++], delay, 1};
  };
  return response;
}

// Returns the response that replaces the operation's own, if the rule has one.
std::optional<Response> replacement_of(const Request& call, const AnswerRuleSet::Taken& taken) {
  if (!taken.refusal.empty()) return error_response(404, "emulator_no_rule", taken.refusal);
  if (!taken.answer) return std::nullopt;
  const CannedAnswer& canned = *taken.answer;
  if (canned.status == 0 && canned.events.empty()) return std::nullopt;
  Response response = canned.status != 0 ? canned_response(canned) : canned_stream(call, canned);
  finish_canned(CannedAnswer{.delay = canned.delay, .rate = canned.rate, .jitter = canned.jitter},
                response);
  return response;
}

AnswerTarget target_of(const Request& call, sv operation, const Json& body) {
  AnswerTarget target{.operation = std::string(operation),
                      .path = call.target,
                      .body = std::make_shared<const Json>(body),
                      .body_bytes = call.body.size(),
                      .number = call.number,
                      .headers = call.headers,
                      .streamed = get_bool(body, "stream", false)};
  target.is_key = key_test(call);
  if (std::string model = get_string(body, "model"); !model.empty()) target.models = {model};
  for (const sv name : {"prompt", "text", "query"}) {
    if (target.prompt.empty()) target.prompt = get_string(body, name);
  }
  return target;
}

// Sets the value at `path`. Without `create`, only where there is one; with it, also behind the
// last element of an array.
void set_path(Json& document, sv path, const Json& value, bool create) {
  Json* at = &document;
  for (const sv step : split(path, '.')) {
    Json* next = const_cast<Json*>(find_path(*at, step));
    if (create && at->is_array() && step == std::to_string(at->size())) next = &at->emplace_back();
    if (next == nullptr && !(create && (at->is_object() || at->is_null()))) return;
    at = next == nullptr ? &(*at)[std::string(step)] : next;
  }
  *at = value;
}

void patch(const CannedAnswer& canned, Json& document, bool whole) {
  const auto find = [&](sv path) { return const_cast<Json*>(find_path(document, path)); };
  if (canned.usage) {
    for (const sv path : {"usage", "response.usage", "message.usage"}) {
      Json* usage = find(path);
      if (usage != nullptr && usage->is_object()) usage->merge_patch(*canned.usage);
    }
  }
  if (!canned.finish_reason.empty()) {
    const auto set = [&](Json* reason) {
      if (reason != nullptr && reason->is_string()) *reason = canned.finish_reason;
    };
    for (const sv path : {"stop_reason", "delta.stop_reason"}) set(find(path));
    for (std::size_t i = 0; find(fmt::format("choices.{}", i)) != nullptr; ++i) {
      set(find(fmt::format("choices.{}.finish_reason", i)));
    }
  }
  // The answer is made knowing of `length`, but not of this.
  if (whole && canned.finish_reason == "content_filter" &&
      get_string(document, "object") == "response") {
    document["status"] = "incomplete";
    document["completed_at"] = nullptr;
    document["incomplete_details"] = {{"reason", canned.finish_reason}};
  }
  if (!canned.members) return;
  for (const auto& [path, value] : canned.members->items()) {
    set_path(document, path, expand_json(value, canned.groups), whole);
  }
}

// Changes the data of one event.
void patch_event(const CannedAnswer& canned, std::string& event) {
  constexpr sv k_data = "data: ";
  const std::size_t at = event.starts_with(k_data) ? 0 : event.find("\ndata: ") + 1;
  Json data = parse_json(sv(event).substr(std::min(at + k_data.size(), event.size())));
  if (!data.is_object()) return;
  patch(canned, data, false);
  event = event.substr(0, at) + "data: " + dump(data) + "\n\n";
}

/// The pauses of a stream.
struct Pace {
  std::uint64_t index = 0;
  double rest = 0;  ///< the part of a millisecond that was not waited

  std::chrono::milliseconds next(const CannedAnswer& canned, const StreamChunk& chunk) {
    const bool by_rate = canned.rate > 0 && chunk.tokens > 0;
    double ms = by_rate ? 1000 * static_cast<double>(chunk.tokens) / canned.rate
                        : static_cast<double>(chunk.delay.count());
    // The same in every run.
    const double noise = static_cast<double>(++index * 2'654'435'761U % 2'001) / 1'000 - 1;
    rest += ms * (1 + canned.jitter * noise);
    ms = std::floor(std::exchange(rest, rest - std::floor(rest)));
    return std::chrono::milliseconds(static_cast<std::int64_t>(ms));
  }
};

std::string instructions_of(const ModelRequest& model_request) {
  std::string text;
  for (const Turn& turn : model_request.turns) {
    if (turn.role != "system" && turn.role != "developer") continue;
    text += (text.empty() ? "" : "\n") + turn.text;
  }
  return text;
}

std::string tool_results_of(const ModelRequest& model_request) {
  std::string text;
  for (const Turn& turn : model_request.turns) {
    if (turn.role == "tool") text += (text.empty() ? "" : "\n") + turn.text;
    if (turn.role == "user") text.clear();
  }
  return answers_tools(model_request) ? text : "";
}

void describe_conversation(const ModelRequest& model_request, AnswerTarget& target) {
  target.prompt = last_user_text(model_request);
  target.system = instructions_of(model_request);
  target.tool_result = tool_results_of(model_request);
  target.after_tools = answers_tools(model_request);
}

constexpr std::int64_t k_cache_life_s = 3600;

// Returns one hash per turn, each of which depends on the previous ones.
std::vector<std::string> turn_words(const ModelRequest& model_request) {
  std::uint64_t hash = media::stable_hash(model_request.model->name);
  std::vector<std::string> words;
  for (const Turn& turn : model_request.turns) {
    hash = media::stable_hash(fmt::format("{}\n{}\n{}\n{}\n{}", turn.role, turn.name, turn.images,
                                          fmt::join(turn.file_ids, ","), turn.text),
                              hash);
    words.push_back(fmt::format("{:016x}", hash));
  }
  return words;
}

Result<std::string> swap_turns(State& state, sv team, sv key, const std::string& turns) {
  const std::int64_t now_s = state.now_ms() / 1000;
  return state.change([&](Database& database) -> Result<std::string> {
    SVC_CHECK(database.change("DELETE FROM prompt_cache WHERE expires_at <= ?", now_s));
    SVC_TRY(before,
            first_value<std::string>(
                database, "SELECT turns FROM prompt_cache WHERE team_id = ? AND cache_key = ?",
                team, key));
    SVC_CHECK(database.change("INSERT OR REPLACE INTO prompt_cache VALUES (?,?,?,?)", team, key,
                              turns, now_s + k_cache_life_s));
    return before;
  });
}

}  // namespace

Turn plain_turn(std::string role, const Json& content) {
  Turn turn{.role = std::move(role)};
  if (content.is_string()) turn.text = content.get<std::string>();
  for (const Json& part : content.is_array() ? content : Json::array()) {
    if (get_string(part, "type") == "image") ++turn.images;
    if (member(part, "text") != nullptr) add_text(turn, get_string(part, "text"));
  }
  return turn;
}

void add_text(Turn& turn, const std::string& text) {
  if (!turn.text.empty()) turn.text += '\n';
  turn.text += text;
}

Checked<const Model*> pick_model(const Request& request, const Json& body) {
  const std::string name = get_string(body, "model");
  const Model* model = find_model(name);
  if (model == nullptr) return invalid_argument_error("Model not found: " + name);
  if (!may_use_model(request.key, model->name)) return model_access_error(model->name);
  return model;
}

std::optional<std::string> check_common_fields(const Json& body) {
  const bool asks = get_integer(body, "top_logprobs").value_or(0) > 0;
  if (asks && !get_bool(body, "logprobs", false)) {
    return "top_logprobs requires logprobs to be true.";
  }
  if (const Json* search = member(body, "search_parameters")) return check_search(*search);
  return std::nullopt;
}

std::optional<std::string> check_effort(const Model& model, sv name, sv effort) {
  if (effort.empty()) return std::nullopt;
  if (!has_element(k_efforts, effort)) {
    return fmt::format("Invalid value for {}: {} is not one of none, low, medium, high.", name,
                       excerpt(effort));
  }
  if (model.reasoning_effort) return std::nullopt;
  return fmt::format("Model {} does not support parameter {}.", model.name, name);
}

std::optional<Response> check_image(sv address) {
  if (address.starts_with("https://") || address.starts_with("http://")) return std::nullopt;
  constexpr sv k_mark = ";base64,";
  const std::size_t mark = address.find(k_mark);
  if (!address.starts_with("data:image/") || mark == sv::npos) {
    return error_response(400, "invalid_image",
                          "An image must be an https address or a data:image/…;base64, URL.");
  }
  const auto data = base64_decode(address.substr(mark + k_mark.size()));
  if (!data || data->empty()) {
    return error_response(400, "invalid_image", "The image's data is not base64.");
  }
  // Other formats, such as GIF, are not looked into.
  constexpr std::array<sv, 3> k_decoded = {"image/png", "image/jpeg", "image/webp"};
  const sv type = address.substr(5, address.find(';') - 5);
  const bool known = has_element(k_decoded, type);
  if (!known && media::image_type(*data).empty()) return std::nullopt;
  const auto image = media::decode_image(*data);
  if (image) return std::nullopt;
  return error_response(400, "invalid_image", image.error().message);
}

std::optional<std::string> check_tool_choice(const ModelRequest& model_request, bool other_tools) {
  if (model_request.tool_choice == ToolChoice::Required && model_request.functions.empty() &&
      !other_tools) {
    return "tool_choice is required, but the request has no tools.";
  }
  if (model_request.tool_choice != ToolChoice::Named) return std::nullopt;
  const bool known = std::ranges::any_of(model_request.functions, [&](const Function& function) {
    return function.name == model_request.chosen;
  });
  if (known) return std::nullopt;
  return fmt::format("tool_choice names the function {}, which is not among the tools.",
                     excerpt(model_request.chosen));
}

std::optional<std::string> check_prompt(const ModelRequest& model_request) {
  const PromptTokens tokens = count_prompt(model_request);
  if (tokens.images > 0 && !model_request.model->images) {
    return fmt::format("Model {} does not support image input.", model_request.model->name);
  }
  const auto total = tokens.text + tokens.images;
  if (total <= model_request.model->context_length) return std::nullopt;
  return fmt::format("This model's maximum prompt length is {} but the request contains {} tokens.",
                     model_request.model->context_length, total);
}

std::string served_tier(const Json& body) {
  const std::string tier = get_string(body, "service_tier", "default");
  return tier == "priority" || tier == "fast" ? "priority" : "default";
}

bool is_uuid(sv text) {
  constexpr sv k_shape = "00000000-0000-0000-0000-000000000000";
  return std::ranges::equal(text, k_shape, [](char c, char shape) {
    return shape == '-' ? c == '-' : std::isxdigit(static_cast<unsigned char>(c)) != 0;
  });
}

std::optional<std::chrono::milliseconds> requested_duration(const Request& request, sv header,
                                                            std::chrono::milliseconds longest) {
  const auto tier = parse_integer(request.header(header).value_or(""));
  if (!tier || *tier < 0) return std::nullopt;
  return std::min(std::chrono::milliseconds(*tier), longest);
}

std::chrono::milliseconds chunk_delay(const Request& request, std::chrono::milliseconds fallback) {
  return requested_duration(request, "x-emulator-delay-ms", std::chrono::minutes(1))
      .value_or(fallback);
}

bool is_canned(const ModelRequest& model_request) {
  return model_request.canned && !model_request.canned->says_nothing();
}

std::vector<Source> cited_by_rule(const CannedAnswer& canned) {
  std::vector<Source> sources;
  for (const std::string& url : *canned.citations) sources.push_back({url, url});
  return sources;
}

std::function<bool(sv)> key_test(const Request& call) {
  const std::string& id = call.batch_key_id.empty() ? call.key.id : call.batch_key_id;
  return [state = call.state, id = std::string(id), name = call.key.name](sv key) {
    if (key == id || key == name) return true;
    const auto found = state->find_key(key);
    return found && *found && (*found)->id == id;
  };
}

std::optional<Response> take_canned_answer(const Request& call, sv operation, const Json& body,
                                           ModelRequest& model_request) {
  AnswerTarget target = target_of(call, operation, body);
  target.models.emplace_back(model_request.model->name);
  describe_conversation(model_request, target);
  AnswerRuleSet::Taken taken = call.state->answers().take(std::move(target));
  if (auto response = replacement_of(call, taken)) return response;
  model_request.canned = std::move(taken.answer);
  return std::nullopt;
}

std::optional<Response> refuse_or_answer(const Request& call, sv operation, const Json& body,
                                         ModelRequest& model_request) {
  for (const auto& fault : {check_tool_choice(model_request, false), check_prompt(model_request)}) {
    if (fault) return invalid_argument_error(*fault);
  }
  return take_canned_answer(call, operation, body, model_request);
}

Handler answered_by_rules(std::string operation, Handler handler,
                          std::function<Json(const Request&)> read_form) {
  const bool modelled = operation.find('/') == std::string::npos ||
                        operation.starts_with("POST /v1/images/") ||
                        operation.starts_with("POST /v1/videos/");
  const bool speech = operation == "speech";
  const AnswerText text =
      speech || operation == "transcription" ? AnswerText::Named : AnswerText::None;
  return
      [operation = std::move(operation), handler = std::move(handler),
       read_form = std::move(read_form), modelled, speech, text](const Request& call) -> Response {
        Json body = parse_json(call.body);
        if (body.is_null()) body = read_form(call);
        AnswerTarget target = target_of(call, operation, body);
        target.modelled = modelled;
        target.text = text;
        AnswerRuleSet::Taken taken = call.state->answers().take(std::move(target));
        if (auto replacement = replacement_of(call, taken)) return *std::move(replacement);
        Response response;
        if (speech && taken.answer && taken.answer->text && body.is_object()) {
          Request other = call;
          body["text"] = *std::exchange(taken.answer->text, std::nullopt);
          other.body = dump(body);
          response = handler(other);
        } else {
          response = handler(call);
        }
        if (response.status < 300) finish_canned(taken.answer, response);
        return response;
      };
}

AnswerTarget unread_target(const Request& call, sv operation) {
  Json body = parse_json(call.body);
  redact(body);
  AnswerTarget target = target_of(call, operation, body);
  ModelRequest question;
  const Json* list = member(body, "messages");
  if (list == nullptr) list = member(body, "input");
  for (const sv name : {"system", "instructions"}) {
    if (const Json* text = member(body, name))
      question.turns.push_back(plain_turn("system", *text));
  }
  if (list != nullptr && list->is_string()) question.turns.push_back(plain_turn("user", *list));
  for (const Json& item : list != nullptr && list->is_array() ? *list : Json::array()) {
    const bool result = get_string(item, "type") == "function_call_output";
    question.turns.push_back(plain_turn(get_string(item, "role", result ? "tool" : ""),
                                        copy_of(item, result ? "output" : "content")));
  }
  if (!question.turns.empty()) describe_conversation(question, target);
  return target;
}

Response replayed(const Request& call, sv operation) {
  AnswerTarget target = unread_target(call, operation);
  target.streamed = true;  // the rule has what was sent
  const AnswerRuleSet::Taken taken = call.state->answers().take(std::move(target));
  return *replacement_of(call, taken);  // a rule without one is not accepted
}

void patch_canned(const CannedAnswer& canned, Json& document) {
  patch(canned, document, true);
}

void finish_canned(const std::optional<CannedAnswer>& canned, Response& response) {
  if (!canned) return;
  for (const Header& header : canned->headers) set_header(response, header);
  response.delay = canned->delay;
  if (response.socket && canned->text) response.socket->session->set_transcript(*canned->text);
  const bool changes = canned->usage || canned->members || !canned->finish_reason.empty();
  // A document that is sent in parts is patched as a whole.
  if (changes && response.next && response.content_type != "text/event-stream") {
    while (const auto chunk = response.next()) response.body += chunk->bytes;
    response.next = nullptr;
  }
  if (!response.next) {
    Json document = changes || canned->text ? parse_json(response.body) : Json();
    if (!document.is_object()) return;
    // Of a transcript; without a rule for its words it has none.
    if (canned->text && document.contains("text") && document["text"].is_string()) {
      document["text"] = *canned->text;
      if (document.contains("words")) document["words"] = Json::array();
    }
    if (changes) patch(*canned, document, true);
    response.body = dump(document);
    return;
  }
  if (!changes && canned->rate <= 0 && canned->jitter <= 0) return;
  response.next = [next = std::move(response.next), canned = *canned, changes,
                   pace = std::make_shared<Pace>()]() -> std::optional<StreamChunk> {
    auto chunk = next();
    if (!chunk) return chunk;
    chunk->delay = pace->next(canned, *chunk);
    if (changes) patch_event(canned, chunk->bytes);
    return chunk;
  };
}

std::string canned_text(const CannedAnswer& canned) {
  const Json body = parse_json(canned.body);
  if (body.is_object()) {
    if (std::string message = get_string(body, "error"); !message.empty()) return message;
    if (const Json* error = member(body, "error")) {
      if (std::string message = get_string(*error, "message"); !message.empty()) return message;
    }
  }
  return canned.body.empty() ? fmt::format("Status {} (given answer).", canned.status)
                             : canned.body;
}

Result<std::int64_t> count_cached_tokens(const Request& request, const Json& body,
                                         const ModelRequest& model_request) {
  std::string key = get_string(body, "prompt_cache_key");
  if (key.empty()) key = request.header("x-svc-conv-id").value_or("");
  if (key.empty()) return std::int64_t{0};
  const std::vector<std::string> now = turn_words(model_request);
  SVC_TRY(stored, swap_turns(*request.state, request.key.team_id, key,
                             fmt::format("{}", fmt::join(now, " "))));
  const std::vector<sv> before = split(stored, ' ');
  std::size_t same = 0;
  while (same < now.size() && same < before.size() && now[same] == before[same]) ++same;
  ModelRequest beginning = model_request;
  beginning.turns.resize(same);
  beginning.extra_prompt_tokens = 0;
  // At least one token is always new: the answer is never cached.
  return std::max<std::int64_t>(
      0, std::min(count_prompt(beginning).text, count_prompt(model_request).text - 1));
}

}  // namespace svc::emulator::text
