#include <atomic>
#include <filesystem>
#include <thread>

#include <doctest/doctest.h>
#include <unistd.h>

#include "support/case_process.h"

namespace svc::test {
namespace {

namespace fs = std::filesystem;

TEST_CASE("a program can be run as soon as it is written, whatever other threads start") {
  std::string directory = (fs::temp_directory_path() / "svc-programs-XXXXXX").string();
  REQUIRE(::mkdtemp(directory.data()) != nullptr);
  std::atomic<int> busy{0};
  {
    std::vector<std::jthread> workers;  // "writer": joined at the end of the block
    for (int worker = 0; worker < 8; ++worker) {
      workers.emplace_back([&, worker] {
        for (int turn = 0; turn < 40; ++turn) {
          const std::string path = directory + "/" + std::to_string(worker * 100 + turn);
          CommandPlan plan;
          plan.command = "exec " + path;
          plan.directory = directory;
          plan.env = {"PATH=/usr/bin:/bin"};
          const auto written = write_program(path, "#!/bin/sh\necho ran\n", 0755);
          const auto outcome = run_command(plan);
          if (!written || !outcome || outcome->out != "ran\n") ++busy;
        }
      });
    }
  }
  CHECK(busy == 0);
  fs::remove_all(directory);
}

}  // namespace
}  // namespace svc::test
