#include <doctest/doctest.h>

#include "support/case_checks.h"

using namespace svc::test;

TEST_CASE("a text difference starts at the first wrong line") {
  CHECK(compare_text("a\nb\n", "a\nb\n").empty());
  const std::string difference = compare_text("a\nb\n", "a\nc\x1b\n");
  CHECK(difference.find("line 2") != std::string::npos);
  CHECK(difference.find("^[") != std::string::npos);
  CHECK(difference.find('\x1b') == std::string::npos);
  CHECK_FALSE(compare_text("a\n", "a").empty());
  CHECK_FALSE(compare_text("", "a").empty());
}

TEST_CASE("JSON is compared by value") {
  CHECK(compare_json(R"({"a":[1,"x"]})", R"( {"a" : [1, "x"]} )", Members::Exact).empty());
  CHECK(compare_json(R"({"a":"<any>"})", R"({"a":[1]})", Members::Exact).empty());
  CHECK(compare_json(R"({"a":1})", R"({"a":1,"b":2})", Members::Further).empty());
  CHECK_FALSE(compare_json(R"({"a":1})", R"({"a":1,"b":2})", Members::Exact).empty());
  CHECK_FALSE(compare_json(R"({"a":1})", R"({"a":1.0})", Members::Exact).empty());
  CHECK_FALSE(compare_json(R"({"a":"<any>"})", R"({})", Members::Further).empty());
  CHECK_FALSE(compare_json(R"([1])", R"([1,2])", Members::Further).empty());
  CHECK_FALSE(compare_json(R"({})", "{} x", Members::Further).empty());
}

TEST_CASE("patterns match anywhere, case-insensitively, or must not") {
  CHECK(compare_patterns("HELLO\n^b$\n", "say hello\nb\n", true).empty());
  CHECK_FALSE(compare_patterns("hello\nnone\n", "hello\n", true).empty());
  CHECK(compare_patterns("none\n", "hello\n", false).empty());
  CHECK_FALSE(compare_patterns("h.l+o\n", "hello\n", false).empty());
  CHECK_FALSE(compare_patterns("(\n", "hello\n", true).empty());
  CHECK_FALSE(compare_patterns("(\n", "hello\n", false).empty());
  CHECK(compare_patterns("b\n", std::string("a\0b", 3), true).empty());
}

TEST_CASE("requests") {
  RecordedRequest request;
  request.method = "POST";
  request.target = "/v1/x";
  request.headers = {{"Authorization", "Bearer k"}, {"A", "b"}};
  request.body = R"({"a":1,"b":2})";
  CHECK(compare_request("POST /v1/x\nheader authorization: Bearer *\nno-header c\njson {\"a\":1,\n"
                        "\"b\":2}\n",
                        request)
            .empty());
  CHECK(compare_request("POST /v1/x\njson-has {\"a\":1}\n", request).empty());
  CHECK(compare_request("POST /v1/x\njson-has\n{\"b\":2}\n", request).empty());
  CHECK_FALSE(compare_request("GET /v1/x\n", request).empty());
  CHECK_FALSE(compare_request("POST /v1/x\nheader a: c\n", request).empty());
  CHECK_FALSE(compare_request("POST /v1/x\nheader z: *\n", request).empty());
  CHECK_FALSE(compare_request("POST /v1/x\nno-header a\n", request).empty());
  CHECK_FALSE(compare_request("POST /v1/x\njson {\"a\":1}\n", request).empty());
  CHECK_FALSE(compare_request("POST /v1/x\nbody x\n", request).empty());
  CHECK_FALSE(compare_request("POST /v1/x\nhaeder a: b\n", request).empty());
}

TEST_CASE("bytes that must not reach a terminal") {
  CHECK(find_control("plain\ttext\r\n \xc3\xa9", Controls::None).empty());
  CHECK_FALSE(find_control("\x1b[1m", Controls::None).empty());
  CHECK(find_control("\x1b[1mbold\x1b[0m", Controls::Color).empty());
  CHECK_FALSE(find_control("\x1b]52;c;x\x07", Controls::Color).empty());
  CHECK(find_control("\x1b_Ga=T,m=0;QUJD\x1b\\", Controls::Color).empty());
  CHECK(find_control("\x1b]1337;File=inline=1;size=3:QUJD\x07", Controls::Color).empty());
  CHECK_FALSE(find_control("\x1b_Ga=T,m=0;QU\x1bJD\x1b\\", Controls::Color).empty());
  CHECK_FALSE(find_control("\x1b]1337;SetUserVar=a:QUJD\x07", Controls::Color).empty());
  CHECK_FALSE(find_control("\x1b_Ga=T,t=\x9b;QUJD\x1b\\", Controls::Color).empty());
  CHECK_FALSE(find_control("\x1b", Controls::Color).empty());
  CHECK_FALSE(find_control("\xc2\x9b", Controls::None).empty());
  CHECK_FALSE(find_control("\x7f", Controls::None).empty());
  CHECK_FALSE(find_control("\x9b", Controls::None).empty());
  CHECK_FALSE(find_control(std::string("\0", 1), Controls::None).empty());
}

TEST_CASE("sanitizer reports are found") {
  CHECK(find_sanitizer_report("all well\n").empty());
  CHECK_FALSE(find_sanitizer_report("x.cpp:3:1: runtime error: shift\n").empty());
}
