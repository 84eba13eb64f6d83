#include <doctest/doctest.h>
#include <nlohmann/json.hpp>

#include "emulator/api/phone/phone.h"
#include "management_support.h"

using namespace svc;
using namespace svc::emulator;
using namespace svc::test;

namespace {

nlohmann::json body_of(const Response& response) {
  CAPTURE(response.body);
  REQUIRE(response.status == 200);
  return nlohmann::json::parse(response.body);
}

nlohmann::json own_number(std::string_view number, nlohmann::json more = nlohmann::json::object()) {
  nlohmann::json body = {{"origin", "byo_trunk"}, {"name", "Desk"}, {"phone_number", number}};
  body.update(more);
  return body;
}

class PhoneApi : public ManagementApi {
 public:
  Response create(const nlohmann::json& body) { return post("/v2/phone-numbers", body.dump()); }
  Response patch(const std::string& id, const nlohmann::json& body) {
    return ask("PATCH", "/v2/phone-numbers/" + id, body.dump());
  }
  nlohmann::json number(const std::string& id) {
    return body_of(get("/v2/phone-numbers/" + id))["phone_number"];
  }
};

}  // namespace

TEST_CASE("a number is registered; its signing secret is shown once, its password never") {
  PhoneApi api;
  const nlohmann::json created = body_of(api.create(own_number(
      "+14155550123", {{"sip_auth",
                        {{"auth_username", "pbx"},
                         {"auth_password", "hush"},
                         {"allowed_addresses", {"10.0.0.0/8"}}}},
                       {"webhook", {{"url", "http://127.0.0.1:1/hook"}, {"auth_token", "t"}}}})));
  const std::string secret = created["webhook"]["dispatch_signing_secret"];
  CHECK(secret.starts_with("whsec_"));
  CHECK(secret.size() == 6 + 44);
  const nlohmann::json& number = created["phone_number"];
  CHECK(number["phone_number"] == "+14155550123");
  CHECK(number["webhook_id"] == created["webhook"]["webhook_id"]);
  CHECK(number["sip_auth"] ==
        nlohmann::json{{"auth_username", "pbx"}, {"allowed_addresses", {"10.0.0.0/8"}}});
  CHECK(number["created_at"] == "2027-01-15T08:00:00Z");
  CHECK(number["agent_id"].is_null());
  const Response shown = api.get("/v2/phone-numbers");
  CHECK(body_of(shown)["phone_numbers"] == nlohmann::json::array({number}));
  CHECK_FALSE(body_contains(shown, "hush"));
  CHECK_FALSE(body_contains(shown, secret));
  const std::string path = "/v2/phone-numbers/" + number["phone_number_id"].get<std::string>();
  CHECK(api.ask("DELETE", path).status == 200);
  CHECK(api.ask("DELETE", path).status == 404);
  CHECK(api.get(path).status == 404);
  CHECK(api.create(own_number("+14155550123")).status == 200);
}

TEST_CASE("invalid numbers") {
  PhoneApi api;
  const auto expect_error = [&](const nlohmann::json& body, std::string_view part,
                                int status = 400) {
    const Response response = api.create(body);
    CAPTURE(response.body);
    CHECK(response.status == status);
    CHECK(body_contains(response, part));
  };
  const std::string number = "+14155550123";
  expect_error({{"origin", "svc_provisioned"}, {"name", "x"}}, "console");
  expect_error({{"origin", "other"}, {"name", "x"}}, "svc_provisioned", 422);
  expect_error({{"origin", "byo_trunk"}}, "name", 422);
  expect_error({{"origin", "byo_trunk"}, {"name", "x"}}, "phone_number is required");
  expect_error(own_number("4155550123"), "E.164");
  expect_error(own_number(number, {{"area_code", "415"}}), "svc_provisioned only");
  expect_error(own_number(number, {{"agent_id", "a"}, {"webhook", {{"url", "http://h/"}}}}),
               "exclusive");
  expect_error(own_number(number, {{"webhook", {{"url", "ftp://h/"}}}}), "webhook.url");
  expect_error(own_number(number, {{"webhook", nlohmann::json::object()}}), "url", 422);
  expect_error(own_number(number, {{"webhook", {{"url", "http://h/"}, {"auth_url", "http://a/"}}}}),
               "together");
  expect_error(
      own_number(number, {{"webhook", {{"url", "http://h/"}, {"auth_token", "a\r\nb: c"}}}}),
      "auth_token");
  expect_error(own_number(number, {{"sip_auth", {{"auth_username", "u"}}}}), "together");
  expect_error(own_number(number, {{"sip_auth", {{"allowed_addresses", {"10.0.0.0/33"}}}}}),
               "CIDR");
  CHECK(api.create(own_number(number)).status == 200);
  expect_error(own_number(number), "already registered", 409);
}

