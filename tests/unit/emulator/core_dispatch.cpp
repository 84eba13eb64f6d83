#include <algorithm>
#include <stdexcept>

#include <doctest/doctest.h>
#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "emulator/handler/handler.h"
#include "emulator/server/dispatch.h"
#include "emulator/state/state.h"
#include "management_support.h"

using namespace svc;
using namespace svc::emulator;
using svc::test::body_contains;
using svc::test::header_of;

namespace {

Response echo(const Request& request) {
  Response response;
  response.body =
      nlohmann::json{
          {"path", request.path}, {"id", request.request_id}, {"team", request.key.team_id}}
          .dump();
  response.tokens = 5;
  return response;
}

/// A dispatcher with a state in memory; ask() returns the response to one request.
class TestDispatcher {
 public:
  TestDispatcher() : m_state(std::move(*State::open(":memory:"))) {
    std::vector<Route> routes = all_routes();
    routes.push_back({"POST", "/v1/echo", echo, "chat"});
    routes.push_back({"POST", "/v1/free", echo, "", Input::Free});
    routes.push_back(
        {"GET", "/v1/bug", [](const Request&) -> Response { throw std::runtime_error("oh"); }});
    dispatcher = std::make_unique<Dispatcher>(
        *m_state, std::move(routes), [this](std::string_view line) { lines.emplace_back(line); });
  }

  Response ask(HttpRequest request) {
    if (request.header("Authorization").empty() && with_key) {
      request.headers.push_back({"Authorization", "Bearer " + key});
    }
    request.headers.push_back({"Host", "localhost:1"});
    const auto ticket = dispatcher->admit(request);
    Response response = dispatcher->response(request, ticket);
    dispatcher->finished(request, ticket, response.status);
    dispatcher->sent(ticket, response.body);
    return response;
  }
  Response get(std::string target) { return ask({"GET", std::move(target)}); }
  Response post(std::string target, std::string body, std::string type = "application/json") {
    return ask({"POST", std::move(target), {{"Content-Type", std::move(type)}}, std::move(body)});
  }
  State& state() { return *m_state; }

  std::unique_ptr<Dispatcher> dispatcher{};
  std::vector<std::string> lines{};
  std::string key{k_demo_key};
  bool with_key = true;

 private:
  std::unique_ptr<State> m_state;
};

}  // namespace

TEST_CASE("unknown paths: JSON on the inference API, a page on the management API") {
  TestDispatcher api;
  const Response unknown = api.get("/v1/nothing");
  CHECK(unknown.status == 404);
  CHECK(nlohmann::json::parse(unknown.body).contains("error"));
  for (const char* path : {"/v1/auth/teams/t/api-keys", "/auth/nothing"}) {
    const Response page = api.get(path);
    CHECK(page.status == 404);
    CHECK(page.content_type.starts_with("text/html"));
  }
}

TEST_CASE("a wrong method is a 405 that lists the allowed ones") {
  TestDispatcher api;
  const Response response = api.ask({"DELETE", "/v1/api-key"});
  CHECK(response.status == 405);
  CHECK(header_of(response, "Allow") == "GET, HEAD");
}

TEST_CASE("a POST requires JSON: 415 for another or no type, 400 for invalid JSON") {
  TestDispatcher api;
  CHECK(api.post("/v1/echo", "{}").status == 200);
  CHECK(api.post("/v1/echo", "{}", "application/json; charset=utf-8").status == 200);
  CHECK(api.post("/v1/echo", "{}", "APPLICATION/JSON").status == 200);
  CHECK(api.post("/v1/echo", "{}", "application/problem+json").status == 200);
  for (const char* type : {"text/plain", "application/xml", "text/problem+json", "json"}) {
    CHECK(api.post("/v1/echo", "{}", type).status == 415);
  }
  CHECK(api.post("/v1/echo", "{}", "").status == 415);
  CHECK(api.ask({"POST", "/v1/echo", {}, "{}"}).status == 415);
  CHECK(api.post("/v1/echo", "").status == 415);
  const Response cut = api.post("/v1/echo", "{\n \"a\":");
  CHECK(cut.status == 400);
  CHECK(body_contains(cut, "line 2"));
  CHECK(api.post("/v1/echo", std::string(600, '[') + std::string(600, ']')).status == 400);
  CHECK(api.post("/v1/free", "anything", "text/plain").status == 200);
}

TEST_CASE("authentication comes before the body is checked") {
  TestDispatcher api;
  api.with_key = false;
  CHECK(api.post("/v1/echo", "no json").status == 401);
  api.with_key = true;
  api.key = "svc-not-a-key";
  CHECK(api.post("/v1/echo", "no json").status == 400);
}

TEST_CASE("requests that the head makes invalid are rejected before the body") {
  TestDispatcher api;
  const auto expect_error = [&](HttpRequest head) {
    const auto refusal = api.dispatcher->validate_head(head);
    return refusal ? refusal->status : 0;
  };
  const Header key{"Authorization", "Bearer " + std::string(k_demo_key)};
  const Header json{"Content-Type", "application/json"};
  CHECK(expect_error({"POST", "/v1/echo", {key, json}}) == 0);
  CHECK(expect_error({"POST", "/v1/echo", {json}}) == 401);
  CHECK(expect_error({"POST", "/v1/echo", {key}}) == 415);
  CHECK(expect_error({"POST", "/v1/nothing", {key, json}}) == 404);
  CHECK(expect_error({"PUT", "/v1/echo", {key, json}}) == 405);
}

