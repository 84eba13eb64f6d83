#include <doctest/doctest.h>

#include "emulator/account/auth.h"
#include "emulator/state/state.h"

using namespace svc::emulator;

namespace {

constexpr std::int64_t k_now_ms = 1'800'000'000'000;

class Keys {
 public:
  Keys() {
    m_state = std::move(*State::open(":memory:", [] { return k_now_ms; }));
  }

  /// Adds a key whose secret is "svc-" and its ID.
  void add(KeyRecord key) { REQUIRE(m_state->add_key(key, "svc-" + key.id).has_value()); }

  /// The status for `authorization`, 200 if accepted; the message is in error().
  int try_header(std::string_view authorization, const Route& route) {
    auto outcome = authenticate(*m_state, authorization, route);
    if (!outcome) {
      const Response response = std::move(outcome).error();
      m_error = response.body;
      return response.status;
    }
    m_error.clear();
    return 200;
  }
  int try_key(const std::string& id, const Route& route) {
    return try_header("Bearer svc-" + id, route);
  }
  [[nodiscard]] const std::string& error() const { return m_error; }

 private:
  std::unique_ptr<State> m_state{};
  std::string m_error{};
};

Route route_with(std::string endpoint, KeyRequirement need = KeyRequirement::Usable) {
  Route route{.method = "POST", .path = "/x", .handler = nullptr};
  route.endpoint_acl = std::move(endpoint);
  route.key = need;
  return route;
}

KeyRecord key_with(std::string id, std::vector<std::string> acls) {
  KeyRecord key;
  key.id = std::move(id);
  key.acls = std::move(acls);
  return key;
}

bool contains(const std::string& text, std::string_view part) {
  return text.find(part) != std::string::npos;
}

}  // namespace

TEST_CASE("a missing or malformed Authorization header is a 401") {
  Keys keys;
  const Route route = route_with("chat");
  for (const char* header :
       {"", "Bearer", "Bearer ", "Basic c3ZjOng=", "svc-demo-key", "Bearer svc-demo-key twice"}) {
    CAPTURE(header);
    CHECK(keys.try_header(header, route) == 401);
    CHECK_FALSE(contains(keys.error(), "svc-demo"));
  }
  CHECK(keys.try_header("bearer  svc-demo-key ", route) == 200);
}

TEST_CASE("a wrong key is a 400 that shows four of its characters") {
  Keys keys;
  CHECK(keys.try_header("Bearer svc-wrong-key-xy", route_with("chat")) == 400);
  CHECK(contains(keys.error(), "Incorrect API key provided: sv***xy."));
  CHECK_FALSE(contains(keys.error(), "wrong"));
  CHECK(keys.try_header("Bearer short", route_with("chat")) == 400);
  CHECK(contains(keys.error(), "provided: ***."));
  CHECK(mask_key("svc-abcdefgh") == "sv***gh");
}

TEST_CASE("an endpoint requires its ACL or the wildcard") {
  Keys keys;
  keys.add(key_with("chat", {"api-key:endpoint:chat", "api-key:model:*"}));
  keys.add(key_with("all", {"api-key:endpoint:*"}));
  keys.add(key_with("none", {}));
  CHECK(keys.try_key("chat", route_with("chat")) == 200);
  CHECK(keys.try_key("chat", route_with("image")) == 403);
  CHECK(contains(keys.error(), "api-key:endpoint:image"));
  CHECK(contains(keys.error(), "The caller does not have permission"));
  CHECK(keys.try_key("chat", route_with("")) == 200);
  CHECK(keys.try_key("all", route_with("image")) == 200);
  // An empty list fails everything except the query about the key itself.
  CHECK(keys.try_key("none", route_with("")) == 403);
  CHECK(keys.try_key("none", route_with("", KeyRequirement::Any)) == 200);
}

