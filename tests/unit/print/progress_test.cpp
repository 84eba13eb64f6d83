#include "print/progress.h"

#include <doctest/doctest.h>

#include "print/flow.h"
#include "print_support.h"

namespace svc::print {
namespace {

using namespace std::chrono_literals;
using test::Captured;

/// A clock that a test advances.
struct Hands {
  std::chrono::steady_clock::time_point now{};
  [[nodiscard]] Progress::Clock clock() {
    return [this] { return now; };
  }
};

}  // namespace

TEST_CASE("nothing is shown in the first second, then at most ten updates a second") {
  Captured err(test::tty());
  Hands hands;
  Progress progress(err.out(), true, hands.clock());
  progress.start("Uploading a.pdf", ProgressUnit::Bytes, 30'000'000);
  progress.update(1'000'000);
  hands.now += 999ms;
  progress.update(10'000'000);
  CHECK(err.text().empty());
  hands.now += 1ms;
  progress.update(12'000'000);
  CHECK(err.take() == "\r\x1b[KUploading a.pdf  12 MB of 30 MB  40 %  1 s");
  hands.now += 99ms;
  progress.update(13'000'000);
  CHECK(err.take().empty());
  hands.now += 1ms;
  progress.update(15'000'000);
  CHECK(err.take() == "\r\x1b[KUploading a.pdf  15 MB of 30 MB  50 %  1.1 s");
  progress.finish();
  CHECK(err.take() == "\r\x1b[K");
  hands.now += 5s;
  progress.update(30'000'000);
  progress.finish();
  CHECK(err.take().empty());
}

TEST_CASE("each unit has its own format") {
  Captured err(test::tty());
  Hands hands;
  Progress progress(err.out(), true, hands.clock());
  const auto line = [&](ProgressUnit unit, std::optional<std::uint64_t> total, std::uint64_t done) {
    progress.start("Work", unit, total);
    err.take();
    hands.now += 2s;
    progress.update(done);
    return err.take();
  };
  CHECK(line(ProgressUnit::Time, {}, 0) == "\r\x1b[KWork  2 s");
  CHECK(line(ProgressUnit::Bytes, {}, 1500) == "\r\x1b[KWork  1.5 kB  2 s");
  CHECK(line(ProgressUnit::Items, 10, 3) == "\r\x1b[KWork  3 of 10  30 %  2 s");
  CHECK(line(ProgressUnit::Items, {}, 3) == "\r\x1b[KWork  3  2 s");
  CHECK(line(ProgressUnit::Percent, {}, 42) == "\r\x1b[KWork  42 %  2 s");
  CHECK(line(ProgressUnit::Items, 10, 12) == "\r\x1b[KWork  12 of 10  100 %  2 s");
  progress.update(3, 4);
  hands.now += 1s;
  progress.tick();
  CHECK(err.take() == "\r\x1b[KWork  3 of 4  75 %  3 s");
}

TEST_CASE("speed and time left are shown after two seconds, and remain if the line is shortened") {
  Hands hands;
  for (const int columns : {120, 80, 60, 40}) {
    CAPTURE(columns);
    Captured err(test::tty(columns));
    Progress progress(err.out(), true, hands.clock());
    progress.start("Downloading a-rather-long-name-of-a-file.mp4", ProgressUnit::Bytes, 30'000'000);
    hands.now += 4s;
    progress.update(10'000'000);
    const std::string line = err.take();
    CHECK(line.find("33 %") != std::string::npos);
    CHECK(line.find("2.5 MB/s, 9 s left") != std::string::npos);
    CHECK(line.size() <= static_cast<std::size_t>(columns) + 8);
    progress.start("Video", ProgressUnit::Percent);
    hands.now += 4s;
    progress.update(50);
    CHECK(err.take().find("Video  50 %  5 s left  4 s") != std::string::npos);
    progress.start("Speech", ProgressUnit::Characters, 1000);
    hands.now += 4s;
    progress.update(200);
    CHECK(err.take().find("20 %  50/s, 17 s left") != std::string::npos);
  }
}

TEST_CASE("work that is a part of something shows the time since that began") {
  Hands hands;
  Captured err(test::tty());
  Progress progress(err.out(), true, hands.clock());
  const auto begin = hands.now;
  hands.now += 30s;
  progress.start("waiting");
  progress.part_of(begin);
  progress.aside("about 12 tokens");
  hands.now += 900ms;
  progress.tick();
  CHECK(err.take().empty());
  hands.now += 200ms;
  progress.tick();
  CHECK(err.take() == "\r\x1b[Kwaiting  about 12 tokens  31.1 s");
}

TEST_CASE("below an open line the cursor returns to its position") {
  Captured err(test::tty());
  Hands hands;
  std::size_t column = 7;
  Progress progress(err.out(), true, hands.clock());
  progress.print_below([&] { return column; });
  progress.start("Work");
  hands.now += 1s;
  progress.tick();
  CHECK(err.take() == "\n\r\x1b[KWork  1 s");
  progress.clear();
  CHECK(err.take() == "\r\x1b[K\x1b[A\x1b[7C");
  progress.typed("a\x1b[2Jb");
  CHECK(err.take() == "\n\r\x1b[KWork  1 s  > a^[[2Jb");
  progress.finish();
  err.take();
  column = k_unknown_column;
  progress.start("Work");
  hands.now += 2s;
  progress.tick();
  CHECK(err.take().empty());
}

TEST_CASE("a cleared line is shown again by the next update") {
  Captured err(test::tty());
  Hands hands;
  Progress progress(err.out(), true, hands.clock());
  progress.start("Work");
  hands.now += 1s;
  progress.tick();
  err.take();
  progress.clear();
  CHECK(err.take() == "\r\x1b[K");
  progress.clear();
  CHECK(err.take().empty());
  hands.now += 100ms;
  progress.tick();
  CHECK(err.take() == "\r\x1b[KWork  1.1 s");
}

TEST_CASE("the line never reaches the last column, and the label is escaped") {
  Hands hands;
  Captured narrow(test::tty(12));
  {
    Progress progress(narrow.out(), true, hands.clock());
    progress.start("a\x1b[2Jb\nlong label");
    hands.now += 1s;
    progress.tick();
    CHECK(narrow.take() == "\r\x1b[Ka^[[2Jb^…");
  }
  CHECK(narrow.take() == "\r\x1b[K");
  Captured one(test::tty(1));
  Progress progress(one.out(), true, hands.clock());
  progress.start("Work");
  hands.now += 1s;
  progress.tick();
  CHECK(one.take().empty());
}

TEST_CASE("faults 103: nothing if not wanted, not on a terminal, on a dumb or a tiny one") {
  Terminal dumb = test::tty();
  dumb.dumb = true;
  Captured pipe;
  Captured unwanted(test::tty());
  Captured plain(dumb);
  Captured tiny(test::tty(7));
  Hands hands;
  Progress first(pipe.out(), true, hands.clock());
  Progress second(unwanted.out(), false, hands.clock());
  Progress third(plain.out(), true, hands.clock());
  Progress fourth(tiny.out(), true, hands.clock());
  for (Progress* progress : {&first, &second, &third, &fourth}) {
    progress->start("Work", ProgressUnit::Bytes, 10);
    hands.now += 5s;
    progress->update(5);
    progress->finish();
  }
  CHECK(pipe.text().empty());
  CHECK(unwanted.text().empty());
  CHECK(plain.text().empty());
  CHECK(tiny.text().empty());
}

}  // namespace svc::print
