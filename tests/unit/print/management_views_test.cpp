// Charts, sections and rows of models.
#include <array>

#include <doctest/doctest.h>
#include <nlohmann/json.hpp>

#include "base/text.h"
#include "print/chart.h"
#include "print/model_rows.h"
#include "print/table.h"
#include "print/text_view.h"
#include "print/width.h"
#include "print_support.h"

namespace svc::print {
namespace {

using nlohmann::json;
using test::Captured;

std::string chart(const Terminal& terminal, std::vector<Bar> bars) {
  Captured captured(terminal);
  REQUIRE(print_chart(captured.out(), bars).has_value());
  return captured.text();
}

std::string cell(const char* item, const Column& column) {
  return cell_text(json::parse(item), column, Reader::Program);
}

}  // namespace

TEST_CASE("bars are proportional, and the numbers are exact") {
  const std::vector<Bar> bars = {{"a", 100, "$1.00"}, {"bb", 50, "$0.50"}, {"c", 0, "$0.00"}};
  CHECK(chart(test::tty(20), bars) ==
        "a   █████████  $1.00\n"
        "bb  ████▌      $0.50\n"
        "c              $0.00\n");
  Terminal plain = test::tty(20);
  plain.utf8 = false;
  CHECK(chart(plain, bars) ==
        "a   #########  $1.00\n"
        "bb  ####       $0.50\n"
        "c              $0.00\n");
  Terminal dumb = test::tty(20);
  dumb.dumb = true;
  CHECK(chart(dumb, bars) == chart(plain, bars));
}

TEST_CASE("bars have the room that labels and numbers leave, but no less than four columns") {
  CHECK(chart(test::tty(11), {{"a", 1, "x"}}) == "a  █████  x\n");
  CHECK(chart(test::tty(10), {{"a", 1, "x"}}) == "a  ████  x\n");
  CHECK(chart(test::tty(9), {{"a", 1, "x"}}) == "a  ████  x\n");
  CHECK(chart(test::tty(20), {{"abcdefgh", 1, "x"}}) == "abcdefgh  ███████  x\n");
  CHECK(chart(test::tty(20), {{"abcdefghi", 1, "x"}}) == "abcdefg…  ███████  x\n");
  CHECK(chart(test::tty(1), {{"ab", 1, "x"}}) == "…  ████  x\n");
  CHECK(chart({}, {{"a", 1, "x"}}).starts_with("a  #"));
  CHECK(display_width(chart({}, {{"a", 1, "x"}})) == 80);
  CHECK(chart(test::tty(10), {{"a", 1, ""}}) == "a  █████  \n");
  CHECK(chart(test::tty(10), {{"", 1, "x"}}) == "  █████  x\n");
  Terminal pipe;
  pipe.columns = 30;
  CHECK(display_width(chart(pipe, {{"a", 1, "x"}})) == 80);
  CHECK(chart(pipe, {{"a", 20, "x"}, {"b", -10, "y"}, {"c", -1, "z"}})
            .find("b  " + std::string(37, '-') + "   ") != std::string::npos);
  // Parts of a column are rounded to eighths.
  CHECK(chart(test::tty(10), {{"a", 64, "x"}, {"b", 17, "y"}, {"c", 30, "z"}, {"d", -1, "w"}}) ==
        "a  ████  x\nb  █▏    y\nc  █▉    z\nd  ░     w\n");
}

TEST_CASE("the smallest bar is still visible, a negative one is lighter") {
  CHECK(chart(test::tty(20), {{"a", 1'000'000, "x"}, {"b", 1, "y"}, {"c", -500'000, "z"}}) ==
        "a  ██████████████  x\n"
        "b  ▏               y\n"
        "c  ░░░░░░░         z\n");
}

TEST_CASE("works on any terminal width, and no label controls the terminal") {
  for (const int columns : {1, 5, 10, 24, 300}) {
    const std::string text = chart(test::tty(columns), {{"a long label\x1b[2J", INT64_MAX, "$1.00"},
                                                        {"b", INT64_MIN, "-$1.00"}});
    CHECK(text.find('\x1b') == std::string::npos);
    if (columns < 24) continue;
    for (std::size_t at = 0; at < text.size();) {
      const std::size_t end = text.find('\n', at);
      CHECK(display_width(text.substr(at, end - at)) <= static_cast<std::size_t>(columns));
      at = end + 1;
    }
  }
  CHECK(chart(test::tty(40), {}).empty());
}

TEST_CASE("money is a string, a number, in an object, or missing") {
  const Column cents{"", "m", Unit::Cents};
  CHECK(cell(R"({"m":"1250"})", cents) == "$12.50");
  CHECK(cell(R"({"m":1250})", cents) == "$12.50");
  CHECK(cell(R"({"m":{"val":"1250"}})", cents) == "$12.50");
  CHECK(cell(R"({"m":{"val":-1250}})", cents) == "-$12.50");
  CHECK(cell(R"({"m":{}})", cents) == "$0.00");
  CHECK(cell(R"({"m":null})", cents).empty());
  CHECK(cell(R"({})", cents).empty());
  CHECK(cell(R"({"m":{"other":1}})", cents) == R"({"other":1})");
  CHECK(cell(R"({"m":"much"})", cents) == "much");
  const Column credit{"", "m", Unit::Credit};
  CHECK(cell(R"({"m":{"val":"-2500"}})", credit) == "$25.00");
  CHECK(cell(R"({"m":{"val":"300"}})", credit) == "-$3.00");
  CHECK(cell(R"({"m":{"val":"0"}})", credit) == "$0.00");
  CHECK(cell(R"({"m":"20000"})", Column{"", "m", Unit::MicroCents}) == "$0.0002");
}

TEST_CASE("the first existing one of several paths applies; months and states of keys") {
  CHECK(cell(R"({"b":"2"})", Column{"", "a.x|b"}) == "2");
  CHECK(cell(R"({"a":{"x":null},"b":"2"})", Column{"", "a.x|b"}) == "2");
  CHECK(cell(R"({"a":{"x":"1"},"b":"2"})", Column{"", "a.x|b"}) == "1");
  CHECK(cell(R"({"c":{"year":2026,"month":4}})", Column{"", "c", Unit::Month}) == "2026-04");
  CHECK(cell(R"({"c":{"year":"2026","month":"12"}})", Column{"", "c", Unit::Month}) == "2026-12");
  const Column month{"", "c", Unit::Month};
  CHECK(cell(R"({"c":{"expYear":"2031","expMonth":"4"}})", month) == "04/2031");
  CHECK(cell(R"({"c":{"exp_year":2031,"exp_month":11,"last4":"4242"}})", month) == "11/2031");
  CHECK(cell(R"({"c":{"last4":"4242"}})", month).empty());
  CHECK(cell(R"({"c":{"expYear":"2031","last4":"4242"}})", month).empty());
  CHECK(cell(R"({"c":{"year":2026}})", month) == R"({"year":2026})");
  CHECK(cell(R"({"c":"2026-04"})", month) == "2026-04");
  const Column state{"", "", Unit::KeyState};
  CHECK(cell(R"({"disabled":true,"expireTime":"2020-01-01T00:00:00Z"})", state) == "disabled");
  CHECK(cell(R"({"disabled":false,"expireTime":"never"})", state) == "active");
  CHECK(cell(R"({})", state) == "active");
  CHECK(cell(R"({"disabled":"false","expireTime":""})", state) == "active");
  CHECK(cell(R"({"disabled":"true"})", state) == "disabled");
  CHECK(cell(R"({"expireTime":"2020-01-01T00:00:00Z"})", state) == "expired");
  CHECK(cell(R"({"expireTime":"2999-01-01T00:00:00Z"})", state) == "active");
}

TEST_CASE("sections are separated, and empty ones are omitted") {
  static const std::vector card = {Column{"Name", "n"}, Column{"Long title", "m", Unit::Cents}};
  static const std::vector rows = {Column{"ID", "id"}};
  const std::vector sections = {Section{"", card}, Section{"list", rows}};
  Captured plain;
  const json document = json::parse(R"({"n":"a\nb","m":"5","list":[{"id":1},{"id":2}]})");
  REQUIRE(print_sections(plain.out(), document, sections).has_value());
  CHECK(plain.text() == "Name: a\\nb\nLong title: $0.05\n\n1\n2\n");
  Captured person(test::tty());
  REQUIRE(print_sections(person.out(), document, sections).has_value());
  CHECK(person.text() == "Name:       a^Jb\nLong title: $0.05\n\nID\n1\n2\n");
  Captured table_only;
  REQUIRE(print_sections(table_only.out(), json::parse(R"({"list":[{"id":1}]})"), sections)
              .has_value());
  CHECK(table_only.text() == "1\n");
  Captured nothing;
  REQUIRE(print_sections(nothing.out(), json::parse("[1]"), sections).has_value());
  CHECK(nothing.text().empty());
}

TEST_CASE("models of unknown kinds have rows too") {
  const auto document = nlohmann::ordered_json::parse(
      R"({"clusterConfigs":[{"clusterName":"c","rerankModels":[{"name":"r","cluster":"x"}],
          "other":[1]},{"languageModels":[{"cluster":"y","rps":"0","tpm":7}]}, 5]})");
  const auto entries = model_entries(document, "", "");
  REQUIRE(entries.size() == 2);
  CHECK(entries[0].kind == "rerank");
  const auto rows = model_rows(entries);
  CHECK(rows[0]["clusters"] == json{"c"});
  CHECK(rows[1]["clusters"] == json{"y"});
  CHECK(rows[1]["limits"] == "7 tokens/min");
  CHECK(model_entries(document, "language", "").size() == 1);
  CHECK(model_entries(document, "", "c").size() == 1);
  CHECK(model_kind("imageGenerationModels") == "image");
}

TEST_CASE("a model's prices and limits have their units, and older names count too") {
  const auto document = nlohmann::ordered_json::parse(R"({"clusterConfigs":[{"clusterName":"c",
      "imageGenerationModels":[{"name":"m","version":"1","aliases":["a"],
        "inputModalities":["TEXT","IMAGE",7],"outputModalities":["TEXT"],"maxPromptLength":"1000",
        "promptTextTokenPrice":"20000","promptTokenPrice":"1","completionTextTokenPrice":"100000",
        "completionTokenPrice":"1","cachedPromptTokenPrice":"5000","promptImageTokenPrice":"20000",
        "longContextThreshold":128000,"promptTextTokenPriceLongContext":"40000",
        "completionTokenPriceLongContext":"200000","imagePrice":"100000000",
        "resolutionPricing":[
          {"resolution":"IMAGE_RESOLUTION_2K","pricePerImage":"700000000",
           "pricePerSecond":"500000000"},
          {"resolution":"X_UNSPECIFIED","pricePerImage":"200000000"},
          {"pricePerImage":"300000000"},{"resolution":"X_4K"}],
        "pricePerInputImage":"20000000","pricePerInputVideoSecond":"100000000","rps":"1","rpm":2,
        "rph":"3","rpd":"4","tpm":"5","searchPrice":"25000","features":{"functionCalling":true,
        "other":"true"},"algorithm":"x","rateLimits":{"queryBaseRate":"10","tokenOffset":0},
        "supportedClients":[{"clientName":"c","description":"d"},{"clientName":"e"}]}],
      "languageModels":[{"name":"n","cluster":"own","promptTokenPrice":"20000",
        "completionTokenPrice":"much","imagePrice":"100000000","version":null,"rps":0,
        "features":[],"rateLimits":7}]}]})");
  const auto rows = model_rows(model_entries(document, "", ""));
  REQUIRE(rows.size() == 2);
  CHECK(rows[0] == json::parse(R"json({"name":"m","kind":"image","clusters":["c"],"version":"1",
      "aliases":["a"],"takes":["text","image"],"gives":["text"],"context":"1000",
      "input_price":"$2.00","output_price":"$10.00","cached_price":"$0.50",
      "image_token_price":"$2.00","long_from":"128000","long_input_price":"$4.00",
      "long_output_price":"$20.00","image_price":"2K $0.07, $0.02, $0.03",
      "second_price":"2K $0.05","input_image_price":"$0.002","input_second_price":"$0.01",
      "limits":"1/s, 2/min, 3/h, 4/day, 5 tokens/min","search_price":"25000",
      "features":["function calling"],"algorithm":"x","rate_limits":["query base rate 10"],
      "clients":["c (d)","e"]})json"));
  CHECK(rows[1] == json::parse(R"({"name":"n","kind":"language","clusters":["c"],"version":"",
      "aliases":[],"takes":[],"gives":[],"context":"","input_price":"$2.00",
      "output_price":"much","cached_price":"","image_token_price":"","long_from":"",
      "long_input_price":"","long_output_price":"","image_price":"$0.01","second_price":"",
      "input_image_price":"","input_second_price":"","limits":"","search_price":"","features":[],
      "algorithm":"","rate_limits":[],"clients":[]})"));
  CHECK(model_entries(document, "image", "").size() == 1);
  CHECK(model_entries(document, "", "other").empty());
}

