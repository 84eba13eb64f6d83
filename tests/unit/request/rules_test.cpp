// What fields require and exclude, and what is only warned of, wherever their values come from.
#include "request/rules.h"

#include <string>
#include <vector>

#include <doctest/doctest.h>

#include "try.h"

namespace svc::request {
namespace {

using test::Attempt;
using Lines = std::vector<std::string>;

/// The warnings of a request; or its error, and the hint after "|".
Lines warned(const Attempt& ask) {
  const auto request = ask.build();
  if (request) return request->warnings;
  return {request.error().message + "|" + request.error().hint};
}

Lines warned(const char* group, const std::string& body) {
  Attempt ask(group, "create");
  return warned(ask.with_body(body));
}

}  // namespace

TEST_CASE("what the service ignores or advises against is warned of, if both sides are set") {
  const Lines logprobs = {"--logprobs: ignored by svc-4.20 and newer models"};
  const Lines sampling = {"--temperature and --top-p: change one of them, not both"};
  const auto chat = [](std::initializer_list<test::GivenFlag> flags) {
    Attempt ask("chat", "create", flags);
    ask.inputs.given.push_back({find_field(*ask.operation, "prompt"), "x"});
    return warned(ask);
  };
  CHECK(chat({}).empty());
  CHECK(chat({{"temperature", "1"}, {"top-p", "1"}}) == sampling);
  CHECK(chat({{"temperature", "1"}}).empty());
  CHECK(chat({{"top-p", "1"}}).empty());
  CHECK(chat({{"logprobs", "true"}}) == logprobs);
  CHECK(chat({{"logprobs", "false"}}).empty());
  for (const char* model : {"svc-4.2", "svc-4.20", "svc-4.5", "svc-4.7-fast"}) {
    CAPTURE(model);
    CHECK(chat({{"logprobs", "true"}, {"model", model}}) == logprobs);
  }
  for (const char* model : {"svc-4", "svc-4.", "svc-4.1", "x-svc-4.2", "svc-4.2*"}) {
    CAPTURE(model);
    CHECK(chat({{"logprobs", "true"}, {"model", model}}).empty() ==
          !std::string(model).starts_with("svc-4.2"));
  }
  const std::string start = R"({"messages":[{"role":"user","content":"x"}],)";
  CHECK(warned("chat", start + R"("temperature":1,"top_p":1})") == sampling);
  CHECK(warned("chat", start + R"("temperature":null,"top_p":1})").empty());
  CHECK(warned("chat", start + R"("logprobs":true})") == logprobs);
  CHECK(warned("chat", start + R"("logprobs":true,"model":"svc-4.1"})").empty());
  CHECK(warned("chat", start + R"("logprobs":false})").empty());
}

TEST_CASE("a warning names the value that causes it") {
  CHECK(warned(Attempt("collections", "create",
                       {{"collection-name", "c"}, {"chunk-strategy", "ast"}})) ==
        Lines{"--chunk-strategy ast: deprecated by the service; use code-tokens or code-chars"});
  CHECK(warned(Attempt("collections", "create",
                       {{"collection-name", "c"}, {"chunk-strategy", "chars"}}))
            .empty());
  const Lines ignored = {"--include message.output_text.logprobs: ignored by the service"};
  CHECK(warned("responses", R"({"input":"x","include":["a","message.output_text.logprobs"]})") ==
        ignored);
  CHECK(warned("responses", R"({"input":"x","include":"message.output_text.logprobs"})") ==
        ignored);
  CHECK(warned("responses", R"({"input":"x","include":["a",7,null]})").empty());
}

TEST_CASE("a field that is required may be in a body, also that of a form") {
  const test::TempFile data("text", ".txt");
  const auto upload = [&](const std::string& body) {
    Attempt ask("collections", "documents upload", {{"collection-id", "c"}, {"data", data.path}});
    return warned(ask.with_body(body));
  };
  CHECK(upload(R"({"name":"pump.md"})").empty());
  CHECK(upload(R"({"name":" "})") == Lines{"--name is empty|For example: pump.md"});
  for (const char* body : {"{}", R"({"name":null})", R"({"name":false})"}) {
    CHECK(upload(body) == Lines{"--name is required: " +
                                command_line_help(*find_field(
                                    *find_operation("collections", "documents upload"), "name")) +
                                "|For example: --name pump.md"});
  }
  // What is piped is not the value of any field.
  const Operation& create = *find_operation("collections", "create");
  CHECK(warned(Attempt("collections", "create").piped("c")) ==
        Lines{"--collection-name is missing: " +
              command_line_help(*find_field(create, "collection-name")) +
              "|For example: " + std::string(create.examples.front().command)});
  const Operation& tokenize = *find_operation("tokenize", "");
  CHECK(warned(Attempt("tokenize", "")) ==
        Lines{"--text is missing: " + command_line_help(*find_field(tokenize, "text")) +
              "|For example: " + std::string(tokenize.examples.front().command)});
}

TEST_CASE("values of a form are counted in flags and in a body") {
  const auto transcribe = [](std::size_t flags, std::size_t members) {
    Attempt ask("stt", "transcribe", {{"url", "https://h/a.mp3"}});
    for (std::size_t i = 0; i < flags; ++i) {
      ask.inputs.given.push_back({find_field(*ask.operation, "keyterm"), "a"});
    }
    ask.inputs.body = nlohmann::json{{"keyterm", std::vector<int>(members)}}.dump();
    return warned(ask);
  };
  CHECK(transcribe(100, 0).empty());
  CHECK(transcribe(0, 100).empty());
  CHECK(transcribe(101, 0) == Lines{"--keyterm was given 101 times (maximum: 100)|"});
  CHECK(transcribe(0, 101) == Lines{"--keyterm was given 101 times (maximum: 100)|"});
  CHECK(transcribe(50, 51) == Lines{"--keyterm was given 101 times (maximum: 100)|"});
}

TEST_CASE("rules of a form's fields say why") {
  const auto transcribe = [](std::initializer_list<test::GivenFlag> flags) {
    const Lines lines = warned(Attempt("stt", "transcribe", flags));
    return lines.empty() ? std::string("fine") : lines.front();
  };
  const test::GivenFlag url = {"url", "https://h/a.mp3"};
  CHECK(transcribe({}) ==
        "--file or --url is required|Pass a file to transcribe, such as svc stt talk.mp3.");
  CHECK(transcribe({url}) == "fine");
  CHECK(transcribe({url, {"format-text", "true"}}) ==
        "--format-text requires --language|Formatting depends on the language.");
  CHECK(transcribe({url, {"format-text", "false"}}) == "fine");
  CHECK(transcribe({url, {"format-text", "true"}, {"language", "en"}}) == "fine");
  CHECK(transcribe({url, {"audio-format", "alaw"}}) ==
        "--audio-format pcm or mulaw or alaw requires --sample-rate|Raw audio has no sample rate.");
  CHECK(transcribe({url, {"audio-format", "alaw"}, {"sample-rate-hertz", "8000"}}) == "fine");
  CHECK(transcribe({url, {"sample-rate", "8000"}, {"sample-rate-hertz", "8000"}}) ==
        "--sample-rate and --sample-rate-hertz cannot be combined|Both set the sample rate.");
  CHECK(transcribe({url, {"sample-rate", "8000"}}) == "fine");
  for (const bool first : {true, false}) {
    Attempt twice("realtime", "connect", {{first ? "call" : "call-id", "a"}});
    twice.inputs.given.push_back({find_field(*twice.operation, first ? "call-id" : "call"), "b"});
    CHECK(warned(twice) ==
          Lines{"--call-id and --call cannot be combined|Both set the same field."});
  }
}

TEST_CASE("only days of the dates' own fields are compared") {
  Attempt day("chat", "create", {{"prompt", "2027-01-01"}, {"to-date", "2026-01-01"}});
  CHECK(warned(day).empty());
  day.inputs.body = R"({"search_parameters":{"from_date":20270101}})";
  CHECK(warned(day).empty());
  day.inputs.body = R"({"search_parameters":{"from_date":"2026-01-02"}})";
  CHECK(warned(day) == Lines{"--from-date 2026-01-02 is after --to-date 2026-01-01|The start date "
                             "must not be after the end date."});
}

}  // namespace svc::request
