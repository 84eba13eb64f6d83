#include "voice/conversation.h"

#include <algorithm>
#include <cstdlib>
#include <utility>
#include <vector>

#include <doctest/doctest.h>

#include "base/base64.h"
#include "base/text.h"
#include "voice/playback.h"

namespace svc::voice {
namespace {

using Kind = TalkEvent::Kind;

const char* name_of(Kind kind) {
  static constexpr const char* k_names[] = {
      "connected",  "configured", "speech", "silence",  "committed", "user",  "assistant", "audio",
      "audio-done", "call",       "tool",   "response", "done",      "digit", "idle",      "error"};
  return k_names[static_cast<int>(kind)];
}

/// Events as text: "user u1 hello!", with an exclamation mark for final text.
std::string told(const std::vector<TalkEvent>& events) {
  std::string out;
  for (const TalkEvent& event : events) {
    if (!out.empty()) out += "; ";
    out += name_of(event.kind);
    for (const std::string& part : {event.item, event.id, event.name, event.text}) {
      if (!part.empty()) out += " " + part;
    }
    if (event.final) out += "!";
    if (event.replayed) out += " (again)";
  }
  return out;
}

struct Talk {
  std::string operator()(const std::string& message) { return told(talk.feed(message)); }
  SpokenConversation talk;
};

std::string with(const char* type, const std::string& members) {
  return std::string(R"({"type":")") + type + "\"," + members + "}";
}

std::string audio(const char* item, std::string_view bytes) {
  return with("response.output_audio.delta", R"("response_id":"r1","item_id":")" +
                                                 std::string(item) + R"(","delta":")" +
                                                 base64_encode(bytes) + "\"");
}

}  // namespace

TEST_CASE("a turn in the documented order") {
  Talk say;
  CHECK(say(R"({"type":"session.created","session":{"id":"s1"}})") == "connected");
  CHECK(say(R"({"type":"conversation.created","conversation":{"id":"c1"}})") == "connected c1");
  CHECK_FALSE(say.talk.configured());
  CHECK(say(R"({"type":"session.updated","session":{}})") == "configured");
  CHECK(say.talk.configured());
  CHECK(say.talk.id() == "c1");
  CHECK(say(with("input_audio_buffer.speech_started", R"("item_id":"u1","audio_start_ms":0)")) ==
        "speech u1");
  CHECK(say(with("input_audio_buffer.speech_stopped", R"("item_id":"u1")")) == "silence u1");
  CHECK(say(with("input_audio_buffer.committed", R"("item_id":"u1")")) == "committed u1");
  CHECK(say(with("response.created", R"("response":{"id":"r1","status":"in_progress"})")) ==
        "response r1");
  CHECK(say.talk.responding());
  CHECK(say(with("response.output_item.added", R"("item":{"id":"a1","type":"message"})")).empty());
  CHECK(say(with("response.output_audio_transcript.delta",
                 R"("response_id":"r1","item_id":"a1","delta":"Hel")")) == "assistant a1 Hel");
  CHECK(say(with("response.output_audio_transcript.delta",
                 R"("response_id":"r1","item_id":"a1","delta":"lo")")) == "assistant a1 Hello");
  CHECK(say(audio("a1", "pcm")) == "audio a1 pcm");
  CHECK(say(with("response.output_audio.done", R"("item_id":"a1")")) == "audio-done a1");
  CHECK(say(with("response.output_audio_transcript.done",
                 R"("item_id":"a1","transcript":"Hello.")")) == "assistant a1 Hello.!");
  CHECK(say(with("response.done", R"("response":{"id":"r1","status":"completed",
      "usage":{"input_tokens":3,"output_tokens":4,"total_tokens":7}})")) == "done r1 completed");
  CHECK_FALSE(say.talk.responding());
  CHECK(say.talk.usage().output_tokens == 4);
}

TEST_CASE("the user's final text replaces interim results") {
  Talk say;
  const auto updated = [&](const char* text) {
    return say(with("conversation.item.input_audio_transcription.updated",
                    R"("item_id":"u1","transcript":")" + std::string(text) + "\""));
  };
  const auto completed = [&](const char* text) {
    return say(with("conversation.item.input_audio_transcription.completed",
                    R"("item_id":"u1","transcript":")" + std::string(text) + "\""));
  };
  CHECK(updated("wreck a") == "user u1 wreck a");
  CHECK(updated("recognise") == "user u1 recognise");
  CHECK(completed("recognise speech") == "user u1 recognise speech!");
  CHECK(completed("recognise speech").empty());
  CHECK(completed("Recognise speech.") == "user u1 Recognise speech.!");
  CHECK(updated("late").empty());
}

TEST_CASE("the same text in several events counts once") {
  Talk say;
  const auto delta = [&](const char* type, const char* text) {
    return say(with(type, R"("item_id":"a1","delta":")" + std::string(text) + "\""));
  };
  CHECK(delta("response.text.delta", "Hi") == "assistant a1 Hi");
  CHECK(delta("response.output_text.delta", "Hi").empty());
  CHECK(delta("response.text.delta", " you") == "assistant a1 Hi you");
  CHECK(delta("response.output_text.delta", " you").empty());
  CHECK(say(with("response.text.done", R"("item_id":"a1","text":"Hi you")")) ==
        "assistant a1 Hi you!");
  CHECK(say(with("response.output_text.done", R"("item_id":"a1","text":"Hi you")")).empty());
  // The old event name alone counts.
  CHECK(say(with("response.audio_transcript.delta", R"("item_id":"a2","delta":"old")")) ==
        "assistant a2 old");
}

