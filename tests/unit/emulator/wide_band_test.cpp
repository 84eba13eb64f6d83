// Telephone speech gets an upper band; anything else passes unchanged.
#include "emulator/sound/listener.h"

#include <algorithm>
#include <cmath>
#include <initializer_list>
#include <numbers>

#include <doctest/doctest.h>

using namespace svc::emulator::speech;

namespace {

Samples tones(std::initializer_list<int> hertz, std::size_t count) {
  Samples samples(count);
  for (std::size_t i = 0; i < count; ++i) {
    double sum = 0;
    for (const int one : hertz) {
      sum += 3000 * std::sin(2 * std::numbers::pi * one * static_cast<double>(i) / 16'000);
    }
    samples[i] = to_sample(sum);
  }
  return samples;
}

Samples passed(const Samples& samples, std::size_t piece) {
  WideBand wide;
  Samples out;
  const auto add = [&](const Samples& more) { out.insert(out.end(), more.begin(), more.end()); };
  for (std::size_t at = 0; at < samples.size(); at += piece) {
    add(wide.feed(SampleView(samples).subspan(at, std::min(piece, samples.size() - at))));
  }
  add(wide.finish());
  return out;
}

}  // namespace

TEST_CASE("telephone audio gets an upper band, in pieces as in one") {
  const Samples narrow = tones({500, 1500, 2700, 3300}, 16'000);
  const Samples filled = passed(narrow, 320);
  REQUIRE(filled.size() == narrow.size());
  CHECK(filled != narrow);
  CHECK(filled == passed(narrow, 16'000));
  CHECK(filled == passed(narrow, 77));
}

TEST_CASE("audio with an upper band, silence and short audio pass unchanged") {
  const Samples wide = tones({500, 1500, 5500}, 16'000);
  CHECK(passed(wide, 320) == wide);
  const Samples silence(16'000);
  CHECK(passed(silence, 320) == silence);
  const Samples brief = tones({500}, 700);
  CHECK(passed(brief, 320) == brief);
}
