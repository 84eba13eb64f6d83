#include "print/progress.h"

#include <algorithm>
#include <utility>

#include <fmt/format.h>

#include "base/text.h"
#include "print/flow.h"
#include "print/width.h"

namespace svc::print {
namespace {

using namespace std::chrono_literals;

constexpr auto k_before_first = 1s;
constexpr auto k_between = 100ms;
constexpr auto k_between_watched = 1s;
constexpr auto k_before_pace = 2s;
constexpr auto k_resumed = 200ms;  ///< work done by then had been done before
constexpr std::size_t k_min_label = 8;
constexpr std::size_t k_no_width = 10'000;
constexpr sv k_erase = "\r\x1b[K";

std::string amount(ProgressUnit unit, std::uint64_t count) {
  return unit == ProgressUnit::Bytes ? format_bytes(count) : std::to_string(count);
}

std::string percent(std::uint64_t done, std::uint64_t total) {
  const double share = static_cast<double>(done) / static_cast<double>(total);
  return std::to_string(static_cast<int>(std::min(share, 1.0) * 100)) + " %";
}

}  // namespace

Progress::Progress(Out& err, bool wanted, Clock clock)
    : m_err(err), m_wanted(wanted), m_clock(std::move(clock)) {}

Progress::~Progress() {
  finish();
}

void Progress::start(sv label, ProgressUnit unit, std::optional<std::uint64_t> total) {
  finish();
  if (!enabled() && !m_watcher) return;
  m_running = true;
  m_label = visible(label, Lines::Escape);
  m_aside.clear();
  m_unit = unit;
  m_done = 0;
  m_first.reset();
  m_total = total.value_or(0);
  m_begin = m_whole = m_clock();
  m_next = m_begin + k_before_first;
}

void Progress::update(std::uint64_t done, std::uint64_t total) {
  m_done = done;
  if (!m_first) m_first = m_clock() - m_begin < k_resumed ? done : 0;
  if (total != 0) m_total = total;
  tick();
}

void Progress::tick() {
  if (!m_running) return;
  const auto now = m_clock();
  if (enabled() && m_open_column && m_on_line)
    m_on_line(true);  // the program may have been suspended
  if (now >= m_next || (!m_typed.empty() && !m_shown)) draw(now);
}

void Progress::clear() {
  if (!m_shown) return;
  m_shown = false;
  std::string back(k_erase);
  if (m_column > 0) back += "\x1b[A\x1b[" + std::to_string(m_column) + "C";
  (void)m_err.write(back);
  (void)m_err.flush();
  if (m_on_line && !m_open_column) m_on_line(false);
}

void Progress::print_below(std::function<std::size_t()> column) {
  clear();
  m_open_column = std::move(column);
  if (enabled() && m_on_line) m_on_line(static_cast<bool>(m_open_column));
}

void Progress::typed(sv text) {
  std::string shown = visible(text, Lines::Escape);
  if (shown == m_typed) return;
  m_typed = std::move(shown);
  if (!m_running) return;
  if (m_shown && m_typed.empty() && m_clock() < m_begin + k_before_first) return clear();
  draw(m_clock());
}

void Progress::finish() {
  clear();
  m_running = false;
}

/// "2.1 MB/s, 9 s left"; empty while it is not known.
std::string Progress::pace(std::chrono::milliseconds elapsed) const {
  const std::uint64_t first = m_first.value_or(0);
  const double seconds = static_cast<double>(elapsed.count()) / 1000;
  if (elapsed <= k_before_pace || m_done <= first || m_unit == ProgressUnit::Time ||
      m_unit == ProgressUnit::Items) {
    return {};
  }
  const double rate = static_cast<double>(m_done - first) / seconds;
  std::string text;
  if (m_unit == ProgressUnit::Bytes) {
    text = format_bytes(static_cast<std::uint64_t>(rate)) + "/s";
  } else if (m_unit == ProgressUnit::Characters) {
    text = fmt::format("{:.0f}/s", rate);
  }
  const std::uint64_t total = m_unit == ProgressUnit::Percent ? 100 : m_total;
  if (total <= m_done) return text;
  const double left = static_cast<double>(total - m_done) / rate;
  const auto rounded = std::chrono::seconds(static_cast<std::int64_t>(left) + 1);
  return text + (text.empty() ? "" : ", ") + format_duration(rounded) + " left";
}

std::string Progress::line(std::chrono::milliseconds elapsed, std::size_t columns) const {
  if (!m_typed.empty() && elapsed < k_before_first) return "> " + m_typed;
  std::string counts;
  std::string share;
  if (m_unit == ProgressUnit::Percent) {
    share = "  " + percent(m_done, 100);
  } else if (m_unit != ProgressUnit::Time) {
    counts = "  " + amount(m_unit, m_done);
    if (m_total != 0) {
      counts += " of " + amount(m_unit, m_total);
      share = "  " + percent(m_done, m_total);
    }
    if (m_unit == ProgressUnit::Characters) counts += " characters";
  }
  std::string speed = pace(elapsed);
  if (!speed.empty()) speed.insert(0, "  ");
  const std::string aside = m_aside.empty() ? std::string() : "  " + m_aside;
  std::string time =
      "  " + format_duration(elapsed + std::chrono::duration_cast<std::chrono::milliseconds>(
                                           m_begin - m_whole));
  const std::string typed = m_typed.empty() ? std::string() : "  > " + m_typed;
  const auto width = [&](sv label) {
    return display_width(label) + display_width(counts + share + speed + aside + time);
  };
  // The share, the speed and the time matter most.
  if (!share.empty() && width(m_label) > columns) counts.clear();
  if (width("") + std::min(display_width(m_label), k_min_label) > columns) time.clear();
  const std::size_t rest = std::min(columns, width(""));
  const std::string label =
      fit(m_label, std::max<std::size_t>(columns - rest, k_min_label), m_err.terminal().utf8);
  return label + counts + share + speed + aside + time + typed;
}

void Progress::draw(std::chrono::steady_clock::time_point now) {
  if (m_watcher) {
    m_next = now + k_between_watched;
    const auto elapsed = std::chrono::duration_cast<std::chrono::milliseconds>(now - m_begin);
    return m_watcher(m_done, m_unit == ProgressUnit::Percent ? 100 : m_total,
                     line(elapsed, k_no_width));
  }
  m_next = now + k_between;
  const auto all = static_cast<std::size_t>(m_err.terminal().columns);
  if (all < k_min_label) return;
  if (!m_shown) {
    m_column = m_open_column ? m_open_column() : 0;
    if (m_column == k_unknown_column) return;
    m_shown = true;
    if (m_column > 0) (void)m_err.write("\n");
  }
  if (m_on_line) m_on_line(true);
  const auto elapsed = std::chrono::duration_cast<std::chrono::milliseconds>(now - m_begin);
  // A line of full width would wrap and could not be cleared; leave room for the "^C" that the
  // terminal itself prints.
  const std::size_t columns = all > 8 ? all - 2 : all;
  (void)m_err.write(k_erase);
  (void)m_err.write(fit(line(elapsed, columns - 1), columns - 1, m_err.terminal().utf8));
  (void)m_err.flush();
}

}  // namespace svc::print