TEST_CASE("unknown and invalid messages are ignored") {
  Talk say;
  for (const char* text : {"", "[]", "{", R"({"type":"ping","timestamp":1})", R"({"type":7})",
                           R"({"type":"response.new"})", R"({"type":"conversation.item.added"})",
                           R"({"type":"response.output_item.done","item":[]})"}) {
    CHECK(say(text).empty());
  }
  CHECK(say(with("response.output_audio.delta", R"("item_id":"a1","delta":"*"),"x":1)")).empty());
  CHECK(say(with("response.output_audio.delta", R"("item_id":"a1","delta":"*")")) ==
        "error a1 an audio chunk is not base64");
}

TEST_CASE("a transcript that may grow, and a session without turn detection") {
  Talk say;
  const auto completed = [&](const char* text, const char* status) {
    return say.talk.feed(with("conversation.item.input_audio_transcription.completed",
                              R"("item_id":"u1","transcript":")" + std::string(text) +
                                  R"(","status":")" + status + "\""));
  };
  CHECK(completed("stop", "in_progress").at(0).more);
  CHECK_FALSE(completed("stop", "completed").at(0).more);
  CHECK(completed("stop", "completed").empty());
  const auto manual = [&](const char* session) {
    return say.talk.feed(with("session.updated", R"("session":)" + std::string(session)))
        .at(0)
        .manual;
  };
  CHECK(manual(R"({"turn_detection":null})"));
  CHECK(manual(R"({"turn_detection":{"type":null}})"));
  CHECK_FALSE(manual(R"({"turn_detection":{"type":"server_vad"}})"));
  CHECK_FALSE(manual("{}"));
  CHECK_FALSE(manual("7"));
  CHECK(delete_message("u1") == R"({"type":"conversation.item.delete","item_id":"u1"})");
}

TEST_CASE("errors and failed answers have a reason") {
  Talk say;
  CHECK(say(R"({"type":"error","error":{"type":"invalid_event","message":"what?"}})") ==
        "error invalid_event what?");
  CHECK(say(R"({"type":"error","code":"busy"})") == "error busy");
  CHECK(say(with("response.done", R"("response":{"id":"r","status":"failed",
      "status_details":{"error":{"message":"no model"}}})")) == "done r failed failed: no model");
  CHECK(say(with("response.done", R"("response":{"id":"q","status":"incomplete",
      "status_details":{"reason":"max_output_tokens"}})")) ==
        "done q incomplete incomplete: max_output_tokens");
  CHECK(say(with("response.done", R"("response":{"id":"p","status":"cancelled"})")) ==
        "done p cancelled");
}

TEST_CASE("an interruption: the rest of the answer is not played") {
  Talk say;
  (void)say(with("response.created", R"("response":{"id":"r1"})"));
  CHECK(say(audio("a1", "one")) == "audio a1 one");
  say.talk.interrupt();
  CHECK(say(audio("a1", "two")).empty());
  CHECK(say(audio("a2", "three")).empty());
  CHECK(say.talk.feed_bytes("four").empty());
  (void)say(with("response.done", R"("response":{"id":"r1","status":"cancelled"})"));
  (void)say(with("response.created", R"("response":{"id":"r2"})"));
  CHECK(say(with("response.output_audio.delta", R"("response_id":"r2","item_id":"a3","delta":")" +
                                                    base64_encode("five") + "\"")) ==
        "audio a3 five");
  CHECK(told(say.talk.feed_bytes("six")) == "audio a3 six");
  CHECK(say(with("conversation.item.truncated",
                 R"("item_id":"a1","audio_end_ms":40,"transcript":"On")")) == "assistant a1 On!");
}

