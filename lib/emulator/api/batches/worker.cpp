#include <exception>

#include <nlohmann/json.hpp>

#include "emulator/account/auth.h"
#include "emulator/api/batches/batches.h"
#include "emulator/api/files/store.h"
#include "emulator/api/text/text.h"
#include "emulator/api/videos/videos.h"

namespace svc::emulator::batches {
namespace {

using text::get_string;
using text::Json;

Json tool_call(const Json& item, std::size_t index) {
  return {{"id", get_string(item, "call_id")},
          {"type", "function"},
          {"index", index},
          {"function",
           {{"name", get_string(item, "name")}, {"arguments", get_string(item, "arguments")}}}};
}

Json choice_of(std::size_t index, Json message, const Json& finish_reason) {
  return {{"index", index}, {"message", std::move(message)}, {"finish_reason", finish_reason}};
}

/// Collects the output items.
struct Reader {
  Json message = {{"role", "assistant"}, {"content", nullptr}, {"refusal", nullptr}};
  Json calls = Json::array();
  Json choices = Json::array();

  void read(const Json& item) {
    const std::string type = get_string(item, "type");
    if (type == "message") {
      for (const Json& part : item["content"]) {
        const bool refusal = get_string(part, "type") == "refusal";
        message[refusal ? "refusal" : "content"] = get_string(part, refusal ? "refusal" : "text");
      }
    } else if (type == "reasoning") {
      std::string text;
      for (const Json& part : item["summary"]) text += get_string(part, "text");
      message["reasoning_content"] = std::move(text);
    } else if (type == "function_call") {
      calls.push_back(tool_call(item, calls.size()));
    } else {
      choices.push_back(choice_of(choices.size(),
                                  Json{{"role", "tool"}, {"content", text::dump(item)}}, nullptr));
    }
  }
};

Json usage_of(const Json& usage) {
  const auto count = [&](const char* name) { return text::get_integer(usage, name).value_or(0); };
  const auto inner = [&](const char* object, const char* name) {
    return text::get_integer(text::copy_of(usage, object), name).value_or(0);
  };
  const std::int64_t reasoning = inner("output_tokens_details", "reasoning_tokens");
  return text::chat_usage({.prompt = count("input_tokens"),
                           .cached = inner("input_tokens_details", "cached_tokens"),
                           .completion = count("output_tokens") - reasoning,
                           .reasoning = reasoning,
                           .sources = count("num_sources_used")},
                          0,  // images are not counted separately in a response
                          count("cost_in_usd_ticks"));
}

// Server tool calls come first, as choices of the role `tool`; the assistant's is last.
Json chat_shape(const Json& response) {
  Reader reader;
  for (const Json& item : response["output"]) reader.read(item);
  const bool called = !reader.calls.empty();
  if (called) reader.message["tool_calls"] = std::move(reader.calls);
  const bool cut = get_string(response, "status") == "incomplete";
  const char* reason = called ? "tool_calls" : cut ? "length" : "stop";
  reader.choices.push_back(choice_of(reader.choices.size(), std::move(reader.message), reason));
  return {{"id", get_string(response, "id")},
          {"object", "chat.completion"},
          {"created", text::copy_of(response, "created_at")},
          {"model", get_string(response, "model")},
          {"choices", std::move(reader.choices)},
          {"usage", usage_of(response["usage"])},
          {"service_tier", get_string(response, "service_tier")},
          {"system_fingerprint", k_system_fingerprint}};
}

// Returns the field that batches add to a chat response.
Json debug_output() {
  return text::parse_json(
      R"({"attempts":1,"cache_read_count":0,"cache_read_input_bytes":0,"cache_write_count":0,)"
      R"("cache_write_input_bytes":0,"chunks":[],"engine_request":"","lb_address":"","prompt":"",)"
      R"("request":"","responses":[],"sampler_checkpoint_mount":"","sampler_tag":"svc-emulator"})");
}

constexpr std::int64_t k_poll_ms = 250;
constexpr sv k_poll_path = "/v1/videos/{request_id}";
// Batches are cheaper than calls; the documents do not say by how much.
constexpr std::int64_t k_price_divisor = 2;

// The key for the call: permissions were checked when the request was added.
KeyRecord batch_key(const DueRequest& request) {
  KeyRecord key;
  key.id = k_batch_key_id;
  key.team_id = request.team_id;
  key.acls = {"api-key:endpoint:*", "api-key:model:*"};
  return key;
}

// Returns the message of an error response.
std::string error_of(const Response& answer) {
  const Json body = text::parse_json(answer.body);
  if (body.is_string()) return body.get<std::string>();
  const std::string sentence = get_string(body, "error");
  if (!sentence.empty()) return sentence;
  return answer.body.empty() ? fmt::format("The request failed with status {}.", answer.status)
                             : replace_invalid_utf8(excerpt(answer.body, 1'000));
}

Outcome failed(const std::string& why) {
  return {.kind = Outcome::Kind::Failed, .result = text::dump(Json{{"error", why}})};
}

Outcome waits(std::string job, std::int64_t now_ms, std::int64_t pause_ms = k_poll_ms) {
  return {.kind = Outcome::Kind::Pending, .job = std::move(job), .due_ms = now_ms + pause_ms};
}

Outcome succeeded(const Kind& kind, Json body) {
  Outcome outcome;
  if (body.contains("usage") && body["usage"].is_object()) {
    auto& usage = body["usage"];
    outcome.cost_ticks =
        text::get_integer(usage, "cost_in_usd_ticks").value_or(0) / k_price_divisor;
    usage["cost_in_usd_ticks"] = outcome.cost_ticks;
  }
  outcome.result = text::dump(Json{{"response", {{kind.result, std::move(body)}}}});
  return outcome;
}

// Returns the operation's charges at batch prices.
std::vector<Charge> reduced(const Response& answer) {
  std::vector<Charge> charges = answer.charges;
  for (Charge& charge : charges) {
    charge.description += " (batch)";
    charge.unit_ticks /= k_price_divisor;
  }
  return charges;
}

// Refuses options that require a waiting client.
std::optional<std::string> unfit(const Json& body) {
  for (const char* name : {"stream", "deferred"}) {
    if (text::get_bool(body, name, false)) {
      return fmt::format("{} is not supported in batch requests.", name);
    }
  }
  return std::nullopt;
}

// The same ID each time: if the worker was killed before it recorded a job, the job is found again
// instead of being started twice.
std::string request_id_of(const DueRequest& request) {
  const auto batch = static_cast<std::uint64_t>(request.batch);
  const auto number = static_cast<std::uint64_t>(request.seq);
  return fmt::format("ba7c4000-{:04x}-4{:03x}-8{:03x}-{:012x}", batch >> 24U & 0xFFFFU,
                     batch >> 12U & 0xFFFU, batch & 0xFFFU, number & 0xFFFF'FFFF'FFFFU);
}

std::string key_of(sv method, sv path) {
  return fmt::format("{} {}", method, path);
}

Outcome finish(const Kind& kind, Json body) {
  if (kind.member == "responses") {
    if (get_string(body, "status") == "failed") {
      const Json* error = text::member(body, "error");
      return failed(error == nullptr ? "The response failed." : get_string(*error, "message"));
    }
    body = chat_shape(body);
  }
  if (kind.text) body["debug_output"] = debug_output();
  return succeeded(kind, std::move(body));
}

// With more at once, a kill costs more work; with fewer, there are more transactions.
constexpr std::int64_t k_at_once = 64;
constexpr std::size_t k_lines_at_once = 2'000;
// Requests come due a little later than they are added, so this interval is short enough.
constexpr std::chrono::milliseconds k_idle{50};

}  // namespace

BatchProcessor::BatchProcessor(State& state, const std::vector<Route>& routes, Origin origin)
    : m_state(state), m_origin(std::move(origin)) {
  for (const Route& route : routes) {
    const bool polled = route.method == "GET" && route.path == k_poll_path;
    if (polled || (route.method == "POST" && find_kind_by_path(route.path) != nullptr)) {
      m_handlers[key_of(route.method, route.path)] = route.handler;
    }
  }
}

Response BatchProcessor::call(const std::string& method, const std::string& path,
                              const DueRequest& request) const {
  const auto handler = m_handlers.find(key_of(method, path));
  if (handler == m_handlers.end()) {
    return not_found_error(fmt::format("The emulator has no operation at {}.", path));
  }
  Request http_request;
  http_request.method = method;
  http_request.path = path;
  if (!request.job.empty()) http_request.params["request_id"] = request.job;
  http_request.headers = {{"Host", m_origin.host}, {"Content-Type", "application/json"}};
  http_request.body = request.body;
  http_request.tls = m_origin.tls;
  http_request.scope = m_origin.scope;
  http_request.key = batch_key(request);
  http_request.batch_key_id = request.key_id;
  http_request.state = &m_state;
  http_request.request_id = request_id_of(request);
  try {
    return handler->second(http_request);
  } catch (const std::exception& bug) {
    return internal_error(
        Error{Fault::Unexpected, fmt::format("The emulator has a fault: {}.", bug.what())});
  }
}

Outcome BatchProcessor::poll(const DueRequest& request) const {
  const Response answer = call("GET", std::string(k_poll_path), request);
  if (answer.status == 202) return waits(request.job, m_state.now_ms());
  if (answer.status != 200) return failed(error_of(answer));
  Json body = text::parse_json(answer.body);
  const std::string status = get_string(body, "status");
  if (status == "done") {
    Outcome outcome = succeeded(*find_kind(request.kind), std::move(body));
    outcome.charges = reduced(answer);
    return outcome;
  }
  const Json* error = text::member(body, "error");
  return failed(error == nullptr ? fmt::format("The video request is {}.", status)
                                 : get_string(*error, "message"));
}

Outcome BatchProcessor::execute(const DueRequest& request) const {
  const Kind* kind = find_kind(request.kind);
  const std::size_t space = request.job.find(' ');
  Response answer;
  if (space != std::string::npos) {  // an answer that was held back: its status and its body
    answer.status = static_cast<int>(*parse_integer(sv(request.job).substr(0, space)));
    answer.body = request.job.substr(space + 1);
  } else {
    if (!request.job.empty()) return poll(request);
    if (const auto why = unfit(text::parse_json(request.body))) return failed(*why);
    answer = call("POST", std::string(kind->path), request);
  }
  const auto delay = answer.delay.count();  // of a rule
  if (delay <= 0 && answer.status != 200) return failed(error_of(answer));
  Json body = text::parse_json(answer.body);
  Outcome outcome =
      delay > 0   ? waits(fmt::format("{} {}", answer.status, answer.body), m_state.now_ms(), delay)
      : kind->job ? waits(get_string(body, "request_id"), m_state.now_ms())
                  : finish(*kind, std::move(body));
  outcome.charges = reduced(answer);
  return outcome;
}

Result<bool> BatchProcessor::step() {
  SVC_TRY(loaded, load_file());
  SVC_TRY(executed, execute_due());
  SVC_TRY(uploaded, videos::process_upload(m_state));
  return loaded || executed || uploaded;
}

Result<bool> BatchProcessor::execute_due() {
  SVC_TRY(requests, due_requests(m_state, k_at_once));
  if (requests.empty()) return false;
  std::vector<Outcome> outcomes;
  outcomes.reserve(requests.size());
  for (const DueRequest& request : requests) outcomes.push_back(execute(request));
  SVC_CHECK(record_outcomes(m_state, requests, outcomes));
  return true;
}

// A file that cannot be loaded ends its batch: canceled by the operator, with the reason.
Result<bool> BatchProcessor::load_file() {
  SVC_TRY(batch, next_loading(m_state));
  if (!batch) return false;
  const auto give_up = [&](const std::string& why) -> Result<bool> {
    SVC_CHECK(cancel_batch(m_state, batch->team_id, batch->id,
                           fmt::format("The input file could not be loaded: {}{}", why,
                                       why.ends_with('.') ? "" : ".")));
    return true;
  };
  SVC_TRY(content, read_file(m_state, batch->team_id, *batch->input_file_id));
  if (!content) return give_up("it is gone");
  auto requests = read_lines(content->data);
  if (!requests) return give_up(requests.error().message);
  stagger(*requests, m_state.now_ms(), k_default_delay_ms);
  for (std::size_t at = 0; at < requests->size(); at += k_lines_at_once) {
    const std::size_t count = std::min(k_lines_at_once, requests->size() - at);
    SVC_TRY(continues, load_requests(m_state, *batch, std::span(*requests).subspan(at, count)));
    if (!continues) return true;
  }
  SVC_CHECK(finish_loading(m_state, *batch));
  return true;
}

Worker::Worker(State& state, const std::vector<Route>& routes, Origin origin, std::string lock_file)
    : m_routes(routes),
      m_processor(state, routes, std::move(origin)),
      m_lock_file(std::move(lock_file)),
      m_thread([this] { run(); }) {}

Worker::~Worker() {
  {
    const std::lock_guard lock(m_mutex);
    m_stopped = true;
  }
  m_wake.notify_all();
  m_thread.join();
}

bool Worker::acquire_lock() {
  if (m_lock_file.empty() || m_lock) return true;
  auto lock = FileLock::acquire(m_lock_file, std::chrono::milliseconds(0));
  if (!lock) return false;
  m_lock.emplace(std::move(*lock));
  return true;
}

// A test that made no request for a while has no reader for its results, either.
bool Worker::step_extras() {
  constexpr std::chrono::seconds k_in_use{60};
  std::vector<std::pair<std::shared_ptr<State>, Extra*>> active;
  {
    const std::lock_guard lock(m_mutex);
    std::erase_if(m_extras, [](const Extra& extra) { return extra.state.expired(); });
    for (Extra& extra : m_extras) {
      auto used = extra.state.lock();
      if (used && (extra.busy || used->idle_time() < k_in_use)) active.emplace_back(used, &extra);
    }
  }
  bool busy = false;
  for (const auto& [state, extra] : active) {
    const auto done = extra->processor.step();
    extra->busy = done && *done;
    busy = busy || extra->busy;
  }
  return busy;
}

void Worker::run() {
  std::unique_lock lock(m_mutex);
  while (!m_stopped) {
    lock.unlock();
    bool busy = false;
    if (acquire_lock()) {
      // State errors may be temporary; requests report them, too.
      const auto done = m_processor.step();
      busy = done && *done;
    }
    busy = step_extras() || busy;
    lock.lock();
    if (!busy) m_wake.wait_for(lock, k_idle, [this] { return m_stopped; });
  }
}

}  // namespace svc::emulator::batches
