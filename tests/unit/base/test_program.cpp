#include <algorithm>
#include <array>
#include <chrono>
#include <csignal>
#include <cstdio>
#include <cstdlib>
#include <fstream>
#include <memory>
#include <string>
#include <thread>
#include <utility>

#include <doctest/doctest.h>
#include <unistd.h>

#include "base/cancel_token.h"
#include "base/file_descriptor.h"
#include "base/platform.h"
#include "base/program.h"
#include "child_process.h"

using namespace svc;
using namespace std::chrono_literals;

namespace {

ProgramOptions shell(const std::string& script, std::string input = {}) {
  return {.arguments = {"sh", "-c", script}, .input = std::move(input)};
}

/// Takes what is written to the standard outputs of this process while it exists.
class OwnOutputs {
 public:
  OwnOutputs() {
    for (const int fd : {STDOUT_FILENO, STDERR_FILENO}) {
      REQUIRE(::dup2(::fileno(m_files[index(fd)].get()), fd) == fd);
    }
  }
  OwnOutputs(const OwnOutputs&) = delete;
  OwnOutputs& operator=(const OwnOutputs&) = delete;
  ~OwnOutputs() {
    for (const int fd : {STDOUT_FILENO, STDERR_FILENO}) ::dup2(m_before[index(fd)].get(), fd);
  }

  [[nodiscard]] std::pair<std::string, std::string> texts() const {
    return {text(STDOUT_FILENO), text(STDERR_FILENO)};
  }

 private:
  struct Close {
    void operator()(std::FILE* file) const noexcept { (void)std::fclose(file); }
  };
  using File = std::unique_ptr<std::FILE, Close>;

  static std::size_t index(int fd) { return fd == STDOUT_FILENO ? 0 : 1; }

  [[nodiscard]] std::string text(int fd) const {
    std::array<char, 64> bytes{};
    const int file = ::fileno(m_files[index(fd)].get());
    const ssize_t count = ::pread(file, bytes.data(), bytes.size(), 0);
    return {bytes.data(), static_cast<std::size_t>(std::max<ssize_t>(count, 0))};
  }

  std::array<FileDescriptor, 2> m_before{FileDescriptor(::dup(STDOUT_FILENO)),
                                         FileDescriptor(::dup(STDERR_FILENO))};
  std::array<File, 2> m_files{File(std::tmpfile()), File(std::tmpfile())};
};

}  // namespace

TEST_CASE("a program gets its input, variables and arguments unchanged") {
  std::string output;
  ProgramOptions run = shell(R"(printf '%s|%s|' "$1" "$SVC_X"; cat)", "in");
  run.arguments.insert(run.arguments.end(), {"name", "a 'b' $(c)"});
  run.variables = {{"SVC_X", "x y"}};
  run.output = ProgramOutput::Captured;
  run.take = [&](std::string_view bytes) { output += bytes; };
  const auto end = run_program(run, NeverCanceled{});
  REQUIRE(end.has_value());
  CHECK(end->code == 0);
  CHECK(output == std::string("a 'b' $(c)|x y|in"));
}

TEST_CASE("a program gets no secret of svc, or only the usual variables") {
  const std::string script =
      "env | grep -oE '^(SVC_T_[A-Z_]*|LC_T|XDG_T|OTHER_T)=' | sort | tr -d '\\n'";
  for (const char* name : {"SVC_T_API_KEY", "SVC_T_SECRET", "SVC_T_KEY_FILE", "SVC_T_URL", "LC_T",
                           "XDG_T", "OTHER_T"}) {
    REQUIRE(::setenv(name, "x", 1) == 0);
  }
  const auto seen = [&](Inherit inherit, std::vector<std::string> passed = {}) {
    std::string output;
    ProgramOptions run = shell(script);
    run.inherit = inherit;
    run.passed_variables = std::move(passed);
    run.output = ProgramOutput::Captured;
    run.take = [&](std::string_view bytes) { output += bytes; };
    REQUIRE(run_program(run, NeverCanceled{}).has_value());
    return output;
  };
  CHECK(seen(Inherit::NoSecrets) == "LC_T=OTHER_T=SVC_T_URL=XDG_T=");
  CHECK(seen(Inherit::NoSecrets, {"SVC_T_SECRET"}) == "LC_T=OTHER_T=SVC_T_SECRET=SVC_T_URL=XDG_T=");
  CHECK(seen(Inherit::Usual) == "LC_T=XDG_T=");
  CHECK(seen(Inherit::Usual, {"SVC_T_API_KEY"}) == "LC_T=SVC_T_API_KEY=XDG_T=");
  CHECK(seen(Inherit::Everything) ==
        "LC_T=OTHER_T=SVC_T_API_KEY=SVC_T_KEY_FILE=SVC_T_SECRET=SVC_T_URL=XDG_T=");
}