TEST_CASE("tools: every call once, one response.create when all have been answered") {
  Talk say;
  (void)say(with("response.created", R"("response":{"id":"r1"})"));
  CHECK(say(with("response.output_item.added", R"("item":{"id":"f1","type":"function_call",
      "call_id":"k1","name":"weather","status":"in_progress","arguments":""})"))
            .empty());
  CHECK(say(with("response.function_call_arguments.delta", R"("call_id":"k1","delta":"{\"a")"))
            .empty());
  CHECK(say(with("response.function_call_arguments.done",
                 R"("item_id":"f1","call_id":"k1","arguments":"{\"a\":1}")")) ==
        "call f1 k1 weather {\"a\":1}");
  CHECK(say(with("response.output_item.done", R"("item":{"id":"f1","type":"function_call",
      "call_id":"k1","name":"weather","arguments":"{\"a\":1}"})"))
            .empty());
  CHECK(say(with("response.output_item.done", R"("item":{"id":"f2","type":"function_call",
      "call_id":"k2","name":"time","arguments":"{}","status":"completed"})")) ==
        "call f2 k2 time {}");
  say.talk.answered("k1");
  CHECK_FALSE(say.talk.take_wants_response());
  say.talk.answered("k2");
  CHECK_FALSE(say.talk.take_wants_response());  // the answer itself continues
  CHECK(say.talk.tools_pending());
  const auto done = say.talk.feed(with("response.done", R"("response":{"id":"r1","output":[
      {"type":"function_call","call_id":"k1","name":"weather","arguments":"{}"}]})"));
  CHECK(told(done) == "done r1");
  CHECK_FALSE(done.at(0).spoken);
  CHECK(say.talk.take_wants_response());
  CHECK_FALSE(say.talk.take_wants_response());
  CHECK_FALSE(say.talk.tools_pending());
}

TEST_CASE("calls are answered once the response that asked for them is done") {
  Talk say;
  (void)say(with("response.function_call_arguments.done",
                 R"("response_id":"r1","call_id":"k1","name":"weather","arguments":"{}")"));
  say.talk.answered("k1");
  CHECK_FALSE(say.talk.take_wants_response());
  (void)say(with("response.done", R"("response":{"id":"r1"})"));
  CHECK(say.talk.take_wants_response());
  (void)say(with("response.function_call_arguments.done",
                 R"("response_id":"r2","call_id":"k2","name":"weather","arguments":"{}")"));
  (void)say(with("response.done", R"("response":{"id":"r2"})"));
  CHECK_FALSE(say.talk.take_wants_response());
  say.talk.answered("another");
  CHECK_FALSE(say.talk.take_wants_response());
  say.talk.answered("k2");
  CHECK(say.talk.take_wants_response());
}

TEST_CASE("a response is spoken if it had sound or text, each on its own") {
  const auto spoken = [](const std::string& message) {
    Talk say;
    (void)say(with("response.created", R"("response":{"id":"r1"})"));
    if (!message.empty()) (void)say(message);
    return say.talk.feed(with("response.done", R"("response":{"id":"r1"})")).at(0).spoken;
  };
  CHECK(spoken(audio("a1", "six")));
  CHECK(spoken(with("response.text.delta", R"("item_id":"a1","delta":"six")")));
  CHECK(spoken(with("response.output_text.done", R"("item_id":"a1","text":"six")")));
  CHECK_FALSE(spoken(with("response.output_audio.done", R"("item_id":"a1")")));
  CHECK_FALSE(spoken({}));
}

TEST_CASE("resumed: old items are known, others are reported as resumed") {
  Talk say;
  (void)say(with("response.created", R"("response":{"id":"r1"})"));
  (void)say(with("conversation.item.input_audio_transcription.completed",
                 R"("item_id":"u1","transcript":"hello")"));
  CHECK(say.talk.reconnect());
  CHECK_FALSE(say.talk.reconnect());
  CHECK(say(with("conversation.item.created", R"("item":{"id":"u1","type":"message","role":"user",
      "content":[{"type":"input_audio","transcript":"hello"}]})"))
            .empty());
  CHECK(say(with("conversation.item.created", R"("item":{"id":"a0","type":"message",
      "role":"assistant","content":[{"type":"output_text","text":"hi"}]})")) ==
        "assistant a0 hi! (again)");
}

TEST_CASE("audio positions, commits, and types of errors") {
  Talk say;
  const auto at = [&say](const char* type, const std::string& members) {
    return say.talk.feed(with(type, members)).at(0).at_ms;
  };
  CHECK(at("input_audio_buffer.speech_started", R"("item_id":"u","audio_start_ms":7200000)") ==
        7'200'000);
  CHECK(at("input_audio_buffer.speech_stopped", R"("item_id":"u","audio_end_ms":12)") == 12);
  CHECK(at("input_audio_buffer.speech_stopped", R"("item_id":"u","audio_end_ms":-3)") == -1);
  CHECK(at("input_audio_buffer.speech_stopped", R"("item_id":"u","audio_end_ms":1e300)") == -1);
  CHECK(at("input_audio_buffer.speech_stopped", R"("item_id":"u")") == -1);
  CHECK(say(with("input_audio_buffer.committed", R"("item_id":"u")")) == "committed u");
  CHECK(say(with("error", R"("error":{"type":"max_duration","message":"over"})")) ==
        "error max_duration over");
}

TEST_CASE("server-side tools, digits, idle times") {
  Talk say;
  CHECK(say(with("mcp_list_tools.failed", R"("item_id":"m","error":"no route")")) ==
        "tool m mcp_list_tools.failed no route");
  CHECK(say(with("input_audio_buffer.dtmf_event_received", R"("event":"5","received_at":1)")) ==
        "digit 5");
  CHECK(say(with("input_audio_buffer.timeout_triggered", R"("item_id":"u2")")) == "idle u2");
}

TEST_CASE("messages to the service") {
  CHECK(append_message("abc") == R"({"type":"input_audio_buffer.append","audio":"YWJj"})");
  CHECK(plain_message("response.create") == R"({"type":"response.create"})");
  CHECK(user_text_message("a\"b\xff").find(R"("text":"a\"b)") != std::string::npos);
  CHECK(
      truncate_message("a1", 0, 1230) ==
      R"({"type":"conversation.item.truncate","item_id":"a1","content_index":0,"audio_end_ms":1230})");
  CHECK(output_message("k1", "ok").find(R"("output":"ok")") != std::string::npos);
}

TEST_CASE("text ends where the sound ended") {
  const std::string text = "One two three four five.";
  const auto part = [&](std::int64_t heard_ms) {
    return std::string(
        spoken_part(text, true, {.heard_ms = heard_ms, .received_ms = 2000, .complete = true}));
  };
  CHECK(part(0).empty());
  CHECK(part(240).empty());  // in the first word
  CHECK(part(250) == "One");
  CHECK(part(1000) == "One two");
  CHECK(part(1999) == "One two three four");
  CHECK(part(2000) == text);
  // Always whole words, and never fewer for more sound.
  std::size_t longest = 0;
  for (std::int64_t ms = 0; ms <= 2100; ++ms) {
    const std::string words = part(ms);
    CHECK(text.starts_with(words));
    CHECK((words.size() == text.size() || text[words.size()] == ' ' || words.empty()));
    CHECK(words.size() >= longest);
    longest = words.size();
  }
  // While more may arrive, only as much as a fast talker says.
  const std::string sentence = "A sentence of which all text came long before its sound did.";
  CHECK(spoken_part(sentence, true, {.heard_ms = 1000, .received_ms = 1000}) == "A sentence of");
  CHECK(spoken_part(sentence, true, {.heard_ms = 1000, .received_ms = 1000, .pace = 24}) ==
        "A sentence of which all");
  CHECK(spoken_part("abc", false, {.heard_ms = 1000, .received_ms = 1000, .complete = true}) ==
        "abc");
  // Between two characters, never inside one.
  const std::string cjk = "東京は晴れです";
  CHECK(spoken_part(cjk, true, {.heard_ms = 50, .received_ms = 100, .complete = true}) == "東京は");
  CHECK(spoken_part("", true, {}).empty());
  // A sound of less than a millisecond.
  CHECK(spoken_part("Hi.", true, {.complete = true}) == "Hi.");
}

TEST_CASE("text that arrives in step with the audio is spoken where it arrived") {
  // A long pause after the second word: evenly spoken, the text would be wrong by two words.
  const std::string text = "One two three four five six.";
  TextArrival arrival;
  const std::pair<const char*, std::int64_t> pieces[] = {{"One", 0},
                                                         {"One two", 300},
                                                         {"One two three", 2400},
                                                         {"One two three four", 2700},
                                                         {"One two three four five", 3000},
                                                         {"One two three four five six.", 3300}};
  for (const auto& [so_far, audio_ms] : pieces)
    arrival.add(std::string_view(so_far).size(), audio_ms);
  const auto part = [&](std::int64_t heard_ms, bool complete = true) {
    const Heard heard{.heard_ms = heard_ms, .received_ms = 3600, .complete = complete};
    return std::string(spoken_part(text, complete, heard, arrival));
  };
  for (const bool complete : {true, false}) {
    CHECK(part(0, complete).empty());
    CHECK(part(300, complete) == "One");
    CHECK(part(2400, complete) == "One two");
    CHECK(part(2700, complete) == "One two three");
    CHECK(part(3000, complete) == "One two three four");
    CHECK(part(3300, complete) == "One two three four five");
  }
  CHECK(part(3600) == text);
  std::size_t longest = 0;
  for (std::int64_t ms = 0; ms <= 3700; ms += 7) {
    CHECK(part(ms).size() >= longest);
    longest = part(ms).size();
  }
}

TEST_CASE("where text ends at an interruption, for every pace of the text") {
  // Words of 80 to 700 ms with pauses, in chunks of 100 ms of audio.
  enum class Pace { InStep, Ahead, FarAhead, Late, AtEnd };
  const auto run = [](std::uint32_t seed, Pace pace, bool complete) {
    const auto next = [&seed](std::uint32_t most) {
      seed = seed * 1'664'525U + 1'013'904'223U;
      return static_cast<std::int64_t>((seed >> 16U) % most);
    };
    std::string text;
    std::vector<std::int64_t> ends;  // of words, in ms
    std::int64_t time = 0;
    const auto count = 5 + next(60);
    std::vector<std::size_t> sizes;
    for (std::int64_t i = 0; i < count; ++i) {
      const auto letters = static_cast<std::size_t>(1 + next(9));
      text += (text.empty() ? "" : " ") + std::string(letters, 'x');
      time +=
          80 + 45 * static_cast<std::int64_t>(letters) + next(120) + (i % 9 == 8 ? next(600) : 0);
      ends.push_back(time);
      sizes.push_back(text.size());
    }
    TextArrival arrival;
    for (std::size_t i = 0; i < sizes.size(); ++i) {
      const std::int64_t starts = i == 0 ? 0 : ends[i - 1];
      const std::int64_t chunk = starts / 100 * 100;
      arrival.add(sizes[i], pace == Pace::InStep     ? chunk
                            : pace == Pace::Ahead    ? std::max<std::int64_t>(0, chunk - 1500)
                            : pace == Pace::FarAhead ? chunk / 10
                            : pace == Pace::Late     ? std::min(time, chunk + 1500)
                                                     : time);
    }
    std::int64_t worst = 0;
    for (const std::int64_t percent : {0, 1, 10, 33, 50, 77, 99, 100}) {
      const std::int64_t at = time * percent / 100;
      const std::int64_t received = complete ? time : std::min(time, at + 2'000);
      const std::string_view part = spoken_part(
          text, complete, {.heard_ms = at, .received_ms = received, .complete = complete}, arrival);
      const auto said = std::ranges::count_if(ends, [at](std::int64_t end) { return end <= at; });
      const auto shown = part.empty() ? 0 : 1 + std::ranges::count(part, ' ');
      if (complete && percent == 100) CHECK(part == text);
      if (percent == 0) CHECK(part.empty());
      // A sentence ahead at most.
      CHECK(shown - said <= 12);
      worst = std::max<std::int64_t>(worst, std::abs(shown - said));
    }
    return worst;
  };
  std::int64_t in_step = 0;
  std::int64_t other = 0;
  for (std::uint32_t seed = 1; seed <= 200; ++seed) {
    in_step = std::max(in_step, run(seed, Pace::InStep, true));
    for (const Pace pace : {Pace::Ahead, Pace::FarAhead, Pace::Late, Pace::AtEnd}) {
      other = std::max(other, run(seed, pace, true));
    }
    for (const Pace pace : {Pace::InStep, Pace::Ahead, Pace::FarAhead})
      (void)run(seed, pace, false);
  }
  MESSAGE("worst in step ", in_step, " words, otherwise ", other);
  CHECK(in_step <= 1);
  CHECK(other <= 8);
}

TEST_CASE("text far ahead of the audio, or late, says nothing about it") {
  const std::string text = "One two three four five six seven eight.";
  const Heard half{.heard_ms = 2000, .received_ms = 4000, .complete = true};
  const std::string evenly(spoken_part(text, true, half));
  CHECK(evenly == "One two three four");
  TextArrival ahead;
  TextArrival late;
  TextArrival at_once;
  for (std::size_t size = 4; size <= text.size(); size += 4) {
    ahead.add(size, static_cast<std::int64_t>(size) * 20);
    late.add(size, 4000);
    at_once.add(size, 0);
  }
  CHECK(spoken_part(text, true, half, ahead) == evenly);
  CHECK(spoken_part(text, true, half, late) == evenly);
  CHECK(spoken_part(text, true, half, at_once) == evenly);
  // While it arrives, text ahead of the audio is shown at a usual pace.
  const Heard early{.heard_ms = 500, .received_ms = 700};
  CHECK(spoken_part(text, false, early, ahead).size() <= 12);
}

TEST_CASE("the heard part of the played audio") {
  Playback playback(1000);
  playback.write("a", 0, 0, 100);
  playback.write("a", 0, 100, 100);
  playback.finish("a");
  playback.write("b", 0, 200, 300);
  CHECK(playback.unheard("a", 150) == 50);
  CHECK(playback.unheard("b", 150) == 300);
  CHECK(playback.unheard("b", 450) == 50);
  CHECK(playback.unheard("b", 600) == 0);
  playback.advance(200);
  const auto cut = playback.interrupt(250);
  REQUIRE(cut.size() == 1);
  CHECK(cut[0].item == "b");
  CHECK(cut[0].played_ms == 50);
  CHECK(playback.interrupt(250).empty());
  // The next answer counts from the start of the silence.
  playback.write("c", 1, 250, 100);
  playback.write("d", 0, 350, 100);
  const auto both = playback.interrupt(300);
  REQUIRE(both.size() == 2);
  CHECK(both[0].played_ms == 50);
  CHECK(both[0].content == 1);
  CHECK(both[1].item == "d");
  CHECK(both[1].played_ms == 0);
  // Everything received was heard, but more was to come: truncated too, and never beyond the audio.
  playback.write("e", 0, 300, 70);
  const auto open = playback.interrupt(900);
  REQUIRE(open.size() == 1);
  CHECK(open[0].played_ms == 70);
  playback.write("f", 0, 900, 70);
  playback.finish("f");
  CHECK(playback.interrupt(970).empty());
}

TEST_CASE(
    "a connection knows the items it named, and of an interrupted one those that were complete") {
  SpokenConversation talk;
  (void)talk.feed(R"({"type":"response.created","response":{"id":"r1"}})");
  for (const char* item : {"a1", "a2"}) {
    (void)talk.feed(std::string(R"({"type":"response.output_audio.delta","item_id":")") + item +
                    R"(","delta":"AAAA"})");
  }
  (void)talk.feed(R"({"type":"response.output_audio.done","item_id":"a1"})");
  CHECK(talk.has("a1"));
  CHECK(talk.has("a2"));
  CHECK_FALSE(talk.has("a3"));
  CHECK(talk.reconnect());
  CHECK_FALSE(talk.has("a1"));
  for (const char* item : {"a1", "a2", "a3"}) {
    (void)talk.feed(std::string(R"({"type":"conversation.item.created","item":{"id":")") + item +
                    R"(","type":"message","role":"assistant","content":[]}})");
  }
  CHECK(talk.has("a1"));
  CHECK_FALSE(talk.has("a2"));
  CHECK(talk.has("a3"));
}

TEST_CASE("an error about a message is not the reason for the end of a session") {
  SpokenConversation talk;
  const auto ends = [&](const char* error) {
    return talk.feed(std::string(R"({"type":"error","error":)") + error + "}").at(0).ends;
  };
  CHECK(ends(R"({"type":"max_duration","message":"m"})"));
  CHECK(ends(R"({"type":"timeout","message":"m","param":null,"event_id":null})"));
  CHECK(ends(R"("plain")"));
  CHECK_FALSE(ends(R"({"type":"invalid_request_error","message":"m"})"));
  CHECK_FALSE(ends(R"({"type":"internal_error","message":"m","param":"item_id"})"));
  CHECK_FALSE(ends(R"({"message":"m","code":"item_not_found"})"));
  CHECK_FALSE(ends(R"({"message":"m","event_id":"e1"})"));
}

TEST_CASE("the text of an item, by its role and where it came from") {
  const auto item = [](const std::string& id, const char* role, const std::string& content,
                       const char* more = "") {
    return R"("item":{"id":")" + id + R"(","type":"message","role":")" + role + R"(","content":)" +
           content + more + "}";
  };
  const std::string parts =
      R"([{"text":"one","transcript":"x"},{"transcript":"two"},{"text":""},7,{"text":"three"}])";
  Talk say;
  CHECK(say(with("conversation.item.added", item("u1", "user", parts))) ==
        "user u1 one two three!");
  CHECK(say(with("conversation.item.added", item("u1", "user", R"([{"text":"other"}])"))).empty());
  CHECK(say(with("conversation.item.created", item("u2", "user", parts))) ==
        "user u2 one two three! (again)");
  CHECK(say(with("conversation.item.created", item("a1", "assistant", parts))) ==
        "assistant a1 one two three! (again)");
  // Of an answer in progress, and of other roles, it is not shown.
  CHECK(say(with("conversation.item.added", item("a2", "assistant", parts))).empty());
  CHECK(say(with("conversation.item.created", item("s1", "system", parts))).empty());
  CHECK(say(with("conversation.item.created", item("u3", "user", "{}"))).empty());
  CHECK(say(with("conversation.item.created",
                 R"("item":{"id":"o","type":"other","role":"user","content":[{"text":"x"}]})"))
            .empty());
}

TEST_CASE("an answer that was interrupted by the connection may be whole at the service") {
  const auto again = [](const char* more) {
    Talk say;
    (void)say(with("response.text.delta", R"("item_id":"a1","delta":"Hel")"));
    (void)say.talk.reconnect();
    return say(with("conversation.item.created",
                    R"("item":{"id":"a1","type":"message","role":"assistant",
                    "content":[{"text":"Hello"}])" +
                        std::string(more) + "}"));
  };
  CHECK(again("") == "assistant a1 Hello! (again)");
  CHECK(again(R"(,"status":"completed")") == "assistant a1 Hello! (again)");
  CHECK(again(R"(,"status":"incomplete")").empty());
  Talk say;
  (void)say(with("response.text.done", R"("item_id":"a1","text":"Hi")"));
  CHECK(say(with("conversation.item.created",
                 R"("item":{"id":"a1","type":"message","role":"assistant",
                 "content":[{"text":"Hello"}]})"))
            .empty());
}

