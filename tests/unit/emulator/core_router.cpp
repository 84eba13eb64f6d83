#include <doctest/doctest.h>

#include "base/url.h"
#include "emulator/handler/handler.h"
#include "emulator/server/dispatch.h"

using namespace svc::emulator;

namespace {

Route row(std::string method, std::string path) {
  return {std::move(method), std::move(path), [](const Request&) { return Response{}; }};
}

const Router& router() {
  static const Router instance(
      {row("POST", "/v1/responses"), row("GET", "/v1/responses/{id}"),
       row("DELETE", "/v1/responses/{id}"), row("POST", "/v1/responses/compact"),
       row("GET", "/v1/batches/{batch_id}"), row("POST", "/v1/batches/{batch_id}"),
       row("POST", "/v1/batches/{batch_id}:cancel"), row("GET", "/v1/files/{id}/parts/{part}")});
  return instance;
}

std::string found(std::string_view method, std::string_view path) {
  const auto match = router().find(method, path);
  return match.route == nullptr ? "" : match.route->path;
}

}  // namespace

TEST_CASE("a route is found by method and path, with its parameters decoded") {
  CHECK(found("POST", "/v1/responses") == "/v1/responses");
  const auto match = router().find("GET", "/v1/files/a%2Fb%20c/parts/%C3%BC");
  REQUIRE(match.route != nullptr);
  CHECK(match.params.at("id") == "a/b c");
  CHECK(match.params.at("part") == "ü");
}

TEST_CASE("the most literal route is chosen") {
  CHECK(found("POST", "/v1/responses/compact") == "/v1/responses/compact");
  CHECK(found("GET", "/v1/responses/compact") == "/v1/responses/{id}");
  CHECK(found("POST", "/v1/batches/b1:cancel") == "/v1/batches/{batch_id}:cancel");
  CHECK(router().find("POST", "/v1/batches/b1:cancel").params.at("batch_id") == "b1");
  CHECK(router().find("GET", "/v1/batches/b1:cancel").params.at("batch_id") == "b1:cancel");
}

TEST_CASE("HEAD finds the same route as GET") {
  CHECK(found("HEAD", "/v1/responses/r1") == "/v1/responses/{id}");
}

TEST_CASE("a known path with another method returns the allowed methods") {
  const auto match = router().find("PUT", "/v1/responses/r1");
  CHECK(match.route == nullptr);
  CHECK(match.allowed == std::vector<std::string>{"GET", "DELETE"});
}

TEST_CASE("an unknown path has no methods") {
  for (const char* path : {"/", "", "/v1", "/v1/responses/", "/v1/responses/a/b", "/v2/responses",
                           "/v1/batches/:cancel/x", "//v1/responses"}) {
    CAPTURE(path);
    CHECK(router().find("GET", path).route == nullptr);
    CHECK(router().find("GET", path).allowed.empty());
  }
}

TEST_CASE("percent-decoding keeps text that is not an escape") {
  CHECK(svc::percent_decode("a%20b%2") == "a b%2");
  CHECK(svc::percent_decode("%zz%4g%41") == "%zz%4gA");
  CHECK(svc::percent_decode("a+b") == "a+b");
  CHECK(parse_query("/x?a+b%2Bc=+")[0].name == "a b+c");
}

TEST_CASE("a query is split into decoded pairs") {
  const auto query = parse_query("/x?limit=5&after=a%26b&flag&=v&&q=a=b");
  REQUIRE(query.size() == 5);
  CHECK(query[0].name == "limit");
  CHECK(query[0].value == "5");
  CHECK(query[1].value == "a&b");
  CHECK(query[2].name == "flag");
  CHECK(query[2].value == "");
  CHECK(query[3].name == "");
  CHECK(query[4].value == "a=b");
  CHECK(parse_query("/x").empty());
}
