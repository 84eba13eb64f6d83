#include "print/chart.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <vector>

#include "base/text.h"
#include "print/width.h"

namespace svc::print {
namespace {

constexpr std::size_t k_min_bar = 4;
constexpr std::size_t k_gaps = 4;  ///< two spaces on each side of the bars
constexpr std::array<sv, 8> k_parts = {"", "▏", "▎", "▍", "▌", "▋", "▊", "▉"};

std::uint64_t magnitude(std::int64_t size) {
  const auto bits = static_cast<std::uint64_t>(size);
  return size < 0 ? 0 - bits : bits;
}

/// Returns the bar's length in eighths of a column. Only the bar is rounded, never the number.
std::size_t eighths(const Bar& bar, std::uint64_t longest, std::size_t columns) {
  if (bar.size == 0) return 0;
  const double share = static_cast<double>(magnitude(bar.size)) / static_cast<double>(longest);
  const auto length =
      static_cast<std::size_t>(std::lround(share * static_cast<double>(columns * 8)));
  return std::max<std::size_t>(length, 1);
}

/// Returns the bar, padded with spaces to `columns`.
std::string draw(const Bar& bar, std::size_t length, std::size_t columns, bool blocks) {
  std::size_t used = length / 8;
  std::string text;
  if (blocks && bar.size >= 0) {
    text = repeat("█", used);
    if (length % 8 != 0) {
      text += k_parts[length % 8];
      ++used;
    }
  } else {
    used = length == 0 ? 0 : std::max<std::size_t>(used, 1);
    text = repeat(bar.size < 0 ? (blocks ? "░" : "-") : "#", used);
  }
  return text + std::string(columns - used, ' ');
}

struct Layout {
  std::size_t label = 0;
  std::size_t bar = 0;
  std::size_t value = 0;
};

Layout lay_out(const std::vector<std::string>& labels, std::span<const Bar> bars,
               std::size_t columns) {
  Layout layout;
  for (const std::string& label : labels) {
    layout.label = std::max(layout.label, display_width(label));
  }
  for (const Bar& bar : bars) layout.value = std::max(layout.value, display_width(bar.value));
  layout.label = std::min(layout.label, std::max<std::size_t>(columns * 2 / 5, 1));
  const std::size_t taken = layout.label + layout.value + k_gaps;
  layout.bar = std::max(columns, taken + k_min_bar) - taken;
  return layout;
}

}  // namespace

Result<void> print_chart(Out& out, std::span<const Bar> bars) {
  const Terminal& terminal = out.terminal();
  const bool blocks = terminal.utf8 && !terminal.dumb;
  std::vector<std::string> labels;
  std::uint64_t longest = 0;
  for (const Bar& bar : bars) {
    labels.push_back(visible(bar.label, Lines::Escape));
    longest = std::max(longest, magnitude(bar.size));
  }
  const std::size_t columns = terminal.is_tty ? static_cast<std::size_t>(terminal.columns) : 80;
  const Layout layout = lay_out(labels, bars, columns);
  for (std::size_t i = 0; i < bars.size(); ++i) {
    const std::string label = fit(labels[i], layout.label, terminal.utf8);
    std::string line = label;
    line.append(layout.label - std::min(layout.label, display_width(label)) + 2, ' ');
    line += draw(bars[i], eighths(bars[i], longest, layout.bar), layout.bar, blocks);
    line.append(2 + layout.value - display_width(bars[i].value), ' ');
    SVC_CHECK(out.write(line + bars[i].value + "\n"));
  }
  return {};
}

}  // namespace svc::print
