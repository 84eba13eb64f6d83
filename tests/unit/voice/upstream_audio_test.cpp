// Which captured audio is sent, and resent.
#include "voice/upstream_audio.h"

#include <string>

#include <doctest/doctest.h>

namespace svc::voice {
namespace {

constexpr std::size_t k_rate =
    1'000;  // frames per second of two bytes each: 2 bytes per millisecond

std::string sound(std::size_t ms, char what) {
  return std::string(ms * 2, what);
}

/// Sends everything that may be sent.
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
    "audio is sent once, and after a lost connection only what the service may not have "
    "processed") {
  UpstreamAudio out(1U << 20U, k_rate, 2);
  out.append(sound(10'000, 'a'));
  CHECK(send_all(out) == sound(10'000, 'a'));
  CHECK(out.unsent() == 0);
  out.lost();
  CHECK(send_all(out) == sound(2'000, 'a'));
}

TEST_CASE("a turn that the service detects is resent from its start, on any connection") {
  UpstreamAudio out(1U << 20U, k_rate, 2);
  out.append(sound(5'000, '-'));
  CHECK(send_all(out).size() == 10'000);
  out.speech_started(4'500);
  out.append(sound(6'000, 'a'));
  CHECK(send_all(out) == sound(6'000, 'a'));
  out.lost();
  out.append(sound(100, 'b'));
  CHECK(send_all(out) == sound(500, '-') + sound(6'000, 'a') + sound(100, 'b'));
  // Positions count from the start of the new connection.
  out.speech_started(500);
  out.speech_stopped(6'550);
  out.lost();
  CHECK(send_all(out) == sound(50, 'b'));
  // If the service reports no position, it is assumed to have processed all buffered audio.
  out.speech_started(-1);
  out.lost();
  CHECK(send_all(out) == sound(50, 'b'));
}

TEST_CASE(
    "a turn that the user ends is committed once all of it is sent, and again after a lost "
    "connection") {
  UpstreamAudio out(1U << 20U, k_rate, 2);
  out.begin_turn();
  CHECK(out.turn_open());
  CHECK_FALSE(out.end_turn());
  CHECK_FALSE(out.take_commit());
  out.begin_turn();
  out.append(sound(100, 'a'));
  CHECK(out.end_turn());
  CHECK_FALSE(out.take_commit());
  out.append(sound(10, 'b'));  // of the next turn
  CHECK(send_all(out) == sound(100, 'a'));
  CHECK(out.take_commit());
  CHECK_FALSE(out.take_commit());
  out.lost();  // unknown whether it was committed
  CHECK(send_all(out) == sound(100, 'a'));
  CHECK(out.take_commit());
  out.committed();
  CHECK(send_all(out) == sound(10, 'b'));
  out.lost();
  CHECK(send_all(out) == sound(10, 'b'));
}

TEST_CASE("a turn resumed before its commit is one turn") {
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

TEST_CASE("a buffer overflow is reported") {
  UpstreamAudio out(2'000, k_rate, 2);
  out.append(sound(1'500, 'a'));
  CHECK(out.unsent() == 2'000);
  CHECK(send_all(out) == sound(1'000, 'a'));
  CHECK(out.take_dropped_ms() == 500);
  CHECK(out.take_dropped_ms() == 0);
}

}  // namespace svc::voice
