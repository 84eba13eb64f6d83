// The fast path for a chunk must always give the same result as the slow one.
#include <array>
#include <random>

#include <doctest/doctest.h>
#include <nlohmann/json.hpp>

#include "client/answer.h"
#include "client/api_error.h"
#include "client/fast_delta.h"
#include "json/document.h"
#include "json/text.h"

using namespace svc;
using nlohmann::json;

namespace {

std::optional<FastDelta> plain(std::string_view data) {
  FastDelta chunk;
  if (!read_fast_delta(data, chunk)) return std::nullopt;
  return chunk;
}

std::string chunk_with(const std::string& choice, const std::string& more = "") {
  return R"({"id":"u1","object":"chat.completion.chunk","created":1700000000,"model":"svc-4.5",)"
         R"("choices":[)" +
         choice + "]" + more + "}";
}

/// Generates chunks: mostly typical ones, some unusual, some invalid.
class Maker {
 public:
  explicit Maker(unsigned seed) : m_random(seed) {}

  std::string chunk() {
    std::vector<std::string> members = {pair("choices", list(choice()))};
    if (chance(80)) members.push_back(pair("id", "\"u1\""));
    if (chance(80)) members.push_back(pair("created", "1700000000"));
    for (const char* name :
         {"usage", "citations", "error", "code", "service_tier", "type", "choices", "x"}) {
      if (chance(6)) members.push_back(pair(name, chance(50) ? "null" : value()));
    }
    std::shuffle(members.begin(), members.end(), m_random);
    std::string text = object(members);
    if (chance(15)) damage(text);
    return text;
  }

  bool chance(unsigned percent) { return m_random() % 100 < percent; }

 private:
  std::string choice() {
    std::vector<std::string> members;
    if (chance(90)) members.push_back(pair("index", number()));
    if (chance(97)) members.push_back(pair("delta", delta()));
    if (chance(50)) members.push_back(pair("finish_reason", chance(80) ? "null" : "\"stop\""));
    if (chance(20)) members.push_back(pair("logprobs", chance(80) ? "null" : value()));
    if (chance(3)) members.push_back(pair("delta", delta()));
    std::shuffle(members.begin(), members.end(), m_random);
    return object(members);
  }

  std::string delta() {
    std::vector<std::string> members;
    if (chance(95)) members.push_back(pair("content", chance(95) ? string() : scalar()));
    if (chance(20)) members.push_back(pair("role", "\"assistant\""));
    for (const char* name : {"reasoning_content", "tool_calls", "refusal", "content", "images"}) {
      if (chance(6)) members.push_back(pair(name, chance(70) ? "null" : value()));
    }
    std::shuffle(members.begin(), members.end(), m_random);
    return object(members);
  }

  std::string value() { return chance(50) ? scalar() : chance(50) ? "{\"a\":[1]}" : "[\"b\"]"; }

  std::string scalar() {
    static constexpr std::array words = {"null", "true", "false", "0",   "1",     "-1",      "1.5",
                                         "1e3",  "\"\"", "\"s\"", "007", "nulll", "\"\\n\"", "12a"};
    return words[m_random() % words.size()];
  }

  std::string number() {
    static constexpr std::array words = {"0", "0", "0", "1", "2", "00", "01", "7", "1000"};
    return words[m_random() % words.size()];
  }

  std::string string() {
    static constexpr std::array pieces = {"Hello",
                                          " ",
                                          "w\xc3\xb6rld",
                                          "\\n",
                                          "\\\"",
                                          "\\\\",
                                          "\\u00e9",
                                          "\\ud83d\\ude00",
                                          "\\/",
                                          "\\t",
                                          "\xf0\x9f\x98\x80",
                                          "{}[],:",
                                          "\x7f",
                                          "a longer run of plain text, without escapes",
                                          "\\q",
                                          "\t",
                                          "\xff",
                                          "\\ud800"};
    std::string out = "\"";
    for (auto i = m_random() % 5; i > 0; --i) {
      // The last four are invalid; rare.
      out += pieces[m_random() % (chance(10) ? pieces.size() : pieces.size() - 4)];
    }
    return out + '"';
  }

  std::string pair(const std::string& name, const std::string& text) {
    return blank() + '"' + name + '"' + blank() + ':' + blank() + text + blank();
  }
  std::string list(const std::string& first) {
    return chance(97) ? "[" + first + "]" : "[" + first + "," + first + "]";
  }
  static std::string object(const std::vector<std::string>& members) {
    std::string out = "{";
    for (const std::string& member : members) out += (out.size() > 1 ? "," : "") + member;
    return out + "}";
  }
  std::string blank() { return chance(85) ? "" : chance(50) ? " " : "\r\n\t"; }

