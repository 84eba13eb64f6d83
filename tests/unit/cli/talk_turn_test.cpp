// The turns of a spoken conversation: what is awaited, counted and reported.
#include "commands/realtime/talk_turn.h"

#include <doctest/doctest.h>

namespace svc::cli {
namespace {

using namespace std::chrono_literals;
using Clock = TalkTurn::Clock;
constexpr Clock::time_point k_turn_time{1'000s};

voice::TalkEvent done_with(const std::string& status, bool spoken, const std::string& why = {}) {
  return {
      .kind = voice::TalkEvent::Kind::ResponseDone, .name = status, .text = why, .spoken = spoken};
}

}  // namespace

TEST_CASE("a text that was sent is recognised when the service repeats it, in order") {
  TalkTurn turn;
  CHECK_FALSE(turn.is_echo("one"));
  turn.typed(" one\n", k_turn_time);
  turn.typed("two", k_turn_time);
  CHECK_FALSE(turn.is_echo("two"));
  CHECK(turn.unknown() == std::deque<std::string>{"one", "two"});
  CHECK(turn.is_echo(" one "));
  CHECK(turn.unknown() == std::deque<std::string>{"two"});
  CHECK(turn.is_echo("two"));
  CHECK_FALSE(turn.is_echo("two"));
}

TEST_CASE("the wait for an answer is measured from the last input") {
  TalkTurn turn;
  turn.typed("one", k_turn_time);
  turn.answer_begins(k_turn_time + 1s);
  turn.typed("two", k_turn_time + 5s);
  turn.answer_begins(k_turn_time + 4s);  // still the first answer
  turn.done(done_with("completed", true));
  CHECK_FALSE(turn.take_report(true));  // its sound has not begun
  turn.answer_begins(k_turn_time + 5s);
  turn.answer_begins(k_turn_time + 6s);
  auto report = turn.take_report(true);
  REQUIRE(report);
  CHECK(report->wait == 0s);
  CHECK_FALSE(turn.take_report(true));
  // Without new input, there is nothing to measure.
  turn.done(done_with("completed", true));
  turn.answer_begins(k_turn_time + 9s);
  report = turn.take_report(true);
  REQUIRE(report);
  CHECK_FALSE(report->wait);
  // The same for speech.
  turn.speech_started();
  turn.speech_stopped(k_turn_time + 10s);
  turn.answer_begins(k_turn_time + 11s);
  turn.speech_started();
  turn.speech_stopped(k_turn_time + 12s);
  turn.done(done_with("completed", true));
  CHECK_FALSE(turn.take_report(true));
  report = turn.take_report(false);  // there will be no sound
  REQUIRE(report);
  CHECK_FALSE(report->wait);
}

TEST_CASE("speech that stops is awaited only if it started") {
  TalkTurn turn;
  turn.speech_stopped(k_turn_time);
  CHECK_FALSE(turn.awaiting());
  turn.speech_started();
  CHECK(turn.awaiting());
  turn.speech_stopped(k_turn_time);
  CHECK(turn.awaiting());
  CHECK_FALSE(turn.speaking());
}

TEST_CASE("how an answer ends") {
  TalkTurn turn;
  turn.typed("one", k_turn_time);
  turn.done(done_with("cancelled", true));
  CHECK(turn.awaiting());
  CHECK(turn.unknown().size() == 1);
  CHECK(turn.answers() == 0);
  CHECK(turn.take_report(false));
  // Only a tool was called.
  turn.done(done_with("completed", false));
  CHECK_FALSE(turn.awaiting());
  CHECK(turn.unknown().empty());
  CHECK(turn.answers() == 0);
  CHECK_FALSE(turn.take_report(false));
  turn.done(done_with("failed", false, "overloaded"));
  CHECK(turn.answers() == 1);
  CHECK(turn.failure() == "overloaded");
  CHECK(turn.take_report(false));
  turn.done(done_with("completed", true));
  CHECK(turn.answers() == 2);
  CHECK(turn.failure().empty());
}

TEST_CASE("an interruption is counted once, and its answer not") {
  TalkTurn turn;
  turn.interrupted("a", true);
  CHECK(turn.answers() == 0);
  CHECK(turn.interruptions() == 1);
  CHECK_FALSE(turn.interrupting());  // a key, not a voice
  turn.done(done_with("completed", true));
  turn.done(done_with("completed", true));
  turn.speech_started();
  CHECK_FALSE(turn.interrupting());
  turn.interrupted("b", false);
  CHECK(turn.interrupting());
  CHECK(turn.answers() == 2);
  turn.interrupted("c", true);
  turn.interrupted("c", true);
  CHECK(turn.answers() == 1);
  CHECK(turn.interruptions() == 3);
  turn.speech_started();
  CHECK_FALSE(turn.interrupting());
}

TEST_CASE("what is lost with a connection") {
  const auto lost = [](auto prepare, bool answering = false) {
    TalkTurn turn;
    prepare(turn);
    turn.lost(answering);
    CHECK_FALSE(turn.speaking());
    const bool awaited = turn.awaiting();
    const bool again = turn.take_unanswered();
    CHECK(again == awaited);
    CHECK_FALSE(turn.take_unanswered());
    return again;
  };
  CHECK_FALSE(lost([](TalkTurn&) {}));
  CHECK(lost([](TalkTurn&) {}, true));
  CHECK(lost([](TalkTurn& turn) { turn.await(); }));
  // Speech that was not over is sent again with its sound.
  CHECK_FALSE(lost([](TalkTurn& turn) { turn.speech_started(); }));
  CHECK_FALSE(lost([](TalkTurn& turn) {
    turn.await();
    turn.speech_started();
  }));
  CHECK(lost([](TalkTurn& turn) {
    turn.typed("one", k_turn_time);
    turn.speech_started();
  }));
  CHECK(lost([](TalkTurn& turn) {
    turn.typed("one", k_turn_time);
    turn.give_up();
  }));
  // It remains lost until it was sent.
  CHECK(lost([](TalkTurn& turn) {
    turn.lost(true);
    turn.give_up();
  }));
}

TEST_CASE("a lost answer is requested again twice") {
  TalkTurn turn;
  CHECK(turn.may_repeat());
  turn.repeated();
  CHECK(turn.may_repeat());
  turn.repeated();
  CHECK_FALSE(turn.may_repeat());
  turn.done(done_with("completed", false));
  CHECK(turn.may_repeat());
}

}  // namespace svc::cli
