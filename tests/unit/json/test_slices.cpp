// Slices of a JSON text, and percent-encoding.
#include <cctype>
#include <random>
#include <string>

#include <doctest/doctest.h>

#include "base/text.h"
#include "base/url.h"
#include "json/outline.h"
#include "json/slices.h"
#include "json/text.h"

using namespace svc;

namespace {

std::string found(std::string_view json, std::string_view path) {
  REQUIRE_FALSE(check_json(json).has_value());
  const auto piece = json_member(json, path);
  if (!piece) return "nothing";
  // A slice of the text itself, not a copy.
  CHECK(piece->data() >= json.data());
  CHECK(piece->data() + piece->size() <= json.data() + json.size());
  return std::string(*piece);
}

std::vector<std::string> elements(std::string_view json) {
  std::vector<std::string> out;
  for (const std::string_view piece : json_elements(json)) out.emplace_back(piece);
  return out;
}

using Pieces = std::vector<std::string>;

/// A random document, with the text of its members or elements.
class Maker {
 public:
  explicit Maker(unsigned seed) : m_random(seed) {}

  std::string value(int depth) {
    switch (m_random() % (depth > 0 ? 8 : 6)) {
      case 0:
        return "null";
      case 1:
        return "-12.50e+3";
      case 2:
        return R"("a\"b\\")";
      case 3:
        return R"("]}{[,:")";
      case 4:
        return "\"\"";
      case 5:
        return "123456789012345678901234567890";
      case 6:
        return list(depth - 1).text;
      default:
        return object(depth - 1).text;
    }
  }

  struct Made {
    std::string text;
    Pieces pieces;
  };

  Made list(int depth) {
    Made made{"[" + blank(), {}};
    const auto count = m_random() % 4;
    for (unsigned i = 0; i < count; ++i) {
      made.pieces.push_back(value(depth));
      made.text += (i > 0 ? "," + blank() : "") + made.pieces.back() + blank();
    }
    made.text += "]";
    return made;
  }

  /// Its members are named m0, m1, ….
  Made object(int depth) {
    Made made{"{" + blank(), {}};
    const auto count = m_random() % 4;
    for (unsigned i = 0; i < count; ++i) {
      made.pieces.push_back(value(depth));
      made.text += (i > 0 ? "," + blank() : "") + "\"m" + std::to_string(i) + "\"" + blank() + ":" +
                   blank() + made.pieces.back() + blank();
    }
    made.text += "}";
    return made;
  }

  std::string blank() {
    static constexpr const char* blanks[] = {"", "", "", " ", "\n", "\r\n\t"};
    return blanks[m_random() % 6];
  }

 private:
  std::mt19937 m_random;
};

}  // namespace

TEST_CASE("a member is found byte for byte") {
  const std::string json =
      "{ \"a\" : 1.50 , \"b\":\"x\\\"y\",\"c\" : { \"d\" : [1, 2 ] },\n\"e\":null,\"f\":true}\n";
  CHECK(found(json, "a") == "1.50");
  CHECK(found(json, "b") == "\"x\\\"y\"");
  CHECK(found(json, "c") == "{ \"d\" : [1, 2 ] }");
  CHECK(found(json, "c.d") == "[1, 2 ]");
  CHECK(found(json, "e") == "null");
  CHECK(found(json, "f") == "true");
}

TEST_CASE("a missing member") {
  CHECK(found(R"({"a":1})", "b") == "nothing");
  CHECK(found(R"({"a":1})", "") == "nothing");
  CHECK(found(R"({"a":1})", "a.b") == "nothing");
  CHECK(found(R"({"a":[1]})", "a.0") == "nothing");
  CHECK(found(R"({"a":{"b":1}})", "b") == "nothing");
  CHECK(found(R"({"a":"\"b\":1"})", "b") == "nothing");
  CHECK(found(R"({"ab":1})", "a") == "nothing");
  CHECK(found("{}", "a") == "nothing");
  for (const char* json : {"[]", "1", "\"a\"", "null", "true"})
    CHECK(found(json, "a") == "nothing");
}

TEST_CASE("the first of duplicate names applies, and names with escapes are skipped") {
  CHECK(found(R"({"a":1,"a":2})", "a") == "1");
  CHECK(found(R"({"\u0061":1})", "a") == "nothing");
  CHECK(found(R"({"a\"":1,"b":2})", "b") == "2");
  CHECK(found(R"({"":1})", "") == "1");
  CHECK(found("{\"\xc3\xbc\":1}", "\xc3\xbc") == "1");
}

TEST_CASE("a byte order mark is not part of the text") {
  CHECK(found("\xEF\xBB\xBF{\"a\":1}", "a") == "1");
  CHECK(elements("\xEF\xBB\xBF[1]") == Pieces{"1"});
}

