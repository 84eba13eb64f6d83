#include <cerrno>
#include <cstdio>
#include <cstdlib>

#include <fcntl.h>
#include <poll.h>
#include <sys/auxv.h>
#include <sys/syscall.h>
#include <sys/vfs.h>

#include "base/files.h"
#include "base/platform.h"

namespace svc {
namespace {

#ifndef RENAME_NOREPLACE  // musl
constexpr unsigned RENAME_NOREPLACE = 1;
#endif

// Indices of fields after the name in /proc/PID/stat (proc(5)), starting with the state.
constexpr std::size_t k_session = 3;
constexpr std::size_t k_terminal = 4;
constexpr std::size_t k_start = 19;

}  // namespace

Result<Pipe> make_pipe(Blocking blocking) {
  int ends[2] = {-1, -1};
  const int flags = O_CLOEXEC | (blocking == Blocking::No ? O_NONBLOCK : 0);
  if (::pipe2(ends, flags) != 0) return system_error("cannot create a pipe", errno);
  return Pipe{FileDescriptor(ends[0]), FileDescriptor(ends[1])};
}

FileDescriptor open_socket(sa_family_t family) noexcept {
  return FileDescriptor(::socket(family, SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0));
}

FileDescriptor accept_connection(int listener) noexcept {
  return FileDescriptor(::accept4(listener, nullptr, nullptr, SOCK_CLOEXEC | SOCK_NONBLOCK));
}

ssize_t send_some(int socket, std::string_view bytes) noexcept {
  return ::send(socket, bytes.data(), bytes.size(), MSG_NOSIGNAL | MSG_DONTWAIT);
}

bool is_closed_by_peer(int socket) noexcept {
  pollfd look{socket, POLLRDHUP, 0};
  return ::poll(&look, 1, 0) == 1;
}

bool is_main_thread() noexcept {
  return ::syscall(SYS_gettid) == ::getpid();
}

void discard_pending(const sigset_t& signals) noexcept {
  const timespec at_once{};
  ::sigtimedwait(&signals, nullptr, &at_once);
}

bool is_from_process(const siginfo_t& signal) noexcept {
  return signal.si_code == SI_USER;
}

FileDescriptor open_exit_descriptor(pid_t child) noexcept {
  return FileDescriptor(static_cast<int>(::syscall(SYS_pidfd_open, child, 0)));
}

short close_other_descriptors([[maybe_unused]] posix_spawn_file_actions_t& actions) {
#ifdef __GLIBC__
  ::posix_spawn_file_actions_addclosefrom_np(&actions, STDERR_FILENO + 1);
#else
  std::error_code failed;
  for (std::filesystem::directory_iterator it("/proc/self/fd", failed), end; !failed && it != end;
       it.increment(failed)) {
    const auto fd = parse_integer(it->path().filename().string());
    if (fd && *fd > STDERR_FILENO) {
      ::posix_spawn_file_actions_addclose(&actions, static_cast<int>(*fd));
    }
  }
#endif
  return 0;
}

std::optional<ProcessFacts> process_facts(pid_t process) {
  // /proc may be that of another namespace, where this process has another ID.
  const std::string name = process == ::getpid() ? "self" : std::to_string(process);
  const auto text = read_prefix("/proc/" + name + "/stat", 4096);
  // The name in parentheses may contain anything.
  const std::size_t end = text ? text->rfind(')') : std::string::npos;
  if (end == std::string::npos) return std::nullopt;
  const auto fields = split(trim(sv(*text).substr(end + 1)), ' ');
  if (fields.size() <= k_start) return std::nullopt;
  const sv terminal = fields[k_terminal] == "0" ? sv() : fields[k_terminal];
  return ProcessFacts{.session = static_cast<pid_t>(parse_integer(fields[k_session]).value_or(0)),
                      .terminal = std::string(terminal),
                      .start = std::string(fields[k_start])};
}

std::string boot_id() {
  const auto text = read_prefix("/proc/sys/kernel/random/boot_id", 100);
  return text ? std::string(trim(*text)) : std::string();
}

bool shares_pipe_with_parent() {
  struct stat own {};
  struct stat parents {};
  const std::string path = "/proc/" + std::to_string(::getppid()) + "/fd/0";
  return ::fstat(STDIN_FILENO, &own) == 0 && S_ISFIFO(own.st_mode) &&
         ::stat(path.c_str(), &parents) == 0 && parents.st_dev == own.st_dev &&
         parents.st_ino == own.st_ino;
}

std::filesystem::path own_path() {
  std::error_code failed;
  auto path = std::filesystem::read_symlink("/proc/self/exe", failed);
  if (!failed) return path;
  // As it was started, perhaps by a link.
  const auto* started = reinterpret_cast<const char*>(::getauxval(AT_EXECFN));
  if (started == nullptr) return {};
  path = std::filesystem::canonical(started, failed);
  return failed ? std::filesystem::path() : path;
}

std::string running_program() {
  return "/proc/self/exe";
}

std::string library_name(std::string_view name, int version) {
  return "lib" + std::string(name) + ".so." + std::to_string(version);
}

std::vector<std::string> library_paths(const std::string& name) {
  return {name};
}

std::string terminal_path() {
  return "/dev/tty";
}

void skip_destructors_at_exit() noexcept {
#ifdef __GLIBC__
  ::on_exit([](int status, void*) { ::_exit(status); }, nullptr);
#endif
}

void redirect_stderr([[maybe_unused]] ssize_t (*write)(void* unused, const char* bytes,
                                                       std::size_t size)) noexcept {
#ifdef __GLIBC__
  cookie_io_functions_t functions{};
  functions.write = write;
  std::FILE* stream = ::fopencookie(nullptr, "w", functions);
  if (stream == nullptr) return;
  std::setvbuf(stream, nullptr, _IOLBF, 4096);
  stderr = stream;
#endif
}

std::string path_to_descriptor(int fd) {
  return "/proc/self/fd/" + std::to_string(fd);
}

std::filesystem::path real_path_of(int fd) {
  std::error_code failed;
  auto path = std::filesystem::read_symlink(path_to_descriptor(fd), failed);
  return failed ? std::filesystem::path() : path;
}

FileDescriptor open_unnamed_file(const std::filesystem::path& directory) {
  FileDescriptor file(::open(directory.c_str(), O_TMPFILE | O_RDWR | O_CLOEXEC, 0600));
  if (file.is_open()) return file;
  std::string path = (directory / "svc-XXXXXX").string();  // not all file systems support it
  file.reset(::mkostemp(path.data(), O_CLOEXEC));
  if (file.is_open()) ::unlink(path.c_str());
  return file;
}

int rename_without_replacing(const char* from, const char* to) noexcept {
  // musl has no function for it.
  return ::syscall(SYS_renameat2, AT_FDCWD, from, AT_FDCWD, to, RENAME_NOREPLACE) == 0 ? 0 : errno;
}

bool is_in_read_only_memory(int fd) noexcept {
  constexpr long tmpfs = 0x01021994;
  constexpr long ramfs = 0x858458f6;
  constexpr long read_only = 1;  // ST_RDONLY
  struct statfs volume {};
  if (::fstatfs(fd, &volume) != 0) return false;
  const auto type = static_cast<long>(volume.f_type);
  return (type == tmpfs || type == ramfs) && (volume.f_flags & read_only) != 0;
}

int flush_file(int fd) noexcept {
  return ::fsync(fd);
}

int flush_data(int fd) noexcept {
  return ::fdatasync(fd);
}

std::int64_t modified_at(const struct stat& status) noexcept {
  return status.st_mtim.tv_sec * std::int64_t{1'000'000'000} + status.st_mtim.tv_nsec;
}

}  // namespace svc