TEST_CASE("a model has one row, even if several clusters report it") {
  const auto document = nlohmann::ordered_json::parse(
      R"({"clusterConfigs":[
          {"clusterName":"us","languageModels":[{"name":"m","rpm":"10","version":"1","aliases":["a"],
            "features":{"functionCalling":true,"structuredOutputs":false,"reasoning":true},
            "rateLimits":{"queryBaseRate":"5","tokenOffset":"0"},"algorithm":"x"}]},
          {"clusterName":"eu","languageModels":[{"name":"m","rpm":"20","version":"1",
            "aliases":["a","b"]},{"name":"n"}]},
          {"clusterName":"ap","languageModels":[{"name":"m","rpm":"10","version":"1"}],
            "audioModels":[{"name":"m","supportedClients":[{"clientName":"c","description":"d"}]}]}
        ]})");
  const auto rows = model_rows(model_entries(document, "", ""));
  REQUIRE(rows.size() == 3);
  CHECK(rows[0]["clusters"] == json{"us", "eu", "ap"});
  CHECK(rows[0]["limits"] == "10/min (us, ap); 20/min (eu)");
  CHECK(rows[0]["version"] == "1");
  CHECK(rows[0]["algorithm"] == "x (us)");
  CHECK(rows[0]["aliases"] == json{"a", "b"});
  CHECK(rows[0]["features"] == json{"function calling", "reasoning"});
  CHECK(rows[0]["rate_limits"] == json{"query base rate 5"});
  CHECK(rows[1]["name"] == "n");
  CHECK(rows[2]["kind"] == "audio");
  CHECK(rows[2]["clients"] == json{"c (d)"});
}