TEST_CASE("a provisioned number requires the header that confirms an emulator") {
  PhoneApi api;
  HttpRequest request{"POST",
                      "/v2/phone-numbers",
                      {},
                      R"({"origin":"svc_provisioned","name":"x","areaCode":"212"})"};
  request.headers = {{"Host", "localhost:1"},
                     {"Authorization", "Bearer " + std::string(k_demo_key)},
                     {"Content-Type", "application/json"},
                     {"x-emulator-provision", "1"}};
  Dispatcher dispatcher(api.state(), all_routes());
  const auto create = [&] { return dispatcher.response(request, dispatcher.admit(request)); };
  const std::string accepted = request.body;
  const auto refusal = [&](const char* more) -> std::string {
    request.body = std::string(R"({"origin":"svc_provisioned","name":"x",)") + more + "}";
    return nlohmann::json::parse(create().body)["error"];
  };
  for (const char* area : {R"("area_code":"21")", R"("areaCode":"2123")", R"("areaCode":"21x")"}) {
    CHECK(refusal(area) == "area_code must be 3 digits.");
  }
  CHECK(refusal(R"("phone_number":"+14155550123")") ==
        "phone_number is for origin byo_trunk only.");
  request.body = accepted;
  std::string last;
  for (int i = 0; i < 100; ++i) {
    const std::string number = body_of(create())["phone_number"]["phone_number"];
    if (i == 0) CHECK(number == "+12125550100");
    CHECK(number > last);
    last = number;
  }
  CHECK(last == "+12125550199");
  const Response refused = create();
  CHECK(refused.status == 429);
  CHECK(body_contains(refused, "All numbers of that area are taken."));
}