TEST_CASE("usage, cost and what was spoken, over several answers") {
  Talk say;
  const auto done = [&](const char* id, const char* usage) {
    return say.talk
        .feed(with("response.done",
                   R"("response":{"id":")" + std::string(id) + R"(","usage":)" + usage + "}"))
        .at(0);
  };
  (void)say(with("response.text.delta", R"("response_id":"r1","item_id":"a1","delta":"x")"));
  CHECK(done("r1", R"({"input_tokens":3,"output_tokens":4,"cost_in_usd_ticks":5})").spoken);
  CHECK_FALSE(
      done("r2", R"({"input_tokens":30,"output_tokens":40,"cost_in_usd_ticks":50})").spoken);
  (void)done("r3", R"({"input_tokens":"7","output_tokens":1.5})");
  CHECK(say.talk.usage().input_tokens == 33);
  CHECK(say.talk.usage().output_tokens == 44);
  CHECK(say.talk.usage().ticks == 55);
  (void)say(audio("a3", "x"));
  CHECK(done("r1", "{}").spoken);
  // Without IDs, the answer in progress is meant.
  (void)say(with("response.created", R"("response":{})"));
  CHECK(say.talk.active() == "response");
  (void)say(with("response.text.delta", R"("item_id":"a4","delta":"x")"));
  CHECK(say.talk.feed(with("response.done", R"("response":{})")).at(0).spoken);
  CHECK_FALSE(say.talk.responding());
  (void)say(with("response.created", R"("response":{"id":"r5"})"));
  (void)done("r4", "{}");
  CHECK(say.talk.active() == "r5");
}

