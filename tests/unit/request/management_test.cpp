// Times, money, masks and short flags of collections.
#include <doctest/doctest.h>
#include <nlohmann/json.hpp>

#include "base/clock.h"
#include "json/document.h"
#include "request/convert.h"
#include "request/mask.h"
#include "try.h"

using namespace svc;
using namespace svc::request;
namespace {

constexpr std::int64_t k_now = 1'780'272'000;  // 2026-06-01T00:00:00Z

struct Built : test::Attempt {
  Built(const char* group, const char* name, std::initializer_list<test::GivenFlag> flags)
      : Attempt(group, name, flags) {
    context = {.base_url = "https://m.test", .team_id = "t1", .now = k_now};
  }

  /// Fields in their order.
  OrderedJson body() const {
    auto request = build();
    REQUIRE_MESSAGE(request.has_value(), (request ? "" : request.error().message));
    return OrderedJson::parse(std::get<std::string>(request->body));
  }
  std::string message() const { return error().message; }
};

constexpr Field k_time{
    .flag = "at", .path = "at", .kind = Kind::Time, .help = "When.", .max_days = 7};
constexpr Field k_money{.flag = "pay", .path = "pay", .kind = Kind::Money, .help = "Pay."};

std::string time_of(const char* text) {
  const auto value = convert(k_time, text, {.now = k_now});
  return value ? value->get<std::string>() : value.error().message;
}

}  // namespace

TEST_CASE("a time is RFC 3339, a date, or relative to now") {
  CHECK(time_of("2026-06-02T12:00:00+02:00") == "2026-06-02T10:00:00Z");
  CHECK(time_of("2026-06-03") == "2026-06-03T00:00:00Z");
  CHECK(time_of("2h") == "2026-06-01T02:00:00Z");
  CHECK(time_of("7d") == "2026-06-08T00:00:00Z");
  CHECK(time_of("1ms") == "2026-06-01T00:00:01Z");
}

TEST_CASE("a time of a request is relative to the request's own clock") {
  CHECK(Built("keys", "create", {{"name", "n"}, {"expire-time", "2h"}})
            .body()
            .dump()
            .find("\"2026-06-01T02:00:00Z\"") != std::string::npos);
}

TEST_CASE("a time that is past, too far or missing is rejected with what is allowed") {
  CHECK(time_of("2026-06-01T00:00:00Z").find("must be in the future") != std::string::npos);
  CHECK(time_of("2026-06-08T00:00:01Z").find("more than 7 days") != std::string::npos);
  for (const char* text :
       {"", "soon", "30", "2026-13-01", "-1d", "0s", "1e9d", "2026-06-02T12:00"}) {
    CAPTURE(text);
    CHECK_FALSE(convert(k_time, text, {.now = k_now}).has_value());
  }
}

TEST_CASE("money is a string of cents in an object") {
  CHECK(convert(k_money, "12.50")->dump() == R"({"val":"1250"})");
  CHECK(convert(k_money, "12", {.cents = true})->dump() == R"({"val":"12"})");
  CHECK(convert(k_money, "0")->dump() == R"({"val":"0"})");
  CHECK_FALSE(convert(k_money, "-1").has_value());
  CHECK_FALSE(convert(k_money, "-1", {.cents = true}).has_value());
  CHECK_FALSE(convert(k_money, "12.5", {.cents = true}).has_value());
}

TEST_CASE("--cents applies to the amount wherever it is") {
  CHECK(Built("billing", "top-up", {{"amount", "250"}, {"cents", "true"}}).body() ==
        OrderedJson::parse(R"({"amount":{"val":"250"}})"));
  CHECK(Built("billing", "top-up", {{"cents", "true"}, {"amount", "250"}}).body() ==
        OrderedJson::parse(R"({"amount":{"val":"250"}})"));
  CHECK(Built("billing", "top-up", {{"amount", "250"}}).body() ==
        OrderedJson::parse(R"({"amount":{"val":"25000"}})"));
}

TEST_CASE("a mask lists the fields that are set, in order, and those that are cleared") {
  const OrderedJson body =
      Built("keys", "update",
            {{"api-key-id", "k"}, {"name", "n"}, {"disable", "true"}, {"clear", "tpm"}})
          .body();
  CHECK(body.dump() ==
        R"({"apiKey":{"name":"n","disabled":true},"fieldMask":"name,disabled,tpm"})");
}

