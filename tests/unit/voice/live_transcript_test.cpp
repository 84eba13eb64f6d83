#include "voice/live_transcript.h"

#include <doctest/doctest.h>
#include <fmt/format.h>

#include "base/text.h"

namespace svc::voice {
namespace {

enum class Is { Interim, Locked, Final };

/// A `transcript.partial` with a word every half second.
std::string partial(Is is, std::string_view text, double start, int channel = -1) {
  std::string words;
  double at = start;
  for (const std::string_view word : split(text, ' ')) {
    if (word.empty()) continue;
    words += fmt::format(R"({}{{"text":"{}","start":{},"end":{}}})", words.empty() ? "" : ",", word,
                         at, at + 0.4);
    at += 0.5;
  }
  return fmt::format(
      R"({{"type":"transcript.partial","text":"{}","is_final":{},"speech_final":{},"start":{},)"
      R"("duration":{},"words":[{}]{}}})",
      text, is != Is::Interim, is == Is::Final, start, at - start, words,
      channel < 0 ? "" : fmt::format(R"(,"channel_index":{})", channel));
}

struct Run {
  explicit Run(int channels = 1) : transcript(channels) {}

  LiveEvent feed(std::string_view message) { return transcript.feed(message, sent); }
  /// The text of the utterance that a message finishes, or "".
  std::string said(std::string_view message) {
    const LiveEvent event = feed(message);
    return event.utterance ? event.utterance->text : std::string();
  }
  [[nodiscard]] std::string text() const { return transcript.transcript().text; }

  LiveTranscript transcript;
  double sent = 0;
};

constexpr const char* k_done = R"({"type":"transcript.done","text":"","words":[],"duration":9.5})";

}  // namespace

TEST_CASE("the documented example") {
  Run run;
  CHECK(run.feed(R"({"type":"transcript.created"})").kind == LiveEvent::Kind::Created);
  CHECK(run.transcript.created());
  const LiveEvent event = run.feed(
      R"({"type": "transcript.partial", "text": "good morning", "is_final": true,
          "speech_final": true, "start": 0.0, "duration": 1.2,
          "words": [{"text": "good", "start": 0.1, "end": 0.4},
                    {"text": "morning", "start": 0.45, "end": 1.0}]})");
  REQUIRE(event.kind == LiveEvent::Kind::Final);
  CHECK(event.utterance->text == "good morning");
  REQUIRE(event.utterance->words.size() == 2);
  CHECK(event.utterance->words[1].start == doctest::Approx(0.45));
  CHECK(event.utterance->duration == doctest::Approx(1.2));
  CHECK(run.feed(k_done).kind == LiveEvent::Kind::Done);
  CHECK(run.transcript.done());
  CHECK(run.text() == "good morning");
  CHECK(run.transcript.transcript().duration == doctest::Approx(9.5));
}

TEST_CASE("interim text replaces itself, and only final text is appended") {
  Run run;
  CHECK(run.feed(partial(Is::Interim, "good", 0)).kind == LiveEvent::Kind::Interim);
  CHECK(run.transcript.open_text() == "good");
  CHECK(run.said(partial(Is::Interim, "could mourn", 0)).empty());
  CHECK(run.transcript.open_text() == "could mourn");
  CHECK(run.transcript.open());
  CHECK(run.said(partial(Is::Final, "good morning", 0)) == "good morning");
  CHECK(run.transcript.open_text().empty());
  CHECK_FALSE(run.transcript.open());
  CHECK(run.said(partial(Is::Final, "everybody", 3)) == "everybody");
  CHECK(run.said(k_done).empty());
  CHECK(run.text() == "good morning everybody");
}

TEST_CASE("a locked chunk is shown, but its words are repeated in the utterance") {
  Run run;
  CHECK(run.feed(partial(Is::Locked, "one two", 0)).kind == LiveEvent::Kind::Interim);
  CHECK(run.transcript.open_text() == "one two");
  (void)run.feed(partial(Is::Interim, "three", 1));
  CHECK(run.transcript.open_text() == "one two three");
  (void)run.feed(partial(Is::Interim, "one two three four", 0));
  CHECK(run.transcript.open_text() == "one two three four");
  // Both formats occur: a separate chunk, and one that includes the previous ones.
  (void)run.feed(partial(Is::Locked, "three four", 1));
  CHECK(run.transcript.open_text() == "one two three four");
  (void)run.feed(partial(Is::Locked, "one two three four five", 0));
  CHECK(run.transcript.open_text() == "one two three four five");
  CHECK(run.said(partial(Is::Final, "one two three four five", 0)) == "one two three four five");
  CHECK(run.text() == "one two three four five");
}