TEST_CASE("a response of the inference API carries its metrics") {
  TestDispatcher api;
  const Response tokens = api.post("/v1/tokenize-text", R"({"model":"svc-4.5","text":"a"})");
  REQUIRE(tokens.status == 200);
  CHECK(header_of(tokens, "x-request-id").size() == 36);
  CHECK(header_of(tokens, "x-zero-data-retention") == "false");
  CHECK(header_of(tokens, "x-ratelimit-remaining-requests") == "9999");
  CHECK(header_of(tokens, "x-ratelimit-limit-tokens").empty());
  const Response bad = api.post("/v1/tokenize-text", "{}");
  CHECK(header_of(bad, "x-request-id").size() == 36);
  CHECK(header_of(bad, "x-ratelimit-limit-requests").empty());
  CHECK(header_of(api.get("/v1/models"), "x-request-id").empty());
  CHECK(header_of(api.get("/v1/models/svc-3"), "x-request-id").size() == 36);
}

TEST_CASE("text operations report tokens and timings, a stream only what is known at its head") {
  TestDispatcher api;
  const nlohmann::json ask = {{"model", "svc-4.5"},
                              {"messages", {{{"role", "user"}, {"content", "Hi"}}}}};
  const Response whole = api.post("/v1/chat/completions", ask.dump());
  REQUIRE(whole.status == 200);
  CHECK(nlohmann::json::parse(whole.body)["id"] == header_of(whole, "x-request-id"));
  const auto left = std::stoll(header_of(whole, "x-ratelimit-remaining-tokens"));
  const auto limit = std::stoll(header_of(whole, "x-ratelimit-limit-tokens"));
  CHECK(limit - left == nlohmann::json::parse(whole.body)["usage"]["total_tokens"]);
  CHECK_FALSE(header_of(whole, "x-metrics-e2e-ms").empty());
  nlohmann::json streamed = ask;
  streamed["stream"] = true;
  const Response stream = api.post("/v1/chat/completions", streamed.dump());
  REQUIRE(stream.next);
  CHECK(header_of(stream, "x-metrics-e2e-ms").empty());
  CHECK_FALSE(header_of(stream, "x-metrics-ttft-ms").empty());
}

TEST_CASE("a key's own limit is a 429 with Retry-After") {
  TestDispatcher api;
  KeyRecord limited;
  limited.id = "limited";
  limited.acls = {"api-key:endpoint:*"};
  limited.qpm = 1;
  REQUIRE(api.state().add_key(limited, "svc-limited").has_value());
  api.key = "svc-limited";
  CHECK(api.post("/v1/echo", "{}").status == 200);
  const Response expect_error = api.post("/v1/echo", "{}");
  CHECK(expect_error.status == 429);
  CHECK(std::stoi(header_of(expect_error, "Retry-After")) > 0);
  // The query about the key itself is not counted.
  CHECK(api.get("/v1/api-key").status == 200);
}

TEST_CASE("a handler's exception is a 500, and the server continues") {
  TestDispatcher api;
  CHECK(api.get("/v1/bug").status == 500);
  CHECK(api.get("/v1/models").status == 200);
}

