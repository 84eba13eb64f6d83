#include "voice/interruption.h"

#include <functional>

#include <doctest/doctest.h>

#include "voice/local_turns.h"

namespace svc::voice {
namespace {

using namespace std::chrono_literals;
using Action = Interruption::Action;
using std::chrono::milliseconds;
using Clock = Interruption::Clock;

const std::vector<std::string> k_fillers = {"mm-hm", "mhm", "uh-huh", "hm", "you know"};

/// A conversation in a room, without a clock, devices or a service: both sides are scripts.
struct Room {
  explicit Room(const InterruptionPolicy& policy, milliseconds step = 40ms)
      : turns({.least = policy.least}, 48), decides(policy), block(step) {}

  /// Somebody speaks, or is silent.
  void speak(milliseconds length, double level = 0.1) {
    for (milliseconds done{0}; done < length; done += block) tick(level);
  }
  void silence(milliseconds length) { speak(length, 0.0005); }

  void tick(double level) {
    now += block;
    const std::string passed = turns.add(std::string(48 * block.count(), 's'), level);
    if (turns.closed()) sent += passed.size();
    if (turns.take_end()) {
      ++commits;
      if (decides.sent(now)) ++answers;
      decides.committed("u" + std::to_string(commits));
    }
    follow(decides.look(
        {.sounding = sounding, .voice = turns.closed() && turns.voice(), .spoken = turns.spoken()},
        now));
    if (sounding && !paused) heard += block;
  }

  void words(const std::string& text, bool complete = true) {
    follow(decides.words("u" + std::to_string(commits), text, complete));
  }

  void follow(const Interruption::Verdict& verdict) {
    if (verdict.action == Action::Pause) paused = true;
    if (verdict.action == Action::Resume) paused = false;
    if (verdict.action == Action::Interrupt) {
      interrupted = now;
      sounding = paused = false;
    }
    if (verdict.answer) ++answers;
    if (verdict.discard) ++discarded;
  }

