#include "support/picture.h"

#include <algorithm>
#include <array>
#include <cstddef>
#include <string_view>
#include <utility>
#include <vector>

namespace svc::test {
namespace {

using sv = std::string_view;

constexpr std::size_t k_column = 84;  ///< tenths of a pixel
constexpr std::size_t k_row = 20;
constexpr std::size_t k_margin = 16;

/// Formats tenths: 84 is "8.4".
std::string pixels(std::size_t tenths) {
  return std::to_string(tenths / 10) + "." + std::to_string(tenths % 10);
}

std::string escaped(sv text) {
  std::string out;
  for (const char c : text) {
    switch (c) {
      case '&':
        out += "&amp;";
        break;
      case '<':
        out += "&lt;";
        break;
      case '>':
        out += "&gt;";
        break;
      default:
        out += c;
    }
  }
  return out;
}

/// SVG attributes for the SGR codes of a look (ECMA-48 §8.3.117).
std::string attributes(sv look) {
  static constexpr std::array<std::pair<sv, sv>, 9> k_codes = {
      {{"1", " font-weight=\"bold\""},
       {"2", " opacity=\".55\""},
       {"3", " font-style=\"italic\""},
       {"4", " text-decoration=\"underline\""},
       {"31", " fill=\"#ff7b72\""},
       {"32", " fill=\"#7ee787\""},
       {"33", " fill=\"#e3b341\""},
       {"35", " fill=\"#d2a8ff\""},
       {"36", " fill=\"#79c0ff\""}}};
  std::string out;
  for (const auto& [code, attribute] : k_codes) {
    const std::string padded = ";" + std::string(look) + ";";
    if (padded.find(";" + std::string(code) + ";") != sv::npos) out += attribute;
  }
  return out;
}

/// Adjacent cells with the same look, without leading and trailing spaces.
std::string run(const std::vector<Cell>& cells, std::size_t begin, std::size_t end,
                std::size_t row) {
  const auto blank = [&](std::size_t at) { return cells[at].text == " "; };
  while (begin < end && blank(begin)) ++begin;
  while (end > begin && blank(end - 1)) --end;
  if (begin == end) return {};
  std::string text;
  for (std::size_t i = begin; i < end; ++i) text += cells[i].text;
  return "<text x=\"" + pixels(k_margin * 10 + begin * k_column) + "\" y=\"" +
         std::to_string(k_margin + row * k_row + 14) + "\" textLength=\"" +
         pixels((end - begin) * k_column) + "\"" + attributes(cells[begin].look) + ">" +
         escaped(text) + "</text>\n";
}

}  // namespace

std::string picture_of(const Screen& screen) {
  const auto rows = screen.rows();
  std::size_t columns = 72;  // a terminal, not a note
  std::string texts;
  for (std::size_t row = 0; row < rows.size(); ++row) {
    const std::vector<Cell>& cells = rows[row];
    columns = std::max(columns, cells.size());
    for (std::size_t begin = 0; begin < cells.size();) {
      std::size_t end = begin + 1;
      while (end < cells.size() && cells[end].look == cells[begin].look) ++end;
      texts += run(cells, begin, end, row);
      begin = end;
    }
  }
  const std::string width = std::to_string(2 * k_margin + (columns * k_column + 9) / 10);
  const std::string height = std::to_string(2 * k_margin + rows.size() * k_row);
  return "<svg xmlns=\"http://www.w3.org/2000/svg\" width=\"" + width + "\" height=\"" + height +
         "\" viewBox=\"0 0 " + width + " " + height +
         "\" font-family=\"ui-monospace, Menlo, Consolas, 'DejaVu Sans Mono', monospace\" "
         "font-size=\"14\" fill=\"#e6edf3\" xml:space=\"preserve\">\n<rect width=\"100%\" "
         "height=\"100%\" rx=\"8\" fill=\"#0d1117\"/>\n" +
         texts + "</svg>\n";
}

}  // namespace svc::test