TEST_CASE("the rows of a section may be in several arrays") {
  static const std::vector rows = {Column{"T", "token"}, Column{"A", "others.token", Unit::List}};
  const std::vector sections = {Section{"choices.logprobs.content", rows}};
  Captured plain;
  const json document = json::parse(R"({"choices":[{"logprobs":null},{"logprobs":{"content":[
      {"token":"a","others":[{"token":"b"},{"token":"c"}]}]}},{"logprobs":{"content":[
      {"token":"d"}]}}]})");
  REQUIRE(print_sections(plain.out(), document, sections).has_value());
  CHECK(plain.text() == "a\tb, c\nd\t\n");
}

TEST_CASE("details are shown on request: for people, below each row") {
  const std::vector columns = {Column{"ID", "id"}, Column{"NAME", "name"},
                               Column{"NOTE", "note", Unit::None, true},
                               Column{"EMPTY", "empty", Unit::None, true}};
  const json item = json::parse(R"({"id":"x1","name":"a name that is too long","note":"n"})");
  const auto printed = [&](const Terminal& terminal, bool details) {
    Captured captured(terminal);
    Table table(captured.out(), columns, {.details = details});
    REQUIRE(table.add(item).has_value());
    REQUIRE(table.finish().has_value());
    CHECK(table.hidden() == 0);
    return captured.text();
  };
  CHECK(printed({}, false) == "x1\ta name that is too long\n");
  CHECK(printed({}, true) == "x1\ta name that is too long\tn\t\n");
  CHECK(printed(test::tty(60), false) == "ID  NAME\nx1  a name that is too long\n");
  CHECK(printed(test::tty(60), true) == "ID  NAME\nx1  a name that is too long\n    note: n\n");
  Terminal narrow = test::tty(18);
  narrow.utf8 = false;
  const std::string text = printed(narrow, true);
  CHECK(text.find("\n    name: a name\n") != std::string::npos);
  for (const sv line : split(text, '\n')) CHECK(display_width(line) <= 18);
}

}  // namespace svc::print