  LocalTurns turns;
  Interruption decides;
  milliseconds block;
  Clock::time_point now{1'000s};
  bool sounding = true;
  bool paused = false;
  std::optional<Clock::time_point> interrupted{};
  milliseconds heard{0};
  std::size_t sent = 0;
  int commits = 0;
  int answers = 0;
  int discarded = 0;
};

Room room_with(const InterruptionPolicy& policy = {.fillers = k_fillers},
               milliseconds block = 40ms) {
  Room room(policy, block);
  room.silence(800ms);
  room.turns.close();
  room.silence(400ms);
  return room;
}

}  // namespace

TEST_CASE("words that are not fillers") {
  CHECK(count_words("Mm-hm.", k_fillers) == 0);
  CHECK(count_words("mm hm, MHM… uh huh!", k_fillers) == 0);
  CHECK(count_words("Mm-hm, but stop", k_fillers) == 2);
  CHECK(count_words("you know", k_fillers) == 0);
  CHECK(count_words("you", k_fillers) == 1);
  CHECK(count_words("I don't", {}) == 2);
  CHECK(count_words(" … — !", {}) == 0);
  CHECK(count_words("Äh, ÄH", {"äh"}) == 0);
  CHECK(count_words("Ага. Нет", {"ага"}) == 1);
  CHECK(count_words("うん。", {"うん"}) == 0);
  CHECK(count_words("止めて", {"うん"}) == 3);
  CHECK(count_words("\xff\xfe", {"\xff"}) >= 0);
}

TEST_CASE("what separates words, and scripts in which each character is one") {
  for (const char* between :
       {" ", "/", ":", "@", "[", "`", "{", "\x7f", "\u00a0", "\u00bf", "\u2000", "\u206f", "\u3000",
        "\u303f", "\uff00", "\uff0f", "\uff1a", "\uff1b", "\uff1f"}) {
    CAPTURE(between);
    CHECK(count_words(std::string("one") + between + "two", {}) == 2);
  }
  for (const char* inside :
       {"0", "9", "A", "Z", "a", "z", "'", "\u009f", "\u00c0", "\u1fff", "\u2070", "\u2e7f"}) {
    CAPTURE(inside);
    CHECK(count_words(std::string("one") + inside + "two", {}) == 1);
  }
  for (const char* alone : {"\u2e80", "\u2fff", "\u3040", "\ufeff", "\uff10", "\uff19", "\uff1c"}) {
    CAPTURE(alone);
    CHECK(count_words(std::string("one") + alone + "two", {}) == 3);
  }
  for (const auto& [upper, lower] :
       {std::pair("AZ", "az"), std::pair("\u00c0\u00d6\u00d8\u00de", "\u00e0\u00f6\u00f8\u00fe"),
        std::pair("\u0391\u03a9", "\u03b1\u03c9"), std::pair("\u0410\u042f", "\u0430\u044f")}) {
    CAPTURE(upper);
    CHECK(count_words(upper, {lower}) == 0);
  }
  // Letters beside those, which are no capitals.
  CHECK(count_words("\u00d7", {"\u00f7"}) == 1);
  CHECK(count_words("\u0390", {"\u03b0"}) == 1);
  CHECK(count_words("\u0430", {"\u0450"}) == 1);
}

TEST_CASE("a sound that is too short pauses an answer, and nothing of it is sent") {
  for (const milliseconds block : {20ms, 40ms, 80ms}) {
    for (const milliseconds length : {80ms, 120ms, 160ms, 200ms}) {
      CAPTURE(block.count());
      CAPTURE(length.count());
      Room room = room_with({.fillers = k_fillers}, block);
      room.speak(length);
      CHECK(room.paused);
      room.silence(400ms);
      CHECK_FALSE(room.paused);
      CHECK(room.sounding);
      CHECK(room.commits == 0);
      CHECK(room.sent == 0);
      CHECK_FALSE(room.decides.undecided());
    }
  }
}

TEST_CASE("clicks do not even pause it") {
  Room room = room_with();
  for (int i = 0; i < 20; ++i) {
    room.speak(40ms, 0.5);
    room.silence(200ms);
    CHECK_FALSE(room.paused);
  }
}

TEST_CASE("fillers of any length up to the longest: the answer resumes, unanswered") {
  for (milliseconds length = 280ms; length <= 1'400ms; length += 80ms) {
    CAPTURE(length.count());
    Room room = room_with();
    const auto before = room.heard;
    room.speak(length);
    CHECK(room.paused);
    CHECK(room.heard - before <= 80ms);
    room.silence(600ms);
    CHECK(room.commits == 1);
    CHECK(room.answers == 0);
    CHECK(room.paused);
    room.words("mm-hm", false);
    CHECK(room.paused);
    room.words("Mm-hm.");
    CHECK_FALSE(room.paused);
    CHECK(room.sounding);
    CHECK(room.discarded == 1);
    room.silence(5s);
    CHECK(room.sounding);
    CHECK(room.answers == 0);
  }
}

TEST_CASE("words interrupt, however short, and are answered once") {
  for (milliseconds length = 280ms; length <= 5'000ms; length += 120ms) {
    CAPTURE(length.count());
    Room room = room_with();
    const auto begin = room.now;
    room.speak(length);
    CHECK_FALSE(room.sounding == room.interrupted.has_value());
    room.silence(600ms);
    room.words("stop", false);
    CHECK(room.interrupted.has_value());
    // Long speech needs no words.
    if (length > 1'500ms) CHECK(*room.interrupted - begin <= 1'520ms);
    CHECK(room.answers == 1);
    room.words("Stop.");
    room.silence(5s);
    CHECK(room.answers == 1);
    CHECK(room.discarded == 0);
    CHECK_FALSE(room.decides.undecided());
  }
}

TEST_CASE("speech is sent from before its start to its end") {
  Room room = room_with();
  room.speak(1'000ms);
  room.silence(600ms);
  const auto sent = milliseconds(room.sent / 48);
  CHECK(sent >= 1'333ms + 500ms);
  CHECK(sent <= 1'333ms + 500ms + 200ms);
}

TEST_CASE("a minimum of words") {
  const auto after = [](const char* words) {
    Room room = room_with({.words = 3, .fillers = k_fillers});
    room.speak(3s);
    CHECK(room.paused);
    room.silence(600ms);
    room.words(words);
    return !room.sounding;
  };
  CHECK_FALSE(after("no wait"));
  CHECK_FALSE(after("uh-huh no uh-huh wait"));
  CHECK(after("no wait please"));
}

TEST_CASE("long speech interrupts without words only if one word would do") {
  for (const int words : {0, 1, 2, 3}) {
    CAPTURE(words);
    Room room = room_with({.words = words, .fillers = k_fillers});
    room.speak(5s);
    CHECK(room.sounding == (words > 1));
  }
}

TEST_CASE("without words to wait for, the length decides at once") {
  for (const bool resumes : {true, false}) {
    InterruptionPolicy policy{.least = 400ms, .words = 0};
    if (!resumes) policy.resume.reset();
    Room room = room_with(policy);
    room.speak(320ms);
    CHECK(room.paused == resumes);
    CHECK(room.sounding);
    room.silence(400ms);
    CHECK_FALSE(room.paused);
    const auto begin = room.now;
    room.speak(800ms);
    CHECK_FALSE(room.sounding);
    CHECK(room.interrupted.value() - begin <= 440ms);
    room.silence(600ms);
    CHECK(room.answers == 1);
  }
}

TEST_CASE("words that do not come, or come late") {
  Room room = room_with();
  // A service that sends no transcripts: nothing that was said is lost.
  room.speak(400ms);
  room.silence(2'700ms);
  CHECK_FALSE(room.sounding);
  CHECK(room.answers == 1);

  Room other = room_with();
  (void)other.decides.words("u0", "the question", true);
  other.speak(400ms);
  other.silence(2'700ms);
  CHECK(other.sounding);
  CHECK_FALSE(other.paused);
  CHECK(other.answers == 0);
  CHECK(other.decides.expects_words());
  // They interrupt nevertheless.
  other.words("wait a moment");
  CHECK_FALSE(other.sounding);
  CHECK(other.answers == 1);
}

TEST_CASE("speech again before the words of the first are known") {
  Room room = room_with();
  room.speak(400ms);
  room.silence(600ms);
  room.speak(400ms);
  room.silence(600ms);
  CHECK(room.commits == 2);
  room.follow(room.decides.words("u1", "mm-hm", true));
  CHECK(room.paused);
  room.follow(room.decides.words("u2", "uh-huh", true));
  CHECK_FALSE(room.paused);
  CHECK(room.sounding);
  CHECK(room.discarded == 2);

  // Words while the voice speaks again, but not for long enough to be a turn of its own.
  Room short_one = room_with();
  short_one.speak(400ms);
  short_one.silence(600ms);
  short_one.speak(120ms);
  short_one.words("stop");
  CHECK_FALSE(short_one.sounding);
  CHECK(short_one.answers == 0);
  short_one.silence(600ms);
  CHECK(short_one.answers == 1);
}

TEST_CASE("speech that began before the gate closed passes from its start") {
  Room room({.fillers = k_fillers});
  room.silence(800ms);
  room.speak(200ms);
  room.turns.close();
  room.speak(200ms);
  room.silence(600ms);
  CHECK(room.commits == 1);
  CHECK(milliseconds(room.sent / 48) >= 400ms + 333ms);
  // The audio around the opening of the gate is sent as well.
  CHECK(room.turns.open().size() <= 48 * 600);
  CHECK(room.turns.add(std::string(48 * 40, 's'), 0.1).size() == 48 * 40);
}

TEST_CASE("noise that sets in is not a voice for long, and a voice above it is one") {
  for (const double noise : {0.002, 0.006, 0.0178}) {
    CAPTURE(noise);
    Room room = room_with();
    room.speak(12s, noise);
    CHECK_FALSE(room.turns.voice());
    CHECK_FALSE(room.paused);
    room.sounding = true;
    const int before = room.commits;
    room.speak(600ms, noise * 5);
    CHECK(room.paused);
    room.speak(600ms, noise);
    CHECK(room.commits == before + 1);
  }
}

TEST_CASE("an interruption by a key or a lost connection ends all waiting") {
  Room room = room_with();
  room.speak(400ms);
  room.silence(600ms);
  CHECK(room.decides.undecided());
  room.decides.reset();
  CHECK_FALSE(room.decides.undecided());
  room.words("mm-hm");
  CHECK(room.discarded == 0);
}

/// Words that interrupt an answer while the voice goes on; then `meanwhile`, and the voice ends
/// after less than a turn. Returns whether the words are to be answered then.
bool owed_after(const std::function<void(Interruption&)>& meanwhile) {
  Interruption decides({.least = 300ms});
  const Clock::time_point now{1'000s};
  (void)decides.look({.sounding = true, .voice = true}, now);
  (void)decides.sent(now);
  decides.committed("u1");
  const auto verdict = decides.words("u1", "stop it", true);
  CHECK(verdict.action == Action::Interrupt);
  CHECK_FALSE(verdict.answer);
  meanwhile(decides);
  return decides.look({.voice = false, .spoken = 299ms}, now).answer;
}

TEST_CASE(
    "words during a voice are answered once, with its turn or when it ends too soon for one") {
  const Clock::time_point now{1'000s};
  CHECK(owed_after([](Interruption&) {}));
  CHECK_FALSE(owed_after([&](Interruption& decides) { CHECK(decides.sent(now)); }));
  CHECK_FALSE(owed_after([&](Interruption& decides) {
    decides.reset();
    (void)decides.look({.voice = false}, now);
    (void)decides.look({.sounding = true, .voice = true}, now);
    CHECK(decides.look({.sounding = true, .voice = true, .spoken = 5s}, now).action ==
          Action::Interrupt);
  }));
}

}  // namespace svc::voice