TEST_CASE("a mask of paths is an object, and a field only in the mask is cleared") {
  constexpr std::array fields = {
      Field{.flag = "agent-id", .path = "agent_id", .help = "Agent."},
      Field{.flag = "webhook-id", .path = "webhook_id", .help = "Hook."},
      Field{.flag = "clear", .path = "", .in = In::Local, .help = "Clear.", .repeated = true}};
  const Operation operation{.group = "g",
                            .name = "update",
                            .summary = "S.",
                            .fields = fields,
                            .mask = Mask{"phone_number", "field_mask", MaskForm::Paths}};
  Inputs inputs;
  inputs.given = {{&fields[0], "a"}, {&fields[2], "webhook-id"}};
  OrderedJson body = {{"phone_number", {{"agent_id", "a"}}}};
  REQUIRE(apply_mask(operation, inputs, body).has_value());
  CHECK(body.dump() ==
        R"({"phone_number":{"agent_id":"a"},"field_mask":{"paths":["agent_id","webhook_id"]}})");
  Inputs only;
  only.given = {{&fields[2], "webhook-id"}};
  OrderedJson empty = OrderedJson::object();
  REQUIRE(apply_mask(operation, only, empty).has_value());
  CHECK(empty.dump() == R"({"phone_number":{},"field_mask":{"paths":["webhook_id"]}})");
  // A given mask stays after the fields too.
  OrderedJson given = {{"field_mask", {{"paths", {"y"}}}}, {"phone_number", {{"x", 1}}}};
  REQUIRE(apply_mask(operation, Inputs{}, given).has_value());
  CHECK(given.dump() == R"({"phone_number":{"x":1},"field_mask":{"paths":["y"]}})");
}

TEST_CASE("a switch for a value adds to the field's existing values") {
  CHECK(Built("keys", "create", {{"name", "n"}, {"allow-all", "true"}}).body()["acls"].dump() ==
        R"(["api-key:endpoint:*","api-key:model:*"])");
  CHECK(Built("keys", "create", {{"name", "n"}, {"allow-all", "true"}, {"acls", "api-key:model:x"}})
            .message()
            .find("cannot be combined") != std::string::npos);
}

TEST_CASE("a number sent as a string is checked as a number") {
  CHECK(Built("keys", "create", {{"name", "n"}, {"tpm", "100000"}}).body()["tpm"] == "100000");
  CHECK(Built("keys", "create", {{"name", "n"}, {"qpm", "5"}}).body()["qpm"] == 5);
  CHECK_FALSE(Built("keys", "create", {{"name", "n"}, {"tpm", "10k"}}).build().has_value());
  CHECK_FALSE(Built("keys", "create", {{"name", "n"}, {"tpm", "0"}}).build().has_value());
}

TEST_CASE("an unknown team is shown as its variable, not encoded") {
  Built one("keys", "list", {});
  one.context.team_id = k_team_variable;
  auto request = one.build();
  REQUIRE(request.has_value());
  CHECK(request->url == "https://m.test/auth/teams/$SVC_TEAM_ID/api-keys?pageSize=100");
  one.context.team_id = "";
  CHECK(one.error().message == "the team ID is not set");
  CHECK(one.error().hint == "Pass --team-id, set SVC_TEAM_ID, or run `svc config set team_id ID`.");
  Built odd("keys", "list", {});
  odd.context.team_id = "a/$b";
  CHECK(odd.build()->url == "https://m.test/auth/teams/a%2F%24b/api-keys?pageSize=100");
}

TEST_CASE("each chunk strategy has its own fields") {
  struct Row {
    const char* strategy;
    const char* expected;
  };
  for (const Row& row :
       {Row{"chars", R"({"chars_configuration":{"max_chunk_size_chars":9}})"},
        Row{"tokens", R"({"tokens_configuration":{"max_chunk_size_tokens":9}})"},
        Row{"ast", R"({"ast_configuration":{"max_chunk_size_tokens":9}})"},
        Row{"table", R"({"table_configuration":{"max_chunk_size_tokens":9}})"},
        Row{"markdown-tokens", R"({"markdown_tokens_configuration":{"max_chunk_size_tokens":9}})"},
        Row{"markdown-chars", R"({"markdown_chars_configuration":{"max_chunk_size_chars":9}})"},
        Row{"code-tokens", R"({"code_tokens_configuration":{"max_chunk_size_tokens":9}})"},
        Row{"code-chars", R"({"code_chars_configuration":{"max_chunk_size_chars":9}})"},
        Row{"bytes", R"({"bytes_configuration":{"max_chunk_size_bytes":9}})"}}) {
    const OrderedJson body =
        Built("collections", "create",
              {{"collection-name", "c"}, {"chunk-strategy", row.strategy}, {"chunk-size", "9"}})
            .body();
    CHECK(body["chunk_configuration"].dump() == row.expected);
  }
}
