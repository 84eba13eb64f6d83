#include <doctest/doctest.h>

#include "base/text.h"
#include "emulator/api/collections/store.h"
#include "emulator/model/answer.h"

using namespace svc;
using namespace svc::emulator;
using namespace svc::emulator::collections;

namespace {

std::vector<std::string> chunk_texts(sv text, const ChunkOptions& options) {
  std::vector<std::string> texts;
  for (const TextChunk& chunk : split_text(text, options)) texts.push_back(chunk.text);
  return texts;
}

ChunkOptions plan_of(Measure measure, std::size_t size, std::size_t overlap = 0,
                     bool strip = false) {
  return {measure, size, overlap, strip};
}

using Texts = std::vector<std::string>;

}  // namespace

TEST_CASE("characters: the overlap is on both sides, and within the size") {
  CHECK(chunk_texts("0123456789", plan_of(Measure::Chars, 4)) == Texts{"0123", "4567", "89"});
  CHECK(chunk_texts("0123456789", plan_of(Measure::Chars, 4, 1)) ==
        Texts{"012", "1234", "3456", "5678", "789"});
  // Overlaps that leave no room are reduced.
  CHECK(chunk_texts("abcdef", plan_of(Measure::Chars, 3, 2)) ==
        Texts{"ab", "abc", "bcd", "cde", "def", "ef"});
  CHECK(chunk_texts("ab", plan_of(Measure::Chars, 1, 0)) == Texts{"a", "b"});
  CHECK(chunk_texts("", {}).empty());
}

TEST_CASE("bytes: no character is split, whatever the size") {
  const std::string text = "aäößz€";
  for (std::size_t size = 1; size < 8; ++size) {
    for (std::size_t overlap = 0; overlap < size; ++overlap) {
      for (const auto& chunk : chunk_texts(text, plan_of(Measure::Bytes, size, overlap))) {
        CAPTURE(size);
        CAPTURE(overlap);
        CHECK_FALSE(first_invalid_utf8(chunk).has_value());
        CHECK((chunk.size() <= size || count_code_points(chunk) == 1));
      }
    }
  }
  CHECK(chunk_texts(text, plan_of(Measure::Bytes, 3)) == Texts{"aä", "ö", "ßz", "€"});
}

TEST_CASE("without overlap the chunks are the text, for every unit") {
  const std::string text =
      "# One\n\nA first paragraph, with words.\n\n## Two\n```\n# no heading\n\ncode\n```\nlast\n";
  for (const auto measure : {Measure::Chars, Measure::Bytes, Measure::Tokens}) {
    for (const std::size_t size : {1U, 5U, 17U, 40U, 1000U}) {
      std::string joined;
      for (const auto& chunk : chunk_texts(text, plan_of(measure, size))) joined += chunk;
      std::string wanted = text;
      std::erase_if(wanted, [](char c) { return c == ' ' || c == '\n'; });
      std::erase_if(joined, [](char c) { return c == ' ' || c == '\n'; });
      CHECK(joined == wanted);  // chunks of only spaces are omitted
    }
  }
}

TEST_CASE("tokens: no chunk is larger than requested") {
  std::string text;
  for (int i = 0; i < 200; ++i) text += "word" + std::to_string(i) + (i % 9 == 0 ? ".\n\n" : " ");
  const auto chunks = chunk_texts(text, plan_of(Measure::Tokens, 20, 5));
  CHECK(chunks.size() > 20);
  for (const auto& chunk : chunks) CHECK(count_tokens(chunk) <= 21);
  // The end of one chunk is in the next, and the start of the next in the previous one.
  CHECK(chunks[2].find(chunks[1].substr(chunks[1].size() - 6)) != std::string::npos);
}

TEST_CASE("whitespace is stripped on request, and pages are counted if there are several") {
  CHECK(chunk_texts("  a  ", plan_of(Measure::Chars, 10, 0, true)) == Texts{"a"});
  CHECK(chunk_texts("  a  ", plan_of(Measure::Chars, 10)) == Texts{"  a  "});
  CHECK(chunk_texts(" \n\t", plan_of(Measure::Chars, 10)).empty());
  const auto pages = split_text("aaaa\fbbbbbbcc", plan_of(Measure::Chars, 7));
  REQUIRE(pages.size() == 2);
  CHECK(pages[0].page == 1);
  CHECK(pages[1].page == 2);
  CHECK(split_text("one page", {})[0].page == 0);
  // A chunk is on the page of its middle, and each form feed counts once.
  const auto more = split_text("aa\fbbbbbbbbbbbbbbb", plan_of(Measure::Chars, 7));
  REQUIRE(more.size() == 3);
  for (const TextChunk& chunk : more) CHECK(chunk.page == 2);
}

TEST_CASE("words are letters, digits and what is not ASCII, in lower case") {
  CHECK(plain_words("az09 AZ é") == "az09 az é");
  CHECK(plain_words(" a`b{c/d:e@f[g  ") == "a b c d e f g");
  CHECK(plain_words("…").size() == 3);
  CHECK(plain_words("?!").empty());
}
