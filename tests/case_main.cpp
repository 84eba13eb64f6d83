// svc-cases: runs the end-to-end cases of tests/cases.
#include <algorithm>
#include <atomic>
#include <csignal>
#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <functional>
#include <mutex>
#include <string>
#include <thread>
#include <vector>

#include <CLI/CLI.hpp>
#include <fnmatch.h>
#include <malloc.h>
#include <sys/resource.h>
#include <unistd.h>

#include "base/text.h"
#include "support/case_process.h"
#include "support/case_runner.h"

namespace {

namespace fs = std::filesystem;
using namespace svc::test;

struct Options {
  std::vector<std::string> filters{};
  std::string directory = SVC_SOURCE_DIR "/tests/cases";
  Programs programs{SVC_PROGRAM, SVC_EMULATOR_PROGRAM, SVC_SOUND_PROGRAM, SVC_PRELOAD_DIRECTORY,
                    {},          SVC_SOURCE_DIR};
  unsigned jobs = 8;
  bool list = false;
  bool once = false;
  bool stop = false;
  bool record = false;
  Keep keep = Keep::Nothing;
};

[[noreturn]] void stop_with(const std::string& message) {
  std::fprintf(stderr, "svc-cases: %s\n", message.c_str());
  std::exit(2);
}

/// Exits after --help and for wrong arguments.
Options read_options(int count, char** arguments) {
  Options options;
  CLI::App app{
      "Runs the cases in tests/cases; tests/support/case_file.h describes their format.\n"
      "A failed case with a reason for a retry (retry, tty, sound, a measured time) is shown as "
      "AGAIN\n"
      "and tried up to twice more, once no other case is running."};
  app.add_option("--filter", options.filters, "Run the cases whose AREA/NAME matches the GLOB")
      ->allow_extra_args(false)
      ->type_name("GLOB");
  app.add_option("--directory", options.directory, "Directory of the cases");
  app.add_option("--svc", options.programs.svc, "The program svc");
  app.add_option("--emulator", options.programs.emulator, "The program svc-emulator");
  app.add_option("--jobs", options.jobs, "Cases to run at once")->check(CLI::Range(1, 64));
  app.add_flag("--list", options.list, "List the cases");
  app.add_flag("--once", options.once, "Do not try a failed case again");
  app.add_flag("--stop", options.stop, "Start no case after one that failed");
  app.add_flag(
      "--record", options.record,
      "Write what was shown into the cases that end with `--- stdout` or `--- screen`: read each\n"
      "line that `git diff` then shows");
  bool keep = false;
  app.add_flag("--keep", keep, "Keep the directories of failed cases");
  try {
    app.parse(count, arguments);
  } catch (const CLI::ParseError& error) {
    std::exit(app.exit(error) == 0 ? 0 : 2);
  }
  if (keep) options.keep = Keep::Failed;
  // The cases run in directories of their own.
  options.programs.svc = fs::absolute(options.programs.svc).string();
  options.programs.emulator = fs::absolute(options.programs.emulator).string();
  return options;
}

bool wanted(const Options& options, const std::string& name) {
  return options.filters.empty() ||
         std::ranges::any_of(options.filters, [&](const std::string& filter) {
           return ::fnmatch(filter.c_str(), name.c_str(), 0) == 0;
         });
}

std::vector<std::string> find_names(const Options& options) {
  std::vector<std::string> names;
  for (const auto& entry : fs::recursive_directory_iterator(options.directory)) {
    if (entry.path().extension() != ".case") continue;
    std::string name = fs::relative(entry.path(), options.directory).replace_extension().string();
    if (wanted(options, name)) names.push_back(std::move(name));
  }
  std::ranges::sort(names);
  return names;
}

/// Reports results from several threads and counts them.
class Board {
 public:
  void add(const CaseResult& result) {
    const std::lock_guard hold(m_mutex);
    if (result.failures.empty()) {
      ++m_passed;
      std::printf("ok    %s (%lld ms)\n", result.name.c_str(),
                  static_cast<long long>(result.wall.count()));
    } else {
      m_failed.push_back(result.name);
      show("FAIL ", result);
    }
    std::fflush(stdout);
  }
  /// Reports a failed case that is tried again.
  void again(const CaseResult& result, const std::string& reason) {
    const std::lock_guard hold(m_mutex);
    ++m_again;
    show("AGAIN", result);
    std::printf("  - tried again: %s\n", reason.c_str());
    std::fflush(stdout);
  }
  static void leave_out(const std::string& name, const char* why) {
    std::printf("skipped (%s): %s\n", why, name.c_str());
  }
  [[nodiscard]] bool has_failed() {
    const std::lock_guard hold(m_mutex);
    return !m_failed.empty();
  }
  [[nodiscard]] int finish() const {
    for (const std::string& name : m_failed) std::printf("failed: %s\n", name.c_str());
    std::printf("%zu passed, %zu failed, %zu of them tried again\n", m_passed, m_failed.size(),
                m_again);
    return m_failed.empty() ? 0 : 1;
  }

 private:
  static void show(const char* word, const CaseResult& result) {
    std::printf("%s %s\n", word, result.name.c_str());
    for (const std::string& failure : result.failures) std::printf("  - %s\n", failure.c_str());
    if (!result.directory.empty()) std::printf("  kept in %s\n", result.directory.c_str());
  }

