#include <algorithm>

#include <doctest/doctest.h>

#include "emulator/control/control.h"
#include "support/mentions.h"

using namespace svc;
using namespace svc::emulator;
using svc::test::mentions;
using namespace std::chrono_literals;

namespace {

FaultRule rule(std::string_view text) {
  auto parsed = parse_fault(text);
  REQUIRE_MESSAGE(parsed.has_value(), (parsed ? "" : parsed.error().message));
  return std::move(*parsed);
}

std::string parse_error(std::string_view text) {
  const auto parsed = parse_fault(text);
  REQUIRE_FALSE(parsed.has_value());
  CHECK(parsed.error().fault == Fault::Usage);
  CHECK_FALSE(parsed.error().hint.empty());
  return parsed.error().message;
}

// Which of `count` equal requests the rule applies to, as "010".
std::string pattern(std::string_view text, int count) {
  FaultRuleSet rules;
  REQUIRE(rules.add({rule(text)}).has_value());
  std::string out;
  for (int i = 0; i < count; ++i) out += rules.plan({"GET", "/x"}).replacement ? '1' : '0';
  return out;
}

}  // namespace

TEST_CASE("each action is parsed with its arguments") {
  CHECK(rule("GET /x: latency 200ms").action == FaultAction::Latency);
  CHECK(rule("GET /x: latency 200ms").duration == 200ms);
  CHECK(rule("GET /x: latency 1.5s").duration == 1500ms);
  CHECK(rule("GET /x: reset").action == FaultAction::Reset);
  CHECK(rule("GET /x: reset-after 10").amount == 10);
  CHECK(rule("GET /x: cut-after 3").action == FaultAction::CutAfter);
  CHECK(rule("GET /x: stall").action == FaultAction::Stall);
  CHECK(rule("GET /x: stall-after 0").action == FaultAction::StallAfter);
  CHECK(rule("GET /x: slow 1ms per byte").duration == 1ms);
  CHECK(rule("GET /x: slow 2ms").action == FaultAction::Slow);
  CHECK(rule("GET /x: garbage").action == FaultAction::Garbage);
  CHECK(rule("GET /x: empty").action == FaultAction::Empty);
  CHECK(rule("GET /x: drop-after 3").amount == 3);
  CHECK(rule("GET /x: close-after 2").status == 1011);
  const auto close = rule("GET /x: close-after 2 4001 \"over, and out\", times 1");
  CHECK(close.action == FaultAction::CloseAfter);
  CHECK(close.amount == 2);
  CHECK(close.status == 4001);
  CHECK(close.message == "over, and out");
  CHECK(mentions(parse_error("GET /x: close-after 2 5000"), "1000 to 4999"));
  const auto status = rule("post /v1/b:cancel: status 429 retry-after 1, times 2");
  CHECK(status.method == "POST");
  CHECK(status.path == "/v1/b:cancel");
  CHECK(status.status == 429);
  REQUIRE(status.headers.size() == 1);
  CHECK(status.headers[0].name == "Retry-After");
  CHECK(status.headers[0].value == "1");
  CHECK(status.times == 2U);
}

TEST_CASE("values with spaces and commas are quoted") {
  const auto date = rule(
      "* *: status 503 retry-after \"Wed, 21 Oct 2026 07:28:00 GMT\" should-retry false "
      "message \"Out, of it\"");
  REQUIRE(date.headers.size() == 2);
  CHECK(date.headers[0].value == "Wed, 21 Oct 2026 07:28:00 GMT");
  CHECK(date.headers[1].name == "x-should-retry");
  CHECK(date.message == "Out, of it");
  CHECK(rule("* *: status 429 retry-after-ms -5").headers[0].value == "-5");
}

TEST_CASE("conditions are parsed in any order") {
  const auto all = rule("* /x: stall , rate 0.5, every 3, after 2, times 1");
  CHECK(all.rate == doctest::Approx(0.5));
  CHECK(all.every == 3);
  CHECK(all.after == 2);
  CHECK(all.times == 1U);
}

