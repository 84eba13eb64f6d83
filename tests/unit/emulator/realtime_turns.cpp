// Input audio: turns by energy, manual commits, interruption, silence, phone keys.
#include <algorithm>

#include <doctest/doctest.h>

#include "base/base64.h"
#include "emulator/api/realtime/input_audio.h"
#include "unit/emulator/realtime_support.h"

namespace svc::test {

using namespace svc::emulator;
using namespace svc::emulator::realtime;

using Types = std::vector<std::string>;

namespace {

Samples samples_of(std::initializer_list<Samples> parts) {
  Samples all;
  for (const Samples& part : parts) all.insert(all.end(), part.begin(), part.end());
  return all;
}

const char* const k_completed = "conversation.item.input_audio_transcription.completed";
const char* const k_updated = "conversation.item.input_audio_transcription.updated";

}  // namespace

TEST_CASE("speech starts with its padding and ends with its silence") {
  EnergyVad vad({.threshold = 0.85, .silence_ms = 200, .prefix_ms = 100}, 8'000);
  CHECK(vad.feed(silence(400, 8'000)).empty());
  const auto begun = vad.feed(tone(300, 8'000));
  REQUIRE(begun.size() == 1);
  CHECK(begun[0].started);
  CHECK(begun[0].at_ms == 300);
  CHECK(vad.feed(silence(180, 8'000)).empty());
  CHECK(vad.feed(tone(100, 8'000)).empty());  // a pause inside the turn
  const auto ended = vad.feed(silence(500, 8'000));
  REQUIRE(ended.size() == 1);
  CHECK_FALSE(ended[0].started);
  CHECK(ended[0].at_ms == 400 + 300 + 180 + 100 + 200);
  CHECK(vad.feed(tone(40, 8'000)).empty());  // a click
}

TEST_CASE("the chunking of audio does not matter") {
  const Samples all = samples_of({silence(350), tone(700), silence(900), tone(333), silence(777)});
  std::vector<std::vector<std::int64_t>> runs;
  for (const std::size_t piece :
       {all.size(), std::size_t{480}, std::size_t{2'399}, std::size_t{1}}) {
    InputAudio input;
    SessionConfig config;
    (void)input.configure(config);
    std::vector<std::int64_t> marks;
    for (std::size_t at = 0; at < all.size(); at += piece) {
      const auto begin = all.begin() + static_cast<std::ptrdiff_t>(at);
      const auto end = all.begin() + static_cast<std::ptrdiff_t>(std::min(at + piece, all.size()));
      for (const VadMark& mark : input.add({begin, end})) marks.push_back(mark.at_ms);
    }
    runs.push_back(marks);
  }
  CHECK(runs[0].size() == 4);
  for (const auto& run : runs) CHECK(run == runs[0]);
}

TEST_CASE("a spoken turn is recognised and answered automatically") {
  Talk talk;
  talk.types();
  CHECK(talk.speech->got_ready == 0);
  talk.play(samples_of({silence(400), tone(600)}));
  CHECK(talk.speech->got_ready == 1);
  CHECK(talk.types() == Types{"input_audio_buffer.speech_started"});
  CHECK(talk.last("input_audio_buffer.speech_started")["audio_start_ms"] == 400 - 333);
  talk.play(silence(800));
  talk.pass(1);
  Types seen = talk.types();
  seen.resize(6);
  CHECK(seen == Types{"input_audio_buffer.speech_stopped", "input_audio_buffer.committed",
                      "conversation.item.added", k_completed, "response.created",
                      "response.output_item.added"});
  CHECK(talk.last("input_audio_buffer.speech_stopped")["audio_end_ms"] == 1'500);
  CHECK(talk.speech->heard_ms == 1'500 - (400 - 333));
  const std::string id = talk.last("input_audio_buffer.speech_started")["item_id"];
  CHECK(talk.last("input_audio_buffer.committed")["item_id"] == id);
  const auto transcripts = talk.all(k_completed);
  REQUIRE(transcripts.size() == 2);
  CHECK(transcripts[0]["transcript"] == "hello world");
  CHECK(transcripts[1]["transcript"] == "Hello world.");
  CHECK(transcripts[1]["status"] == "completed");
  CHECK(talk.all(k_updated).empty());
  CHECK(talk.speech->spoken ==
        "This is the emulator. You said: hello world. That was 2 words in turn 1.");
  talk.say({{"type", "input_audio_buffer.commit"}});
  CHECK(talk.complaint() == "commit_not_allowed");
}

TEST_CASE("interim transcripts of a turn, on request") {
  Talk talk;
  talk.update({{"audio", {{"input", {{"transcription", {{"model", "svc-transcribe"}}}}}}}});
  talk.play(tone(300));
  talk.speech->words = "hello";
  talk.play(tone(900));
  REQUIRE(talk.all(k_updated).size() == 1);
  CHECK(talk.last(k_updated)["transcript"] == "hello");
  talk.speech->words = "hello world";
  talk.play(silence(600));
  CHECK(talk.last(k_updated)["transcript"] == "hello world");
  CHECK(talk.last(k_updated)["item_id"] == talk.last(k_completed)["item_id"]);
}

TEST_CASE("manual turns: commit, clear, and an answer that waits for the transcript") {
  Talk talk;
  talk.update({{"turn_detection", {{"type", nullptr}}}});
  talk.say({{"type", "input_audio_buffer.commit"}});
  CHECK(talk.complaint() == "input_audio_buffer_commit_empty");
  talk.play(tone(500));
  talk.say({{"type", "input_audio_buffer.clear"}});
  CHECK(talk.all("input_audio_buffer.cleared").size() == 1);
  talk.play(samples_of({tone(300), silence(2'000), tone(300)}));
  CHECK(talk.all("input_audio_buffer.speech_started").empty());
  talk.peer->jobs_wait = true;
  talk.say({{"type", "input_audio_buffer.commit"}});
  CHECK(talk.last("input_audio_buffer.committed")["previous_item_id"].is_null());
  talk.say({{"type", "response.create"}});
  CHECK(talk.all("response.created").size() == 1);
  CHECK(talk.all("response.output_item.added").empty());
  talk.peer->jobs_wait = false;
  talk.pass(10'000);
  CHECK(talk.speech->heard_ms == 2'600);
  CHECK(talk.last("response.done")["response"]["status"] == "completed");
  CHECK(talk.speech->spoken.find("hello world") != std::string::npos);
}

TEST_CASE("speaking interrupts the answer") {
  Talk talk;
  talk.write("Write 60 words");
  talk.say({{"type", "response.create"}});
  talk.pass(50);
  talk.types();
  talk.play(tone(200));
  CHECK(talk.types() == Types{"input_audio_buffer.speech_started", "response.output_audio.done",
                              "response.output_audio_transcript.done", "response.content_part.done",
                              "response.output_item.done", "response.done"});
  const Json done = talk.last("response.done")["response"];
  CHECK(done["status"] == "cancelled");
  CHECK(done["status_details"]["reason"] == "turn_detected");
  // Audio that was sent can be truncated.
  const std::string id = done["output"][0]["id"];
  talk.say({{"type", "conversation.item.truncate"},
            {"item_id", id},
            {"content_index", 0},
            {"audio_end_ms", 601}});
  CHECK(talk.complaint() == "audio_end_beyond_audio");
  talk.say({{"type", "conversation.item.truncate"},
            {"item_id", id},
            {"content_index", 0},
            {"audio_end_ms", 400}});
  CHECK(talk.all("conversation.item.truncated").size() == 1);
  talk.play(silence(700));
  talk.pass(5'000);
  CHECK(talk.last("response.done")["response"]["status"] == "completed");
}

TEST_CASE("after silence the assistant speaks") {
  Talk talk;
  talk.update({{"turn_detection", {{"type", "server_vad"}, {"idle_timeout_ms", 3'000}}}});
  talk.write("Say exactly: hi");
  talk.respond({{"modalities", {"text"}}});
  talk.pass(2'900);
  CHECK(talk.all("input_audio_buffer.timeout_triggered").empty());
  talk.types();
  talk.pass(200);
  Types seen = talk.types();
  seen.resize(4);
  CHECK(seen == Types{"input_audio_buffer.timeout_triggered", "input_audio_buffer.committed",
                      "conversation.item.added", "response.created"});
  CHECK(talk.speech->spoken == "This is the emulator. Are you still there?");
  const Json event = talk.last("input_audio_buffer.timeout_triggered");
  CHECK(event["item_id"] == talk.last("input_audio_buffer.committed")["item_id"]);
  CHECK(event["audio_start_ms"] == event["audio_end_ms"]);
  CHECK(event["previous_item_id"].is_string());
}

TEST_CASE("silence is not a turn") {
  Talk talk;
  talk.speech->words = "";
  talk.play(samples_of({tone(300), silence(700)}));
  talk.pass(5'000);
  REQUIRE(talk.all(k_completed).size() == 1);
  CHECK(talk.last(k_completed)["transcript"] == "");
  CHECK(talk.speech->spoken == "This is the emulator. I heard no words in turn 1.");
}

TEST_CASE("audio in other formats and as binary frames") {
  Talk talk;
  talk.update({{"turn_detection", nullptr},
               {"audio",
                {{"input", {{"format", {{"type", "audio/pcmu"}}}, {"transport", "binary"}}},
                 {"output",
                  {{"format", {{"type", "audio/pcma"}, {"rate", 8'000}}},
                   {"transport", "binary"},
                   {"speed", 1.5}}}}}});
  CHECK(talk.complaint() == "");
  const std::string bytes = audio::encode(tone(400, 8'000), audio::Encoding::MuLaw);
  CHECK(bytes.size() == 3'200);
  talk.binary(bytes.substr(0, 1'000));
  talk.binary(bytes.substr(1'000));
  talk.say({{"type", "input_audio_buffer.commit"}});
  talk.respond();
  CHECK(talk.speech->heard_ms == 400);
  CHECK(talk.all("response.output_audio.delta").empty());
  std::size_t sent = 0;
  for (const std::string& frame : talk.peer->binary) sent += frame.size();
  CHECK(sent ==
        static_cast<std::size_t>(static_cast<double>(talk.speech->spoken.size() * 50) / 1.5) * 8);
  Talk other;
  other.binary("x");
  CHECK(other.complaint() == "unexpected_binary");
}

TEST_CASE(
    "a caller is greeted, speaks, presses keys, and is heard through the service's own media") {
  SessionParts parts;
  parts.phone.emplace();
  parts.phone->id = "00000000-0000-4000-8000-000000000001";
  parts.phone->keys = "12#34";
  parts.phone->audio =
      std::string("RIFF\x24\0\0\0WAVEfmt \x10\0\0\0\1\0\1\0\x40\x1F\0\0\x80\x3E\0\0\2\0\x10\0",
                  36) +
      std::string("data\x40\x1F\0\0", 8) + audio::encode(tone(500, 8'000), audio::Encoding::Pcm);
  Talk talk(parts);
  talk.say({{"type", "conversation.item.create"},
            {"item",
             {{"type", "force_message"},
              {"content", {{{"type", "output_text"}, {"text", "Welcome."}}}}}}});
  talk.pass(3'000);
  CHECK(talk.all("input_audio_buffer.speech_stopped").size() == 1);
  CHECK(talk.last(k_completed)["transcript"] == "Hello world.");
  const auto keys = talk.all("input_audio_buffer.dtmf_event_received");
  REQUIRE(keys.size() >= 3);
  CHECK(keys[2]["event"] == "#");
  CHECK(keys[0]["received_at"] == 1'800'000'000);
  talk.pass(8'000);
  CHECK(talk.all("response.output_audio.delta").empty());
  std::vector<std::string> texts;
  for (const Json& added : talk.all("conversation.item.added")) {
    const Json& part = added["item"]["content"][0];
    if (part["type"] == "input_text") texts.push_back(part["text"]);
  }
  CHECK(texts == std::vector<std::string>{"DTMF: 12#", "DTMF: 34"});
  talk.update({{"audio", Json::object()}});
  CHECK(talk.complaint() == "media_owned_by_service");
  talk.play(tone(100));
  CHECK(talk.complaint() == "media_owned_by_service");
}

TEST_CASE("the model receives pending keys when the caller speaks") {
  SessionParts parts;
  parts.phone.emplace();
  parts.phone->id = "00000000-0000-4000-8000-000000000001";
  parts.phone->keys = "12,";
  parts.phone->audio =
      std::string("RIFF\x24\0\0\0WAVEfmt \x10\0\0\0\1\0\1\0\x40\x1F\0\0\x80\x3E\0\0\2\0\x10\0",
                  36) +
      std::string("data\x40\x1F\0\0", 8) + audio::encode(tone(500, 8'000), audio::Encoding::Pcm);
  Talk talk(parts);
  talk.say({{"type", "conversation.item.create"},
            {"item",
             {{"type", "force_message"},
              {"content", {{{"type", "output_text"}, {"text", "Welcome."}}}}}}});
  talk.pass(6'000);
  std::vector<std::string> order;
  for (const Json& event : talk.take()) {
    if (event["type"] == "input_audio_buffer.speech_started") order.emplace_back("speech");
    if (event["type"] != "conversation.item.added") continue;
    const Json& part = event["item"]["content"][0];
    if (part["type"] == "input_text") order.push_back(part["text"]);
  }
  // Before the speech, and without a separate answer.
  CHECK(order == std::vector<std::string>{"DTMF: 12", "speech"});
  CHECK(talk.all("response.done").size() == 2);
}

}  // namespace svc::test
