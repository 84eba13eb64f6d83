// Input audio: turns by energy, manual commits, interruption, silence, phone keys.
#include <algorithm>
#include <initializer_list>

#include <doctest/doctest.h>

#include "base/base64.h"
#include "emulator/api/realtime/session.h"
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
      for (const VadEvent& vad_event : input.add({begin, end})) marks.push_back(vad_event.at_ms);
    }
    runs.push_back(marks);
  }
  CHECK(runs[0].size() == 4);
  for (const auto& run : runs) CHECK(run == runs[0]);
}

TEST_CASE("a spoken turn is recognised and answered automatically") {
  RealtimeClient client;
  client.types();
  CHECK(client.speech->preload_count == 0);
  client.play(samples_of({silence(400), tone(600)}));
  CHECK(client.speech->preload_count == 1);
  CHECK(client.types() == Types{"input_audio_buffer.speech_started"});
  CHECK(client.last("input_audio_buffer.speech_started")["audio_start_ms"] == 400 - 333);
  client.play(silence(800));
  client.advance(1);
  Types seen = client.types();
  seen.resize(6);
  CHECK(seen == Types{"input_audio_buffer.speech_stopped", "input_audio_buffer.committed",
                      "conversation.item.added", k_completed, "response.created",
                      "response.output_item.added"});
  CHECK(client.last("input_audio_buffer.speech_stopped")["audio_end_ms"] == 1'500);
  CHECK(client.speech->recognized_ms == 1'500 - (400 - 333));
  const std::string id = client.last("input_audio_buffer.speech_started")["item_id"];
  CHECK(client.last("input_audio_buffer.committed")["item_id"] == id);
  const auto transcripts = client.all(k_completed);
  REQUIRE(transcripts.size() == 2);
  CHECK(transcripts[0]["transcript"] == "hello world");
  CHECK(transcripts[1]["transcript"] == "Hello world.");
  CHECK(transcripts[1]["status"] == "completed");
  CHECK(client.all(k_updated).empty());
  CHECK(client.speech->spoken ==
        "This is the emulator. You said: hello world. That was 2 words in turn 1.");
  client.send({{"type", "input_audio_buffer.commit"}});
  CHECK(client.error_code() == "commit_not_allowed");
}

TEST_CASE("interim transcripts of a turn, on request") {
  RealtimeClient client;
  client.update({{"audio", {{"input", {{"transcription", {{"model", "svc-transcribe"}}}}}}}});
  client.play(tone(300));
  client.speech->words = "hello";
  client.play(tone(900));
  REQUIRE(client.all(k_updated).size() == 1);
  CHECK(client.last(k_updated)["transcript"] == "hello");
  client.speech->words = "hello world";
  client.play(silence(600));
  CHECK(client.last(k_updated)["transcript"] == "hello world");
  CHECK(client.last(k_updated)["item_id"] == client.last(k_completed)["item_id"]);
}

TEST_CASE("manual turns: commit, clear, and an answer that waits for the transcript") {
  RealtimeClient client;
  client.update({{"turn_detection", {{"type", nullptr}}}});
  client.send({{"type", "input_audio_buffer.commit"}});
  CHECK(client.error_code() == "input_audio_buffer_commit_empty");
  client.play(tone(500));
  client.send({{"type", "input_audio_buffer.clear"}});
  CHECK(client.all("input_audio_buffer.cleared").size() == 1);
  client.play(samples_of({tone(300), silence(2'000), tone(300)}));
  CHECK(client.all("input_audio_buffer.speech_started").empty());
  client.peer->jobs_wait = true;
  client.send({{"type", "input_audio_buffer.commit"}});
  CHECK(client.last("input_audio_buffer.committed")["previous_item_id"].is_null());
  client.send({{"type", "response.create"}});
  CHECK(client.all("response.created").size() == 1);
  CHECK(client.all("response.output_item.added").empty());
  client.peer->jobs_wait = false;
  client.advance(10'000);
  CHECK(client.speech->recognized_ms == 2'600);
  CHECK(client.last("response.done")["response"]["status"] == "completed");
  CHECK(client.speech->spoken.find("hello world") != std::string::npos);
}

TEST_CASE("speaking interrupts the answer") {
  RealtimeClient client;
  client.write("Write 60 words");
  client.send({{"type", "response.create"}});
  client.advance(50);
  client.types();
  client.play(tone(200));
  CHECK(client.types() == Types{"input_audio_buffer.speech_started", "response.output_audio.done",
                                "response.output_audio_transcript.done",
                                "response.content_part.done", "response.output_item.done",
                                "response.done"});
  const Json done = client.last("response.done")["response"];
  CHECK(done["status"] == "cancelled");
  CHECK(done["status_details"]["reason"] == "turn_detected");
  // Audio that was sent can be truncated.
  const std::string id = done["output"][0]["id"];
  client.send({{"type", "conversation.item.truncate"},
               {"item_id", id},
               {"content_index", 0},
               {"audio_end_ms", 601}});
  CHECK(client.error_code() == "audio_end_beyond_audio");
  client.send({{"type", "conversation.item.truncate"},
               {"item_id", id},
               {"content_index", 0},
               {"audio_end_ms", 400}});
  CHECK(client.all("conversation.item.truncated").size() == 1);
  client.play(silence(700));
  client.advance(5'000);
  CHECK(client.last("response.done")["response"]["status"] == "completed");
}

TEST_CASE("after silence the assistant speaks") {
  RealtimeClient client;
  client.update({{"turn_detection", {{"type", "server_vad"}, {"idle_timeout_ms", 3'000}}}});
  client.write("Say exactly: hi");
  client.respond({{"modalities", {"text"}}});
  client.advance(2'900);
  CHECK(client.all("input_audio_buffer.timeout_triggered").empty());
  client.types();
  client.advance(200);
  Types seen = client.types();
  seen.resize(4);
  CHECK(seen == Types{"input_audio_buffer.timeout_triggered", "input_audio_buffer.committed",
                      "conversation.item.added", "response.created"});
  CHECK(client.speech->spoken == "This is the emulator. Are you still there?");
  const Json event = client.last("input_audio_buffer.timeout_triggered");
  CHECK(event["item_id"] == client.last("input_audio_buffer.committed")["item_id"]);
  CHECK(event["audio_start_ms"] == event["audio_end_ms"]);
  CHECK(event["previous_item_id"].is_string());
}

TEST_CASE("silence is not a turn") {
  RealtimeClient client;
  client.speech->words = "";
  client.play(samples_of({tone(300), silence(700)}));
  client.advance(5'000);
  REQUIRE(client.all(k_completed).size() == 1);
  CHECK(client.last(k_completed)["transcript"] == "");
  CHECK(client.speech->spoken == "This is the emulator. I heard no words in turn 1.");
}

TEST_CASE("audio in other formats and as binary frames") {
  RealtimeClient client;
  client.update({{"turn_detection", nullptr},
                 {"audio",
                  {{"input", {{"format", {{"type", "audio/pcmu"}}}, {"transport", "binary"}}},
                   {"output",
                    {{"format", {{"type", "audio/pcma"}, {"rate", 8'000}}},
                     {"transport", "binary"},
                     {"speed", 1.5}}}}}});
  CHECK(client.error_code() == "");
  const std::string bytes = audio::encode(tone(400, 8'000), audio::Encoding::MuLaw);
  CHECK(bytes.size() == 3'200);
  client.binary(bytes.substr(0, 1'000));
  client.binary(bytes.substr(1'000));
  client.send({{"type", "input_audio_buffer.commit"}});
  client.respond();
  CHECK(client.speech->recognized_ms == 400);
  CHECK(client.all("response.output_audio.delta").empty());
  std::size_t sent = 0;
  for (const std::string& frame : client.peer->binary) sent += frame.size();
  CHECK(sent ==
        static_cast<std::size_t>(static_cast<double>(client.speech->spoken.size() * 50) / 1.5) * 8);
  RealtimeClient other;
  other.binary("x");
  CHECK(other.error_code() == "unexpected_binary");
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
  RealtimeClient client(parts);
  client.send({{"type", "conversation.item.create"},
               {"item",
                {{"type", "force_message"},
                 {"content", {{{"type", "output_text"}, {"text", "Welcome."}}}}}}});
  client.advance(3'000);
  CHECK(client.all("input_audio_buffer.speech_stopped").size() == 1);
  CHECK(client.last(k_completed)["transcript"] == "Hello world.");
  const auto keys = client.all("input_audio_buffer.dtmf_event_received");
  REQUIRE(keys.size() >= 3);
  CHECK(keys[2]["event"] == "#");
  CHECK(keys[0]["received_at"] == 1'800'000'000);
  client.advance(8'000);
  CHECK(client.all("response.output_audio.delta").empty());
  std::vector<std::string> texts;
  for (const Json& added : client.all("conversation.item.added")) {
    const Json& part = added["item"]["content"][0];
    if (part["type"] == "input_text") texts.push_back(part["text"]);
  }
  CHECK(texts == std::vector<std::string>{"DTMF: 12#", "DTMF: 34"});
  client.update({{"audio", Json::object()}});
  CHECK(client.error_code() == "media_owned_by_service");
  client.play(tone(100));
  CHECK(client.error_code() == "media_owned_by_service");
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
  RealtimeClient client(parts);
  client.send({{"type", "conversation.item.create"},
               {"item",
                {{"type", "force_message"},
                 {"content", {{{"type", "output_text"}, {"text", "Welcome."}}}}}}});
  client.advance(6'000);
  std::vector<std::string> order;
  for (const Json& event : client.take()) {
    if (event["type"] == "input_audio_buffer.speech_started") order.emplace_back("speech");
    if (event["type"] != "conversation.item.added") continue;
    const Json& part = event["item"]["content"][0];
    if (part["type"] == "input_text") order.push_back(part["text"]);
  }
  // Before the speech, and without a separate answer.
  CHECK(order == std::vector<std::string>{"DTMF: 12", "speech"});
  CHECK(client.all("response.done").size() == 2);
}

}  // namespace svc::test
