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

// Frames of 20 ms at 8 kHz, of one value.
Samples level(std::int16_t value, std::size_t frames) {
  return Samples(frames * 160, value);
}

bool starts_speech(double threshold, std::int16_t value) {
  EnergyVad vad({.threshold = threshold}, 8'000);
  return !vad.feed(level(value, 3)).empty();
}

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

TEST_CASE("a threshold is a loudness between -65 and -25 dB") {
  CHECK(starts_speech(0, 0));
  CHECK(starts_speech(0.5, 185));  // -44.97 dB
  CHECK(starts_speech(0.5, -185));
  CHECK_FALSE(starts_speech(0.5, 184));
  CHECK(starts_speech(1, 1'843));
  CHECK(starts_speech(1, 32'767));
  CHECK_FALSE(starts_speech(1, 1'842));

  // Speech starts with three loud frames, and goes on when it is a little quieter.
  EnergyVad vad({.threshold = 0.5, .silence_ms = 40, .prefix_ms = 50}, 8'000);
  CHECK(vad.feed(level(185, 2)).empty());
  CHECK(vad.feed(level(184, 1)).empty());
  CHECK(vad.feed(level(185, 2)).empty());
  const auto begun = vad.feed(level(185, 1));
  REQUIRE(begun.size() == 1);
  CHECK(begun[0].at_ms == 3 * 20 - 50);
  CHECK(vad.feed(level(93, 50)).empty());
  CHECK(vad.feed(level(92, 1)).empty());
  const auto ended = vad.feed(level(92, 1));
  REQUIRE(ended.size() == 1);
  CHECK(ended[0].at_ms == (6 + 50 + 2) * 20);
  CHECK(vad.feed(level(185, 2)).empty());
  const auto again = vad.feed(level(185, 1));
  REQUIRE(again.size() == 1);
  CHECK(again[0].at_ms == (6 + 50 + 2) * 20 - 50);

  // One quiet frame at the least ends it; nothing starts before the input.
  EnergyVad quick({.threshold = 0.5, .silence_ms = 0, .prefix_ms = 50}, 8'000);
  const auto events = quick.feed(samples_of({level(185, 3), level(0, 1)}));
  REQUIRE(events.size() == 2);
  CHECK(events[0].at_ms == 0);
  CHECK(events[1].at_ms == 80);
}

TEST_CASE("the input keeps what a turn could need") {
  SessionConfig config;
  config.input.format.rate = 8'000;
  InputAudio input;
  CHECK(input.configure(config));
  CHECK_FALSE(input.configure(config));
  CHECK(input.add(Samples(5 * 8'000)).empty());
  CHECK(input.position_ms() == 5'000);
  CHECK(input.copy_from(0).size() == 8'000);
  CHECK(input.copy_from(4'500).size() == 4'000);
  // The padding and 200 ms; only whole seconds before that are dropped.
  (void)input.add(Samples(532 * 8));
  CHECK(input.copy_from(0).size() == 1'532 * 8);
  (void)input.add(Samples(8));
  CHECK(input.copy_from(0).size() == 533 * 8);
  CHECK(input.position_ms() == 5'533);

  config.turns.idle_ms = 5;
  CHECK_FALSE(input.configure(config));
  config.turns.threshold = 0.5;
  CHECK(input.configure(config));
  config.turns.silence_ms = 100;
  CHECK(input.configure(config));
  config.turns.prefix_ms = 0;
  CHECK(input.configure(config));
  config.turns.server = false;
  CHECK(input.configure(config));
  CHECK(input.copy_from(0).size() == 533 * 8);
  config.input.format.rate = 24'000;
  CHECK(input.configure(config));
  CHECK(input.empty());
  CHECK(input.position_ms() == 5'533);
  (void)input.add(Samples(24));
  CHECK(input.position_ms() == 5'534);
}

TEST_CASE("audio is taken by its positions") {
  SessionConfig config;
  config.input.format.rate = 8'000;
  config.turns.server = false;
  InputAudio input;
  (void)input.configure(config);
  Samples ramp(3 * 8'000);
  for (std::size_t i = 0; i < ramp.size(); ++i) ramp[i] = static_cast<std::int16_t>(i);
  CHECK(input.add(ramp).empty());
  CHECK(input.take(1'500, 2'500) == Samples(ramp.begin() + 12'000, ramp.begin() + 20'000));
  CHECK(input.copy_from(0) == Samples(ramp.begin() + 16'000, ramp.end()));
  CHECK(input.take(0, 2'001) == Samples(ramp.begin() + 16'000, ramp.begin() + 16'008));
  CHECK(input.take(2'500, 2'400).empty());
  CHECK(input.take(2'999, 9'000) == Samples(ramp.end() - 8, ramp.end()));
  CHECK(input.empty());
  CHECK(input.position_ms() == 3'000);

  (void)input.add(Samples(8 * 599'999));
  CHECK_FALSE(input.is_full());
  (void)input.add(Samples(8));
  CHECK(input.is_full());
  CHECK(input.take_all().size() == 8 * 600'000);
  CHECK(input.position_ms() == 603'000);
  CHECK_FALSE(input.is_full());
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
  Json first = transcripts[0];
  first.erase("event_id");
  CHECK(first == Json{{"type", k_completed},
                      {"item_id", id},
                      {"content_index", 0},
                      {"transcript", "hello world"},
                      {"status", "in_progress"}});
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

TEST_CASE("interim transcripts come each second, one at a time, until the turn ends") {
  RealtimeClient client;
  client.update({{"audio", {{"input", {{"transcription", {{"model", "svc-transcribe"}}}}}}}});
  const auto count = [&] { return client.all(k_updated).size(); };
  client.play(tone(999));
  CHECK(count() == 0);
  client.play(tone(1));
  CHECK(count() == 1);
  client.play(tone(999));
  CHECK(count() == 1);
  client.speech->words = "";  // which nobody needs to know
  client.play(tone(1));
  CHECK(count() == 1);
  client.speech->words = "hello";
  client.peer->jobs_wait = true;
  client.play(tone(1'500));
  client.play(tone(1'500));
  client.peer->jobs_wait = false;
  client.advance(1);
  CHECK(count() == 2);
  client.peer->jobs_wait = true;
  client.play(tone(1'500));
  client.play(silence(600));  // what is heard in it comes too late
  CHECK(client.all("input_audio_buffer.speech_stopped").size() == 1);
  client.peer->jobs_wait = false;
  client.advance(1);
  CHECK(count() == 3);
}

TEST_CASE("a long turn is heard as a whole, and only when it ends unless that is asked for") {
  RealtimeClient client;
  client.play(tone(1'000));
  client.play(tone(3'000));
  CHECK(client.all(k_updated).empty());
  client.play(silence(600));
  CHECK(client.speech->recognized_ms == 4'500);
  CHECK(client.all(k_updated).empty());
}

TEST_CASE("a change of the configuration, or clearing the buffer, ends the turn unheard") {
  for (const bool clears : {false, true}) {
    CAPTURE(clears);
    RealtimeClient client;
    client.update({{"turn_detection", {{"idle_timeout_ms", 1'000}}}});
    client.play(tone(300));
    CHECK(client.all("input_audio_buffer.speech_started").size() == 1);
    if (clears) {
      client.send({{"type", "input_audio_buffer.clear"}});
    } else {
      client.update({{"turn_detection", {{"threshold", 0.5}}}});
    }
    client.play(silence(800));
    CHECK(client.all("input_audio_buffer.speech_stopped").empty());
    CHECK(client.all("input_audio_buffer.committed").empty());
    // Nobody is speaking any more, so the wait for the user is on.
    client.write("Say exactly: hi");
    client.respond({{"modalities", {"text"}}});
    client.advance(1'100);
    CHECK(client.all("input_audio_buffer.timeout_triggered").size() == 1);
  }
}

TEST_CASE("half a sample waits for its other half, unless the buffer is cleared") {
  RealtimeClient client;
  client.update({{"turn_detection", nullptr}, {"audio", {{"input", {{"transport", "binary"}}}}}});
  const auto commit = [&] {
    client.send({{"type", "input_audio_buffer.commit"}});
    return client.all("input_audio_buffer.committed").size();
  };
  client.binary("a");
  CHECK(commit() == 0);
  client.binary("b");
  CHECK(commit() == 1);
  client.binary("a");
  client.send({{"type", "input_audio_buffer.clear"}});
  client.binary("b");
  CHECK(commit() == 1);
  client.update({{"audio", {{"input", {{"format", {{"rate", 8'000}}}}}}}});
  client.binary("a");
  CHECK(commit() == 1);
  client.binary(std::string(7, 'a'));  // with the one before: four samples, half a millisecond
  client.binary(std::string(8 * 2 * 100 - 8, 'a'));
  CHECK(commit() == 2);
  CHECK(client.speech->recognized_ms == 100);
  client.binary(std::string(8 * 2 * 600'000, 'a'));
  client.binary("ab");
  CHECK(client.error_code() == "input_audio_buffer_full");
  CHECK(client.last("error")["error"]["message"] ==
        "The input audio buffer holds ten minutes: commit or clear it.");
}

TEST_CASE("audio in an item is heard") {
  RealtimeClient client;
  const Json part = {{"type", "input_audio"},
                     {"audio", base64_encode(audio::encode(tone(200), audio::Encoding::Pcm))}};
  client.send({{"type", "conversation.item.create"},
               {"item", {{"id", "mine"}, {"role", "user"}, {"content", Json::array({part})}}}});
  CHECK(client.last("conversation.item.added")["item"]["content"] ==
        Json::array({{{"type", "input_audio"}, {"transcript", nullptr}}}));
  CHECK(client.speech->recognized_ms == 200);
  CHECK(client.last(k_completed)["item_id"] == "mine");
  CHECK(client.last(k_completed)["transcript"] == "Hello world.");
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

TEST_CASE("what is said during an answer that cannot be interrupted is answered after it") {
  for (const bool waits : {false, true}) {
    RealtimeClient client;
    client.send({{"type", "conversation.item.create"},
                 {"item",
                  {{"type", "force_message"},
                   {"interruptible", false},
                   {"content", {{{"type", "output_text"}, {"text", "Please hold the line."}}}}}}});
    client.peer->jobs_wait = waits;
    client.play(samples_of({tone(600), silence(800)}));
    CHECK(client.all("response.done").empty());
    client.advance(5'000);
    CHECK(client.all("response.done")[0]["response"]["status"] == "completed");
    CHECK(client.all("response.done")[0]["response"]["output"].size() == 1);
    if (waits) {
      // It is not known yet what was said.
      CHECK(client.all("response.created").size() == 1);
      client.peer->jobs_wait = false;
      client.advance(5'000);
    }
    CHECK(client.all("response.done").size() == 2);
    CHECK(client.speech->spoken.find("You said: hello world") != std::string::npos);
  }
}

TEST_CASE("an answer that the client asks for is the one that the turn gets") {
  RealtimeClient client;
  client.peer->jobs_wait = true;
  client.play(samples_of({tone(600), silence(800)}));
  client.send({{"type", "response.create"}});
  CHECK(client.error_code() == "");
  client.peer->jobs_wait = false;
  client.advance(20'000);
  CHECK(client.all("response.created").size() == 1);
  CHECK(client.all("response.done").size() == 1);
}

TEST_CASE("one answer covers what is said before the first transcript") {
  RealtimeClient client;
  client.peer->jobs_wait = true;
  client.play(samples_of({tone(600), silence(800), tone(600)}));
  client.peer->jobs_wait = false;
  client.advance(5'000);
  CHECK(client.all("conversation.item.added").size() == 1);
  CHECK(client.all("response.created").empty());  // the user is still speaking
  client.play(silence(800));
  const auto committed = client.all("input_audio_buffer.committed");
  REQUIRE(committed.size() == 2);
  CHECK(committed[1]["previous_item_id"] == committed[0]["item_id"]);
  client.advance(10'000);
  CHECK(client.all("response.done").size() == 1);
  CHECK(client.speech->spoken.find("in turn 2.") != std::string::npos);
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

TEST_CASE("the wait for the user begins when the answer was heard, and ends with what they do") {
  const auto waits = [](std::int64_t passed, const auto& then) {
    RealtimeClient client;
    client.update({{"turn_detection", {{"idle_timeout_ms", 3'000}}}});
    client.write("Say exactly: twenty letters, yes it");  // 22 letters: 1100 ms
    client.send({{"type", "response.create"}});
    client.now_ms += passed;
    while (client.all("response.done").empty()) client.advance(1);
    then(client);
    std::int64_t ms = 0;
    while (ms < 5'000 && client.all("input_audio_buffer.timeout_triggered").empty()) {
      client.advance(1);
      ++ms;
    }
    if (ms < 5'000) {
      const Json event = client.last("input_audio_buffer.timeout_triggered");
      CHECK(event["audio_start_ms"] == 0);
      CHECK(event["audio_end_ms"] == 500);
    }
    return ms;
  };
  const auto listens = [](RealtimeClient& client) { client.play(silence(500)); };
  CHECK(waits(0, listens) == 4'100);
  CHECK(waits(400, listens) == 3'700);
  CHECK(waits(2'000, listens) == 3'000);
  CHECK(waits(0, [](RealtimeClient& client) { client.write("I am here"); }) == 5'000);
  for (const Json& turns : {Json(nullptr), Json{{"idle_timeout_ms", nullptr}}}) {
    CHECK(waits(0, [&](RealtimeClient& client) {
            client.update({{"turn_detection", turns}});
          }) == 5'000);
  }
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
  client.advance(300);  // the caller waits for the end of the greeting only
  CHECK(client.all("input_audio_buffer.speech_started").size() == 1);
  client.advance(2'700);
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
  CHECK(client.last("error")["error"]["message"] ==
        "On a SIP call the service owns the media: leave session.audio out.");
  CHECK(client.last("error")["error"]["param"] == "session.audio");
  client.play(tone(100));
  CHECK(client.error_code() == "media_owned_by_service");
  CHECK(client.last("error")["error"]["message"] == "On a SIP call the service owns the media.");
}

TEST_CASE("keys belong together while the pauses between them are short") {
  SessionParts parts;
  parts.phone.emplace();
  parts.phone->id = "00000000-0000-4000-8000-000000000001";
  parts.phone->keys = std::string(60, '7');  // for three seconds
  RealtimeClient client(parts);
  client.advance(10'000);
  CHECK(client.all("input_audio_buffer.dtmf_event_received").size() == 60);
  const auto added = client.all("conversation.item.added");
  REQUIRE(added.size() == 1);
  CHECK(added[0]["item"]["content"][0]["text"] == "DTMF: " + parts.phone->keys);
}

TEST_CASE("a caller who is not greeted waits half a second, and presses a key every 50 ms") {
  for (const auto& [keys, first] : {std::pair("123", 575), std::pair("1,23", 525)}) {
    CAPTURE(keys);
    SessionParts parts;
    parts.phone.emplace();
    parts.phone->id = "00000000-0000-4000-8000-000000000001";
    parts.phone->keys = keys;
    RealtimeClient client(parts);
    std::vector<std::int64_t> times;
    for (std::int64_t ms = 1; ms < 1'000; ++ms) {
      client.advance(1);
      const auto pressed = client.all("input_audio_buffer.dtmf_event_received").size();
      while (times.size() < pressed) times.push_back(ms);
    }
    REQUIRE(times.size() == 3);
    CHECK(times[0] == first);
    // Before the others he would have said something: half a beat each to begin and to end.
    CHECK(times[1] - times[0] == (first == 575 ? 50 : 100));
    CHECK(times[2] - times[1] == 50);
  }
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
