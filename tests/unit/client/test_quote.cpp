#include <string>
#include <tuple>
#include <vector>

#include <doctest/doctest.h>
#include <fmt/format.h>

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

TEST_CASE("tokens are counted by the sizes of words and of runs of one script") {
  const struct {
    const char* text;
    std::int64_t low;
    std::int64_t about;
    std::int64_t high;
  } rows[] = {
      // Words: one token up to eight letters, then one for each five; numbers, for each three
      // digits.
      {"abcdefgh", 0, 1, 2},
      {"abcdefghi", 1, 2, 4},
      {"abcdefghijk", 2, 3, 6},
      {"123", 0, 1, 2},
      {"1234", 1, 2, 4},
      {"a 1", 2, 3, 3},
      {"a  1", 1, 3, 4},
      {"a\t1", 1, 3, 3},
      {"azAZ", 0, 1, 2},
      {"\u00C0\u024Fa", 0, 1, 2},
      // Next to the letters and digits: signs, one for each two.
      {"a@", 1, 2, 2},
      {"a[", 1, 2, 2},
      {"a`", 1, 2, 2},
      {"a{", 1, 2, 2},
      {"1/", 1, 2, 2},
      {"1:", 1, 2, 2},
      {"a\u00BF", 1, 2, 3},
      {"}{;", 2, 3, 3},
      // Blanks: a single space belongs to its word; more, and lines, are tokens of their own.
      {"a b", 1, 2, 3},
      {"a  b", 1, 3, 4},
      {"a   b", 2, 3, 5},
      {"a                b", 2, 3, 8},
      {"a                 b", 2, 4, 9},
      {"a\tb", 1, 3, 3},
      {"a\nb", 2, 3, 3},
      {"abcd\n\n\nabcd", 2, 4, 8},
      {"abcd\n\nabcd", 2, 3, 7},
      {"abcd\r\nabcd", 2, 4, 6},
      // Other scripts, by letters; ideographs.
      {"\u03b1\u03b2\u03b3\u03b4\u03b5\u03b6", 1, 1, 6},
      {"\u03b1\u03b2\u03b3\u03b4\u03b5\u03b6\u03b7", 1, 2, 7},
      {"\u03b1\u03b2\u03b3\u03b4\u03b5\u03b6\u03b7\u03b8", 1, 2, 8},
      {"\u03b1\u03b2\u03b3\u03b4\u03b5\u03b6\u03b7\u03b8\u03b9", 2, 2, 9},
      {"a\u0250", 1, 2, 3},
      {"\u1FFF\u2000", 2, 2, 3},
      {"\u2E7F\u2E80", 2, 2, 4},
      {"\u65e5\u672c\u8a9e", 2, 3, 6},
      {"\u4e2d!", 2, 2, 4},
      {"!\u2014", 1, 2, 4},
      {"\xff", 1, 1, 1},
  };
  for (const auto& row : rows) {
    CAPTURE(row.text);
    const TokenCount count = count_tokens_in(row.text);
    CHECK(count.low == row.low);
    CHECK(count.about == row.about);
    CHECK(count.high == row.high);
  }
}

TEST_CASE("what of a body is counted: texts, messages and images") {
  const auto texts = [](const char* body) { return chat(body).texts; };
  using Texts = std::vector<std::string>;
  CHECK(texts(R"({"model":"m","messages":[{"role":"system","content":"a"},{"role":"user","content":[
        {"type":"text","text":"b"},{"type":"image_url","image_url":{"url":"u"}}]},{"role":
        "assistant","content":"","reasoning_content":"c","refusal":"d","tool_calls":[{"id":"x",
        "type":"function","function":{"name":"n","arguments":"e"}}]}],"user":"nobody"})") ==
        Texts{"a", "b", "c", "d", "e"});
  CHECK(texts(R"({"model":"m","instructions":"a","input":[{"type":"function_call_output",
        "call_id":"x","output":"b"}],"prompt":["c","d"],"system":"e"})") ==
        Texts{"b", "a", "c", "d", "e"});
  CHECK(texts(R"({"model":"m","messages":[],"tools":[{"type":"custom"}]})") ==
        Texts{R"([{"type":"custom"}])"});
  const auto fixed = [](const char* body) { return chat(body, 0).input.about; };
  CHECK(fixed(R"({"model":"m","messages":[]})") == 0);
  CHECK(fixed(R"({"model":"m","messages":[{"role":"user","content":"a"},{"role":"user"}]})") == 8);
  CHECK(fixed(R"({"model":"m","input":"a"})") == 4);
  CHECK(fixed(R"({"model":"m","input":[{"call_id":"x","output":"b"}]})") == 4);
  CHECK(fixed(R"({"model":"m","instructions":"a","prompt":"b","system":"c"})") == 12);
  for (const char* part : {R"({"type":"image_url"})", R"({"type":"input_image"})",
                           R"({"type":"image"})", R"({"image_url":"u"})"}) {
    CAPTURE(part);
    const Quote quote =
        chat(fmt::format(R"({{"model":"m","messages":[{{"role":"user","content":[{}]}}]}})", part)
                 .c_str(),
             0);
    CHECK(quote.input.low == 4 + 256);
    CHECK(quote.input.about == 4 + 256);
    CHECK(quote.input.high == 4 + 2048);
  }
  CHECK(fixed(R"({"model":"m","messages":[{"role":"user","content":[{"type":"text",
        "image_url":"u"}]}]})") == 4);
}

