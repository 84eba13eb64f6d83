#include "process.h"

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdio>
#include <cstdlib>

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

namespace svc::bench {
namespace {

using Clock = std::chrono::steady_clock;

/// `output` becomes the program's standard output; -1 discards it.
pid_t start(const Words& words, int output) {
  const pid_t child = ::fork();
  if (child != 0) return child;
  const int nothing = ::open("/dev/null", O_RDWR);
  ::dup2(nothing, 0);
  ::dup2(output < 0 ? nothing : output, 1);
  std::vector<char*> arguments;
  for (const std::string& word : words) arguments.push_back(const_cast<char*>(word.c_str()));
  arguments.push_back(nullptr);
  ::execvp(arguments[0], arguments.data());
  ::_exit(127);
}

rusage wait_for(pid_t child, const std::string& name) {
  int status = 0;
  rusage used{};
  ::wait4(child, &status, 0, &used);
  if (!WIFEXITED(status) || WEXITSTATUS(status) != 0) {
    fmt::print(stderr, "{} failed with status {}\n", name, status);
    std::exit(1);
  }
  return used;
}

}  // namespace

Cost run_once(const Words& words) {
  const auto begin = Clock::now();
  const rusage used = wait_for(start(words, -1), words[0]);
  const std::chrono::duration<double> wall = Clock::now() - begin;
  const auto seconds = [](const timeval& time) {
    return static_cast<double>(time.tv_sec) + static_cast<double>(time.tv_usec) / 1e6;
  };
  return {wall.count(), seconds(used.ru_utime) + seconds(used.ru_stime),
          static_cast<double>(used.ru_maxrss) / 1024.0};
}

std::vector<Clock::time_point> line_times(const Words& words) {
  std::array<int, 2> ends{};
  if (::pipe2(ends.data(), O_CLOEXEC) != 0) std::exit(1);
  const pid_t child = start(words, ends[1]);
  ::close(ends[1]);
  std::vector<Clock::time_point> times;
  std::array<char, 4096> bytes{};
  for (ssize_t count = 0; (count = ::read(ends[0], bytes.data(), bytes.size())) > 0;) {
    const auto now = Clock::now();
    const auto lines = std::count(bytes.begin(), bytes.begin() + count, '\n');
    times.insert(times.end(), static_cast<std::size_t>(lines), now);
  }
  ::close(ends[0]);
  wait_for(child, words[0]);
  return times;
}

double median(std::vector<double> values) {
  const auto middle = values.begin() + static_cast<std::ptrdiff_t>(values.size() / 2);
  std::nth_element(values.begin(), middle, values.end());
  return *middle;
}

Pairs run_pairs(int runs, const Words& ours, const Words& theirs) {
  static_cast<void>(run_once(ours));
  static_cast<void>(run_once(theirs));
  std::vector<double> wall[3];
  std::vector<double> cpu[3];
  std::vector<double> later;
  Pairs pairs;
  for (int i = 0; i < runs; ++i) {
    const Cost a = run_once(ours);
    const Cost b = run_once(theirs);
    wall[0].push_back(a.wall);
    wall[1].push_back(b.wall);
    wall[2].push_back(a.wall / b.wall);
    cpu[0].push_back(a.cpu);
    cpu[1].push_back(b.cpu);
    cpu[2].push_back(a.cpu / std::max(b.cpu, 1e-6));
    later.push_back(a.wall - b.wall);
    pairs.ours.memory = std::max(pairs.ours.memory, a.memory);
    pairs.theirs.memory = std::max(pairs.theirs.memory, b.memory);
  }
  pairs.ours.wall = median(wall[0]);
  pairs.theirs.wall = median(wall[1]);
  pairs.wall = median(wall[2]);
  pairs.ours.cpu = median(cpu[0]);
  pairs.theirs.cpu = median(cpu[1]);
  pairs.cpu = median(cpu[2]);
  pairs.later = median(later);
  return pairs;
}

}  // namespace svc::bench
