// Levels on the screen, and what is kept about pairs of devices.
#include <cmath>
#include <memory>

#include <doctest/doctest.h>

#include "base/files.h"
#include "live/sound.h"
#include "unit/cli/session_stage.h"
#include "unit/cli/state_here.h"

namespace svc::cli {
namespace {

using audio::Milliseconds;

audio::Level level_at(double decibels) {
  return {.peak = 1, .rms = std::pow(10, decibels / 20)};
}

}  // namespace

TEST_CASE("a level is a bar from -50 dB to the full scale") {
  CHECK(level_meter(level_at(0), false) == "############");
  CHECK(level_meter(level_at(-25), false) == "######------");
  CHECK(level_meter(level_at(-47.9), false) == "#-----------");
  CHECK(level_meter(level_at(-48.0), false) == "------------");
  CHECK(level_meter(level_at(-2.0), false) == "############");
  CHECK(level_meter(level_at(-2.2), false) == "###########-");
  CHECK(level_meter({}, false) == "------------");
  CHECK(level_meter(level_at(-40), true, 5) == "▮▯▯▯▯");
  CHECK(level_meter({}, false, 0).empty());
}

TEST_CASE("the lag of an echo is kept for each pair of devices") {
  const StateHere state;
  const audio::Device one{.name = "one"};
  const audio::Device two{.name = "two"};
  CHECK_FALSE(known_lag(one, two));
  remember_lag(one, two, Milliseconds(40));
  remember_lag(two, one, Milliseconds(70));
  CHECK(known_lag(one, two) == Milliseconds(40));
  CHECK(known_lag(two, one) == Milliseconds(70));
  CHECK_FALSE(known_lag(one, one));
  remember_lag(one, two, Milliseconds(50));
  CHECK(read_file(state.file("sound-lags.json")).value() == R"({"two / one":70,"one / two":50})");
  CHECK(std::filesystem::status(state.file("sound-lags.json")).permissions() ==
        (std::filesystem::perms::owner_read | std::filesystem::perms::owner_write));
  // Only a lag that an echo can have is used.
  for (const auto& [lag, used] : {std::pair(-50, false), {-49, true}, {549, true}, {550, false}}) {
    CAPTURE(lag);
    remember_lag(one, two, Milliseconds(lag));
    CHECK(known_lag(one, two).has_value() == used);
  }
  for (const char* broken : {"[1]", "no json", R"({"one / two":"40"})", R"({"one / two":1.5})"}) {
    CAPTURE(broken);
    REQUIRE(write_file(state.file("sound-lags.json"), broken, Replace::Yes, 0600));
    CHECK_FALSE(known_lag(one, two));
    remember_lag(one, two, Milliseconds(40));
    CHECK(read_file(state.file("sound-lags.json")).value() == R"({"one / two":40})");
  }
}

TEST_CASE("the lags of the last fifty pairs of devices are kept") {
  const StateHere state;
  const audio::Device speaker{.name = "speaker"};
  const auto microphone = [](int number) { return audio::Device{.name = std::to_string(number)}; };
  for (int i = 1; i <= 50; ++i) remember_lag(microphone(i), speaker, Milliseconds(i));
  CHECK(known_lag(microphone(1), speaker) == Milliseconds(1));
  remember_lag(microphone(1), speaker, Milliseconds(100));  // the newest now
  remember_lag(microphone(51), speaker, Milliseconds(51));
  CHECK(known_lag(microphone(1), speaker) == Milliseconds(100));
  CHECK_FALSE(known_lag(microphone(2), speaker));
  CHECK(known_lag(microphone(3), speaker) == Milliseconds(3));
  CHECK(known_lag(microphone(51), speaker) == Milliseconds(51));
}

TEST_CASE("flags choose the devices, the latency and what is done to a microphone's sound") {
  using Noise = audio::Enhancement::Noise;
  const auto session_with = [](std::vector<std::string> flags) {
    flags.insert(flags.begin(), {"realtime", "talk"});
    return std::make_unique<SessionStage>(flags);
  };
  const auto plain = session_with({});
  CHECK(input_device(plain->session()).empty());
  CHECK(output_device(plain->session()).empty());
  CHECK(enhancement(plain->session()).noise == Noise::Keep);
  CHECK_FALSE(enhancement(plain->session()).gain);
  CHECK(latency_name(plain->session()) == "normal");
  CHECK(latency_of(plain->session()).device == audio::Latency{}.device);
  const auto low = session_with({"--latency", "low", "--noise-suppression", "low", "--gain-control",
                                 "--input-device", "mic"});
  CHECK(input_device(low->session()) == "mic");
  CHECK(output_device(low->session()).empty());
  CHECK(enhancement(low->session()).noise == Noise::SuppressLow);
  CHECK(enhancement(low->session()).gain);
  CHECK(latency_name(low->session()) == "low");
  CHECK(latency_of(low->session()).device == audio::k_low_latency.device);
  const auto safe =
      session_with({"--latency", "safe", "--noise-suppression", "high", "--output-device", "2"});
  CHECK(input_device(safe->session()).empty());
  CHECK(output_device(safe->session()) == "2");
  CHECK(enhancement(safe->session()).noise == Noise::SuppressHigh);
  CHECK(latency_of(safe->session()).device == audio::k_safe_latency.device);
}

TEST_CASE("speech may take fifteen minutes to begin, unless the user says otherwise") {
  using std::chrono::minutes;
  const auto idle_with = [](const std::vector<std::string>& flags) {
    std::vector<std::string> words = {"tts", "Hi"};
    words.insert(words.end(), flags.begin(), flags.end());
    SessionStage stage(words);
    http::RetryQuota quota;
    const NeverCanceled nobody;
    const ApiClient client(stage.session().transport(), quota, nobody,
                           {.timeouts = timeouts_of(stage.session().settings())}, {});
    const http::Timeouts times = speech_timeouts(stage.session(), client);
    CHECK(times.total == client.policy().timeouts.total);
    CHECK(times.connect == client.policy().timeouts.connect);
    return times.idle;
  };
  CHECK(idle_with({}) == minutes(15));
  CHECK(idle_with({"--idle-timeout", "20m"}) == minutes(20));
  CHECK(idle_with({"--idle-timeout", "2m"}) == minutes(2));
}

}  // namespace svc::cli
