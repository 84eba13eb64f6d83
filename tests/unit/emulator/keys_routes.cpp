#include <algorithm>
#include <set>

#include <doctest/doctest.h>
#include <nlohmann/json.hpp>

#include "base/clock.h"
#include "emulator/account/auth.h"
#include "emulator/handler/handler.h"
#include "management_support.h"

using namespace svc;
using namespace svc::emulator;
using namespace svc::test;

namespace {

constexpr std::int64_t k_day_s = 86'400;
const std::string k_keys_path = k_team_path + "/api-keys";
const std::string k_question = R"({"model":"svc-4.5","messages":[{"role":"user","content":"Hi"}]})";

nlohmann::json create(ManagementApi& api, const std::string& body) {
  const Response response = api.post(k_keys_path, body);
  CAPTURE(response.body);
  REQUIRE(response.status == 200);
  return nlohmann::json::parse(response.body);
}

// A key with all permissions, with additional request fields.
nlohmann::json create_full(ManagementApi& api, const std::string& more = "") {
  return create(api, R"({"name":"k","acls":["api-key:endpoint:*","api-key:model:*"])" + more + "}");
}

int chat_with(ManagementApi& api, const nlohmann::json& key) {
  return api.ask("POST", "/v1/chat/completions", k_question, key["apiKey"].get<std::string>())
      .status;
}

std::string path_of(const nlohmann::json& key) {
  return "/auth/api-keys/" + key["apiKeyId"].get<std::string>();
}

std::string after(const ManagementApi& api, std::int64_t seconds) {
  return format_rfc3339(api.now_ms() / 1000 + seconds);
}

}  // namespace

TEST_CASE("a created key shows its secret once, and works") {
  ManagementApi api;
  const nlohmann::json key = create_full(api, R"(,"qps":5,"qpm":"200","tpm":"100000")");
  const auto secret = key["apiKey"].get<std::string>();
  CHECK(secret.starts_with("svc-"));
  CHECK(secret.size() == 84);
  CHECK(key["redactedApiKey"] == "svc-..." + secret.substr(80));
  CHECK(key["qps"] == 5);
  CHECK(key["qpm"] == 200);
  CHECK(key["tpm"] == "100000");  // 64-bit integers are strings
  CHECK(key["name"] == "k");
  CHECK(key["userId"] == k_demo_user_id);
  CHECK(key["teamId"] == k_demo_team_id);
  CHECK(key["createTime"] == after(api, 0));
  CHECK(key["modifyTime"] == after(api, 0));
  CHECK_FALSE(key.contains("disabled"));
  CHECK_FALSE(key.contains("expireTime"));
  CHECK(chat_with(api, key) == 200);

  const Response list = api.get(k_keys_path);
  CHECK(body_contains(list, key["apiKeyId"].get<std::string>()));
  CHECK_FALSE(body_contains(list, secret));
  // Nor is it in the state.
  const auto hits = api.state().with([&](Database& database) {
    auto row = database.query(
        "SELECT count(*) FROM keys WHERE instr(redacted || secret_hash || name, ?) > 0", secret);
    REQUIRE(row.has_value());
    REQUIRE(*row->step());
    return row->integer(0);
  });
  CHECK(hits == 0);
}

TEST_CASE("a key without permissions exists but can do nothing") {
  ManagementApi api;
  const nlohmann::json key = create(api, R"({"name":"bare"})");
  CHECK_FALSE(key.contains("aclStrings"));
  CHECK(chat_with(api, key) == 403);
  const nlohmann::json narrow =
      create(api, R"({"name":"n","acls":["api-key:endpoint:chat","api-key:model:svc-4.3"]})");
  CHECK(chat_with(api, narrow) == 403);  // the request is for svc-4.5
}

