// What commands write of results, failures and answers where no terminal is.
#include <array>
#include <string>
#include <vector>

#include <doctest/doctest.h>

#include "catalogue/catalogue.h"
#include "operation/answer_printer.h"
#include "operation/batch_view.h"
#include "operation/results.h"
#include "operation/rpc_tool.h"
#include "operation/waiter.h"
#include "unit/cli/session_stage.h"

namespace svc::cli {
namespace {

using Words = std::vector<std::string>;

/// What is written of these results, each with its text.
std::string written(const Words& flags, const Words& results, bool as_objects = false) {
  Words words = {"files", "get", "file_1"};
  words.insert(words.end(), flags.begin(), flags.end());
  SessionStage stage(words);
  Results all(stage.session(), results.size());
  for (const std::string& one : results) {
    REQUIRE((as_objects ? all.add_object(one, "text\n") : all.add(one, "text\n")));
  }
  REQUIRE(all.finish());
  return stage.out();
}

/// The class and the words of what failures come to, after what was said of each.
std::string failed(std::size_t count, const std::vector<Error>& errors) {
  SessionStage stage({"files", "get", "file_1"});
  Failures failures(stage.session(), count, "files were not found");
  std::string all;
  for (const Error& error : errors) all += failures.add("a\x1b", error) ? "on " : "end ";
  const Result<void> verdict = failures.verdict();
  all += verdict ? "well" : std::string(fault_name(verdict.error().fault)) + ": ";
  if (!verdict) all += verdict.error().message;
  return stage.err() + all;
}

/// An answer that is not streamed, or was, as far as `parts` go.
std::string printed(const Words& flags, std::int64_t choices, const std::vector<Delta>& parts,
                    const Answer& answer) {
  Words words = {"chat", "Hi", "--no-stdin"};
  words.insert(words.end(), flags.begin(), flags.end());
  SessionStage stage(words);
  AnswerPrinter printer(stage.session());
  printer.begin(choices);
  for (const Delta& part : parts) printer.show(part);
  REQUIRE(printer.finish(answer));
  const std::string beside = stage.err();
  return stage.out() + (beside.empty() ? "" : "--\n" + beside);
}

}  // namespace

TEST_CASE("one result is a document, several are an array or lines") {
  const std::string one = R"({"id":"a"})";
  const std::string two = R"({"id":"b"})";
  CHECK(written({}, {one}) == "text\n");
  CHECK(written({}, {one, two}) == "text\ntext\n");
  CHECK(written({}, {""}) == "text\n");
  CHECK(written({"--json"}, {one}) == "{\n  \"id\": \"a\"\n}\n");
  CHECK(written({"--json"}, {" \n"}).empty());
  CHECK(written({"--format", "jsonl"}, {one, two}) == one + "\n" + two + "\n");
  CHECK(written({"--format", "jsonl"}, {one, " ", two}) == one + "\n" + two + "\n");
  const auto plain = [](std::string text) {
    std::erase_if(text, [](char c) { return c == ' ' || c == '\n'; });
    return text;
  };
  CHECK(plain(written({"--json"}, {one, two})) == "[" + one + "," + two + "]");
  CHECK(plain(written({"--json"}, {"", ""})) == "[]");
  CHECK(written({"--jq", "map(.id) | tojson"}, {one, two}) == "[\"a\",\"b\"]\n");
  CHECK(written({"--jq", "length"}, {"", ""}) == "0\n");
  CHECK(written({"--jq", ".id"}, {one}) == "a\n");
  // The only object is shown with its members.
  CHECK(written({}, {one}, true).find("text") == std::string::npos);
  CHECK(written({}, {one}, true).find("file_1") == std::string::npos);
  CHECK(written({}, {one}, true).find('a') != std::string::npos);
  CHECK(written({}, {one, two}, true) == "text\ntext\n");
  CHECK(written({}, {" "}, true).empty());
  CHECK(written({}, {"null"}, true).empty());
  CHECK(written({"--json"}, {"null"}, true) == "null\n");
}

TEST_CASE("of several failures each is told, and one that concerns all ends the run") {
  const auto failure = [](Fault fault, const std::string& message) {
    return Error{fault, message, ""};
  };
  CHECK(failed(1, {}) == "well");
  CHECK(failed(3, {}) == "well");
  CHECK(failed(1, {failure(Fault::NotFound, "gone")}) == "on not_found: gone");
  CHECK(failed(3, {failure(Fault::NotFound, "gone"), failure(Fault::Service, "broken")}) ==
        "svc: error: a^[: gone\nsvc: error: a^[: broken\n"
        "on on not_found: 2 of 3 files were not found");
  for (const Fault fault :
       {Fault::Auth, Fault::Unexpected, Fault::ReaderGone, Fault::Interrupted, Fault::Terminated}) {
    CHECK(failed(3, {failure(Fault::NotFound, "gone"), failure(fault, "all")}) ==
          "svc: error: a^[: gone\non end " + std::string(fault_name(fault)) + ": all");
  }
  Error used_up{Fault::Limited, "no credits", ""};
  used_up.cause = Cause::CreditsUsedUp;
  CHECK(failed(2, {used_up}) == "end " + std::string(fault_name(Fault::Limited)) + ": no credits");
  used_up.cause = Cause::Passing;
  CHECK(failed(2, {used_up}) == "svc: error: a^[: no credits\non " +
                                    std::string(fault_name(Fault::Limited)) +
                                    ": 1 of 2 files were not found");
}

TEST_CASE("an answer's text is on standard output, and what is beside it on standard error") {
  Answer one;
  one.choices = {{.text = "One"}};
  CHECK(printed({}, 1, {}, one) == "One\n");
  CHECK(printed({}, 1, {{DeltaKind::Text, 0, "On"}, {DeltaKind::Text, 0, "e\n"}}, one) == "One\n");
  CHECK(printed({}, 1, {{DeltaKind::Text, 1, "no"}, {DeltaKind::Refusal, 0, "No."}}, one) ==
        "No.\n");
  CHECK(printed({}, 1,
                {{DeltaKind::Reasoning, 0, "hm\x1b"},
                 {DeltaKind::Reasoning, 1, "other"},
                 {DeltaKind::Text, 0, "One"}},
                one) == "One\n--\nhm^[\n");
  CHECK(printed({"--reasoning", "none"}, 1, {{DeltaKind::Reasoning, 0, "hm"}}, one) == "One\n");
  CHECK(printed({"--reasoning", "fold"}, 1,
                {{DeltaKind::Reasoning, 0, ""},
                 {DeltaKind::Reasoning, 0, "hm"},
                 {DeltaKind::Reasoning, 0, "hm"},
                 {DeltaKind::Text, 0, "One"}},
                one) == "One\n--\nthought\n");
  CHECK(printed({}, 1, {{DeltaKind::Reasoning, 0, "hm"}, {DeltaKind::Tool, 0, "search\n\"x\""}},
                one) == "One\n--\nhm\n[search \"x\"]\n");
  const Delta output{DeltaKind::ToolOutput, 0, "a\nb\n"};
  CHECK(printed({}, 1, {output}, one) == "One\n");
  CHECK(printed({"-v"}, 1, {output}, one) == "One\n--\n  a\n  b\n");
  CHECK(printed({"-q"}, 1, {{DeltaKind::Reasoning, 0, "hm"}}, one) == "One\n");
  Answer cited = one;
  cited.citations = {"https://a.example", "https://b.example"};
  cited.output_files = {"file_1"};
  CHECK(printed({}, 1, {}, cited) ==
        "One\n--\n[1] https://a.example\n[2] https://b.example\nfile file_1\n");
}

TEST_CASE("several choices have headings, and calls of tools are written as they came") {
  Answer two;
  two.choices = {{.text = "One"}, {.text = "", .refusal = "No."}};
  const std::string both = "--- choice 1 ---\nOne\n--- choice 2 ---\nNo.\n";
  CHECK(printed({}, 1, {}, two) == both);
  CHECK(printed({}, 2, {}, two) == both);
  CHECK(printed({}, 2, {{DeltaKind::Text, 0, "On"}, {DeltaKind::Text, 0, "e"}}, two) == both);
  Answer calls;
  calls.choices = {{.text = "I look."}};
  calls.choices[0].tool_calls = {
      {"1", "clock", "{}", false}, {"2", "search", "{\"q\":\n1}", true}, {"3", "browse", "", true}};
  CHECK(printed({}, 1, {}, calls) == "I look.\nclock {}\n--\n[search {\"q\": 1}]\n");
}

TEST_CASE("the command that resumes a job repeats what concerns its result") {
  const auto resume = [](const Words& flags, const Operation& job, const std::string& id) {
    Words words = {"chat", "Hi", "--no-stdin"};
    words.insert(words.end(), flags.begin(), flags.end());
    SessionStage stage(words);
    return resume_command(stage.session(), job, id);
  };
  const Operation& video = *find_operation("videos", "wait");
  CHECK(resume({}, video, "id") == "svc videos wait id");
  CHECK(resume({"--force"}, video, "a b") == "svc videos wait 'a b' --force");
  SessionStage stage({"chat", "Hi", "--no-stdin"});
  const Error waits = job_not_ready(stage.session(), video, "id\x1b");
  CHECK(waits.fault == Fault::Timeout);
  CHECK(waits.message == "id^[ is not ready yet");
  CHECK(waits.hint.starts_with("Wait for it with: svc videos wait "));
  CHECK(with_profile(stage.session(), "svc x") == "svc x");
}

TEST_CASE("of a batch's reasons the first ten are told, and how many more there are") {
  const auto told = [](std::size_t count, std::int64_t all) {
    Reasons reasons;
    for (std::size_t i = 1; i <= count; ++i) {
      reasons.emplace_back("reason " + std::to_string(i), static_cast<std::int64_t>(20 - i));
    }
    SessionStage stage({"batches", "wait", "b"});
    const Error error = batch_failures(stage.session(), 3, all, reasons, "Look.");
    CHECK(error.fault == Fault::RemoteJob);
    CHECK(error.hint == "Look.");
    return stage.err() + error.message;
  };
  CHECK(told(0, 5) == "3 of 5 requests did not succeed");
  CHECK(told(1, 1) == "svc: note: 19 x reason 1\n3 of 1 request did not succeed");
  CHECK(told(10, 5).ends_with("note: 10 x reason 10\n3 of 5 requests did not succeed"));
  CHECK(told(11, 5).ends_with(
      "note: 10 x reason 10\nsvc: note: and 1 more reasons\n3 of 5 requests did not succeed"));
}

TEST_CASE("what a tool says of its failure is cut, and its kind is known by its words") {
  const auto error = [](const std::string& text) {
    return read_tool_answer(
               R"({"isError":true,"content":[{"type":"text","text":")" + text + R"("}]})", {})
        .error();
  };
  for (const char* words : {"Not found", "no page x", "No such page", "unknown page",
                            "Unknown slug", "It does not exist"}) {
    CAPTURE(words);
    CHECK(error(words).fault == Fault::NotFound);
    CHECK(error(words).hint == "`svc docs list` lists the pages.");
  }
  CHECK(error("broken").hint.empty());
  CHECK(error("broken").message == "the tool failed: broken");
  const std::string most(2000, 'x');
  CHECK(error(most).message == "the tool failed: " + most);
  CHECK(error(most + "y").message == "the tool failed: " + most + "…");
  const auto refused = [](int code, const std::string& message) {
    RpcReader reader({});
    const auto fed = reader.feed(R"({"id":1,"error":{"code":)" + std::to_string(code) +
                                 R"(,"message":")" + message + R"("}})");
    REQUIRE_FALSE(fed);
    return std::string(fault_name(fed.error().fault)) + ": " + fed.error().message;
  };
  CHECK(refused(-32603, "oh") == "service: the server failed: oh");
  CHECK(refused(-32602, "no such page") == "not_found: not found on the server: no such page");
  CHECK(refused(-32602, "bad") == "service: the server rejected the call: bad");
  CHECK(refused(-32601, "not found") == "service: the server rejected the call: not found");
  CHECK(refused(-32603, "") == "service: the server failed");
  CHECK(refused(-32603, most + "y") == "service: the server failed: " + most + "…");
}

}  // namespace svc::cli
