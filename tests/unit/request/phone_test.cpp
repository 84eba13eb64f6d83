// Phone numbers, calls, client secrets: formats, secrets, templates, null values, rules with
// values.
#include <doctest/doctest.h>
#include <nlohmann/json.hpp>

#include "request/show.h"
#include "request/text_format.h"
#include "try.h"

using namespace svc;
using namespace svc::request;
using namespace svc::test;
using nlohmann::json;

namespace {

bool fits(TextFormat form, const char* text) {
  return matches_format(form, text);
}

}  // namespace

TEST_CASE("a phone number is E.164") {
  for (const char* good : {"+14155550100", "+4721000000", "+6834000", "+123456789012345"}) {
    CAPTURE(good);
    CHECK(fits(TextFormat::PhoneNumber, good));
  }
  for (const char* bad : {"", "+", "14155550100", "+0415555010", "+1415555010a", "+1 415 555 0100",
                          "+1234567890123456", "+123456", "tel:+14155550100", "+14155550100\n"}) {
    CAPTURE(bad);
    CHECK_FALSE(fits(TextFormat::PhoneNumber, bad));
  }
  CHECK(suggest_format(TextFormat::PhoneNumber, "+1 (415) 555-0100") == "+14155550100");
  CHECK(suggest_format(TextFormat::PhoneNumber, "0047 21 00 00 00") == "+4721000000");
  CHECK(suggest_format(TextFormat::PhoneNumber, "support").empty());
}

TEST_CASE("an address range is CIDR") {
  for (const char* good :
       {"203.0.113.0/24", "0.0.0.0/0", "203.0.113.7/32", "2001:db8::/48", "::1/128"}) {
    CAPTURE(good);
    CHECK(fits(TextFormat::AddressRange, good));
  }
  for (const char* bad : {"", "203.0.113.7", "203.0.113.0/33", "2001:db8::/129", "203.0.113/24",
                          "203.0.113.0/", "203.0.113.0/-1", "203.0.113.0/24/8", "host/24",
                          "203.0.113.256/8", "01.2.3.4/8", "1.2.3.4/0x8", "1.2.3.4 /8"}) {
    CAPTURE(bad);
    CHECK_FALSE(fits(TextFormat::AddressRange, bad));
  }
  CHECK(suggest_format(TextFormat::AddressRange, "203.0.113.7") == "203.0.113.7/32");
  CHECK(suggest_format(TextFormat::AddressRange, "2001:db8::1") == "2001:db8::1/128");
}

TEST_CASE("an area code has three digits") {
  CHECK(fits(TextFormat::AreaCode, "415"));
  for (const char* bad : {"", "41", "4155", "41a", "015", "115", "+41"}) {
    CAPTURE(bad);
    CHECK_FALSE(fits(TextFormat::AreaCode, bad));
  }
}

TEST_CASE("a call goes to tel:+NUMBER or sip:USER@HOST") {
  for (const char* good :
       {"tel:+14155550100", "sip:a@b", "sip:desk@pbx.example.com", "sip:desk@pbx.example.com:5061",
        "sip:desk@203.0.113.7", "sip:desk@[2001:db8::1]:5060", "sip:d.e-s_k@pbx;transport=tcp"}) {
    CAPTURE(good);
    CHECK(fits(TextFormat::CallTarget, good));
  }
  for (const char* bad :
       {"", "tel:", "tel:14155550100", "tel:+1 415", "sip:", "sip:desk", "sip:@host", "sip:desk@",
        "sip:a@b@c", "sip:desk@host:0", "sip:desk@host:65536", "sip:desk@ho st", "sip:de sk@host",
        "sip:desk@[::1", "sip:desk@[203.0.113.7]", "sips:desk@host", "+14155550100",
        "https://example.com", "sip:desk@host\r\nX: y"}) {
    CAPTURE(bad);
    CHECK_FALSE(fits(TextFormat::CallTarget, bad));
  }
  CHECK(suggest_format(TextFormat::CallTarget, "+1 415 555 0100") == "tel:+14155550100");
  CHECK(suggest_format(TextFormat::CallTarget, "tel:+1-415-555-0100") == "tel:+14155550100");
  CHECK(suggest_format(TextFormat::CallTarget, "desk@pbx.example.com") ==
        "sip:desk@pbx.example.com");
  CHECK(suggest_format(TextFormat::CallTarget, "sips:desk@pbx") == "sip:desk@pbx");
  CHECK(suggest_format(TextFormat::CallTarget, "nobody").empty());
}

TEST_CASE("a webhook URL is http or https with a host") {
  for (const char* good : {"https://example.com/calls", "http://127.0.0.1:8080", "https://[::1]/x",
                           "https://example.com?a=b"}) {
    CAPTURE(good);
    CHECK(fits(TextFormat::WebUrl, good));
  }
  for (const char* bad : {"", "example.com", "ftp://example.com", "https://", "https:///x",
                          "https://exa mple.com", "https://u:p@example.com", "https://h:0/"}) {
    CAPTURE(bad);
    CHECK_FALSE(fits(TextFormat::WebUrl, bad));
  }
  CHECK(suggest_format(TextFormat::WebUrl, "example.com/calls") == "https://example.com/calls");
}