TEST_CASE("invalid creations") {
  ManagementApi api;
  const auto expect_error = [&](const char* body, std::string_view part) {
    const Response response = api.post(k_keys_path, body);
    CAPTURE(body);
    CAPTURE(response.body);
    CHECK(response.status == 400);
    CHECK(nlohmann::json::parse(response.body)["code"] == 3);
    CHECK(nlohmann::json::parse(response.body)["details"] == nlohmann::json::array());
    CHECK(body_contains(response, part));
  };
  expect_error("{}",
               "name: Field is empty but must not be empty. [WKE=form-invalid:not-empty:name]");
  expect_error(R"({"name":"  "})", "name: Field is empty");
  expect_error(R"({"name":5})", "name");
  expect_error(R"({"name":"n","acls":"all"})", "acls");
  expect_error(R"({"name":"n","acls":["api-key:endpoint:nowhere"]})", "api-key:endpoint:nowhere");
  expect_error(R"({"name":"n","acls":["chat"]})", "unknown-acl");
  expect_error(R"({"name":"n","qps":-1})", "qps");
  expect_error(R"({"name":"n","qpm":2147483648})", "qpm");
  expect_error(R"({"name":"n","tpm":"many"})", "tpm");
  expect_error(R"({"name":"n","expireTime":"tomorrow"})", "expireTime");
  expect_error(R"(["n"])", "object");
  const auto create_named = [&](std::size_t length) {
    std::string name;
    for (std::size_t i = 0; i < length; ++i) name += "é";  // characters count, not bytes
    return api.post(k_keys_path, nlohmann::json{{"name", name}}.dump());
  };
  CHECK(create_named(200).status == 200);
  CHECK(body_contains(create_named(201),
                      "name: The name is longer than 200 characters. "
                      "[WKE=form-invalid:too-long:name]"));
  const nlohmann::json most =
      create(api, R"({"name":"n","qps":2147483647,"qpm":0,"tpm":"9223372036854775807"})");
  CHECK(most["qps"] == 2147483647);
  CHECK_FALSE(most.contains("qpm"));  // zero is no limit
  CHECK(most["tpm"] == "9223372036854775807");
}

TEST_CASE("many creations in a row are rejected, one in a second and a half is not") {
  ManagementApi api;
  int created = 0;
  Response last;
  for (int i = 0; i < 11; ++i) {
    last = api.post(k_keys_path, R"({"name":"k"})");
    created += last.status == 200 ? 1 : 0;
  }
  CHECK(created == 10);
  CHECK(last.status == 429);
  CHECK(nlohmann::json::parse(last.body)["code"] == 8);
  CHECK(nlohmann::json::parse(last.body)["message"] ==
        "Too many API keys were created in a short time. Leave 1.5 s between them. "
        "[WKE=rate-limit:create-api-key]\n");
  CHECK(header_of(last, "Retry-After") == "2");
  using Wait = std::pair<int, const char*>;
  for (const auto& [ms, left] : {Wait{499, "2"}, Wait{1, "1"}, Wait{999, "1"}}) {
    api.advance(ms);
    CHECK(header_of(api.post(k_keys_path, R"({"name":"k"})"), "Retry-After") == left);
  }
  api.advance(1);
  CHECK(api.post(k_keys_path, R"({"name":"k"})").status == 200);
  CHECK(api.post(k_keys_path, R"({"name":"k"})").status == 429);
}

TEST_CASE("an update changes the fields in the mask, and nothing else") {
  ManagementApi api;
  const nlohmann::json key = create_full(api, R"(,"qps":5)");
  const auto update = [&](const std::string& members, const char* mask) {
    return api.ask("PUT", path_of(key),
                   "{\"apiKey\":{" + members + "},\"fieldMask\":\"" + mask + "\"}");
  };
  api.advance(5'000);
  const Response renamed = update(R"("name":"new","qps":99)", "name");
  REQUIRE(renamed.status == 200);
  CHECK(nlohmann::json::parse(renamed.body)["name"] == "new");
  CHECK(nlohmann::json::parse(renamed.body)["qps"] == 5);
  CHECK(nlohmann::json::parse(renamed.body)["createTime"] == after(api, -5));
  CHECK(nlohmann::json::parse(renamed.body)["modifyTime"] == after(api, 0));
  CHECK_FALSE(body_contains(renamed, key["apiKey"].get<std::string>()));

  CHECK(update(R"("disabled":true)", "disabled").status == 200);
  CHECK(chat_with(api, key) == 403);
  CHECK(update("", "disabled, qps").status == 200);  // absent: the default
  CHECK(chat_with(api, key) == 200);
  CHECK_FALSE(body_contains(api.get(k_keys_path), "\"qps\":5"));

  CHECK(update(R"("expireTime":")" + after(api, -1) + "\"", "expireTime").status == 200);
  CHECK(chat_with(api, key) == 403);
  CHECK(update("", "expireTime").status == 200);
  CHECK(update(R"("aclStrings":[])", "aclStrings").status == 200);
  CHECK(chat_with(api, key) == 403);

  CHECK(update(R"("name":"x")", "").status == 400);
  CHECK(body_contains(update(R"("name":"x")", "teamId"), "teamId is not among the fields"));
  CHECK(update("", "name").status == 400);
  CHECK(api.ask("PUT", "/auth/api-keys/none", R"({"apiKey":{},"fieldMask":"qps"})").status == 404);
}

