#include "print/streams.h"

#include <algorithm>
#include <atomic>
#include <chrono>
#include <climits>
#include <csignal>
#include <map>
#include <memory>
#include <thread>
#include <vector>

#include <doctest/doctest.h>
#include <fcntl.h>
#include <netinet/in.h>
#include <pty.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/text.h"
#include "print_support.h"

namespace svc::print {
namespace {

using test::Captured;

Environment environment(std::map<std::string, std::string> values) {
  return Environment{[values](const std::string& name) -> std::optional<std::string> {
    const auto found = values.find(name);
    if (found == values.end()) return std::nullopt;
    return found->second;
  }};
}

/// Closes its descriptor at the end of the test.
class Descriptor {
 public:
  explicit Descriptor(int fd) : m_fd(fd) {}
  Descriptor(const Descriptor&) = delete;
  Descriptor& operator=(const Descriptor&) = delete;
  ~Descriptor() { close(); }
  void close() {
    if (m_fd >= 0) ::close(m_fd);
    m_fd = -1;
  }
  [[nodiscard]] int get() const { return m_fd; }

 private:
  int m_fd;
};

struct Pipe {
  Pipe() {
    int fds[2] = {-1, -1};
    REQUIRE(::pipe(fds) == 0);
    read_end = std::make_unique<Descriptor>(fds[0]);
    write_end = std::make_unique<Descriptor>(fds[1]);
    std::signal(SIGPIPE, SIG_IGN);
  }
  std::unique_ptr<Descriptor> read_end{};
  std::unique_ptr<Descriptor> write_end{};
};

std::string read_all(int fd) {
  std::string all;
  char buffer[4096];
  for (ssize_t count = 0; (count = ::read(fd, buffer, sizeof buffer)) > 0;) {
    all.append(buffer, static_cast<std::size_t>(count));
  }
  return all;
}

class AskedStop final : public CancelToken {
 public:
  explicit AskedStop(std::optional<Fault> fault = Fault::Interrupted) : m_fault(fault) {}
  [[nodiscard]] std::optional<Fault> requested() const noexcept override { return m_fault; }
  [[nodiscard]] int wake_fd() const noexcept override { return -1; }

