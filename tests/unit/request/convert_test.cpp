// Each kind of value, and the errors that say what is allowed.
#include "request/convert.h"

#include <array>
#include <string>

#include <doctest/doctest.h>
#include <nlohmann/json.hpp>

#include "catalogue/builders.h"
#include "request/body.h"
#include "request/mask.h"
#include "request/names.h"
#include "try.h"

using namespace svc;
using namespace svc::request;

namespace {

namespace rows = catalogue;
using test::TempFile;

/// The value as JSON, or the error's message, and its hint after "|".
std::string value_of(const Field& field, std::string_view text,
                     const ConvertOptions& options = {}) {
  const auto value = convert(field, text, options);
  if (value) return value->dump();
  CHECK(value.error().fault == Fault::Usage);
  return value.error().message + (value.error().hint.empty() ? "" : "|" + value.error().hint);
}

}  // namespace

TEST_CASE("numbers, with their range and unit") {
  const Field whole = rows::integer("n", "N.", rows::range(1, 5, "s"));
  CHECK(value_of(whole, "1") == "1");
  CHECK(value_of(whole, "5") == "5");
  CHECK(value_of(whole, "0") == "--n is out of range: '0' (allowed: 1 to 5 s)");
  CHECK(value_of(whole, "6") == "--n is out of range: '6' (allowed: 1 to 5 s)");
  CHECK(value_of(whole, "x") == "--n must be an integer, 1 to 5 s, not 'x'");
  const Field open = rows::number("n", "N.", rows::at_least(0.5, "s"));
  CHECK(value_of(open, "0.5") == "0.5");
  CHECK(value_of(open, "2") == "2");
  CHECK(value_of(open, "0.4") == "--n is out of range: '0.4' (allowed: 0.5 or more)");
  CHECK(value_of(rows::number("n", "N."), "x") == "--n must be a number, not 'x'");
  CHECK(value_of(rows::number("n", "N."), "1.0") == "1.0");
  constexpr std::array<sv, 2> rates = {"8000", "16000"};
  const Field one_of = rows::integer("rate", "R.", rows::choices(rates));
  CHECK(value_of(one_of, "16000") == "16000");
  CHECK(value_of(one_of, "1600") ==
        "--rate must be one of 8000, 16000, not '1600'|Did you mean '16000'?");
}

TEST_CASE("switches, and those with a value of their own") {
  const Field plain = rows::boolean("b", "B.");
  CHECK(value_of(plain, "true") == "true");
  CHECK(value_of(plain, "false") == "false");
  CHECK(value_of(plain, "yes") == "--b must be true or false, not 'yes'");
  CHECK(value_of(rows::boolean("b", "B.", rows::optional_value("NAME")), "@yes") == R"("@yes")");
  CHECK(value_of(rows::text("t", "T.", rows::null_word("none")), "none") == "null");
  CHECK(value_of(rows::text("t", "T.", rows::null_word("none")), "nones") == R"("nones")");
  CHECK(value_of(rows::text("t", "T."), "") == R"("")");
}

