#include "session/emulator_process.h"

#include <chrono>
#include <filesystem>

#include <nlohmann/json.hpp>
#include <signal.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/file_descriptor.h"
#include "base/platform.h"
#include "base/program.h"
#include "base/text.h"
#include "base/wait.h"
#include "client/api_client.h"

namespace svc::cli {
namespace {

constexpr auto k_start_limit = std::chrono::seconds(10);

bool is_program(const std::filesystem::path& path) {
  return ::access(path.c_str(), X_OK) == 0;
}

/// Reads the line that the emulator prints on startup.
Result<std::string> read_announcement(int fd, const CancelToken& cancel) {
  std::string line;
  const auto until = std::chrono::steady_clock::now() + k_start_limit;
  while (line.find('\n') == std::string::npos) {
    SVC_TRY(ready, wait_readable(fd, until, cancel));
    if (!ready) return Error{Fault::Local, "the emulator did not start within ten seconds"};
    char buffer[4096];
    const ssize_t count = ::read(fd, buffer, sizeof buffer);
    if (count < 0 && errno == EINTR) continue;
    if (count <= 0) {
      return Error{Fault::Local, "the emulator exited during startup",
                   "Run `svc emulator` to see why."};
    }
    line.append(buffer, static_cast<std::size_t>(count));
  }
  return line.substr(0, line.find('\n'));
}

Result<EmulatorAddress> read_address(const std::string& line) {
  const auto json = nlohmann::json::parse(line, nullptr, false);
  if (!json.is_object()) return Error{Fault::Local, "cannot read the emulator's startup message"};
  const auto text = [&](const char* name) { return json.value(name, std::string()); };
  return EmulatorAddress{text("base_url"),     text("management_url"),
                         text("realtime_url"), text("docs_url"),
                         text("api_key"),      text("management_key"),
                         text("team_id"),      json.value("in_memory", false)};
}

}  // namespace

Result<std::string> find_emulator() {
  const auto self = own_path();
  if (!self.empty() && is_program(self.parent_path() / "svc-emulator")) {
    return (self.parent_path() / "svc-emulator").string();
  }
  const std::string path = Environment::of_process()("PATH").value_or("");
  for (const sv directory : split(path, ':')) {
    const auto candidate =
        std::filesystem::path(directory.empty() ? "." : directory) / "svc-emulator";
    if (is_program(candidate)) return candidate.string();
  }
  return Error{Fault::Local, "svc-emulator was not found next to svc or in PATH",
               "Install it from the same source as svc; on Debian its package is svc-emulator."};
}

Result<std::unique_ptr<EmulatorProcess>> EmulatorProcess::start(const CancelToken& cancel) {
  SVC_TRY(program, find_emulator());
  SVC_TRY(announce, make_pipe());
  SVC_TRY(alive, make_pipe());
  std::unique_ptr<EmulatorProcess> process(new EmulatorProcess);
  process->m_alive = std::move(alive.write);
  // Ctrl-C in the terminal is meant for svc: the child runs in its own group and exits with svc.
  SVC_TRY(pid, start_program(
                   {.arguments = {program, "--announce-fd", "1", "--parent-fd", "0", "--quiet"},
                    .input = alive.read.get(),
                    .output = announce.write.get()}));
  process->m_pid = pid;
  announce.write.reset();
  SVC_TRY(line, read_announcement(announce.read.get(), cancel));
  SVC_TRY(address, read_address(line));
  process->m_address = std::move(address);
  return process;
}

EmulatorProcess::~EmulatorProcess() {
  m_alive.reset();
  if (m_pid <= 0) return;
  ::kill(m_pid, SIGTERM);
  ::waitpid(m_pid, nullptr, 0);
}

}  // namespace svc::cli
