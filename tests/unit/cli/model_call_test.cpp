// Calls of a model: what the view, the pipe and the terminal get of its answer.
#include "operation/model_call.h"

#include <array>

#include <doctest/doctest.h>

#include "unit/cli/call_stage.h"
#include "unit/cli/state_here.h"
#include "unit/client/call_world.h"

namespace svc::cli {
namespace {

using test::event_reply;
using test::failure;
using test::json_reply;
using Words = std::vector<std::string>;

/// Notes what it is told.
class Noted final : public AnswerSink {
 public:
  void begin(std::int64_t choices) override { add("begin " + std::to_string(choices)); }
  void show(const Delta& delta) override {
    constexpr std::array<const char*, 5> k_kinds = {"text", "reasoning", "refusal", "tool",
                                                    "output"};
    add(std::string(k_kinds[static_cast<std::size_t>(delta.kind)]) + " " +
        std::to_string(delta.choice) + " " + std::string(delta.text));
  }
  Result<void> flush() override {
    add("flush");
    return {};
  }
  Result<void> pause(const Answer& /*answer*/) override {
    add("pause");
    return {};
  }
  Result<void> finish(const Answer& answer) override {
    add("finish " + (answer.choices.empty() ? "-" : answer.choices.front().text));
    return {};
  }
  void interrupted() override { add("interrupted"); }

  std::string told{};

 private:
  void add(const std::string& what) { told += what + "; "; }
};

/// What became of a call: what the view was told, what was printed and said, and the outcome.
std::string called(const Words& words, test::FakeReply reply, bool keep = false) {
  const StateHere state;
  CallStage stage(words, {std::move(reply)});
  Noted view;
  const request::Request request = stage.request();
  const ModelReply got = call_model(stage.session(), stage.client(), request, view, keep);
  stage.session().progress().tick();  // shows nothing: the progress is over
  std::string all = view.told + "\n" + stage.out() + "-- " + stage.err() + "\n-- ";
  all += std::string(got.streamed ? "streamed " : "") + (got.written ? "written " : "") +
         (got.submitted ? "submitted " : "") +
         (got.answer.choices.empty() ? "-" : "'" + got.answer.choices.front().text + "'") + " " +
         got.document + " " + (got.error ? got.error->message : "well");
  view.told.clear();
  if (got.submitted) return all;
  const auto done = finish_call(stage.session(), stage.operation(), got, view);
  return all + "\n-- " + view.told + "\n" + stage.out() + "-- " + stage.err() + "-- " +
         (done ? "well" : done.error().message + " / " + done.error().hint) + "\n-- " + recorded();
}

const std::string k_progress = "|waiting for m  1 s|\n-- ";

Words chat(const std::string& flags) {
  Words words = {"chat", "Hi", "--no-stdin", "-m", "m"};
  for (const sv flag : split(flags, ' ')) {
    if (!flag.empty()) words.emplace_back(flag);
  }
  return words;
}

std::string chunk(const std::string& text, const std::string& reason = "null") {
  return R"({"id":"i","model":"m","choices":[{"index":0,"delta":{"content":")" + text +
         R"("},"finish_reason":)" + reason + "}]}";
}

const std::string k_usage =
    R"({"id":"i","model":"m","choices":[],"usage":{"prompt_tokens":7,"completion_tokens":2,)"
    R"("cost_in_usd_ticks":100000000}})";
const std::string k_whole =
    R"({"id":"i","model":"m","choices":[{"index":0,"message":{"content":"One"},)"
    R"("finish_reason":"stop"}],"usage":{"prompt_tokens":7,"completion_tokens":2,)"
    R"("cost_in_usd_ticks":100000000}})";
const std::string k_recorded =
    "-- 1 of m: 7 in (0 cached), 2 out (0 reasoning), 100000000 ticks, 0 unpriced\n";

std::string data(const std::string& event) {
  return "data: " + event + "\n\n";
}

test::FakeReply stream() {
  return event_reply(
      {data(chunk("On")), data(chunk("e", "\"stop\"")) + data(k_usage) + data("[DONE]")});
}

std::string pretty(const std::string& document) {
  std::string text;
  print::Out out(print::string_sink(text));
  REQUIRE(print::print_json(out, document));
  REQUIRE(out.flush());
  return text;
}

}  // namespace