TEST_CASE("an invalid rule is an error with a reason") {
  CHECK(mentions(parse_error(""), "colon"));
  CHECK(mentions(parse_error("GET /x reset"), "colon"));
  CHECK(mentions(parse_error("/x: reset"), "method and a path"));
  CHECK(mentions(parse_error("G-T /x: reset"), "method must be a word"));
  CHECK(mentions(parse_error("GET x: reset"), "must start with /"));
  CHECK(mentions(parse_error("GET /a b: reset"), "must start with /"));
  CHECK(mentions(parse_error("GET /x: "), "colon"));
  CHECK(mentions(parse_error("GET /x: explode"), "latency, status"));
  CHECK(mentions(parse_error("GET /x: stal"), "did you mean stall?"));
  CHECK(mentions(parse_error("GET /x: latency"), "the latency is missing"));
  CHECK(mentions(parse_error("GET /x: latency soon"), "soon"));
  CHECK(mentions(parse_error("GET /x: latency -1s"), "duration"));
  CHECK(mentions(parse_error("GET /x: latency 2h"), "up to 1h"));
  CHECK(mentions(parse_error("GET /x: status"), "the status is missing"));
  CHECK(mentions(parse_error("GET /x: status 999"), "200 to 599"));
  CHECK(mentions(parse_error("GET /x: status 429 after 1"), "retry-after"));
  CHECK(mentions(parse_error("GET /x: status 429 retry-after"), "value of retry-after is missing"));
  CHECK(mentions(parse_error("GET /x: status 429 message \"open"), "quotation mark"));
  CHECK(mentions(parse_error("GET /x: reset now"), "too many arguments"));
  CHECK(mentions(parse_error("GET /x: slow 1ms per line"), "per byte"));
  CHECK(mentions(parse_error("GET /x: reset-after -1"), "at least 0"));
  CHECK(mentions(parse_error("GET /x: reset, sometimes"), "times, after, every, rate, key, model"));
  CHECK(mentions(parse_error("GET /x: reset, times 0"), "at least 1"));
  CHECK(mentions(parse_error("GET /x: reset, rate 1.5"), "0 to 1"));
  CHECK(mentions(parse_error("GET /x: reset,"), "a condition is missing"));
  CHECK(mentions(parse_error("GET /x: reset, times 1 2"), "comma"));
  CHECK_FALSE(mentions(parse_error("\x1b[2J /x: reset"), "\x1b"));
}

TEST_CASE("conditions select the requests affected") {
  CHECK(pattern("GET /x: reset", 3) == "111");
  CHECK(pattern("POST /x: reset", 3) == "000");
  CHECK(pattern("* /y: reset", 3) == "000");
  CHECK(pattern("GET /x: reset, times 2", 4) == "1100");
  CHECK(pattern("GET /x: reset, after 2", 4) == "0011");
  CHECK(pattern("GET /x: reset, every 3", 7) == "0010010");
  CHECK(pattern("GET /x: reset, after 1, every 2, times 1", 6) == "001000");
  CHECK(pattern("GET /x: reset, rate 0", 4) == "0000");
  CHECK(pattern("GET /x: reset, rate 1", 4) == "1111");
  const std::string half = pattern("GET /x: reset, rate 0.5", 400);
  const auto hits = std::count(half.begin(), half.end(), '1');
  CHECK(hits > 150);
  CHECK(hits < 250);
  CHECK(pattern("GET /x: reset, rate 0.5", 400) == half);
}

TEST_CASE("a star in the path matches any text") {
  const auto hits = [](std::string_view glob, std::string_view path) {
    FaultRuleSet rules;
    REQUIRE(rules.add({rule("GET " + std::string(glob) + ": reset")}).has_value());
    return rules.plan({"GET", path}).replacement.has_value();
  };
  CHECK(hits("*", "/any/thing"));
  CHECK(hits("/v1/*", "/v1/chat/completions"));
  CHECK_FALSE(hits("/v1/*", "/v2/chat"));
  CHECK(hits("/*/completions", "/v1/chat/completions"));
  CHECK(hits("/a*b*c", "/aXbXbYc"));
  CHECK_FALSE(hits("/a*b*c", "/aXbXbY"));
  CHECK(hits("/x", "/x"));
  CHECK_FALSE(hits("/x", "/xy"));
}

TEST_CASE("rules add up; the first one that replaces the response applies") {
  FaultRuleSet rules;
  REQUIRE(rules
              .add({rule("* *: latency 10ms"), rule("* *: status 500, times 1"),
                    rule("* *: status 503, times 1"), rule("* *: latency 5ms"),
                    rule("* *: cut-after 2")})
              .has_value());
  const FaultPlan first = rules.plan({"GET", "/x"});
  CHECK(first.latency == 15ms);
  REQUIRE(first.replacement.has_value());
  CHECK(first.replacement->status == 500);
  CHECK(first.after.at(FaultAction::CutAfter).amount == 2U);
  CHECK(rules.plan({"GET", "/x"}).replacement->status == 503);
  CHECK_FALSE(rules.plan({"GET", "/x"}).replacement.has_value());
  CHECK(rules.entries()[1].seen == 3);
  CHECK(rules.entries()[1].applied == 1);
  rules.clear();
  CHECK(rules.plan({"GET", "/x"}).latency == 0ms);
}