TEST_CASE("a variable is a secret of svc by its beginning and its end") {
  CHECK(test::in_child([] {
          for (const char* name :
               {"SVC_U_KEY", "SVC_U_SECRET", "SVC_U_TOKEN", "SVC_U_PASSWORD", "SVC_U_FILE",
                "SVC_U_KEYS", "SVC_U_KEY_ID", "SVC_UKEY", "XSVC_U_KEY", "U_TOKEN"}) {
            ::setenv(name, "x", 1);
          }
          std::string output;
          ProgramOptions run = shell(
              "env | LC_ALL=C sort | sed -n 's/^\\([A-Z_]*U_*[A-Z_]*\\)=x$/\\1/p' | tr '\\n' ' '");
          run.inherit = Inherit::NoSecrets;
          run.output = ProgramOutput::Captured;
          run.take = [&](std::string_view bytes) { output += bytes; };
          if (!run_program(run, NeverCanceled{})) return 2;
          for (const char* name :
               {"SVC_UKEY ", "SVC_U_KEYS ", "SVC_U_KEY_ID ", "XSVC_U_KEY ", "U_TOKEN "}) {
            if (output.find(name) == std::string::npos) return 3;
          }
          for (const char* end :
               {" SVC_U_KEY ", "SVC_U_SECRET", "SVC_U_TOKEN", "SVC_U_PASSWORD", "SVC_U_FILE"}) {
            if ((" " + output).find(end) != std::string::npos) return 4;
          }
          return 0;
        }) == 0);
}

TEST_CASE("no program is none that can be started") {
  const auto none = start_program({});
  REQUIRE_FALSE(none);
  CHECK(none.error().fault == Fault::Unexpected);
  CHECK(none.error().message == "no program given");
}

TEST_CASE("how a program ended, in words") {
  CHECK(describe({.code = 0}, 0ms) == "exit code 0");
  CHECK(describe({.code = 255}, 0ms) == "exit code 255");
  CHECK(describe({.signal = SIGKILL}, 0ms) == "signal 9 (Killed)");
  CHECK(describe({.signal = SIGTERM, .timed_out = true}, 1500ms) == "ended after 1.5 s");
}

TEST_CASE("the standard streams of this process can be given to a program in any order") {
  CHECK(test::in_child([] {
          auto to_program = make_pipe(Blocking::Yes);
          auto from_program = make_pipe(Blocking::Yes);
          if (!to_program || !from_program) return 2;
          if (::write(to_program->write.get(), "said\n", 5) != 5) return 3;
          // Its input is this process's output, and its outputs are this process's input.
          ::dup2(from_program->write.get(), STDIN_FILENO);
          ::dup2(to_program->read.get(), STDOUT_FILENO);
          const auto pid =
              start_program({.arguments = {"sh", "-c", "read a; echo \"<$a>\"; echo err >&2"},
                             .input = STDOUT_FILENO,
                             .output = STDIN_FILENO,
                             .error = STDIN_FILENO});
          int status = -1;
          if (!pid || ::waitpid(*pid, &status, 0) != *pid || status != 0) return 4;
          std::array<char, 64> bytes{};
          const ssize_t count = ::read(from_program->read.get(), bytes.data(), bytes.size());
          return std::string_view(bytes.data(), count > 0 ? static_cast<std::size_t>(count) : 0) ==
                         "<said>\nerr\n"
                     ? 0
                     : 5;
        }) == 0);
}