TEST_CASE("without times, repeated text is recognised by its words") {
  Run run;
  const auto event = [](const char* text, bool speech_final) {
    return fmt::format(
        R"({{"type":"transcript.partial","text":"{}","is_final":true,"speech_final":{}}})", text,
        speech_final);
  };
  (void)run.feed(event("one two", false));
  run.sent = 4;
  CHECK(run.said(event("One  two", true)) == "One  two");
  (void)run.feed(event("three", false));
  CHECK(run.said(event("three four", true)) == "three four");
  CHECK(run.transcript.resend_from(5, false) == doctest::Approx(4));
}

TEST_CASE("a final event without text keeps what was locked") {
  Run run;
  (void)run.feed(partial(Is::Locked, "hear me", 0));
  CHECK(run.said(partial(Is::Final, "", 2)) == "hear me");
  CHECK(run.feed(partial(Is::Final, "", 4)).kind == LiveEvent::Kind::Interim);
  CHECK(run.text() == "hear me");
}

TEST_CASE("text in transcript.done beyond the final text") {
  Run open;
  (void)open.feed(partial(Is::Final, "it is done", 0));
  (void)open.feed(partial(Is::Interim, "or not", 3));
  CHECK(open.said(k_done) == "or not");
  CHECK(open.text() == "it is done or not");

  Run longer;
  (void)longer.feed(partial(Is::Final, "it is done", 0));
  (void)longer.feed(partial(Is::Interim, "oar", 3));
  CHECK(longer.said(R"({"type":"transcript.done","text":"it is  done or so"})") == "or so");
  CHECK(longer.text() == "it is  done or so");

  Run same;
  (void)same.feed(partial(Is::Final, "it is done", 0));
  (void)same.feed(partial(Is::Interim, "uh", 3));
  CHECK(same.said(R"({"type":"transcript.done","text":"it is done","duration":3.2})").empty());
  CHECK(same.text() == "it is done");

  // It may be spelled differently than before: its words show what is new.
  Run revised;
  (void)revised.feed(partial(Is::Final, "twenty dollars", 0));
  CHECK(revised.said(R"({"type":"transcript.done","text":"$20 please","words":[
            {"text":"$20","start":0.0,"end":0.9},{"text":"please","start":1.5,"end":1.9}]})") ==
        "please");
  CHECK(revised.text() == "$20 please");

  Run alone;
  CHECK(alone.said(R"({"type":"transcript.done","text":"all at once","duration":2})") ==
        "all at once");
  CHECK(alone.text() == "all at once");
}

TEST_CASE("repeated, unknown, late and invalid messages change nothing") {
  Run run;
  CHECK(run.said(partial(Is::Final, "yes", 0)) == "yes");
  CHECK(run.feed(partial(Is::Final, "yes", 0)).kind == LiveEvent::Kind::Nothing);
  CHECK(run.said(partial(Is::Final, "yes", 2)) == "yes");
  for (const char* odd :
       {"", "{", "[]", "null", R"({"type":7})", R"({"type":"transcript.new","text":"no"})",
        R"({"type":"transcript.partial","text":"no","channel_index":3,"is_final":true})"}) {
    CHECK(run.feed(odd).kind == LiveEvent::Kind::Nothing);
  }
  // Fields that are missing, null or of another type.
  CHECK(run.feed(R"({"type":"transcript.partial"})").kind == LiveEvent::Kind::Interim);
  CHECK(run.feed(R"({"type":"transcript.partial","text":null,"words":{},"start":"x",
                     "is_final":"true"})")
            .kind == LiveEvent::Kind::Interim);
  const LiveEvent event = run.feed(R"({"type":"transcript.partial","text":"so","is_final":true,
      "speech_final":true,"words":[7,{"text":"so"},{"start":1},{"text":"it","start":9}]})");
  REQUIRE(event.utterance);
  CHECK(event.utterance->words.size() == 2);
  CHECK(run.said(k_done).empty());
  CHECK(run.feed(partial(Is::Final, "late", 20)).kind == LiveEvent::Kind::Nothing);
  CHECK(run.text() == "yes yes so");
}

