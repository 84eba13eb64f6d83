// The findings of `svc doctor`.
#include <map>

#include <doctest/doctest.h>
#include <nlohmann/json.hpp>

#include "commands/doctor/report.h"
#include "json/document.h"
#include "support/mentions.h"

using namespace svc;
using test::mentions;
using namespace svc::cli;
using nlohmann::json;

namespace {

constexpr const char* k_key = "svc-0123456789-secret-wxyz";
constexpr const char* k_good =
    R"({"api_key_id":"k1","name":"my key","team_id":"t1","api_key_blocked":false,)"
    R"("api_key_disabled":false,"team_blocked":false})";

/// A URL, requested with a key, that responded with `status`.
struct Case {
  explicit Case(int status, std::string body = {}, Origin origin = Origin::Profile)
      : setting{"https://api.example.com", origin, "work"} {
    probe.check = "base_url";
    probe.setting = &setting;
    probe.kind = KeyKind::Inference;
    probe.key = k_key;
    probe.outcome.sent = true;
    probe.outcome.answered = status != 0;
    probe.outcome.head.status = status;
    probe.outcome.head.version = "2";
    probe.body = std::move(body);
    probe.took = std::chrono::milliseconds(43);
  }
  Case(const Case&) = delete;
  Case& operator=(const Case&) = delete;

  [[nodiscard]] Finding finding() const {
    Finding found = assess(probe);
    CHECK(found.check == probe.check);
    CHECK_FALSE(mentions(found.detail + found.hint, "secret"));
    return found;
  }

  Setting setting;
  Probe probe{};
};

Environment environment(std::map<std::string, std::string> variables) {
  return Environment{[variables](const std::string& name) -> std::optional<std::string> {
    const auto found = variables.find(name);
    if (found == variables.end()) return std::nullopt;
    return found->second;
  }};
}

Finding error_of(Fault fault, const std::string& check) {
  return finding_of(check, Error{fault, check + " is wrong", "mend " + check});
}

}  // namespace

TEST_CASE("a host that accepts the key is fine") {
  const Case good(200, k_good);
  const Finding finding = good.finding();
  CHECK(finding.state == State::Ok);
  CHECK(finding.detail ==
        "https://api.example.com (profile work): answered in 43 ms over HTTP/2, certificate "
        "verified; accepts the API key 'my key' of team t1");
  CHECK(finding.hint.empty());
}

TEST_CASE("plain http is reported") {
  Case plain(200, k_good);
  plain.setting.value = "http://127.0.0.1:8080";
  plain.probe.outcome.head.version = "1.1";
  CHECK(mentions(plain.finding().detail, "over HTTP/1.1, not encrypted"));
}

TEST_CASE("a host that rejects the key") {
  for (const auto& [status, body] :
       {std::pair(400, R"({"code":"x","error":"Incorrect API key provided: sv***yz"})"),
        std::pair(401, R"({"error":"no"})"), std::pair(403, R"({"error":"no"})")}) {
    const Case refused(status, body);
    const Finding finding = refused.finding();
    CHECK(finding.state == State::Error);
    CHECK(finding.fault == Fault::Auth);
    CHECK(mentions(finding.detail, "https://api.example.com (profile work): "));
  }
}

TEST_CASE("a key echoed by the service is masked") {
  const Case echoed(401, std::string(R"({"error":"wrong key )") + k_key + "\"}");
  CHECK(mentions(echoed.finding().detail, "svc-\xe2\x80\xa6wxyz"));
}

TEST_CASE("a blocked key or team") {
  for (const char* member : {"api_key_blocked", "api_key_disabled", "team_blocked"}) {
    CAPTURE(member);
    json body = json::parse(k_good);
    body[member] = true;
    const Case blocked(200, body.dump());
    CHECK(blocked.finding().state == State::Error);
    CHECK(blocked.finding().fault == Fault::Auth);
  }
}

TEST_CASE("something else responds at the URL") {
  const Case page(200, "<html>Welcome</html>");
  CHECK(page.finding().state == State::Error);
  CHECK(page.finding().fault == Fault::Network);
  CHECK(mentions(page.finding().detail, "is this the service's URL?"));

  Case other(404, "<h1>Not Found</h1>");
  for (const char* key : {k_key, ""}) {
    other.probe.key = key;
    CHECK(other.finding().state == State::Error);
    CHECK(other.finding().fault == Fault::Network);
    CHECK(mentions(other.finding().detail, "has no /v1/api-key"));
    CHECK(mentions(other.finding().hint, "URL"));
  }
  // Its path is known only from observation.
  other.probe.kind = KeyKind::Management;
  CHECK(other.finding().state == State::Warning);
}

