// The line editor on a terminal of its own: what keys make of a message, and what is on the screen.
#include "terminal/editor/line_editor.h"

#include <array>
#include <chrono>
#include <csignal>
#include <filesystem>
#include <functional>
#include <optional>
#include <string>
#include <vector>

#include <doctest/doctest.h>
#include <fmt/format.h>
#include <poll.h>
#include <sys/ioctl.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <termios.h>
#include <unistd.h>

#include "base/file_descriptor.h"
#include "base/files.h"
#include "base/platform.h"
#include "base/text.h"
#include "base/write_target.h"
#include "support/pty.h"
#include "support/screen.h"

namespace svc::cli {
namespace {

struct Setup {
  int columns = 40;
  int rows = 12;
  std::vector<std::string> history{};      ///< oldest first
  std::vector<std::string> completions{};  ///< of the word before the cursor
  std::vector<std::string> items{};        ///< to choose from, instead of a message
  bool vi = false;
  bool dumb = false;
  bool color = false;
  bool utf8 = true;
  bool edits = true;    ///< the editor adds "!"; otherwise it fails
  std::string ahead{};  ///< keys typed before the message is asked for
  int messages = 1;     ///< read one after the other
};

struct Outcome {
  std::string result{};                ///< the messages with | between, or `(what else)`
  std::vector<std::string> screens{};  ///< after each of the steps that did not end it
  std::string written{};               ///< to the terminal
  std::vector<std::string> faults{};
};

std::vector<std::size_t> items_like(const std::vector<std::string>& items, sv typed) {
  std::vector<std::size_t> found;
  for (std::size_t i = 0; i < items.size(); ++i) {
    if (items[i].find(typed) != std::string::npos) found.push_back(i);
  }
  return found;
}

int g_stopped_terminal = -1;

/// In place of being stopped: tells the terminal's modes.
void tell_modes(int /*number*/) {
  termios modes{};
  ::tcgetattr(g_stopped_terminal, &modes);
  const bool own = (modes.c_lflag & ICANON) != 0 && (modes.c_lflag & ECHO) != 0;
  (void)write_all(g_stopped_terminal, own ? "(stopped)" : "(stopped raw)", "the terminal");
}

std::string run_editor(int terminal_fd, const Setup& setup) {
  RawTerminal terminal(terminal_fd);
  g_stopped_terminal = terminal_fd;
  ::signal(SIGTSTP, tell_modes);
  print::Terminal kind;
  kind.is_tty = true;
  kind.utf8 = setup.utf8;
  kind.color = setup.color;
  kind.dumb = setup.dumb;
  kind.columns = setup.columns;
  print::Out out(print::fd_sink(terminal_fd, "the terminal"), kind);
  InputHistory history{std::filesystem::path()};
  for (const std::string& entry : setup.history) (void)history.add(entry, {});
  const NeverCanceled cancel;
  LineEditor editor(terminal, out, history, cancel, [&](const std::string& text, std::size_t at) {
    const std::size_t blank = at == 0 ? sv::npos : text.rfind(' ', at - 1);
    const std::size_t begin = blank == sv::npos ? 0 : blank + 1;
    Completion completion{begin, {}};
    for (const std::string& word : setup.completions) {
      if (word.starts_with(sv(text).substr(begin, at - begin))) completion.words.push_back(word);
    }
    return completion;
  });
  if (setup.vi) editor.use_vi();
  editor.edit_with([&](const std::string& text) -> Result<std::string> {
    if (setup.edits) return text + "!";
    return Error{Fault::Local, "no editor\x1b[2J here"};
  });
  if (!setup.items.empty()) {
    const auto picked = editor.pick(
        "? ",
        {[&](const std::string& typed) { return items_like(setup.items, typed); },
         [&](std::size_t item, std::size_t width) { return setup.items[item].substr(0, width); }});
    if (!picked) return "(" + picked.error().message + ")";
    return *picked ? setup.items[**picked] : "(left)";
  }
  editor.before_stop([terminal_fd] { (void)write_all(terminal_fd, "(tidy)", "the terminal"); });
  editor.keep_ahead(setup.ahead);
  std::string all;
  for (int i = 0; i < setup.messages; ++i) {
    const auto message = editor.read("> ");
    if (!message) return "(" + message.error().message + ")";
    all += (i > 0 ? "|" : "") + message->value_or("(left)");
  }
  return all;
}

/// The process that edits: the terminal must be its own.
[[noreturn]] void edit_in_child(const test::Pty& pty, int result, const Setup& setup) noexcept {
  ::prctl(PR_SET_PDEATHSIG, SIGKILL);
  ::setsid();
  ::ioctl(pty.slave(), TIOCSCTTY, 0);
  (void)write_all(result, run_editor(pty.slave(), setup), "the result");
  ::_exit(0);
}

/// A process that edits, on its terminal.
class Editing {
 public:
  explicit Editing(const Setup& setup)
      : m_pty(*test::Pty::open(setup.columns, setup.rows)),
        m_pipe(*make_pipe()),
        m_screen(static_cast<std::size_t>(setup.columns), static_cast<std::size_t>(setup.rows)),
        m_child(::fork()) {
    REQUIRE(m_child >= 0);
    if (m_child == 0) edit_in_child(m_pty, m_pipe.write.get(), setup);
    m_pipe.write = FileDescriptor();
    // The prompt comes once keys are read.
    while (!m_ended && m_screen.text().empty() && is_in_time()) take(5);
  }
  Editing(const Editing&) = delete;
  Editing& operator=(const Editing&) = delete;
  ~Editing() {
    if (!m_ended) ::kill(m_child, SIGKILL);
    ::waitpid(m_child, nullptr, 0);
  }