TEST_CASE("disabled, blocked and expired keys are rejected with the reason") {
  Keys keys;
  const auto add = [&](const std::string& id, auto change) {
    KeyRecord key = key_with(id, {"api-key:endpoint:*", "api-key:model:*"});
    change(key);
    keys.add(key);
  };
  add("disabled", [](KeyRecord& key) { key.disabled = true; });
  add("blocked", [](KeyRecord& key) { key.blocked = true; });
  add("team", [](KeyRecord& key) { key.team_blocked = true; });
  add("expired", [](KeyRecord& key) { key.expire_time = k_now_ms / 1000; });
  add("fresh", [](KeyRecord& key) { key.expire_time = k_now_ms / 1000 + 1; });
  for (const auto& [id, told] :
       {std::pair{"disabled", "This API key is disabled."},
        std::pair{"blocked", "This API key is blocked."},
        std::pair{"team", "The team of this API key is blocked."},
        std::pair{"expired", "This API key expired at 2027-01-15T08:00:00Z."}}) {
    CAPTURE(id);
    CHECK(keys.try_key(id, route_with("chat")) == 403);
    CHECK(contains(keys.error(), told));
    CHECK(keys.try_key(id, route_with("chat", KeyRequirement::Any)) == 200);
  }
  CHECK(keys.try_key("fresh", route_with("chat")) == 200);
}

TEST_CASE("models are allowed individually or all together") {
  CHECK(may_use_model(key_with("k", {"api-key:model:svc-4.5"}), "svc-4.5"));
  CHECK_FALSE(may_use_model(key_with("k", {"api-key:model:svc-4.5"}), "svc-4"));
  CHECK(may_use_model(key_with("k", {"api-key:endpoint:chat", "api-key:model:*"}), "svc-3"));
  CHECK_FALSE(may_use_model(key_with("k", {"api-key:endpoint:*"}), "svc-3"));
}

TEST_CASE("a key's own limits per second and minute apply, and reset") {
  const auto state = std::move(*State::open(":memory:"));
  RateLimiter meter(*state);
  KeyRecord key = key_with("k", {});
  key.qps = 2;
  key.qpm = 3;
  const std::int64_t minute = 1'800'000'000'000 / 60'000 * 60'000;
  CHECK_FALSE(meter.count_call(key, minute).refused);
  CHECK(meter.count_call(key, minute + 999).remaining_requests == 1);
  const Quota over_second = meter.count_call(key, minute + 999);
  CHECK(over_second.refused);
  CHECK(over_second.retry_after_s == 1);
  CHECK(meter.count_call(key, minute + 1000).remaining_requests == 0);
  const Quota over_minute = meter.count_call(key, minute + 5000);
  CHECK(over_minute.refused);
  CHECK(over_minute.retry_after_s == 55);
  CHECK_FALSE(meter.count_call(key, minute + 60'000).refused);
}

TEST_CASE("the token limit rejects only after it was exceeded") {
  const auto state = std::move(*State::open(":memory:"));
  RateLimiter meter(*state);
  KeyRecord key = key_with("k", {});
  key.tpm = 100;
  CHECK(meter.add_tokens(key, 100, 0).remaining_tokens == 0);
  CHECK_FALSE(meter.count_call(key, 0).refused);
  (void)meter.add_tokens(key, 1, 0);
  CHECK(meter.count_call(key, 0).refused);
  CHECK(meter.count_call(key, 12'000).retry_after_s == 48);
  CHECK_FALSE(meter.count_call(key, 60'000).refused);
}

TEST_CASE("a key's limits apply across emulators that share a state one after the other") {
  const auto state = std::move(*State::open(":memory:"));
  KeyRecord key = key_with("k", {});
  key.qpm = 2;
  key.tpm = 10;
  CHECK_FALSE(RateLimiter(*state).count_call(key, 0).refused);
  CHECK_FALSE(RateLimiter(*state).count_call(key, 1'000).refused);
  CHECK(RateLimiter(*state).count_call(key, 2'000).refused);
  CHECK(RateLimiter(*state).count_call(key, 60'000).remaining_requests == 1);
  CHECK(RateLimiter(*state).add_tokens(key, 11, 60'000).remaining_tokens == 0);
  CHECK(RateLimiter(*state).count_call(key, 61'000).refused);
  KeyRecord other = key;
  other.id = "other";
  CHECK_FALSE(RateLimiter(*state).count_call(other, 61'000).refused);
}

TEST_CASE("a key without limits is never rejected") {
  const auto state = std::move(*State::open(":memory:"));
  RateLimiter meter(*state);
  const KeyRecord key = key_with("k", {});
  for (int i = 0; i < 20'000; ++i) REQUIRE_FALSE(meter.count_call(key, 0).refused);
  CHECK(meter.add_tokens(key, 1, 0).remaining_requests == 0);
}