  void damage(std::string& text) {
    const std::size_t at = m_random() % text.size();
    if (chance(33)) {
      text.resize(at);
    } else if (chance(50)) {
      text[at] = static_cast<char>(m_random() % 256);
    } else {
      text.erase(at, 1);
    }
  }

  std::mt19937 m_random;
};

json without_nulls(const json& from) {
  if (!from.is_structured()) return from;
  json out = from.is_array() ? json::array() : json::object();
  for (const auto& [name, value] : from.items()) {
    if (from.is_array()) {
      out.push_back(without_nulls(value));
    } else if (!value.is_null()) {
      out[name] = without_nulls(value);
    }
  }
  return out;
}

/// One step of a stream as text: the deltas, the answer, the error.
struct Reader {
  Reader() {
    const auto began = feed(chunk_with(R"({"index":0,"delta":{"role":"assistant"}})"));
    CHECK(began == "ok");
  }
  std::string feed(std::string_view data) {
    std::string out;
    const auto fed = stream->feed(data, [&](const Delta& delta) {
      out += std::to_string(static_cast<int>(delta.kind)) + "/" + std::to_string(delta.choice) +
             "/" + std::string(delta.text) + "\n";
    });
    return out + (fed ? "ok" : std::to_string(static_cast<int>(fed.error().fault)));
  }
  /// Without null fields, which mean nothing.
  [[nodiscard]] std::string state() const {
    json document = json::parse(stream->document());
    // Fields that are the same in every chunk are reported by the first one.
    for (const char* name : {"detour", "id", "created"}) document.erase(name);
    for (json& choice : document["choices"]) {
      if (choice.is_object() && choice.value("message", json()).is_object())
        choice["message"].erase("role");
    }
    std::string out = without_nulls(document).dump();
    for (const Choice& choice : stream->answer().choices) {
      out += "\n" + choice.text + "/" + choice.reasoning + "/" + choice.finish_reason;
    }
    return out;
  }
  std::unique_ptr<AnswerStream> stream = make_answer_stream(View::Chat, Retain::Text, {});
};

/// The same chunk with a field that the fast path does not accept.
std::string the_long_way(const std::string& data) {
  const std::size_t brace = data.find('{');
  if (brace == std::string::npos || data.find_first_not_of(" \t\r\n") != brace) return data;
  const bool empty = data.find_first_not_of(" \t\r\n", brace + 1) == data.find('}', brace);
  return data.substr(0, brace + 1) + "\"detour\":{}" + (empty ? "" : ",") + data.substr(brace + 1);
}

}  // namespace

TEST_CASE("a typical chunk takes the fast path") {
  const auto chunk = plain(
      chunk_with(R"({"index":0,"delta":{"content":"Hello"}})", R"(,"system_fingerprint":"fp_x")"));
  REQUIRE(chunk);
  CHECK(chunk->index == 0);
  CHECK(chunk->content == "Hello");
  CHECK(plain(chunk_with(R"({"index":3,"delta":{"content":"a","role":"assistant"},)"
                         R"("finish_reason":null,"logprobs":null})",
                         R"(,"usage":null)"))
            ->index == 3);
  CHECK(plain(chunk_with(R"({"delta":{"content":"a"}})"))->index == 0);
  CHECK(plain(chunk_with(R"({"index":0,"delta":{"content":"\"\\\/\b\f\n\r\t ü 😀"}})"))->content ==
        "\"\\/\b\f\n\r\t ü 😀");
  CHECK(plain(chunk_with(R"({"delta":{"content":"\u0041\ud83d\ude00\ud800"}})"))->content ==
        "A😀\uFFFD");
  CHECK(plain(" { \"choices\" : [ { \"delta\" : { \"content\" : \"a\" } } ] } \n")->content == "a");
}

