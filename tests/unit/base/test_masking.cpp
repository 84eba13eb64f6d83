#include <cstdio>
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
  CHECK(masked("7376632D612B622F633d30313233") == "***");
  CHECK(masked("SVC-A+B/C=0123, Svc-a%2bB/c=0123") == "***, ***");
  CHECK(mask_secret("svc-a", "SVC-A", "***") == "***");
}

TEST_CASE("a secret is found with any break inside, at any place, in any notation") {
  const std::string key = "svc-a+b/c=0123";
  for (const char* gap : {" ",        "\n",       "\r\n   ",       "\t",           "\f",
                          R"(\n)",    R"(\\n)",   R"(\\\\r\\\\n)", R"(\u000a)",    R"(\u{a})",
                          R"(\x0A)",  R"(\012)",  R"(\u2028)",     "%0A",          "%250d%250a",
                          "&#10;",    "&#x0a;",   "&amp;#10;",     "<br>",         "<br />",
                          "<wbr>",    "\\\n",     "=\r\n",         "\xE2\x80\xA8", "\xE2\x80\x8B",
                          "\xC2\xA0", "\xC2\xAD", "\x1b",          "\x7f"}) {
    CAPTURE(std::string(gap));
    for (std::size_t at = 1; at < key.size(); ++at) {
      CAPTURE(at);
      if (key[at] == gap[0]) continue;  // belongs to the key
      CHECK(masked("<" + key.substr(0, at) + gap + key.substr(at) + ">") == "<***>");
    }
    std::string everywhere;
    for (const char c : key) everywhere += std::string(1, c) + gap;
    if (gap[0] != '=') CHECK(masked(everywhere).starts_with("***"));
  }
  const auto each = [&](const char* format) {
    std::string text;
    for (const char c : key) {
      char one[16];
      std::snprintf(one, sizeof one, format, static_cast<unsigned>(c));
      text += one;
    }
    return text;
  };
  for (const char* format :
       {"%%%02x", "%%25%02X", "\\u%04x", "\\\\u%04X", "\\u{%x}", "\\x%02x", "\\%03o", "\\\\%03o",
        "&#%u;", "&#x%X;", "&amp;#%u;", "&amp;amp;#x%x;"}) {
    CAPTURE(std::string(format));
    CHECK(masked("<" + each(format) + ">") == "<***>");
  }
  CHECK(masked("svc-a&plus;b&sol;c&equals;0123") == "***");
  CHECK(mask_secret("svc&amp;a_1", "svc&a_1", "***") == "***");
  CHECK(mask_secret("svc&amp;amp;a&lowbar;1", "svc&a_1", "***") == "***");
  CHECK(mask_secret(R"(\n\r\t1)", "nrt1", "***") == "***");
}

TEST_CASE("how much may stand between two characters, and for one") {
  CHECK(masked("svc-" + std::string(64, ' ') + "a+b/c=0123") == "***");
  const std::string apart = "svc-" + std::string(65, ' ') + "a+b/c=0123";
  CHECK(masked(apart) == apart);
  CHECK(masked("&#00000115;vc-a+b/c=0123") == "***");
  CHECK(masked("&#000000115;vc-a+b/c=0123") == "&#000000115;vc-a+b/c=0123");
}

TEST_CASE("a secret in base64 is found from six digits on, in both alphabets") {
  CHECK(mask_secret("<YWJjZGU=>", "abcde", "***") == "<***U=>");
  CHECK(mask_secret("<YWJjZA==>", "abcd", "***") == "<YWJjZA==>");
  const std::string secret = std::string(3, '?') + ">>>";
  CHECK(base64_encode(secret) == "Pz8/Pj4+");
  CHECK(mask_secret("<Pz8/Pj4+>", secret, "***") == "<***>");
  CHECK(mask_secret("<Pz8_Pj4->", secret, "***") == "<***>");
}

TEST_CASE("a long text is read once, whatever it repeats") {
  for (const char* piece : {"\\", "%25", "&amp;", "s ", "<br", "svc-a+b/c=012", "\\u", "&#", " "}) {
    std::string text;
    while (text.size() < (1U << 20U)) text += piece;
    CHECK(masked(text).size() == text.size());
  }
}

TEST_CASE("what is not the secret stays") {
  for (const char* text : {"",
                           "svc-a+b/c=012",
                           "svc-a+b,/c=0123",
                           "svc-a+b<i>/c=0123",
                           "svc-a+b/c=\x10"
                           "123",  // 0x10 is to 0 as a capital is to its letter
                           "%73%76",
                           "%",
                           "\\",
                           "\\u00",
                           "&#",
                           "&#45;",
                           "&#x;vc",
                           "%25",
                           "%2525",
                           "\\\\",
                           "&#99999999999;",
                           "svc-a%2b%2fc%3d0123",
                           "100%",
                           "&amp;",
                           "&amp;amp;",
                           "&amp;#",
                           "\\163",
                           "\\1",
                           "\\u{",
                           "\\u{73",
                           "s<br",
                           "s=\n",
                           "s\\\n"}) {
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