TEST_CASE("images may cost more than texts, and a long request costs more for each token") {
  ModelFacts facts = model();
  const char* image = R"({"model":"m","messages":[{"role":"user","content":[{"type":"image"}]}],
      "max_completion_tokens":10})";
  const Operation& create = *find_operation("chat", "create");
  Quote quote = quote_of(create, image, &facts, {}, 0);
  CHECK(quote.least == 260 * 20);
  CHECK(quote.fixed == 2052 * 40);
  CHECK(quote.most == 2052 * 40 + 10 * 200);
  facts.prices[static_cast<std::size_t>(Price::InputPicture)] = 50;
  quote = quote_of(create, image, &facts, {}, 0);
  CHECK(quote.least == 4 * 20 + 256 * 50);
  CHECK(quote.fixed == 4 * 40 + 2048 * 50);
  facts.prices[static_cast<std::size_t>(Price::InputPicture)] = 10;  // it is never less
  CHECK(quote_of(create, image, &facts, {}, 0).least == 260 * 20);
  const char* text = R"({"model":"m","input":"","max_completion_tokens":1})";
  CHECK(quote_of(create, text, &facts, {}, 996).most == 1'000 * 20 + 100);
  CHECK(quote_of(create, text, &facts, {}, 997).most == 1'001 * 40 + 200);
  facts.prices[static_cast<std::size_t>(Price::LongInput)].reset();
  facts.prices[static_cast<std::size_t>(Price::LongOutput)].reset();
  CHECK(quote_of(create, text, &facts, {}, 997).most == 1'001 * 20 + 100);
  facts.prices[static_cast<std::size_t>(Price::Output)].reset();
  CHECK(quote_of(create, text, &facts, {}, 1).unknown == "m has no published price");
}

TEST_CASE("numbers of a body may be texts, and have limits") {
  const auto choices = [](const char* n) {
    return chat(fmt::format(R"({{"model":"m","messages":[],"n":{}}})", n).c_str()).choices;
  };
  CHECK(choices("3") == 3);
  CHECK(choices("\"3\"") == 3);
  CHECK(choices("2.9") == 2);
  CHECK(choices("0") == 1);
  CHECK(choices("-5") == 1);
  CHECK(choices("1000") == 1'000);
  CHECK(choices("1001") == 1'000);
  CHECK(choices("1e300") == 1'000);
  CHECK(choices("\"x\"") == 1);
  CHECK(choices("true") == 1);
  const auto output = [](const char* members) {
    return chat(fmt::format(R"({{"model":"m","messages":[],{}}})", members).c_str()).output;
  };
  CHECK(output(R"("max_completion_tokens":5)") == 5);
  CHECK(output(R"("max_tokens":6)") == 6);
  CHECK(output(R"("max_completion_tokens":5,"max_tokens":6)") == 5);
  CHECK(output(R"("max_completion_tokens":0)") == 0);
  CHECK(output(R"("max_completion_tokens":null)") == 128'000);
  CHECK(output(R"("max_completion_tokens":"-7")") == 128'000);
  CHECK(output(R"("max_completion_tokens":1e12)") == 1'000'000'000);
  CHECK(output(R"("max_completion_tokens":"1000000000000")") == 1'000'000'000);
  CHECK(output(R"("n":2)") == 256'000);
}

TEST_CASE("each operation's limit, price list and doubts") {
  const ModelFacts facts = model();
  const auto limited = [&](const char* group, const char* verb) {
    return with_token_limit(*find_operation(group, verb), R"({"a":1})", 5);
  };
  CHECK(limited("responses", "create") == R"({"a":1,"max_output_tokens":5})");
  CHECK(limited("legacy", "completions") == R"({"a":1,"max_tokens":5})");
  CHECK(limited("legacy", "messages") == R"({"a":1,"max_tokens":5})");
  CHECK(limited("images", "generate") == R"({"a":1})");
  CHECK(limited("models", "list") == R"({"a":1})");
  CHECK(limited("legacy", "complete") == R"({"a":1,"max_tokens_to_sample":5})");
  const auto list = [](const char* group, const char* verb) {
    return price_list_of(*find_operation(group, verb));
  };
  CHECK(list("chat", "create") == "language");
  CHECK(list("images", "edit") == "image");
  CHECK(list("videos", "extend") == "video");
  CHECK(list("tts", "speak").empty());
  CHECK(list("stt", "transcribe").empty());
  CHECK(list("models", "list").empty());
  const auto unknown = [&](const char* group, const char* verb, const char* body) {
    return quote_of(*find_operation(group, verb), body, &facts, {}).unknown;
  };
  CHECK(unknown("models", "list", "{}") == "it depends on more than the request says");
  CHECK(unknown("chat", "create", "[]") == "it depends on more than the request says");
  CHECK(unknown("responses", "create", R"({"model":"m","previous_response_id":"r"})") ==
        "the length of the stored conversation is unknown");
  CHECK(unknown("responses", "create", R"({"model":"m","previous_response_id":null})").empty());
  CHECK(unknown("responses", "create", R"({"model":"m","tools":[{"type":"function"}]})").empty());
  CHECK(unknown("chat", "create", R"({"model":"m","search_parameters":{"mode":"off"}})").empty());
  for (const char* member : {"file_id", "file_url", "file_data"}) {
    CHECK(unknown("responses", "create",
                  fmt::format(R"({{"model":"m","input":[{{"{}":"x"}}]}})", member).c_str()) ==
          "the size of attached files is unknown");
  }
  CHECK(unknown("chat", "create", R"({"model":"m","tools":[{"name":"x"},{"type":"custom"}]})") ==
        "no limit holds for function calls");
}

TEST_CASE("what an image or a video is made of costs too") {
  ModelFacts facts{.name = "i", .sizes = {{"1k", 5}}};
  const auto most = [&](const char* group, const char* verb, const char* body) {
    return quote_of(*find_operation(group, verb), body, &facts, {}).most;
  };
  CHECK(most("images", "edit", R"({"model":"i","image":{},"n":2})") == 10);
  facts.prices[static_cast<std::size_t>(Price::InputImage)] = 3;
  CHECK(most("images", "edit", R"({"model":"i","image":{},"n":2})") == 13);
  CHECK(most("images", "edit", R"({"model":"i","images":[{},{},{}]})") == 14);
  CHECK(most("images", "generate", R"({"model":"i","prompt":"x"})") == 5);
  CHECK(most("videos", "generate", R"({"model":"i","prompt":"x"})") == 40);
  CHECK(most("videos", "generate", R"({"model":"i","duration":4})") == 20);
  CHECK(most("videos", "generate", R"({"model":"i","seconds":"4"})") == 20);
  CHECK(most("videos", "generate", R"({"model":"i","duration":4,"seconds":"9"})") == 20);
  CHECK(most("videos", "generate", R"({"model":"i","image":{}})") == 43);
  CHECK(most("videos", "generate", R"({"model":"i","reference_images":[{},{}]})") == 46);
  const auto changed =
      quote_of(*find_operation("videos", "extend"), R"({"model":"i","video":{}})", &facts, {});
  CHECK(changed.unknown == "the length of the video to change is unknown");
  CHECK_FALSE(changed.most);
  CHECK(quote_of(*find_operation("videos", "edit"), R"({"model":"i"})", &facts, {}).unknown ==
        "the length of the video to change is unknown");
  const auto unsized = quote_of(*find_operation("images", "generate"),
                                R"({"model":"i","resolution":"4k"})", &facts, {});
  CHECK(unsized.unknown == "i has no published price");
  facts.sizes.push_back({"2k", 9});
  CHECK(most("images", "generate", R"({"model":"i","resolution":"1k"})") == 5);
  CHECK(most("images", "generate", R"({"model":"i","resolution":"2k","n":3})") == 27);
  CHECK(most("videos", "generate", R"({"model":"i","resolution":"2k","duration":2})") == 18);
  const Quote sized =
      quote_of(*find_operation("images", "generate"), R"({"model":"i"})", &facts, {});
  CHECK(sized.by_quantity);
  CHECK(sized.least == 5);
  CHECK(sized.about == 5);
  CHECK(sized.fixed == 5);
}

TEST_CASE("a price that is not known, and one of nothing") {
  const ModelFacts facts{.name = "v", .sizes = {{"480p", 5}}};
  const auto quote = [&](const char* group, const char* verb, const char* body) {
    return quote_of(*find_operation(group, verb), body, &facts, {});
  };
  // Without a price of its own, what a video is made of costs nothing.
  CHECK(quote("videos", "generate", R"({"model":"v","image":{}})").most == 40);
  CHECK(quote("videos", "generate", R"({"model":"v","reference_images":[{}]})").most == 40);
  CHECK(quote("videos", "extend", R"({"model":"v"})").most == 30);
  CHECK_FALSE(quote("videos", "generate", R"({"model":"v","duration":0})").is_open());
  CHECK(quote("videos", "generate", R"({"model":"v","duration":0})").most == 0);
  CHECK(quote("images", "generate", R"({"model":"v","images":{},"image":{}})").most == 5);
  // Only what is sent in a request is: the rest has no price that the request tells.
  for (const char* verb : {"live", "transcribe"}) {
    CAPTURE(verb);
    CHECK(quote("stt", verb, R"({"seconds":1})").unknown ==
          (std::string_view(verb) == "live" ? "it depends on more than the request says"
                                            : "speech to text has no published price"));
  }
  CHECK(quote("chat", "create", R"({"messages":[]})").model ==
        find_operation("chat", "create")->default_model);
  // The profile's own prices, without a list of the service.
  Prices own{};
  own[static_cast<std::size_t>(Price::Input)] = 2;
  own[static_cast<std::size_t>(Price::Output)] = 3;
  const Quote priced =
      quote_of(*find_operation("responses", "create"),
               R"({"model":"m","input":"hi","max_output_tokens":10})", nullptr, own, 1);
  CHECK(priced.most == 5 * 2 + 10 * 3);
  CHECK(priced.floor() == 5 * 2 + 3);
  CHECK(priced.usual_most() == 40);
  own[static_cast<std::size_t>(Price::Output)].reset();
  const Quote unpriced = quote_of(*find_operation("responses", "create"),
                                  R"({"model":"m","input":"hi"})", nullptr, own, 1);
  CHECK(unpriced.unknown == "m has no published price");
  CHECK(unpriced.about == 10);
  CHECK(unpriced.output_price == 0);
  CHECK_FALSE(unpriced.most);
  own[static_cast<std::size_t>(Price::Output)] = 0;
  const Quote free = quote_of(*find_operation("responses", "create"),
                              R"({"model":"m","input":"hi"})", nullptr, own, 1);
  CHECK(free.most == 10);
  CHECK_FALSE(free.is_open());
}

TEST_CASE("which limits hold for reasoning and calls too") {
  ModelFacts facts = model();
  facts.reasons = true;
  const std::tuple<const char*, const char*, bool> rows[] = {{"chat", "create", false},
                                                             {"responses", "create", true},
                                                             {"legacy", "completions", true},
                                                             {"legacy", "messages", false},
                                                             {"legacy", "complete", true}};
  for (const auto& [group, verb, whole] : rows) {
    CAPTURE(verb);
    const Quote quote = quote_of(*find_operation(group, verb), R"({"model":"m"})", &facts, {});
    CHECK(quote.most.has_value() == whole);
    CHECK(quote.is_open() == whole);
    CHECK(quote.usual_most() == 128'000 * 100);
    CHECK(quote.unknown == (whole ? "" : "no limit holds for the reasoning of m"));
  }
  facts.reasons.reset();  // perhaps
  CHECK(quote_of(*find_operation("chat", "create"), R"({"model":"m"})", &facts, {}).unknown ==
        "no limit holds for the reasoning of m");
  const std::string tool(81, 't');
  CHECK(chat((R"({"model":"m","tools":[{"type":")" + tool + R"("}]})").c_str()).unknown ==
        "what the tool " + tool.substr(0, 80) + "… uses is unknown");
  // The first doubt is named.
  CHECK(chat(R"({"model":"m","messages":[{"role":"user","content":[{"file_url":"u"}]}],
        "tools":[{"type":"web_search"}]})")
            .unknown == "the size of attached files is unknown");
}

TEST_CASE("a recording costs its seconds, if its length is known") {
  Prices own{};
  const Operation& stt = *find_operation("stt", "transcribe");
  CHECK_FALSE(quote_of(stt, R"({"seconds":61})", nullptr, own).most);
  own[static_cast<std::size_t>(Price::SoundSecond)] = 7;
  CHECK(quote_of(stt, R"({"seconds":61})", nullptr, own).most == 427);
  CHECK(quote_of(stt, R"({"seconds":0})", nullptr, own).most == 0);
  CHECK(quote_of(stt, R"({"seconds":0})", nullptr, own).unknown.empty());
  CHECK(quote_of(stt, "{}", nullptr, own).unknown == "the length of the recording is unknown");
}