TEST_CASE("the usual variables are those of the shell, of languages, directories and proxies") {
  CHECK(test::in_child([] {
          const std::string usual =
              "ALL_PROXY HOME HTTPS_PROXY LANG LANGUAGE LC_ALL LC_X LOGNAME NO_PROXY SHELL TERM "
              "TMPDIR USER XDG_STATE_HOME all_proxy http_proxy https_proxy no_proxy ";
          for (std::size_t at = 0; at < usual.size(); at = usual.find(' ', at) + 1) {
            ::setenv(usual.substr(at, usual.find(' ', at) - at).c_str(), "/x", 1);
          }
          for (const char* other : {"HTTP_PROXY", "LCX", "XDG", "HOMES", "IHOME"}) {
            ::setenv(other, "/x", 1);
          }
          std::string output;
          ProgramOptions run = shell("env | LC_ALL=C sort | sed -n 's|=/x$||p' | tr '\\n' ' '");
          run.inherit = Inherit::Usual;
          run.output = ProgramOutput::Captured;
          run.take = [&](std::string_view bytes) { output += bytes; };
          if (!run_program(run, NeverCanceled{})) return 2;
          return output == usual ? 0 : 1;
        }) == 0);
}

TEST_CASE("a program's signals are as usual, whatever this process does with its own") {
  for (const char* name : {"INT", "TERM", "PIPE", "HUP", "QUIT", "XFSZ"}) {
    CAPTURE(name);
    CHECK(test::in_child([name] {
            sigset_t all;
            sigfillset(&all);
            ::sigprocmask(SIG_BLOCK, &all, nullptr);
            for (const int signal : {SIGINT, SIGTERM, SIGPIPE, SIGHUP, SIGQUIT, SIGXFSZ}) {
              ::signal(signal, SIG_IGN);
            }
            const rlimit no_core{0, 0};
            ::setrlimit(RLIMIT_CORE, &no_core);
            const auto end =
                run_program(shell(std::string("kill -s ") + name + " $$; exit 7"), NeverCanceled{});
            return end && end->signal != 0 ? 0 : 1;
          }) == 0);
  }
}

TEST_CASE("an added variable replaces an inherited one") {
  REQUIRE(::setenv("OTHER_TWICE", "old", 1) == 0);
  std::string output;
  ProgramOptions run = shell("env | grep '^OTHER_TWICE='; printf %s \"$OTHER_TWICE\"");
  run.variables = {{"OTHER_TWICE", "new"}};
  run.output = ProgramOutput::Captured;
  run.take = [&](std::string_view bytes) { output += bytes; };
  REQUIRE(run_program(run, NeverCanceled{}).has_value());
  CHECK(output == "OTHER_TWICE=new\nnew");
}

TEST_CASE("a program starts in the given directory, or not at all") {
  std::FILE* output = std::tmpfile();
  REQUIRE(output != nullptr);
  const auto pid = start_program(
      {.arguments = {"sh", "-c", "pwd -P"}, .directory = "/", .output = ::fileno(output)});
  REQUIRE(pid);
  int status = -1;
  REQUIRE(::waitpid(*pid, &status, 0) == *pid);
  CHECK(status == 0);
  std::array<char, 8> bytes{};
  CHECK(::pread(::fileno(output), bytes.data(), bytes.size(), 0) == 2);
  CHECK(std::string(bytes.data()) == "/\n");
  (void)std::fclose(output);
  const auto nowhere = start_program({.arguments = {"sh", "-c", ":"}, .directory = "/no/such"});
  REQUIRE_FALSE(nowhere);
  CHECK(nowhere.error().fault == Fault::Local);
  CHECK(nowhere.error().message == "the program 'sh' cannot be run: No such file or directory");
}

TEST_CASE("both outputs of a program are captured together or apart") {
  const std::string script = "printf out; printf err >&2";
  std::string output;
  std::string error;
  ProgramOptions run = shell(script);
  run.output = ProgramOutput::All;
  run.take = [&](std::string_view bytes) { output += bytes; };
  REQUIRE(run_program(run, NeverCanceled{}).has_value());
  CHECK(output == "outerr");
  output.clear();
  run.output = ProgramOutput::Captured;
  run.take_error = [&](std::string_view bytes) { error += bytes; };
  REQUIRE(run_program(run, NeverCanceled{}).has_value());
  CHECK(output == "out");
  CHECK(error == "err");
}