TEST_CASE("a key's limits are enforced") {
  ManagementApi api;
  const nlohmann::json key = create_full(api, R"(,"qpm":2)");
  CHECK(chat_with(api, key) == 200);
  CHECK(chat_with(api, key) == 200);
  CHECK(chat_with(api, key) == 429);
  api.advance(60'000);
  CHECK(chat_with(api, key) == 200);
}

TEST_CASE("after a rotation both secrets work until the old one expires") {
  ManagementApi api;
  const nlohmann::json key = create_full(api);
  api.advance(5'000);
  const Response rotated = api.post(path_of(key) + "/rotate", "{}");
  REQUIRE(rotated.status == 200);
  const nlohmann::json rotated_key = nlohmann::json::parse(rotated.body);
  CHECK(rotated_key["apiKeyId"] == key["apiKeyId"]);
  CHECK(rotated_key["apiKey"] != key["apiKey"]);
  CHECK(rotated_key["createTime"] == after(api, -5));
  CHECK(rotated_key["modifyTime"] == after(api, 0));
  CHECK(chat_with(api, key) == 200);
  CHECK(chat_with(api, rotated_key) == 200);
  api.advance(k_day_s * 1000 - 1);
  CHECK(chat_with(api, key) == 200);
  api.advance(1);
  CHECK(chat_with(api, key) == 400);
  CHECK(chat_with(api, rotated_key) == 200);
}

TEST_CASE("a rotation sets the old secret's expiry: at most 7 days, never after the key's") {
  ManagementApi api;
  const nlohmann::json key = create_full(api);
  const std::string path = path_of(key) + "/rotate";
  const auto rotate = [&](std::int64_t seconds) {
    return api.post(path, R"({"oldSecretExpireTime":")" + after(api, seconds) + "\"}");
  };
  CHECK(rotate(7 * k_day_s + 1).status == 400);
  CHECK(body_contains(rotate(7 * k_day_s + 1), "7 days"));
  CHECK(chat_with(api, key) == 200);
  CHECK(rotate(7 * k_day_s).status == 200);
  api.advance(7 * k_day_s * 1000);
  CHECK(chat_with(api, key) == 400);

  const nlohmann::json brief = create_full(api, R"(,"expireTime":")" + after(api, 60) + "\"");
  const Response prolonged =
      api.post(path_of(brief) + "/rotate", R"({"expireTime":")" + after(api, k_day_s) + "\"}");
  REQUIRE(prolonged.status == 200);
  api.advance(59'000);
  CHECK(chat_with(api, brief) == 200);
  api.advance(2'000);
  CHECK(chat_with(api, brief) == 400);
  CHECK(chat_with(api, nlohmann::json::parse(prolonged.body)) == 200);
}

TEST_CASE("a deleted key is gone, including its rotated secrets") {
  ManagementApi api;
  const nlohmann::json key = create_full(api);
  const nlohmann::json rotated_key =
      nlohmann::json::parse(api.post(path_of(key) + "/rotate", "{}").body);
  const Response deleted = api.ask("DELETE", path_of(key));
  CHECK(deleted.status == 200);
  CHECK(deleted.body == "{}");
  CHECK(chat_with(api, key) == 400);
  CHECK(chat_with(api, rotated_key) == 400);
  CHECK(api.ask("DELETE", path_of(key)).status == 404);
}

TEST_CASE("a list is paged, and filtered by ACLs and by expiry") {
  ManagementApi api;
  for (int i = 0; i < 5; ++i) (void)create(api, R"({"name":"k)" + std::to_string(i) + "\"}");
  (void)create(api, R"({"name":"chat","acls":["api-key:endpoint:chat","api-key:model:*"]})");
  (void)create(api, R"({"name":"old","expireTime":"2020-01-01T00:00:00Z"})");
  const auto names = [&](const std::string& query, std::string& token) {
    const nlohmann::json page = nlohmann::json::parse(api.get(k_keys_path + "?" + query).body);
    std::vector<std::string> list;
    for (const nlohmann::json& key : page["apiKeys"]) list.push_back(key["name"]);
    token = page.value("paginationToken", "");
    return list;
  };
  std::string token;
  CHECK(names("", token).size() == 8);  // with the demo key
  CHECK(token.empty());
  CHECK(names("pageSize=8", token).size() == 8);
  CHECK(token.empty());
  std::vector<std::string> all;
  token.clear();
  do {
    for (auto& name : names("pageSize=3&paginationToken=" + token, token)) all.push_back(name);
  } while (!token.empty());
  CHECK(all.size() == 8);
  CHECK(all.back() == "old");
  CHECK(names("activeOnly=true", token).size() == 7);
  CHECK(names("aclFilters=api-key:endpoint:chat&aclFilters=api-key:model:*", token) ==
        std::vector<std::string>{"chat"});
  CHECK(api.get(k_keys_path + "?paginationToken=junk").status == 400);
  CHECK(api.get(k_keys_path + "?pageSize=0").status == 400);
}

