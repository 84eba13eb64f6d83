#include <set>

#include <doctest/doctest.h>
#include <nlohmann/json.hpp>

#include "base/clock.h"
#include "emulator/account/auth.h"
#include "emulator/handler/routes.h"
#include "management_support.h"

using namespace svc;
using namespace svc::emulator;
using namespace svc::test;

namespace {

constexpr std::int64_t k_day_s = 86'400;
const std::string k_keys_path = k_team_path + "/api-keys";
const std::string k_question = R"({"model":"svc-4.5","messages":[{"role":"user","content":"Hi"}]})";

nlohmann::json create(Office& office, const std::string& body) {
  const Answer answer = office.post(k_keys_path, body);
  CAPTURE(answer.body);
  REQUIRE(answer.status == 200);
  return nlohmann::json::parse(answer.body);
}

// A key with all permissions, with additional request fields.
nlohmann::json create_full(Office& office, const std::string& more = "") {
  return create(office,
                R"({"name":"k","acls":["api-key:endpoint:*","api-key:model:*"])" + more + "}");
}

int chat_with(Office& office, const nlohmann::json& key) {
  return office.ask("POST", "/v1/chat/completions", k_question, key["apiKey"].get<std::string>())
      .status;
}

std::string path_of(const nlohmann::json& key) {
  return "/auth/api-keys/" + key["apiKeyId"].get<std::string>();
}

std::string after(const Office& office, std::int64_t seconds) {
  return format_rfc3339(office.now_ms() / 1000 + seconds);
}

}  // namespace

TEST_CASE("a created key shows its secret once, and works") {
  Office office;
  const nlohmann::json key = create_full(office, R"(,"qps":5,"qpm":"200","tpm":"100000")");
  const auto secret = key["apiKey"].get<std::string>();
  CHECK(secret.starts_with("svc-"));
  CHECK(secret.size() == 84);
  CHECK(key["redactedApiKey"] == "svc-..." + secret.substr(80));
  CHECK(key["qps"] == 5);
  CHECK(key["qpm"] == 200);
  CHECK(key["tpm"] == "100000");  // 64-bit integers are strings
  CHECK_FALSE(key.contains("disabled"));
  CHECK_FALSE(key.contains("expireTime"));
  CHECK(chat_with(office, key) == 200);

  const Answer list = office.get(k_keys_path);
  CHECK(says(list, key["apiKeyId"].get<std::string>()));
  CHECK_FALSE(says(list, secret));
  // Nor is it in the state.
  const auto hits = office.state().with([&](Database& database) {
    auto row = database.query(
        "SELECT count(*) FROM keys WHERE instr(redacted || secret_hash || name, ?) > 0", secret);
    REQUIRE(row.has_value());
    REQUIRE(*row->step());
    return row->integer(0);
  });
  CHECK(hits == 0);
}

TEST_CASE("a key without permissions exists but can do nothing") {
  Office office;
  const nlohmann::json key = create(office, R"({"name":"bare"})");
  CHECK_FALSE(key.contains("aclStrings"));
  CHECK(chat_with(office, key) == 403);
  const nlohmann::json narrow =
      create(office, R"({"name":"n","acls":["api-key:endpoint:chat","api-key:model:svc-4.3"]})");
  CHECK(chat_with(office, narrow) == 403);  // the request is for svc-4.5
}

TEST_CASE("invalid creations") {
  Office office;
  const auto refused = [&](const char* body, std::string_view part) {
    const Answer answer = office.post(k_keys_path, body);
    CAPTURE(body);
    CAPTURE(answer.body);
    CHECK(answer.status == 400);
    CHECK(nlohmann::json::parse(answer.body)["code"] == 3);
    CHECK(nlohmann::json::parse(answer.body)["details"] == nlohmann::json::array());
    CHECK(says(answer, part));
  };
  refused("{}", "name: Field is empty but must not be empty. [WKE=form-invalid:not-empty:name]");
  refused(R"({"name":"  "})", "name: Field is empty");
  refused(R"({"name":5})", "name");
  refused(R"({"name":"n","acls":"all"})", "acls");
  refused(R"({"name":"n","acls":["api-key:endpoint:nowhere"]})", "api-key:endpoint:nowhere");
  refused(R"({"name":"n","acls":["chat"]})", "unknown-acl");
  refused(R"({"name":"n","qps":-1})", "qps");
  refused(R"({"name":"n","qpm":2147483648})", "qpm");
  refused(R"({"name":"n","tpm":"many"})", "tpm");
  refused(R"({"name":"n","expireTime":"tomorrow"})", "expireTime");
  refused(R"(["n"])", "object");
}

