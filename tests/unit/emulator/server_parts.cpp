// Requests without sockets: their metrics, what faults and rules see of them; types of bodies.
#include <memory>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include <doctest/doctest.h>
#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "emulator/json/json.h"
#include "emulator/server/connection.h"
#include "emulator/server/dispatch.h"
#include "emulator/server/recorder.h"

namespace svc::emulator::server_test {
namespace {

/// A dispatcher with a clock that only its operations move: each takes as many milliseconds and
/// uses as many tokens as its body says.
class Operations {
 public:
  Operations() {
    m_state = *State::open(":memory:", [this] { return now_ms; });
    const auto work = [this](const Request& call) {
      const auto body = text::parse_json(call.body);
      now_ms += text::get_integer(body, "ms").value_or(0);
      Response response{.status =
                            static_cast<int>(text::get_integer(body, "status").value_or(200))};
      response.tokens = text::get_integer(body, "tokens").value_or(0);
      return response;
    };
    std::vector<Route> routes = {{"POST", "/v1/chat/completions", work, "chat"},
                                 {"POST", "/v1/images/generations", work, "image"},
                                 {"POST", "/v1/tokenize-text", work},
                                 {"PUT", "/v1/things/{id}", work},
                                 {"PATCH", "/v1/things/{id}", work},
                                 {"DELETE", "/v1/things/{id}", work},
                                 {"GET", "/v1/things/{id}:part", work}};
    dispatcher = std::make_unique<Dispatcher>(*m_state, std::move(routes));
  }

  Response ask(HttpRequest request) {
    request.headers.push_back({"Host", "localhost"});
    if (request.header("Authorization").empty()) {
      request.headers.push_back({"Authorization", "Bearer svc-demo-key"});
    }
    const auto ticket = dispatcher->admit(request);
    return dispatcher->response(request, ticket);
  }
  Response post(std::string path, std::string body) {
    return ask({"POST", std::move(path), {{"Content-Type", "application/json"}}, std::move(body)});
  }

  std::int64_t now_ms = 1'800'000'000'000;
  std::unique_ptr<Dispatcher> dispatcher{};

