// What cancels echoes and detects voices, number by number. Its constants and its networks were
// judged together, in simulated rooms (tests/rooms): a change here is one that has to be judged
// there again, and is then accepted with SVC_REDRAW=1.
#include <algorithm>
#include <array>
#include <cmath>
#include <cstdlib>
#include <fstream>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include <doctest/doctest.h>
#include <fmt/format.h>

#include "audio/echo.h"
#include "audio/echo_measurement.h"
#include "audio/front_end.h"
#include "audio/playback_reference.h"
#include "support/rows.h"
#include "support/sound_card.h"

namespace front_end_numbers {
namespace {

using namespace svc;
using namespace svc::audio;
using namespace std::chrono_literals;
using Samples = std::vector<Sample>;

constexpr const char* k_numbers = "unit/audio/front_end_numbers.txt";

/// What happens in a scene, in seconds.
struct Scene {
  const char* name;
  int rate = 24'000;
  double length = 10;
  std::function<double(double time)> lag{};        ///< of the echo
  std::function<double(double time)> answer{};     ///< its loudness: 0 is silence
  std::function<double(double time)> talker{};     ///< the same
  double drift = 0;                                ///< seconds each second
  double noise = 0.0003;                           ///< of the room
  bool pauses = true;                              ///< in what is said
  std::optional<Milliseconds> known_lag{};         ///< from an earlier conversation
  bool suppressor = false;                         ///< there is one
  bool finds_lag = false;                          ///< and it looks for the echo by itself
  std::optional<std::pair<int, int>> realigned{};  ///< at this step, by so many samples
};

double at_times(double time, std::initializer_list<std::pair<double, double>> stretches) {
  for (const auto& [begin, end] : stretches) {
    if (time >= begin && time < end) return 1;
  }
  return 0;
}

/// Noise with the loudness of speech, and with its pauses.
std::vector<double> speech(const Scene& scene, std::uint32_t seed,
                           const std::function<double(double)>& loudness) {
  const auto count = static_cast<std::size_t>(scene.length * scene.rate);
  const Samples noise = test::test_noise(count, seed, 0.4);
  std::vector<double> out(count);
  double low = 0;
  for (std::size_t i = 0; i < count; ++i) {
    const double time = static_cast<double>(i) / scene.rate;
    const double pause = scene.pauses && std::fmod(time, 1.7) > 1.4 ? 0 : 1;
    low = 0.8 * low + 0.4 * noise[i];
    out[i] = low * pause * (0.6 + 0.4 * std::sin(time * 19.5)) * (loudness ? loudness(time) : 0);
  }
  return out;
}

double at_or_silent(const std::vector<double>& sound, std::size_t at) {
  return at < sound.size() ? sound[at] : 0;
}

/// What a microphone hears of it.
Samples heard_in_room(const Scene& scene, const std::vector<double>& played) {
  const std::vector<double> voice = speech(scene, 77, scene.talker);
  const Samples noise = test::test_noise(played.size(), 9, scene.noise);
  Samples out(played.size());
  for (std::size_t i = 0; i < out.size(); ++i) {
    double sum = noise[i] + at_or_silent(voice, i);
    const double time = static_cast<double>(i) / scene.rate;
    for (const auto& [after, share] :
         {std::pair<double, double>{0, 0.4}, {0.004, -0.15}, {0.03, 0.1}}) {
      if (!scene.lag) break;
      const double at =
          static_cast<double>(i) - (scene.lag(time) + scene.drift * time + after) * scene.rate;
      if (at < 1) continue;
      const auto whole = static_cast<std::size_t>(at);
      const double part = at - static_cast<double>(whole);
      sum += share *
             ((1 - part) * at_or_silent(played, whole) + part * at_or_silent(played, whole + 1));
    }
    out[i] = static_cast<Sample>(std::clamp(sum, -32'768.0, 32'767.0));
  }
  return out;
}

/// Halves what was captured, and says what it was told about playback.
class Halver final : public EchoFilter {
 public:
  Halver(bool finds_lag, double& told) : m_finds_lag(finds_lag), m_told(told) {}
  void process(std::span<const Sample> played, std::span<Sample> captured) override {
    double weight = 1;
    for (const Sample one : played) m_told += one * (weight += 0.01);
    for (Sample& one : captured) one = static_cast<Sample>(one / 2);
  }
  [[nodiscard]] bool finds_lag() const override { return m_finds_lag; }