TEST_CASE("errors, in every format") {
  Run run;
  for (const char* text :
       {R"({"type":"error","message":"bad frame"})", R"({"type":"error","error":"bad frame"})",
        R"({"type":"error","error":{"code":"x","message":"bad frame"}})"}) {
    const LiveEvent event = run.feed(text);
    CHECK(event.kind == LiveEvent::Kind::Error);
    CHECK(event.message == "bad frame");
  }
  CHECK(run.feed(R"({"type":"error"})").message == "an error without a message");
}

TEST_CASE("speakers, confidence, language") {
  Run run;
  const LiveEvent event = run.feed(R"({"type":"transcript.partial","text":"hi","is_final":true,
      "speech_final":true,"language":"en","words":[
      {"text":"hi","start":1.0,"end":1.5,"confidence":0.9,"speaker":2}]})");
  REQUIRE(event.utterance);
  CHECK(event.utterance->words.at(0).speaker == 2);
  CHECK(event.utterance->words.at(0).confidence == doctest::Approx(0.9));
  CHECK_FALSE(event.utterance->words.at(0).channel);
  CHECK(run.transcript.transcript().language == "en");
}

TEST_CASE("channels are separate, each with its own end") {
  Run run(2);
  CHECK(run.said(partial(Is::Final, "left one", 0, 0)) == "left one");
  (void)run.feed(partial(Is::Interim, "right", 1, 1));
  CHECK(run.transcript.open_text(1) == "right");
  CHECK(run.transcript.open_text(0).empty());
  CHECK(run.said(partial(Is::Final, "right one", 1, 1)) == "right one");
  CHECK(run.said(partial(Is::Final, "left two", 5, 0)) == "left two");
  (void)run.feed(R"({"type":"transcript.done","text":"","duration":6,"channel_index":0})");
  CHECK_FALSE(run.transcript.done());
  (void)run.feed(R"({"type":"transcript.done","text":"","duration":6,"channel_index":1})");
  CHECK(run.transcript.done());
  CHECK(run.text() == "left one right one left two");
  CHECK(run.transcript.transcript().words.at(2).channel == 1);
  Run unnamed(2);
  (void)unnamed.feed(k_done);
  CHECK(unnamed.transcript.done());
}

TEST_CASE("a new connection continues where the last one's final text ended") {
  Run run;
  CHECK(run.said(partial(Is::Final, "one two three", 0)) == "one two three");
  (void)run.feed(partial(Is::Interim, "fo", 2));
  CHECK(run.transcript.resend_from(10, true) == doctest::Approx(1.5));
  run.transcript.begin(1.0);
  CHECK_FALSE(run.transcript.created());
  CHECK(run.transcript.open_text().empty());
  // Its times start at 0; the repeated end of the earlier text is removed.
  const LiveEvent event = run.feed(partial(Is::Final, "three four five", 0));
  REQUIRE(event.utterance);
  CHECK(event.utterance->text == "four five");
  CHECK(event.utterance->words.front().start == doctest::Approx(1.5));
  CHECK(event.utterance->start + event.utterance->duration == doctest::Approx(2.5));
  CHECK(run.said(R"({"type":"transcript.done","text":"three four five","duration":4})").empty());
  CHECK(run.text() == "one two three four five");
  CHECK(run.transcript.transcript().duration == doctest::Approx(5));
}

TEST_CASE("interim text becomes final at the end") {
  Run run;
  (void)run.feed(partial(Is::Locked, "never", 0));
  (void)run.feed(partial(Is::Interim, "ended", 1));
  const auto rest = run.transcript.close();
  REQUIRE(rest.size() == 1);
  CHECK(rest[0].text == "never ended");
  CHECK(run.transcript.close().empty());
  CHECK(run.text() == "never ended");
}