TEST_CASE("the emulator may lack the key check") {
  Case emulator(404, "{}", Origin::Emulator);
  emulator.probe.kind = KeyKind::Management;
  CHECK(emulator.finding().state == State::Ok);
  CHECK(mentions(emulator.finding().detail, "the emulator does not check the management key"));
}

TEST_CASE("an unreachable host") {
  Case dead(0);
  dead.probe.outcome.sent = false;
  dead.probe.outcome.error =
      Error{Fault::Network, std::string("cannot connect with ") + k_key, "check the address"};
  CHECK(dead.finding().state == State::Error);
  CHECK(dead.finding().fault == Fault::Network);
  CHECK(dead.finding().hint == "check the address");
  dead.probe.outcome.error = Error{Fault::Timeout, "no answer within 15 s"};
  CHECK(dead.finding().fault == Fault::Timeout);
}

TEST_CASE("warnings pass, failures do not") {
  const Case limited(429, R"({"error":"too many requests"})");
  CHECK(limited.finding().state == State::Warning);
  const Case broke(429, R"({"error":"all available credits are used"})");
  CHECK(broke.finding().state == State::Warning);
  const Case failed(503, "");
  CHECK(failed.finding().state == State::Error);
  CHECK(failed.finding().fault == Fault::Service);
}

TEST_CASE("without a key, any response will do") {
  Case open(401, R"({"error":"no key"})");
  open.probe.key.clear();
  CHECK(open.finding().state == State::Ok);
  CHECK(mentions(open.finding().detail, "no API key to check"));
  open.probe.kind = std::nullopt;
  open.probe.outcome.head.status = 405;
  CHECK(open.finding().state == State::Ok);
  open.probe.outcome.head.status = 502;
  CHECK(open.finding().state == State::Error);
}

TEST_CASE("names from the service cannot control the terminal") {
  json body = json::parse(k_good);
  body["name"] = "evil\x1b[2J\n";
  body["team_id"] = "t\x1b]0;x\x07";
  const Case evil(200, body.dump());
  CHECK_FALSE(mentions(evil.finding().detail, "\x1b"));
  CHECK_FALSE(mentions(evil.finding().detail, "\n"));
}

TEST_CASE("the exit code is that of the worst finding") {
  CHECK_FALSE(verdict({}).has_value());
  const std::vector<Finding> well = {{"a", State::Ok, "fine", ""},
                                     {"b", State::Note, "a note", "hint"},
                                     {"c", State::Warning, "a warning", "hint"}};
  CHECK_FALSE(verdict(well).has_value());

  std::vector<Finding> findings = well;
  findings.push_back(error_of(Fault::Usage, "config"));
  auto worst = verdict(findings);
  REQUIRE(worst);
  CHECK(worst->fault == Fault::Usage);
  CHECK(worst->message == "config: config is wrong");
  CHECK(worst->hint == "mend config");

  for (const Fault fault : {Fault::Local, Fault::Auth, Fault::Limited, Fault::Service,
                            Fault::Timeout, Fault::Network}) {
    findings.push_back(error_of(fault, "next"));
    worst = verdict(findings);
    REQUIRE(worst);
    CHECK(worst->fault == fault);
  }
  CHECK(worst->message == "7 checks failed; the worst: next: next is wrong");
}

TEST_CASE("the report as JSON") {
  std::vector<Finding> findings = {{"version", State::Ok, "svc", ""},
                                   {"clock", State::Warning, "late", "Set the clock."}};
  json report = json::parse(compact_json(to_json(findings)));
  CHECK(report["ok"] == true);
  CHECK(report["checks"] ==
        json::parse(R"([{"check":"version","state":"ok","detail":"svc","hint":null},
                        {"check":"clock","state":"warning","detail":"late","hint":"Set the clock."}])"));
  findings.push_back(error_of(Fault::Auth, "api_key"));
  report = json::parse(compact_json(to_json(findings)));
  CHECK(report["ok"] == false);
  CHECK(report["checks"][2]["state"] == "error");
  CHECK(json::parse(compact_json(to_json(Finding{"x", State::Note, "\xff", ""})))["state"] ==
        "note");
}

TEST_CASE("proxies are shown without their passwords") {
  CHECK(check_proxy(environment({})).state == State::Ok);
  CHECK(check_proxy(environment({{"https_proxy", ""}})).detail == "none");
  const Finding finding = check_proxy(environment({{"https_proxy", "http://me:secret@proxy:8080"},
                                                   {"ALL_PROXY", "me:secret@other:1"},
                                                   {"no_proxy", "localhost"}}));
  CHECK(finding.state == State::Note);
  CHECK_FALSE(mentions(finding.detail, "secret"));
  CHECK(mentions(finding.detail, "proxy:8080"));
  CHECK(mentions(finding.detail, "other:1"));
  CHECK(mentions(finding.detail, "no_proxy=localhost"));
  CHECK_FALSE(
      mentions(check_proxy(environment({{"http_proxy", "http://x\x1b[2J"}})).detail, "\x1b"));
}