TEST_CASE("the number of rules is limited") {
  FaultRuleSet rules;
  CHECK(rules.add(std::vector<FaultRule>(100, rule("* *: reset"))).has_value());
  const auto more = rules.add({rule("* *: reset")});
  REQUIRE_FALSE(more.has_value());
  CHECK(mentions(more.error().message, "100"));
  CHECK(rules.entries().size() == 100);
}

TEST_CASE("fault responses have the formats of the service and of proxies in front of it") {
  CHECK(fault_response(rule("* *: status 429")).body.starts_with(R"({"code":"Some resource)"));
  CHECK(fault_response(rule("* *: status 503")).content_type.starts_with("text/plain"));
  CHECK(fault_response(rule("* *: status 418")).status == 418);
  CHECK(
      mentions(fault_response(rule("* *: status 429 message \"no credits\"")).body, "no credits"));
  CHECK(fault_response(rule("* *: garbage")).content_type.starts_with("text/html"));
  CHECK(fault_response(rule("* *: garbage")).status == 200);
  CHECK(fault_response(rule("* *: empty")).status == 200);
  CHECK(fault_response(rule("* *: empty")).body.empty());
}

TEST_CASE("a rule may have its own body and headers") {
  const FaultRule given =
      rule(R"(POST /x: status 500 header "X-Trace: a, b" body '{"error": {"code": 7}}', times 2)");
  CHECK(given.times == 2U);
  const Response response = fault_response(given);
  CHECK(response.status == 500);
  CHECK(response.body == R"({"error": {"code": 7}})");
  CHECK(response.content_type == "application/json");
  REQUIRE(response.headers.size() == 1);
  CHECK(response.headers.front().name == "X-Trace");
  CHECK(response.headers.front().value == "a, b");
  CHECK(
      fault_response(rule("POST /x: status 503 body oops")).content_type.starts_with("text/plain"));
  CHECK(mentions(parse_error("POST /x: status 503 header nonsense"), "NAME: VALUE"));
}

TEST_CASE("a rule may apply to one key and one model") {
  FaultRuleSet rules;
  REQUIRE(rules.add({rule("* *: status 500, key ci, model svc-4.5")}).has_value());
  const auto hits = [&](std::string_view key, std::string_view model) {
    return rules
        .plan({.method = "POST",
               .path = "/x",
               .is_key = [&](std::string_view wanted) { return wanted == key; },
               .names_model = [&](std::string_view wanted) { return wanted == model; }})
        .replacement.has_value();
  };
  CHECK(hits("ci", "svc-4.5"));
  CHECK_FALSE(hits("ci", "svc-3"));
  CHECK_FALSE(hits("other", "svc-4.5"));
  CHECK_FALSE(rules.plan({"POST", "/x"}).replacement.has_value());
  CHECK(rules.entries().front().seen == 1);
}

TEST_CASE("a rule that matches no operation is rejected, and the closest is suggested") {
  FaultRuleSet rules;
  rules.set_operations({{"POST", "/v1/chat/completions"},
                        {"GET", "/v1/files/{file_id}/content"},
                        {"POST", "/v1/batches/{batch_id}:cancel"},
                        {"PUT", "/v1/keys/{key_id}"},
                        {"DELETE", "/v1/keys/{key_id}"},
                        {"PUT", "/v1/teams/{team_id}"}});
  for (const char* good :
       {"POST /v1/chat/completions: reset", "* *: reset", "POST /v1/*: reset",
        "GET /v1/files/file_1/content: reset", "GET /v1/files/*: reset", "GET *content: reset",
        "POST /v1/batches/b1:cancel: reset", "HEAD /v1/files/x/content: reset"}) {
    CAPTURE(good);
    CHECK(rules.add({rule(good)}).has_value());
  }
  const auto expect_error = [&](const char* text) {
    const auto added = rules.add({rule(text)});
    REQUIRE_FALSE(added.has_value());
    return added.error().message + " " + added.error().hint;
  };
  CHECK(mentions(expect_error("POST /v1/chat/completion: reset"),
                 "Did you mean /v1/chat/completions?"));
  CHECK(mentions(expect_error("GET /v1/chat/completions: reset"), "are POST, not GET"));
  CHECK(mentions(expect_error("PATCH /v1/*s/x: reset"),
                 "the methods of /v1/*s/x are DELETE, PUT, not PATCH"));
  CHECK(mentions(expect_error("GET /v1/files/file_1: reset"), "unknown path /v1/files/file_1"));
  CHECK(mentions(expect_error("POST /elsewhere: reset"), "svc operations"));
}