TEST_CASE("why an answer failed, the most precise reason first") {
  const auto failed = [](const std::string& members) {
    Talk say;
    return say.talk.feed(with("response.done", R"("response":{"id":"r",)" + members + "}"))
        .at(0)
        .text;
  };
  const std::string status = R"("status":"failed",)";
  CHECK(failed(status +
               R"("status_details":{"error":{"message":"a"},"message":"b"},"message":"c")") ==
        "failed: a");
  CHECK(failed(status + R"("status_details":{"message":"b","reason":"x"},"message":"c")") ==
        "failed: b");
  CHECK(failed(status + R"("status_details":{"reason":"r","error":"e"})") == "failed: r");
  CHECK(failed(status + R"("status_details":{"error":"e"})") == "failed: e");
  CHECK(failed(status + R"("message":"c")") == "failed: c");
  CHECK(failed(R"("status":"failed")") == "failed");
  CHECK(failed(R"("status":"completed","message":"c")").empty());
}

TEST_CASE("parts of sound, and positions in it") {
  Talk say;
  const auto chunk = say.talk.feed(
      with("response.audio.delta", R"("item_id":"a","content_index":2,"delta":"AAAA")"));
  CHECK(chunk.at(0).content == 2);
  CHECK(say.talk.feed(with("response.audio.done", R"("item_id":"a","content_index":3)"))
            .at(0)
            .content == 3);
  CHECK(say.talk.feed(with("response.audio.done", R"("item_id":"a","content_index":-1)"))
            .at(0)
            .content == 0);
  const auto at = [&](const char* ms) {
    return say.talk
        .feed(with("input_audio_buffer.speech_started", R"("audio_start_ms":)" + std::string(ms)))
        .at(0)
        .at_ms;
  };
  CHECK(at("0") == 0);
  CHECK(at("999999999999") == 999'999'999'999);
  CHECK(at("1000000000000") == -1);
  CHECK(told(SpokenConversation().feed_bytes("x")) == "audio x");
}

TEST_CASE("the text of an interrupted answer goes on, that of a new item does not begin") {
  Talk say;
  (void)say(with("response.created", R"("response":{"id":"r1"})"));
  (void)say(audio("a1", "x"));
  say.talk.interrupt();
  const auto delta = [&](const char* item) {
    return say(
        with("response.text.delta", R"("item_id":")" + std::string(item) + R"(","delta":"x")"));
  };
  CHECK(delta("a1") == "assistant a1 x");
  CHECK(delta("a2").empty());
  CHECK(say(with("response.text.delta", R"("response_id":"r0","item_id":"a3","delta":"x")")) ==
        "assistant a3 x");
  // Without an answer in progress, nothing that comes later is muted.
  Talk idle;
  idle.talk.interrupt();
  CHECK(told(idle.talk.feed_bytes("x")) == "audio x");
  // What the service kept of an answer is the last word.
  CHECK(say(with("conversation.item.truncated", R"("item_id":"a1")")).empty());
  const auto cut =
      say.talk.feed(with("conversation.item.truncated", R"("item_id":"a1","transcript":"y")"));
  CHECK(cut.at(0).cut);
  CHECK(delta("a1").empty());
  CHECK(say(with("response.text.done", R"("item_id":"a3")")) == "assistant a3 x!");
  CHECK(say(with("response.text.done",
                 R"("response_id":"r0","item_id":"a9","transcript":"t","text":"u")")) ==
        "assistant a9 t!");
}

TEST_CASE("a call's name comes with the call, its item or its ID") {
  Talk say;
  const auto called = [&](const char* members) {
    return say(with("response.function_call_arguments.done", members));
  };
  (void)say(with("conversation.item.created",
                 R"("item":{"id":"f1","type":"function_call","call_id":"k1","name":"one"})"));
  (void)say(
      with("response.output_item.added", R"("item":{"id":"f2","type":"message","name":"no"})"));
  CHECK(called(R"("call_id":"k1","arguments":"1")") == "call k1 one 1");
  CHECK(called(R"("call_id":"k9","item_id":"f1","arguments":"2")") == "call f1 k9 one 2");
  CHECK(called(R"("call_id":"k3","item_id":"f1","name":"own","arguments":"3")") ==
        "call f1 k3 own 3");
  CHECK(called(R"("call_id":"k4","item_id":"f2","arguments":"4")") == "call f2 k4 4");
  CHECK(called(R"("item_id":"f1","arguments":"5")").empty());
  const auto item = [&](const char* type, const char* more) {
    return say(with(type, R"("item":{"id":"f","type":"function_call","call_id":"k5","name":"n",)" +
                              std::string(more) + "}"));
  };
  CHECK(item("response.output_item.done", R"("arguments":{})").empty());
  CHECK(item("response.output_item.done", R"("arguments":"a","status":"in_progress")").empty());
  CHECK(item("response.output_item.added", R"("arguments":"a")").empty());
  CHECK(item("response.output_item.done", R"("arguments":"a")") == "call f k5 n a");
  CHECK(say(with("response.done", R"("response":{"id":"r","output":[{"id":"f6","type":
      "function_call","call_id":"k6","name":"n","arguments":"6"}]})")) == "call f6 k6 n 6; done r");
  Talk none;
  CHECK_FALSE(none.talk.take_wants_response());
  none.talk.answered("k1");
  CHECK(say.talk.tools_pending());
  (void)say(with("session.updated", R"("session":{})"));
  (void)say.talk.reconnect();
  CHECK_FALSE(say.talk.tools_pending());
  CHECK_FALSE(say.talk.configured());
}