  [[nodiscard]] bool ended() const noexcept { return m_ended; }
  [[nodiscard]] const std::string& result() const noexcept { return m_result; }
  [[nodiscard]] const test::Screen& screen() const noexcept { return m_screen; }
  [[nodiscard]] const std::string& written() const noexcept { return m_written; }

  /// Types keys, and waits until the editor waits for others.
  void type(sv keys) {
    REQUIRE(write_all(m_pty.master(), keys, "the terminal"));
    // An escape character is a key of its own after 50 ms.
    const int checks = keys.ends_with('\x1b') ? 40 : 2;
    for (int idle = 0; idle < checks && !m_ended && is_in_time();) {
      idle = take(3) || !is_idle() ? 0 : idle + 1;
    }
  }

 private:
  /// Shows what the terminal writes within so many milliseconds; false if that is nothing.
  bool take(int milliseconds) {
    std::array<pollfd, 2> waits{{{m_pty.master(), POLLIN, 0}, {m_pipe.read.get(), POLLIN, 0}}};
    if (::poll(waits.data(), 2, milliseconds) <= 0) return false;
    std::array<char, 4096> buffer;
    for (const pollfd& wait : waits) {
      if ((wait.revents & (POLLIN | POLLHUP)) == 0) continue;
      const ssize_t count = ::read(wait.fd, buffer.data(), buffer.size());
      const sv bytes(buffer.data(), static_cast<std::size_t>(std::max<ssize_t>(count, 0)));
      if (wait.fd == m_pty.master()) m_screen.feed(bytes);
      if (wait.fd == m_pty.master()) m_written += bytes;
      if (wait.fd == m_pipe.read.get()) m_result += bytes;
      m_ended = m_ended || (wait.fd == m_pipe.read.get() && count <= 0);
    }
    return true;
  }

  /// Nothing is left to read, the process sleeps, and has written nothing more.
  [[nodiscard]] bool is_idle() const {
    // The system passes on what was typed at its leisure, or when somebody asks.
    pollfd typed{m_pty.slave(), POLLIN, 0};
    ::poll(&typed, 1, 0);
    int unread = 0;
    ::ioctl(m_pty.slave(), FIONREAD, &unread);
    const auto facts = read_file(fmt::format("/proc/{}/stat", m_child));
    if (unread != 0 || !facts || facts->find(") S ") == std::string::npos) return false;
    pollfd written{m_pty.master(), POLLIN, 0};
    return ::poll(&written, 1, 0) == 0;
  }

  /// A process that hangs fails the test instead of stopping it.
  [[nodiscard]] bool is_in_time() const {
    return std::chrono::steady_clock::now() - m_begin < std::chrono::seconds(60);
  }

