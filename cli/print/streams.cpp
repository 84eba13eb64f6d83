#include "print/streams.h"

#include <algorithm>
#include <array>
#include <cerrno>
#include <climits>
#include <cstring>

#include <fcntl.h>
#include <sys/ioctl.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/text.h"
#include "base/wait.h"

namespace svc::print {
namespace {

constexpr std::size_t k_buffer_bytes = 64U << 10U;
constexpr std::size_t k_max_line = 1U << 20U;
constexpr std::chrono::milliseconds k_reader_patience{100};

/// Returns the variable's value; empty if unset.
std::string value_of(const Environment& environment, const char* name) {
  return environment(name).value_or("");
}

bool has_utf8_locale(const Environment& environment) {
  for (const char* name : {"LC_ALL", "LC_CTYPE", "LANG"}) {
    const std::string locale = value_of(environment, name);
    if (locale.empty()) continue;
    return contains_ignore_case(locale, "utf-8") || contains_ignore_case(locale, "utf8");
  }
  return false;
}

int choose_columns(int window_columns, const Environment& environment) {
  constexpr std::int64_t k_most = 100'000;
  const auto columns = parse_integer(value_of(environment, "COLUMNS"));
  if (columns && *columns > 0) return static_cast<int>(std::min(*columns, k_most));
  return window_columns > 0 ? window_columns : 80;
}

Error write_error(const std::string& name, int error_number) {
  if (error_number == EPIPE || error_number == ECONNRESET) {
    return Error{Fault::ReaderGone, name + " was closed by its reader"};
  }
  if (error_number == EBADF) return Error{Fault::Local, name + " is closed"};
  Error error = system_error("cannot write to " + name, error_number);
  error.fault = Fault::Local;
  if (error_number == ENOSPC || error_number == EDQUOT || error_number == EFBIG) {
    error.hint = "Free up space, or write elsewhere with --output FILE.";
  }
  return error;
}

Result<void> write_all(int fd, sv bytes, const std::string& name, const CancelToken& cancel) {
  while (!bytes.empty()) {
    std::size_t count = bytes.size();
    if (const auto asked = cancel.requested()) {
      // Do not wait for a reader that has stopped reading.
      const auto ready = wait_writable(fd, after(k_reader_patience), NeverCanceled());
      if (!ready || !*ready) return canceled(*asked);
      count = std::min<std::size_t>(count, PIPE_BUF);  // a pipe with room accepts this much at once
    }
    const ssize_t written = ::write(fd, bytes.data(), count);
    if (written > 0) {
      bytes.remove_prefix(static_cast<std::size_t>(written));
    } else if (written == 0) {
      return write_error(name, EIO);
    } else if (errno == EAGAIN || errno == EWOULDBLOCK) {
      (void)wait_writable(fd, {}, cancel);
    } else if (errno != EINTR) {
      return write_error(name, errno);
    }
  }
  return {};
}

}  // namespace

std::optional<ColorChoice> parse_color(sv text) noexcept {
  if (text == "auto") return ColorChoice::Auto;
  if (text == "always") return ColorChoice::Always;
  if (text == "never") return ColorChoice::Never;
  return std::nullopt;
}

Terminal detect_terminal(int fd, ColorChoice color, const Environment& environment) {
  const bool is_tty = ::isatty(fd) == 1;
  winsize window{};
  const bool sized = is_tty && ::ioctl(fd, TIOCGWINSZ, &window) == 0;
  Terminal terminal = describe_terminal(is_tty, sized ? window.ws_col : 0, color, environment);
  struct stat status {};
  if (!is_tty && ::fstat(fd, &status) == 0) {
    // Larger writes to a pipe may interleave with another program's; writes to a file never do.
    const bool pipe = S_ISFIFO(status.st_mode) || S_ISSOCK(status.st_mode);
    terminal.line_chunk = pipe ? PIPE_BUF : sv::npos;
  }
  return terminal;
}

Terminal describe_terminal(bool is_tty, int window_columns, ColorChoice color,
                           const Environment& environment) {
  Terminal terminal;
  terminal.is_tty = is_tty;
  terminal.columns = choose_columns(window_columns, environment);
  terminal.utf8 = has_utf8_locale(environment);
  const std::string type = value_of(environment, "TERM");
  terminal.dumb = type.empty() || type == "dumb";
  const bool wanted = is_tty && !terminal.dumb && value_of(environment, "NO_COLOR").empty();
  terminal.color = color == ColorChoice::Always || (color == ColorChoice::Auto && wanted);
  terminal.plain = is_tty && !terminal.color;
  return terminal;
}

Terminal for_screen_reader(Terminal terminal) noexcept {
  if (!terminal.is_tty) return terminal;
  terminal.color = false;
  terminal.dumb = terminal.plain = terminal.screen_reader = true;
  return terminal;
}

std::string call_user(const Environment& environment, sv text) {
  const std::string program = value_of(environment, "TERM_PROGRAM");
  const std::string type = value_of(environment, "TERM");
  const bool inside = !value_of(environment, "TMUX").empty() ||
                      !value_of(environment, "STY").empty() || type.starts_with("screen") ||
                      type.starts_with("tmux");
  const bool shows = program == "iTerm.app" || program == "WezTerm" || program == "ghostty" ||
                     type == "xterm-ghostty" || type == "xterm-kitty" ||
                     !value_of(environment, "KITTY_WINDOW_ID").empty();
  if (!shows || inside) return "\a";
  return "\x1b]9;" + std::string(text) + "\x1b\\";
}

Sink fd_sink(int fd, std::string name, const CancelToken* cancel) {
  return [fd, name = std::move(name), cancel](sv bytes) -> Result<void> {
    const NeverCanceled never;
    return write_all(fd, bytes, name,
                     cancel != nullptr ? *cancel : static_cast<const CancelToken&>(never));
  };
}

Sink string_sink(std::string& target) {
  return [&target](sv bytes) -> Result<void> {
    target += bytes;
    return {};
  };
}

Out::Out(Sink sink, Terminal terminal) : m_sink(std::move(sink)), m_terminal(terminal) {
  m_buffer.reserve(k_buffer_bytes);
}

Out::~Out() {
  (void)finish();
}

Result<void> Out::drain(sv bytes) {
  auto written = m_sink(bytes);
  if (!written) m_failure = written.error();
  return written;
}

Result<void> Out::drain_lines() {
  sv lines = sv(m_buffer).substr(0, m_whole);
  while (!lines.empty()) {
    const std::size_t most = m_terminal.line_chunk;
    std::size_t end = lines.size();
    if (end > most) end = lines.rfind('\n', most - 1) + 1;
    if (end == 0) end = lines.find('\n') + 1;  // one longer line
    SVC_CHECK(drain(lines.substr(0, end)));
    lines.remove_prefix(end);
  }
  m_buffer.erase(0, m_whole);
  m_whole = 0;
  return {};
}

Result<void> Out::write(sv bytes) {
  if (m_failure) return *m_failure;
  if (m_terminal.line_chunk != 0) {
    // Bound the buffer: a document can be one long line.
    for (; bytes.size() > k_max_line; bytes.remove_prefix(k_max_line)) {
      SVC_CHECK(write(bytes.substr(0, k_max_line)));
    }
    if (const std::size_t end = bytes.rfind('\n'); end != sv::npos) {
      m_whole = m_buffer.size() + end + 1;
    }
    m_buffer += bytes;
    const bool due = m_whole > 0 || m_buffer.size() > k_max_line;
    return m_buffer.size() < k_buffer_bytes || !due ? Result<void>() : flush();
  }
  if (m_buffer.size() + bytes.size() > k_buffer_bytes) {
    SVC_CHECK(flush());
    if (bytes.size() >= k_buffer_bytes) return drain(bytes);
  }
  m_buffer += bytes;
  return {};
}

Result<void> Out::flush() {
  if (m_failure) return *m_failure;
  if (m_terminal.line_chunk == 0) return finish();
  SVC_CHECK(drain_lines());
  return m_buffer.size() > std::min(m_terminal.line_chunk, k_max_line) ? finish() : Result<void>();
}

Result<void> Out::finish() {
  if (m_failure) return *m_failure;
  SVC_CHECK(drain_lines());
  if (m_buffer.empty()) return {};
  auto written = drain(m_buffer);
  m_buffer.clear();
  return written;
}

Result<void> write_text(Out& out, sv text) {
  return out.terminal().is_tty ? out.write(visible(text)) : out.write(text);
}

}  // namespace svc::print
