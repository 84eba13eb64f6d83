// What is sent, and sent again, of what is heard.
#include "voice/upstream_audio.h"

#include <string>

#include <doctest/doctest.h>

namespace svc::voice {
namespace {

constexpr std::size_t k_rate = 1'000;  // frames a second, of two bytes: 2 bytes a millisecond

std::string sound(std::size_t ms, char what) {
  return std::string(ms * 2, what);
}

/// Sends all that may be sent.
std::string send_all(UpstreamAudio& out) {
  std::string all;
  while (true) {
    const std::string_view piece = out.next(64);
    if (piece.empty()) return all;
    all += piece;
    out.sent(piece.size());
  }
}

}  // namespace

TEST_CASE(
    "what was heard goes out once, and after a loss only what the service may not have used") {
  UpstreamAudio out(1U << 20U, k_rate, 2);
  out.append(sound(10'000, 'a'));
  CHECK(send_all(out) == sound(10'000, 'a'));
  CHECK(out.unsent() == 0);
  out.lost();
  CHECK(send_all(out) == sound(2'000, 'a'));
}

TEST_CASE("a turn that the service hears is sent again from its begin, whatever the connection") {
  UpstreamAudio out(1U << 20U, k_rate, 2);
  out.append(sound(5'000, '-'));
  CHECK(send_all(out).size() == 10'000);
  out.speech_started(4'500);
  out.append(sound(6'000, 'a'));
  CHECK(send_all(out) == sound(6'000, 'a'));
  out.lost();
  out.append(sound(100, 'b'));
  CHECK(send_all(out) == sound(500, '-') + sound(6'000, 'a') + sound(100, 'b'));
  // Places count from the new connection's begin.
  out.speech_started(500);
  out.speech_stopped(6'550);
  out.lost();
  CHECK(send_all(out) == sound(50, 'b'));
  // A service that does not say where is believed to have heard everything that is kept.
  out.speech_started(-1);
  out.lost();
  CHECK(send_all(out) == sound(50, 'b'));
}

TEST_CASE("a turn that the user ends is committed once all of it is sent, and again after a loss") {
  UpstreamAudio out(1U << 20U, k_rate, 2);
  out.begin_turn();
  CHECK(out.turn_open());
  CHECK_FALSE(out.end_turn());
  CHECK_FALSE(out.take_commit());
  out.begin_turn();
  out.append(sound(100, 'a'));
  CHECK(out.end_turn());
  CHECK_FALSE(out.take_commit());
  out.append(sound(10, 'b'));  // of the next one
  CHECK(send_all(out) == sound(100, 'a'));
  CHECK(out.take_commit());
  CHECK_FALSE(out.take_commit());
  out.lost();  // nobody knows whether it was committed
  CHECK(send_all(out) == sound(100, 'a'));
  CHECK(out.take_commit());
  out.committed();
  CHECK(send_all(out) == sound(10, 'b'));
  out.lost();
  CHECK(send_all(out) == sound(10, 'b'));
}

TEST_CASE("a turn that goes on before it could be committed is one turn") {
  UpstreamAudio out(1U << 20U, k_rate, 2);
  out.begin_turn();
  out.append(sound(100, 'a'));
  CHECK(out.end_turn());
  out.begin_turn();
  out.append(sound(50, 'b'));
  CHECK(send_all(out) == sound(100, 'a') + sound(50, 'b'));
  CHECK(out.end_turn());
  CHECK(out.take_commit());
}

TEST_CASE("what is too much to be kept is told") {
  UpstreamAudio out(2'000, k_rate, 2);
  out.append(sound(1'500, 'a'));
  CHECK(out.unsent() == 2'000);
  CHECK(send_all(out) == sound(1'000, 'a'));
  CHECK(out.take_dropped_ms() == 500);
  CHECK(out.take_dropped_ms() == 0);
}

}  // namespace svc::voice
