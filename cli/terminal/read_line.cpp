#include "terminal/read_line.h"

#include <cerrno>

#include <unistd.h>

#include "base/wait.h"

namespace svc::cli {

Result<InputLine> read_line(int fd, const CancelToken& cancel, std::size_t most) {
  InputLine line;
  while (line.text.size() <= most) {
    SVC_CHECK(wait_readable(fd, {}, cancel));
    char c = 0;
    const ssize_t count = ::read(fd, &c, 1);
    if (count < 0 && (errno == EINTR || errno == EAGAIN)) continue;
    if (count < 0 && errno != EBADF && errno != EIO) {  // EIO: the terminal is gone
      return system_error("the input cannot be read", errno);
    }
    if (count > 0 && c == '\n') return line;
    if (count <= 0) {
      line.end = LineEnd::Input;
      return line;
    }
    line.text += c;
  }
  line.end = LineEnd::TooLong;
  return line;
}

}  // namespace svc::cli