TEST_CASE("what a server-side tool does, and how it fails") {
  Talk say;
  CHECK(say(with("response.mcp_call_arguments.done", R"("item_id":"m","arguments":"{}")")) ==
        "tool m response.mcp_call_arguments.done {}");
  CHECK(say(with("response.mcp_call.in_progress", R"("item_id":"m")")) ==
        "tool m response.mcp_call.in_progress");
  CHECK(say(with("response.mcp_call.failed", R"("item_id":"m","error":{"message":"why"})")) ==
        "tool m response.mcp_call.failed why");
  CHECK(say(with("response.mcp_call.failed", R"("item_id":"m","message":"because")")) ==
        "tool m response.mcp_call.failed because");
  CHECK(
      say(with("response.mcp_call_arguments.delta", R"("item_id":"m","arguments":"{}")")).empty());
}

TEST_CASE("a conversation keeps its ID, and messages are complete") {
  Talk say;
  (void)say(R"({"type":"conversation.created","conversation":{"id":"c1"}})");
  CHECK(say(R"({"type":"conversation.created","conversation":{}})") == "connected c1");
  CHECK(say(R"({"type":"session.created"})") == "connected c1");
  CHECK(
      user_text_message("a") ==
      R"({"type":"conversation.item.create","item":{"type":"message","role":"user","content":[{"type":"input_text","text":"a"}]}})");
  CHECK(
      output_message("k1", "ok") ==
      R"({"type":"conversation.item.create","item":{"type":"function_call_output","call_id":"k1","output":"ok"}})");
}

