#include <vector>

#include <doctest/doctest.h>

#include "base/message.h"
#include "base/url.h"

using namespace svc;

TEST_CASE("percent-encoding keeps unreserved characters, and decoding reverses encoding") {
  CHECK(percent_encode("a-b._~/ %é") == "a-b._~%2F%20%25%C3%A9");
  CHECK(percent_decode(percent_encode("a-b._~/ %é")) == "a-b._~/ %é");
}

TEST_CASE("pairs of a query") {
  CHECK(query_string({}).empty());
  const std::vector<Header> pairs = {{"a b", "1&2"}, {"c", ""}};
  CHECK(query_string(pairs) == "?a%20b=1%262&c=");
}

TEST_CASE("headers are found by any case, and set if there is none") {
  std::vector<Header> headers = {{"Accept", "a"}, {"accept", "b"}};
  CHECK(find_header(headers, "ACCEPT") == "a");
  CHECK_FALSE(find_header(headers, "Accep"));
  set_default_header(headers, "aCCEPT", "c");
  CHECK(headers.size() == 2);
  set_default_header(headers, "X", "y");
  REQUIRE(headers.size() == 3);
  CHECK(headers.front().name == "X");
  CHECK(headers.front().value == "y");
}

TEST_CASE("a percent sign without two hexadecimal digits is kept") {
  CHECK(percent_decode("a%20b%2") == "a b%2");
  CHECK(percent_decode("%zz%4g%41%e2") == "%zz%4gA\xe2");
  CHECK(percent_decode("a+b%") == "a+b%");
}
