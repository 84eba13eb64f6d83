#include <array>
#include <cerrno>
#include <climits>
#include <cstdlib>

#include <fcntl.h>
#include <libproc.h>
#include <mach-o/dyld.h>
#include <pthread.h>
#include <sys/event.h>
#include <sys/sysctl.h>

#include "base/platform.h"

namespace svc {
namespace {

void close_when_starting_programs(int fd) noexcept {
  if (fd >= 0) (void)::fcntl(fd, F_SETFD, FD_CLOEXEC);
}

void prepare_socket(int fd) noexcept {
  close_when_starting_programs(fd);
  if (fd >= 0) (void)::fcntl(fd, F_SETFL, ::fcntl(fd, F_GETFL) | O_NONBLOCK);
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
  for (const int end : ends) {
    blocking == Blocking::No ? prepare_socket(end) : close_when_starting_programs(end);
  }
  return Pipe{FileDescriptor(ends[0]), FileDescriptor(ends[1])};
}

FileDescriptor open_socket(sa_family_t family) noexcept {
  FileDescriptor made(::socket(family, SOCK_STREAM, 0));
  prepare_socket(made.get());
  return made;
}

FileDescriptor accept_connection(int listener) noexcept {
  FileDescriptor accepted(::accept(listener, nullptr, nullptr));
  prepare_socket(accepted.get());
  return accepted;
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

FileDescriptor open_exit_descriptor(pid_t child) noexcept {
  FileDescriptor queue(::kqueue());
  close_when_starting_programs(queue.get());
  struct kevent exit {};
  EV_SET(&exit, child, EVFILT_PROC, EV_ADD | EV_ONESHOT, NOTE_EXIT, 0, nullptr);
  // Fails if the child has exited already.
  if (::kevent(queue.get(), &exit, 1, nullptr, 0, nullptr) != 0) queue.reset();
  return queue;
}

short close_other_descriptors(posix_spawn_file_actions_t& /*actions*/) noexcept {
  return POSIX_SPAWN_CLOEXEC_DEFAULT;
}

std::optional<ProcessFacts> process_facts(pid_t process) {
  proc_bsdinfo found{};
  const int size =
      ::proc_pidinfo(process, PROC_PIDTBSDINFO, 0, &found, static_cast<int>(sizeof found));
  if (size != static_cast<int>(sizeof found)) return std::nullopt;
  const bool has_terminal = found.e_tdev != 0 && found.e_tdev != UINT32_MAX;
  return ProcessFacts{
      .session = std::to_string(::getsid(process)),
      .terminal = has_terminal ? std::to_string(found.e_tdev) : std::string(),
      .start = std::to_string(found.pbi_start_tvsec * 1'000'000 + found.pbi_start_tvusec)};
}

std::string boot_id() {
  std::array<char, 64> id{};
  std::size_t size = id.size();
  const bool known = ::sysctlbyname("kern.bootsessionuuid", id.data(), &size, nullptr, 0) == 0;
  return known ? std::string(id.data()) : std::string();
}

bool shares_pipe_with_parent() noexcept {
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

void skip_destructors_at_exit() noexcept {}

void redirect_stderr(ssize_t (*)(void*, const char*, std::size_t)) noexcept {}

std::string path_to_descriptor(int fd) {
  return "/dev/fd/" + std::to_string(fd);
}

std::filesystem::path real_path_of(int fd) {
  std::array<char, PATH_MAX> path{};
  if (::fcntl(fd, F_GETPATH, path.data()) != 0) return {};
  return path.data();
}

FileDescriptor open_unnamed_file(const std::filesystem::path& directory) noexcept {
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

int flush_data(int fd) noexcept {
  return ::fsync(fd);
}

std::int64_t modified_at(const struct stat& status) noexcept {
  const auto& time = status.st_mtimespec;
  return time.tv_sec * std::int64_t{1'000'000'000} + time.tv_nsec;
}

}  // namespace svc
