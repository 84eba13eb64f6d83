#include <doctest/doctest.h>

#include "base/url.h"

using namespace svc;

TEST_CASE("percent-encoding keeps unreserved characters, and decoding reverses encoding") {
  CHECK(percent_encode("a-b._~/ %é") == "a-b._~%2F%20%25%C3%A9");
  CHECK(percent_decode(percent_encode("a-b._~/ %é")) == "a-b._~/ %é");
}

TEST_CASE("a percent sign without two hexadecimal digits is kept") {
  CHECK(percent_decode("a%20b%2") == "a b%2");
  CHECK(percent_decode("%zz%4g%41%e2") == "%zz%4gA\xe2");
  CHECK(percent_decode("a+b%") == "a+b%");
}