TEST_CASE("audio that is no longer needed") {
  Run run;
  CHECK(run.transcript.resend_from(20, true) == doctest::Approx(0));
  CHECK(run.transcript.resend_from(50, true) == doctest::Approx(20));
  CHECK(run.transcript.resend_from(50, false) == doctest::Approx(0));
  (void)run.feed(partial(Is::Interim, "now", 10));
  CHECK(run.transcript.resend_from(50, true) == doctest::Approx(0));
  (void)run.feed(partial(Is::Final, "now then", 10));
  CHECK(run.transcript.resend_from(12, true) == doctest::Approx(11));
  Run two(2);
  (void)two.feed(partial(Is::Final, "a b", 0, 0));
  CHECK(two.transcript.resend_from(5, false) == doctest::Approx(1));
  (void)two.feed(partial(Is::Interim, "x", 0, 1));
  CHECK(two.transcript.resend_from(5, true) == doctest::Approx(0));
}

TEST_CASE("white space, case and punctuation do not make a text another one") {
  Run spaced;
  (void)spaced.feed(partial(Is::Final, "it is done", 0));
  CHECK(spaced.said(R"({"type":"transcript.done","text":"\n it\tis\r\ndone  or\nso "})") ==
        "or so");
  Run locked;
  (void)locked.feed(
      R"({"type":"transcript.partial","text":"One, \"two\".","is_final":true,"speech_final":false})");
  (void)locked.feed(R"({"type":"transcript.partial","text":"one two three!"})");
  CHECK(locked.transcript.open_text() == "one two three!");
  (void)locked.feed(R"({"type":"transcript.partial","text":"one to three!"})");
  CHECK(locked.transcript.open_text() == "One, \"two\". one to three!");
  // A word that only begins the same is not a repetition.
  Run longer;
  (void)longer.feed(partial(Is::Final, "it is", 0));
  CHECK(longer.said(R"({"type":"transcript.done","text":"it isn't"})").empty());
}

TEST_CASE("channels have numbers, and one that does not exist is ignored") {
  Run none(0);
  CHECK(none.said(partial(Is::Final, "a", 0)) == "a");
  CHECK(none.transcript.open_text(0).empty());
  Run two(2);
  CHECK(two.feed(partial(Is::Final, "a", 0, 2)).kind == LiveEvent::Kind::Nothing);
  CHECK(two.said(partial(Is::Final, "a", 0, 1)) == "a");
  (void)two.feed(R"({"type":"transcript.done","text":"","duration":7,"channel_index":1})");
  (void)two.feed(R"({"type":"transcript.done","text":"","duration":3,"channel_index":0})");
  CHECK(two.transcript.transcript().duration == doctest::Approx(7));
}

TEST_CASE("what a connection repeats in full is not said again") {
  Run run;
  (void)run.feed(R"({"type":"transcript.created"})");
  CHECK(run.transcript.created());
  (void)run.feed(partial(Is::Final, "one two", 0));
  run.transcript.begin(0.5);
  CHECK_FALSE(run.transcript.created());
  CHECK(run.said(partial(Is::Final, "two", 0)).empty());
  CHECK(run.said(partial(Is::Final, "three", 1)) == "three");
  CHECK(run.text() == "one two three");
  Run revised;
  (void)revised.feed(partial(Is::Final, "twenty dollars", 0));
  const LiveEvent done = revised.feed(R"({"type":"transcript.done","text":"$20 please","words":[
      {"text":"$20","start":0.0,"end":0.9},{"text":"please","start":1.5,"end":1.9}]})");
  REQUIRE(done.utterance);
  REQUIRE(done.utterance->words.size() == 1);
  CHECK(done.utterance->words[0].text == "please");
  CHECK(done.utterance->start == doctest::Approx(1.5));
  CHECK(done.utterance->duration == doctest::Approx(0.4));
}

TEST_CASE("a word belongs to what was final if its middle is before the end of that") {
  for (const double start : {0.49, 0.5}) {
    CAPTURE(start);
    Run run;
    (void)run.feed(
        R"({"type":"transcript.partial","text":"twenty","is_final":true,"speech_final":true,)"
        R"("start":0,"duration":0.75,"words":[{"text":"twenty","start":0,"end":0.75}]})");
    const LiveEvent done = run.feed(fmt::format(
        R"({{"type":"transcript.done","text":"$20","words":[{{"text":"$20","start":{},"end":1}}]}})",
        start));
    CHECK(done.utterance.has_value() == (start == 0.5));
  }
}

}  // namespace svc::voice
