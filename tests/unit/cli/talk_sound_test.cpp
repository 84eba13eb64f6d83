// The sound of `realtime talk` on its way in and out, with devices that do what the test says. They
// have a thousand frames per second, so that a frame is a millisecond.
#include "commands/realtime/talk_sound.h"

#include <deque>
#include <memory>

#include <doctest/doctest.h>

namespace svc::cli {
namespace {

using namespace std::chrono_literals;
using Samples = std::vector<audio::Sample>;

/// What a speaker got, and did.
struct FakeSpeaker {
  Samples samples{};
  std::size_t room = 1'000'000;  ///< for more samples
  std::uint64_t played = 0;
  int finished = 0;
  int aborted = 0;
  bool closed = false;
};

class FakeSink final : public audio::Sink {
 public:
  explicit FakeSink(FakeSpeaker& speaker) : m_speaker(speaker) {}
  [[nodiscard]] audio::Format format() const override { return {1'000, 1}; }
  [[nodiscard]] Result<std::size_t> write(std::span<const audio::Sample> samples) override {
    const auto taken = samples.first(std::min(samples.size(), m_speaker.room));
    m_speaker.room -= taken.size();
    m_speaker.samples.insert(m_speaker.samples.end(), taken.begin(), taken.end());
    m_written += taken.size();
    return taken.size();
  }
  void finish() override { ++m_speaker.finished; }
  std::uint64_t abort() override {
    ++m_speaker.aborted;
    return m_written = m_speaker.played;
  }
  void pause() override {}
  void resume() override {}
  [[nodiscard]] bool paused() const override { return false; }
  [[nodiscard]] std::uint64_t written() const override { return m_written; }
  [[nodiscard]] std::uint64_t position() const override { return m_speaker.played; }
  [[nodiscard]] audio::Level level() const override { return {.peak = 0.5, .rms = 0.25}; }
  [[nodiscard]] Result<void> check() override { return Error{Fault::Local, "unplugged"}; }
  [[nodiscard]] Result<void> close() override {
    m_speaker.closed = true;
    return {};
  }

 private:
  FakeSpeaker& m_speaker;
  std::uint64_t m_written = 0;
};

TalkVoice voice_on(FakeSpeaker& speaker, audio::Encoding encoding = audio::Encoding::Pcm) {
  return {std::make_unique<FakeSink>(speaker), encoding};
}

/// Frames with the values from `first` on, as bytes.
std::string ramp(int first, int count) {
  std::string bytes;
  for (int i = first; i < first + count; ++i) {
    bytes += static_cast<char>(i & 0xff);
    bytes += static_cast<char>(i >> 8);
  }
  return bytes;
}

Samples ramp_samples(int first, int count) {
  return audio::decode(ramp(first, count), audio::Encoding::Pcm);
}

void check_heard(const TalkVoice& voice, const std::string& item, std::int64_t heard,
                 std::int64_t received, bool complete) {
  CAPTURE(item);
  const auto now = voice.heard(item);
  REQUIRE(now);
  CHECK(now->heard_ms == heard);
  CHECK(now->received_ms == received);
  CHECK(now->complete == complete);
}

void check_cut(const voice::Truncation& cut, const std::string& item, int content,
               std::int64_t played) {
  CHECK(cut.item == item);
  CHECK(cut.content == content);
  CHECK(cut.played_ms == played);
}

}  // namespace

TEST_CASE("talk sound: an answer is heard as far as its speaker has played it") {
  FakeSpeaker speaker{.room = 60};
  TalkVoice voice = voice_on(speaker);
  CHECK(voice.audible());
  CHECK(voice.idle());
  CHECK_FALSE(voice.heard("a"));
  REQUIRE(voice.play("a", 0, ramp(0, 100)));
  CHECK(speaker.samples == ramp_samples(0, 60));
  CHECK(voice.pending());
  CHECK_FALSE(voice.idle());
  check_heard(voice, "a", 0, 100, false);
  speaker.played = 10;
  check_heard(voice, "a", 10, 100, false);
  speaker.room = 1'000;
  voice.finish("a");
  CHECK(speaker.finished == 0);
  REQUIRE(voice.pump());
  CHECK(speaker.samples == ramp_samples(0, 100));
  CHECK(speaker.finished == 1);
  CHECK_FALSE(voice.pending());
  CHECK_FALSE(voice.idle());
  REQUIRE(voice.pump());
  CHECK(speaker.finished == 1);
  speaker.played = 100;
  CHECK(voice.idle());
  check_heard(voice, "a", 100, 100, true);
  // Heard to its end, there is nothing to interrupt.
  REQUIRE(voice.pump());
  CHECK(voice.interrupt().empty());
  CHECK_FALSE(voice.heard("b"));
  CHECK(voice.level().rms == 0.25);
  CHECK_FALSE(voice.check());
  CHECK(voice.close());
  CHECK(speaker.closed);
}

TEST_CASE("talk sound: an interruption says of each item how much was heard, and a little less") {
  FakeSpeaker speaker{.room = 130};
  TalkVoice voice = voice_on(speaker);
  REQUIRE(voice.play("a", 0, ramp(0, 100)));
  REQUIRE(voice.play("a", 1, ramp(100, 50)));  // the speaker has room for 30 of these
  REQUIRE(voice.play("a", 1, ramp(150, 20)));
  REQUIRE(voice.play("b", 2, ramp(170, 40)));
  speaker.played = 120;
  check_heard(voice, "a", 120, 170, false);
  check_heard(voice, "b", 0, 40, false);
  auto cut = voice.interrupt();
  REQUIRE(cut.size() == 3);
  check_cut(cut[0], "a", 0, 100);
  check_cut(cut[1], "a", 1, 15);
  check_cut(cut[2], "b", 2, 0);
  CHECK(speaker.aborted == 1);
  CHECK(voice.idle());
  CHECK_FALSE(voice.pending());
  CHECK(voice.interrupt().empty());
  // The next answer starts where the speaker is.
  speaker.room = 1'000;
  REQUIRE(voice.play("c", 0, ramp(0, 50)));
  speaker.played = 123;
  check_heard(voice, "c", 3, 50, false);
  cut = voice.interrupt();
  REQUIRE(cut.size() == 1);
  check_cut(cut[0], "c", 0, 0);
}

TEST_CASE("talk sound: what has been played is handed over, for a second at a time") {
  FakeSpeaker speaker;
  TalkVoice voice = voice_on(speaker);
  voice.record_played();
  REQUIRE(voice.play("a", 0, ramp(0, 1'500)));
  speaker.played = 999;
  REQUIRE(voice.pump());
  CHECK(voice.take_heard().empty());
  speaker.played = 1'000;
  REQUIRE(voice.pump());
  CHECK(voice.take_heard() == ramp_samples(0, 1'000));
  CHECK(voice.take_heard().empty());
  speaker.played = 1'500;
  REQUIRE(voice.pump());
  CHECK(voice.take_heard() == ramp_samples(1'000, 500));
  // An interruption hands over what was heard, not the rest.
  REQUIRE(voice.play("b", 0, ramp(0, 100)));
  speaker.played = 1'540;
  (void)voice.interrupt();
  CHECK(voice.take_heard() == ramp_samples(0, 40));
}

TEST_CASE("talk sound: without being asked, nothing played is kept") {
  FakeSpeaker speaker;
  TalkVoice voice = voice_on(speaker);
  REQUIRE(voice.play("a", 0, ramp(0, 100)));
  speaker.played = 100;
  REQUIRE(voice.pump());
  CHECK(voice.take_heard().empty());
}

TEST_CASE("talk sound: a pause keeps what was not heard, and what arrives meanwhile") {
  FakeSpeaker speaker;
  TalkVoice voice = voice_on(speaker);
  voice.pause();
  CHECK_FALSE(voice.paused());
  CHECK(speaker.aborted == 0);
  REQUIRE(voice.resume());
  REQUIRE(voice.play("a", 0, ramp(0, 100)));
  speaker.played = 40;
  voice.pause();
  voice.pause();
  CHECK(voice.paused());
  CHECK_FALSE(voice.idle());
  CHECK(speaker.aborted == 1);
  REQUIRE(voice.play("a", 0, ramp(100, 20)));
  CHECK(speaker.samples.size() == 100);
  check_heard(voice, "a", 40, 120, false);
  speaker.samples.clear();
  REQUIRE(voice.resume());
  CHECK_FALSE(voice.paused());
  CHECK(speaker.samples == ramp_samples(40, 80));
  CHECK(speaker.finished == 1);
  speaker.played = 70;
  check_heard(voice, "a", 70, 120, false);
  voice.pause();
  auto cut = voice.interrupt();
  REQUIRE(cut.size() == 1);
  check_cut(cut[0], "a", 0, 65);
  CHECK_FALSE(voice.paused());
  CHECK(voice.idle());
}

TEST_CASE("talk sound: another speaker continues where the last one stopped") {
  FakeSpeaker first{.room = 100};
  FakeSpeaker second;
  FakeSpeaker third;
  TalkVoice voice = voice_on(first);
  REQUIRE(voice.play("a", 0, ramp(0, 130)));
  first.played = 40;
  voice.release();
  voice.release();
  CHECK_FALSE(voice.idle());
  CHECK(voice.level().rms == 0);
  CHECK(voice.check());
  check_heard(voice, "a", 40, 130, false);
  REQUIRE(voice.play("b", 0, ramp(130, 20)));
  REQUIRE(voice.move_to(std::make_unique<FakeSink>(second)));
  CHECK(second.samples == ramp_samples(40, 110));
  CHECK(second.finished == 1);
  second.played = 20;
  check_heard(voice, "a", 60, 130, false);
  // While paused, the speaker gets nothing.
  voice.pause();
  voice.release();
  REQUIRE(voice.move_to(std::make_unique<FakeSink>(third)));
  CHECK(third.samples.empty());
  REQUIRE(voice.resume());
  CHECK(third.samples.size() == 90);
  voice.release();
  const auto cut = voice.interrupt();
  REQUIRE(cut.size() == 2);
  CHECK(cut[0].item == "a");
  CHECK(cut[1].item == "b");
  CHECK(voice.idle());
}

TEST_CASE("talk sound: pieces of an item are decoded as one, and items apart") {
  FakeSpeaker speaker;
  TalkVoice pcm = voice_on(speaker);
  const std::string two = ramp(500, 2);
  REQUIRE(pcm.play("a", 0, two.substr(0, 1)));
  check_heard(pcm, "a", 0, 0, false);
  CHECK(pcm.idle());
  REQUIRE(pcm.play("a", 0, two.substr(1, 2)));
  CHECK(speaker.samples == ramp_samples(500, 1));
  REQUIRE(pcm.play("b", 0, ramp(7, 1)));  // not the rest of the other item
  CHECK(speaker.samples == Samples{500, 7});
  FakeSpeaker other;
  TalkVoice law = voice_on(other, audio::Encoding::MuLaw);
  REQUIRE(law.play("a", 0, "\xff\xff\xff"));
  CHECK(other.samples == Samples{0, 0, 0});
}

TEST_CASE("talk sound: when an answer began") {
  FakeSpeaker speaker;
  TalkVoice voice = voice_on(speaker);
  const auto begun = [&](std::uint64_t played) {
    speaker.played = played;
    const auto before = audio::Clock::now();
    REQUIRE(voice.pump());
    const auto after = audio::Clock::now();
    REQUIRE(voice.begun());
    return std::pair(before - *voice.begun(), after - *voice.begun());
  };
  REQUIRE(voice.play("a", 0, ramp(0, 100)));
  CHECK_FALSE(voice.begun());
  const auto [least, most] = begun(10);
  CHECK(least <= 10ms);
  CHECK(most >= 10ms);
  const auto first = voice.begun();
  speaker.played = 50;
  REQUIRE(voice.pump());
  CHECK(voice.begun() == first);
  // More of the same answer.
  REQUIRE(voice.play("a", 0, ramp(0, 100)));
  CHECK(voice.begun() == first);
  speaker.played = 200;
  REQUIRE(voice.pump());
  // Another answer. The look at the speaker is late by 40 ms at most.
  REQUIRE(voice.play("b", 0, ramp(0, 100)));
  CHECK_FALSE(voice.begun());
  const auto [later, latest] = begun(300);
  CHECK(later <= 40ms);
  CHECK(latest >= 40ms);
}

TEST_CASE("talk sound: without a speaker, nothing is heard") {
  TalkVoice voice(nullptr, audio::Encoding::Pcm);
  CHECK_FALSE(voice.audible());
  REQUIRE(voice.play("a", 0, ramp(0, 100)));
  REQUIRE(voice.pump());
  CHECK_FALSE(voice.heard("a"));
  CHECK(voice.idle());
  CHECK(voice.interrupt().empty());
  CHECK(voice.check());
  CHECK(voice.close());
  CHECK(voice.level().peak == 0);
}

namespace {

/// What a microphone hears, and does.
struct FakeMicrophone {
  std::deque<audio::Block> blocks{};
  int started = 0;
  bool over = false;
  bool muted = false;

  void hear(int frames, int level = 0, audio::Clock::time_point ended = audio::Clock::now()) {
    blocks.push_back(
        {.samples = Samples(static_cast<std::size_t>(frames), static_cast<audio::Sample>(level)),
         .ended = ended});
  }
};

class FakeSource final : public audio::Source {
 public:
  explicit FakeSource(FakeMicrophone& microphone) : m_microphone(microphone) {}
  [[nodiscard]] audio::Format format() const override { return {1'000, 1}; }
  [[nodiscard]] Result<void> start() override {
    ++m_microphone.started;
    return {};
  }
  [[nodiscard]] int wait_fd() const override { return 77; }
  [[nodiscard]] Result<std::optional<audio::Block>> take() override {
    if (m_microphone.blocks.empty()) return std::optional<audio::Block>();
    std::optional<audio::Block> block = std::move(m_microphone.blocks.front());
    m_microphone.blocks.pop_front();
    return block;
  }
  void stop() override {}
  [[nodiscard]] bool ended() const override { return m_microphone.over; }
  void set_muted(bool muted) override { m_microphone.muted = muted; }
  [[nodiscard]] bool muted() const override { return m_microphone.muted; }
  [[nodiscard]] audio::Level level() const override { return {.peak = 0.5, .rms = 0.25}; }

 private:
  FakeMicrophone& m_microphone;
};

Result<void> ignore_block(const audio::Block& /*block*/) {
  return {};
}

TalkCapturePlan plan_of(TalkCapturePlan plan = {}) {
  plan.sound.rate = 1'000;
  return plan;
}

TalkCapture capture_of(FakeMicrophone& microphone, TalkCapturePlan plan = {}) {
  return {plan_of(std::move(plan)), std::make_unique<FakeSource>(microphone), ignore_block};
}

/// The sizes of the pieces sent, as long as there is `room` for more.
std::vector<std::size_t> fed(TalkCapture& capture, std::size_t room = 1'000) {
  std::vector<std::size_t> sizes;
  capture.feed([&](std::string_view bytes) {
    if (sizes.size() == room) return false;
    sizes.push_back(bytes.size());
    return true;
  });
  return sizes;
}

using Sizes = std::vector<std::size_t>;

}  // namespace

TEST_CASE("talk sound: captured sound is sent in fifths of a second, once the channel has room") {
  FakeMicrophone microphone;
  TalkCapture capture = capture_of(microphone);
  CHECK(capture.present());
  CHECK_FALSE(capture.wants_sound());
  CHECK(capture.descriptor() == -1);
  REQUIRE(capture.begin());
  REQUIRE(capture.begin());
  CHECK(microphone.started == 1);
  CHECK(capture.descriptor() == 77);
  CHECK(capture.level().rms == 0.25);
  microphone.hear(100);
  microphone.hear(350);
  REQUIRE(capture.take());
  CHECK(microphone.blocks.empty());
  CHECK(fed(capture, 0).empty());
  CHECK(fed(capture, 1) == Sizes{400});
  CHECK(fed(capture) == Sizes{400, 100});
  CHECK(fed(capture).empty());
  CHECK_FALSE(capture.over());
  capture.release();
  CHECK(capture.present());
  CHECK_FALSE(capture.wants_sound());
  CHECK(capture.level().rms == 0);
}

TEST_CASE("talk sound: without a microphone, the input is over") {
  TalkCapture capture(plan_of(), nullptr, ignore_block);
  CHECK_FALSE(capture.present());
  CHECK(capture.over());
  REQUIRE(capture.begin());
  REQUIRE(capture.take());
  CHECK(fed(capture).empty());
  CHECK_FALSE(capture.wants_sound());
}

TEST_CASE("talk sound: a source that can wait does, with 256 kB to send") {
  for (const bool waits : {true, false}) {
    FakeMicrophone microphone;
    TalkCapture capture = capture_of(microphone, {.waits = waits});
    REQUIRE(capture.begin());
    microphone.hear(131'071);
    REQUIRE(capture.take());
    CHECK(capture.wants_sound());
    microphone.hear(1);
    REQUIRE(capture.take());
    CHECK(capture.wants_sound() == !waits);
    CHECK(fed(capture, 1) == Sizes{400});
    CHECK(capture.wants_sound());
  }
}

TEST_CASE("talk sound: what is not sent within 8 MB is dropped, and the loss is known") {
  FakeMicrophone microphone;
  TalkCapture capture = capture_of(microphone);
  REQUIRE(capture.begin());
  microphone.hear((4 << 20) + 1'000);
  REQUIRE(capture.take());
  CHECK(fed(capture, 1) == Sizes{400});
  CHECK(capture.take_dropped_ms() == 1'000);
  CHECK(capture.take_dropped_ms() == 0);
}

TEST_CASE("talk sound: after the end of the input, three seconds of silence let the turn end") {
  FakeMicrophone microphone;
  TalkCapture capture = capture_of(microphone, {.fast = true});
  REQUIRE(capture.begin());
  microphone.hear(100);
  REQUIRE(capture.take());
  microphone.over = true;
  CHECK_FALSE(capture.wants_sound());
  CHECK_FALSE(capture.over());
  CHECK(capture.padded() == audio::Clock::time_point());
  CHECK_FALSE(capture.deadline());
  CHECK(fed(capture, 4) == Sizes{200, 200, 200, 200});
  CHECK_FALSE(capture.over());
  CHECK(capture.deadline());
  CHECK(capture.padded() != audio::Clock::time_point());
  CHECK(fed(capture) == Sizes(27, 200));
  CHECK(capture.over());
  CHECK_FALSE(capture.deadline());
  CHECK(fed(capture).empty());
  // Another connection needs its own.
  capture.lost();
  CHECK(fed(capture) == Sizes(31, 200));
  CHECK(capture.over());
}

TEST_CASE("talk sound: the silence after a file has the pace of speech") {
  FakeMicrophone microphone;
  TalkCapture capture = capture_of(microphone);
  REQUIRE(capture.begin());
  microphone.over = true;
  CHECK(fed(capture) == Sizes{200});
  CHECK_FALSE(capture.over());
}

TEST_CASE("talk sound: without turn detection, the whole input is one turn") {
  FakeMicrophone microphone;
  TalkCapture capture = capture_of(microphone, {.manual = true, .fast = true});
  CHECK_FALSE(capture.turn_open());
  REQUIRE(capture.begin());
  CHECK(capture.turn_open());
  microphone.hear(100);
  REQUIRE(capture.take());
  CHECK(fed(capture) == Sizes{200});
  CHECK_FALSE(capture.take_commit());
  microphone.over = true;
  CHECK(fed(capture).empty());
  CHECK_FALSE(capture.turn_open());
  CHECK(capture.take_commit());
  CHECK_FALSE(capture.take_commit());
  CHECK_FALSE(capture.take_empty_turn());
  CHECK(capture.over());
}

TEST_CASE("talk sound: a turn without sound is empty") {
  FakeMicrophone microphone{.over = true};
  TalkCapture capture = capture_of(microphone, {.manual = true});
  REQUIRE(capture.begin());
  CHECK(fed(capture).empty());
  CHECK_FALSE(capture.take_commit());
  CHECK(capture.take_empty_turn());
  CHECK_FALSE(capture.take_empty_turn());
}

TEST_CASE("talk sound: with push-to-talk, a turn is what was said while the key was held") {
  FakeMicrophone microphone;
  TalkCapture capture = capture_of(microphone, {.manual = true, .push_to_talk = true});
  REQUIRE(capture.begin());
  CHECK_FALSE(capture.turn_open());
  microphone.hear(100);
  REQUIRE(capture.take());
  CHECK(capture.talk_key());
  CHECK(capture.turn_open());
  CHECK_FALSE(capture.deadline());
  microphone.hear(100, 0, audio::Clock::now() - 1s);  // captured before
  microphone.hear(100, 0, audio::Clock::now() + 1ms);
  REQUIRE(capture.take());
  CHECK(fed(capture) == Sizes{200});
  const auto before = audio::Clock::now();
  CHECK_FALSE(capture.talk_key());  // the key repeats
  const auto after = audio::Clock::now();
  CHECK(capture.deadline());
  capture.on_time(before + 250ms);
  microphone.hear(100, 0, before + 10s);
  REQUIRE(capture.take());
  CHECK(capture.turn_open());
  capture.on_time(after + 251ms);
  CHECK(capture.deadline());
  CHECK_FALSE(capture.talk_key());  // its sound is still arriving
  microphone.hear(100, 0, after + 350ms);
  REQUIRE(capture.take());
  CHECK(capture.turn_open());
  CHECK(fed(capture) == Sizes{400});
  microphone.hear(100, 0, after + 351ms);
  REQUIRE(capture.take());
  CHECK_FALSE(capture.turn_open());
  CHECK_FALSE(capture.deadline());
  CHECK(fed(capture).empty());
  CHECK(capture.take_commit());
  CHECK_FALSE(capture.take_empty_turn());
  CHECK(capture.talk_key());
}

TEST_CASE("talk sound: when speech was last captured") {
  FakeMicrophone microphone;
  TalkCapture capture = capture_of(microphone);
  REQUIRE(capture.begin());
  const auto then = audio::Clock::now() - 1h;
  microphone.hear(100, 327, then);  // just below a hundredth of the full scale
  REQUIRE(capture.take());
  CHECK(capture.voice_end() > then);
  microphone.hear(100, 328, then);
  microphone.hear(100, 327, then + 1s);
  REQUIRE(capture.take());
  CHECK(capture.voice_end() == then);
}

TEST_CASE("talk sound: another microphone is muted like the last one, and started if that was") {
  FakeMicrophone first;
  FakeMicrophone second;
  TalkCapture capture = capture_of(first);
  capture.set_muted(true);
  CHECK(first.muted);
  CHECK(capture.muted());
  REQUIRE(capture.move_to(std::make_unique<FakeSource>(second)));
  CHECK(second.muted);
  CHECK(second.started == 0);
  REQUIRE(capture.begin());
  CHECK(second.started == 1);
  capture.release();
  capture.set_muted(false);
  REQUIRE(capture.move_to(std::make_unique<FakeSource>(first)));
  CHECK_FALSE(first.muted);
  CHECK(first.started == 1);
  CHECK(capture.descriptor() == 77);
}

TEST_CASE("talk sound: who gets each block can end the capture") {
  FakeMicrophone microphone;
  TalkCapture capture(plan_of(), std::make_unique<FakeSource>(microphone),
                      [](const audio::Block& block) -> Result<void> {
                        if (block.samples.size() == 1) return {};
                        return Error{Fault::Local, "disk full"};
                      });
  REQUIRE(capture.begin());
  microphone.hear(1);
  microphone.hear(2);
  const auto taken = capture.take();
  REQUIRE_FALSE(taken);
  CHECK(taken.error().message == "disk full");
  CHECK(fed(capture) == Sizes{2});
}

TEST_CASE("talk sound: how late sound was sent is measured from its arrival") {
  const auto lateness = [](bool waits, audio::Clock::duration ended,
                           audio::Clock::duration arrived) {
    FakeMicrophone microphone;
    TalkCapture capture = capture_of(microphone, {.waits = waits});
    REQUIRE(capture.begin());
    const auto now = audio::Clock::now();
    microphone.hear(300, 0, now - ended);
    if (arrived != 0s) microphone.blocks.back().arrived = now - arrived;
    REQUIRE(capture.take());
    CHECK(capture.lateness().empty());
    (void)fed(capture);
    return capture.lateness();
  };
  CHECK(lateness(true, 0s, 0s).empty());
  const auto average = [&](audio::Clock::duration ended, audio::Clock::duration arrived) {
    const std::string said = lateness(false, ended, arrived);
    constexpr std::string_view begin = "audio: 1 blocks, sent ";
    REQUIRE(said.starts_with(begin));
    CHECK(said.ends_with(" ms at most"));
    CHECK(said.find(" ms after capture on average, ") != std::string::npos);
    return std::stod(said.substr(begin.size()));
  };
  CHECK(average(1h, 0s) >= 3'600'000);
  CHECK(average(1h, 1ms) < 1'000'000);
}

}  // namespace svc::cli
