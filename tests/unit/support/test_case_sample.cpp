#include <doctest/doctest.h>

#include "support/case_sample.h"

using namespace svc::test;

TEST_CASE("blocks of a document are found by their language or their marker") {
  constexpr const char* k_text =
      "# T\n```console\n$ a\n1\n```\ntext\n```sh\nb\n```\n<!-- shot -->\n\n````text\n```\nc\n````\n"
      "```console\n$ d\n```\n";
  CHECK(blocks_of(k_text, "console") == "$ a\n1\n$ d\n");
  CHECK(blocks_of(k_text, "sh") == "b\n");
  CHECK(blocks_of(k_text, "shot") == "```\nc\n");
  CHECK(blocks_of(k_text, "other").empty());
}

TEST_CASE("a sample matches line by line, with gaps") {
  CHECK(compare_sample("a\nid …\n", "a\nid 77\n").empty());
  CHECK(compare_sample("…b…d\n", "abcd\n").empty());
  CHECK(compare_sample("a …\n", "a …\n").empty());
  CHECK_FALSE(compare_sample("a\n", "a\nb\n").empty());
  CHECK_FALSE(compare_sample("a\nb\n", "a\n").empty());
  CHECK_FALSE(compare_sample("a…\n", "b\n").empty());
  CHECK_FALSE(compare_sample("…b\n", "bc\n").empty());
  CHECK_FALSE(compare_sample("a…b…c\n", "ac\n").empty());
  CHECK_FALSE(compare_sample("", "").empty());
}