TEST_CASE("what an interruption mutes, and until when") {
  Talk say;
  (void)say(with("response.created", R"("response":{"id":"r1"})"));
  (void)say(audio("a1", "x"));
  (void)say(with("response.done", R"("response":{"id":"r1"})"));
  say.talk.interrupt();
  CHECK(say(audio("a1", "y")).empty());
  CHECK(say.talk.feed_bytes("y").empty());
  CHECK(say(audio("a2", "y")) == "audio a2 y");
  // An answer without sound so far, whose connection is replaced.
  Talk other;
  (void)other(with("response.created", R"("response":{"id":"r1"})"));
  other.talk.interrupt();
  CHECK(other.talk.feed_bytes("x").empty());
  CHECK(other.talk.reconnect());
  CHECK(told(other.talk.feed_bytes("x")) == "audio x");
  // A name in the call itself is the one.
  (void)other(with("response.output_item.added",
                   R"("item":{"id":"f","type":"function_call","call_id":"k","name":"noted"})"));
  CHECK(other(with("response.function_call_arguments.done",
                   R"("call_id":"k","name":"own","arguments":"1")")) == "call k own 1");
  CHECK_FALSE(
      other.talk.feed(with("response.text.delta", R"("item_id":"t","delta":"x")")).at(0).more);
}

