#include <array>
#include <cerrno>
#include <climits>
#include <cstdio>
#include <cstdlib>
#include <mutex>

#include <fcntl.h>
#include <libproc.h>
#include <mach-o/dyld.h>
#include <pthread.h>
#include <sys/event.h>
#include <sys/proc.h>
#include <sys/sysctl.h>
#include <unistd.h>

#include "base/platform.h"

namespace svc {
namespace {

void close_when_starting_programs(int fd) noexcept {
  if (fd >= 0) (void)::fcntl(fd, F_SETFD, FD_CLOEXEC);
}

void prepare(int fd, Blocking blocking) noexcept {
  if (fd < 0) return;
  close_when_starting_programs(fd);
  // SIGPIPE goes to the process, so that blocking it in one thread is not enough.
  (void)::fcntl(fd, F_SETNOSIGPIPE, 1);
  if (blocking == Blocking::No) (void)::fcntl(fd, F_SETFL, ::fcntl(fd, F_GETFL) | O_NONBLOCK);
}

/// Identifies the pipe that a process has as standard input; 0 if it is none.
std::uint64_t input_pipe_of(pid_t process) noexcept {
  pipe_fdinfo found{};
  const int size = ::proc_pidfdinfo(process, STDIN_FILENO, PROC_PIDFDPIPEINFO, &found,
                                    static_cast<int>(sizeof found));
  return size == static_cast<int>(sizeof found) ? found.pipeinfo.pipe_handle : 0;
}

}  // namespace

Result<Pipe> make_pipe(Blocking blocking) {
  int ends[2] = {-1, -1};
  if (::pipe(ends) != 0) return system_error("cannot create a pipe", errno);
  for (const int end : ends) prepare(end, blocking);
  return Pipe{FileDescriptor(ends[0]), FileDescriptor(ends[1])};
}

FileDescriptor open_socket(sa_family_t family) noexcept {
  FileDescriptor made(::socket(family, SOCK_STREAM, 0));
  prepare(made.get(), Blocking::No);
  return made;
}

FileDescriptor accept_connection(int listener) noexcept {
  FileDescriptor accepted(::accept(listener, nullptr, nullptr));
  prepare(accepted.get(), Blocking::No);
  return accepted;
}

ssize_t send_some(int socket, std::string_view bytes) noexcept {
  return ::send(socket, bytes.data(), bytes.size(), MSG_DONTWAIT);
}

bool is_closed_by_peer(int socket) noexcept {
  const FileDescriptor queue(::kqueue());
  struct kevent look {};
  EV_SET(&look, socket, EVFILT_READ, EV_ADD, 0, 0, nullptr);
  const timespec at_once{};
  return ::kevent(queue.get(), &look, 1, &look, 1, &at_once) == 1 && (look.flags & EV_EOF) != 0;
}

bool is_main_thread() noexcept {
  return ::pthread_main_np() != 0;
}

void discard_pending(const sigset_t& signals) noexcept {
  // Two threads may see the same pending signal of the process: the second would wait for ever.
  static std::mutex one_at_a_time;
  const std::lock_guard lock(one_at_a_time);
  sigset_t pending{};
  sigpending(&pending);
  for (int signal = 1; signal < NSIG; ++signal) {
    int taken = 0;
    if (sigismember(&signals, signal) == 1 && sigismember(&pending, signal) == 1) {
      (void)sigwait(&signals, &taken);
      return;
    }
  }
}

bool is_from_process(const siginfo_t& signal) noexcept {
  return signal.si_pid != 0;  // si_code is 0 for both
}

FileDescriptor open_exit_descriptor(pid_t child) noexcept {
  FileDescriptor queue(::kqueue());
  close_when_starting_programs(queue.get());
  struct kevent exit {};
  EV_SET(&exit, child, EVFILT_PROC, EV_ADD | EV_ONESHOT, NOTE_EXIT, 0, nullptr);
  // Fails if the child has exited already.
  if (::kevent(queue.get(), &exit, 1, nullptr, 0, nullptr) != 0) queue.reset();
  return queue;
}

short close_other_descriptors(posix_spawn_file_actions_t& /*actions*/) {
  return POSIX_SPAWN_CLOEXEC_DEFAULT;
}

std::optional<ProcessFacts> process_facts(pid_t process) {
  // Not proc_pidinfo(), which says nothing of other users' processes, such as login.
  std::array<int, 4> name = {CTL_KERN, KERN_PROC, KERN_PROC_PID, process};
  kinfo_proc found{};
  std::size_t size = sizeof found;
  if (::sysctl(name.data(), name.size(), &found, &size, nullptr, 0) != 0 || size == 0) {
    return std::nullopt;
  }
  const auto terminal = found.kp_eproc.e_tdev;
  const timeval start = found.kp_proc.p_starttime;
  return ProcessFacts{
      .session = ::getsid(process),
      .terminal = terminal == NODEV ? std::string() : std::to_string(terminal),
      .start = std::to_string(start.tv_sec * std::int64_t{1'000'000} + start.tv_usec)};
}

std::string boot_id() {
  std::array<char, 64> id{};
  std::size_t size = id.size();
  const bool known = ::sysctlbyname("kern.bootsessionuuid", id.data(), &size, nullptr, 0) == 0;
  return known ? std::string(id.data()) : std::string();
}

bool shares_pipe_with_parent() {
  const std::uint64_t own = input_pipe_of(::getpid());
  return own != 0 && own == input_pipe_of(::getppid());
}

std::filesystem::path own_path() {
  std::string started(PATH_MAX, '\0');
  auto size = static_cast<std::uint32_t>(started.size());
  if (::_NSGetExecutablePath(started.data(), &size) != 0) return {};
  std::error_code failed;
  auto path = std::filesystem::canonical(started.c_str(), failed);
  return failed ? std::filesystem::path() : path;
}

std::string running_program() {
  return own_path().string();
}

std::string library_name(std::string_view name, int version) {
  return "lib" + std::string(name) + "." + std::to_string(version) + ".dylib";
}

std::vector<std::string> library_paths(const std::string& name) {
  if (name.find('/') != std::string::npos) return {name};
  // dlopen(3) would look for it in the current directory, but not where package managers put it.
  std::vector<std::string> paths;
  for (const char* directory :
       {"/opt/homebrew/lib/", "/usr/local/lib/", "/opt/local/lib/", "/usr/lib/"}) {
    paths.push_back(directory + name);
  }
  return paths;
}

std::string terminal_path() {
  // poll(2) cannot wait for /dev/tty.
  for (const int stream : {STDIN_FILENO, STDOUT_FILENO, STDERR_FILENO}) {
    std::array<char, PATH_MAX> name{};
    if (::ttyname_r(stream, name.data(), name.size()) == 0) return name.data();
  }
  return "/dev/tty";
}

void skip_destructors_at_exit() noexcept {}

void redirect_stderr(ssize_t (*)(void*, const char*, std::size_t)) noexcept {}

std::string path_to_descriptor(int fd) {
  struct stat open {};
  struct stat named {};
  const std::filesystem::path path = real_path_of(fd);
  if (!path.empty() && ::fstat(fd, &open) == 0 && ::stat(path.c_str(), &named) == 0 &&
      open.st_dev == named.st_dev && open.st_ino == named.st_ino) {
    return path.string();
  }
  return "/dev/fd/" + std::to_string(fd);
}

std::filesystem::path real_path_of(int fd) {
  std::array<char, PATH_MAX> path{};
  if (::fcntl(fd, F_GETPATH, path.data()) != 0) return {};
  return path.data();
}

FileDescriptor open_unnamed_file(const std::filesystem::path& directory) {
  std::string path = (directory / "svc-XXXXXX").string();
  FileDescriptor file(::mkostemp(path.data(), O_CLOEXEC));
  if (file.is_open()) ::unlink(path.c_str());
  return file;
}

int rename_without_replacing(const char* from, const char* to) noexcept {
  if (::renamex_np(from, to, RENAME_EXCL) == 0) return 0;
  return errno == ENOTSUP ? EINVAL : errno;
}

bool is_in_read_only_memory(int /*fd*/) noexcept {
  return false;
}

int flush_file(int fd) noexcept {
  return ::fcntl(fd, F_FULLFSYNC) == 0 ? 0 : ::fsync(fd);
}

int flush_data(int fd) noexcept {
  return ::fcntl(fd, F_BARRIERFSYNC) == 0 ? 0 : ::fsync(fd);
}

std::int64_t modified_at(const struct stat& status) noexcept {
  const auto& time = status.st_mtimespec;
  return time.tv_sec * std::int64_t{1'000'000'000} + time.tv_nsec;
}

}  // namespace svc