 private:
  bool m_finds_lag;
  double& m_told;
};

using Row = std::vector<double>;

/// Sums of a second.
struct Second {
  std::size_t first = 0;  ///< of what was put out
  int closed = 0;
  int ineffective = 0;
  int voice = 0;
  int playing = 0;
  double score = 0;

  void add(const FrontEnd& front) {
    closed += front.closed() ? 1 : 0;
    ineffective += front.ineffective() ? 1 : 0;
    voice += front.voice() ? 1 : 0;
    playing += front.playing() ? 1 : 0;
    score += front.detector().score();
  }
  [[nodiscard]] Row row(const FrontEnd& front, const Samples& out, double told) const {
    const auto some = std::span(out).subspan(first);
    const auto lag = front.lag();
    const auto& estimator = front.estimator();
    return {static_cast<double>(some.size()),
            1e6 * level_of(some).rms,
            static_cast<double>(closed),
            static_cast<double>(ineffective),
            static_cast<double>(voice),
            static_cast<double>(playing),
            score,
            lag ? static_cast<double>(lag->count()) : -1'000,
            1e6 * estimator.lag().value_or(-1),
            1e6 * front.drift(),
            estimator.clarity(),
            estimator.vain(),
            front.canceled(),
            1e9 * front.detector().noise(),
            told / 1e6};
  }
};

/// The mean of what each of a network's inputs was, and of the network's answers.
template <typename Inputs>
struct Seen {
  std::array<double, std::tuple_size_v<Inputs> + 2> sums{};
  void add(const Inputs& inputs) {
    for (std::size_t i = 0; i < inputs.size(); ++i) sums[i] += inputs[i];
    sums[inputs.size()] += voice_network::odds(inputs);
    sums.back() += 1;
  }
  [[nodiscard]] Row row() const { return {sums.begin(), sums.end()}; }
};

/// A row for each second, and what the networks saw.
std::vector<Row> rows_of(const Scene& scene) {
  const std::vector<double> exact = speech(scene, 1, scene.answer);
  Samples played(exact.size());
  std::ranges::transform(exact, played.begin(),
                         [](double one) { return static_cast<Sample>(one); });
  const Samples heard = heard_in_room(scene, exact);
  double told = 0;
  FrontEnd front(scene.rate,
                 scene.suppressor ? std::make_unique<Halver>(scene.finds_lag, told) : nullptr,
                 scene.known_lag);
  const auto step = static_cast<std::size_t>(scene.rate / 100);
  const auto lead = static_cast<std::size_t>(frames_in({scene.rate, 1}, FrontEnd::k_lead));
  std::vector<Row> rows;
  Samples out;
  Second second;
  Seen<voice_network::StepInputs> steps;
  Seen<voice_network::CheckInputs> checks;
  for (std::size_t number = 0; (number + 1) * step + lead <= heard.size(); ++number) {
    if (scene.realigned && static_cast<int>(number) == scene.realigned->first) {
      front.on_realigned(scene.realigned->second);
    }
    front.process(std::span(played).subspan(number * step + lead, step),
                  std::span(heard).subspan(number * step, step), out);
    second.add(front);
    steps.add(front.detector().inputs());
    if (const auto& check = front.check()) checks.add(*check);
    if (number % 100 != 99) continue;
    rows.push_back(second.row(front, out, told));
    second = {};
    second.first = out.size();
  }
  front.flush(out);
  rows.push_back(second.row(front, out, told));
  rows.push_back(steps.row());
  rows.push_back(checks.row());
  return rows;
}

const std::vector<Scene>& scenes() {
  static const std::vector<Scene> all = {
      {.name = "two answers, both interrupted; then the echo is elsewhere",
       .length = 14,
       .lag = [](double time) { return time < 7 ? 0.04 : 0.1; },
       .answer =
           [](double time) {
             return at_times(time, {{0.5, 5.5}, {8, 13}});
           },
       .talker =
           [](double time) {
             return 0.7 * at_times(time, {{4.5, 6.5}, {11, 13}});
           },
       .drift = 0.0003},
      {.name = "headphones",
       .length = 6,
       .answer =
           [](double time) {
             return at_times(time, {{0.2, 6}});
           },
       .talker =
           [](double time) {
             return 0.2 * at_times(time, {{0, 6}});
           },
       .pauses = false},
      {.name = "an echo that cannot be followed any more",
       .length = 12,
       .lag =
           [](double time) {
             return time < 4 ? 0.06 : 0.01 * (1 + static_cast<int>(time * 5) * 7 % 40);
           },
       .answer =
           [](double time) {
             return at_times(time, {{0, 12}});
           },
       .talker =
           [](double time) {
             return 0.3 * at_times(time, {{3, 3.6}});
           },
       .pauses = false},
      {.name = "an echo of which the lag is known, in noise",
       .length = 8,
       .lag = [](double) { return 0.2; },
       .answer =
           [](double time) {
             return at_times(time, {{1, 5}, {6, 8}});
           },
       .talker =
           [](double time) {
             return 0.15 * at_times(time, {{3.6, 4.4}, {6.2, 7}});
           },
       .noise = 0.01,
       .known_lag = 200ms,
       .suppressor = true},
      {.name = "playback that is suddenly passed earlier",
       .length = 8,
       .lag = [](double time) { return time < 3.5 ? 0.12 : 0.15; },
       .answer =
           [](double time) {
             return at_times(time, {{0, 8}});
           },
       .talker =
           [](double time) {
             return 0.5 * at_times(time, {{6, 7}});
           },
       .suppressor = true,
       .finds_lag = true,
       .realigned = std::pair{350, 720}},
      {.name = "48 kHz",
       .rate = 48'000,
       .length = 6,
       .lag = [](double) { return 0.03; },
       .answer =
           [](double time) {
             return at_times(time, {{0, 6}});
           },
       .talker =
           [](double time) {
             return at_times(time, {{4, 5}});
           }},
      {.name = "8 kHz",
       .rate = 8'000,
       .length = 6,
       .lag = [](double) { return 0.35; },
       .answer =
           [](double time) {
             return at_times(time, {{0, 6}});
           },
       .talker =
           [](double time) {
             return at_times(time, {{4, 5}});
           }},
  };
  return all;
}

using Rows = std::vector<std::pair<std::string, Row>>;

/// A gate's steps that pass, and what it knows of the echo, each second, with shouts in between.
void add_gate(Rows& rows) {
  const Scene scene{.name = "a gate",
                    .length = 8,
                    .lag = [](double) { return 0.17; },
                    .answer =
                        [](double time) {
                          return at_times(time, {{0.5, 3}, {3.3, 7}});
                        },
                    .talker =
                        [](double time) {
                          return 4 * at_times(time, {{4.2, 4.5}, {6, 6.2}});
                        }};
  const std::vector<double> exact = speech(scene, 1, scene.answer);
  Samples played(exact.size());
  std::ranges::transform(exact, played.begin(),
                         [](double one) { return static_cast<Sample>(one); });
  Samples heard = heard_in_room(scene, exact);
  const auto gate = make_echo_gate();
  EchoPath path;
  Row passed;
  for (std::size_t at = 0; at + 240 <= heard.size(); at += 240) {
    const auto one = std::span(played).subspan(at, 240);
    const auto other = std::span(heard).subspan(at, 240);
    path.add(level_of(one).rms, level_of(other).rms);
    gate->process(one, other);
    if (at % 24'000 == 0) {
      rows.push_back({"a path",
                      {1e6 * path.coupling(), static_cast<double>(path.delay().count()),
                       1e6 * path.loudest(), path.known() ? 1.0 : 0.0}});
      passed.push_back(0);
    }
    passed.back() += level_of(other).rms > 0 ? 1 : 0;
  }
  rows.push_back({scene.name, passed});
}

void add_measurements(Rows& rows) {
  const Samples probe = probe_signal(24'000, 2'000ms);
  Row sums(4);
  for (std::size_t i = 0; i < probe.size(); ++i)
    sums[i % 4] += probe[i] * (1 + 1e-4 * static_cast<double>(i));
  rows.push_back({"a probe", sums});
  for (const double lag : {-0.03, 0.012, 0.2}) {
    const Scene scene{
        .name = "a measurement", .lag = [lag](double) { return lag; }, .noise = 0.003};
    std::vector<double> exact(probe.begin(), probe.end());
    exact.resize(exact.size() + 1'000);  // a lag below zero reads ahead
    Samples heard = heard_in_room(scene, exact);
    heard.resize(probe.size());
    const EchoReport report = measure_echo(probe, heard, 24'000);
    REQUIRE(report.delay);
    REQUIRE(report.canceled);
    rows.push_back(
        {scene.name, {static_cast<double>(report.delay->count()), report.echo, *report.canceled}});
  }
}

/// What is heard when clocks drift apart by a percent, times jitter, and a device loses audio.
void add_reference(Rows& rows) {
  auto feed = std::make_shared<PlaybackFeed>(Format{1'000, 2}, 40s, 0ms, true);
  auto reference = PlaybackReference::create(feed, {1'000, 2}, 1'000);
  REQUIRE(reference);
  Samples both(2 * 12'000);
  for (std::size_t i = 0; i < both.size(); ++i) both[i] = static_cast<Sample>(i / 2 + i % 2 * 2);
  feed->ring.write(both);
  feed->finishing = true;
  const Clock::time_point begin{1'000s};
  PlaybackReference::Cursor cursor;
  for (int i = 0; i < 200; ++i) {
    Samples out(200);
    const int lost = i > 60 ? 45 : 0;
    feed->pull(out, begin + Milliseconds(99 * i + i % 3 * 6 + lost));
    reference->update();
    Samples some(90);
    const auto when = begin + Milliseconds(90 * i - 20);
    const std::int64_t moved = reference->read(when, some, cursor);
    rows.push_back({"a reference",
                    {static_cast<double>(some.front()), static_cast<double>(some.back()),
                     static_cast<double>(moved), reference->plays(when) ? 1.0 : 0.0}});
  }
}

Rows all_rows() {
  Rows rows;
  for (const Scene& scene : scenes()) {
    for (Row& row : rows_of(scene)) rows.push_back({scene.name, std::move(row)});
  }
  add_gate(rows);
  add_measurements(rows);
  add_reference(rows);
  return rows;
}

void redraw(const Rows& rows) {
  std::ofstream file(std::string(SVC_SOURCE_DIR) + "/tests/" + k_numbers);
  file << "# The scenes of test_front_end.cpp: rows for each second, and sums of what networks "
          "saw.\n";
  for (const auto& [name, row] : rows) {
    file << name;
    for (const double one : row) file << fmt::format("\t{:.7g}", one);
    file << "\n";
  }
}

}  // namespace

TEST_CASE("an echo and a voice give the numbers that were judged") {
  const Rows rows = all_rows();
  if (std::getenv("SVC_REDRAW") != nullptr) redraw(rows);
  const auto expected = test::rows_of(k_numbers);
  REQUIRE(expected.size() == rows.size());
  for (std::size_t at = 0; at < rows.size(); ++at) {
    const auto& [name, row] = rows[at];
    CAPTURE(name);
    CAPTURE(at + 2);  // the line
    REQUIRE(expected[at].size() == row.size() + 1);
    REQUIRE(expected[at].front() == name);
    for (std::size_t i = 0; i < row.size(); ++i) {
      CAPTURE(i);
      CHECK(row[i] == doctest::Approx(std::stod(expected[at][i + 1])).epsilon(1e-4).scale(0.01));
    }
  }
}

}  // namespace front_end_numbers
