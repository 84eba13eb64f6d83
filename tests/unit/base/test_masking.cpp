#include <string>

#include <doctest/doctest.h>

#include "base/base64.h"
#include "base/masking.h"

using namespace svc;

namespace {

std::string masked(const std::string& text) {
  return mask_secret(text, "svc-a+b/c=0123", "***");
}

}  // namespace

TEST_CASE("a secret is found however it is written") {
  CHECK(masked("x svc-a+b/c=0123 y svc-a+b/c=0123") == "x *** y ***");
  CHECK(masked("?k=svc-a%2Bb%2fc%3d0123&z") == "?k=***&z");
  CHECK(masked("%73%76%63%2d%61%2B%62%2F%63%3D%30%31%32%33") == "***");
  CHECK(masked(R"("svc-a\u002Bb\/c=0123")") == R"("***")");
  CHECK(masked("svc-a+b\r\n   /c=0123.") == "***.");
  CHECK(masked(R"(svc-a+b\n/c=0123.)") == "***.");
  CHECK(masked("svc-a%252Bb%25252fc%3d0123") == "***");
  CHECK(masked(R"({\"k\":\"svc-a\\u002Bb\\\/c=0123\"})") == R"({\"k\":\"***\"})");
  CHECK(mask_secret(R"(\u0075\u0078-1)", "ux-1", "***") == "***");
  CHECK(masked(R"(svc\x2da+b/c=0123)") == "***");
  CHECK(masked("svc&#45;a&#x2b;b&#X2F;c=0123;") == "***;");
  CHECK(masked("0x7376632d612b622f633d30313233") == "0x***");
  CHECK(masked("7376632D612B622F633D30313233") == "***");
}

TEST_CASE("what is not the secret stays") {
  for (const char* text :
       {"", "svc-a+b/c=012", "svc-a+b /c=0123", "%73%76", "%", "\\", "\\u00", "&#", "&#45;",
        "&#x;vc", "%25", "%2525", "\\\\", "&#99999999999;", "svc-a%2b%2fc%3d0123", "100%"}) {
    CHECK(masked(text) == text);
  }
}

TEST_CASE("a secret inside a text in base64 is found at every place, broken over lines too") {
  for (const std::string before : {"", "a", "ab", "user:", "Bearer ", "user:x"}) {
    std::string text = base64_encode(before + "svc-a+b/c=0123" + "tail");
    CHECK(masked(text).find("***") != std::string::npos);
    CHECK(masked(text).size() < text.size() - 12);
    text.insert(text.size() / 2, "\r\n");
    CHECK(masked(text).find("***") != std::string::npos);
  }
}
