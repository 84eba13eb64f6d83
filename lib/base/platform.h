// What each system does in its own way, in platform_linux.cpp and platform_macos.cpp. wake.h is the
// other part.
#pragma once

#include <csignal>
#include <cstdint>
#include <filesystem>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include <spawn.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/types.h>

#include "base/file_descriptor.h"
#include "base/result.h"

namespace svc {

// --- Pipes and sockets. Programs started by svc inherit none of them. ---

struct Pipe {
  FileDescriptor read{};
  FileDescriptor write{};
};

enum class Blocking : std::uint8_t { No, Yes };

/// Local if the system has no descriptors left.
[[nodiscard]] Result<Pipe> make_pipe(Blocking blocking = Blocking::Yes);
/// A non-blocking stream socket; closed, with errno, on failure.
[[nodiscard]] FileDescriptor open_socket(sa_family_t family) noexcept;
/// The next connection, non-blocking; closed, with errno, if there is none.
[[nodiscard]] FileDescriptor accept_connection(int listener) noexcept;
/// Sends as much as fits now, on one of these sockets; -1 with errno on failure, without SIGPIPE.
[[nodiscard]] ssize_t send_some(int socket, std::string_view bytes) noexcept;
/// Whether the peer has closed the connection, even if data that it sent before has not been read.
[[nodiscard]] bool is_closed_by_peer(int socket) noexcept;

// --- Processes ---

[[nodiscard]] bool is_main_thread() noexcept;
/// Takes a pending signal of `signals`, which this thread blocks, without waiting for one.
void discard_pending(const sigset_t& signals) noexcept;
/// Whether a process sent the signal; false for a terminal's keys.
[[nodiscard]] bool is_from_process(const siginfo_t& signal) noexcept;

/// A descriptor that becomes readable once the child exits; closed where the system cannot tell.
[[nodiscard]] FileDescriptor open_exit_descriptor(pid_t child) noexcept;
/// Lets a program that is started have no descriptors but 0, 1 and 2. Returns flags to add to those
/// of posix_spawnattr_setflags(3).
[[nodiscard]] short close_other_descriptors(posix_spawn_file_actions_t& actions);

struct ProcessFacts {
  pid_t session = 0;       ///< ID of the session leader
  std::string terminal{};  ///< device number of the controlling terminal; empty: none
  std::string start{};     ///< tells the process from a later one with the same ID
};
/// Empty if there is no such process, or the system does not say.
[[nodiscard]] std::optional<ProcessFacts> process_facts(pid_t process);
/// Different after each start of the machine; empty if unknown.
[[nodiscard]] std::string boot_id();
/// Whether standard input is a pipe from which the parent process reads, too.
[[nodiscard]] bool shares_pipe_with_parent();

/// The running program's file, with links resolved; empty if the system does not say. Without /proc
/// a program that changed its directory and was started by a relative path is not found.
[[nodiscard]] std::filesystem::path own_path();
/// A path to start the running program again; on Linux even if its file has been replaced since.
[[nodiscard]] std::string running_program();
/// The file name of a library: library_name("curl", 4) is "libcurl.so.4", or "libcurl.4.dylib".
[[nodiscard]] std::string library_name(std::string_view name, int version);
/// Where the library of that name may be, in order; only the name if the system searches itself.
[[nodiscard]] std::vector<std::string> library_paths(const std::string& name);
/// The controlling terminal, by a name that can be waited for once it is open.
[[nodiscard]] std::string terminal_path();
/// Skips static destructors when the program exits; the exit code remains. Without effect where
/// only an exit handler without the exit code is possible.
void skip_destructors_at_exit() noexcept;
/// Sends what the C library writes to `stderr` to `write` instead, line by line. Without effect
/// where the C library does not allow that.
void redirect_stderr(ssize_t (*write)(void* unused, const char* bytes, std::size_t size)) noexcept;

// --- Files ---

/// A path at which this process can open what is open as `fd`. On macOS, what has no other name is
/// opened with the same position.
[[nodiscard]] std::string path_to_descriptor(int fd);
/// Where the open file is now, without links; empty if `fd` is not open. A file that has no name is
/// at no path that exists.
[[nodiscard]] std::filesystem::path real_path_of(int fd);
/// A file without a name, open for reading and writing; closed, with errno, on failure.
[[nodiscard]] FileDescriptor open_unnamed_file(const std::filesystem::path& directory);
/// Renames a file, unless the new name exists (EEXIST). Returns 0 or an errno: ENOSYS or EINVAL if
/// the system or the file system cannot do so.
[[nodiscard]] int rename_without_replacing(const char* from, const char* to) noexcept;
/// Whether the file is in memory, on a read-only mount.
[[nodiscard]] bool is_in_read_only_memory(int fd) noexcept;
/// Writes the file to disk, so that it survives a power failure. 0 or -1.
[[nodiscard]] int flush_file(int fd) noexcept;
/// The same, of its metadata only for what is needed to read it, and on macOS in order only.
[[nodiscard]] int flush_data(int fd) noexcept;
/// The time of the last change, in nanoseconds since 1970.
[[nodiscard]] std::int64_t modified_at(const struct stat& status) noexcept;

}  // namespace svc