TEST_CASE("your own number: nested fields, lists, secrets") {
  Attempt attempt("phone", "create",
                  {{"name", "office"},
                   {"origin", "byo_trunk"},
                   {"phone-number", "+14155550100"},
                   {"webhook-url", "https://example.com/calls"},
                   {"webhook-auth-token", "env:TOKEN"},
                   {"sip-auth-username", "trunk"},
                   {"sip-auth-password", "@pw"},
                   {"sip-auth-allowed-addresses", "203.0.113.0/24"},
                   {"sip-auth-allowed-addresses", "2001:db8::/48"}});
  attempt.context.read_secret = [](const Field& field, const SecretSource& source) {
    return Result<std::string>(std::string(field.flag) + "<" + source.name);
  };
  CHECK(attempt.body() ==
        json{{"name", "office"},
             {"origin", "byo_trunk"},
             {"phone_number", "+14155550100"},
             {"webhook",
              {{"url", "https://example.com/calls"}, {"auth_token", "webhook-auth-token<TOKEN"}}},
             {"sip_auth",
              {{"auth_username", "trunk"},
               {"auth_password", "sip-auth-password<pw"},
               {"allowed_addresses", {"203.0.113.0/24", "2001:db8::/48"}}}}});
}

TEST_CASE("secrets are shown as variables, which curl fills in") {
  Attempt attempt("phone", "create",
                  {{"name", "it's"},
                   {"origin", "byo_trunk"},
                   {"phone-number", "+14155550100"},
                   {"sip-auth-username", "trunk"},
                   {"sip-auth-password", "env:SIP_PASSWORD"},
                   {"webhook-url", "https://example.com/calls"},
                   {"webhook-auth-token", "@token.txt"}});
  const auto request = attempt.build();
  REQUIRE(request.has_value());
  const std::string shown = show_request(*request);
  CHECK(shown.find("\"$SIP_PASSWORD\"") != std::string::npos);
  CHECK(shown.find("\"$SVC_WEBHOOK_AUTH_TOKEN\"") != std::string::npos);
  const std::string curl = show_curl(*request);
  CHECK(curl.find(R"("auth_password":"'"$SIP_PASSWORD"'")") != std::string::npos);
  CHECK(curl.find(R"("auth_token":"'"$SVC_WEBHOOK_AUTH_TOKEN"'")") != std::string::npos);
}

TEST_CASE("a secret in the arguments is rejected, and not repeated") {
  const auto refused = [](std::initializer_list<GivenFlag> flags, std::vector<std::string> sets) {
    Attempt attempt("phone", "create", flags);
    attempt.inputs.sets = std::move(sets);
    const Error error = attempt.error();
    CHECK(error.message.find("hunter2") == std::string::npos);
    CHECK(error.hint.find("hunter2") == std::string::npos);
    return error.message;
  };
  const std::string flag = refused({{"name", "x"},
                                    {"origin", "byo_trunk"},
                                    {"sip-auth-username", "u"},
                                    {"sip-auth-password", "hunter2"}},
                                   {});
  CHECK(flag.starts_with("--sip-auth-password must not be a literal secret"));
  const std::string set =
      refused({{"name", "x"}, {"origin", "byo_trunk"}}, {"sip_auth.auth_password=hunter2"});
  CHECK(set.starts_with("--set must not be a literal secret"));
  refused({{"name", "x"}, {"origin", "byo_trunk"}},
          {R"(sip_auth={"auth_username":"u","auth_password":"hunter2"})"});
}

TEST_CASE("a secret in --body is sent, but not shown") {
  Attempt attempt("phone", "create");
  attempt.with_body(R"({"name":"x","origin":"byo_trunk","phone_number":"+14155550100",
                        "sip_auth":{"auth_username":"u","auth_password":"hunter2"}})");
  const auto shown = attempt.build();
  REQUIRE(shown.has_value());
  CHECK(show_request_json(*shown).find("hunter2") == std::string::npos);
  attempt.context.read_secret = [](const Field&, const SecretSource&) {
    return Result<std::string>(usage_error("nobody asks"));
  };
  CHECK(attempt.body()["sip_auth"]["auth_password"] == "hunter2");
}

