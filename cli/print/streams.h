// Output streams: terminal capabilities, and a buffered writer on a file descriptor.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <string_view>

#include "base/cancel_token.h"
#include "base/result.h"
#include "client/settings.h"

namespace svc::print {

using sv = std::string_view;

/// The capabilities of a stream. The default is a pipe or a file: no color, no layout for people.
struct Terminal {
  bool is_tty = false;
  int columns = 80;            ///< at least 1
  bool color = false;          ///< colors may also be requested without a terminal
  bool utf8 = false;           ///< from the locale's codeset; affects only our own decoration
  bool dumb = false;           ///< TERM is `dumb` or unset: no color, no cursor movement
  bool plain = false;          ///< a terminal without color: nothing shown is redrawn, and no boxes
  bool screen_reader = false;  ///< plain and dumb, because a screen reader reads it
  /// Whether Markdown's marks stay in the text: nothing else shows what is emphasized.
  [[nodiscard]] bool shows_marks() const noexcept { return !color && !screen_reader; }
  /// If not 0, other programs may write there too: only whole lines are written, in writes of at
  /// most this many bytes, which the system does not split.
  std::size_t line_chunk = 0;
};

/// The same terminal for a screen reader; other streams are unchanged.
[[nodiscard]] Terminal for_screen_reader(Terminal terminal) noexcept;

/// `--color`.
enum class ColorChoice : std::uint8_t { Auto, Always, Never };

/// Parses "auto", "always" or "never"; nothing for anything else.
[[nodiscard]] std::optional<ColorChoice> parse_color(sv text) noexcept;

/// Detects the capabilities from `fd` (isatty, window size) and from the environment.
[[nodiscard]] Terminal detect_terminal(int fd, ColorChoice color,
                                       const Environment& environment = Environment::of_process());

/// The same, from known facts. `window_columns` is 0 if unknown. COLUMNS overrides the window's
/// size, LC_ALL overrides LC_CTYPE, which overrides LANG; a NO_COLOR that is not empty disables
/// color; ColorChoice::Always overrides all of them.
[[nodiscard]] Terminal describe_terminal(bool is_tty, int window_columns, ColorChoice color,
                                         const Environment& environment);

/// Returns what makes a terminal call its user: a desktop notification with `text` (trusted) where
/// the terminal is known to show one (OSC 9), otherwise the bell, which multiplexers pass on too.
[[nodiscard]] std::string call_user(const Environment& environment, sv text);

/// Writes all of `bytes`, or returns an error.
using Sink = std::function<Result<void>(sv bytes)>;

/// Returns a sink on a descriptor, which the caller still owns. `name` appears in errors ("standard
/// output"). Retries after EINTR, short writes and EAGAIN. A closed reader is Fault::ReaderGone
/// (the program must ignore SIGPIPE and SIGXFSZ), any other error Fault::Local. Once `cancel` is
/// requested, the sink waits at most 100 ms for a reader that does not read, then returns the
/// token's error. `cancel` must outlive the sink; null: never canceled.
[[nodiscard]] Sink fd_sink(int fd, std::string name, const CancelToken* cancel = nullptr);

/// Appends to `target`, which must outlive the sink.
[[nodiscard]] Sink string_sink(std::string& target);

/// A buffered writer. Writes only when the buffer (64 KiB) is full or on flush(). With
/// Terminal::line_chunk, flush() holds back the start of a line until the line is complete or
/// exceeds one write (a mebibyte in a file). After an error nothing more is written, and every call
/// returns that error.
class Out {
 public:
  explicit Out(Sink sink, Terminal terminal = {});
  Out(const Out&) = delete;
  Out& operator=(const Out&) = delete;
  /// Tries to write the rest; call flush() first to get errors.
  ~Out();

  Result<void> write(sv bytes);
  Result<void> flush();
  /// Flushes an incomplete line as well; call it at the end of the output.
  Result<void> finish();

  [[nodiscard]] const Terminal& terminal() const noexcept { return m_terminal; }
  void use_screen_reader() noexcept { m_terminal = for_screen_reader(m_terminal); }

 private:
  [[nodiscard]] Result<void> drain(sv bytes);
  [[nodiscard]] Result<void> drain_lines();

  Sink m_sink;
  Terminal m_terminal;
  std::string m_buffer{};
  std::size_t m_whole = 0;  ///< with line_chunk: start of the buffer's last line
  std::optional<Error> m_failure{};
};

/// Writes untrusted text: control characters are made visible on a terminal, and unchanged in a
/// pipe or file.
Result<void> write_text(Out& out, sv text);

}  // namespace svc::print
