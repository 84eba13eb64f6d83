#include <random>
#include <set>

#include <doctest/doctest.h>

#include "base/text.h"
#include "emulator/account/ledger.h"
#include "emulator/model/answer.h"

using namespace svc;
using namespace svc::emulator;

namespace {

std::vector<std::string> cut(std::string_view text) {
  std::vector<std::string> pieces;
  for (const Token& token : tokenize(text)) pieces.emplace_back(token.text);
  return pieces;
}

using Pieces = std::vector<std::string>;

}  // namespace

TEST_CASE("words include the space before them, and long ones are split") {
  CHECK(cut("Hello world") == Pieces{"Hello", " world"});
  CHECK(cut("internationally") == Pieces{"inter", "natio", "nally"});
  CHECK(cut("a, b.") == Pieces{"a", ",", " b", "."});
  CHECK(cut("12345 x") == Pieces{"123", "45", " x"});
  CHECK(cut("a   b") == Pieces{"a", "   ", "b"});
  CHECK(cut("a\n\n\nb") == Pieces{"a", "\n\n", "\n", "b"});
  CHECK(cut(" übergrößenträger") == Pieces{" überg", "rößen", "träger"});
  CHECK(cut("日本") == Pieces{"日", "本"});
  CHECK(cut("😀a") == Pieces{"😀", "a"});
  CHECK(cut("").empty());
}

TEST_CASE("the tokens joined are the text, for any bytes, and counting agrees") {
  std::mt19937 random(7);
  const std::string alphabet = "ab Z0 9\n\t,.ü日😀\xff\xc3\x80";
  for (int round = 0; round < 2000; ++round) {
    std::string text;
    const auto length = random() % 60;
    for (std::size_t i = 0; i < length; ++i) text += alphabet[random() % alphabet.size()];
    std::string joined;
    const auto tokens = tokenize(text);
    for (const Token& token : tokens) {
      REQUIRE_FALSE(token.text.empty());
      joined += token.text;
    }
    REQUIRE(joined == text);
    REQUIRE(count_tokens(text) == tokens.size());
  }
}

TEST_CASE("no well-formed character is split") {
  for (const char* text : {"übergrößenträgerübergrößenträger", "Ελληνικάγλώσσα", "日本語テキスト",
                           "👩‍👩‍👧‍👦 family", "naïveté façade"}) {
    CAPTURE(text);
    for (const Token& token : tokenize(text))
      CHECK_FALSE(first_invalid_utf8(token.text).has_value());
  }
}

TEST_CASE("IDs depend only on the bytes and are within the vocabulary") {
  const auto one = tokenize("the cat");
  const auto two = tokenize("on the cat");
  REQUIRE(one.size() == 2);
  REQUIRE(two.size() == 3);
  CHECK(one[1].id == two[2].id);
  CHECK(one[0].id != two[1].id);             // "the" and " the"
  CHECK(tokenize("Hello")[0].id == 19'429);  // fixed: scripts may compare runs
  std::set<std::uint32_t> ids;
  for (int i = 0; i < 1000; ++i) {
    const std::string word =
        "w" + std::to_string(i % 10) + std::string(1, static_cast<char>('a' + i % 26));
    for (const Token& token : tokenize(word)) {
      CHECK(token.id < 131'072);
      ids.insert(token.id);
    }
  }
  CHECK(ids.size() > 30);
}

TEST_CASE("models are found by name and alias, and respond with their name") {
  REQUIRE(find_model("svc-4.5") != nullptr);
  CHECK(find_model("svc-4")->name == "svc-4.6");
  CHECK(find_model("svc-9") == nullptr);
  CHECK(find_model("") == nullptr);
  for (const Model& model : models()) {
    CAPTURE(model.name);
    CHECK(model.name.starts_with("svc-"));
    CHECK(model.prompt_price > model.cached_price);
    CHECK(model.completion_price > model.prompt_price);
    CHECK(model.context_length > 100'000);
    CHECK(model.reasoning_effort == (model.name == "svc-4.3"));
    CHECK(model.batches == (model.name != "svc-4.5"));
  }
}

TEST_CASE("cached tokens are counted once, at a lower price") {
  const Model& model = *find_model("svc-4.5");
  CHECK(price(model, {.prompt = 100}) == 100 * model.prompt_price);
  CHECK(price(model, {.prompt = 100, .cached = 40}) ==
        60 * model.prompt_price + 40 * model.cached_price);
  CHECK(price(model, {.prompt = 10, .cached = 40}) == 10 * model.cached_price);
  CHECK(price(model, {.completion = 3, .reasoning = 4, .sources = 2}) ==
        7 * model.completion_price + 2 * k_source_price);
  // A million completion tokens of svc-4.5 cost ten dollars.
  CHECK(price(model, {.completion = 1'000'000}) == 100'000'000'000);
}
