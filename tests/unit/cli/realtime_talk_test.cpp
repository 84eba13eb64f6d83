// Parts of `realtime talk` that need no socket: the session, the voice.
#include <chrono>
#include <deque>
#include <thread>

#include <doctest/doctest.h>

#include "commands/realtime/talk_session.h"
#include "commands/realtime/talk_sound.h"
#include "commands/realtime/talk_turn.h"
#include "commands/stt/live_view.h"

namespace svc::cli {

using namespace std::chrono_literals;

TEST_CASE("the session has the user's settings, and those that svc needs") {
  auto plain = make_talk_session("", {}, {});
  REQUIRE(plain);
  CHECK(plain->update ==
        R"({"type":"session.update","session":{"resumption":{"enabled":true},"audio":{)"
        R"("input":{"format":{"type":"audio/pcm","rate":24000}},)"
        R"("output":{"format":{"type":"audio/pcm","rate":24000}}}}})");
  CHECK(plain->resume);
  CHECK_FALSE(plain->manual);
  auto set = make_talk_session(
      R"({"type":"session.update","session":{"turn_detection":{"type":null},"resumption":{"enabled":false},)"
      R"("audio":{"input":{"format":{"type":"audio/pcmu"},"transport":"binary"}}}})",
      {.text = false, .voice = "ara"},
      {{.name = "w", .tool = R"({"type":"function","name":"w"})"}});
  REQUIRE(set);
  CHECK(set->manual);
  CHECK_FALSE(set->resume);
  CHECK(set->input.encoding == audio::Encoding::MuLaw);
  CHECK(set->input.rate == 8000);
  CHECK(set->input.binary);
  CHECK(set->update.find(R"("voice":"ara")") != std::string::npos);
  CHECK(set->update.find(R"("tools":[{"type":"function","name":"w"}])") != std::string::npos);
  auto text = make_talk_session("", {.text = true, .voice = "ara"}, {});
  REQUIRE(text);
  CHECK(text->manual);
  CHECK(text->update.find("audio") == std::string::npos);
  auto call = make_talk_session("", {.call = true}, {});
  REQUIRE(call);
  CHECK(call->update == R"({"type":"session.update","session":{"resumption":{"enabled":true}}})");
  CHECK(make_talk_session(R"({"session":{"audio":{"output":{"format":{"type":"audio/opus"}}}}})",
                          {}, {})
            .error()
            .fault == Fault::Usage);
}

TEST_CASE("an interruption keeps only the part that was heard") {
  const audio::Format format{24'000, 1};
  TalkVoice voice(
      audio::open_null_sink({.format = format, .prebuffer = 0ms}, audio::Timing::RealTime),
      audio::Encoding::Pcm);
  const std::string second(48'000, '\1');
  const auto begin = std::chrono::steady_clock::now();
  REQUIRE(voice.play("a", 0, second));
  REQUIRE(voice.play("b", 0, second));
  voice.finish("a");
  std::this_thread::sleep_for(150ms);
  REQUIRE(voice.pump());
  CHECK_FALSE(voice.heard("c"));
  CHECK(voice.heard("b").value().heard_ms == 0);
  CHECK_FALSE(voice.heard("b").value().complete);
  const auto heard = voice.heard("a").value();
  CHECK(heard.complete);
  CHECK(heard.received_ms == 1000);
  const auto cut = voice.interrupt();
  CHECK(heard.heard_ms <= cut.at(0).played_ms + 6);  // an interruption is cautious by 5 ms
  CHECK(heard.heard_ms >= 100);
  const auto most =
      std::chrono::ceil<std::chrono::milliseconds>(std::chrono::steady_clock::now() - begin);
  REQUIRE(cut.size() == 2);
  CHECK(cut[0].item == "a");
  CHECK(cut[0].played_ms >= 100);
  CHECK(cut[0].played_ms <= most.count() + 5);
  CHECK(cut[1].played_ms == 0);
  CHECK(voice.idle());
  CHECK(voice.interrupt().empty());
  REQUIRE(voice.play("c", 0, second));
  CHECK(voice.interrupt().at(0).item == "c");
}

TEST_CASE(
    "another speaker continues where the last one stopped, and positions in an item continue") {
  const audio::Format format{24'000, 1};
  const auto speaker = [&] {
    return audio::open_null_sink({.format = format, .prebuffer = 0ms}, audio::Timing::RealTime);
  };
  TalkVoice voice(speaker(), audio::Encoding::Pcm);
  REQUIRE(voice.play("a", 0, std::string(48'000, '\1')));
  voice.finish("a");
  std::this_thread::sleep_for(200ms);
  REQUIRE(voice.pump());
  CHECK(voice.begun());
  voice.release();
  CHECK_FALSE(voice.idle());
  // Audio that arrives while there is no speaker waits.
  REQUIRE(voice.play("b", 0, std::string(48'000, '\1')));
  std::this_thread::sleep_for(300ms);
  REQUIRE(voice.move_to(speaker()));
  std::this_thread::sleep_for(200ms);
  REQUIRE(voice.pump());
  const auto cut = voice.interrupt();
  REQUIRE(cut.size() == 2);
  CHECK(cut[0].item == "a");
  CHECK(cut[0].played_ms >= 350);
  CHECK(cut[0].played_ms < 700);
  CHECK(cut[1].item == "b");
  CHECK(cut[1].played_ms == 0);
  CHECK(voice.idle());
}

TEST_CASE("a paused answer continues where it stopped") {
  const audio::Format format{24'000, 1};
  TalkVoice voice(
      audio::open_null_sink({.format = format, .prebuffer = 0ms}, audio::Timing::RealTime),
      audio::Encoding::Pcm);
  voice.pause();  // nothing is heard
  CHECK_FALSE(voice.paused());
  voice.record_played();
  std::string ramp;
  for (int i = 0; i < 24'000; ++i) {
    ramp += static_cast<char>(i & 0xff);
    ramp += static_cast<char>(i >> 8);
  }
  REQUIRE(voice.play("a", 0, std::string_view(ramp).substr(0, 24'000)));
  std::this_thread::sleep_for(100ms);
  REQUIRE(voice.pump());
  voice.pause();
  CHECK(voice.paused());
  CHECK_FALSE(voice.idle());
  const auto before = voice.heard("a").value().heard_ms;
  // Audio that arrives meanwhile waits.
  REQUIRE(voice.play("a", 0, std::string_view(ramp).substr(24'000)));
  voice.finish("a");
  std::this_thread::sleep_for(100ms);
  REQUIRE(voice.pump());
  CHECK(voice.heard("a").value().heard_ms == before);
  CHECK(voice.heard("a").value().received_ms == 1'000);
  for (int i = 0; i < 3; ++i) {
    REQUIRE(voice.resume());
    CHECK_FALSE(voice.paused());
    std::this_thread::sleep_for(50ms);
    REQUIRE(voice.pump());
    voice.pause();
  }
  REQUIRE(voice.resume());
  while (!voice.idle()) {
    std::this_thread::sleep_for(20ms);
    REQUIRE(voice.pump());
  }
  const auto heard = voice.heard("a").value();
  CHECK(heard.heard_ms == 1'000);
  CHECK(heard.complete);
  // No sample twice, none missing.
  const std::vector<audio::Sample> played = voice.take_heard();
  for (std::size_t i = 0; i < played.size(); ++i) REQUIRE(played[i] == static_cast<int>(i));
  CHECK(voice.interrupt().empty());
}

TEST_CASE("an interruption of a paused answer keeps what was heard before the pause") {
  const audio::Format format{24'000, 1};
  TalkVoice voice(
      audio::open_null_sink({.format = format, .prebuffer = 0ms}, audio::Timing::RealTime),
      audio::Encoding::Pcm);
  REQUIRE(voice.play("a", 0, std::string(48'000, '\1')));
  voice.finish("a");
  std::this_thread::sleep_for(100ms);
  REQUIRE(voice.pump());
  voice.pause();
  const auto before = voice.heard("a").value().heard_ms;
  std::this_thread::sleep_for(200ms);
  const auto cut = voice.interrupt();
  REQUIRE(cut.size() == 1);
  CHECK(cut[0].played_ms <= before);
  CHECK(cut[0].played_ms >= before - 6);
  CHECK(voice.idle());
  CHECK_FALSE(voice.paused());
}

/// A microphone that hears what the test says.
class ScriptedSource final : public audio::Source {
 public:
  std::deque<audio::Block> blocks{};
  [[nodiscard]] audio::Format format() const override { return {24'000, 1}; }
  [[nodiscard]] Result<void> start() override { return {}; }
  [[nodiscard]] int wait_fd() const override { return -1; }
  [[nodiscard]] Result<std::optional<audio::Block>> take() override {
    if (blocks.empty()) return std::optional<audio::Block>();
    std::optional<audio::Block> block = std::move(blocks.front());
    blocks.pop_front();
    return block;
  }
  void stop() override {}
  [[nodiscard]] bool ended() const override { return false; }
  void set_muted(bool) override {}
  [[nodiscard]] bool muted() const override { return false; }
  [[nodiscard]] audio::Level level() const override { return {}; }
};

TEST_CASE("while turns are detected here, only a turn is sent, and committed once") {
  auto owned = std::make_unique<ScriptedSource>();
  ScriptedSource& source = *owned;
  TalkCapture capture({.turns = voice::LocalTurnRules{}}, std::move(owned),
                      [](const audio::Block&) { return Result<void>(); });
  REQUIRE(capture.begin());
  std::string sent;
  std::string seen;  // voice(), after each call of take()
  const auto hear = [&](std::chrono::milliseconds length, int level) {
    for (auto at = 0ms; at < length; at += 40ms) {
      std::vector<audio::Sample> samples(960, static_cast<audio::Sample>(level));
      source.blocks.push_back({.samples = std::move(samples), .ended = audio::Clock::now()});
    }
    while (!source.blocks.empty()) {
      REQUIRE(capture.take());
      seen += capture.voice() ? '#' : '.';
    }
    capture.feed([&](std::string_view bytes) {
      sent += bytes;
      return true;
    });
  };
  const auto take_sent = [&sent] {
    return std::chrono::milliseconds(std::exchange(sent, {}).size() / 48);
  };
  hear(1'000ms, 1);
  CHECK(take_sent() == 1'000ms);
  capture.close_gate();
  hear(2'000ms, 1);
  hear(160ms, 3'000);
  CHECK(capture.voice());
  CHECK(capture.spoken() == 160ms);
  CHECK_FALSE(capture.turn_open());
  hear(400ms, 1);
  CHECK_FALSE(capture.voice());
  CHECK(take_sent() == 0ms);
  hear(600ms, 3'000);
  CHECK(capture.turn_open());
  CHECK_FALSE(capture.take_commit());
  hear(600ms, 1);
  CHECK_FALSE(capture.turn_open());
  CHECK(capture.turn_due());
  CHECK(capture.take_commit());
  CHECK_FALSE(capture.take_commit());
  CHECK_FALSE(capture.turn_due());
  CHECK_FALSE(capture.turn_open());
  capture.committed();
  const auto turn = take_sent();
  CHECK(turn >= 1'400ms);
  CHECK(turn <= 1'700ms);
  // The service detects turns again, and misses nothing that was said at the change.
  hear(600ms, 1);
  CHECK(take_sent() == 0ms);
  capture.open_gate();
  hear(1'000ms, 1);
  const auto live = take_sent();
  CHECK(live >= 1'333ms);
  CHECK(live <= 1'600ms);
  // After a stall, a whole turn is waiting: its begin and its end can be seen.
  capture.close_gate();
  for (const int level : {1, 3'000, 1}) {
    source.blocks.insert(
        source.blocks.end(), 25,
        {.samples = std::vector<audio::Sample>(960, static_cast<audio::Sample>(level)),
         .ended = audio::Clock::now()});
  }
  seen.clear();
  hear(40ms, 1);
  CHECK(seen == "#..");
  CHECK(capture.take_commit());
  (void)take_sent();
  capture.open_gate();
  // On another connection, a turn that was not committed is audio like any other.
  capture.close_gate();
  hear(600ms, 3'000);
  (void)take_sent();
  capture.lost();
  CHECK_FALSE(capture.turn_open());
  hear(40ms, 1);
  CHECK(take_sent() >= 640ms);
  CHECK_FALSE(capture.take_commit());
}

TEST_CASE("turn detection of a session, off and on again") {
  const std::string plain = R"({"type":"session.update","session":{"voice":"ara"}})";
  const auto update = [](const std::string& detection) {
    return R"({"type":"session.update","session":{"turn_detection":)" + detection + "}}";
  };
  CHECK(turn_detection_update(plain, true) == update("null"));
  CHECK(turn_detection_update(plain, false) == update(R"({"type":"server_vad"})"));
  CHECK(turn_detection_update(update(R"({"threshold":0.7})"), false) ==
        update(R"({"threshold":0.7,"type":"server_vad"})"));
  CHECK(silence_of(plain) == 500ms);
  CHECK(silence_of(update(R"({"silence_duration_ms":800})")) == 800ms);
  CHECK(silence_of(update(R"({"silence_duration_ms":0})")) == 100ms);
}

TEST_CASE("keys change a session's turn detection, within limits") {
  const std::string plain = R"({"type":"session.update","session":{"voice":"ara"}})";
  CHECK_FALSE(adjust_turn_detection(plain, 'x'));
  auto change = adjust_turn_detection(plain, '-');
  REQUIRE(change);
  CHECK(change->note == "VAD threshold 0.80");
  CHECK(
      change->message ==
      R"({"type":"session.update","session":{"turn_detection":{"type":"server_vad","threshold":0.8}}})");
  CHECK(change->update.find(R"("voice":"ara")") != std::string::npos);
  for (int i = 0; i < 5; ++i) change = adjust_turn_detection(change->update, '+');
  CHECK(change->note == "VAD threshold 0.90");
  change = adjust_turn_detection(change->update, ']');
  CHECK(change->note == "a turn ends after 600 ms of silence");
  CHECK(change->message.find(R"("threshold":0.9,"silence_duration_ms":600)") != std::string::npos);
  for (int i = 0; i < 9; ++i) change = adjust_turn_detection(change->update, '[');
  CHECK(change->note == "a turn ends after 0 ms of silence");
  CHECK_FALSE(adjust_turn_detection(R"({"session":{"turn_detection":null}})", '+'));
}

TEST_CASE("a turn: how long its answer took, and its outcome") {
  using Clock = TalkTurn::Clock;
  const Clock::time_point begin{1'000s};
  TalkTurn turn;
  turn.speech_started();
  CHECK(turn.awaiting());
  CHECK(turn.speaking());
  turn.speech_stopped(begin);
  turn.answer_begins(begin - 1s);  // of the previous answer
  turn.done({.kind = voice::TalkEvent::Kind::ResponseDone, .name = "completed", .spoken = true});
  CHECK(turn.answers() == 1);
  CHECK_FALSE(turn.take_report(true));
  turn.answer_begins(begin + 700ms);
  turn.answer_begins(begin + 2s);
  const auto report = turn.take_report(true);
  REQUIRE(report);
  CHECK(report->wait == 700ms);
  CHECK_FALSE(turn.take_report(false));
  // Interrupted during playback: not a new answer, however often it is noticed.
  turn.interrupted("a1", true);
  turn.interrupted("a1", true);
  CHECK(turn.answers() == 0);
  CHECK(turn.interruptions() == 1);
  turn.interrupted("r2", false);
  CHECK(turn.interruptions() == 2);
  // Text that the service does not confirm is resent on the next connection.
  turn.typed(" hello ", begin);
  CHECK(turn.unknown().front() == "hello");
  turn.lost(false);
  CHECK(turn.take_unanswered());
  CHECK_FALSE(turn.take_unanswered());
  CHECK(turn.is_echo("hello"));
  CHECK_FALSE(turn.is_echo("hello"));
}

TEST_CASE("realtime talk: speech that does not count leaves the wait for another answer") {
  const TalkTurn::Clock::time_point now{1'000s};
  for (const bool typed_first : {true, false}) {
    CAPTURE(typed_first);
    TalkTurn turn;
    turn.speech_started();
    turn.forget_speech();
    CHECK_FALSE(turn.awaiting());  // nothing else was said
    if (typed_first) turn.typed("hello", now);
    turn.speech_started();
    if (!typed_first) turn.typed("hello", now);
    turn.forget_speech();
    CHECK(turn.awaiting());
    CHECK_FALSE(turn.speaking());
    turn.done({.kind = voice::TalkEvent::Kind::ResponseDone, .name = "completed", .spoken = true});
    CHECK_FALSE(turn.awaiting());
  }
  // An answer that ends while the user speaks is not the one to this speech.
  TalkTurn turn;
  turn.speech_started();
  turn.done({.kind = voice::TalkEvent::Kind::ResponseDone, .name = "completed", .spoken = true});
  CHECK(turn.awaiting());
  turn.give_up();
  CHECK(turn.awaiting());
  turn.speech_stopped(now);
  CHECK(turn.awaiting());
  turn.give_up();
  CHECK_FALSE(turn.awaiting());
}

TEST_CASE("control lines of a live transcription") {
  CHECK(read_stt_command(R"({"type":"finalize"})", 1)->kind == SttCommand::Kind::Finalize);
  CHECK_FALSE(read_stt_command(R"({"type":"finalize"})", 2)->channel);
  CHECK(read_stt_command(R"({"type":"finalize","channel":1})", 2)->channel == 1);
  CHECK(read_stt_command(R"({"type":"audio.done"})", 1)->kind == SttCommand::Kind::End);
  for (const char* wrong :
       {R"({"type":"finalize","channel":2})", R"({"type":"finalize","channel":-1})",
        R"({"type":"finalize","channel":"1"})", R"({"type":"session.update"})", "finalize", "[]",
        "{"}) {
    CAPTURE(wrong);
    const auto read = read_stt_command(wrong, 2);
    REQUIRE_FALSE(read);
    CHECK(read.error().fault == Fault::Usage);
  }
}

}  // namespace svc::cli