  std::mutex m_mutex{};
  std::size_t m_passed = 0;
  std::vector<std::string> m_failed{};
  std::size_t m_again = 0;
};

/// Replaces the last section of a case, if it is `stdout` or `screen`, by what was shown.
void record(const Options& options, const CaseResult& result) {
  const fs::path path = fs::path(options.directory) / (result.name + ".case");
  std::string text = slurp(path);
  const std::size_t at = text.rfind("\n--- ");
  if (at == std::string::npos) return;
  const std::size_t end = text.find('\n', at + 1) + 1;
  const std::string head = text.substr(at, end - at);
  if (head != "\n--- stdout\n" && head != "\n--- screen\n") return;
  text.replace(end, std::string::npos, head == "\n--- screen\n" ? result.screen : result.out);
  std::ofstream(path, std::ios::binary) << text;
}

/// Runs cases, several at once, and returns those to be tried again, because they failed and have a
/// reason to fail on a busy machine.
std::vector<Case> run_all(const std::vector<Case>& cases, const Options& options, unsigned jobs,
                          Board& board) {
  std::vector<Case> again;
  std::mutex mutex;
  const auto run = [&](const Case& which) {
    const CaseResult result = run_case(which, options.programs, options.keep);
    if (options.record) record(options, result);
    const std::string reason = options.once ? "" : retry_reason(which);
    if (result.failures.empty() || reason.empty()) return board.add(result);
    board.again(result, reason);
    const std::lock_guard hold(mutex);
    again.push_back(which);
  };
  std::atomic<std::size_t> next{0};
  {
    std::vector<std::jthread> workers;  // "case workers": joined at the end of this block
    for (unsigned i = 0; i < jobs; ++i) {
      workers.emplace_back([&] {
        for (std::size_t at = next++; at < cases.size(); at = next++) {
          if (options.stop && board.has_failed()) return;
          run(cases[at]);
        }
      });
    }
  }
  return again;
}

/// Runs the cases that can fail on a busy machine, which mostly wait, and beside them the steady
/// ones, with the processor time that they leave. Returns those to be tried again.
std::vector<Case> run_together(const std::vector<Case>& waiting, const std::vector<Case>& steady,
                               const Options& options, Board& board) {
  if (options.jobs == 1 || waiting.empty() || steady.empty()) {
    run_all(steady, options, options.jobs, board);
    return run_all(waiting, options, options.jobs, board);
  }
  const std::jthread beside([&] {  // "steady cases": joined when this returns
    // Of this thread, those that it creates, and what they run.
    ::setpriority(PRIO_PROCESS, 0, 5);
    run_all(steady, options, options.jobs - options.jobs / 2, board);
  });
  return run_all(waiting, options, options.jobs / 2, board);
}

/// Runs what failed once more, alone, and those that fail again a last time.
void try_again(std::vector<Case> again, Options options, Board& board) {
  again = run_all(again, options, 1, board);
  options.once = true;
  run_all(again, options, 1, board);
}

/// A directory for PATH, with links to the programs.
std::string make_bin(const Programs& programs) {
  std::string pattern = (fs::temp_directory_path() / "svc-cases-bin-XXXXXX").string();
  if (::mkdtemp(pattern.data()) == nullptr) stop_with("cannot create a directory for the programs");
  fs::create_symlink(programs.svc, fs::path(pattern) / "svc");
  fs::create_symlink(programs.emulator, fs::path(pattern) / "svc-emulator");
  fs::create_symlink(fs::absolute(programs.sound), fs::path(pattern) / "svc-sound");
  return pattern;
}

}  // namespace

int main(int count, char** arguments) {
  // A command's peak memory includes the size of this program, so freed memory must be returned to
  // the system.
  ::mallopt(M_MMAP_THRESHOLD, 128 * 1024);
  ::mallopt(M_ARENA_MAX, 1);
  Options options = read_options(count, arguments);
  std::signal(SIGPIPE, SIG_IGN);
  const std::vector<std::string> names = find_names(options);
  if (names.empty()) stop_with("no case matches");
  if (options.list) {
    for (const std::string& name : names) std::printf("%s\n", name.c_str());
    return 0;
  }
  Board board;
  std::vector<Case> steady;
  std::vector<Case> waiting;
  std::vector<Case> sounding;
  std::vector<Case> alone;
  for (const std::string& name : names) {
    auto read = parse_case(name, slurp(fs::path(options.directory) / (name + ".case")));
    if (!read) {
      board.add({name, {read.error().message}});
    } else if (read->no_sanitizer && under_sanitizer()) {
      Board::leave_out(name, "sanitizers are on");
    } else if (read->root && ::geteuid() != 0) {
      Board::leave_out(name, "not root");
    } else {
      (read->alone                   ? alone
       : read->sound                 ? sounding
       : retry_reason(*read).empty() ? steady
                                     : waiting)
          .push_back(std::move(*read));
    }
  }
  options.programs.bin = make_bin(options.programs);
  // Those with a long time limit come first, so that none of them is still running when all others
  // are finished.
  for (std::vector<Case>* group : {&steady, &waiting, &sounding}) {
    std::ranges::stable_sort(*group, std::greater(), &Case::timeout);
  }
  try_again(run_together(waiting, steady, options, board), options, board);
  // In real time, so that most of it is waiting; a sanitized program leaves half as much.
  const unsigned cards = std::min(options.jobs, under_sanitizer() ? 2U : 4U);
  try_again(run_all(sounding, options, cards, board), options, board);
  try_again(run_all(alone, options, 1, board), options, board);
  fs::remove_all(options.programs.bin);
  return board.finish();
}