TEST_CASE("a member sees and changes only their own keys") {
  ManagementApi api;
  const nlohmann::json admins = create_full(api);
  const Response created = api.ask("POST", k_keys_path, R"({"name":"mine"})", k_demo_member_key);
  REQUIRE(created.status == 200);
  const nlohmann::json mine = nlohmann::json::parse(created.body);
  const Response list = api.ask("GET", k_keys_path, "", k_demo_member_key);
  CHECK(nlohmann::json::parse(list.body)["apiKeys"].size() == 1);
  CHECK(api.ask("GET", path_of(mine) + "/propagation", "", k_demo_member_key).status == 200);
  CHECK(api.ask("DELETE", path_of(admins), "", k_demo_member_key).status == 404);
  CHECK(nlohmann::json::parse(api.get(k_keys_path).body)["apiKeys"].size() == 3);
  CHECK(api.ask("DELETE", path_of(mine)).status == 200);
}

TEST_CASE("clusters learn of a key one after another") {
  ManagementApi api;
  const nlohmann::json key = create_full(api);
  const auto known = [&] {
    const nlohmann::json response =
        nlohmann::json::parse(api.get(path_of(key) + "/propagation").body);
    int count = 0;
    for (const auto& [cluster, done] : response["icPropagation"].items()) {
      count += done.get<bool>() ? 1 : 0;
    }
    CHECK(response["icPropagation"].size() == 2);
    return count;
  };
  CHECK(known() == 0);
  api.advance(500);
  CHECK(known() == 1);
  api.advance(500);
  CHECK(known() == 2);
  (void)api.post(path_of(key) + "/rotate", "{}");
  CHECK(known() == 0);
}

TEST_CASE("each API rejects the other's key in its own way") {
  ManagementApi api;
  const Response wrong = api.ask("GET", k_keys_path, "", k_demo_key);
  CHECK(wrong.status == 401);
  const nlohmann::json body = nlohmann::json::parse(wrong.body);
  CHECK(body["code"] == 16);
  CHECK(body_contains(wrong, "[WKE="));
  CHECK(body["message"].get<std::string>().starts_with(header_of(wrong, "www-authenticate")));
  CHECK_FALSE(header_of(wrong, "www-authenticate").empty());
  CHECK(api.ask("GET", "/v1/models", "", k_demo_management_key).status == 400);
  CHECK(api.ask("GET", "/auth/teams/other/api-keys").status == 403);
  CHECK(api.ask("GET", "/v1/auth/teams/x/api-keys").content_type.starts_with("text/html"));
  const Response method = api.ask("DELETE", k_keys_path);
  CHECK(method.status == 405);
  CHECK(nlohmann::json::parse(method.body)["code"] == 12);
}

TEST_CASE("a management key has its team") {
  ManagementApi api;
  const nlohmann::json response =
      nlohmann::json::parse(api.get("/auth/management-keys/validation").body);
  CHECK(response["teamId"] == k_demo_team_id);
  CHECK(response["scope"] == "SCOPE_TEAM");
  CHECK(response["ownerUserId"] == k_demo_user_id);
}

TEST_CASE("the list of endpoints has the names for ACLs") {
  ManagementApi api;
  const nlohmann::json response = nlohmann::json::parse(api.get(k_team_path + "/endpoints").body);
  std::vector<std::string> acls;
  for (const nlohmann::json& row : response["acls"]) acls.push_back(row["acl"]);
  const nlohmann::json body = {{"name", "all of them"}, {"acls", acls}};
  CHECK(std::ranges::find(acls, "api-key:endpoint:chat") != acls.end());
  CHECK(std::ranges::find(acls, "api-key:endpoint:*") != acls.end());
  CHECK(create(api, body.dump())["aclStrings"] == acls);
}

TEST_CASE("an ACL may contain exactly the endpoints that routes require") {
  std::set<std::string_view> asked;
  const std::vector<svc::emulator::Route> routes = svc::emulator::all_routes();
  for (const auto& route : routes) {
    if (!route.endpoint_acl.empty()) asked.insert(route.endpoint_acl);
  }
  const auto& known = svc::emulator::k_endpoints;
  CHECK(asked == std::set<std::string_view>(known.begin(), known.end()));
}
