#include "print/progress.h"

#include <algorithm>
#include <utility>

#include "base/text.h"
#include "print/flow.h"
#include "print/width.h"

namespace svc::print {
namespace {

using namespace std::chrono_literals;

constexpr auto k_before_first = 1s;
constexpr auto k_between = 100ms;
constexpr auto k_between_watched = 1s;
constexpr sv k_erase = "\r\x1b[K";

std::string amount(Unit unit, std::uint64_t count) {
  return unit == Unit::Bytes ? format_bytes(count) : std::to_string(count);
}

std::string percent(std::uint64_t done, std::uint64_t total) {
  const double share = static_cast<double>(done) / static_cast<double>(total);
  return std::to_string(static_cast<int>(std::min(share, 1.0) * 100)) + " %";
}

}  // namespace

Progress::Progress(Out& err, bool wanted, Clock clock)
    : m_err(err),
      m_enabled(wanted && err.terminal().is_tty && !err.terminal().dumb),
      m_clock(std::move(clock)) {}

Progress::~Progress() {
  finish();
}

void Progress::start(sv label, Unit unit, std::optional<std::uint64_t> total) {
  finish();
  if (!m_enabled && !m_watcher) return;
  m_running = true;
  m_label = visible(label, Lines::Escape);
  m_aside.clear();
  m_unit = unit;
  m_done = 0;
  m_total = total.value_or(0);
  m_begin = m_clock();
  m_next = m_begin + k_before_first;
}

void Progress::update(std::uint64_t done, std::uint64_t total) {
  m_done = done;
  if (total != 0) m_total = total;
  tick();
}

void Progress::aside(std::string text) {
  if (m_running) m_aside = std::move(text);
}

void Progress::tick() {
  if (!m_running) return;
  const auto now = m_clock();
  if (now >= m_next || (!m_typed.empty() && !m_shown)) draw(now);
}

void Progress::clear() {
  if (!m_shown) return;
  m_shown = false;
  std::string back(k_erase);
  if (m_column > 0) back += "\x1b[A\x1b[" + std::to_string(m_column) + "C";
  (void)m_err.write(back);
  (void)m_err.flush();
}

void Progress::stand_below(std::function<std::size_t()> column) {
  clear();
  m_open_column = std::move(column);
}

void Progress::typed(sv text) {
  if (!m_running) return;
  std::string shown = visible(text, Lines::Escape);
  if (shown == m_typed) return;
  m_typed = std::move(shown);
  if (m_shown && m_typed.empty() && m_clock() < m_begin + k_before_first) return clear();
  draw(m_clock());
}

void Progress::finish() {
  clear();
  m_running = false;
}

std::string Progress::line(std::chrono::milliseconds elapsed) const {
  if (!m_typed.empty() && elapsed < k_before_first) return "> " + m_typed;
  std::string text = m_label;
  if (m_unit == Unit::Percent) {
    text += "  " + percent(m_done, 100);
  } else if (m_unit != Unit::Time) {
    text += "  " + amount(m_unit, m_done);
    if (m_total != 0) {
      text += " of " + amount(m_unit, m_total) + "  " + percent(m_done, m_total);
    }
  }
  if (!m_aside.empty()) text += "  " + m_aside;
  text += "  " + format_duration(elapsed);
  return m_typed.empty() ? text : text + "  > " + m_typed;
}

void Progress::draw(std::chrono::steady_clock::time_point now) {
  if (m_watcher) {
    m_next = now + k_between_watched;
    const auto elapsed = std::chrono::duration_cast<std::chrono::milliseconds>(now - m_begin);
    return m_watcher(m_done, m_unit == Unit::Percent ? 100 : m_total, line(elapsed));
  }
  m_next = now + k_between;
  if (!m_shown) {
    m_column = m_open_column ? m_open_column() : 0;
    if (m_column == k_unknown_column) return;
    m_shown = true;
    if (m_column > 0) (void)m_err.write("\n");
  }
  const auto elapsed = std::chrono::duration_cast<std::chrono::milliseconds>(now - m_begin);
  // A line as wide as the terminal would wrap, and could then not be taken back; the same with the
  // "^C" that the terminal itself writes behind it.
  const auto all = static_cast<std::size_t>(m_err.terminal().columns);
  const std::size_t columns = all > 8 ? all - 2 : all;
  (void)m_err.write(k_erase);
  (void)m_err.write(fit(line(elapsed), columns - 1, m_err.terminal().utf8));
  (void)m_err.flush();
}

}  // namespace svc::print
