// The service's information about a key.
#include "session/key_check.h"

#include <doctest/doctest.h>

#include "catalogue/catalogue.h"

using namespace svc;
using namespace svc::cli;

TEST_CASE("information about an API key") {
  const auto facts =
      read_key_facts(KeyKind::Inference,
                     R"({"redacted_api_key":"svc-***","user_id":"u","name":"my key","team_id":"t-1",
          "acls":[],"api_key_id":"k1","api_key_blocked":false,"api_key_disabled":false,
          "team_blocked":false,"new_member":{}})");
  REQUIRE(facts);
  CHECK(facts->name == "my key");
  CHECK(facts->team_id == "t-1");
  // Missing fields are empty.
  const auto bare = read_key_facts(KeyKind::Inference, R"({"api_key_id":"k1","name":null})");
  REQUIRE(bare);
  CHECK(bare->name.empty());
  CHECK(bare->team_id.empty());
}

TEST_CASE("information about a management key") {
  const auto facts = read_key_facts(
      KeyKind::Management,
      R"({"apiKeyId":"k2","teamId":"t-2","scope":"SCOPE_TEAM","name":"ci","acls":[]})");
  REQUIRE(facts);
  CHECK(facts->name == "ci");
  CHECK(facts->team_id == "t-2");
}

TEST_CASE("an unusable key") {
  const auto refused = [](const std::string& member) {
    return read_key_facts(KeyKind::Inference, R"({"api_key_id":"k1",")" + member + R"(":true})");
  };
  for (const auto& [member, told] : {std::pair{"api_key_blocked", "the key is blocked"},
                                     std::pair{"api_key_disabled", "the key is disabled"},
                                     std::pair{"team_blocked", "the key's team is blocked"}}) {
    CAPTURE(member);
    const auto key = refused(member);
    REQUIRE_FALSE(key);
    CHECK(key.error().fault == Fault::Auth);
    CHECK(key.error().message == told);
    CHECK(key.error().hint == "Ask the team owner to unblock it, or to create a new key.");
  }
  // Only a literal true counts.
  CHECK(read_key_facts(KeyKind::Inference, R"({"api_key_id":"k1","api_key_blocked":"true"})"));
}

TEST_CASE("a response that is not about a key") {
  for (const char* body :
       {"", "null", "[]", "{}", "<html></html>", R"("k1")", R"({"api_key":"k1"})",
        R"({"apiKeyId":"k1"})", R"({"api_key_id":"k1")"}) {
    CAPTURE(body);
    const auto facts = read_key_facts(KeyKind::Inference, body);
    REQUIRE_FALSE(facts);
    CHECK(facts.error().fault == Fault::Network);
    CHECK(facts.error().message == "unexpected response; is this the service's URL?");
    CHECK(facts.error().hint == "Check the URL with `svc doctor`.");
  }
  CHECK_FALSE(read_key_facts(KeyKind::Management, R"({"api_key_id":"k1"})"));
}

TEST_CASE("each kind of key is tried on its own host") {
  CHECK(host_of(KeyKind::Inference) == Host::Inference);
  CHECK(host_of(KeyKind::Management) == Host::Management);
  for (const KeyKind kind : {KeyKind::Inference, KeyKind::Management}) {
    const Operation& operation = key_check_operation(kind);
    CHECK(operation.host == host_of(kind));
    CHECK(operation.method == "GET");
    CHECK(operation.repeat == Repeat::Always);
  }
  const Operation* self = find_operation("keys", "self");
  REQUIRE(self != nullptr);
  CHECK(key_check_operation(KeyKind::Inference).path == self->path);
}

TEST_CASE("what is said of an unusable key and of another response") {
  for (const auto& [member, message] : {std::pair("api_key_blocked", "the key is blocked"),
                                        std::pair("api_key_disabled", "the key is disabled"),
                                        std::pair("team_blocked", "the key's team is blocked")}) {
    const auto facts = read_key_facts(
        KeyKind::Inference, std::string(R"({"api_key_id":"k1",")") + member + R"(":true})");
    REQUIRE_FALSE(facts);
    CHECK(facts.error().message == message);
    CHECK(facts.error().hint == "Ask the team owner to unblock it, or to create a new key.");
    CHECK(facts.error().http_status == 0);
  }
  const auto other = read_key_facts(KeyKind::Management, "{}");
  REQUIRE_FALSE(other);
  CHECK(other.error().message == "unexpected response; is this the service's URL?");
  CHECK(other.error().hint == "Check the URL with `svc doctor`.");
  CHECK(url_setting_of(KeyKind::Inference).name == "base_url");
  CHECK(url_setting_of(KeyKind::Management).name == "management_url");
}