TEST_CASE("a stream's text is shown as it arrives, and kept for those who need it") {
  const std::string shown = "begin 1; text 0 On; flush; text 0 e; flush; \n-- " + k_progress;
  CHECK(called(chat(""), stream()) ==
        shown + "streamed ''  well\n-- finish ; \n-- 7 tokens in, 2 out, $0.01\n-- well\n" +
            k_recorded);
  CHECK(called(chat(""), stream(), true) ==
        shown + "streamed 'One' " + k_whole +
            " well\n-- finish One; \n-- 7 tokens in, 2 out, $0.01\n-- well\n" + k_recorded);
}

TEST_CASE("a stream is one document, its events, or the bytes as they are") {
  const std::string begin = "begin 1; \n";
  const std::string well = "-- \n-- -- well\n" + k_recorded;
  CHECK(called(chat("--json --stream"), stream()) ==
        begin + "-- " + k_progress + "streamed '' " + k_whole + " well\n-- \n" + pretty(k_whole) +
            "-- -- well\n" + k_recorded);
  CHECK(called(chat("--format jsonl"), stream()) ==
        begin + chunk("On") + "\n" + chunk("e", "\"stop\"") + "\n" + k_usage + "\n-- " +
            k_progress + "streamed written ''  well\n" + well);
  CHECK(called(chat("--format raw --stream"), stream()) ==
        begin + data(chunk("On")) + data(chunk("e", "\"stop\"")) + data(k_usage) + data("[DONE]") +
            "-- " + k_progress + "streamed written ''  well\n" + well);
}

TEST_CASE("of a stream that breaks off, what came is shown, and its cost is unknown") {
  const std::string early = "the stream ended early, after 1 event";
  const std::string hint = "-- " + early + " / The answer shown is incomplete; try again.\n";
  const std::string lost = "-- 1 of m: 0 in (0 cached), 0 out (0 reasoning), 0 ticks, 1 unpriced\n";
  const auto cut = event_reply({data(chunk("On"))});
  CHECK(called(chat(""), cut) == "begin 1; text 0 On; flush; \n-- " + k_progress + "streamed ''  " +
                                     early + "\n-- interrupted; \n-- " + hint + lost);
  const std::string part =
      R"({"id":"i","model":"m","choices":[{"index":0,"message":{"content":"On"},"finish_reason":null}]})";
  CHECK(called(chat("--json --stream"), cut) == "begin 1; \n-- " + k_progress + "streamed '' " +
                                                    part + " " + early + "\n-- \n" + pretty(part) +
                                                    "-- " + hint + lost);
  // Of one that is complete, the end does not matter.
  test::FakeReply reset = stream();
  reset.error = Error{Fault::Network, "reset"};
  CHECK(called(chat(""), reset) == called(chat(""), stream()));
  reset.error = Error{Fault::Timeout, "late"};
  CHECK(called(chat(""), reset) == called(chat(""), stream()));
  CHECK(called(chat(""), failure(Fault::Network)) ==
        "begin 1; \n-- " + k_progress +
            "streamed -  request sent, but the response was lost: the line went dead\n-- "
            "interrupted; \n-- -- request sent, but the response was lost: the line went dead / It "
            "may have been executed and billed; it was not retried.\n" +
            lost);
}

TEST_CASE("an answer that is not streamed is shown whole, after what the model thought and did") {
  const std::string begin = "begin 1; \n-- " + k_progress;
  const std::string thought =
      R"({"id":"i","model":"m","choices":[{"index":0,"message":{"content":"Yes.","reasoning_content":"Hm."},"finish_reason":"stop"}],"usage":{"prompt_tokens":7,"completion_tokens":2}})";
  for (const char* flags : {"--no-stream", ""}) {
    CHECK(called(chat(flags), json_reply(200, thought)) ==
          begin + "'Yes.' " + thought +
              " well\n-- reasoning 0 Hm.; finish Yes.; \n-- 7 tokens in, 2 out\n-- well\n-- 1 of "
              "m: 7 in (0 cached), 2 out (0 reasoning), 0 ticks, 1 unpriced\n");
  }
  CHECK(called(chat("--no-stream"), json_reply(200, R"({"request_id":"j"})")) ==
        begin + R"(submitted - {"request_id":"j"} well)");
  CHECK(called(chat("--no-stream"), json_reply(200, R"({"error":{"message":"oh"}})")) ==
        begin + R"(- {"error":{"message":"oh"}} the service reported an error: oh)"
                "\n-- interrupted; \n-- -- the service reported an error: oh / \n-- ");
  CHECK(called(chat("--no-stream"), json_reply(500, R"({"error":{"message":"oh"}})")) ==
        begin +
            "-  the service failed (HTTP 500): oh\n-- interrupted; \n-- -- the service failed "
            "(HTTP 500): oh / Try again later; --retries N allows more tries.\n-- ");
}

}  // namespace svc::cli