TEST_CASE("the clock is compared with the service's") {
  // Sun, 06 Nov 1994 08:49:37 GMT
  constexpr std::int64_t then = 784111777;
  http::HttpHead head;
  CHECK_FALSE(check_clock(head, then).has_value());
  head.headers = {{"Date", "Sun, 06 Nov 1994 08:49:37 GMT"}};
  for (const std::int64_t apart : {-300, 0, 300}) {
    CHECK(check_clock(head, then + apart)->state == State::Ok);
  }
  CHECK(check_clock(head, then + 301)->state == State::Warning);
  CHECK(check_clock(head, then + 3600)->detail == "this machine is 1 h ahead of the service");
  CHECK(check_clock(head, then - 3600)->detail == "this machine is 1 h behind the service");
  head.headers = {{"Date", "yesterday"}};
  CHECK_FALSE(check_clock(head, then).has_value());
}

TEST_CASE("what is said of a host, word for word") {
  Case other(404, "<h1>Not Found</h1>");
  CHECK(other.finding().detail ==
        "https://api.example.com (profile work): answered in 43 ms over HTTP/2, certificate "
        "verified, but has no /v1/api-key");
  CHECK(other.finding().hint == "Check that this is the service's URL.");
  Case live(200, k_good);
  live.setting.value = "wss://api.example.com";
  live.probe.outcome.head.version.clear();
  live.probe.kind = std::nullopt;
  CHECK(live.finding().detail ==
        "wss://api.example.com (profile work): answered in 43 ms over HTTP/1.1, certificate "
        "verified");
  Case bare(200, R"({"api_key_id":"k1"})");
  bare.setting.value = "http://127.0.0.1:1";
  CHECK(bare.finding().detail ==
        "http://127.0.0.1:1 (profile work): answered in 43 ms over HTTP/2, not encrypted; accepts "
        "the API key");
  bare.probe.key.clear();
  for (const auto& [status, state] :
       {std::pair(401, State::Ok), std::pair(499, State::Ok), std::pair(500, State::Error)}) {
    CAPTURE(status);
    bare.probe.outcome.head.status = status;
    CHECK(bare.finding().state == state);
  }
  Case emulator(404, "{}", Origin::Emulator);
  CHECK(mentions(emulator.finding().detail, "; the emulator does not check the API key"));
  CHECK(emulator.finding().hint.empty());
}

TEST_CASE("proxies and clocks, word for word") {
  CHECK(check_proxy(environment({{"https_proxy", "http://me:secret@proxy:8080"},
                                 {"HTTPS_PROXY", "a"},
                                 {"http_proxy", "b:1"},
                                 {"all_proxy", "socks5://c"},
                                 {"ALL_PROXY", "me:secret@other:1"},
                                 {"no_proxy", "localhost"},
                                 {"NO_PROXY", "*"}}))
            .detail ==
        "https_proxy=http://***@proxy:8080, HTTPS_PROXY=a, http_proxy=b:1, all_proxy=socks5://c, "
        "ALL_PROXY=***@other:1, no_proxy=localhost, NO_PROXY=*");
  constexpr std::int64_t then = 784111777;
  http::HttpHead head;
  head.headers = {{"Date", "Sun, 06 Nov 1994 08:49:37 GMT"}};
  CHECK(check_clock(head, then)->detail == "agrees with the service");
  CHECK(check_clock(head, then - 301)->state == State::Warning);
  CHECK(check_clock(head, then - 301)->detail == "this machine is 5 min 01 s behind the service");
  CHECK(check_clock(head, then + 301)->hint ==
        "Set the clock: certificates, signatures and retries depend on it.");
}

TEST_CASE("every class of error has a rank") {
  // One class after the other becomes the worst, until an unexpected error does.
  std::vector<Finding> findings;
  for (const Fault fault :
       {Fault::Usage, Fault::Local, Fault::NotFound, Fault::Auth, Fault::Limited, Fault::Service,
        Fault::Timeout, Fault::Network, Fault::Unexpected}) {
    findings.insert(findings.begin(), error_of(fault, "first"));
    findings.push_back(error_of(fault, "last"));
    CHECK(verdict(findings)->fault == fault);
    CHECK(mentions(verdict(findings)->message, "the worst: first: first is wrong"));
  }
  CHECK(verdict(std::vector{error_of(Fault::Auth, "key")})->message == "key: key is wrong");
}