 private:
  std::unique_ptr<State> m_state{};
};

// The values of those headers, separated by blanks; "-" for one that is missing.
std::string values(const Response& response, const std::vector<std::string>& names) {
  std::string out;
  for (const std::string& name : names) {
    const Header* found = find_header(response.headers, name);
    out += (out.empty() ? "" : " ") + (found == nullptr ? "-" : found->value);
  }
  return out;
}

const std::vector<std::string> k_timings = {"x-metrics-e2e-ms", "x-metrics-ttft-ms",
                                            "x-metrics-mean-itl-ms"};
const std::vector<std::string> k_limits = {
    "x-ratelimit-limit-requests", "x-ratelimit-remaining-requests", "x-ratelimit-limit-tokens",
    "x-ratelimit-remaining-tokens"};

}  // namespace

TEST_CASE("the time of a request, and between its tokens; what is left of its limits") {
  Operations api;
  const auto timings = [&](const char* path, const char* body) {
    return values(api.post(path, body), k_timings);
  };
  CHECK(timings("/v1/chat/completions", R"({"ms": 300, "tokens": 3})") == "300 300 100.00");
  CHECK(timings("/v1/chat/completions", R"({"ms": 100, "tokens": 3})") == "100 100 33.33");
  CHECK(timings("/v1/chat/completions", R"({"ms": 7, "tokens": 1})") == "7 7 7.00");
  CHECK(timings("/v1/chat/completions", R"({"ms": 7})") == "7 7 7.00");
  CHECK(timings("/v1/chat/completions", R"({"ms": 0, "tokens": 5})") == "0 0 0.00");
  CHECK(timings("/v1/chat/completions", R"({"status": 399})") == "0 0 0.00");
  CHECK(timings("/v1/chat/completions", R"({"status": 400})") == "- - -");
  CHECK(timings("/v1/images/generations", R"({"ms": 9})") == "9 - -");
  CHECK(timings("/v1/tokenize-text", R"({"ms": 9})") == "- - -");

  api.now_ms += 60'000;
  CHECK(values(api.post("/v1/chat/completions", R"({"tokens": 1})"), k_limits) ==
        "10000 9999 10000000 9999999");
  CHECK(values(api.post("/v1/chat/completions", R"({"tokens": 5})"), k_limits) ==
        "10000 9998 10000000 9999994");
  CHECK(values(api.post("/v1/images/generations", "{}"), k_limits) == "10000 9997 - -");
  CHECK(values(api.post("/v1/chat/completions", R"({"status": 400})"), k_limits) == "- - - -");
  api.now_ms += 60'000;
  CHECK(values(api.post("/v1/chat/completions", "{}"), k_limits) == "10000 9999 10000000 10000000");
}

TEST_CASE("which methods need JSON; paths with parts of their own") {
  Operations api;
  for (const char* method : {"PUT", "PATCH"}) {
    CHECK(api.ask({method, "/v1/things/a", {{"Content-Type", "application/json"}}, "{}"}).status ==
          200);
    CHECK(api.ask({method, "/v1/things/a", {}, "{}"}).status == 415);
    CHECK(api.ask({method, "/v1/things/a", {{"Content-Type", "application/json"}}, ""}).status ==
          415);
  }
  CHECK(api.ask({"DELETE", "/v1/things/a"}).status == 200);
  CHECK(api.ask({"GET", "/v1/things/a:part"}).status == 200);
  CHECK(api.ask({"HEAD", "/v1/things/a:part"}).status == 200);
  CHECK(values(api.ask({"POST", "/v1/things/a:part"}), {"Allow"}) ==
        "PUT, PATCH, DELETE, GET, HEAD");
  CHECK(values(api.ask({"GET", "/v1/things/a"}), {"Allow"}) == "PUT, PATCH, DELETE");
  CHECK(api.ask({"GET", "/v1/things/:part"}).status == 405);
}

TEST_CASE("faults see the key and the model of a request") {
  Operations api;
  const auto hit = [&](const char* rule, HttpRequest request) {
    api.dispatcher->faults().clear();
    REQUIRE(api.dispatcher->faults().add({*parse_fault(rule)}).has_value());
    return api.dispatcher->admit(request).plan.replacement.has_value();
  };
  const auto with = [](std::string authorization, std::string target = "/v1/tokenize-text",
                       std::string body = "") {
    std::vector<Header> headers;
    if (!authorization.empty()) headers.push_back({"Authorization", std::move(authorization)});
    return HttpRequest{"POST", std::move(target), std::move(headers), std::move(body)};
  };
  const char* management = "* *: reset, key 'emulator demo management key'";
  CHECK(hit(management, with("Bearer svc-demo-management-key")));
  CHECK_FALSE(hit(management, with("Bearer svc-demo-key")));
  CHECK(hit("* *: reset, key 00000000-0000-4000-8000-000000000002",
            with("Bearer svc-demo-management-key")));
  CHECK(hit("* *: reset, key other", with("Bearer  other ")));
  CHECK(hit("* *: reset, key other", with("other")));
  CHECK_FALSE(hit("* *: reset, key other", with("")));
  CHECK(hit("* *: reset, model m", with("", "/v1/tokenize-text?model=m")));
  CHECK_FALSE(hit("* *: reset, model m", with("", "/v1/tokenize-text?models=m")));
  CHECK_FALSE(hit("* *: reset, model m", with("", "/v1/tokenize-text?model=n")));
  CHECK(hit("* *: reset, model m", with("", "/x", R"({"model":"m"})")));
  CHECK_FALSE(hit("* *: reset, model m", with("", "/x", R"(["m"])")));
  // The emulator's own operations have no faults, and are not logged.
  for (const char* own : {"/", "/health", "/_emulator/faults", "/%5Femulator/x"}) {
    const HttpRequest request{"GET", own};
    api.dispatcher->faults().clear();
    REQUIRE(api.dispatcher->faults().add({*parse_fault("* *: reset")}).has_value());
    const auto ticket = api.dispatcher->admit(request);
    CHECK_FALSE(ticket.plan.replacement.has_value());
    CHECK(ticket.number == 0);
  }
}

TEST_CASE("the log shows a text as text, also one cut inside a character, and bytes as base64") {
  Operations api;
  const auto shown = [&](std::string body) {
    HttpRequest request{"POST", "/v1/tokenize-text?a=b", {{"A", "1"}}, std::move(body)};
    const auto ticket = api.dispatcher->admit(request);
    const auto log = text::parse_json(
        api.ask({"GET", fmt::format("/_emulator/requests?since={}", ticket.number - 1)}).body);
    const auto& entry = log["requests"][0];
    CHECK(entry["status"].is_null());
    CHECK_FALSE(entry.contains("messages"));
    CHECK(entry["query"] == "a=b");
    const bool is_text = entry.contains("body");
    CHECK(entry.contains("body_base64") != is_text);
    return fmt::format("{} {} {}", is_text ? entry["body"].get<std::string>().size() : 0,
                       entry["body_bytes"].get<int>(), entry["body_cut"].get<bool>());
  };
  const auto filled = [](std::size_t size, const char* end) {
    return std::string(size, 'a') + end;
  };
  CHECK(shown("") == "0 0 false");
  CHECK(shown("abc") == "3 3 false");
  CHECK(shown("ab\xc3") == "0 3 false");
  CHECK(shown(filled(64'000, "")) == "64000 64000 false");
  CHECK(shown(filled(64'000, "a")) == "64000 64001 true");
  CHECK(shown(filled(63'999, "\xc3\xbc")) == "63999 64001 true");
  CHECK(shown(filled(63'998,
                     "\xc3\xbc"
                     "a")) == "64000 64001 true");
  CHECK(shown(filled(63'997, "\xf0\x9f\x98\x80")) == "63997 64001 true");
  CHECK(shown(filled(63'996,
                     "\xff"
                     "aaaa")) == "0 64001 true");

  // A WebSocket has messages, too; a finished request its status.
  HttpRequest request{"GET", "/v1/things/a"};
  const auto ticket = api.dispatcher->admit(request);
  api.dispatcher->received(ticket, "hello", true);
  api.dispatcher->received(ticket, "bytes", false);
  api.dispatcher->sent(ticket, "answer\n");
  api.dispatcher->finished(request, ticket, 101);
  const auto log = text::parse_json(
      api.ask({"GET", fmt::format("/_emulator/requests?since={}", ticket.number - 1)}).body);
  const auto& entry = log["requests"][0];
  CHECK(entry["status"] == 101);
  CHECK(entry["messages"] == 2);
  CHECK(entry["binary_bytes"] == 5);
  CHECK(entry["body"] == "hello\n");
  CHECK(entry["response"] == "answer\n");
  CHECK(entry["response_bytes"] == 7);
  CHECK(entry["query"] == "");
  CHECK(log["last"] == ticket.number);
}

TEST_CASE("unknown paths below those of the management service are pages") {
  Operations api;
  const auto type = [&](const char* path) {
    return api.ask({"GET", path}).content_type.substr(0, 9);
  };
  for (const char* page : {"/auth/x", "/audit/x", "/v1/auth/x", "/v1/billing/x",
                           "/v1/collections/x/y/z", "/v1/collections"}) {
    CHECK(type(page) == "text/html");
  }
  for (const char* other : {"/auth", "/v1/collectionss", "/v1/x/auth/"}) {
    CHECK(type(other) == "applicati");
  }
}

TEST_CASE("the URL of a service that is recorded") {
  const auto parts = [](std::string_view url) {
    const auto found = parse_upstream(url);
    if (!found) return found.error().message;
    return fmt::format("{} {} {} {} {}", found->tls, found->host, found->port, found->authority,
                       found->prefix);
  };
  CHECK(parts("http://h") == "false h 80 h ");
  CHECK(parts("https://h") == "true h 443 h ");
  CHECK(parts("https://h:8443/a/b//") == "true h 8443 h:8443 /a/b");
  CHECK(parts("http://h/") == "false h 80 h ");
  CHECK(parts("http://[::1]:8080/x") == "false ::1 8080 [::1]:8080 /x");
  CHECK(parts("https://[::1]") == "true ::1 443 [::1] ");
  CHECK(parts("http://h/a@b:c") == "false h 80 h /a@b:c");
  for (const char* none :
       {"", "h", "ftp://h", "http:/h", "http://", "http:///x", "https://:80", "http://u@h",
        "http://h?x", "http://h#x", "http://a b", "http://h:", "http://h:http", "http://[]"}) {
    CHECK(parts(none) ==
          fmt::format("--record must be an http or https URL, not {}.", shown(none)));
  }
}

TEST_CASE("the head of a response is complete, and ends with an empty line") {
  Response response{.status = 200, .headers = {{"A", "b"}}, .body = "four"};
  const std::string begin =
      "HTTP/1.1 200 OK\r\nDate: Fri, 15 Jan 2027 08:00:00 GMT\r\nServer: svc-emulator\r\nA: b\r\n";
  const auto head = [&](bool http_10, bool keep_alive) {
    return serialize_head(response, {http_10, keep_alive, 1'800'000'000});
  };
  const std::string type = "Content-Type: application/json\r\n";
  CHECK(head(false, true) == begin + type + "Content-Length: 4\r\n\r\n");
  CHECK(head(false, false) == begin + type + "Content-Length: 4\r\nConnection: close\r\n\r\n");
  CHECK(head(true, true) == begin + type + "Content-Length: 4\r\nConnection: keep-alive\r\n\r\n");
  CHECK(head(true, false) == begin + type + "Content-Length: 4\r\nConnection: close\r\n\r\n");
  response.next = [] { return std::optional<StreamChunk>{}; };
  CHECK(head(false, true) ==
        begin + type + "Cache-Control: no-cache\r\nTransfer-Encoding: chunked\r\n\r\n");
  CHECK(head(true, false) == begin + type + "Cache-Control: no-cache\r\nConnection: close\r\n\r\n");
  response.next = nullptr;
  response.content_type = "";
  CHECK(head(false, true) == begin + "Content-Length: 4\r\n\r\n");
  response.content_type = "text/x";
  for (const int status : {204, 304}) {
    response.status = status;
    CHECK(head(false, true).find("Content-") == std::string::npos);
  }
  for (const int status : {100, 101, 199, 204, 304}) CHECK(has_no_body(status));
  for (const int status : {200, 203, 205, 303, 305, 404}) CHECK_FALSE(has_no_body(status));
  response.headers = {{"A", std::string("b\r\n\0c", 5)}};
  CHECK(head(false, true).find("A: bc\r\n") != std::string::npos);
}

TEST_CASE("a value of a wrong type is told with what was expected, and where") {
  const text::Types types(
      "word = <a b>\n"
      "one = <a>\n"
      "tag = @t=a{a: {x!: integer}, b}\n"
      "all = {text: text, word: word, one: one, flag: boolean, whole: integer, count: count,\n"
      " number: number, object: {}, list: [text], either: text | [integer] | {x!}, tag: tag, any: "
      "any,\n"
      " id: int64, few: text(2..3), some: texts(1..2)}");
  const auto fault = [&](const std::string& body) {
    const auto found = text::check_type(text::parse_json(body), types["all"], body);
    return found ? fmt::format("{}: {} @{}", found->path, found->reason, found->column) : "";
  };
  const auto wrong = [&](const char* name, const char* value) {
    const std::string reason = fault(fmt::format(R"({{"{}":{}}})", name, value));
    return reason.substr(std::min(reason.find(": "), reason.size()));
  };
  CHECK(wrong("text", "5") == ": invalid type: integer `5`, expected a string @9");
  CHECK(wrong("text", "-5") == ": invalid type: integer `-5`, expected a string @10");
  CHECK(wrong("text", "5.5") == ": invalid type: floating point `5.5`, expected a string @11");
  CHECK(wrong("text", "false") == ": invalid type: boolean `false`, expected a string @13");
  CHECK(wrong("text", "[]") == ": invalid type: sequence, expected a string @10");
  CHECK(wrong("text", "{}") == ": invalid type: map, expected a string @10");
  CHECK(wrong("text", "null") == "");
  CHECK(wrong("word", "5") == ": invalid type: integer `5`, expected a string @9");
  CHECK(wrong("word", R"("c")") == ": unknown variant `c`, expected one of `a`, `b` @11");
  CHECK(wrong("one", R"("c")") == ": unknown variant `c`, expected `a` @10");
  CHECK(wrong("flag", R"("x")") == R"(: invalid type: string "x", expected a boolean @11)");
  CHECK(wrong("whole", "5.0") == ": invalid type: floating point `5.0`, expected i64 @12");
  CHECK(wrong("whole", "9223372036854775807") == "");
  CHECK(wrong("whole", "-9223372036854775808") == "");
  CHECK(wrong("whole", "9223372036854775808") ==
        ": invalid value: integer `9223372036854775808`, expected i64 @28");
  CHECK(wrong("count", "0") == "");
  CHECK(wrong("count", "4294967295") == "");
  CHECK(wrong("count", "4294967296") == ": invalid value: integer `4294967296`, expected u32 @19");
  CHECK(wrong("count", "-1") == ": invalid value: integer `-1`, expected u32 @11");
  CHECK(wrong("number", "1") == "");
  CHECK(wrong("number", R"("1")") == R"(: invalid type: string "1", expected a number @13)");
  CHECK(wrong("object", "[]") == ": invalid type: sequence, expected a map @12");
  CHECK(wrong("list", "{}") == ": invalid type: map, expected a sequence @10");
  CHECK(fault(R"({"list":["a",5]})") ==
        "list[1]: invalid type: integer `5`, expected a string @14");
  CHECK(wrong("either", "5") ==
        ": invalid type: integer `5`, expected a string or a sequence or a map @11");
  CHECK(fault(R"({"either":["a"]})") == R"(either[0]: invalid type: string "a", expected i64 @14)");
  CHECK(fault(R"({"either":{}})") == "either.x: missing field `x` @12");
  CHECK(wrong("any", "[1,{}]") == "");
  CHECK(wrong("id", R"("x")") == "");
  CHECK(wrong("id", "5") == "");
  CHECK(wrong("id", "true") == ": invalid type: boolean `true`, expected a string or i64 @10");

  CHECK(fault(R"({"tag":{"x":1}})") == "");
  CHECK(fault(R"({"tag":{"t":null,"x":1}})") == "");
  CHECK(fault(R"({"tag":{"t":"a"}})") == "tag.x: missing field `x` @16");
  CHECK(fault(R"({"tag":{}})") == "tag.x: missing field `x` @9");
  CHECK(fault(R"({"tag":{"t":"b"}})") == "");
  CHECK(fault(R"({"tag":{"t":"c"}})") ==
        "tag.t: unknown variant `c`, expected one of `a`, `b` @15");
  CHECK(fault(R"({"tag":{"t":5}})") == "tag.t: invalid type: integer `5`, expected a string @13");
  CHECK(fault(R"({"tag":5})") == "tag: invalid type: integer `5`, expected a map @8");

  CHECK(wrong("few", R"("ab")") == "");
  CHECK(wrong("few", R"(" abc ")") == "");
  CHECK(wrong("few", R"("äöü")") == "");
  CHECK(wrong("few", R"(" a ")") == ": few cannot be empty. @1");
  CHECK(wrong("few", R"("abcd")") == ": Too many few: 4 given, at most 3 are allowed. @1");
  CHECK(wrong("some", "[]") == ": some cannot be empty. @1");
  CHECK(wrong("some", R"(["a","b","c"])") == ": Too many some: 3 given, at most 2 are allowed. @1");
  // The first value out of its range is told.
  CHECK(fault(R"({"few":"abcd","some":[]})").starts_with("few: Too many"));
}

TEST_CASE("places in a document that is empty or ends with a line") {
  const auto place = [](std::string_view document, const std::vector<text::Step>& path) {
    const text::Position found = text::locate(document, path);
    return fmt::format("{}:{}", found.line, found.column);
  };
  CHECK(place("", {}) == "1:1");
  CHECK(place("\n", {}) == "2:1");
  CHECK(place("\n{}\n", {}) == "2:2");
  CHECK(place("{\"a\":\n1}", {"a"}) == "2:1");
  CHECK(place("[1,[2,3]]", {std::size_t{1}, std::size_t{0}}) == "1:5");
  CHECK(place("[1,[2,3]]", {std::size_t{2}}) == "1:9");
  CHECK(place(R"({"a\\b":1,"c":2})", {"a\\b"}) == "1:9");
}

TEST_CASE("members of a document, by their types") {
  using text::Json;
  const Json object = Json::parse(R"({"text": "t", "flag": true, "whole": -7, "null": null,
      "large": 9223372036854775807, "larger": 9223372036854775808, "number": 1.5})");
  CHECK(text::get_string(object, "text") == "t");
  CHECK(text::get_string(object, "whole", "other") == "other");
  CHECK(text::get_string(object, "null", "other") == "other");
  CHECK(text::get_bool(object, "flag", false));
  CHECK(text::get_bool(object, "text", true));
  CHECK_FALSE(text::get_bool(object, "none", false));
  CHECK(text::get_integer(object, "whole") == -7);
  CHECK(text::get_integer(object, "large") == std::numeric_limits<std::int64_t>::max());
  CHECK_FALSE(text::get_integer(object, "larger").has_value());
  CHECK_FALSE(text::get_integer(object, "number").has_value());
  CHECK(text::get_number(object, "number") == 1.5);
  CHECK(text::get_number(object, "whole") == -7);
  CHECK_FALSE(text::get_number(object, "text").has_value());
  CHECK(text::member(object, "null") == nullptr);
  CHECK(text::member(Json("text"), "text") == nullptr);
  CHECK(text::copy_of(object, "none").is_null());
  CHECK(text::value_or(object, "null", 5) == 5);
  CHECK(text::or_null(std::string()).is_null());
  CHECK(text::or_null(std::string("x")) == "x");
  CHECK(text::or_null(std::optional<int>()).is_null());
  CHECK(text::or_null(std::optional<int>(0)) == 0);
  CHECK(text::parse_json("{").is_null());
  CHECK(text::dump(Json("\xff")) == "\"\xef\xbf\xbd\"");
}

TEST_CASE("a body that is no JSON, or not of its type") {
  const auto read = [](std::string body) {
    Request request;
    request.body = std::move(body);
    auto outcome = text::read_body(request, "tokenize");
    if (outcome) return std::string("read");
    const Response refusal = std::move(outcome).error();
    return fmt::format("{} {}", refusal.status, refusal.body);
  };
  const std::string good = R"({"model":"m","text":"t"})";
  CHECK(read(good) == "read");
  CHECK(read("\xEF\xBB\xBF" + good) == "read");
  CHECK(
      read("null").starts_with("422 Failed to deserialize the JSON body into the target type: .: "
                               "invalid type: null, expected a map"));
  CHECK(read(" null\n").starts_with("422 "));
  CHECK(
      read(R"({"model":"m","text":"t","more":1e999})") ==
      R"(400 {"code":"Client specified an invalid argument","error":"Failed to parse the request )"
      R"(body as JSON: a number or an escape is out of range"})");
  CHECK(
      read("{").starts_with(R"(400 {"code":"Client specified an invalid argument","error":"Failed )"
                            R"(to parse the request body as JSON: )"));
}

}  // namespace svc::emulator::server_test