TEST_CASE("what is not captured goes to this process's outputs, or all to its error output") {
  const auto taken = [](ProgramOutput output) {
    const OwnOutputs outputs;
    ProgramOptions run = shell("printf out; printf err >&2");
    run.output = output;
    REQUIRE(run_program(run, NeverCanceled{}).has_value());
    return outputs.texts();
  };
  CHECK(taken(ProgramOutput::Inherited) == std::pair<std::string, std::string>("out", "err"));
  CHECK(taken(ProgramOutput::Error) == std::pair<std::string, std::string>("", "outerr"));
}

TEST_CASE("long input and output pass through; unread input is dropped") {
  const std::string input(3'000'000, 'x');
  std::size_t count = 0;
  ProgramOptions run = shell("cat", input);
  run.output = ProgramOutput::Captured;
  run.take = [&](std::string_view bytes) { count += bytes.size(); };
  REQUIRE(run_program(run, NeverCanceled{}).has_value());
  CHECK(count == input.size());
  const auto deaf = run_program(shell("exit 3", input), NeverCanceled{});
  REQUIRE(deaf.has_value());
  CHECK(deaf->code == 3);
  CHECK(describe(*deaf, 0s) == "exit code 3");
}

TEST_CASE("how a program exited is reported") {
  const auto killed = run_program(shell("kill -9 $$"), NeverCanceled{});
  REQUIRE(killed.has_value());
  CHECK(killed->signal == 9);
  CHECK(describe(*killed, 0s) == "signal 9 (Killed)");
  ProgramOptions slow = shell("sleep 30 & sleep 30");
  slow.limit = 50ms;
  const auto begin = std::chrono::steady_clock::now();
  const auto late = run_program(slow, NeverCanceled{});
  REQUIRE(late.has_value());
  CHECK(late->timed_out);
  CHECK(describe(*late, 50ms) == "ended after 50 ms");
  CHECK(std::chrono::steady_clock::now() - begin < 10s);
  const auto none = run_program({.arguments = {"/nowhere/program"}}, NeverCanceled{});
  REQUIRE_FALSE(none.has_value());
  CHECK(none.error().fault == Fault::Local);
  CHECK(none.error().message.find("/nowhere/program") != std::string::npos);
}

TEST_CASE("what a program leaves behind lives on if it ended by itself, and ends with it if not") {
  const auto left = [](std::chrono::milliseconds limit, const std::string& then) {
    std::string output;
    ProgramOptions run = shell("(trap '' TERM; exec sleep 30) & echo $!; " + then);
    run.own_group = true;
    run.limit = limit;
    run.output = ProgramOutput::Captured;
    run.take = [&](std::string_view bytes) { output += bytes; };
    REQUIRE(run_program(run, NeverCanceled{}).has_value());
    const pid_t pid = std::stoi(output);
    // One that was killed is reaped by others, soon.
    bool alive = ::kill(pid, 0) == 0;
    for (int i = 0; i < 200 && alive && limit.count() > 0; ++i) {
      std::ifstream in("/proc/" + std::to_string(pid) + "/stat");
      std::string word;
      in >> word >> word >> word;
      alive = !word.empty() && word != "Z";
      if (alive) std::this_thread::sleep_for(10ms);
    }
    ::kill(pid, SIGKILL);
    return alive;
  };
  CHECK(left(0ms, "exit 0"));
  CHECK_FALSE(left(200ms, "exec sleep 30"));
}

TEST_CASE("canceling ends the program") {
  CancelSource cancel;
  std::thread asks([&] {
    std::this_thread::sleep_for(50ms);
    cancel.cancel();
  });
  const auto begin = std::chrono::steady_clock::now();
  const auto ended = run_program(shell("sleep 30"), cancel);
  asks.join();
  REQUIRE_FALSE(ended.has_value());
  CHECK(ended.error().fault == Fault::Interrupted);
  CHECK(std::chrono::steady_clock::now() - begin < 10s);
}