TEST_CASE("durations as typed, or in the unit of their field") {
  const Field typed = rows::duration("wait", "W.");
  CHECK(value_of(typed, "1.5s") == R"("1.5s")");
  for (const char* wrong : {"0s", "-1s", "soon", ""}) {
    CHECK(value_of(typed, wrong) ==
          "--wait must be a duration such as 5s or 2m, not '" + std::string(wrong) + "'");
  }
  const Field seconds =
      rows::duration("wait", "W.", rows::unit_ms(1'000), rows::range(2, 10, "seconds"));
  CHECK(value_of(seconds, "2s") == "2");
  CHECK(value_of(seconds, "2500ms") == "--wait must be an integer number of seconds, not '2500ms'");
  CHECK(value_of(seconds, "1s") == "--wait is out of range: '1s' (allowed: 2 to 10 seconds)");
  CHECK(value_of(seconds, "11") == "--wait is out of range: '11' (allowed: 2 to 10 seconds)");
  const Field minutes =
      rows::duration("wait", "W.", rows::unit_ms(60'000), rows::range(5, 200, "minutes"));
  CHECK(value_of(minutes, "300") == "5");
  CHECK(value_of(minutes, "120") == "--wait is out of range: '120' (allowed: 5 to 200 minutes)");
  const Field ms = rows::duration("gap", "G.", rows::unit_ms(1), rows::range(200, 900, "ms"));
  CHECK(value_of(ms, "500ms") == "500");
  CHECK(value_of(ms, "0.2") == "200");
  CHECK(value_of(ms, "500") ==
        "--gap is out of range: '500' (allowed: 200 to 900 ms)|A number without a unit is in "
        "seconds. Did you mean '500ms'?");
  CHECK(value_of(ms, "500s") == "--gap is out of range: '500s' (allowed: 200 to 900 ms)");
  CHECK(value_of(ms, "5") == "--gap is out of range: '5' (allowed: 200 to 900 ms)");
}

TEST_CASE("which texts must not be empty") {
  const auto refused = [](const Field& field) {
    return value_of(field, " ") == "--" + std::string(field.flag) + " is empty";
  };
  for (const char* flag : {"model", "name", "prompt", "input", "system", "instructions",
                           "team_name", "filename", "image_filename", "text_model"}) {
    CAPTURE(flag);
    Field field = rows::text("f", "F.");
    field.flag = flag;
    CHECK(refused(field));
    const std::string nested = "a." + std::string(flag);
    field.path = nested;
    CHECK(refused(field));
    field.path = "other";
    CHECK_FALSE(refused(field));
  }
  for (const char* flag : {"user", "names", "modelled", "a-name"}) {
    Field field = rows::text("f", "F.");
    field.flag = flag;
    CHECK_FALSE(refused(field));
  }
  CHECK(refused(rows::text("f", "F.", rows::required)));
  CHECK(refused(rows::text("f", "F.", rows::positional)));
  CHECK(refused(rows::text("f", "F.", rows::repeated)));
  CHECK(refused(rows::text_or_json("f", "F.", rows::repeated)));
  CHECK_FALSE(refused(rows::text("f", "F.", rows::repeated, rows::local)));
  CHECK_FALSE(refused(rows::file("f", "F.", rows::required)));
  CHECK(value_of(rows::text("f", "F.", rows::required, rows::example("x")), "") ==
        "--f is empty|For example: x");
}

TEST_CASE("texts: length, choices, forms, and what is not UTF-8") {
  const Field text = rows::text("t", "T.", rows::max_length(3));
  CHECK(value_of(text, "äöü") == "\"äöü\"");
  CHECK(value_of(text, "äöüx") == "--t is too long: 4 characters (maximum: 3)");
  CHECK(value_of(text, "\xff") == "--t is not valid UTF-8");
  constexpr std::array<sv, 2> words = {"low", "high"};
  const Field choice = rows::text("t", "T.", rows::choices(words));
  CHECK(value_of(choice, "low") == R"("low")");
  CHECK(value_of(choice, "hihg") ==
        "--t must be one of low, high, not 'hihg'|Did you mean 'high'?");
  CHECK(value_of(choice, "zzz") == "--t must be one of low, high, not 'zzz'");
  const Field phone = rows::text("t", "T.", rows::form(TextFormat::PhoneNumber));
  CHECK(value_of(phone, "+1 415-555-0100") ==
        "--t must be a phone number with its country's code, such as +14155550100, not '+1 "
        "415-555-0100'|Did you mean '+14155550100'?");
  CHECK(value_of(phone, "x") ==
        "--t must be a phone number with its country's code, such as +14155550100, not 'x'");
  CHECK(value_of(rows::text("t", "T.", rows::form(TextFormat::Country)), "no") == R"("NO")");
}

TEST_CASE("texts and JSON from files") {
  const TempFile marked("\xEF\xBB\xBFinside");
  const Field text = rows::text("t", "T.", rows::file_text);
  CHECK(value_of(text, "@" + marked.path) == R"("inside")");
  CHECK(value_of(text, "\\@x") == R"("@x")");
  CHECK(value_of(text, "\\\\@x") == R"("\\\\@x")");
  CHECK(value_of(text, "@" + marked.path, {.literal = true}) == "\"@" + marked.path + "\"");
  CHECK(value_of(text, "\\@x", {.literal = true}) == R"("\\@x")");
  CHECK(value_of(text, "ab\xff") == "--t is not valid UTF-8 (at byte 3)");
  const auto missing = convert(text, "@/no/such/file");
  REQUIRE_FALSE(missing);
  CHECK(missing.error().message.starts_with("--t: "));
  CHECK(value_of(rows::text("t", "T."), "@x") == R"("@x")");
  const TempFile document("\xEF\xBB\xBF{\"a\": 1.50}");
  const Field document_field = rows::json("j", "J.");
  CHECK(value_of(document_field, "@" + document.path) == R"({"a":1.5})");
  CHECK(value_of(document_field, "[1, 2]") == "[1,2]");
  CHECK(value_of(document_field, "[1", {.literal = true})
            .starts_with("--j is not valid JSON: line 1"));
  CHECK(value_of(document_field, "@" + document.path, {.literal = true})
            .starts_with("--j is not valid JSON"));
  CHECK(value_of(document_field, "[\xff]") == "--j is not valid UTF-8 (at byte 2)");
  const TempFile wrong("{");
  CHECK(value_of(document_field, "@" + wrong.path)
            .starts_with("--j (file " + wrong.path + ") is not valid JSON: line 1, column 2"));
}

TEST_CASE("what the objects of a JSON value need, and the range of their numbers") {
  const Field field = rows::json("j", "J.", rows::needs_member("type|a.id"), rows::range(0, 9),
                                 rows::example(R"({"type":"x"})"));
  CHECK(value_of(field, R"({"type":"x","n":9})") == R"({"type":"x","n":9})");
  CHECK(value_of(field, R"({"a":{"id":7}})") == R"({"a":{"id":7}})");
  const std::string needs = R"(--j needs type or a.id|For example: {"type":"x"})";
  for (const char* wrong : {"{}", R"({"type":""})", R"({"type":null})", R"([{"type":"x"},{}])"}) {
    CHECK(value_of(field, wrong) == needs);
  }
  CHECK(value_of(field, "7") == "7");
  CHECK(value_of(field, R"({"type":"x","n":10})") == "--j is out of range: '10' (allowed: 0 to 9)");
  CHECK(value_of(field, R"([{"type":"x"},{"type":"x","n":-1}])") ==
        "--j is out of range: '-1' (allowed: 0 to 9)");
}

TEST_CASE("text or JSON: what begins with a bracket is JSON") {
  const TempFile document("{\"a\":1}");
  const Field field = rows::text_or_json("v", "V.", rows::wraps("voice_id"));
  CHECK(value_of(field, "eve") == R"({"voice_id":"eve"})");
  CHECK(value_of(field, " {\"b\": 2}") == R"({"b":2})");
  CHECK(value_of(field, "[]") == "[]");
  CHECK(value_of(field, "{") ==
        "--v is not valid JSON: line 1, column 2: expected a name in double "
        "quotes or '}', found the end of the text");
  CHECK(value_of(field, "@" + document.path) == R"({"a":1})");
  CHECK(value_of(field, "\\@x") == R"({"voice_id":"@x"})");
  CHECK(value_of(field, "@x", {.literal = true}) == R"({"voice_id":"@x"})");
  CHECK(value_of(field, "\\@x", {.literal = true}) == R"({"voice_id":"\\@x"})");
  CHECK(value_of(rows::text_or_json("v", "V."), "eve") == R"("eve")");
}

TEST_CASE("money, and times, say what they must be") {
  CHECK(value_of(rows::money("pay", "P."), "much") ==
        "--pay must be US dollars such as 12.50, $12.50 or 12.50USD, not 'much'");
  CHECK(value_of(rows::money("pay", "P."), "1.5", {.cents = true}) ==
        "--pay must be an integer number of cents, 0 or more, not '1.5'");
  CHECK(value_of(rows::money("pay", "P."), "0", {.cents = true}) == R"({"val":"0"})");
  constexpr std::int64_t now = 1'780'272'000;
  const Field at = rows::time("at", "A.", rows::max_days(7));
  CHECK(value_of(at, "soon", {.now = now}) ==
        "--at must be a time such as 2027-01-31T12:00:00Z or 2027-01-31, or 30d from now, not "
        "'soon'");
  CHECK(value_of(at, "2026-06-01", {.now = now}) ==
        "--at must be in the future: '2026-06-01' (it is now 2026-06-01T00:00:00Z)");
  CHECK(value_of(at, "8d", {.now = now}) ==
        "--at is too far away: '8d' is more than 7 days from now");
  CHECK(value_of(rows::time("at", "A."), "800d", {.now = now}) == R"("2028-08-09T00:00:00Z")");
}

TEST_CASE("what a flag stands for is filled in") {
  CHECK(fill_template(R"({"a":"$","b":["$list",{"c":"$host"}],"d":"x$","e":1})", "p, ,q").dump() ==
        R"({"a":"p, ,q","b":[["p","q"],{"c":"p, ,q"}],"d":"x$","e":1})");
  const auto host = [](const char* url) { return fill_template(R"("$host")", url).dump(); };
  CHECK(host("https://docs.example.com:8080/sse") == R"("docs.example.com")");
  CHECK(host("https://h?x") == R"("h")");
  CHECK(host("https://h#x") == R"("h")");
  CHECK(host("h/x") == R"("h")");
}

TEST_CASE("a path in a body: objects, elements by number and by member") {
  OrderedJson body = OrderedJson::parse(R"({"a":{"b":1},"list":[{"t":"x","v":1},{"t":"y"}]})");
  REQUIRE(put(body, "a.c.d", 2));
  REQUIRE(put(body, "list.t=y.v", 3));
  REQUIRE(put(body, "list.t=z.v", 4));
  REQUIRE(put(body, "fresh.t=w.v", 5));
  REQUIRE(append(body, "more", 6));
  REQUIRE(append(body, "more", OrderedJson{7, 8}));
  CHECK(body.dump() ==
        R"({"a":{"b":1,"c":{"d":2}},"list":[{"t":"x","v":1},{"t":"y","v":3},{"t":"z","v":4}],)"
        R"("fresh":[{"t":"w","v":5}],"more":[6,7,8]})");
  CHECK(append(body, "a", 1).error().message == "'a' is not an array and cannot be appended to");
  OrderedJson twice = OrderedJson::parse(R"({"list":[{"t":"x"},7,{"t":"x"}]})");
  const auto ambiguous = put(twice, "list.t=x.v", 1);
  REQUIRE_FALSE(ambiguous);
  CHECK(ambiguous.error().message == "ambiguous: several elements have t x");
  CHECK(ambiguous.error().hint == "Pass each as a JSON object with all its fields.");
  const auto found = [&](const char* path) {
    const OrderedJson* at = find(body, path);
    return at == nullptr ? std::string("nothing") : at->dump();
  };
  CHECK(found("a.c.d") == "2");
  CHECK(found("list.t=y.v") == "3");
  CHECK(found("list.t=x.v") == "1");
  for (const char* none : {"a.c.d.e", "a.x", "list.t=q", "list.0", "list.u=x"}) {
    CAPTURE(none);
    CHECK(found(none) == "nothing");
  }
}

TEST_CASE("what --set takes: JSON, a word, or a file") {
  const TempFile document("[1]");
  const auto set = [](const std::string& text) {
    OrderedJson body = OrderedJson::object();
    const auto done = apply_sets(body, {.sets = {text}});
    return done ? body.dump() : done.error().message;
  };
  CHECK(set("a=1") == R"({"a":1})");
  CHECK(set("a=true") == R"({"a":true})");
  CHECK(set("a=word") == R"({"a":"word"})");
  CHECK(set("a=trueish") == R"({"a":"trueish"})");
  CHECK(set("a=b=c") == R"({"a":"b=c"})");
  CHECK(set("a=\\@x") == R"({"a":"@x"})");
  CHECK(set("a=@" + document.path) == R"({"a":[1]})");
  for (const char* broken : {"a={", "a=[1", "a=\"x", "a=-", "a=0x", "a=12a"}) {
    CAPTURE(broken);
    CHECK(set(broken).starts_with("--set a is not valid JSON: line 1"));
  }
  CHECK(set("a=").starts_with("--set a is not valid JSON"));
  CHECK(set("a") == "--set must be PATH=JSON, not 'a'");
  CHECK(set("=1") == "--set must be PATH=JSON, not '=1'");
}

TEST_CASE("a mask from --body in either form, and what it refuses") {
  constexpr std::array fields = {
      Field{.flag = "name", .path = "name", .help = "N.", .common = true},
      Field{.flag = "rare", .path = "rare", .help = "R."},
      Field{.flag = "clear", .path = "", .in = In::Local, .help = "C.", .repeated = true}};
  Operation operation{.group = "g",
                      .name = "update",
                      .summary = "S.",
                      .fields = fields,
                      .mask = Mask{"key", "mask", MaskForm{}}};
  const auto masked = [&](const char* text, std::vector<Given> given = {}) {
    OrderedJson body = OrderedJson::parse(text);
    const auto done = apply_mask(operation, {.given = std::move(given)}, body);
    return done ? body.dump()
                : done.error().message + (done.error().hint.empty() ? "" : "|" + done.error().hint);
  };
  CHECK(masked(R"({"key":{"a":1,"b":2}})") == R"({"key":{"a":1,"b":2},"mask":"a,b"})");
  CHECK(masked(R"({"mask":"a, b,a,","key":{"c":1}})") == R"({"key":{"c":1},"mask":"a,b"})");
  CHECK(masked(R"({"mask":{"paths":["a",7,"b"]},"key":{"c":1}})") ==
        R"({"key":{"c":1},"mask":"a,b"})");
  CHECK(masked(R"({"mask":"a","key":{"name":"n"}})", {{&fields[0], "n"}}) ==
        R"({"key":{"name":"n"},"mask":"a,name"})");
  CHECK(masked(R"({"key":{"name":"n"}})", {{&fields[2], "name"}}) ==
        "--clear name and --name cannot be combined");
  CHECK(masked(R"({"key":7})") == "'key' is not an object");
  CHECK(masked("{}") == "nothing to change|Use one or more of --name.");
  operation.mask.reset();
  CHECK(masked("{}") == "{}");
  CHECK(field_prefix(operation).empty());
  operation.changes = true;
  CHECK(masked("{}") == "nothing to change|Use one or more of --name.");
  CHECK(masked(R"({"a":1})") == R"({"a":1})");
}

TEST_CASE("commands by their names, as programs and shells give them") {
  const auto found = [](const char* name) {
    const auto operation = find_by_name(name);
    if (operation) return command_name(**operation);
    return operation.error().message +
           (operation.error().hint.empty() ? "" : "|" + operation.error().hint);
  };
  CHECK(found("  keys   list ") == command_name(*find_operation("keys", "list")));
  CHECK(found("chat") == command_name(*find_operation("chat", "create")));
  CHECK(found("tokenize") == command_name(*find_operation("tokenize", "")));
  CHECK(found("collections documents add") ==
        command_name(*find_operation("collections", "documents add")));
  CHECK(found("kyes list") == "unknown command 'kyes'|Did you mean 'keys'?");
  CHECK(found("keys").starts_with("'svc keys' needs a verb: "));
  CHECK(found("keys").ends_with("|`svc keys --help` explains them."));
  CHECK(found("keys lits").starts_with("'svc keys' has no verb 'lits'; verbs: "));
  CHECK(found("keys lits").ends_with("|Did you mean `svc keys list`?"));
  CHECK(found("keys zzzz").find('|') == std::string::npos);
  CHECK(found("images create").ends_with("|Did you mean `svc images generate`?"));
  CHECK(found("images zzzzzz").find('|') == std::string::npos);
  CHECK(found("docs create").ends_with("|Did you mean `svc docs search`?"));
  CHECK(found("collections documents").starts_with("'svc collections documents' needs a verb: "));
  CHECK(found("collections documents").find("documents add") == std::string::npos);
}

TEST_CASE("inputs by name: literal values, general ones, and what is refused") {
  const Operation& chat = *find_operation("chat", "create");
  const auto refused = [&](std::vector<NamedValue> values, const Operation& operation) {
    const auto inputs = inputs_by_name(operation, values, {});
    REQUIRE_FALSE(inputs);
    CHECK(inputs.error().fault == Fault::Usage);
    return inputs.error().message;
  };
  const std::vector<NamedValue> values = {
      {"--top_p", "0.5"},   {"prompt", "@x"},  {"stream", "true"}, {"header", "A: b"},
      {"set", "a.b=@file"}, {"set", "c=\\@d"}, {"set", "e=1"},     {"body", " {\"x\":1} "}};
  const auto inputs = inputs_by_name(chat, values, {});
  REQUIRE(inputs);
  REQUIRE(inputs->given.size() == 3);
  CHECK(inputs->given[0].field->flag == "top-p");
  CHECK(inputs->given[1].text == "@x");
  CHECK(inputs->given[1].literal);
  CHECK(inputs->headers == std::vector<std::string>{"A: b"});
  CHECK(inputs->sets == std::vector<std::string>{"a.b=\\@file", "c=\\\\@d", "e=1"});
  CHECK(inputs->body == R"({"x":1})");
  CHECK(refused({{"temprature", "1"}}, chat) == "'svc chat' has no flag '--temprature'");
  CHECK(refused({{"stream", "yes"}}, chat) == "--stream must be true or false, not 'yes'");
  const std::string most(80, 'y');
  CHECK(refused({{"stream", most}}, chat) == "--stream must be true or false, not '" + most + "'");
  CHECK(refused({{"stream", most + "y"}}, chat) ==
        "--stream must be true or false, not '" + most + "…'");
  CHECK(refused({{"model", "a"}, {"model", "b"}}, chat) == "--model was given 2 times");
  CHECK(inputs_by_name(chat, std::vector<NamedValue>{{"stop", "a"}, {"stop", "b"}}, {}));
  CHECK(refused({{"body", "{}"}, {"body", "{}"}}, chat) == "--body was given 2 times");
  CHECK(refused({{"body", "[1]"}}, chat) == "--body must be a JSON object, not '[1]'");
  CHECK(refused({{"wait", "true"}}, chat) ==
        "--wait is only for the program: it changes nothing in the request of 'svc chat'");
  constexpr std::array<sv, 1> local = {"wait"};
  CHECK(inputs_by_name(chat, std::vector<NamedValue>{{"wait", "true"}}, local));
}

TEST_CASE("the flag that was probably meant") {
  const Operation& chat = *find_operation("chat", "create");
  CHECK(nearest_flag(&chat, "--temprature=3") == "--temperature");
  CHECK(nearest_flag(&chat, "--temprature=" + std::string(99, 'x')) == "--temperature");
  CHECK(nearest_flag(&chat, "-temprature") == "--temperature");
  CHECK(nearest_flag(&chat, "--no-steam") == "--no-stream");
  CHECK(nearest_flag(&chat, "--no-temperatur").empty());
  CHECK(nearest_flag(&chat, "--profil") == "--profile");
  CHECK(nearest_flag(nullptr, "--profil") == "--profile");
  CHECK(nearest_flag(nullptr, "--temprature").empty());
  CHECK(nearest_flag(&chat, "--zzzzzz").empty());
  const Error unknown = unknown_flag(&chat, "--zzzzzz=1");
  CHECK(unknown.message == "'svc chat' has no flag '--zzzzzz'");
  CHECK(unknown.hint == "`svc chat --help-all` lists all flags.");
  CHECK(unknown_flag(nullptr, "--zzzzzz").message == "'svc' has no flag '--zzzzzz'");
}
