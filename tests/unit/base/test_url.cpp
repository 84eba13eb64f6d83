#include <doctest/doctest.h>

#include "base/url.h"

using namespace svc;

TEST_CASE("percent-encoding keeps unreserved characters, and decoding reverses encoding") {
  CHECK(percent_encode("a-b._~/ %é") == "a-b._~%2F%20%25%C3%A9");
  CHECK(percent_decoded(percent_encode("a-b._~/ %é")) == "a-b._~/ %é");
}

TEST_CASE("a percent sign without two hexadecimal digits is kept") {
  CHECK(percent_decoded("a%20b%2") == "a b%2");
  CHECK(percent_decoded("%zz%4g%41%e2") == "%zz%4gA\xe2");
  CHECK(percent_decoded("a+b%") == "a+b%");
}
