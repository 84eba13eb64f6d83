// One line on standard error that tells how far long work is.
#pragma once

#include <chrono>
#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <string_view>

#include "print/streams.h"

namespace svc::print {

enum class Unit : std::uint8_t { Time, Bytes, Items, Percent, Characters };

/// "Uploading a.pdf  12 MB of 30 MB  40 %  2.1 MB/s, 9 s left  6 s" and the like; where that is too
/// long for the terminal, what matters least is left out. Speed and time left show after two
/// seconds. Nothing shows in the first second;
/// then the line is rewritten in place at most ten times a second. There is no thread: whoever
/// works calls update() or tick() as often as it likes (a call that draws nothing costs a look at
/// the clock). Off a terminal, on a dumb one, and when not `wanted`, nothing is ever written. Clear
/// it before anything else goes to the same terminal; Notices does so for standard error.
class Progress {
 public:
  using Clock = std::function<std::chrono::steady_clock::time_point()>;

  /// `wanted` is false with --quiet and --no-progress.
  Progress(Out& err, bool wanted, Clock clock = std::chrono::steady_clock::now);
  Progress(const Progress&) = delete;
  Progress& operator=(const Progress&) = delete;
  ~Progress();

  /// Begins new work; the clock starts again. `label` may hold text from outside. `total` counts in
  /// `unit`; nothing or 0: not known. For Unit::Percent the values are 0 to 100.
  void start(sv label, Unit unit = Unit::Time, std::optional<std::uint64_t> total = std::nullopt);

  /// So much is done in all; `total` replaces the one known so far when it is not 0.
  void update(std::uint64_t done, std::uint64_t total = 0);

  /// What else there is to say of the work, behind the counts ("3 failed, $0.12"); own text only.
  void aside(std::string text) {
    if (m_running) m_aside = std::move(text);
  }

  /// Nothing new, but time went by.
  void tick();

  /// Takes the line away; the next update brings it back.
  void clear();

  /// A line of text may be open on the terminal: where its cursor is (flow.h), 0 for none. The
  /// progress line then stands below it, and leaves the cursor where it was. Empty: none is open.
  void stand_below(std::function<std::size_t()> column);

  /// What the user types meanwhile (made harmless here); shows at once, without the counts of work
  /// that just began.
  void typed(sv text);

  /// Has `watcher` hear of the work instead of a terminal, about once a second: done, in all (0:
  /// not known), and the line that would show.
  using Watcher = std::function<void(std::uint64_t done, std::uint64_t total, sv line)>;
  void watch(Watcher watcher) { m_watcher = std::move(watcher); }

  /// Called with true while a line is drawn, or may be drawn below an open one, and with false once
  /// that is over: what the user types would stand in it.
  void on_line(std::function<void(bool shown)> told) { m_on_line = std::move(told); }

  /// The work is over: takes the line away for good.
  void finish();

 private:
  [[nodiscard]] std::string line(std::chrono::milliseconds elapsed, std::size_t columns) const;
  [[nodiscard]] std::string pace(std::chrono::milliseconds elapsed) const;
  void draw(std::chrono::steady_clock::time_point now);

  Out& m_err;
  bool m_enabled;
  Clock m_clock;
  Watcher m_watcher{};
  std::function<void(bool)> m_on_line{};
  bool m_running = false;
  bool m_shown = false;
  std::function<std::size_t()> m_open_column{};
  std::size_t m_column = 0;  ///< of the open line above, once the progress shows
  std::string m_typed{};
  std::string m_label{};
  std::string m_aside{};
  Unit m_unit = Unit::Time;
  std::uint64_t m_done = 0;
  std::uint64_t m_total = 0;
  std::optional<std::uint64_t> m_first{};  ///< was done when the work began: it was resumed
  std::chrono::steady_clock::time_point m_begin{};
  std::chrono::steady_clock::time_point m_next{};
};

}  // namespace svc::print
