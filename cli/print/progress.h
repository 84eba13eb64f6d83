// A progress line on standard error.
#pragma once

#include <chrono>
#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <string_view>

#include "print/streams.h"

namespace svc::print {

enum class ProgressUnit : std::uint8_t { Time, Bytes, Items, Percent, Characters };

/// Shows a line such as "Uploading a.pdf  12 MB of 30 MB  40 %  2.1 MB/s, 9 s left  6 s"; if it is
/// too long for the terminal, the least important parts are left out. Speed and time left appear
/// after two seconds. Nothing is shown during the first second; then the line is redrawn in place
/// at most ten times a second. There is no thread: callers may call update() or tick() as often as
/// they like (a call that draws nothing only reads the clock). Writes nothing if not `wanted`, or
/// if `err` is a dumb terminal or not a terminal. Clear it before writing anything else to the same
/// terminal; Notices does so for standard error.
class Progress {
 public:
  using Clock = std::function<std::chrono::steady_clock::time_point()>;

  /// `wanted` is false with --quiet and --no-progress.
  Progress(Out& err, bool wanted, Clock clock = std::chrono::steady_clock::now);
  Progress(const Progress&) = delete;
  Progress& operator=(const Progress&) = delete;
  ~Progress();

  /// Starts new work and restarts the clock. `label` may contain untrusted text. `total` counts in
  /// `unit`; nothing or 0: unknown. With ProgressUnit::Percent, values are 0 to 100.
  void start(sv label, ProgressUnit unit = ProgressUnit::Time,
             std::optional<std::uint64_t> total = std::nullopt);

  /// Sets the work done so far; `total` replaces the previous total unless it is 0.
  void update(std::uint64_t done, std::uint64_t total = 0);

  /// Sets additional text after the counts ("3 failed, $0.12"); trusted text only.
  void aside(std::string text) {
    if (m_running) m_aside = std::move(text);
  }

  /// The work is part of something that began at `begin`: the line shows the time since then.
  void part_of(std::chrono::steady_clock::time_point begin) { m_whole = begin; }

  /// Call when time has passed without an update.
  void tick();

  /// Clears the line; the next update draws it again.
  void clear();

  /// Draws the progress line below a line of text that may be open on the terminal, and restores
  /// the cursor. `column` returns the cursor's column in that line (flow.h), 0 for no open line.
  /// Empty: no line is ever open.
  void print_below(std::function<std::size_t()> column);

  /// Shows the user's typed input (escaped here) at once, without the counts of work that has just
  /// started.
  void typed(sv text);

  /// Reports to `watcher` instead of a terminal, about once a second: work done, total (0:
  /// unknown), and the line that would be shown.
  using Watcher = std::function<void(std::uint64_t done, std::uint64_t total, sv line)>;
  void watch(Watcher watcher) { m_watcher = std::move(watcher); }

  /// `listener` is called with true while a line is drawn or may be drawn below an open line, when
  /// typed input would end up in it, and with false when that is over.
  void on_line(std::function<void(bool shown)> listener) { m_on_line = std::move(listener); }

  /// Ends the work: clears the line for good.
  void finish();

 private:
  [[nodiscard]] std::string line(std::chrono::milliseconds elapsed, std::size_t columns) const;
  [[nodiscard]] std::string pace(std::chrono::milliseconds elapsed) const;
  void draw(std::chrono::steady_clock::time_point now);
  [[nodiscard]] bool enabled() const {
    return m_wanted && m_err.terminal().is_tty && !m_err.terminal().dumb;
  }

  Out& m_err;
  bool m_wanted;
  Clock m_clock;
  Watcher m_watcher{};
  std::function<void(bool)> m_on_line{};
  bool m_running = false;
  bool m_shown = false;
  std::function<std::size_t()> m_open_column{};
  std::size_t m_column = 0;  ///< of the open line above, while progress is shown
  std::string m_typed{};
  std::string m_label{};
  std::string m_aside{};
  ProgressUnit m_unit = ProgressUnit::Time;
  std::uint64_t m_done = 0;
  std::uint64_t m_total = 0;
  std::optional<std::uint64_t>
      m_first{};  ///< already done when the work started, because it was resumed
  std::chrono::steady_clock::time_point m_begin{};
  std::chrono::steady_clock::time_point m_whole{};  ///< m_begin, unless part_of() was called
  std::chrono::steady_clock::time_point m_next{};
};

}  // namespace svc::print