TEST_CASE("many creations in a row are rejected, one in a second and a half is not") {
  Office office;
  int created = 0;
  Answer last;
  for (int i = 0; i < 11; ++i) {
    last = office.post(k_keys_path, R"({"name":"k"})");
    created += last.status == 200 ? 1 : 0;
  }
  CHECK(created == 10);
  CHECK(last.status == 429);
  CHECK(nlohmann::json::parse(last.body)["code"] == 8);
  CHECK(header_of(last, "Retry-After") == "2");
  office.pass(1500);
  CHECK(office.post(k_keys_path, R"({"name":"k"})").status == 200);
  CHECK(office.post(k_keys_path, R"({"name":"k"})").status == 429);
}

TEST_CASE("an update changes the fields in the mask, and nothing else") {
  Office office;
  const nlohmann::json key = create_full(office, R"(,"qps":5)");
  const auto update = [&](const std::string& members, const char* mask) {
    return office.ask("PUT", path_of(key),
                      "{\"apiKey\":{" + members + "},\"fieldMask\":\"" + mask + "\"}");
  };
  const Answer renamed = update(R"("name":"new","qps":99)", "name");
  REQUIRE(renamed.status == 200);
  CHECK(nlohmann::json::parse(renamed.body)["name"] == "new");
  CHECK(nlohmann::json::parse(renamed.body)["qps"] == 5);
  CHECK_FALSE(says(renamed, key["apiKey"].get<std::string>()));

  CHECK(update(R"("disabled":true)", "disabled").status == 200);
  CHECK(chat_with(office, key) == 403);
  CHECK(update("", "disabled, qps").status == 200);  // absent: the default
  CHECK(chat_with(office, key) == 200);
  CHECK_FALSE(says(office.get(k_keys_path), "\"qps\":5"));

  CHECK(update(R"("expireTime":")" + after(office, -1) + "\"", "expireTime").status == 200);
  CHECK(chat_with(office, key) == 403);
  CHECK(update("", "expireTime").status == 200);
  CHECK(update(R"("aclStrings":[])", "aclStrings").status == 200);
  CHECK(chat_with(office, key) == 403);

  CHECK(update(R"("name":"x")", "").status == 400);
  CHECK(says(update(R"("name":"x")", "teamId"), "teamId is not among the fields"));
  CHECK(update("", "name").status == 400);
  CHECK(office.ask("PUT", "/auth/api-keys/none", R"({"apiKey":{},"fieldMask":"qps"})").status ==
        404);
}

TEST_CASE("a key's limits are enforced") {
  Office office;
  const nlohmann::json key = create_full(office, R"(,"qpm":2)");
  CHECK(chat_with(office, key) == 200);
  CHECK(chat_with(office, key) == 200);
  CHECK(chat_with(office, key) == 429);
  office.pass(60'000);
  CHECK(chat_with(office, key) == 200);
}

TEST_CASE("after a rotation both secrets work until the old one expires") {
  Office office;
  const nlohmann::json key = create_full(office);
  const Answer rotated = office.post(path_of(key) + "/rotate", "{}");
  REQUIRE(rotated.status == 200);
  const nlohmann::json fresh = nlohmann::json::parse(rotated.body);
  CHECK(fresh["apiKeyId"] == key["apiKeyId"]);
  CHECK(fresh["apiKey"] != key["apiKey"]);
  CHECK(chat_with(office, key) == 200);
  CHECK(chat_with(office, fresh) == 200);
  office.pass(k_day_s * 1000 - 1);
  CHECK(chat_with(office, key) == 200);
  office.pass(1);
  CHECK(chat_with(office, key) == 400);
  CHECK(chat_with(office, fresh) == 200);
}

TEST_CASE("a rotation sets the old secret's expiry: at most 7 days, never after the key's") {
  Office office;
  const nlohmann::json key = create_full(office);
  const std::string path = path_of(key) + "/rotate";
  const auto rotate = [&](std::int64_t seconds) {
    return office.post(path, R"({"oldSecretExpireTime":")" + after(office, seconds) + "\"}");
  };
  CHECK(rotate(7 * k_day_s + 1).status == 400);
  CHECK(says(rotate(7 * k_day_s + 1), "7 days"));
  CHECK(chat_with(office, key) == 200);
  CHECK(rotate(7 * k_day_s).status == 200);
  office.pass(7 * k_day_s * 1000);
  CHECK(chat_with(office, key) == 400);

  const nlohmann::json brief = create_full(office, R"(,"expireTime":")" + after(office, 60) + "\"");
  const Answer prolonged = office.post(path_of(brief) + "/rotate",
                                       R"({"expireTime":")" + after(office, k_day_s) + "\"}");
  REQUIRE(prolonged.status == 200);
  office.pass(61'000);
  CHECK(chat_with(office, brief) == 400);
  CHECK(chat_with(office, nlohmann::json::parse(prolonged.body)) == 200);
}

