// What `svc stt live` prints of a transcript that grows.
#include <doctest/doctest.h>

#include "base/text.h"
#include "commands/stt/live_view.h"
#include "unit/cli/session_stage.h"

namespace svc::cli {
namespace {

using voice::TranscriptFormat;

/// The output of a view that gets a message, two utterances and its end twice; with "|" for line
/// ends.
std::string viewed(std::vector<std::string> flags, TranscriptFormat format = TranscriptFormat::Text,
                   const std::string& message = R"({"type": "error","key":"a"})") {
  flags.insert(flags.begin(), {"stt", "live"});
  SessionStage stage(flags);
  SttLiveView view(stage.session(), format, 1, false);
  REQUIRE(view.message(message));
  std::string all = stage.out() + "-- ";
  REQUIRE(view.utterance({.text = "One.", .start = 1, .duration = 2}));
  all += stage.out();
  REQUIRE(view.utterance({.text = "Two.", .start = 4, .duration = 1}));
  all += stage.out() + "-- ";
  voice::LiveTranscript transcript;
  REQUIRE(view.finish(transcript));
  all += stage.out() + "-- ";
  REQUIRE(view.finish(transcript));
  view.note("a note");
  view.warning("a warning");
  return replace_all(all + stage.out() + stage.err(), "\n", "|");
}

}  // namespace

TEST_CASE("a live transcript is printed as utterances, as messages or as a document at the end") {
  CHECK(viewed({}) == "-- One.|Two.|-- -- svc: note: a note|svc: warning: a warning|");
  CHECK(viewed({}, TranscriptFormat::Srt) ==
        "-- 1|00:00:01,000 --> 00:00:03,000|One.||2|00:00:04,000 --> 00:00:05,000|Two.||-- -- svc: "
        "note: a note|svc: warning: a warning|");
  CHECK(viewed({}, TranscriptFormat::Vtt) ==
        "-- WEBVTT||1|00:00:01.000 --> 00:00:03.000|One.||2|00:00:04.000 --> 00:00:05.000|Two.||-- "
        "-- svc: note: a note|svc: warning: a warning|");
  CHECK(viewed({}, TranscriptFormat::Json) ==
        "-- -- {\"text\":\"\",\"language\":\"\",\"duration\":0.0}|-- svc: note: a note|svc: "
        "warning: a warning|");
  CHECK(viewed({"--json"}) ==
        "-- -- {|  \"text\": \"\",|  \"language\": \"\",|  \"duration\": 0.0|}|-- svc: note: a "
        "note|svc: warning: a warning|");
  CHECK(viewed({"--format", "jsonl"}) ==
        "{\"type\":\"error\",\"key\":\"a\"}|-- -- -- svc: note: a note|svc: warning: a warning|");
  CHECK(viewed({"--format", "jsonl"}, TranscriptFormat::Text, "no json") ==
        "no json|-- -- -- svc: note: a note|svc: warning: a warning|");
  CHECK(viewed({"--format", "raw"}) ==
        "{\"type\": \"error\",\"key\":\"a\"}|-- -- -- svc: note: a note|svc: warning: a warning|");
}

TEST_CASE("interim text is shown on a terminal that can erase, unless it is not wanted") {
  const auto shows = [](std::vector<std::string> flags, const print::Terminal& terminal,
                        TranscriptFormat format = TranscriptFormat::Text) {
    flags.insert(flags.begin(), {"stt", "live"});
    SessionStage stage(flags, {}, terminal);
    return SttLiveView::shows_interim(stage.session(), format);
  };
  const print::Terminal terminal{.is_tty = true};
  CHECK(shows({}, terminal));
  CHECK_FALSE(shows({}, {}));
  CHECK_FALSE(shows({}, {.is_tty = true, .dumb = true}));
  CHECK_FALSE(shows({"--json"}, terminal));
  CHECK_FALSE(shows({"--quiet"}, terminal));
  CHECK_FALSE(shows({"--no-progress"}, terminal));
  CHECK_FALSE(shows({}, terminal, TranscriptFormat::Srt));
}

}  // namespace svc::cli