TEST_CASE("the elements of an array, byte for byte") {
  CHECK(elements("[]").empty());
  CHECK(elements(" [ ] ").empty());
  CHECK(elements("[1]") == Pieces{"1"});
  CHECK(elements("[ 1.0 ,\"a,b\", [2,[3]] ,{\"c\":[4]},null ]") ==
        Pieces{"1.0", "\"a,b\"", "[2,[3]]", "{\"c\":[4]}", "null"});
  for (const char* json : {"{}", "{\"a\":[1]}", "1", "\"[1]\"", "null"})
    CHECK(elements(json).empty());
}

TEST_CASE("members in their order, and a path of alternatives") {
  const std::string_view json = R"({"b":1,"a":{"c":[2]},"b":"x"})";
  std::string all;
  for (const JsonMember& one : json_members(json)) {
    all += std::string(one.name) + "=" + std::string(one.value) + ";";
  }
  CHECK(all == R"(b=1;a={"c":[2]};b="x";)");
  CHECK(json_members("[1]").empty());
  CHECK(json_members("{}").empty());
  CHECK(found(json, "x|a.c|b") == "[2]");
  CHECK(found(json, "x|b") == "1");
  CHECK(found(json, "x|a.d") == "nothing");
}

TEST_CASE("the text of a string") {
  CHECK(json_string(std::nullopt).empty());
  CHECK(json_string(std::string_view("7")).empty());
  CHECK(json_string(std::string_view(R"("")")).empty());
  CHECK(json_string(std::string_view(R"("a\u00e9\n\"b")")) == "aé\n\"b");
  CHECK(json_string(std::string_view(R"("\ud800")")) == "\uFFFD");
  // An ill-formed byte is noticed wherever it is.
  for (std::size_t at = 0; at < 70; ++at) {
    std::string text(70, 'x');
    CHECK(json_string(std::string_view('"' + text + '"')) == text);
    text.replace(at, 1, "\xff");
    const std::string quoted = '"' + text + '"';
    CHECK(json_string(std::string_view(quoted)) == text.replace(at, 1, "\uFFFD"));
  }
}

TEST_CASE("as many paths as fit are picked at once") {
  std::string json = "{\"x\":{\"y\":0}";
  std::vector<std::string> names;
  for (int i = 0; i < 32; ++i) {
    names.push_back("m" + std::to_string(i));
    json += ",\"" + names.back() + "\":" + std::to_string(i);
  }
  json += "}";
  for (std::size_t count = 1; count <= names.size(); ++count) {
    const std::vector<std::string_view> paths(names.begin(),
                                              names.begin() + static_cast<std::ptrdiff_t>(count));
    const auto picked = json_pick(json, paths);
    REQUIRE(picked.size() == count);
    for (std::size_t i = 0; i < count; ++i) CHECK(picked[i] == std::to_string(i));
  }
}

TEST_CASE("deep documents are skipped, not descended into") {
  const std::string deep = std::string(400, '[') + std::string(400, ']');
  CHECK(found("{\"a\":" + deep + ",\"b\":2}", "b") == "2");
  CHECK(elements("[" + deep + ",1]").size() == 2);
}

TEST_CASE("any document splits into the parts it was built from") {
  Maker maker(4711);
  for (int i = 0; i < 5000; ++i) {
    const auto list = maker.list(3);
    CAPTURE(list.text);
    REQUIRE_FALSE(check_json(list.text).has_value());
    CHECK(elements(maker.blank() + list.text + maker.blank()) == list.pieces);
    const auto object = maker.object(3);
    CAPTURE(object.text);
    for (std::size_t at = 0; at < object.pieces.size(); ++at) {
      CHECK(found(object.text, "m" + std::to_string(at)) == object.pieces[at]);
    }
    CHECK(found(object.text, "m9") == "nothing");
  }
}

TEST_CASE("one pass finds the same as many, and reports which elements are plain") {
  Maker maker(815);
  for (int i = 0; i < 3000; ++i) {
    const auto list = maker.list(2);
    const auto object = maker.object(2);
    const std::string json = maker.blank() + "{\"o\":" + object.text + "," + maker.blank() +
                             "\"list\" :" + list.text + ",\"n\":[1],\"list\":[7]}";
    CAPTURE(json);
    JsonOutline outline;
    REQUIRE_FALSE(outline_json(json, "list", outline).has_value());
    CHECK(outline.has_list);
    CHECK(outline.member(json, "o") == object.text);
    CHECK(outline.member(json, "n") == "[1]");
    CHECK(outline.member(json, "x") == std::nullopt);
    Pieces pieces;
    for (const JsonSpan& piece : outline.elements) {
      pieces.emplace_back(piece.of(json));
      const JsonStyle compact{JsonLayout::Compact};
      std::string again;
      (void)reformat_json(pieces.back(), compact, [&](std::string_view text) { again += text; });
      CHECK(piece.plain == (again == pieces.back()));
    }
    CHECK(pieces == list.pieces);
    constexpr std::string_view paths[] = {"o.m1", "list", "o.m0.m0", "o.m0", "o", "m0", "x.y"};
    const auto found_at_once = json_pick(json, paths);
    for (std::size_t at = 0; at < std::size(paths); ++at) {
      CAPTURE(paths[at]);
      CHECK(found_at_once[at] == json_member(json, paths[at]));
    }
  }
}

TEST_CASE("an outline accepts ill-formed text in strings, and reports errors") {
  JsonOutline outline;
  const std::string odd = "{\"list\":[\"\xff\",\"\xc3\xbc\",{\"a\":\"\xed\xa0\x80\"}]}";
  CHECK_FALSE(outline_json(odd, "list", outline).has_value());
  REQUIRE(outline.elements.size() == 3);
  CHECK_FALSE(outline.elements[0].plain);
  CHECK(outline.elements[1].plain);
  CHECK_FALSE(outline.elements[2].plain);
  for (const char* wrong : {"{\"list\":[1,]}", "{\"list\":[1}", "{\"list\":[\"\n\"]}", ""}) {
    JsonOutline unused;
    CHECK(outline_json(wrong, "list", unused).has_value());
  }
  for (const char* other : {"[1]", "1", "{\"list\":{\"a\":[1]}}", "{\"a\":{\"list\":[1]}}"}) {
    JsonOutline none;
    CHECK_FALSE(outline_json(other, "list", none).has_value());
    CHECK_FALSE(none.has_list);
    CHECK(none.elements.empty());
  }
}

TEST_CASE("a special byte in a string is found at any position") {
  for (std::size_t length = 0; length < 40; ++length) {
    for (int byte = 0; byte < 256; ++byte) {
      for (std::size_t at = 0; at <= length; at += 3) {
        std::string text(length, 'x');
        text.insert(at, 1, static_cast<char>(byte));
        const bool well = byte >= 0x20 && byte < 0x80 && byte != '"' && byte != '\\';
        CHECK(check_json('"' + text + '"').has_value() != well);
      }
    }
  }
}

TEST_CASE("unchecked text is not read beyond its end") {
  for (const std::string_view json :
       {"",        "{",          "{\"",          "{\"a",      "{\"a\"",
        "{\"a\":", "{\"a\":\"x", "{\"a\":\"x\\", "{\"a\":[",  "[",
        "[1",      "[1,",        "[\"",          "[{",        "{\"a\":{\"b\":[1,2",
        "{\"a\"1", "[}",         "{]",           "{\"a\":]}", "[,",
        "{,"}) {
    CAPTURE(json);
    // In its own heap block, so that a sanitizer detects reads beyond the last byte.
    const std::vector<char> bytes(json.begin(), json.end());
    const std::string_view text(bytes.data(), bytes.size());
    const auto member = json_member(text, "a");
    CHECK((!member || member->size() <= json.size()));
    CHECK(json_elements(text).size() <= 2);
    constexpr std::string_view paths[] = {"a", "a.b"};
    CHECK(json_pick(text, paths).size() == 2);
  }
}

TEST_CASE("everything except unreserved characters is percent-encoded") {
  CHECK(percent_encode("AZaz09-._~") == "AZaz09-._~");
  CHECK(percent_encode("") == "");
  CHECK(percent_encode(" /?#[]@!$&'()*+,;=%:\"") ==
        "%20%2F%3F%23%5B%5D%40%21%24%26%27%28%29%2A%2B%2C%3B%3D%25%3A%22");
  CHECK(percent_encode("\xc3\xa4\xf0\x9f\x98\x80") == "%C3%A4%F0%9F%98%80");
  CHECK(percent_encode(std::string_view("\0\n\x7f\xff", 4)) == "%00%0A%7F%FF");
  CHECK(percent_encode("..") == "..");
}

TEST_CASE("no byte is lost or duplicated") {
  for (int byte = 0; byte < 256; ++byte) {
    const std::string text(1, static_cast<char>(byte));
    const std::string encoded = percent_encode(text);
    CAPTURE(byte);
    if (encoded.size() == 1) {
      CHECK(encoded == text);
      const bool mark = std::string_view("-._~").find(text) != std::string_view::npos;
      CHECK((mark || std::isalnum(byte) != 0));
    } else {
      REQUIRE(encoded.size() == 3);
      CHECK(encoded[0] == '%');
      CHECK(std::stoi(encoded.substr(1), nullptr, 16) == byte);
      CHECK(to_lower(encoded.substr(1)).find_first_not_of("0123456789abcdef") == std::string::npos);
    }
  }
}

TEST_CASE("pairs make a query") {
  CHECK(query_string({}) == "");
  const std::vector<Header> one = {{"a", "1"}};
  CHECK(query_string(one) == "?a=1");
  const std::vector<Header> several = {{"a", "1 2"}, {"b&c", ""}, {"a", "\xc3\xa4=?"}};
  CHECK(query_string(several) == "?a=1%202&b%26c=&a=%C3%A4%3D%3F");
}
