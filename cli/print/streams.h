// Where output goes: what the terminal can do, and a buffered writer on a descriptor.
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

/// What stands behind a stream. The default is a pipe or a file: no colour, no layout for people.
struct Terminal {
  bool is_tty = false;
  int columns = 80;    ///< at least 1
  bool color = false;  ///< colour may also be asked for off a terminal
  bool utf8 = false;   ///< the locale's codeset; only our own ornaments depend on it
  bool dumb = false;   ///< TERM is `dumb` or unset: no colour, no cursor movement
  /// When not 0, other programs may write there too: only whole lines go out, in writes of at most
  /// this many bytes, which the system does not split.
  std::size_t line_pieces = 0;
};

/// `--color`.
enum class ColorChoice : std::uint8_t { Auto, Always, Never };

/// "auto", "always" or "never"; nothing for anything else.
[[nodiscard]] std::optional<ColorChoice> parse_color(sv text) noexcept;

/// From what `fd` is (isatty, window size) and from the environment.
[[nodiscard]] Terminal detect_terminal(int fd, ColorChoice color,
                                       const Environment& environment = Environment::of_process());

/// The same from facts that were found elsewhere. `window_columns` is 0 when it is not known.
/// COLUMNS wins over the window's size, LC_ALL over LC_CTYPE over LANG; NO_COLOR counts when it is
/// not empty; ColorChoice::Always wins over all of them.
[[nodiscard]] Terminal describe_terminal(bool is_tty, int window_columns, ColorChoice color,
                                         const Environment& environment);

/// Takes all bytes that it is given, or says why not.
using Sink = std::function<Result<void>(sv bytes)>;

/// A sink on a descriptor, which stays the caller's. `name` stands in errors ("standard output").
/// Goes on after EINTR, short writes and EAGAIN. The reader's leaving is Fault::ReaderGone (SIGPIPE
/// and SIGXFSZ must be ignored by the program), anything else Fault::Local. Once `stop` asks, a
/// reader that takes nothing for 100 ms is no longer waited for: the error is then the stop's.
/// `stop` must outlive the sink; null: nobody asks.
[[nodiscard]] Sink fd_sink(int fd, std::string name, const CancelToken* cancel = nullptr);

/// Appends to `target`, which must outlive the sink.
[[nodiscard]] Sink string_sink(std::string& target);

/// A buffered writer. Nothing but a full buffer (64 KiB) leaves by itself: whoever writes decides
/// when to flush. With Terminal::line_pieces flush() holds the beginning of a line back, until
/// its end has come, or more of it than goes out at once (a mebibyte in a file). After a failure
/// nothing more is written, and every call returns that failure.
class Out {
 public:
  explicit Out(Sink sink, Terminal terminal = {});
  Out(const Out&) = delete;
  Out& operator=(const Out&) = delete;
  /// Tries to write what is left; call flush() before to learn whether it worked.
  ~Out();

  Result<void> write(sv bytes);
  Result<void> flush();
  /// Flushes the beginning of a line as well: nothing more comes.
  Result<void> finish();

  [[nodiscard]] const Terminal& terminal() const noexcept { return m_terminal; }

 private:
  [[nodiscard]] Result<void> drain(sv bytes);
  [[nodiscard]] Result<void> drain_lines();

  Sink m_sink;
  Terminal m_terminal;
  std::string m_buffer{};
  std::size_t m_whole = 0;  ///< with line_pieces: where the buffer's last line begins
  std::optional<Error> m_failure{};
};

/// Writes text that came from outside: to a terminal with its control characters made visible, to a
/// pipe or a file as it is.
Result<void> write_text(Out& out, sv text);

}  // namespace svc::print