TEST_CASE("a deleted key is gone, including its rotated secrets") {
  Office office;
  const nlohmann::json key = create_full(office);
  const nlohmann::json fresh =
      nlohmann::json::parse(office.post(path_of(key) + "/rotate", "{}").body);
  const Answer deleted = office.ask("DELETE", path_of(key));
  CHECK(deleted.status == 200);
  CHECK(deleted.body == "{}");
  CHECK(chat_with(office, key) == 400);
  CHECK(chat_with(office, fresh) == 400);
  CHECK(office.ask("DELETE", path_of(key)).status == 404);
}

TEST_CASE("a list is paged, and filtered by ACLs and by expiry") {
  Office office;
  for (int i = 0; i < 5; ++i) (void)create(office, R"({"name":"k)" + std::to_string(i) + "\"}");
  (void)create(office, R"({"name":"chat","acls":["api-key:endpoint:chat","api-key:model:*"]})");
  (void)create(office, R"({"name":"old","expireTime":"2020-01-01T00:00:00Z"})");
  const auto names = [&](const std::string& query, std::string& token) {
    const nlohmann::json page = nlohmann::json::parse(office.get(k_keys_path + "?" + query).body);
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
  CHECK(office.get(k_keys_path + "?paginationToken=junk").status == 400);
  CHECK(office.get(k_keys_path + "?pageSize=0").status == 400);
}

TEST_CASE("a member sees and changes only their own keys") {
  Office office;
  const nlohmann::json admins = create_full(office);
  const Answer made = office.ask("POST", k_keys_path, R"({"name":"mine"})", k_demo_member_key);
  REQUIRE(made.status == 200);
  const nlohmann::json mine = nlohmann::json::parse(made.body);
  const Answer list = office.ask("GET", k_keys_path, "", k_demo_member_key);
  CHECK(nlohmann::json::parse(list.body)["apiKeys"].size() == 1);
  CHECK(office.ask("DELETE", path_of(admins), "", k_demo_member_key).status == 404);
  CHECK(nlohmann::json::parse(office.get(k_keys_path).body)["apiKeys"].size() == 3);
  CHECK(office.ask("DELETE", path_of(mine)).status == 200);
}

TEST_CASE("clusters learn of a key one after another") {
  Office office;
  const nlohmann::json key = create_full(office);
  const auto known = [&] {
    const nlohmann::json answer =
        nlohmann::json::parse(office.get(path_of(key) + "/propagation").body);
    int count = 0;
    for (const auto& [cluster, done] : answer["icPropagation"].items()) {
      count += done.get<bool>() ? 1 : 0;
    }
    CHECK(answer["icPropagation"].size() == 2);
    return count;
  };
  CHECK(known() == 0);
  office.pass(500);
  CHECK(known() == 1);
  office.pass(500);
  CHECK(known() == 2);
  (void)office.post(path_of(key) + "/rotate", "{}");
  CHECK(known() == 0);
}

TEST_CASE("each API rejects the other's key in its own way") {
  Office office;
  const Answer wrong = office.ask("GET", k_keys_path, "", k_demo_key);
  CHECK(wrong.status == 401);
  const nlohmann::json body = nlohmann::json::parse(wrong.body);
  CHECK(body["code"] == 16);
  CHECK(says(wrong, "[WKE="));
  CHECK(body["message"].get<std::string>().starts_with(header_of(wrong, "www-authenticate")));
  CHECK_FALSE(header_of(wrong, "www-authenticate").empty());
  CHECK(office.ask("GET", "/v1/models", "", k_demo_management_key).status == 400);
  CHECK(office.ask("GET", "/auth/teams/other/api-keys").status == 403);
  CHECK(office.ask("GET", "/v1/auth/teams/x/api-keys").content_type.starts_with("text/html"));
  const Answer method = office.ask("DELETE", k_keys_path);
  CHECK(method.status == 405);
  CHECK(nlohmann::json::parse(method.body)["code"] == 12);
}

TEST_CASE("a management key has its team") {
  Office office;
  const nlohmann::json answer =
      nlohmann::json::parse(office.get("/auth/management-keys/validation").body);
  CHECK(answer["teamId"] == k_demo_team_id);
  CHECK(answer["scope"] == "SCOPE_TEAM");
  CHECK(answer["ownerUserId"] == k_demo_user_id);
}

TEST_CASE("the list of endpoints has the names for ACLs") {
  Office office;
  const nlohmann::json answer = nlohmann::json::parse(office.get(k_team_path + "/endpoints").body);
  std::vector<std::string> acls;
  for (const nlohmann::json& row : answer["acls"]) acls.push_back(row["acl"]);
  const nlohmann::json body = {{"name", "all of them"}, {"acls", acls}};
  CHECK(std::ranges::find(acls, "api-key:endpoint:chat") != acls.end());
  CHECK(std::ranges::find(acls, "api-key:endpoint:*") != acls.end());
  CHECK(create(office, body.dump())["aclStrings"] == acls);
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
