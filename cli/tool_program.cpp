#include "tool_program.h"

#include <algorithm>
#include <array>
#include <cctype>
#include <cerrno>
#include <csignal>
#include <filesystem>
#include <optional>

#include <fcntl.h>
#include <fmt/format.h>
#include <nlohmann/json.hpp>
#include <poll.h>
#include <spawn.h>
#include <sys/eventfd.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/files.h"
#include "base/json_text.h"
#include "base/text.h"
#include "client/reply_json.h"

namespace svc::cli {
namespace {

using ToolClock = std::chrono::steady_clock;
using nlohmann::json;

constexpr std::size_t k_most_tool_output = 1U << 20U;
constexpr std::size_t k_most_tool_complaint = 4U << 10U;
constexpr std::chrono::seconds k_tool_schema_limit{10};

struct ToolPipe {
  FileDescriptor read{};
  FileDescriptor write{};

  static Result<ToolPipe> make() {
    int ends[2];
    if (::pipe2(ends, O_CLOEXEC) != 0) return system_error("no pipe can be made", errno);
    ToolPipe pipe;
    pipe.read.reset(ends[0]);
    pipe.write.reset(ends[1]);
    return pipe;
  }
};

/// Appends what is there, up to `most`; false at the end.
bool read_tool_stream(FileDescriptor& fd, std::string& into, std::size_t most) {
  std::array<char, 16384> buffer;
  const ssize_t count = ::read(fd.get(), buffer.data(), buffer.size());
  if (count < 0 && (errno == EINTR || errno == EAGAIN)) return true;
  if (count <= 0) {
    fd.reset();
    return false;
  }
  into.append(buffer.data(), std::min(static_cast<std::size_t>(count), most - into.size()));
  return true;
}

/// A program with its three streams.
struct ToolChild {
  pid_t pid = -1;
  ToolPipe in{};
  ToolPipe out{};
  ToolPipe err{};

  ~ToolChild() { end(); }

  Result<void> start(const std::string& program, const std::vector<std::string>& arguments) {
    SVC_TRY(input, ToolPipe::make());
    SVC_TRY(output, ToolPipe::make());
    SVC_TRY(complaint, ToolPipe::make());
    in = std::move(input);
    out = std::move(output);
    err = std::move(complaint);
    posix_spawn_file_actions_t actions;
    posix_spawnattr_t attributes;
    ::posix_spawn_file_actions_init(&actions);
    ::posix_spawnattr_init(&attributes);
    ::posix_spawn_file_actions_adddup2(&actions, in.read.get(), STDIN_FILENO);
    ::posix_spawn_file_actions_adddup2(&actions, out.write.get(), STDOUT_FILENO);
    ::posix_spawn_file_actions_adddup2(&actions, err.write.get(), STDERR_FILENO);
    sigset_t reset;
    ::sigemptyset(&reset);
    ::sigaddset(&reset, SIGPIPE);
    ::sigaddset(&reset, SIGXFSZ);
    ::posix_spawnattr_setsigdefault(&attributes, &reset);
    ::posix_spawnattr_setpgroup(&attributes, 0);
    ::posix_spawnattr_setflags(&attributes, POSIX_SPAWN_SETPGROUP | POSIX_SPAWN_SETSIGDEF);
    std::vector<char*> values{const_cast<char*>(program.c_str())};
    for (const std::string& one : arguments) values.push_back(const_cast<char*>(one.c_str()));
    values.push_back(nullptr);
    const int failed =
        ::posix_spawnp(&pid, program.c_str(), &actions, &attributes, values.data(), environ);
    ::posix_spawn_file_actions_destroy(&actions);
    ::posix_spawnattr_destroy(&attributes);
    in.read.reset();
    out.write.reset();
    err.write.reset();
    ::fcntl(in.write.get(), F_SETFL, O_NONBLOCK);
    if (failed == 0) return {};
    pid = -1;
    return system_error(shown_path(program) + " cannot be run", failed);
  }

  /// Its exit; nothing when `cancel` can be read or `until` is over before.
  std::optional<int> wait(int cancel, ToolClock::time_point until) {
    while (ToolClock::now() < until) {
      int status = 0;
      if (::waitpid(pid, &status, WNOHANG) == pid) {
        pid = -1;
        return status;
      }
      pollfd one{cancel, POLLIN, 0};
      if (::poll(&one, 1, 5) > 0) break;
    }
    return std::nullopt;
  }

