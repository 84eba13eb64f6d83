// Commands for a running `stt live`, and the time it shows.
#include <array>
#include <csignal>

#include <doctest/doctest.h>
#include <fcntl.h>
#include <unistd.h>

#include "commands/stt/live_view.h"

namespace svc::cli {
namespace {

using namespace std::chrono_literals;
using SttKind = SttCommand::Kind;

struct Pipe {
  Pipe() { REQUIRE(::pipe(ends.data()) == 0); }
  Pipe(const Pipe&) = delete;
  Pipe& operator=(const Pipe&) = delete;
  ~Pipe() {
    ::close(ends[0]);
    end();
  }
  void write(const std::string& text) const {
    REQUIRE(::write(ends[1], text.data(), text.size()) == static_cast<ssize_t>(text.size()));
  }
  void end() {
    if (ends[1] >= 0) ::close(std::exchange(ends[1], -1));
  }
  std::array<int, 2> ends{};
};

}  // namespace

TEST_CASE("the time of a transcription is in minutes and seconds") {
  CHECK(stt_clock_text(0ms) == "0:00");
  CHECK(stt_clock_text(59'999ms) == "0:59");
  CHECK(stt_clock_text(60s) == "1:00");
  CHECK(stt_clock_text(725s) == "12:05");
  CHECK(stt_clock_text(3'659s) == "60:59");
}

TEST_CASE("commands arrive in lines, whole or in pieces") {
  Pipe pipe;
  SttControl control(pipe.ends[0]);
  CHECK(control.descriptors()[0] == pipe.ends[0]);
  CHECK(control.read(1).empty());
  pipe.write(R"({"type":"fin)");
  CHECK(control.read(1).empty());
  pipe.write("alize\"}\n\n  \n {\"type\":\"audio.done\"}\r\n{\"type\":\"Finalize\"");
  auto commands = control.read(1);
  REQUIRE(commands.size() == 2);
  CHECK(commands[0].value().kind == SttKind::Finalize);
  CHECK(commands[1].value().kind == SttKind::End);
  CHECK(control.read(1).empty());
  // The last line needs no end.
  pipe.write("}");
  pipe.end();
  commands = control.read(1);
  REQUIRE(commands.size() == 1);
  CHECK(commands[0].value().kind == SttKind::Finalize);
  CHECK(control.descriptors()[0] == -1);
  CHECK(control.read(1).empty());
}

TEST_CASE("a line of more than 64 kB is dropped") {
  Pipe pipe;
  SttControl control(pipe.ends[0]);
  const auto write_most = [&] {
    for (int i = 0; i < 16; ++i) {
      pipe.write(std::string(4'096, 'x'));
      CHECK(control.read(1).empty());
    }
  };
  write_most();
  pipe.write("\n");
  auto commands = control.read(1);
  REQUIRE(commands.size() == 1);
  CHECK_FALSE(commands[0]);
  write_most();
  pipe.write("x");
  CHECK(control.read(1).empty());
  pipe.write("{\"type\":\"finalize\"}\n");
  commands = control.read(1);
  REQUIRE(commands.size() == 1);
  CHECK(commands[0].value().kind == SttKind::Finalize);
}

TEST_CASE("a signal ends the utterance of every channel") {
  SttControl control(-1);
  CHECK(control.read(2).empty());
  REQUIRE(::raise(SIGUSR1) == 0);
  const auto commands = control.read(2);
  REQUIRE(commands.size() == 1);
  CHECK(commands[0].value().kind == SttKind::Finalize);
  CHECK_FALSE(commands[0].value().channel);
  CHECK(control.read(2).empty());
}

TEST_CASE("a control line is quoted up to 80 bytes") {
  const auto refusal = [](const std::string& line, int channels) {
    return read_stt_command(line, channels).error().message;
  };
  const std::string wide(80, 'x');
  const std::string neither = R"(' is neither {"type":"finalize"} nor {"type":"audio.done"})";
  CHECK(refusal(wide, 1) == "control line '" + wide + neither);
  CHECK(refusal(wide + "y", 1) == "control line '" + wide + "…" + neither);
  const std::string line = R"({"type":"finalize","channel":2,"pad":")" + std::string(41, 'x');
  REQUIRE(line.size() == 79);
  CHECK(refusal(line + "\"}", 2) ==
        "control line '" + line + "\"…' has an invalid channel: channels are 0 to 1");
  CHECK(refusal(R"({"type":"finalize","channel":1})", 1) ==
        R"(control line '{"type":"finalize","channel":1}' has an invalid channel: without )"
        R"(--multichannel there is only one; omit "channel")");
}

TEST_CASE("the channel of a control line") {
  const auto channel = [](const std::string& text, int channels) {
    return read_stt_command(R"({"type":"finalize","channel":)" + text + "}", channels);
  };
  CHECK(channel("0", 1).value().channel == std::nullopt);
  CHECK_FALSE(channel("1", 1));
  CHECK(channel("0", 2).value().channel == 0);
  CHECK(channel("1", 2).value().channel == 1);
  CHECK_FALSE(channel("2", 2));
  CHECK_FALSE(channel("null", 2));
  CHECK(read_stt_command(R"({"type":"audio.done","channel":9})", 1).value().kind == SttKind::End);
}

TEST_CASE("a descriptor for commands was inherited, and can be read") {
  Pipe pipe;  // without FD_CLOEXEC, like one that a shell opened
  CHECK(SttControl::check(pipe.ends[0]));
  const auto refused = SttControl::check(pipe.ends[1]);
  REQUIRE_FALSE(refused);
  const std::string number = std::to_string(pipe.ends[1]);
  CHECK(refused.error().fault == Fault::Usage);
  CHECK(refused.error().message ==
        "--control-fd " + number + ": descriptor " + number + " is not open for reading");
  CHECK(refused.error().hint == "Open it in the shell: `svc stt live --control-fd " + number + " " +
                                    number + "<> FIFO`; <> keeps it open between writers.");
  REQUIRE(::fcntl(pipe.ends[0], F_SETFD, FD_CLOEXEC) == 0);
  CHECK_FALSE(SttControl::check(pipe.ends[0]));
  CHECK_FALSE(SttControl::check(9'999));
  const int both = ::open("/dev/null", O_RDWR);
  REQUIRE(both >= 0);
  CHECK(SttControl::check(both));
  ::close(both);
}

}  // namespace svc::cli
