#include "print/progress.h"

#include <utility>

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

TEST_CASE("a line that is shown goes as soon as it belongs below another") {
  Captured err(test::tty());
  Hands hands;
  Progress progress(err.out(), true, hands.clock());
  progress.start("Work");
  hands.now += 1s;
  progress.tick();
  err.take();
  progress.print_below([] { return std::size_t{7}; });
  CHECK(err.take() == "\r\x1b[K");
  hands.now += 1s;
  progress.tick();
  CHECK(err.take() == "\n\r\x1b[KWork  2 s");
  progress.print_below({});
  CHECK(err.take() == "\r\x1b[K\x1b[A\x1b[7C");
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

TEST_CASE("the speed is that of this work, not of what had been done before it was resumed") {
  Captured err(test::tty(200));
  Hands hands;
  Progress progress(err.out(), true, hands.clock());
  const auto line = [&](std::chrono::milliseconds first, std::chrono::milliseconds elapsed,
                        std::uint64_t done, ProgressUnit unit = ProgressUnit::Bytes) {
    progress.start("W", unit, 40'000'000);
    const auto begin = hands.now;
    hands.now = begin + first;
    progress.update(10'000'000);
    hands.now = begin + elapsed;
    (void)err.take();
    progress.update(done);
    return err.take();
  };
  const std::string start = "\r\x1b[KW  20 MB of 40 MB  50 %";
  CHECK(line(199ms, 4s, 20'000'000) == start + "  2.5 MB/s, 9 s left  4 s");
  CHECK(line(200ms, 4s, 20'000'000) == start + "  5 MB/s, 5 s left  4 s");
  CHECK(line(0ms, 2s, 20'000'000) == start + "  2 s");
  CHECK(line(0ms, 2'500ms, 20'000'000) == start + "  4 MB/s, 6 s left  2.5 s");
  CHECK(line(0ms, 4s, 10'000'000) == "\r\x1b[KW  10 MB of 40 MB  25 %  4 s");
  CHECK(line(0ms, 4s, 40'000'000) == "\r\x1b[KW  40 MB of 40 MB  100 %  7.5 MB/s  4 s");
  CHECK(line(0ms, 4s, 20'000'000, ProgressUnit::Items) ==
        "\r\x1b[KW  20000000 of 40000000  50 %  4 s");
  CHECK(line(0ms, 4s, 20'000'000, ProgressUnit::Characters) ==
        "\r\x1b[KW  20000000 of 40000000 characters  50 %  2500000/s, 9 s left  4 s");
  progress.start("W", ProgressUnit::Characters);
  hands.now += 4s;
  progress.update(100);
  CHECK(err.take() == "\r\x1b[K\r\x1b[KW  100 characters  25/s  4 s");
}

TEST_CASE("on a narrow line the counts go first, then the time, then the label") {
  const auto line = [](int columns) {
    Hands hands;
    Captured err(test::tty(columns));
    Progress progress(err.out(), true, hands.clock());
    progress.start("a label of some length", ProgressUnit::Items, 10);
    hands.now += 2s;
    progress.update(5);
    return err.take().substr(4);
  };
  // Two columns are left free, for "^C", and one more.
  CHECK(line(48) == "a label of some length  5 of 10  50 %  2 s");
  CHECK(line(45) == "a label of some length  5 of 10  50 %  2 s");
  CHECK(line(44) == "a label of some length  50 %  2 s");
  CHECK(line(36) == "a label of some length  50 %  2 s");
  CHECK(line(35) == "a label of some leng…  50 %  2 s");
  CHECK(line(22) == "a label…  50 %  2 s");
  CHECK(line(21) == "a label of …  50 %");
  CHECK(line(8) == "a labe…");
}

TEST_CASE("what is typed is shown at once, alone in the first second") {
  Hands hands;
  Captured err(test::tty());
  Progress progress(err.out(), true, hands.clock());
  progress.typed("before");
  CHECK(err.take().empty());
  progress.typed("");
  progress.start("W");
  hands.now += 500ms;
  progress.typed("ab");
  CHECK(err.take() == "\r\x1b[K> ab");
  progress.typed("ab");
  CHECK(err.take().empty());
  progress.typed("");
  CHECK(err.take() == "\r\x1b[K");
  progress.tick();
  CHECK(err.take().empty());
  progress.typed("c");
  (void)err.take();
  progress.clear();
  (void)err.take();
  progress.tick();
  CHECK(err.take() == "\r\x1b[K> c");
  hands.now += 500ms;
  progress.tick();
  CHECK(err.take() == "\r\x1b[KW  1 s  > c");
  progress.typed("");
  CHECK(err.take() == "\r\x1b[KW  1 s");
}

TEST_CASE("a watcher is told about once a second, with the whole line") {
  Hands hands;
  Captured err;
  Progress progress(err.out(), false, hands.clock());
  std::string told;
  progress.watch([&](std::uint64_t done, std::uint64_t total, sv line) {
    told += std::to_string(done) + "/" + std::to_string(total) + " " + std::string(line) + ";";
  });
  progress.start("Work", ProgressUnit::Items, 7);
  progress.update(1);
  CHECK(told.empty());
  hands.now += 1s;
  progress.update(2);
  CHECK(std::exchange(told, {}) == "2/7 Work  2 of 7  28 %  1 s;");
  hands.now += 999ms;
  progress.update(3);
  CHECK(told.empty());
  hands.now += 1ms;
  progress.update(4, 8);
  CHECK(std::exchange(told, {}) == "4/8 Work  4 of 8  50 %  2 s;");
  progress.start("Video", ProgressUnit::Percent);
  hands.now += 1s;
  progress.update(42);
  CHECK(told == "42/100 Video  42 %  1 s;");
  CHECK(err.text().empty());
}

TEST_CASE("a listener knows while a line is drawn, or may be") {
  Hands hands;
  Captured err(test::tty());
  Progress progress(err.out(), true, hands.clock());
  std::string heard;
  progress.on_line([&](bool shown) { heard += shown ? '1' : '0'; });
  progress.start("W");
  progress.tick();
  CHECK(heard.empty());
  hands.now += 1s;
  progress.tick();
  CHECK(std::exchange(heard, {}) == "1");
  progress.clear();
  CHECK(std::exchange(heard, {}) == "0");
  progress.print_below([] { return std::size_t{3}; });
  CHECK(std::exchange(heard, {}) == "1");
  progress.tick();
  (void)std::exchange(heard, {});
  progress.clear();
  CHECK(heard.empty());
  progress.print_below({});
  CHECK(heard == "0");
}

}  // namespace svc::print
