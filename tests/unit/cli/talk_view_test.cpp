// What `realtime talk` prints of both sides, and saves.
#include "commands/realtime/talk_view.h"

#include <fstream>
#include <map>
#include <sstream>

#include <doctest/doctest.h>
#include <nlohmann/json.hpp>

#include "unit/base/temporary_directory.h"
#include "unit/cli/session_stage.h"

namespace svc::cli {
namespace {

using namespace std::chrono_literals;

std::vector<std::string> talk_flags(std::vector<std::string> flags = {}) {
  flags.insert(flags.begin(), {"realtime", "talk"});
  return flags;
}

voice::TalkEvent said(const std::string& item, const std::string& text, bool final = true) {
  return {
      .kind = voice::TalkEvent::Kind::AssistantText, .item = item, .text = text, .final = final};
}

/// The last line of a conversation without the time that it took.
std::string without_time(const std::string& line) {
  const std::size_t usage = line.rfind(", ", line.find(" tokens in"));
  REQUIRE(usage != std::string::npos);
  return line.substr(0, line.rfind(", ", usage - 1)) + line.substr(usage);
}

std::string saved_text(const std::string& path) {
  std::ostringstream text;
  text << std::ifstream(path).rdbuf();
  return text.str();
}

}  // namespace

TEST_CASE("talk view: a transcript is text, lines of JSON or subtitles, by its ending") {
  const test::TemporaryDirectory directory;
  const auto written = [&](const std::string& name) {
    const std::string path = directory.file(name);
    auto transcript = TalkTranscript::create(path, Replace::No);
    REQUIRE(transcript);
    REQUIRE(transcript->add(Speaker::User, "What?", false, 0ms, 1'500ms));
    REQUIRE(transcript->add(Speaker::Assistant, "Well", true, 2s, 2'100ms));
    REQUIRE(transcript->close());
    return saved_text(path);
  };
  CHECK(written("a.txt") == "user: What?\nassistant: Well —\n");
  CHECK(written("a.jsonl") ==
        "{\"role\":\"user\",\"text\":\"What?\",\"start\":0.0,\"end\":1.5}\n"
        "{\"role\":\"assistant\",\"text\":\"Well\",\"start\":2.0,\"end\":2.1,\"interrupted\":true}"
        "\n");
  // A subtitle is shown for half a second at least.
  CHECK(written("a.srt") ==
        "1\n00:00:00,000 --> 00:00:01,500\n[user] What?\n\n"
        "2\n00:00:02,000 --> 00:00:02,500\n[assistant] Well —\n\n");
  for (const char* name : {"a.md", "a", "a.txt.x"}) {
    const auto refused = TalkTranscript::create(name, Replace::No);
    REQUIRE_FALSE(refused);
    CHECK(refused.error().fault == Fault::Usage);
    CHECK(refused.error().message ==
          std::string("--transcript ") + name + ": the extension must be .txt, .jsonl or .srt");
  }
}

TEST_CASE("talk view: what is final is printed once, each side in its place") {
  SessionStage stage(talk_flags());
  TalkView view(stage.session(), false, std::nullopt, "caller");
  view.begin(Speaker::User, "u1");
  view.begin(Speaker::User, "");
  REQUIRE(view.words(Speaker::User, said("u1", " What", false)));
  REQUIRE(view.words(Speaker::Assistant, said("a1", "It", false)));
  CHECK(stage.out().empty());
  CHECK(stage.err().empty());
  REQUIRE(view.words(Speaker::User, said("u1", " What? ")));
  CHECK(stage.err() == "caller: What?\n");
  REQUIRE(view.words(Speaker::Assistant, said("a1", "It depends.\n")));
  CHECK(stage.out() == "It depends.\n");
  REQUIRE(view.words(Speaker::Assistant, said("a1", "It depends", false)));
  REQUIRE(view.words(Speaker::Assistant, said("a1", "It depends!")));
  REQUIRE(view.words(Speaker::Assistant, said("a2", "  ")));
  auto replayed = said("a3", "Earlier.");
  replayed.replayed = true;
  REQUIRE(view.words(Speaker::Assistant, replayed));
  view.typed("By hand");
  view.typed("By hand");
  CHECK(stage.out().empty());
  CHECK(stage.err() == "caller: By hand\ncaller: By hand\n");
  // With sound on standard output, text is on standard error.
  TalkView beside(stage.session(), true, std::nullopt);
  REQUIRE(beside.words(Speaker::Assistant, said("a4", "Here.")));
  REQUIRE(beside.words(Speaker::User, said("u4", "There.")));
  CHECK(stage.out().empty());
  CHECK(stage.err() == "svc: Here.\nyou: There.\n");
}

TEST_CASE("talk view: an answer is printed as far as it was heard") {
  SessionStage stage(talk_flags());
  TalkView view(stage.session(), false, std::nullopt);
  std::map<std::string, voice::Heard> heard;
  view.follow([&](const std::string& item) -> std::optional<voice::Heard> {
    const auto found = heard.find(item);
    return found == heard.end() ? std::nullopt : std::optional(found->second);
  });
  REQUIRE(view.words(Speaker::User, said("u1", "What?")));
  CHECK(stage.err() == "you: What?\n");
  heard["a1"] = {.heard_ms = 0, .received_ms = 2'000, .complete = true};
  REQUIRE(view.words(Speaker::Assistant, said("a1", "It depends on the weather.")));
  CHECK(stage.out().empty());
  heard["a1"].heard_ms = 1'999;
  REQUIRE(view.advance());
  CHECK(stage.out().empty());
  heard["a1"].heard_ms = 2'000;
  heard["a1"].complete = false;
  REQUIRE(view.advance());
  CHECK(stage.out().empty());
  view.answer_over();
  REQUIRE(view.advance());
  CHECK(stage.out() == "It depends on the weather.\n");
  // Without any sound, an answer is printed once it is over.
  REQUIRE(view.words(Speaker::Assistant, said("a2", "Silent.")));
  CHECK(stage.out().empty());
  view.answer_over();
  REQUIRE(view.advance());
  CHECK(stage.out() == "Silent.\n");
  // Interrupted: the part that was heard, and what had not begun not at all.
  heard["a3"] = {.heard_ms = 1'000, .received_ms = 2'000, .complete = true};
  REQUIRE(view.words(Speaker::Assistant, said("a3", "One two three four")));
  REQUIRE(view.words(Speaker::Assistant, said("a4", "Never.")));
  view.cut({{.item = "a3", .played_ms = 1'000}});
  REQUIRE(view.advance());
  CHECK(stage.out() == "One two —\n");
  view.cut({{.item = "a3", .played_ms = 1'000}});
  REQUIRE(view.advance());
  CHECK(stage.out().empty());
}

TEST_CASE("talk view: half an answer that was lost is replaced by the next, or kept") {
  SessionStage stage(talk_flags());
  TalkView view(stage.session(), false, std::nullopt);
  REQUIRE(view.words(Speaker::User, said("u1", "Half a questi", false)));
  REQUIRE(view.words(Speaker::Assistant, said("a1", "Half an", false)));
  view.disconnect();
  view.give_up();
  REQUIRE(view.advance());
  CHECK(stage.out().empty());
  REQUIRE(view.words(Speaker::Assistant, said("a2", " ", false)));
  REQUIRE(view.words(Speaker::Assistant, said("a2", "A whole answer.")));
  CHECK(stage.out() == "A whole answer.\n");
  REQUIRE(view.words(Speaker::Assistant, said("a3", "Another half", false)));
  view.disconnect();
  view.give_up();
  REQUIRE(view.finish({}, 1, 0));
  CHECK(stage.out() == "Another half\n");
  CHECK(without_time(stage.err()) == "1 answer, 0 tokens in, 0 out\n");
}

TEST_CASE("talk view: text ahead of its audio is shown at the pace of the last whole answer") {
  const auto shown_after = [](std::size_t size, const voice::Heard& first, bool over = false) {
    SessionStage stage(talk_flags());
    TalkView view(stage.session(), false, std::nullopt);
    std::map<std::string, voice::Heard> heard = {{"a1", first},
                                                 {"a2", {.heard_ms = 1'000, .received_ms = 1'000}}};
    view.follow([&](const std::string& item) { return std::optional(heard[item]); });
    REQUIRE(view.words(Speaker::Assistant, said("a1", std::string(size, 'x'))));
    if (over) view.answer_over();
    REQUIRE(view.advance());
    CHECK(stage.out() == std::string(size, 'x') + "\n");
    std::string letters;
    for (char letter = 'a'; letter <= 'z'; ++letter) letters += std::string{letter, ' '};
    REQUIRE(view.words(Speaker::Assistant, said("a2", letters, false)));
    view.cut({{.item = "a2", .played_ms = 1'000}});
    REQUIRE(view.advance());
    return stage.out();
  };
  const voice::Heard two_seconds{.heard_ms = 2'000, .received_ms = 2'000, .complete = true};
  CHECK(shown_after(40, two_seconds) == "a b c d e f g h i j \u2014\n");  // 20 bytes a second
  CHECK(shown_after(36, two_seconds) == "a b c d e f g h i \u2014\n");
  // It is between 6 and 30.
  CHECK(shown_after(100, two_seconds) == "a b c d e f g h i j k l m n o \u2014\n");
  CHECK(shown_after(10, two_seconds) == "a b c \u2014\n");
  // Nothing is learnt from less than two seconds, nor from an answer whose end did not arrive.
  const std::string usual = "a b c d e f g h \u2014\n";
  CHECK(shown_after(40, {.heard_ms = 1'999, .received_ms = 1'999, .complete = true}) == usual);
  CHECK(shown_after(40, {.heard_ms = 2'000, .received_ms = 2'000}, true) == usual);
}

TEST_CASE("talk view: an answer that was cut before its text is printed as far as it was heard") {
  SessionStage stage(talk_flags());
  TalkView view(stage.session(), false, std::nullopt);
  const voice::Heard half{.heard_ms = 1'000, .received_ms = 2'000, .complete = true};
  view.follow([&](const std::string&) { return std::optional(half); });
  REQUIRE(view.words(Speaker::User, said("u1", "And", false)));
  view.cut({{.item = "a1", .played_ms = 1'000}});
  REQUIRE(view.advance());
  CHECK(stage.out().empty());
  REQUIRE(view.words(Speaker::Assistant, said("a1", "One two three four")));
  CHECK(stage.out() == "One two \u2014\n");
  REQUIRE(view.words(Speaker::User, said("u1", "And then?")));
  CHECK(stage.err() == "you: And then?\n");
  // What is still being heard at the end is printed so far.
  REQUIRE(view.words(Speaker::Assistant, said("a2", "Five six seven eight")));
  CHECK(stage.out().empty());
  REQUIRE(view.finish({}, 1, 0));
  CHECK(stage.out() == "Five six \u2014\n");
}

TEST_CASE("talk view: an answer that a new connection completes is whole") {
  SessionStage stage(talk_flags());
  TalkView view(stage.session(), false, std::nullopt);
  voice::Heard heard{.heard_ms = 1'000, .received_ms = 2'000};
  view.follow([&](const std::string&) { return std::optional(heard); });
  REQUIRE(view.words(Speaker::Assistant, said("a1", "Half an", false)));
  view.disconnect();
  REQUIRE(view.words(Speaker::Assistant, said("a1", "Half an answer, and the rest.")));
  view.give_up();  // it is not broken any more
  heard.heard_ms = 2'000;
  REQUIRE(view.advance());
  CHECK(stage.out() == "Half an answer, and the rest.\n");
}

TEST_CASE("talk view: half an answer stays lost until another one has words") {
  SessionStage stage(talk_flags());
  for (const bool another : {false, true}) {
    TalkView view(stage.session(), false, std::nullopt);
    REQUIRE(view.words(Speaker::Assistant, said("a1", "Half", false)));
    view.disconnect();
    view.give_up();
    if (another) REQUIRE(view.words(Speaker::Assistant, said("a1", "Half an answer")));
    CHECK(stage.out().empty());
    REQUIRE(view.words(Speaker::User, said("u1", "Well?")));
    CHECK(stage.out().empty());
    if (another) REQUIRE(view.words(Speaker::Assistant, said("a2", "A whole one.")));
    REQUIRE(view.finish({}, 0, 0));
    CHECK(stage.out() == (another ? "A whole one.\n" : "Half\n"));
  }
}

TEST_CASE("talk view: what was not heard of an answer is not in the document either") {
  SessionStage stage(talk_flags({"--json"}));
  TalkView view(stage.session(), false, std::nullopt);
  const auto cut = [](const std::string& item, const std::string& text) {
    voice::TalkEvent event = said(item, text);
    event.cut = true;
    return event;
  };
  REQUIRE(view.words(Speaker::Assistant, cut("a1", "Half an")));
  REQUIRE(view.words(Speaker::Assistant, said("a1", "Half an answer.")));
  REQUIRE(view.words(Speaker::Assistant, cut("a1", "Half")));
  REQUIRE(view.words(Speaker::Assistant, said("a2", "Another answer.")));
  REQUIRE(view.words(Speaker::Assistant, cut("a2", "Another")));
  REQUIRE(view.finish({}, 1, 1));
  CHECK(nlohmann::json::parse(stage.out())["items"] == nlohmann::json::parse(R"([
    {"id":"a1","role":"assistant","text":"Half","interrupted":true},
    {"id":"a2","role":"assistant","text":"Another"}])"));
}

TEST_CASE("talk view: the document of a conversation, and its last line") {
  SessionStage stage(talk_flags({"--json"}));
  TalkView view(stage.session(), false, std::nullopt);
  voice::SpokenConversation talk;
  for (
      const char* event :
      {R"({"type":"conversation.created","conversation":{"id":"c1"}})",
       R"({"type":"response.created","response":{"id":"r1"}})",
       R"({"type":"response.done","response":{"id":"r1","status":"completed","usage":{"input_tokens":7,"output_tokens":3}}})"}) {
    (void)talk.feed(event);
  }
  REQUIRE(view.words(Speaker::User, said("u1", "What?")));
  REQUIRE(view.words(Speaker::Assistant, said("a1", "It depends")));
  REQUIRE(view.words(Speaker::Assistant, said("a1", "It depends.")));  // a better version
  auto cut = said("a2", "Half an");
  cut.cut = true;
  REQUIRE(view.words(Speaker::Assistant, cut));
  REQUIRE(view.words(Speaker::User, said("u2", "and", false)));
  REQUIRE(view.finish(talk, 2, 1));
  CHECK(nlohmann::json::parse(stage.out()) ==
        nlohmann::json::parse(R"({"conversation_id":"c1","items":[
    {"id":"u1","role":"user","text":"What?"},
    {"id":"a1","role":"assistant","text":"It depends."},
    {"id":"a2","role":"assistant","text":"Half an","interrupted":true},
    {"id":"u2","role":"user","text":"and"}],
    "usage":{"input_tokens":7,"output_tokens":3}})"));
  CHECK(without_time(stage.err()) == "2 answers, 1 interrupted, 7 tokens in, 3 out\n");
}

TEST_CASE("talk view: nothing is said of a conversation that did not begin") {
  SessionStage stage(talk_flags());
  TalkView view(stage.session(), false, std::nullopt);
  REQUIRE(view.finish({}, 0, 0));
  CHECK(stage.out().empty());
  CHECK(stage.err().empty());
}

TEST_CASE("talk view: the transcript has both sides in the order in which they began") {
  const test::TemporaryDirectory directory;
  const std::string path = directory.file("talk.txt");
  auto transcript = TalkTranscript::create(path, Replace::No);
  REQUIRE(transcript);
  SessionStage stage(talk_flags());
  TalkView view(stage.session(), false, *std::move(transcript));
  view.begin(Speaker::User, "u1");
  REQUIRE(view.words(Speaker::Assistant, said("a1", "Later.")));
  REQUIRE(view.words(Speaker::User, said("u1", "First?")));
  REQUIRE(view.words(Speaker::User, said("u1", "First!")));
  REQUIRE(view.words(Speaker::User, said("u2", "open", false)));
  REQUIRE(view.finish({}, 1, 0));
  CHECK(stage.out() == "Later.\n");
  CHECK(saved_text(path) == "user: First?\nassistant: Later.\nuser: open\n");
}

TEST_CASE("talk view: events are passed on as the format asks") {
  const std::string event = R"({ "type": "x" })";
  const auto passed = [&](std::vector<std::string> flags, bool sound_out, const std::string& text) {
    SessionStage stage(talk_flags(std::move(flags)));
    TalkView view(stage.session(), sound_out, std::nullopt);
    REQUIRE(view.message(text));
    return stage.out();
  };
  CHECK(passed({"-f", "jsonl"}, false, event) == "{\"type\":\"x\"}\n");
  CHECK(passed({"-f", "jsonl"}, false, "no json") == "no json\n");
  CHECK(passed({"-f", "raw"}, false, event) == event + "\n");
  CHECK(passed({"-f", "raw"}, true, event).empty());
  CHECK(passed({"-f", "json"}, false, event).empty());
  CHECK(passed({}, false, event).empty());
  CHECK(passed({}, false, "no json").empty());
}

TEST_CASE("talk view: what a turn took") {
  SessionStage stage(talk_flags());
  TalkView view(stage.session(), false, std::nullopt);
  const voice::TalkUsage usage{.input_tokens = 120, .output_tokens = 30, .ticks = 12'000'000};
  view.turn(1'234ms, true, usage);
  CHECK(stage.err() == "(1.23 s to the first sound; so far 120 tokens in, 30 out, $0.0012)\n");
  view.turn(500ms, false, {});
  CHECK(stage.err() == "(0.50 s to the first word; so far 0 tokens in, 0 out)\n");
  view.turn(std::nullopt, true, {.ticks = 1});
  CHECK(stage.err().starts_with("(so far 0 tokens in, 0 out, $"));
}

}  // namespace svc::cli