TEST_CASE("a mask lists the changes, and clears fields without a value") {
  PhoneApi api;
  const nlohmann::json created =
      body_of(api.create(own_number("+14155550123", {{"agent_id", "agent_1"}})));
  const std::string id = created["phone_number"]["phone_number_id"];
  CHECK(created["phone_number"]["agent_name"] == "Agent agent_1");
  CHECK(api.patch(id, {{"name", "flat"}}).status == 400);
  CHECK(api.patch(id, {{"phone_number", {{"name", "x"}}}}).status == 400);
  CHECK(
      api.patch(id, {{"phone_number", {{"origin", "x"}}}, {"field_mask", {{"paths", {"origin"}}}}})
          .status == 400);
  api.advance(60'000);
  const nlohmann::json changed =
      body_of(api.patch(id, {{"phone_number", {{"name", "Front"}, {"outbound_sms_enabled", true}}},
                             {"field_mask", {{"paths", {"name", "agent_id"}}}}}))["phone_number"];
  CHECK(changed["name"] == "Front");
  CHECK(changed["agent_id"].is_null());
  CHECK(changed["outbound_sms_enabled"] == false);
  CHECK(changed["updated_at"] == "2027-01-15T08:01:00Z");
  CHECK(changed == api.number(id));
  // Camel case, and the mask as a string.
  const nlohmann::json camel =
      body_of(api.patch(id, {{"phoneNumber", {{"agentId", "agent_2"}}},
                             {"fieldMask", "agentId, outboundSmsEnabled"}}));
  CHECK(camel["phone_number"]["agent_id"] == "agent_2");
  for (const char* unknown : {"phone_number.agent_id", "agent-id", "agent_id_"}) {
    CHECK(api.patch(id, {{"phone_number", {{"agent_id", "agent_3"}}},
                         {"field_mask", {{"paths", {unknown}}}}})
              .status == 400);
  }
  CHECK(api.patch(id, {{"phone_number", {{"webhook_id", "wh_none"}}},
                       {"field_mask", {{"paths", {"webhook_id"}}}}})
            .status == 400);
}

TEST_CASE("numbers belong to a team") {
  PhoneApi api;
  const nlohmann::json created = body_of(api.create(own_number("+14155550123")));
  KeyRecord other;
  other.id = "other";
  other.team_id = "00000000-0000-4000-8000-00000000dead";
  other.acls = {"api-key:endpoint:*"};
  REQUIRE(api.state().add_key(other, "svc-other-team"));
  const std::string path =
      "/v2/phone-numbers/" + created["phone_number"]["phone_number_id"].get<std::string>();
  CHECK(api.ask("GET", path, "", "svc-other-team").status == 404);
  const nlohmann::json call = body_of(api.post("/_emulator/calls", R"({"to":"+14155550123"})"));
  const std::string hangup = "/v1/realtime/calls/" + call["call_id"].get<std::string>() + "/hangup";
  const Response refused = api.ask("POST", hangup, "{}", "svc-other-team");
  CHECK(refused.status == 400);
  CHECK(body_contains(refused, "invalid call_id"));
  CHECK(api.post(hangup, "{}").status == 200);
  CHECK(api.ask("POST", "/v2/phone-numbers", own_number("+14155550123").dump(), "svc-other-team")
            .status == 409);
}

TEST_CASE("formats of numbers, ranges and targets") {
  using namespace svc::emulator::phone;
  for (const char* good : {"+14155550123", "+12", "+123456789012345"}) CHECK(is_e164(good));
  for (const char* bad : {"", "+", "+0123456", "14155550123", "+1415555012345678", "+1 415"}) {
    CHECK_FALSE_MESSAGE(is_e164(bad), bad);
  }
  for (const char* good : {"10.0.0.0/8", "203.0.113.7/32", "2001:db8::/32", "0.0.0.0/0"}) {
    CHECK_MESSAGE(is_cidr(good), good);
  }
  for (const char* bad : {"10.0.0.0", "10.0.0.0/33", "10.0.0/8", "::1/129", "/8", "a/8",
                          "10.0.0.0/4294967304", "fe80::1%lo/64"}) {
    CHECK_FALSE_MESSAGE(is_cidr(bad), bad);
  }
  for (const char* good : {"tel:+14155550123", "sip:ann@pbx.example", "sip:+1@10.0.0.1:5060",
                           "sip:ann@[::1]:5060;transport=tcp"}) {
    CHECK_MESSAGE(is_call_target(good), good);
  }
  for (const char* bad : {"tel:4155550123", "sip:pbx.example", "sip:@h", "sip:a@", "sip:a b@h",
                          "http://h/", "sip:a@h:0"}) {
    CHECK_FALSE_MESSAGE(is_call_target(bad), bad);
  }
}

TEST_CASE("a refused number is explained") {
  PhoneApi api;
  const std::string number = "+14155550123";
  const auto refusal = [&](const nlohmann::json& body) -> std::string {
    const Response response = api.create(body);
    CAPTURE(response.body);
    CHECK(response.status == 400);
    return nlohmann::json::parse(response.body)["error"];
  };
  const auto hook = [&](const nlohmann::json& more) {
    nlohmann::json webhook = {{"url", "http://h/"}};
    webhook.update(more);
    return refusal(own_number(number, {{"webhook", webhook}}));
  };
  CHECK(refusal({{"origin", "byo_trunk"}, {"name", "x"}}) ==
        "phone_number is required when origin is byo_trunk.");
  CHECK(refusal(own_number(number, {{"area_code", "415"}})) ==
        "area_code is for origin svc_provisioned only.");
  const std::string together =
      "sip_auth.auth_username and sip_auth.auth_password must be given together.";
  CHECK(refusal(own_number(number, {{"sip_auth", {{"auth_username", "u"}}}})) == together);
  CHECK(refusal(own_number(number, {{"sip_auth", {{"auth_password", "p"}}}})) == together);
  CHECK(hook({{"url", "ftp://h/"}}) == "webhook.url must be an http or https address.");
  CHECK(hook({{"auth_url", "http://a/"}}) ==
        "webhook.auth_url and webhook.auth_token must be given together.");
  CHECK(hook({{"auth_url", "ftp://a/"}, {"auth_token", "t"}}) ==
        "webhook.auth_url must be an http or https address.");
  for (const char* token : {"a b", "a\x7F", " "}) {
    CHECK(hook({{"auth_token", token}}) ==
          "webhook.auth_token must be visible ASCII without blanks.");
  }
  CHECK(refusal(own_number(number, {{"agent_id", "a"}, {"webhook", {{"url", "http://h/"}}}})) ==
        "agent_id and webhook are mutually exclusive: a number routes its calls to one of them.");
  // What is just within the rules.
  CHECK(
      api
          .create(own_number(
              number, {{"webhook",
                        {{"url", "https://h/"}, {"auth_url", "http://a/"}, {"auth_token", "!~"}}}}))
          .status == 200);
  CHECK(nlohmann::json::parse(api.create(own_number(number)).body)["error"] ==
        "The phone number +14155550123 is already registered.");
}

TEST_CASE("a new number states each of its members") {
  PhoneApi api;
  nlohmann::json number =
      body_of(api.create(own_number("+14155550123", {{"agent_id", "a1"}})))["phone_number"];
  const std::string id = number["phone_number_id"];
  CHECK(number == nlohmann::json{{"phone_number_id", id},
                                 {"team_id", k_demo_team_id},
                                 {"phone_number", "+14155550123"},
                                 {"name", "Desk"},
                                 {"agent_id", "a1"},
                                 {"agent_name", "Agent a1"},
                                 {"webhook_id", nullptr},
                                 {"origin", "byo_trunk"},
                                 {"outbound_sms_enabled", false},
                                 {"sip_host", "sip.emulator.invalid"},
                                 {"inbound_trunk_id", "trunk_" + id.substr(id.find('_') + 1)},
                                 {"sip_auth", {{"allowed_addresses", nlohmann::json::array()}}},
                                 {"created_at", "2027-01-15T08:00:00Z"},
                                 {"updated_at", "2027-01-15T08:00:00Z"}});
  const auto refusal = [&](const nlohmann::json& body) {
    return nlohmann::json::parse(api.patch(id, body).body)["error"];
  };
  const std::string no_paths =
      "field_mask.paths must name what is to be updated: {\"phone_number\": {…}, \"field_mask\": "
      "{\"paths\": [\"name\"]}}.";
  CHECK(refusal({{"phone_number", {{"name", "x"}}}}) == no_paths);
  CHECK(refusal({{"phone_number", {{"name", "x"}}}, {"field_mask", " , "}}) == no_paths);
  CHECK(api.number(id) == number);
  number["name"] = "Front";
  number["outbound_sms_enabled"] = true;
  CHECK(body_of(api.patch(
            id, {{"phone_number", {{"name", "Front"}, {"outbound_sms_enabled", true}}},
                 {"field_mask", " name ,outbound_sms_enabled"}}))["phone_number"] == number);
}

TEST_CASE("the host of a target can have a port from 1 to 65535") {
  for (const char* good : {"h:1", "h:65535", "a-b_c.9", "[::1]", "[::1]:9"}) {
    CHECK_MESSAGE(phone::is_call_target(std::string("sip:a@") + good), good);
  }
  for (const char* bad : {"h:0", "h:65536", "h:", "h:x", ":5060", "[]", "[::1", "[", "h/x", "h!"}) {
    CHECK_FALSE_MESSAGE(phone::is_call_target(std::string("sip:a@") + bad), bad);
  }
}

TEST_CASE("a delivery is signed as in Standard Webhooks v1") {
  using svc::emulator::phone::sign_delivery;
  // The test vector of the specification's libraries.
  CHECK(sign_delivery("whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw", "msg_p5jXN8AQM9LWM0D4loKWxJek",
                      1614265330, R"({"test": 2432232314})") ==
        "v1,g0hM9SsE+OTPJTGt/tmIKtSyZlE3uFJELVlNIOLJ1OE=");
  // RFC 4231 case 2, using a secret in another format: then the content is what is signed.
  CHECK(sign_delivery("Jefe", "a", 1, "b") != sign_delivery("jefe", "a", 1, "b"));
  CHECK(phone::make_signing_secret() != phone::make_signing_secret());
}

TEST_CASE("client secrets have an expiry time") {
  ManagementApi api;
  const auto make = [&](const char* body) { return api.post("/v1/realtime/client_secrets", body); };
  const Response plain = make("{}");
  const nlohmann::json secret = body_of(plain);
  CHECK(secret["value"].get<std::string>().starts_with("svc-realtime-client-secret-"));
  CHECK(secret["value"].get<std::string>().size() == 27 + 80);
  CHECK(secret["expires_at"] == k_fixture_start_ms / 1000 + 600);
  CHECK_FALSE(header_of(plain, "x-trace-id").empty());
  CHECK(body_of(make(R"({"expires_after":{"seconds":3600},"session":{"voice":"ara"},"new":1})"))
            ["expires_at"] == k_fixture_start_ms / 1000 + 3600);
  CHECK(make(R"({"expires_after":{"seconds":3601}})").status == 400);
  CHECK(make(R"({"expires_after":{"seconds":0}})").status == 400);
  CHECK(make(R"({"expires_after":{"seconds":"60"}})").status == 422);
  CHECK(make(R"({"session":null})").status == 200);
}