 private:
  std::optional<Fault> m_fault;
};

}  // namespace

TEST_CASE("complete lines are written, incomplete ones wait for the rest") {
  std::vector<std::string> writes;
  Terminal shared;
  shared.line_chunk = 10;
  Out out(
      [&](sv bytes) -> Result<void> {
        writes.emplace_back(bytes);
        return {};
      },
      shared);
  REQUIRE(out.write("one"));
  REQUIRE(out.flush());
  CHECK(writes.empty());
  REQUIRE(out.write(" two\nthr"));
  REQUIRE(out.flush());
  CHECK(writes == std::vector<std::string>{"one two\n"});
  REQUIRE(out.write("ee\nfour\na line that is too long\nx\ny\nrest"));
  REQUIRE(out.flush());
  CHECK(writes == std::vector<std::string>{"one two\n", "three\n", "four\n",
                                           "a line that is too long\n", "x\ny\n"});
  REQUIRE(out.finish());
  CHECK(writes.back() == "rest");
  CHECK(writes.size() == 6);
  REQUIRE(out.write(std::string(2U << 20U, 'z')));
  CHECK(writes.back().size() == 2U << 20U);
}

TEST_CASE("as many lines are written at once as fit into what a pipe takes at once") {
  const auto pieces = [](sv text) {
    std::string all;
    Terminal shared;
    shared.line_chunk = 10;
    Out out(
        [&](sv bytes) -> Result<void> {
          all += std::string(bytes) + "|";
          return {};
        },
        shared);
    REQUIRE(out.write(text));
    REQUIRE(out.flush());
    return all;
  };
  CHECK(pieces("aaaa\nbbbb\ncc\n") == "aaaa\nbbbb\n|cc\n|");
  CHECK(pieces("aaaa\nbbbbb\ncc\n") == "aaaa\n|bbbbb\ncc\n|");
  CHECK(pieces("aaaa\nbbbb\n") == "aaaa\nbbbb\n|");
  CHECK(pieces("aaaaaaaaa\nb\n") == "aaaaaaaaa\n|b\n|");
  int ends[2] = {-1, -1};
  REQUIRE(::socketpair(AF_UNIX, SOCK_STREAM, 0, ends) == 0);
  const Descriptor one(ends[0]);
  const Descriptor other(ends[1]);
  const Pipe pipe;
  const Environment nothing = environment({});
  const std::size_t at_once =
      detect_terminal(pipe.write_end->get(), ColorChoice::Auto, nothing).line_chunk;
  CHECK(at_once == PIPE_BUF);
  CHECK(detect_terminal(one.get(), ColorChoice::Auto, nothing).line_chunk == at_once);
  const Descriptor file(::open("/dev/null", O_WRONLY));
  CHECK(detect_terminal(file.get(), ColorChoice::Auto, nothing).line_chunk == sv::npos);
}

TEST_CASE("programs that share a pipe never mix their lines") {
  Pipe pipe;
  constexpr int k_writers = 6;
  constexpr int k_lines = 300;
  for (int writer = 0; writer < k_writers; ++writer) {
    const pid_t child = ::fork();
    REQUIRE(child >= 0);
    if (child != 0) continue;
    ::close(pipe.read_end->get());
    Out out(fd_sink(pipe.write_end->get(), "the pipe"),
            detect_terminal(pipe.write_end->get(), ColorChoice::Never));
    for (int line = 0; line < k_lines; ++line) {
      // In pieces, as an answer arrives; some as large as a pipe takes at once.
      const std::size_t length = line % 50 == 0 ? 4000 : static_cast<std::size_t>(line);
      for (std::size_t at = 0; at < length; at += 7) {
        (void)out.write(
            std::string(std::min<std::size_t>(7, length - at), static_cast<char>('a' + writer)));
        (void)out.flush();
      }
      (void)out.write("\n");
      if (line % 3 == 0) (void)out.flush();
    }
    (void)out.finish();
    ::_exit(0);
  }
  pipe.write_end->close();
  const std::string all = read_all(pipe.read_end->get());
  while (::wait(nullptr) > 0) {
  }
  std::size_t lines = 0;
  for (const sv line : split(all, '\n')) {
    lines += line.empty() ? 0 : 1;
    CHECK((line.empty() || line.find_first_not_of(line.front()) == sv::npos));
  }
  CHECK(lines == k_writers * k_lines);
}

TEST_CASE("--color has three values") {
  CHECK(parse_color("auto") == ColorChoice::Auto);
  CHECK(parse_color("always") == ColorChoice::Always);
  CHECK(parse_color("never") == ColorChoice::Never);
  CHECK_FALSE(parse_color("Always").has_value());
  CHECK_FALSE(parse_color("").has_value());
}

TEST_CASE("color depends on the terminal, NO_COLOR and --color") {
  const auto color = [](bool is_tty, ColorChoice choice,
                        std::map<std::string, std::string> values) {
    return describe_terminal(is_tty, 80, choice, environment(std::move(values))).color;
  };
  CHECK(color(true, ColorChoice::Auto, {{"TERM", "xterm"}}));
  CHECK(color(true, ColorChoice::Auto, {{"TERM", "xterm"}, {"NO_COLOR", ""}}));
  CHECK_FALSE(color(true, ColorChoice::Auto, {{"TERM", "xterm"}, {"NO_COLOR", "1"}}));
  CHECK_FALSE(color(true, ColorChoice::Auto, {{"TERM", "dumb"}}));
  CHECK_FALSE(color(true, ColorChoice::Auto, {}));
  CHECK_FALSE(color(false, ColorChoice::Auto, {{"TERM", "xterm"}}));
  CHECK(color(false, ColorChoice::Always, {{"TERM", "dumb"}, {"NO_COLOR", "1"}}));
  CHECK_FALSE(color(true, ColorChoice::Never, {{"TERM", "xterm"}}));
}

TEST_CASE("the width is COLUMNS, or the window's, or 80") {
  const auto columns = [](int window, const char* value) {
    return describe_terminal(true, window, ColorChoice::Auto, environment({{"COLUMNS", value}}))
        .columns;
  };
  CHECK(columns(120, "") == 120);
  CHECK(columns(120, "40") == 40);
  CHECK(columns(120, "1") == 1);
  CHECK(columns(120, "0") == 120);
  CHECK(columns(120, "-5") == 120);
  CHECK(columns(120, "wide") == 120);
  CHECK(columns(120, "99999999999") == 100000);
  CHECK(columns(0, "") == 80);
}

TEST_CASE("the codeset comes from the first locale variable that is set") {
  const auto utf8 = [](std::map<std::string, std::string> values) {
    return describe_terminal(true, 80, ColorChoice::Auto, environment(std::move(values))).utf8;
  };
  CHECK(utf8({{"LANG", "de_DE.UTF-8"}}));
  CHECK(utf8({{"LANG", "C.utf8"}}));
  CHECK_FALSE(utf8({{"LANG", "C"}}));
  CHECK_FALSE(utf8({}));
  CHECK_FALSE(utf8({{"LC_ALL", "C"}, {"LANG", "de_DE.UTF-8"}}));
  CHECK(utf8({{"LC_ALL", ""}, {"LC_CTYPE", "en_US.UTF-8"}, {"LANG", "C"}}));
}

TEST_CASE("a pseudoterminal is a terminal with a size; a pipe is not") {
  int master = -1;
  int slave = -1;
  winsize size{};
  size.ws_col = 132;
  size.ws_row = 40;
  REQUIRE(::openpty(&master, &slave, nullptr, nullptr, &size) == 0);
  const Descriptor first(master);
  const Descriptor second(slave);
  const Environment terminal = environment({{"TERM", "xterm"}});
  const Terminal found = detect_terminal(slave, ColorChoice::Auto, terminal);
  CHECK(found.is_tty);
  CHECK(found.columns == 132);
  CHECK(found.color);
  CHECK_FALSE(found.dumb);

  const Pipe pipe;
  const Terminal none = detect_terminal(pipe.write_end->get(), ColorChoice::Auto, terminal);
  CHECK_FALSE(none.is_tty);
  CHECK(none.columns == 80);
  CHECK_FALSE(none.color);
}

TEST_CASE("nothing is written before a flush, unless the buffer is full") {
  std::vector<std::size_t> sizes;
  Out out([&](sv bytes) -> Result<void> {
    sizes.push_back(bytes.size());
    return {};
  });
  const std::string kilobyte(1024, 'x');
  for (int i = 0; i < 64; ++i) REQUIRE(out.write(kilobyte));
  CHECK(sizes.empty());
  REQUIRE(out.write("y"));
  CHECK(sizes == std::vector<std::size_t>{65536});
  REQUIRE(out.flush());
  REQUIRE(out.flush());
  CHECK(sizes == std::vector<std::size_t>{65536, 1});
  REQUIRE(out.write(std::string(200'000, 'z')));  // written directly
  CHECK(sizes == std::vector<std::size_t>{65536, 1, 200'000});
}

TEST_CASE("the rest is written at the end") {
  std::string text;
  {
    Out out(string_sink(text));
    REQUIRE(out.write("left"));
    CHECK(text.empty());
  }
  CHECK(text == "left");
}

TEST_CASE("an error persists, and nothing is written after it") {
  int calls = 0;
  Out out([&](sv) -> Result<void> {
    ++calls;
    return Error{Fault::Local, "full"};
  });
  REQUIRE(out.write("a"));
  const auto first = out.flush();
  REQUIRE_FALSE(first);
  CHECK(first.error().message == "full");
  const auto second = out.write("b");
  REQUIRE_FALSE(second);
  CHECK(second.error().message == "full");
  CHECK_FALSE(out.flush());
  CHECK(calls == 1);
}

TEST_CASE("short writes to a pipe continue until everything is written") {
  Pipe pipe;
  std::string expected;
  for (int i = 0; expected.size() < 1'000'000; ++i) expected += std::to_string(i) + "\n";
  std::string got;
  // Owned by this test: reads slowly until the pipe's end.
  std::thread reader([&] { got = read_all(pipe.read_end->get()); });
  {
    Out out(fd_sink(pipe.write_end->get(), "standard output"));
    CHECK(out.write(expected));
    CHECK(out.flush());
  }
  pipe.write_end->close();
  reader.join();
  CHECK(got == expected);
}

TEST_CASE("writing waits for a non-blocking descriptor") {
  Pipe pipe;
  REQUIRE(::fcntl(pipe.write_end->get(), F_SETFL, O_NONBLOCK) == 0);
  const std::string expected(500'000, 'n');
  std::string got;
  // Owned by this test: starts reading only when the pipe is full.
  std::thread reader([&] {
    std::this_thread::sleep_for(std::chrono::milliseconds(30));
    got = read_all(pipe.read_end->get());
  });
  const auto written = fd_sink(pipe.write_end->get(), "standard output")(expected);
  pipe.write_end->close();
  reader.join();
  CHECK(written);
  CHECK(got.size() == expected.size());
}

TEST_CASE("faults 67: a reader that disconnects is ReaderGone") {
  Pipe pipe;
  pipe.read_end->close();
  Out out(fd_sink(pipe.write_end->get(), "standard output"));
  REQUIRE(out.write("x"));
  const auto gone = out.flush();
  REQUIRE_FALSE(gone);
  CHECK(gone.error().fault == Fault::ReaderGone);
  CHECK(gone.error().message == "standard output was closed by its reader");
}

TEST_CASE("faults 67: a reader on the network that resets the connection is gone too") {
  const Descriptor listener(::socket(AF_INET, SOCK_STREAM, 0));
  sockaddr_in address{};
  address.sin_family = AF_INET;
  address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
  socklen_t size = sizeof address;
  REQUIRE(::bind(listener.get(), reinterpret_cast<sockaddr*>(&address), size) == 0);
  REQUIRE(::listen(listener.get(), 1) == 0);
  REQUIRE(::getsockname(listener.get(), reinterpret_cast<sockaddr*>(&address), &size) == 0);
  const Descriptor writer(::socket(AF_INET, SOCK_STREAM, 0));
  REQUIRE(::connect(writer.get(), reinterpret_cast<sockaddr*>(&address), size) == 0);
  {
    const Descriptor reader(::accept(listener.get(), nullptr, nullptr));
    const linger at_once{1, 0};
    REQUIRE(::setsockopt(reader.get(), SOL_SOCKET, SO_LINGER, &at_once, sizeof at_once) == 0);
  }
  Out out(fd_sink(writer.get(), "standard output"));
  REQUIRE(out.write("x"));
  const auto gone = out.flush();
  REQUIRE_FALSE(gone);
  CHECK(gone.error().fault == Fault::ReaderGone);
}

TEST_CASE("faults 66: a full device is a local fault with a hint") {
  const Descriptor full(::open("/dev/full", O_WRONLY));
  REQUIRE(full.get() >= 0);
  const auto written = fd_sink(full.get(), "standard output")("x");
  REQUIRE_FALSE(written);
  CHECK(written.error().fault == Fault::Local);
  CHECK(written.error().message == "cannot write to standard output: No space left on device");
  CHECK(written.error().hint == "Free up space, or write elsewhere with --output FILE.");
}

TEST_CASE("a closed descriptor is reported as closed") {
  const auto written = fd_sink(-1, "standard output")("x");
  REQUIRE_FALSE(written);
  CHECK(written.error().fault == Fault::Local);
  CHECK(written.error().message == "standard output is closed");
}

TEST_CASE(
    "faults 78: after canceling, a stalled reader is abandoned within 200 ms, a fast one is "
    "served") {
  // The machine itself may stall, but not five times.
  auto shortest = std::chrono::steady_clock::duration::max();
  for (int attempt = 0; attempt < 5 && shortest >= std::chrono::milliseconds(200); ++attempt) {
    Pipe pipe;
    const AskedStop cancel;
    const Sink sink = fd_sink(pipe.write_end->get(), "standard output", &cancel);
    CHECK(sink("the text so far\n"));
    const auto begin = std::chrono::steady_clock::now();
    const auto written = sink(std::string(1'000'000, 'x'));
    shortest = std::min(shortest, std::chrono::steady_clock::now() - begin);
    REQUIRE_FALSE(written);
    CHECK(written.error().fault == Fault::Interrupted);
    char buffer[16];
    REQUIRE(::read(pipe.read_end->get(), buffer, sizeof buffer) == 16);
    CHECK(sv(buffer, 16) == "the text so far\n");
  }
  CHECK(shortest < std::chrono::milliseconds(200));
}

namespace {
std::atomic<bool> signalled{false};

class SignalToken final : public CancelToken {
 public:
  [[nodiscard]] std::optional<Fault> requested() const noexcept override {
    return signalled ? std::optional<Fault>(Fault::Terminated) : std::nullopt;
  }
  [[nodiscard]] int wake_fd() const noexcept override { return -1; }
};
}  // namespace

TEST_CASE("a signal interrupts a blocked write; without canceling it continues") {
  struct sigaction action {};
  action.sa_handler = [](int) { signalled = true; };
  struct sigaction before {};
  REQUIRE(::sigaction(SIGUSR1, &action, &before) == 0);
  signalled = false;
  Pipe pipe;
  const SignalToken cancel;
  const pthread_t writer = ::pthread_self();
  // Owned by this test: signals the blocked writer repeatedly until told to end.
  std::atomic<bool> done{false};
  std::thread sender([&] {
    while (!done) {
      std::this_thread::sleep_for(std::chrono::milliseconds(20));
      ::pthread_kill(writer, SIGUSR1);
    }
  });
  const auto written =
      fd_sink(pipe.write_end->get(), "standard output", &cancel)(std::string(1'000'000, 'x'));
  done = true;
  sender.join();
  ::sigaction(SIGUSR1, &before, nullptr);
  REQUIRE_FALSE(written);
  CHECK(written.error().fault == Fault::Terminated);
}

TEST_CASE("faults 86: external text is escaped on a terminal and unchanged elsewhere") {
  const sv hostile = "a\x1b]52;c;aGk=\x07\xc2\x9b\x7f\tb\n";
  Captured pipe;
  CHECK(write_text(pipe.out(), hostile));
  CHECK(pipe.text() == hostile);
  Captured terminal(test::tty());
  CHECK(write_text(terminal.out(), hostile));
  CHECK(terminal.text() == "a^[]52;c;aGk=^G\\u{9b}^?\tb\n");
}

TEST_CASE("a million small writes are cheap") {
  const Descriptor null(::open("/dev/null", O_WRONLY));
  Out out(fd_sink(null.get(), "standard output"));
  rusage before{};
  ::getrusage(RUSAGE_SELF, &before);
  for (int i = 0; i < 1'000'000; ++i) (void)out.write("token ");
  rusage after{};
  ::getrusage(RUSAGE_SELF, &after);
  CHECK(out.flush());
  // 6 MB in 64 KiB pieces take about ninety system calls, so memory must not grow by that.
  CHECK(after.ru_maxrss - before.ru_maxrss < 4096);
}

TEST_CASE("a terminal calls its user by a notification or the bell") {
  const auto call = [](std::map<std::string, std::string> values) {
    return call_user(environment(std::move(values)), "done");
  };
  CHECK(call({{"TERM", "xterm-256color"}}) == "\a");
  CHECK(call({{"TERM", "xterm-kitty"}}) == "\x1b]9;done\x1b\\");
  CHECK(call({{"TERM", "xterm-256color"}, {"TERM_PROGRAM", "WezTerm"}}) == "\x1b]9;done\x1b\\");
  for (const char* program : {"iTerm.app", "WezTerm", "ghostty"}) {
    CHECK(call({{"TERM_PROGRAM", program}}) == "\x1b]9;done\x1b\\");
    CHECK(call({{"TERM", "screen"}, {"TERM_PROGRAM", program}}) == "\a");
    CHECK(call({{"STY", "1"}, {"TERM_PROGRAM", program}}) == "\a");
  }
  CHECK(call({{"TERM", "xterm-ghostty"}}) == "\x1b]9;done\x1b\\");
  CHECK(call({{"TERM", "xterm"}, {"KITTY_WINDOW_ID", "1"}}) == "\x1b]9;done\x1b\\");
  CHECK(call({{"TERM", "tmux-256color"}, {"TERM_PROGRAM", "ghostty"}}) == "\a");
  CHECK(call({{"TERM", "xterm-kitty"}, {"TMUX", "/tmp/x,1,0"}}) == "\a");
}

TEST_CASE("a terminal without color is plain, and one for a screen reader is dumb too") {
  const auto of = [](bool is_tty, std::map<std::string, std::string> values) {
    return describe_terminal(is_tty, 80, ColorChoice::Auto, environment(std::move(values)));
  };
  CHECK_FALSE(of(true, {{"TERM", "xterm"}}).plain);
  CHECK(of(true, {{"TERM", "xterm"}, {"NO_COLOR", "1"}}).plain);
  CHECK(of(true, {{"TERM", "dumb"}}).plain);
  CHECK_FALSE(of(false, {{"TERM", "dumb"}}).plain);
  const Terminal read = for_screen_reader(of(true, {{"TERM", "xterm"}}));
  CHECK((read.plain && read.dumb && read.screen_reader && !read.color));
  CHECK_FALSE(for_screen_reader(of(false, {{"TERM", "xterm"}})).dumb);
}

}  // namespace svc::print
