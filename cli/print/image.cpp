#include "print/image.h"

#include <algorithm>
#include <array>
#include <chrono>
#include <thread>

#include <fcntl.h>
#include <fmt/format.h>
#include <signal.h>
#include <spawn.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/base64.h"

namespace svc::print {
namespace {

using namespace std::chrono_literals;

constexpr int k_most_columns = 60;
constexpr auto k_patience = 5s;

int width_of(int columns) {
  return std::max(1, std::min(columns - 1, k_most_columns));
}

bool has(const Environment& environment, sv name) {
  const auto value = environment(std::string(name));
  return value && !value->empty();
}

/// Where the program is, as a shell would find it; "" when it is not there.
std::string find_program(const std::string& name, const std::string& path) {
  for (std::size_t from = 0; from <= path.size();) {
    const std::size_t colon = std::min(path.find(':', from), path.size());
    const std::string folder = path.substr(from, colon - from);
    const std::string program = folder + "/" + name;
    if (folder.starts_with('/') && ::access(program.c_str(), X_OK) == 0) return program;
    from = colon + 1;
  }
  return {};
}

/// The status of the child once it ended; killed when it takes too long.
int await(pid_t child) {
  const auto until = std::chrono::steady_clock::now() + k_patience;
  int status = -1;
  while (::waitpid(child, &status, WNOHANG) == 0) {
    if (std::chrono::steady_clock::now() >= until) ::kill(child, SIGKILL);
    std::this_thread::sleep_for(5ms);
  }
  return status;
}

}  // namespace

ImageWay image_way(const Environment& environment, const Terminal& terminal, sv media_type) {
  if (!terminal.is_tty || terminal.dumb) return ImageWay::None;
  const std::string term = environment("TERM").value_or("");
  const std::string program = environment("TERM_PROGRAM").value_or("");
  const bool inside = has(environment, "TMUX") || has(environment, "STY") ||
                      term.starts_with("screen") || term.starts_with("tmux");
  if (inside) return ImageWay::Helper;
  const bool kitty = has(environment, "KITTY_WINDOW_ID") || term == "xterm-kitty" ||
                     term == "xterm-ghostty" || program == "ghostty";
  const bool iterm = program == "iTerm.app" || program == "WezTerm" || program == "mintty" ||
                     environment("LC_TERMINAL") == "iTerm2";
  if (iterm) return ImageWay::Iterm;
  if (kitty && media_type == "image/png") return ImageWay::Kitty;
  return ImageWay::Helper;
}

std::string kitty_image(sv png, int columns) {
  constexpr std::size_t k_piece = 4096;
  const std::string encoded = base64_encode(png);
  std::string out;
  for (std::size_t at = 0; at < encoded.size() || at == 0; at += k_piece) {
    const bool more = at + k_piece < encoded.size();
    // q=2: an answer of the terminal would be taken for typing.
    const std::string first =
        at == 0 ? fmt::format("a=T,f=100,q=2,c={},", width_of(columns)) : std::string();
    out +=
        fmt::format("\x1b_G{}m={};{}\x1b\\", first, more ? 1 : 0, sv(encoded).substr(at, k_piece));
  }
  return out + "\n";
}

std::string iterm_image(sv bytes, int columns) {
  return fmt::format("\x1b]1337;File=inline=1;size={};width={};preserveAspectRatio=1:{}\a\n",
                     bytes.size(), width_of(columns), base64_encode(bytes));
}

bool run_image_helper(const Environment& environment, const std::string& path, int columns,
                      int fd) {
  const std::string program = find_program("chafa", environment("PATH").value_or(""));
  if (program.empty()) return false;
  std::string size = fmt::format("--size={0}x{0}", width_of(columns));
  std::string still = "--animate=off";
  std::string name = "chafa";
  // A name that begins with a dash is no option.
  std::string target = path.starts_with('/') ? path : "./" + path;
  std::array<char*, 5> arguments = {name.data(), size.data(), still.data(), target.data(), nullptr};
  posix_spawn_file_actions_t actions;
  if (::posix_spawn_file_actions_init(&actions) != 0) return false;
  ::posix_spawn_file_actions_addopen(&actions, STDIN_FILENO, "/dev/null", O_RDONLY, 0);
  ::posix_spawn_file_actions_adddup2(&actions, fd, STDOUT_FILENO);
  ::posix_spawn_file_actions_addopen(&actions, STDERR_FILENO, "/dev/null", O_WRONLY, 0);
  ::posix_spawn_file_actions_addclosefrom_np(&actions, 3);
  pid_t child = -1;
  const int failed =
      ::posix_spawn(&child, program.c_str(), &actions, nullptr, arguments.data(), environ);
  ::posix_spawn_file_actions_destroy(&actions);
  if (failed != 0) return false;
  const int status = await(child);
  return WIFEXITED(status) && WEXITSTATUS(status) == 0;
}

}  // namespace svc::print