TEST_CASE("the fields of a number depend on its source") {
  const auto message = [](std::initializer_list<GivenFlag> flags) {
    return Attempt("phone", "create", flags).error().message;
  };
  CHECK(message({{"name", "x"}, {"origin", "svc_provisioned"}, {"phone-number", "+14155550100"}}) ==
        "--phone-number requires --origin byo_trunk");
  CHECK(message({{"name", "x"}, {"origin", "byo_trunk"}, {"area-code", "415"}}) ==
        "--area-code requires --origin svc_provisioned");
  CHECK(message({{"name", "x"}}) == message({{"name", "x"}, {"agent-id", "a"}}));
  CHECK(message({{"name", "x"},
                 {"origin", "byo_trunk"},
                 {"agent-id", "a"},
                 {"webhook-url", "https://example.com"}}) ==
        "--webhook-url and --agent-id cannot be combined");
  CHECK(message({{"name", "x"}, {"origin", "byo_trunk"}, {"sip-auth-username", "u"}}) ==
        "--sip-auth-username requires --sip-auth-password");
  CHECK(message({{"name", "x"}, {"origin", "byo_trunk"}, {"sip-auth-password", "env:P"}}) ==
        "--sip-auth-password requires --sip-auth-username");
  CHECK(message({{"name", "x"},
                 {"origin", "byo_trunk"},
                 {"webhook-url", "https://example.com"},
                 {"webhook-auth-url", "https://example.com/token"}}) ==
        "--webhook-auth-url requires --webhook-auth-token");
  CHECK(message({{"name", "x"}, {"origin", "byo_trunk"}, {"agent-id", "a"}}) ==
        "--origin byo_trunk requires --phone-number");
  CHECK(message({{"name", "x"}, {"origin", "byo_trunk"}, {"webhook-name", "n"}}) ==
        "--webhook-name requires --webhook-url");
}

TEST_CASE("an update of a number lists its fields as paths; a cleared one has no value") {
  CHECK(Attempt("phone", "update",
                {{"phone-number-id", "pn_1"}, {"agent-id", "agent_1"}, {"clear", "webhook-id"}})
            .body() == json{{"phone_number", {{"agent_id", "agent_1"}}},
                            {"field_mask", {{"paths", {"agent_id", "webhook_id"}}}}});
  CHECK(Attempt("phone", "update", {{"phone-number-id", "pn_1"}}).error().message ==
        "nothing to change");
}

TEST_CASE("a session as flags") {
  const json body = Attempt("realtime", "secret",
                            {{"expires-after", "10m"},
                             {"session", R"({"voice":"eve","instructions":"Old."})"},
                             {"instructions", "New."},
                             {"turn-detection", "server_vad"},
                             {"turn-detection-silence-duration-ms", "500"},
                             {"turn-detection-idle-timeout-ms", "none"},
                             {"web-search", "true"},
                             {"file-search", "col_1, col_2"},
                             {"mcp", "https://docs.example.com:8443/sse?a=b"},
                             {"keyterm", "fjord"},
                             {"audio-input-format-rate", "16000"},
                             {"speed", "1.1"},
                             {"resumption-enabled", "true"},
                             {"reasoning-effort", "none"}})
                        .body();
  CHECK(body == json::parse(R"({
    "expires_after": {"seconds": 600},
    "session": {
      "voice": "eve", "instructions": "New.",
      "turn_detection": {"type": "server_vad", "silence_duration_ms": 500,
                         "idle_timeout_ms": null},
      "tools": [{"type": "web_search"},
                {"type": "file_search", "vector_store_ids": ["col_1", "col_2"]},
                {"type": "mcp", "server_url": "https://docs.example.com:8443/sse?a=b",
                 "server_label": "docs.example.com"}],
      "audio": {"input": {"transcription": {"keyterms": ["fjord"]}, "format": {"rate": 16000}},
                "output": {"speed": 1.1}},
      "resumption": {"enabled": true},
      "reasoning": {"effort": "none"}}})"));
}

TEST_CASE("session values are checked") {
  const auto message = [](std::initializer_list<GivenFlag> flags) {
    return Attempt("realtime", "secret", flags).error().message;
  };
  CHECK(message({{"expires-after", "2h"}}) ==
        "--expires-after is out of range: '2h' (allowed: 1 to 3600 seconds)");
  CHECK(message({{"expires-after", "1500ms"}}) ==
        "--expires-after must be an integer number of seconds, not '1500ms'");
  CHECK(message({{"expires-after-seconds", "3601"}}) ==
        "--expires-after-seconds is out of range: '3601' (allowed: 1 to 3600 seconds)");
  CHECK(message({{"turn-detection", "client"}}) ==
        "--turn-detection must be one of server_vad, none, not 'client'");
  CHECK(message({{"turn-detection", "none"}, {"turn-detection-threshold", "0.5"}}) ==
        "--turn-detection-threshold and --turn-detection none cannot be combined");
  CHECK(message({{"turn-detection-threshold", "0.95"}}) ==
        "--turn-detection-threshold is out of range: '0.95' (allowed: 0.1 to 0.9)");
  CHECK(message({{"audio-input-format-rate", "11025"}})
            .starts_with("--audio-input-format-rate must be one of"));
  CHECK(message({{"speed", "2"}}).starts_with("--speed is out of range"));
  CHECK(Attempt("realtime", "secret", {{"turn-detection", "none"}}).body() ==
        json{{"session", {{"turn_detection", nullptr}}}});
  CHECK(Attempt("realtime", "secret").body() == json::object());
}