TEST_CASE("played sound is counted in milliseconds, part by part") {
  Playback playback(1000);
  playback.write("x", 0, 0, 5000);
  CHECK(playback.interrupt(2500).at(0).played_ms == 2500);
  playback.write("a", 0, 0, 100);
  playback.write("a", 1, 100, 100);
  playback.write("b", 0, 200, 100);
  playback.finish("b");
  playback.advance(250);
  const auto cut = playback.interrupt(250);
  REQUIRE(cut.size() == 1);
  CHECK(cut[0].item == "b");
  CHECK(cut[0].played_ms == 50);
  playback.write("a", 0, 0, 100);
  playback.write("a", 1, 100, 100);
  const auto parts = playback.interrupt(150);
  REQUIRE(parts.size() == 2);
  CHECK(parts[0].played_ms == 100);
  CHECK(parts[1].content == 1);
  CHECK(parts[1].played_ms == 50);
  // With a gap between them, as when its sound came too late.
  playback.write("a", 0, 0, 100);
  playback.write("a", 0, 150, 100);
  const auto stretches = playback.interrupt(170);
  REQUIRE(stretches.size() == 1);
  CHECK(stretches[0].item == "a");
  CHECK(stretches[0].played_ms == 120);
}

TEST_CASE("text that was replaced by a shorter version says nothing about the sound") {
  const std::string text = "One two three four five six.";
  TextArrival arrival;
  for (std::size_t i = 1; i <= 7; ++i) {
    arrival.add(i * 4, static_cast<std::int64_t>(i == 1 ? 0 : 2'000 + i * 200));
  }
  const Heard heard{.heard_ms = 1'800, .received_ms = 3'600, .complete = true};
  const std::string evenly(spoken_part(text, true, heard));
  CHECK(evenly == "One two three");
  CHECK(spoken_part(text, true, heard, arrival) != evenly);
  arrival.add(text.size(), 3'500);
  CHECK(spoken_part(text, true, heard, arrival) != evenly);
  arrival.add(4, 3'600);
  CHECK(spoken_part(text, true, heard, arrival) == evenly);
}

}  // namespace svc::voice
