#include <doctest/doctest.h>

#include "catalogue/catalogue.h"
#include "client/quote.h"

using namespace svc;

namespace {

ModelFacts model() {
  ModelFacts facts{.name = "m"};
  const auto set = [&](Price of, std::int64_t ticks) {
    facts.prices[static_cast<std::size_t>(of)] = ticks;
  };
  set(Price::Input, 20);
  set(Price::Output, 100);
  set(Price::LongInput, 40);
  set(Price::LongOutput, 200);
  facts.long_from = 1000;
  facts.reasons = false;
  return facts;
}

Quote chat(const char* body, std::optional<std::int64_t> counted = {}) {
  const ModelFacts facts = model();
  return quote_of(*find_operation("chat", "create"), body, &facts, {}, counted);
}

}  // namespace

TEST_CASE("a chat costs its input and at most the output that it allows") {
  const Quote limited = chat(
      R"({"model":"m","messages":[{"role":"user","content":"hi"}],"max_completion_tokens":7,"n":2})",
      1);
  CHECK(limited.input.about == 5);
  CHECK(limited.about == 100);
  CHECK(limited.most == 100 + 14 * 100);
  CHECK_FALSE(limited.is_open());
  const Quote open = chat(R"({"model":"m","messages":[{"role":"user","content":"hi"}]})", 1);
  CHECK(open.is_open());
  CHECK(open.most == 100 + 128'000 * 100);
  const Quote lengthy =
      chat(R"({"model":"m","prompt":"","messages":[],"max_completion_tokens":1})", 2000);
  CHECK(lengthy.about == 2004 * 40);
  CHECK(lengthy.most == 2004 * 40 + 200);
}

TEST_CASE("what has no limit is said") {
  const auto unknown = [](const char* body) { return chat(body).unknown; };
  CHECK(unknown(R"({"model":"m","messages":[]})").empty());
  CHECK(unknown(R"({"model":"m","messages":[],"tools":[{"type":"function"}]})") ==
        "no limit holds for function calls");
  CHECK(unknown(R"({"model":"m","messages":[],"tools":[{"type":"web_search"}]})") ==
        "what the tool web_search uses is unknown");
  CHECK(unknown(R"({"model":"m","messages":[],"search_parameters":{"mode":"auto"}})") ==
        "the number of sources that a search uses is unknown");
  CHECK(
      unknown(
          R"({"model":"m","messages":[{"role":"user","content":[{"type":"file","file":{"file_id":"f"}}]}]})") ==
      "the size of attached files is unknown");
  ModelFacts facts = model();
  facts.reasons = true;
  const char* body = R"({"model":"m","messages":[]})";
  CHECK(quote_of(*find_operation("chat", "create"), body, &facts, {}).unknown ==
        "no limit holds for the reasoning of m");
  CHECK(quote_of(*find_operation("chat", "create"), body, nullptr, {}).unknown ==
        "m has no published price");
  // A response's limit includes its reasoning.
  CHECK(
      quote_of(*find_operation("responses", "create"), R"({"model":"m","input":"hi"})", &facts, {})
          .is_open());
}

TEST_CASE("images, videos and speech are charged by quantity") {
  ModelFacts facts{.name = "i", .sizes = {{"1k", 5}, {"2k", 9}}};
  CHECK(quote_of(*find_operation("images", "generate"), R"({"model":"i","prompt":"x","n":3})",
                 &facts, {})
            .most == 15);
  CHECK(quote_of(*find_operation("images", "generate"),
                 R"({"model":"i","prompt":"x","resolution":"2k"})", &facts, {})
            .most == 9);
  ModelFacts video{.name = "v", .sizes = {{"480p", 5}}};
  CHECK(quote_of(*find_operation("videos", "generate"), R"({"model":"v","prompt":"x"})", &video, {})
            .most == 40);
  Prices own{};
  CHECK(quote_of(*find_operation("tts", "speak"), R"({"text":"héllo"})", nullptr, own).unknown ==
        "text to speech has no published price");
  own[static_cast<std::size_t>(Price::Character)] = 3;
  CHECK(quote_of(*find_operation("tts", "speak"), R"({"text":"héllo"})", nullptr, own).most == 15);
}

TEST_CASE("a token limit is added to a body, or replaces null") {
  const Operation& chat = *find_operation("chat", "create");
  CHECK(with_token_limit(chat, R"({"a":1})", 5) == R"({"a":1,"max_completion_tokens":5})");
  CHECK(with_token_limit(chat, R"({"max_completion_tokens":null})", 5) ==
        R"({"max_completion_tokens":5})");
}

TEST_CASE("a token count never exceeds the bytes and is never negative") {
  for (const char* text :
       {"", "a", "hello world", "日本語", "\xff\xfe", "\n\n\n", "1234567", "}{;:"}) {
    CAPTURE(text);
    const TokenCount count = count_tokens_in(text);
    CHECK(count.low >= 0);
    CHECK(count.low <= count.about);
    CHECK(count.about <= count.high);
    CHECK(count.high <= std::ssize(std::string_view(text)));
  }
}

TEST_CASE("the range of a long text in Latin letters is that of its words, not of each of them") {
  std::string text;
  for (int i = 0; i < 100; ++i) text += "small words in a line ";
  const TokenCount words = count_tokens_in(text);
  CHECK(words.about == 500);
  CHECK(words.low == 350);
  CHECK(words.high == 1000);
  // The space before a number is a token.
  CHECK(count_tokens_in("12 345 6789").about == 6);
}

TEST_CASE("a recording costs its seconds, if its length is known") {
  Prices own{};
  const Operation& stt = *find_operation("stt", "transcribe");
  CHECK_FALSE(quote_of(stt, R"({"seconds":61})", nullptr, own).most);
  own[static_cast<std::size_t>(Price::SoundSecond)] = 7;
  CHECK(quote_of(stt, R"({"seconds":61})", nullptr, own).most == 427);
  CHECK(quote_of(stt, "{}", nullptr, own).unknown == "the length of the recording is unknown");
}