  test::Pty m_pty;
  Pipe m_pipe;
  test::Screen m_screen;
  pid_t m_child;
  std::string m_result{};
  std::string m_written{};
  bool m_ended = false;
  std::chrono::steady_clock::time_point m_begin = std::chrono::steady_clock::now();
};

/// Types the steps, each when the terminal is quiet after the one before.
Outcome edit(const std::vector<std::string>& steps, const Setup& setup = {}) {
  Editing editing(setup);
  Outcome outcome;
  for (const std::string& step : steps) {
    if (editing.ended()) break;
    editing.type(step);
    outcome.screens.push_back(editing.screen().text());
  }
  outcome.result = editing.ended() ? editing.result() : "(still there)";
  outcome.written = editing.written();
  outcome.faults = editing.screen().faults();
  return outcome;
}

/// The message that keys make.
std::string typed(const std::string& keys, const Setup& setup = {}) {
  return edit({keys + "\r"}, setup).result;
}

}  // namespace

TEST_CASE("keys of the line editor move in the message and change it") {
  constexpr std::array<std::array<sv, 2>, 34> k_edits = {{
      {"abc\x02\x02X", "aXbc"},           // Ctrl-B
      {"abc\x01X", "Xabc"},               // Ctrl-A
      {"abc\x01\x06X", "aXbc"},           // Ctrl-F
      {"abc\x01\x05X", "abcX"},           // Ctrl-E
      {"abc\x1b[D\x1b[DX", "aXbc"},       // Left
      {"abc\x1b[H\x1b[CX", "aXbc"},       // Home, Right
      {"abc\x1b[H\x1b[FX", "abcX"},       // End
      {"abc\x01\x1b[3~", "bc"},           // Delete
      {"abc\x01\x04", "bc"},              // Ctrl-D
      {"abc\x7f\bX", "aX"},               // Backspace
      {"one two\x1b[1;5DX", "one Xtwo"},  // Ctrl-Left
      {"one two\x1b"
       "bX",
       "one Xtwo"},  // Alt-B
      {"one two\x01\x1b"
       "fX",
       "oneX two"},
      {"one two\x01\x1b[1;5CX", "oneX two"},
      {"one two\x17X", "one X"},      // Ctrl-W
      {"one two\x1b\x7fX", "one X"},  // Alt-Backspace
      {"one two\x01\x1b"
       "dX",
       "X two"},  // Alt-D
      {"one two\x01\x1b[3;5~X", "X two"},
      {"one two\x02\x02\x02\x0bX", "one X"},  // Ctrl-K
      {"one two\x02\x02\x02\x15X", "Xtwo"},   // Ctrl-U
      {"one two\x17\x01\x19", "twoone "},     // Ctrl-Y
      {"ab\x02\x14X", "baX"},                 // Ctrl-T
      {"one\x15two\x1f\x1f", "one"},          // Ctrl-_ takes back one change
      {"one\x03two", "two"},                  // Ctrl-C
      {"one\\\rtwo", "one\ntwo"},             // the backslash goes
      {"one\\\\", "one\\\\"},                 // a backslash that is meant
      {"\"\"\"one\rtwo\r\"\"\"", "\"\"\"one\ntwo\n\"\"\""},
      {"one\x1b\rtwo", "one\ntwo"},          // Alt-Enter
      {"one\x1b[13;2utwo", "one\ntwo"},      // Shift-Enter
      {"\x1b[200~a\rb\x1b[201~c", "a\nbc"},  // paste
      {"one\x18two", "onetwo"},              // Ctrl-X alone
      {"one\x18\x05\x05two", "one!two"},     // Ctrl-X Ctrl-E, the editor's text
      {"one\x18x\x05two", "onextwo"},        // not with a key between
      {"one\x0ctwo", "onetwo"},              // Ctrl-L
  }};
  for (const auto& [keys, text] : k_edits) {
    CAPTURE(visible(keys));
    CHECK(typed(std::string(keys)) == text);
  }
  CHECK(edit({"\x04"}).result == "(left)");
  CHECK(edit({"\r", " \r", "\t\r"}).result == "(still there)");
}

TEST_CASE("the arrows move through the rows, then through earlier messages and back to the draft") {
  const Setup setup{.history = {"first", "second\nline", "third"}};
  CHECK(typed("draft\x1b[A", setup) == "third");
  CHECK(typed("draft\x1b[A\x1b[A", setup) == "second\nline");
  CHECK(typed("draft\x1b[A\x1b[A\x1b[A", setup) == "second\nline");  // its first row
  CHECK(typed("draft\x1b[A\x1b[A\x1b[A\x1b[A", setup) == "first");
  CHECK(typed("draft\x10\x10\x10\x10\x10\x10", setup) == "first");  // Ctrl-P
  CHECK(typed("draft\x1b[A\x1b[B", setup) == "draft");
  CHECK(typed("draft\x10\x0e", setup) == "draft");  // Ctrl-N
  CHECK(typed("draft\x0e", setup) == "draft");
  CHECK(typed("one\x1b\rtwo\x1b[AX\x1b[BY", setup) == "oneX\ntwoY");
  CHECK(typed("draft\x10\x03\x10", setup) == "third");  // Ctrl-C forgets the place
}

TEST_CASE("earlier messages are found by a part of them") {
  const Setup setup{.history = {"alpha one", "beta", "alpha two"}};
  CHECK(typed("\x12"
              "alp",
              setup) == "alpha two");
  CHECK(typed("\x12"
              "alp\x12",
              setup) == "alpha one");
  CHECK(typed("\x12"
              "alp\x12\x12",
              setup) == "alpha one");  // no older one
  CHECK(typed("\x12"
              "betx\x7f",
              setup) == "beta");
  CHECK(typed("draft\x12"
              "alp\x07",
              setup) == "draft");  // Ctrl-G
  CHECK(typed("draft\x12"
              "alp\x03",
              setup) == "draft");  // Ctrl-C ends only the search
  CHECK(typed("\x12"
              "bet\x01X",
              setup) == "Xbeta");
  const Outcome shown = edit({"\x12"
                              "alp",
                              "\x12", "\x12", "zz", "\x1b"},
                             setup);
  REQUIRE(shown.screens.size() == 5);
  CHECK(shown.screens[0] == "> alpha two\nsearch: alp\n");
  CHECK(shown.screens[1] == "> alpha one\nsearch: alp\n");
  CHECK(shown.screens[2] == "> alpha one\nsearch: alp\nno older match\n");
  CHECK(shown.screens[3] == "> alpha one\nsearch: alpzz\nno match\n");
  CHECK(shown.screens[4] == "> alpha one\n");
}

TEST_CASE("Tab completes a word, and goes through what fits") {
  const Setup setup{.completions = {"/model", "/mode-x", "/save"}};
  CHECK(typed("/s\t", setup) == "/save");
  CHECK(typed("/m\t", setup) == "/mode");  // as far as all agree
  CHECK(typed("/m\t\t", setup) == "/model");
  CHECK(typed("/m\t\t\t", setup) == "/mode-x");
  CHECK(typed("/m\t\t\t\t", setup) == "/model");
  CHECK(typed("/m\t\x1b[Z", setup) == "/mode-x");
  CHECK(typed("/m\t\t\x1b[Z", setup) == "/mode-x");
  CHECK(typed("x /s\tz", setup) == "x /savez");
  CHECK(typed("/q\tz", setup) == "/qz");
  CHECK(typed("/m\t\tx\t", setup) == "/modelx");
  const Outcome shown = edit({"/m\t", "\t", "x"}, setup);
  REQUIRE(shown.screens.size() == 3);
  CHECK(shown.screens[0] == "> /mode\n/model /mode-x\n");
  CHECK(shown.screens[1] == "> /model\n/model /mode-x\n");
  CHECK(shown.screens[2] == "> /modelx\n");
  Setup many{.columns = 24, .completions = {}};
  for (int i = 10; i < 40; ++i) many.completions.push_back(fmt::format("word{}", i));
  CHECK(edit({"w\t"}, many).screens.back() ==
        "> word\nword10 word11 word12\nword13 word14 word15\nword16 word17 word18\n"
        "word19 word20 word21 …\n");
}

TEST_CASE("a long paste is shortened once the message is sent, a short one is not") {
  std::string nine = "\x1b[200~";
  for (int i = 0; i < 9; ++i) nine += fmt::format("line {}\n", i);
  const std::string ten = nine + "line 9\n";
  const Outcome is_short = edit({nine + "end\x1b[201~", "\r"}, {.rows = 20});
  CHECK(is_short.screens.back().find("  line 8\n  end\n") != std::string::npos);
  const Outcome is_long = edit({"see " + ten + "\x1b[201~!", "\r"}, {.rows = 20});
  CHECK(is_long.screens.back() == "> see [10 lines]!\n");
  CHECK(is_long.result.ends_with("line 9\n!"));
  CHECK(edit({ten + "half\x1b[201~", "\r"}, {.rows = 20}).screens.back() == "> [11 lines]\n");
  const Outcome within = edit({"ab\x1b[D" + ten + "\x1b[201~", "\r"}, {.rows = 20});
  CHECK(within.screens.back() == "> a[10 lines]b\n");
  CHECK(within.result.ends_with("line 9\nb"));
}

TEST_CASE("each message begins anew") {
  CHECK(edit({"one\r", "two\r"}, {.messages = 2}).result == "one|two");
  CHECK(edit({"one\rtwo\r"}, {.messages = 2}).result == "one|two");  // the rest is kept
  const Outcome shown = edit({"one\x1b\rtwo\x01\x1b[A\r", "three"}, {.messages = 2});
  CHECK(shown.screens.front() == "> one\n  two\n>\n");
  CHECK(shown.screens.back() == "> one\n  two\n> three\n");
  CHECK(edit({"one\r", "\x1f\x1fx\r"}, {.messages = 2}).result == "one|x");  // nothing to undo
  CHECK(edit({"one\x17two\r", "\x19\r"}, {.messages = 2}).result == "two|one");
  const Setup earlier{.history = {"first", "second", "third"}, .messages = 2};
  CHECK(edit({"\x1b[A\x1b[A\r", "\x1b[A\r"}, earlier).result == "second|third");
  // Only what is pasted into a message is shortened in it.
  std::string lines;
  for (int i = 0; i < 11; ++i) lines += std::to_string(i) + (i < 10 ? "\n" : "");
  const Outcome again = edit({"\x1b[200~" + lines + "\x1b[201~\r", "\x1b[A\r"},
                             {.rows = 40, .history = {lines}, .messages = 2});
  CHECK(again.result == lines + "|" + lines);
  CHECK(again.screens.front() == "> [11 lines]\n>\n");
  CHECK(again.screens.back() == "> [11 lines]\n> " + replace_all(lines, "\n", "\n  ") + "\n");
  const Setup vi{.vi = true, .messages = 2};
  CHECK(edit({"one\x1b", "\r", "xy\r"}, vi).result == "one|xy");
}

TEST_CASE("hints are below the message until the next key") {
  const Outcome hint = edit({"\x03", "a"});
  REQUIRE(hint.screens.size() == 2);
  CHECK(hint.screens[0] == ">\nPress Ctrl-D or type /exit to leave.\n");
  CHECK(hint.screens[1] == "> a\n");
  const Outcome failed = edit({"a\x18\x05", "b"}, {.edits = false});
  REQUIRE(failed.screens.size() == 2);
  CHECK(failed.screens[0] == "> a\nno editor^[[2J here\n");
  CHECK(failed.screens[1] == "> ab\n");
}

TEST_CASE("with vi's keys, Escape leads to commands, of the editor too") {
  const Setup setup{.history = {"alpha one", "beta", "alpha two"}, .vi = true};
  const Outcome shown = edit({"ab\x1b", "x", "i", "c"}, setup);
  REQUIRE(shown.screens.size() == 4);
  CHECK(shown.screens[0] == "> ab\n-- NORMAL --\n");
  CHECK(shown.screens[1] == "> a\n-- NORMAL --\n");
  CHECK(shown.screens[2] == "> a\n");
  CHECK(shown.screens[3] == "> ca\n");
  const auto vi = [&](const std::string& keys) { return edit({"\x1b", keys, "\r"}, setup).result; };
  CHECK(vi("k") == "alpha two");
  CHECK(vi("kk") == "beta");
  CHECK(vi("kkj") == "alpha two");
  CHECK(vi("/alp\r") == "alpha two");
  CHECK(vi("/alp\rn") == "alpha one");
  CHECK(vi("kv") == "alpha two!");
  CHECK(vi("k0\x7fx") == "lpha two");  // Backspace moves
  CHECK(vi("k0dwicd") == "cdtwo");
  // Of what is typed after a command, nothing is left to repeat if more was erased.
  CHECK(edit({"abc\x1b", "A\x7f\x7fx\x1b", ".", "\r"}, setup).result == "ax");
  CHECK(edit({"abc\x1b", "Ade\x7fx\x1b", ".", "\r"}, setup).result == "abcdxdx");
  CHECK(vi("\x03"
           "cd") == "cd");  // Ctrl-C inserts again
}

TEST_CASE("an item is chosen from a list that is filtered as one types") {
  Setup setup{.columns = 60, .rows = 6, .items = {}};
  for (int i = 1; i <= 7; ++i) setup.items.push_back(fmt::format("item {}", i));
  const std::string ending = "; type to filter, Enter chooses, Esc leaves\n";
  const Outcome shown =
      edit({"", "\x1b[6~", "\x1b[B", "\x1b[5~", "\x1b[5~", "7", "x", "\r", "\x15"}, setup);
  REQUIRE(shown.screens.size() == 9);
  const std::string first = "?\n> item 1\n  item 2\n  item 3\n1 of 7" + ending;
  CHECK(shown.screens[0] == first);
  CHECK(shown.screens[1] == "?\n> item 4\n  item 5\n  item 6\n4 of 7" + ending);
  CHECK(shown.screens[2] == "?\n  item 4\n> item 5\n  item 6\n5 of 7" + ending);
  CHECK(shown.screens[3] == "?\n  item 1\n> item 2\n  item 3\n2 of 7" + ending);
  CHECK(shown.screens[4] == first);
  CHECK(shown.screens[5] == "? 7\n> item 7\n1 of 1" + ending);
  CHECK(shown.screens[6] == "? 7x\nno match; Esc leaves\n");
  CHECK(shown.screens[7] == shown.screens[6]);  // Enter chooses nothing
  CHECK(shown.screens[8] == first);
  CHECK(shown.faults.empty());
  CHECK(edit({"\r"}, setup).result == "item 1");
  CHECK(edit({"\x1b[B\x1b[B\r"}, setup).result == "item 3");
  CHECK(edit({"\t\t\x1b[Z\r"}, setup).result == "item 2");
  CHECK(edit({"\x0e\x0e\x10\r"}, setup).result == "item 2");
  CHECK(edit({"\x1b[A\r"}, setup).result == "item 1");
  CHECK(edit({"\x1b[6~\x1b[6~\x1b[6~\x1b[B\r"}, setup).result == "item 7");
  CHECK(edit({"5\r"}, setup).result == "item 5");
  CHECK(edit({"\x1b"}, setup).result == "(left)");
  CHECK(edit({"\x03"}, setup).result == "(left)");
  CHECK(edit({"\x07"}, setup).result == "(left)");
  CHECK(edit({"\x1b\r\x12\x18\x05\r"}, setup).result == "item 1");  // keys of a message do nothing
}

TEST_CASE("a list on a small screen shows the chosen item") {
  Setup setup{.columns = 30, .rows = 3, .items = {"one", "two", "three"}};
  const std::string ending = " of 3; type to filter, Ente…\n";
  const Outcome three = edit({"", "\x1b[B", "\x1b[B"}, setup);
  REQUIRE(three.screens.size() == 3);
  CHECK(three.screens[0] == "?\n> one\n1" + ending);
  CHECK(three.screens[1] == "?\n> two\n2" + ending);
  CHECK(three.screens[2] == "?\n> three\n3" + ending);
  setup.rows = 2;
  CHECK(edit({"\x1b[B"}, setup).screens.back() == "?\n> two\n");
  setup.rows = 6;
  setup.utf8 = false;
  CHECK(edit({"\x1b[B"}, setup).screens.back() ==
        "?\n  one\n> two\n  three\n2 of 3; type to filter, En...\n");
}

TEST_CASE("what is below the message is dim, and a chosen item bold") {
  const Outcome plain = edit({"\x03"});
  CHECK(plain.written.find("\x1b[2m") == std::string::npos);
  const Outcome hint = edit({"\x03"}, {.color = true});
  CHECK(hint.written.find("\r\x1b[2mPress Ctrl-D or type /exit to leave.\x1b[0m\x1b[K") !=
        std::string::npos);
  const Outcome list = edit({""}, {.items = {"one", "two"}, .color = true});
  CHECK(list.written.find("\r\x1b[1m> one\x1b[0m\x1b[K") != std::string::npos);
  CHECK(list.written.find("\r  two\x1b[K") != std::string::npos);
  CHECK(list.written.find("\r\x1b[2m1 of 2; type to filter, Enter chooses,") != std::string::npos);
}

TEST_CASE("a search starts anew, goes round, and ends with the key of something else") {
  const Setup setup{.history = {"alpha one", "beta", "alpha two"}};
  CHECK(typed("\x12"
              "alp\x12\x01\x12"
              "alp",
              setup) == "alpha two");
  CHECK(typed("\x12"
              "b\x7f"
              "alp",
              setup) == "alpha one");  // on from where it was
  const Outcome round = edit({"\x12"
                              "alp\x12\x12",
                              "\x12"},
                             setup);
  REQUIRE(round.screens.size() == 2);
  CHECK(round.screens[0] == "> alpha one\nsearch: alp\nno older match\n");
  CHECK(round.screens[1] == "> alpha one\nsearch: alp\n");
  Setup with_vi = setup;
  with_vi.vi = true;
  const auto vi = [&](const std::string& keys) {
    return edit({"\x1b", keys, "\r"}, with_vi).result;
  };
  CHECK(vi("/alp\x01x") == "lpha two");  // Ctrl-A moves
  CHECK(vi("kx") == "alpha tw");         // the cursor is on the last character
  CHECK(vi("k0\x1b[Fx") == "alpha tw");
  const Outcome shown = edit({"ab\x1b", "/be"}, with_vi);
  REQUIRE(shown.screens.size() == 2);
  CHECK(shown.screens[1] == "> beta\nsearch: be\n");
}

TEST_CASE("completion begins anew with each word, and never splits a character") {
  const Setup setup{.completions = {"/model", "/mode-x", "/save"}};
  CHECK(typed("/m\t\t /m\t\t", setup) == "/model /model");
  CHECK(typed("/m\t\t\t\x1b[Z", setup) == "/model");
  CHECK(typed("see \tx", {.completions = {"\u00e4", "\u00f6"}}) == "see x");
  Setup many{.columns = 25, .completions = {}, .utf8 = false};
  for (int i = 10; i < 22; ++i) many.completions.push_back(fmt::format("word{}", i));
  const std::string four =
      "> word\nword10 word11 word12\nword13 word14 word15\nword16 word17 word18\n"
      "word19 word20 word21";
  CHECK(edit({"w\t"}, many).screens.back() == four + "\n");
  many.completions.emplace_back("word22");
  CHECK(edit({"w\t"}, many).screens.back() == four + " ...\n");
}

TEST_CASE("Enter continues a message at its end, and a changed paste stays as it is") {
  CHECK(typed("one\\\x1b[D\rtwo") == "one\ntwo");
  CHECK(edit({"ab\x03"}).screens.back() == ">\n");  // a hint is for an empty message
  std::string paste = "\x1b[200~";
  for (int i = 0; i < 12; ++i) paste += fmt::format("{}\n", i);
  const Outcome changed = edit({paste + "\x1b[201~\x7f", "\r"}, {.rows = 20});
  CHECK(changed.screens.back().ends_with("  10\n  11\n"));
  // The editor has the terminal's own modes.
  const Outcome elsewhere = edit({"a\x18\x05", "\r"});
  CHECK(elsewhere.result == "a!");
  for (const char* mode : {"\x1b[?2004h", "\x1b[?2004l"}) {
    const std::size_t first = elsewhere.written.find(mode);
    CHECK(elsewhere.written.find(mode, first + 1) != std::string::npos);
  }
}

TEST_CASE("a filtered list begins with its first item, and items have a line each") {
  Setup setup{.columns = 30, .rows = 6, .items = {"item 1", "item 2", "item 3"}};
  CHECK(edit({"\x1b[B\x1b[B", "item\r"}, setup).result == "item 1");
  CHECK(edit({"\x12"}, setup).screens == edit({""}, setup).screens);  // no search of messages
  setup.items = {std::string(40, 'x')};
  const std::string wide = "\n> " + std::string(27, 'x') + "\n";
  CHECK(edit({""}, setup).screens.back().find(wide) != std::string::npos);
  setup.dumb = true;
  CHECK(edit({""}, setup).screens.back() == std::string(29, 'x') + "\n?\n");
  setup.columns = 15;
  CHECK(edit({""}, setup).written.find(std::string(19, 'x') + "\n") == 0);
}

TEST_CASE("the terminal's modes are those of the message, and its own again afterwards") {
  const Outcome plain = edit({"a\r"});
  CHECK(plain.result == "a");
  CHECK(plain.written.starts_with("\x1b[?2004h"));
  CHECK(plain.written.ends_with("\x1b[?2004l"));
  CHECK(plain.written.find(" q") == std::string::npos);
  const Outcome vi = edit({"a\x1b", "i", "\r"}, {.vi = true});
  CHECK(vi.result == "a");
  const std::size_t bar = vi.written.find("\x1b[6 q");
  const std::size_t block = vi.written.find("\x1b[2 q", bar);
  const std::size_t bar_again = vi.written.find("\x1b[6 q", block);
  CHECK(bar_again != std::string::npos);
  CHECK(vi.written.find("\x1b[6 q", bar + 1) == bar_again);  // only when it changes
  CHECK(vi.written.find("\x1b[0 q", block) != std::string::npos);
  const Outcome again = edit({"ab\x0c", "c"});
  CHECK(again.written.find("\x1b[H\x1b[2J") != std::string::npos);
  CHECK(again.screens.front() == "> ab\n");
  CHECK(again.screens.back() == "> abc\n");
}

TEST_CASE("Ctrl-Z suspends the editor: the terminal has its own modes until it goes on") {
  const std::string stop = "\x1b[?2004l\x1b[?1004l(stopped)\x1b[?2004h";
  const Outcome plain = edit({"ab", "\x1a", "c\r"});
  CHECK(plain.result == "abc");
  CHECK(plain.written.find("> ab") < plain.written.find("\n\x1b[J(tidy)" + stop + "\r"));
  CHECK(plain.screens[1] == "> ab\n> ab\n");
  const Outcome vi = edit({"ab\x1b", "\x1a", "x\r"}, {.vi = true});
  CHECK(vi.result == "a");
  CHECK(vi.written.find("(tidy)\x1b[0 q" + stop + "\x1b[2 q") != std::string::npos);
  const Outcome ahead = edit({""}, {.ahead = "ab\x1a"
                                             "c\r"});
  CHECK(ahead.result == "abc");
  CHECK(ahead.written.starts_with("(tidy)" + stop));
}

TEST_CASE("what is typed ahead is kept as keys and shown as text") {
  std::string written;
  print::Terminal kind;
  kind.is_tty = kind.utf8 = true;
  print::Out out(print::string_sink(written), kind);
  std::string plainly;
  print::Out plain(print::string_sink(plainly), {.is_tty = true});
  RawTerminal none(-1);
  InputHistory history{std::filesystem::path()};
  const NeverCanceled cancel;
  LineEditor editor(none, out, history, cancel, {});
  editor.keep_ahead("ab\x7f");
  editor.keep_ahead("c\rd\x1b\re\x1b[200~f\x1b[201~\x1b[A");
  CHECK(editor.typed_ahead() == "ac⏎ d⏎ ef");
  editor.keep_ahead("\x15g");
  CHECK(editor.typed_ahead() == "g");
  LineEditor ascii(none, plain, history, cancel, {});
  ascii.keep_ahead("a\rb");
  CHECK(ascii.typed_ahead() == "a / b");
  editor.keep_ahead("\x03h");
  CHECK(editor.typed_ahead() == "h");
  // Reports of the terminal are no keys, however they are split.
  CHECK_FALSE(editor.looks());
  editor.keep_ahead("\x1b[");
  editor.keep_ahead("Oi");
  CHECK(editor.looks() == false);
  editor.keep_ahead("\x1b[Ij");
  CHECK(editor.looks() == true);
  CHECK(editor.typed_ahead() == "hij");
  editor.watch_focus(true);
  CHECK_FALSE(editor.looks());
  editor.watch_focus(false);
  CHECK(written == "\x1b[?1004h\x1b[?1004l");
  editor.keep_ahead(std::string(2U << 20U, 'x'));
  const std::size_t most = editor.typed_ahead().size();
  CHECK(most > (1U << 20U) - 200);
  CHECK(most <= 1U << 20U);
}

TEST_CASE("a dumb terminal has its own line editing") {
  const Setup dumb{.dumb = true};
  CHECK(edit({"one\n"}, dumb).result == "one");
  CHECK(edit({"one\\\ntwo\n"}, dumb).result == "one\ntwo");
  CHECK(edit({"\"\"\"one\ntwo\"\"\"\n"}, dumb).result == "\"\"\"one\ntwo\"\"\"");
  CHECK(edit({"\x04"}, dumb).result == "(left)");
  CHECK(edit({"one\\\n"}, dumb).written.ends_with("\n  "));
  Setup list{.columns = 60, .rows = 40, .items = {}, .dumb = true};
  for (int i = 1; i <= 22; ++i) list.items.push_back(fmt::format("item {:02}", i));
  const Outcome shown = edit({"", "zz\n"}, list);
  CHECK(shown.screens.front().starts_with("item 01\nitem 02\n"));
  CHECK(shown.screens.front().ends_with("item 20\n?\n"));
  CHECK(shown.result == "(nothing matches 'zz')");
  CHECK(edit({"22\n"}, list).result == "item 22");
  CHECK(edit({"\n"}, list).result == "(left)");
  CHECK(edit({"\x04"}, list).result == "(left)");
}

}  // namespace svc::cli
