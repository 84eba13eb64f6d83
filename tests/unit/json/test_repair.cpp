#include <string>

#include <doctest/doctest.h>
#include <nlohmann/json.hpp>

#include "json/repair.h"

namespace svc {

TEST_CASE("well-formed JSON is unchanged byte for byte") {
  for (const char* text :
       {"", "{}", R"({"a":"\ud83d\ude00 é \\ud800 \n \"","n":1e-400, "m":-1.5E+3, "k":"1e400"})",
        R"("\\\\ud800")", R"("\uD83D\uDE00")"}) {
    CHECK(repair_json(text) == text);
  }
}

TEST_CASE("lone surrogates and bad bytes become U+FFFD") {
  CHECK(repair_json(R"("\ud800")") == R"("\ufffd")");
  CHECK(repair_json(R"("\ude00\ud83d")") == R"("\ufffd\ufffd")");
  CHECK(repair_json(R"("\ud83d\ud83d\ude00")") == R"("\ufffd\ud83d\ude00")");
  CHECK(repair_json(R"("\ud83dx\ude00")") == R"("\ufffdx\ufffd")");
  CHECK(repair_json(R"("\ude00\ude00")") == R"("\ufffd\ufffd")");
  CHECK(repair_json(R"("\ue000\ude00\ud7ff")") == R"("\ue000\ufffd\ud7ff")");
  CHECK(repair_json(R"("\ud83d\ude00\ud800")") == R"("\ud83d\ude00\ufffd")");
  CHECK(repair_json(R"({"\ud800":"\n\ud800"})") == R"({"\ufffd":"\n\ufffd"})");
  CHECK(repair_json("\"a\xff\"") == "\"a\uFFFD\"");
  CHECK(nlohmann::json::parse(repair_json("\"\\udfff\x80\"")) == "\uFFFD\uFFFD");
}

TEST_CASE("numbers beyond a double become the largest one") {
  const std::string largest = "1.7976931348623157e308";
  CHECK(repair_json("[1e400,-1e400, 2]") == "[" + largest + ",-" + largest + ", 2]");
  CHECK(repair_json("0.0001e+999") == largest);
  CHECK(repair_json(std::string(400, '9')) == largest);
  CHECK(repair_json("1e" + std::string(400, '9')) == largest);
  for (const std::string& small : {std::string("1e-400"), "0." + std::string(400, '0') + "1",
                                   "-1e-" + std::string(400, '9'), "0e" + std::string(400, '9')}) {
    CHECK(repair_json(small) == small);
  }
  CHECK(nlohmann::json::parse(repair_json("{\"a\":-1e999}"))["a"] == -1.7976931348623157e308);
  // An exponent may have leading zeros.
  CHECK(repair_json("-0.0194e0200" + std::string(90, '0')) == "-" + largest);
  CHECK(repair_json("1e+0999") == largest);
  CHECK(repair_json("1e-0999") == "1e-0999");
  CHECK(repair_json("1e" + std::string(400, '0') + "1") == "1e" + std::string(400, '0') + "1");
}

TEST_CASE("text that ends within an escape is handled") {
  const std::string whole = R"("\ud83d\ude00")";
  for (std::size_t length = 0; length < whole.size(); ++length) {
    const std::string part = whole.substr(0, length);
    CHECK(repair_json(part) == part);
  }
  CHECK(repair_json("\\") == "\\");
  CHECK(repair_json(R"("\ud8zz")") == R"("\ud8zz")");
}

TEST_CASE("text before an error is repaired, the rest is unchanged") {
  CHECK(repair_json(R"(["\ud800", x "\ud800"])") == R"(["\ufffd", x "\ud800"])");
}

}  // namespace svc
