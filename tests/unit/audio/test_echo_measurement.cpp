// The measurements of a sound test, on generated audio.
#include <cmath>

#include <doctest/doctest.h>

#include "audio/echo_measurement.h"
#include "support/sound_card.h"

using namespace svc;
using namespace svc::audio;

namespace {

constexpr int k_loop_rate = 24'000;

/// How a microphone hears `played`: later, weaker, and with some noise.
std::vector<Sample> echo_of(const std::vector<Sample>& played, int milliseconds, double share) {
  std::vector<Sample> heard = test::test_noise(played.size(), 7, 0.003);
  const auto behind = static_cast<std::ptrdiff_t>(milliseconds) * k_loop_rate / 1000;
  for (std::ptrdiff_t i = 0; i < static_cast<std::ptrdiff_t>(heard.size()); ++i) {
    const std::ptrdiff_t from = i - behind;
    if (from < 0 || from >= static_cast<std::ptrdiff_t>(played.size())) continue;
    heard[static_cast<std::size_t>(i)] = static_cast<Sample>(
        heard[static_cast<std::size_t>(i)] + share * played[static_cast<std::size_t>(from)]);
  }
  return heard;
}

}  // namespace

TEST_CASE("an echo's delay and strength are found: early or late, loud or weak") {
  const std::vector<Sample> played = probe_signal(k_loop_rate, Milliseconds(1'500));
  for (const int delay : {-98, 0, 47, 498}) {
    for (const double share : {1.0, 0.1}) {
      CAPTURE(delay);
      CAPTURE(share);
      const EchoReport report = measure_echo(played, echo_of(played, delay, share), k_loop_rate);
      REQUIRE(report.delay);
      CHECK(report.delay->count() == doctest::Approx(delay).epsilon(0.05));
      CHECK(std::abs(report.echo - (share == 1.0 ? 0 : -20)) < 2);
    }
  }
}

TEST_CASE("no echo is found if there is none") {
  const std::vector<Sample> played = probe_signal(k_loop_rate, Milliseconds(1'500));
  const std::vector<Sample> silence(played.size());
  CHECK_FALSE(measure_echo(played, silence, k_loop_rate).delay);
  CHECK_FALSE(measure_echo(played, test::test_noise(played.size(), 3), k_loop_rate).delay);
  CHECK_FALSE(
      measure_echo(played, test::test_tone(played.size(), k_loop_rate, 440), k_loop_rate).delay);
  CHECK_FALSE(measure_echo({}, {}, k_loop_rate).delay);
}

TEST_CASE("how much of an echo is canceled: most of a constant one") {
  const std::vector<Sample> played = probe_signal(k_loop_rate, Milliseconds(3'000));
  for (const int delay : {5, 60, 300}) {
    CAPTURE(delay);
    const EchoReport report = measure_echo(played, echo_of(played, delay, 0.5), k_loop_rate);
    REQUIRE(report.canceled);
    CHECK(*report.canceled > 15);
  }
}