  void end() {
    if (pid <= 0) return;
    ::kill(-pid, SIGKILL);
    while (::waitpid(pid, nullptr, 0) < 0 && errno == EINTR) {
    }
    pid = -1;
  }
};

Error tool_too_late(std::chrono::milliseconds limit) {
  return Error{Fault::Timeout, fmt::format("it did not end within {}", format_duration(limit))};
}

Result<std::string> tool_verdict(int status, std::string output, const std::string& complaint) {
  if (WIFEXITED(status) && WEXITSTATUS(status) == 0) return output;
  const std::string how = WIFSIGNALED(status)
                              ? fmt::format("it was ended by signal {}", WTERMSIG(status))
                              : fmt::format("it failed with exit code {}", WEXITSTATUS(status));
  const std::string_view said = trim(complaint);
  return Error{Fault::Local, said.empty() ? how : fmt::format("{}: {}", how, said)};
}

/// The function object of a description.
Result<json> tool_function(const std::string& name, const std::string& text) {
  if (check_json(text)) {
    return usage_error(fmt::format("--tool {}: its description is not JSON", name));
  }
  json given = parse_reply(text);
  if (given.is_object() && given.contains("function")) given = given["function"];
  if (!given.is_object()) {
    return usage_error(fmt::format("--tool {}: its description is no JSON object", name));
  }
  const bool schema =
      !given.contains("parameters") && given.contains("type") && given["type"] != "function";
  json function = schema ? json{{"parameters", given}} : std::move(given);
  if (schema && function["parameters"].contains("description")) {
    function["description"] = function["parameters"]["description"];
  }
  function["type"] = "function";
  function["name"] = name;
  return function;
}

}  // namespace

Result<ToolProgram> read_tool_program(const std::string& flag) {
  const std::size_t equals = flag.find('=');
  if (equals == std::string::npos || equals == 0 || equals + 1 == flag.size()) {
    return usage_error(fmt::format("--tool takes NAME=PROGRAM, not '{}'",
                                   visible(excerpt(flag, 60), Lines::Escape)));
  }
  ToolProgram tool{.name = flag.substr(0, equals), .program = flag.substr(equals + 1)};
  const bool clean = std::all_of(tool.name.begin(), tool.name.end(), [](unsigned char c) {
    return std::isalnum(c) != 0 || c == '_' || c == '-';
  });
  if (!clean || tool.name.size() > 64) {
    return usage_error(fmt::format("--tool {}: a name has letters, digits, - and _, at most 64",
                                   visible(excerpt(tool.name, 60), Lines::Escape)));
  }
  std::string text;
  std::error_code failed;
  if (std::filesystem::exists(tool.program + ".json", failed)) {
    SVC_TRY(read, read_file(tool.program + ".json", k_most_tool_output));
    text = std::move(read);
  } else {
    ToolRun run(tool.program, {"--schema"}, {}, k_tool_schema_limit);
    auto printed = run.take();
    if (!printed) {
      return usage_error(
          fmt::format("--tool {}: there is no {}, and `{} --schema` says nothing: {}", tool.name,
                      shown_path(tool.program + ".json"), visible(tool.program, Lines::Escape),
                      visible(excerpt(printed.error().message, 200), Lines::Escape)),
          "Describe the function there: {\"description\": …, \"parameters\": a JSON Schema}.");
    }
    text = *std::move(printed);
  }
  SVC_TRY(function, tool_function(tool.name, text));
  tool.tool = function.dump(-1, ' ', false, json::error_handler_t::replace);
  return tool;
}

ToolRun::ToolRun(std::string program, std::vector<std::string> arguments, std::string input,
                 std::chrono::milliseconds limit)
    : m_cancel(::eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK)),
      m_over(::eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK)) {
  m_thread = std::thread([this, program = std::move(program), arguments = std::move(arguments),
                          input = std::move(input), limit] {
    m_result = run(program, arguments, input, limit);
    m_is_over = true;
    const std::uint64_t one = 1;
    [[maybe_unused]] const ssize_t written = ::write(m_over.get(), &one, sizeof one);
  });
}

ToolRun::~ToolRun() {
  const std::uint64_t one = 1;
  [[maybe_unused]] const ssize_t written = ::write(m_cancel.get(), &one, sizeof one);
  if (m_thread.joinable()) m_thread.join();
}

Result<std::string> ToolRun::take() {
  if (m_thread.joinable()) m_thread.join();
  return std::move(m_result);
}

Result<std::string> ToolRun::run(const std::string& program,
                                 const std::vector<std::string>& arguments,
                                 const std::string& input, std::chrono::milliseconds limit) const {
  ToolChild child;
  SVC_CHECK(child.start(program, arguments));
  const auto until = ToolClock::now() + limit;
  std::string output;
  std::string complaint;
  std::size_t fed = 0;
  while (child.out.read.is_open() || child.err.read.is_open()) {
    if (fed >= input.size()) child.in.write.reset();
    std::array<pollfd, 4> waits = {
        pollfd{child.in.write.get(), POLLOUT, 0}, pollfd{child.out.read.get(), POLLIN, 0},
        pollfd{child.err.read.get(), POLLIN, 0}, pollfd{m_cancel.get(), POLLIN, 0}};
    const auto left = std::chrono::ceil<std::chrono::milliseconds>(until - ToolClock::now());
    if (left.count() <= 0) {
      return Error{Fault::Timeout, fmt::format("it did not end within {}", format_duration(limit))};
    }
    if (::poll(waits.data(), waits.size(),
               static_cast<int>(std::min<std::int64_t>(left.count(), 60'000))) < 0) {
      continue;
    }
    if (waits[3].revents != 0) return Error{Fault::Interrupted, "it was ended"};
    if (waits[0].revents != 0) {
      const ssize_t count = ::write(child.in.write.get(), input.data() + fed, input.size() - fed);
      // A program that does not read its arguments to the end has a right to that.
      if (count < 0 && errno != EAGAIN && errno != EINTR) child.in.write.reset();
      if (count > 0) fed += static_cast<std::size_t>(count);
    }
    if (waits[1].revents != 0)
      (void)read_tool_stream(child.out.read, output, k_most_tool_output + 1);
    if (waits[2].revents != 0)
      (void)read_tool_stream(child.err.read, complaint, k_most_tool_complaint);
    if (output.size() > k_most_tool_output) {
      return Error{Fault::Local,
                   fmt::format("it printed more than {}", format_bytes(k_most_tool_output))};
    }
  }
  const auto status = child.wait(m_cancel.get(), until);
  if (!status) return tool_too_late(limit);
  return tool_verdict(*status, std::move(output), complaint);
}

}  // namespace svc::cli