TEST_CASE("an answer whose cost cannot be recorded is a 500") {
  TestDispatcher server;
  REQUIRE(server.state().with(
      [](Database& database) { return database.run("DROP TABLE usage_lines"); }));
  const Response failed = server.post(
      "/v1/chat/completions", R"({"model":"svc-4.5","messages":[{"role":"user","content":"x"}]})");
  CHECK(failed.status == 500);
  CHECK(
      failed.body ==
      R"({"code":"Internal error","error":"cannot read or write the emulator's state: no such table: usage_lines"})");
}

TEST_CASE("GET /v1/api-key shows the calling key, even a disabled one") {
  TestDispatcher api;
  const nlohmann::json own = nlohmann::json::parse(api.get("/v1/api-key").body);
  for (const char* member :
       {"acls", "api_key_blocked", "api_key_disabled", "api_key_id", "create_time", "modified_by",
        "modify_time", "name", "redacted_api_key", "team_blocked", "team_id", "user_id"}) {
    CAPTURE(member);
    CHECK(own.contains(member));
  }
  CHECK(own["team_id"] == k_demo_team_id);
  CHECK(own.dump().find(k_demo_key) == std::string::npos);
  KeyRecord disabled;
  disabled.id = "disabled";
  disabled.disabled = true;
  REQUIRE(api.state().add_key(disabled, "svc-disabled").has_value());
  api.key = "svc-disabled";
  CHECK(nlohmann::json::parse(api.get("/v1/api-key").body)["api_key_disabled"] == true);
  CHECK(api.get("/v1/models").status == 403);
}

TEST_CASE("tokenize returns every byte of the text, in order") {
  TestDispatcher api;
  const std::string text = "Hi \"wörld\",\n日本 internationally 12345 \u202e";
  const Response response =
      api.post("/v1/tokenize-text", nlohmann::json{{"model", "svc-4.5"}, {"text", text}}.dump());
  REQUIRE(response.status == 200);
  std::string joined;
  std::string strings;
  const nlohmann::json body = nlohmann::json::parse(response.body);
  for (const nlohmann::json& token : body["token_ids"]) {
    CHECK(token["token_id"].is_number_unsigned());
    strings += token["string_token"].get<std::string>();
    for (const nlohmann::json& byte : token["token_bytes"])
      joined += static_cast<char>(byte.get<int>());
  }
  CHECK(joined == text);
  CHECK(strings == text);
  const Response empty = api.post("/v1/tokenize-text", R"({"model":"svc-4.5","text":""})");
  CHECK(nlohmann::json::parse(empty.body) ==
        nlohmann::json{{"token_ids", nlohmann::json::array()}});
}

TEST_CASE("tokenize rejects requests like the service") {
  TestDispatcher api;
  const auto post = [&](const char* body) { return api.post("/v1/tokenize-text", body); };
  CHECK(post(R"({"model":"svc-4.5"})").status == 422);
  CHECK(body_contains(post(R"({"model":"svc-4.5"})"), "missing field `text` at line 1 column 19"));
  CHECK(post(R"({"text":"a"})").status == 422);
  CHECK(post(R"({"model":1,"text":"a"})").status == 422);
  CHECK(post(R"({"model":"svc-4.5","text":["a"]})").status == 422);
  CHECK(post(R"({"model":"svc-4.5","text":"a","user":5})").status == 422);
  CHECK(post(R"({"model":"svc-4.5","text":"a","user":null,"more":1})").status == 200);
  CHECK(post("[]").status == 422);
  const Response unknown = post(R"({"model":"svc-9","text":"a"})");
  CHECK(unknown.status == 400);
  CHECK(body_contains(unknown, "Model not found: svc-9"));
  const Response huge =
      api.post("/v1/tokenize-text",
               nlohmann::json{{"model", "svc-3"}, {"text", std::string(140'000, ',')}}.dump());
  CHECK(huge.status == 400);
  CHECK(body_contains(huge, "131072"));
}

TEST_CASE("a key sees and uses only its allowed models") {
  TestDispatcher api;
  KeyRecord key;
  key.id = "one";
  key.acls = {"api-key:endpoint:*", "api-key:model:svc-3"};
  REQUIRE(api.state().add_key(key, "svc-one-model").has_value());
  api.key = "svc-one-model";
  const nlohmann::json list = nlohmann::json::parse(api.get("/v1/models").body);
  REQUIRE(list["data"].size() == 1);
  CHECK(list["data"][0]["id"] == "svc-3");
  CHECK(list["data"][0]["owned_by"] == "emulator");
  CHECK(api.get("/v1/models/svc-3-latest").status == 200);
  CHECK(api.get("/v1/models/svc-4.5").status == 404);
  CHECK(api.post("/v1/tokenize-text", R"({"model":"svc-4.5","text":"a"})").status == 403);
  CHECK(api.post("/v1/tokenize-text", R"({"model":"svc-3","text":"a"})").status == 200);
  const nlohmann::json detailed = nlohmann::json::parse(api.get("/v1/language-models").body);
  CHECK(detailed["models"][0]["fingerprint"] == "fp_emulator");
  CHECK(api.get("/v1/language-models/svc-3").status == 200);
}

TEST_CASE("scripts see the requests sent, without the key") {
  TestDispatcher api;
  (void)api.post("/v1/echo?a=1&b=%20", "{\"x\":1}");
  (void)api.post("/v1/free", "\xff\xfe");
  (void)api.ask(
      {"GET", "/v1/models", {{"X-Api-Key", "a-secret"}, {"X-Control-Token", "a-secret"}}});
  api.with_key = false;
  const Response response = api.get("/_emulator/requests");
  REQUIRE(response.status == 200);
  const nlohmann::json log = nlohmann::json::parse(response.body);
  CHECK(log["last"] == 3);
  REQUIRE(log["requests"].size() == 3);
  CHECK(response.body.find("a-secret") == std::string::npos);
  const nlohmann::json& first = log["requests"][0];
  CHECK(first["number"] == 1);
  CHECK(first["method"] == "POST");
  CHECK(first["path"] == "/v1/echo");
  CHECK(first["query"] == "a=1&b=%20");
  CHECK(first["body"] == "{\"x\":1}");
  CHECK(first["body_cut"] == false);
  CHECK(first["status"] == 200);
  CHECK(nlohmann::json::parse(first["response"].get<std::string>()).is_object());
  CHECK(first["response_bytes"] == first["response"].get<std::string>().size());
  CHECK(log["requests"][1]["body_base64"] == "//4=");
  CHECK(response.body.find(k_demo_key) == std::string::npos);
  CHECK(nlohmann::json::parse(api.get("/_emulator/requests?since=1").body)["requests"].size() == 2);
  CHECK(nlohmann::json::parse(api.get("/_emulator/requests?since=3").body)["requests"].empty());
  CHECK(api.get("/_emulator/requests?since=x").status == 400);
}

TEST_CASE("the log keeps the last thousand requests and the start of large bodies") {
  TestDispatcher api;
  for (int i = 0; i < 1010; ++i) (void)api.get("/v1/nothing");
  (void)api.post("/v1/echo", "\"" + std::string(70'000, 'a') + "\"");
  const nlohmann::json log = nlohmann::json::parse(api.get("/_emulator/requests").body);
  REQUIRE(log["requests"].size() == 1000);
  CHECK(log["requests"][0]["number"] == 12);
  CHECK(log["requests"][999]["body_bytes"] == 70'002);
  CHECK(log["requests"][999]["body_cut"] == true);
  CHECK(log["requests"][999]["body"].get<std::string>().size() == 64'000);
}

TEST_CASE("faults are set, listed and cleared at run time") {
  TestDispatcher api;
  api.with_key = false;
  const Response set =
      api.post("/_emulator/faults", R"(["GET /v1/*: status 503, times 1", "* /v1/files: stall"])");
  REQUIRE(set.status == 200);
  CHECK(nlohmann::json::parse(set.body)["faults"].size() == 2);
  CHECK(api.dispatcher->admit({"GET", "/v1/models"}).plan.replacement->status == 503);
  CHECK(nlohmann::json::parse(api.get("/_emulator/faults").body)["faults"][0]["applied"] == 1);
  const Response bad = api.post("/_emulator/faults", R"(["* *: reset", "* *: explode"])");
  CHECK(bad.status == 400);
  CHECK(body_contains(bad, "explode"));
  CHECK(api.dispatcher->faults().entries().size() == 2);
  CHECK(api.post("/_emulator/faults", R"({"rules":[]})").status == 400);
  CHECK(api.post("/_emulator/faults", "[1]").status == 400);
  CHECK(nlohmann::json::parse(api.ask({"DELETE", "/_emulator/faults"}).body)["faults"].empty());
}

TEST_CASE("faults may apply to one key and one model") {
  TestDispatcher api;
  REQUIRE(api.post("/_emulator/faults",
                   R"(["POST /v1/echo: status 503, key svc-demo-key, model svc-3"])")
              .status == 200);
  CHECK(api.post("/v1/echo", R"({"model":"svc-4.5"})").status == 200);
  const auto befalls = [&](std::string_view key, std::string_view model) {
    return api.dispatcher
        ->admit({"POST",
                 "/v1/echo",
                 {{"Authorization", "Bearer " + std::string(key)}},
                 R"({"model":")" + std::string(model) + "\"}"})
        .plan.replacement.has_value();
  };
  CHECK(befalls("svc-demo-key", "svc-3"));
  CHECK_FALSE(befalls("svc-demo-key", "svc-4.5"));
  CHECK_FALSE(befalls("another", "svc-3"));
  REQUIRE(api.post("/_emulator/faults",
                   R"(["GET /v1/models: status 503, key emulator demo key"])")
              .status == 400);  // a name with spaces is quoted
  REQUIRE(
      api.post("/_emulator/faults", R"(["GET /v1/models: status 503, key 'emulator demo key'"])")
          .status == 200);
  CHECK(api.dispatcher->admit({"GET", "/v1/models", {{"Authorization", "Bearer svc-demo-key"}}})
            .plan.replacement.has_value());
}

TEST_CASE("a reset clears rules, requests and the state, and restarts IDs") {
  TestDispatcher api;
  REQUIRE(api.dispatcher->set_up({.seed = 7}).has_value());
  const std::string first = nlohmann::json::parse(api.post("/v1/echo", "{}").body)["id"];
  REQUIRE(api.post("/_emulator/answers", R"([{"answer": {"text": "given"}}])").status == 200);
  REQUIRE(api.post("/_emulator/faults", R"(["GET /v1/models: reset"])").status == 200);
  const std::string ask = R"({"model":"svc-4.5","input":"Hi"})";
  const Response answered = api.post("/v1/responses", ask);
  CHECK(body_contains(answered, "given"));
  const std::string stored =
      "/v1/responses/" + nlohmann::json::parse(answered.body)["id"].get<std::string>();
  CHECK(api.get(stored).status == 200);
  REQUIRE(api.post("/_emulator/reset", "").status == 200);
  CHECK(nlohmann::json::parse(api.get("/_emulator/requests").body)["requests"].empty());
  CHECK(nlohmann::json::parse(api.get("/_emulator/answers").body)["answers"].empty());
  CHECK(nlohmann::json::parse(api.get("/_emulator/faults").body)["faults"].empty());
  CHECK(api.post("/v1/echo", "{}").body.find(first) != std::string::npos);
  CHECK(api.get(stored).status == 404);
  CHECK(body_contains(api.post("/v1/responses", ask), "emulator"));
  CHECK(nlohmann::json::parse(api.get("/health").body)["status"] == "ok");
}

TEST_CASE("the emulator's own operations are for this machine and not for web pages") {
  TestDispatcher api;
  HttpRequest request{"GET", "/_emulator/requests"};
  request.headers = {{"Host", "127.0.0.1:1"}};
  const auto status = [&](const HttpRequest& given) {
    return api.dispatcher->response(given, api.dispatcher->admit(given)).status;
  };
  CHECK(status(request) == 200);
  request.headers = {{"Host", "[::1]:1"}};
  CHECK(status(request) == 200);
  request.headers = {{"Host", "localhost"}, {"Origin", "http://localhost"}};
  CHECK(status(request) == 403);
  request.headers = {{"Host", "rebound.example"}};
  CHECK(status(request) == 403);
  request.headers = {{"Host", "localhost"}};
  request.from_loopback = false;
  CHECK(status(request) == 403);
  request.target = "/%5femulator/%72equests";
  CHECK(status(request) == 403);
  request.target = "/_emulator/requests";
  const auto why = [&] { return check_control_access(request, ""); };
  CHECK(why() ==
        "The emulator's control operations accept requests from this machine only. "
        "--control-token lets other machines control it.");
  CHECK(check_control_access(request, "a-token-of-some-length") ==
        "The emulator's control operations accept requests from other machines only with the "
        "header X-Control-Token.");
  request.from_loopback = true;
  for (const char* local : {"localhost:80", "LOCALHOST", "127.0.0.1", "127.9.9.9:1", "[::1]"}) {
    request.headers = {{"Host", local}};
    CHECK_MESSAGE(why().empty(), local);
  }
  for (const char* other : {"", "localhost.example", "127.rebound.example", "127.0.0.1.example",
                            "128.0.0.1", "::1", "[::2]"}) {
    request.headers = {{"Host", other}};
    CHECK_MESSAGE(why() ==
                      "The emulator's control operations require localhost or a loopback address "
                      "as the host.",
                  other);
  }
  request.headers = {{"Host", "localhost"}};
  request.from_loopback = false;
  // Another machine needs the token, whatever it calls this one.
  api.dispatcher->set_control_token("a-token-of-some-length");
  request.headers = {{"Host", "ci.example"}};
  CHECK(status(request) == 403);
  request.headers.push_back({"X-Control-Token", "a-token-of-some-length"});
  CHECK(status(request) == 200);
  request.headers.push_back({"Origin", "http://ci.example"});
  CHECK(status(request) == 403);
}

TEST_CASE("a stored response that is missing has a request ID") {
  TestDispatcher api;
  const std::string missing = "/v1/responses/00000000-0000-4000-8000-000000000001";
  const Response response = api.get(missing);
  CHECK(response.status == 404);
  CHECK(header_of(response, "x-request-id").size() == 36);
}

TEST_CASE("a control operation refuses query parameters and fields that it does not have") {
  TestDispatcher api;
  REQUIRE(api.post("/_emulator/answers", R"({"answer": {"text": "one rule, no array"}})").status ==
          200);
  const Response deleted = api.ask({"DELETE", "/_emulator/answers?header=X-Test"});
  CHECK(deleted.status == 400);
  CHECK(body_contains(deleted, "no query parameter header"));
  CHECK(api.state().answers().entries().size() == 1);
  const Response listed = api.get("/_emulator/requests?path=/v1/files");
  CHECK(listed.status == 400);
  CHECK(body_contains(listed, "has since"));
  CHECK(api.get("/_emulator/requests?since=0").status == 200);
  CHECK(api.post("/_emulator/credit?cents=5", R"({"cents": 5})").status == 400);
  CHECK(api.post("/_emulator/credit", R"({"cents": 5, "dollars": 1})").status == 400);
  CHECK(api.post("/_emulator/reset", R"({"sed": 5})").status == 400);
  CHECK(api.post("/_emulator/clock", R"({"forward": "5s"})").status == 400);
}

TEST_CASE("verify counts requests that were refused or got a fault") {
  TestDispatcher api;
  const std::string chat = R"({"model":"svc-4.5","messages":[{"role":"system","content":"Brief"},
      {"role":"user","content":[{"type":"text","text":"weather"}]}]})";
  const auto count = [&](std::string_view match) {
    const Response verified =
        api.post("/_emulator/verify", fmt::format(R"({{"match": {}}})", match));
    return verified.status == 200 ? nlohmann::json::parse(verified.body)["count"].get<int>() : 0;
  };
  REQUIRE(api.post("/_emulator/faults", R"(["POST /v1/chat/*: status 500, times 1"])").status ==
          200);
  HttpRequest request{"POST",
                      "/v1/chat/completions",
                      {{"Content-Type", "application/json"},
                       {"Authorization", "Bearer " + std::string(k_demo_key)}},
                      chat};
  REQUIRE(api.dispatcher->admit(request).plan.replacement);
  CHECK(api.post("/v1/chat/completions", chat).status == 200);
  CHECK(count(R"({"operation": "chat", "prompt": "weather", "system": "Brief"})") == 2);
  CHECK(count(R"({"model": "svc-4.5", "key": "svc-demo-key"})") == 2);
  CHECK(api.post("/v1/chat/completions", R"({"model":"svc-4.5","messages":5})").status == 422);
  CHECK(api.get("/v1/nothing").status == 404);
  CHECK(count("{}") == 4);
  CHECK(count(R"({"path": "/v1/nothing"})") == 1);
  CHECK(count(R"({"key": "another"})") == 0);
  CHECK(api.post("/_emulator/verify", R"({"match": {"operation": "GET /v1/fils"}, "count": 0})")
            .status == 400);
  CHECK(api.ask({"DELETE", "/_emulator/requests"}).status == 200);
  CHECK(count("{}") == 0);
  CHECK(nlohmann::json::parse(api.get("/_emulator/requests").body)["requests"].empty());
}

TEST_CASE("replay: requests are counted, and a rule must say the whole answer") {
  TestDispatcher api;
  REQUIRE(api.dispatcher->set_up({.strict = AnswerRuleSet::Strict::All}));
  api.dispatcher->set_replay();
  CHECK(body_contains(api.post("/_emulator/answers", R"({"answer": {"text": "x"}})"),
                      "must have status or events"));
  REQUIRE(
      api.post("/_emulator/answers",
               R"({"match": {"prompt": "weather", "body": {"tools.0.authorization": "REDACTED"}},
                       "answer": {"status": 201, "body": {}}})")
          .status == 200);
  const std::string ask =
      R"({"model":"svc-4.5","input":"weather","tools":[{"authorization":"s"}]})";
  CHECK(api.post("/v1/responses", ask).status == 201);
  CHECK(api.post("/_emulator/verify", R"({"match": {"prompt": "weather"}, "count": 1})").status ==
        200);
}

TEST_CASE("a rule's header replaces the emulator's own, and a rule is removed by its ID") {
  TestDispatcher api;
  const Response added = api.post("/_emulator/answers", R"([{"answer": {"text": "one",
      "headers": {"X-RateLimit-Remaining-Requests": 3, "Content-Type": "application/x"}}},
      {"answer": {"text": "two"}}])");
  CHECK(nlohmann::json::parse(added.body)["answers"][1]["id"] == 2);
  const std::string ask = R"({"model":"svc-4.5","input":"Hi"})";
  const Response response = api.post("/v1/responses", ask);
  CHECK(response.content_type == "application/x");
  const auto is_count = [](const Header& one) {
    return to_lower(one.name) == "x-ratelimit-remaining-requests";
  };
  REQUIRE(std::ranges::count_if(response.headers, is_count) == 1);
  CHECK(std::ranges::find_if(response.headers, is_count)->value == "3");
  CHECK(api.ask({"DELETE", "/_emulator/answers?id=1"}).status == 200);
  CHECK(api.ask({"DELETE", "/_emulator/answers?id=1"}).status == 404);
  CHECK(body_contains(api.post("/v1/responses", ask), "two"));
}

TEST_CASE("rules match large bodies, and the fields of a form in a file") {
  TestDispatcher api;
  REQUIRE(
      api.post("/_emulator/answers", R"([{"match": {"prompt": "^aa"}, "answer": {"status": 299}},
      {"match": {"operation": "transcription", "body": {"language": "en"}}, "answer": {"status": 298}}])")
          .status == 200);
  CHECK(api.post("/v1/tokenize-text",
                 R"({"model":"svc-4.5","text":")" + std::string(1'100'000, 'a') + "\"}")
            .status == 299);
  HttpRequest form{"POST", "/v1/stt", {{"Content-Type", "multipart/form-data; boundary=B"}}};
  form.body_file = std::make_shared<FileBackedBuffer>();
  REQUIRE(
      form.body_file->append("--B\r\nContent-Disposition: form-data; name=\"language\"\r\n\r\nen"
                             "\r\n--B\r\nContent-Disposition: form-data; name=\"file\"; "
                             "filename=\"a.wav\"\r\n\r\n" +
                             std::string(1'100'000, 'x') + "\r\n--B--\r\n"));
  CHECK(api.ask(form).status == 298);
}

TEST_CASE("a test has rules, faults, requests, state, clock and IDs of its own") {
  TestDispatcher api;
  const auto ask = [&](std::string test, std::string method, std::string target,
                       std::string body = "") {
    HttpRequest request{std::move(method), std::move(target)};
    request.headers = {{"Content-Type", "application/json"}, {"X-Test-Id", std::move(test)}};
    request.body = std::move(body);
    take_scope(request);
    return api.ask(std::move(request));
  };
  const auto chat = [&](const std::string& test) {
    return ask(test, "POST", "/v1/responses", R"({"model":"svc-4.5","input":"Hi"})");
  };
  REQUIRE(ask("a", "POST", "/_emulator/answers", R"({"answer": {"text": "for a"}})").status == 200);
  REQUIRE(ask("b", "POST", "/_emulator/faults", R"(["POST /v1/responses: status 503"])").status ==
          200);
  CHECK(body_contains(chat("a"), "for a"));
  CHECK_FALSE(body_contains(chat("c"), "for a"));
  HttpRequest of_b{"POST", "/v1/responses"};
  of_b.scope = "b";
  CHECK(api.dispatcher->admit(of_b).plan.replacement.has_value());
  of_b.scope = "c";
  CHECK_FALSE(api.dispatcher->admit(of_b).plan.replacement.has_value());

  const auto requests = [&](const std::string& test) {
    return nlohmann::json::parse(ask(test, "GET", "/_emulator/requests").body)["requests"].size();
  };
  CHECK(requests("a") == 1);
  CHECK(requests("b") == 1);
  CHECK(requests("d") == 0);
  const auto scopes = [&] {
    return nlohmann::json::parse(api.get("/_emulator/scopes").body)["scopes"];
  };
  CHECK(scopes() == nlohmann::json{"a", "b", "c"});  // who only looks begins no test
  CHECK(ask("d", "GET", "/v1/models").status == 200);
  CHECK(scopes() == nlohmann::json{"a", "b", "c", "d"});

  // What one test stores is not there for another.
  const std::string stored =
      "/v1/responses/" + nlohmann::json::parse(chat("a").body)["id"].get<std::string>();
  CHECK(ask("a", "GET", stored).status == 200);
  CHECK(ask("c", "GET", stored).status == 404);
  CHECK(api.get(stored).status == 404);

  REQUIRE(ask("a", "POST", "/_emulator/clock", R"({"advance": "31d"})").status == 200);
  CHECK(ask("a", "GET", stored).status == 404);
  const auto now = [&](const std::string& test) {
    return nlohmann::json::parse(ask(test, "GET", "/_emulator/clock").body)["now_ms"]
        .get<std::int64_t>();
  };
  CHECK(now("a") - now("c") > std::int64_t{30} * 86'400'000);

  REQUIRE(ask("a", "POST", "/_emulator/reset", R"({"seed": 4})").status == 200);
  REQUIRE(ask("b", "POST", "/_emulator/reset", R"({"seed": 4})").status == 200);
  const auto id = [&](const std::string& test) {
    return nlohmann::json::parse(chat(test).body)["id"].get<std::string>();
  };
  const std::string first = id("a");
  CHECK(first == id("b"));
  CHECK(first != id("a"));
  REQUIRE(ask("a", "POST", "/_emulator/reset").status == 200);
  CHECK(requests("a") == 0);
  CHECK(now("a") - now("c") < 60'000);
  CHECK_FALSE(body_contains(chat("a"), "for a"));
}

TEST_CASE("what is open when a test ends neither sees nor uses up the next test's rules") {
  TestDispatcher api;
  const auto control = [&](std::string test, std::string target, std::string body) {
    HttpRequest request{"POST", "/_emulator/" + target, {{"Content-Type", "application/json"}}};
    request.scope = std::move(test);
    request.body = std::move(body);
    const Response response = api.ask(std::move(request));
    REQUIRE(response.status == 200);
    return response.body;
  };
  HttpRequest chat{"POST",
                   "/v1/responses",
                   {{"Content-Type", "application/json"},
                    {"Authorization", "Bearer " + std::string(k_demo_key)}},
                   R"({"model":"svc-4.5","input":"Hi"})"};
  chat.scope = "a";
  const auto open = api.dispatcher->admit(chat);
  CHECK(open.number == 1);
  control("a", "reset", "");
  control("b", "answers", R"({"answer": {"text": "for b"}, "times": 1})");
  const Response late = api.dispatcher->response(chat, open);
  CHECK(late.status == 200);
  CHECK_FALSE(body_contains(late, "for b"));
  chat.scope = "b";
  const auto ticket = api.dispatcher->admit(chat);
  CHECK(ticket.number == 1);  // as for every new test
  CHECK(body_contains(api.dispatcher->response(chat, ticket), "for b"));
  // What the late request stored is not there, either.
  HttpRequest stored{"GET",
                     "/v1/responses/" + nlohmann::json::parse(late.body)["id"].get<std::string>()};
  stored.scope = "b";
  CHECK(api.ask(stored).status == 404);
}

TEST_CASE("seed and clock of a reset hold until the next one") {
  TestDispatcher api;
  constexpr std::int64_t k_clock_s = 1'767'225'600;
  REQUIRE(api.dispatcher->set_up({.seed = 9, .clock_s = k_clock_s}).has_value());
  REQUIRE(api.post("/_emulator/reset", "").status == 200);
  for (const std::string test : {"", "one", "two"}) {
    const auto ask = [&](std::string target, std::string body) {
      HttpRequest request{body == "get" ? "GET" : "POST",
                          std::move(target),
                          {{"Content-Type", "application/json"}}};
      request.scope = test;
      request.body = body == "get" ? "" : std::move(body);
      return nlohmann::json::parse(api.ask(std::move(request)).body);
    };
    const auto now = [&] {
      return ask("/_emulator/clock", "get")["now_ms"].get<std::int64_t>() / 1000;
    };
    const auto id = [&] { return ask("/v1/echo", "{}")["id"].get<std::string>(); };
    const std::string first = id();
    CHECK(now() - k_clock_s < 100);
    ask("/_emulator/reset", R"({"seed": 5, "clock": "2020-01-01T00:00:00Z"})");
    const std::string other = id();
    CHECK(other != first);
    CHECK(now() < k_clock_s - 86'400);
    ask("/_emulator/reset", R"({"seed": 5})");
    CHECK(id() == other);
    CHECK(std::abs(now() - k_clock_s) < 100);
    ask("/_emulator/reset", "{}");
    CHECK(id() == first);
  }
}

TEST_CASE("faults with a rate are the same after each reset") {
  TestDispatcher api;
  const auto pattern = [&] {
    REQUIRE(api.post("/_emulator/reset", "").status == 200);
    REQUIRE(api.post("/_emulator/faults", R"(["GET /v1/models: status 503, rate 0.5"])").status ==
            200);
    std::string out;
    for (int i = 0; i < 40; ++i) {
      out += api.dispatcher->admit({"GET", "/v1/models"}).plan.replacement ? '1' : '0';
    }
    return out;
  };
  CHECK(pattern() == pattern());
}

TEST_CASE("a reset brings back the rules, faults and limits of the command line") {
  TestDispatcher api;
  REQUIRE(api.dispatcher
              ->set_up({.answers = *parse_answers(R"({"answer": {"text": "from the file"}})"),
                        .faults = {*parse_fault("GET /v1/models: status 503")},
                        .limits = {{"realtime_sessions", 3}}})
              .has_value());
  const std::string ask = R"({"model":"svc-4.5","input":"Hi"})";
  CHECK(body_contains(api.post("/v1/responses", ask), "from the file"));
  CHECK(nlohmann::json::parse(api.ask({"DELETE", "/_emulator/answers"}).body)["answers"].empty());
  REQUIRE(api.post("/_emulator/answers", R"({"answer": {"text": "added"}})").status == 200);
  REQUIRE(api.post("/_emulator/limits", R"({"realtime_sessions": 1})").status == 200);
  REQUIRE(api.post("/_emulator/reset", "").status == 200);
  CHECK(body_contains(api.post("/v1/responses", ask), "from the file"));
  CHECK(api.state().answers().entries().size() == 1);
  CHECK(api.dispatcher->admit({"GET", "/v1/models"}).plan.replacement.has_value());
  CHECK(body_contains(api.get("/_emulator/limits"), R"("realtime_sessions":3)"));
}

TEST_CASE("there are at most a thousand tests at a time") {
  TestDispatcher api;
  const auto ask = [&](int test, std::string method, std::string target) {
    HttpRequest request{std::move(method), std::move(target)};
    request.scope = "t" + std::to_string(test);
    return api.ask(std::move(request));
  };
  for (int i = 0; i < 1'000; ++i) REQUIRE(ask(i, "GET", "/v1/models").status == 200);
  const Response refused = ask(1'000, "GET", "/v1/models");
  CHECK(refused.status == 429);
  CHECK(refused.body ==
        R"({"code":"emulator_too_many_tests","error":"There are 1000 tests. POST /_emulator/reset )"
        R"(with the header X-Test-Id ends one."})");
  CHECK(ask(999, "GET", "/v1/models").status == 200);
  CHECK(ask(7, "POST", "/_emulator/reset").status == 200);
  CHECK(ask(1'000, "GET", "/v1/models").status == 200);
  CHECK(ask(7, "GET", "/v1/models").status == 429);
}

TEST_CASE(
    "a credit limit also holds for a team that has spent, and a wrong limit changes nothing") {
  TestDispatcher api;
  const std::string ask = R"({"model":"svc-4.5","input":"Hi"})";
  REQUIRE(api.post("/v1/responses", ask).status == 200);
  REQUIRE(api.post("/_emulator/limits", R"({"credit_cents": 0})").status == 200);
  CHECK(api.post("/v1/responses", ask).status == 429);
  REQUIRE(api.post("/_emulator/limits", R"({"credit_cents": 500})").status == 200);
  CHECK(api.post("/v1/responses", ask).status == 200);
  CHECK(api.post("/_emulator/limits", R"({"realtime_sessions": 2, "zzz": 1})").status == 400);
  CHECK(body_contains(api.get("/_emulator/limits"), R"("realtime_sessions":10)"));
}

TEST_CASE("a test's name comes from the header, the path or the key") {
  const auto scope_of = [](std::string target, std::vector<Header> headers) {
    HttpRequest request{"GET", std::move(target), std::move(headers)};
    take_scope(request);
    return request.scope + " " + request.target + " " +
           std::string(request.header("Authorization"));
  };
  CHECK(scope_of("/v1/files?limit=2", {{"x-test-id", "one"}}) == "one /v1/files?limit=2 ");
  CHECK(scope_of("/_test/a%20b/v1/files?limit=2", {}) == "a b /v1/files?limit=2 ");
  CHECK(scope_of("/_test/x", {}) == "x / ");
  CHECK(scope_of("/_test/x?q=1", {}) == "x /?q=1 ");
  CHECK(scope_of("/", {{"Authorization", "Bearer svc-demo-key.two"}}) ==
        "two / Bearer svc-demo-key");
  CHECK(scope_of("/", {{"Authorization", "bearer svc-demo-management-key.two"}}) ==
        "two / bearer svc-demo-management-key");
  CHECK(scope_of("/", {{"Authorization", "Bearer svc-demo-key"}}) == " / Bearer svc-demo-key");
  CHECK(scope_of("/", {{"Authorization", "Bearer svc-demo-key."}}) == " / Bearer svc-demo-key.");
}

TEST_CASE("limits: realtime sessions and credit") {
  TestDispatcher api;
  CHECK(api.post("/_emulator/limits", R"({"credit": 5})").status == 400);
  CHECK(api.post("/_emulator/limits", R"({"credit_cents": -1})").status == 400);
  const Response set =
      api.post("/_emulator/limits", R"({"credit_cents": 0, "realtime_sessions": 0})");
  REQUIRE(set.status == 200);
  CHECK(nlohmann::json::parse(set.body)["credit_cents"] == 0);
  CHECK(api.post("/v1/tokenize-text", R"({"model":"svc-4.5","text":"a"})").status == 429);
  REQUIRE(api.post("/_emulator/limits", R"({"credit_cents": 10})").status == 200);
  CHECK(api.post("/v1/tokenize-text", R"({"model":"svc-4.5","text":"a"})").status == 200);
  HttpRequest socket{"GET", "/v1/realtime?model=svc-voice-latest"};
  socket.headers = {{"Connection", "Upgrade"},
                    {"Upgrade", "websocket"},
                    {"Sec-WebSocket-Version", "13"},
                    {"Sec-WebSocket-Key", "dGhlIHNhbXBsZSBub25jZQ=="}};
  CHECK(api.ask(socket).status == 429);
  REQUIRE(api.post("/_emulator/limits", R"({"realtime_sessions": 1})").status == 200);
  CHECK(api.ask(socket).status == 101);
}

TEST_CASE("a state is exported and imported") {
  TestDispatcher api;
  const std::string ask = R"({"model":"svc-4.5","input":"Hi"})";
  const std::string stored =
      "/v1/responses/" +
      nlohmann::json::parse(api.post("/v1/responses", ask).body)["id"].get<std::string>();
  const Response exported = api.get("/_emulator/state");
  REQUIRE(exported.status == 200);
  CHECK(exported.body.starts_with("SQLite format 3"));
  REQUIRE(api.post("/_emulator/reset", "").status == 200);
  CHECK(api.get(stored).status == 404);
  CHECK(api.ask({"PUT", "/_emulator/state", {}, exported.body}).status == 200);
  CHECK(api.get(stored).status == 200);
  CHECK(api.ask({"PUT", "/_emulator/state", {}, "no database"}).status == 400);
  CHECK(api.get(stored).status == 200);
}

TEST_CASE("each response is a readable line, escaped for terminals") {
  TestDispatcher api;
  (void)api.get("/v1/a%1b\x1b[2J?key=secret");
  REQUIRE(api.lines.size() == 1);
  CHECK(api.lines[0].starts_with("GET /v1/a%1b^[[2J 404 "));
  CHECK(api.lines[0].find("secret") == std::string::npos);
}