TEST_CASE("everything else takes the slow path") {
  for (const std::string& data : {
           std::string(),
           std::string("{}"),
           std::string("[]"),
           std::string("null"),
           std::string("[DONE]"),
           std::string("\"text\""),
           chunk_with(""),
           chunk_with(R"({"index":0,"delta":{}})"),
           chunk_with(R"({"index":0})"),
           chunk_with(R"({"index":0,"delta":null})"),
           chunk_with(R"({"index":0,"delta":{"content":null}})"),
           chunk_with(R"({"index":0,"delta":{"content":"a"},"finish_reason":"stop"})"),
           chunk_with(R"({"index":0,"delta":{"content":"a","reasoning_content":"b"}})"),
           chunk_with(R"({"index":0,"delta":{"content":"a","tool_calls":[{}]}})"),
           chunk_with(R"({"index":0,"delta":{"content":"a","content":"b"}})"),
           chunk_with(R"({"index":0,"delta":{"content":"a","err\u006fr":null}})"),
           chunk_with(R"({"index":-1,"delta":{"content":"a"}})"),
           chunk_with(R"({"index":1000,"delta":{"content":"a"}})"),
           chunk_with(R"({"index":01,"delta":{"content":"a"}})"),
           chunk_with(R"({"index":1.5,"delta":{"content":"a"}})"),
           chunk_with(R"({"index":"1","delta":{"content":"a"}})"),
           chunk_with(R"({"delta":{"content":"a"}},{"delta":{"content":"b"}})"),
           chunk_with(R"({"delta":{"content":"a"}})", R"(,"usage":{"prompt_tokens":1})"),
           chunk_with(R"({"delta":{"content":"a"}})", R"(,"error":"no")"),
           chunk_with(R"({"delta":{"content":"a"}})", R"(,"error":{"message":"no"})"),
           chunk_with(R"({"delta":{"content":"a"}})", R"(,"code":"x")"),
           chunk_with(R"({"delta":{"content":"a"}})", R"(,"type":"error")"),
           chunk_with(R"({"delta":{"content":"a"}})", R"(,"citations":["u"])"),
           chunk_with(R"({"delta":{"content":"a"}})", R"(,"choices":[])"),
           chunk_with(R"({"delta":{"content":"a"}})", R"(,)"),
           chunk_with(R"({"delta":{"content":"a"}})") + "x",
           chunk_with(R"({"delta":{"content":"a"}})") + "{}",
           chunk_with("{\"delta\":{\"content\":\"a\nb\"}}"),
           chunk_with("{\"delta\":{\"content\":\"\xff\"}}"),
           chunk_with("{\"delta\":{\"content\":\"\xed\xa0\x80\"}}"),
           chunk_with("{\"delta\":{\"content\":\"a\"}}", ",\"\xff\":1"),
       }) {
    CAPTURE(data);
    CHECK_FALSE(plain(data));
  }
}

TEST_CASE("truncated anywhere it is not a chunk") {
  const std::string data = chunk_with(
      R"({"index":0,"delta":{"content":"a\n"},"finish_reason":null})", ",\"usage\":null");
  REQUIRE(plain(data));
  for (std::size_t length = 0; length < data.size(); ++length) {
    CAPTURE(length);
    CHECK_FALSE(plain(data.substr(0, length)));
  }
}

TEST_CASE("the fast path gives the same result as the slow one") {
  Maker maker(20240607);
  int taken = 0;
  for (int i = 0; i < 60'000; ++i) {
    const std::string data = maker.chunk();
    const auto chunk = plain(data);
    if (!chunk) continue;
    ++taken;
    CAPTURE(data);
    REQUIRE_FALSE(check_json(data).has_value());
    const json document = parse_reply(data);
    REQUIRE(document.is_object());
    CHECK_FALSE(error_in_body(document, {}).has_value());
    REQUIRE(document["choices"].size() == 1);
    const json& choice = document["choices"][0];
    CHECK(choice.value("index", 0) == chunk->index);
    CHECK(choice["delta"]["content"] == chunk->content);
    CHECK(choice.value("finish_reason", json()).is_null());
    for (const char* news : {"usage", "citations", "output_files", "service_tier"}) {
      CHECK(document.value(news, json()).is_null());
    }
  }
  CHECK(taken > 10'000);
}

TEST_CASE("a stream gives the same result on both paths") {
  Maker maker(77);
  for (int round = 0; round < 300; ++round) {
    Reader short_way;
    Reader long_way;
    for (int i = 0; i < 20; ++i) {
      const std::string data = maker.chunk();
      CAPTURE(data);
      const std::string one = short_way.feed(data);
      const std::string other = long_way.feed(the_long_way(data));
      REQUIRE(one == other);
      if (!one.ends_with("ok")) break;
    }
    CHECK(short_way.state() == long_way.state());
    const auto ended = short_way.stream->finish();
    const auto other_ended = long_way.stream->finish();
    CHECK(ended.has_value() == other_ended.has_value());
  }
}
