#include "emulator/api/collections/chunk.h"

#include <algorithm>

#include "base/text.h"
#include "emulator/model/tokenizer.h"

namespace svc::emulator::collections {
namespace {

// A part of the text that should not be split.
struct Block {
  std::size_t begin = 0;
  std::size_t end = 0;
  bool section = false;  ///< starts a section: a heading or a definition
};

std::vector<Block> lines_of(sv text) {
  std::vector<Block> lines;
  for (std::size_t begin = 0; begin < text.size();) {
    const std::size_t end = std::min(text.find('\n', begin), text.size() - 1) + 1;
    lines.push_back({begin, end});
    begin = end;
  }
  return lines;
}

bool is_blank(sv line) {
  return trim(line).empty();
}

bool is_heading(sv line) {
  const std::size_t level = line.find_first_not_of('#');
  return level != sv::npos && level >= 1 && level <= 6 && (line[level] == ' ');
}

// Headings start sections; blank lines outside fenced code end paragraphs.
std::vector<Block> markdown_blocks(sv text) {
  std::vector<Block> blocks;
  bool fenced = false;
  bool open = false;  // the last block continues
  for (const Block& line : lines_of(text)) {
    const sv content = text.substr(line.begin, line.end - line.begin);
    const bool fence = trim(content).starts_with("```") || trim(content).starts_with("~~~");
    const bool heading = !fenced && is_heading(content);
    if (heading || !open || blocks.empty()) {
      blocks.push_back({line.begin, line.end, heading});
    } else {
      blocks.back().end = line.end;
    }
    if (fence) fenced = !fenced;
    open = fenced || !is_blank(content);
  }
  return blocks;
}

/// Measures in atoms: characters or tokens. Positions are byte offsets between two atoms. The text
/// must outlive the ruler.
class Ruler {
 public:
  Ruler(sv text, Measure measure) : m_text(text), m_bytes(measure == Measure::Bytes) {
    if (m_bytes) return;
    std::size_t position = 0;
    if (measure == Measure::Tokens) {
      for (const Token& token : tokenize(text)) {
        m_edges.push_back(position);
        position += token.text.size();
      }
    } else {
      while (position < text.size()) {
        m_edges.push_back(position);
        (void)decode_utf8(text, position);
      }
    }
    m_edges.push_back(text.size());
  }

  /// Returns the length of the text from `begin` to `end`.
  [[nodiscard]] std::size_t length(std::size_t begin, std::size_t end) const {
    return m_bytes ? end - begin : index_of(end) - index_of(begin);
  }

  /// Returns the last position at most `amount` after `begin`.
  [[nodiscard]] std::size_t forward(std::size_t begin, std::size_t amount) const {
    if (m_bytes) {
      std::size_t end = begin + std::min(amount, m_text.size() - begin);
      while (end > begin && inside_character(end)) --end;
      return end;
    }
    if (amount == 0) return begin;
    return m_edges[std::min(index_of(begin) + amount, m_edges.size() - 1)];
  }

  /// Returns the end of the atom at `begin`.
  [[nodiscard]] std::size_t next(std::size_t begin) const {
    if (!m_bytes) return m_edges[std::min(index_of(begin) + 1, m_edges.size() - 1)];
    std::size_t end = begin + 1;
    while (inside_character(end)) ++end;
    return end;
  }

  /// Returns the first position at most `amount` before `end`.
  [[nodiscard]] std::size_t backward(std::size_t end, std::size_t amount) const {
    if (m_bytes) {
      std::size_t begin = end - std::min(amount, end);
      while (begin < end && inside_character(begin)) ++begin;
      return begin;
    }
    const std::size_t last = index_of(end);
    return amount == 0 ? end : m_edges[last - std::min(amount, last)];
  }

 private:
  [[nodiscard]] std::size_t index_of(std::size_t position) const {
    return static_cast<std::size_t>(std::ranges::lower_bound(m_edges, position) - m_edges.begin());
  }
  [[nodiscard]] bool inside_character(std::size_t position) const {
    return position < m_text.size() &&
           (static_cast<unsigned char>(m_text[position]) & 0xC0) == 0x80;
  }

  sv m_text;
  bool m_bytes;
  std::vector<std::size_t> m_edges{};  ///< the start of each atom, and the end; unused for bytes
};

class TextSplitter {
 public:
  TextSplitter(sv text, const ChunkOptions& options)
      : m_text(text), m_plan(options), m_ruler(text, options.measure) {
    // Both overlaps belong to the chunk.
    const std::size_t most = options.max_size > 0 ? options.max_size - 1 : 0;
    m_overlap = std::min(options.overlap, most / 2);
    m_core = std::max<std::size_t>(1, options.max_size - 2 * m_overlap);
  }

  std::vector<Block> plain() {
    cut({0, m_text.size()});
    return std::move(m_cores);
  }

  // Whole sections if they fit, otherwise their blocks, otherwise parts of those.
  std::vector<Block> packed(const std::vector<Block>& blocks) {
    for (std::size_t i = 0; i < blocks.size();) {
      std::size_t next = i + 1;
      while (next < blocks.size() && !blocks[next].section) ++next;
      const Block section{blocks[i].begin, blocks[next - 1].end};
      if (fits(section)) {
        pack(section);
      } else {
        flush();
        for (std::size_t k = i; k < next; ++k) fits(blocks[k]) ? pack(blocks[k]) : cut(blocks[k]);
        flush();
      }
      i = next;
    }
    flush();
    return std::move(m_cores);
  }

  // A core that is one long atom leaves less room for its overlaps.
  [[nodiscard]] Block with_overlap(const Block& core) const {
    const std::size_t size = m_ruler.length(core.begin, core.end);
    const std::size_t room = m_plan.max_size > size ? m_plan.max_size - size : 0;
    const std::size_t overlap = std::min(m_overlap, room / 2);
    return {m_ruler.backward(core.begin, overlap), m_ruler.forward(core.end, overlap)};
  }

 private:
  [[nodiscard]] bool fits(const Block& block) const {
    return m_ruler.length(block.begin, block.end) <= m_core;
  }
  void pack(const Block& block) {
    if (m_open.end > m_open.begin && fits({m_open.begin, block.end})) {
      m_open.end = block.end;
      return;
    }
    flush();
    m_open = block;
  }
  void flush() {
    if (m_open.end > m_open.begin) m_cores.push_back(m_open);
    m_open = {};
  }
  void cut(Block block) {
    flush();
    while (block.begin < block.end) {
      const std::size_t whole =
          std::max(m_ruler.forward(block.begin, m_core), m_ruler.next(block.begin));
      const std::size_t end = std::min(whole, block.end);
      m_cores.push_back({block.begin, end});
      block.begin = end;
    }
  }

  sv m_text;
  const ChunkOptions& m_plan;
  Ruler m_ruler;
  std::size_t m_overlap = 0;
  std::size_t m_core = 1;
  Block m_open{};
  std::vector<Block> m_cores{};
};

std::vector<std::size_t> page_ends(sv text) {
  std::vector<std::size_t> ends;
  for (auto at = text.find('\f'); at != sv::npos; at = text.find('\f', at + 1)) ends.push_back(at);
  return ends;
}

// Returns the page that contains most of the block.
std::int64_t page_of(const std::vector<std::size_t>& ends, const Block& block) {
  if (ends.empty()) return 0;
  auto end = std::ranges::lower_bound(ends, block.begin);
  std::int64_t best = 0;
  std::size_t most = 0;
  for (std::size_t begin = block.begin; begin <= block.end; ++end) {
    const std::size_t stop = end == ends.end() ? block.end : std::min(*end, block.end);
    if (best == 0 || stop - begin > most) {
      best = end - ends.begin() + 1;
      most = stop - begin;
    }
    begin = stop + 1;
    if (end == ends.end()) break;
  }
  return best;
}

}  // namespace

std::vector<TextChunk> split_text(std::string_view text, const ChunkOptions& options) {
  TextSplitter splitter(text, options);
  const std::vector<Block> cores =
      options.strategy == Strategy::Plain
          ? splitter.plain()
          : splitter.packed(options.strategy == Strategy::Markdown ? markdown_blocks(text)
                                                                   : lines_of(text));
  const auto pages = page_ends(text);
  std::vector<TextChunk> chunks;
  for (const Block& core : cores) {
    const Block whole = splitter.with_overlap(core);
    std::string content(text.substr(whole.begin, whole.end - whole.begin));
    if (is_blank(content)) continue;
    if (options.strip_whitespace) content = std::string(trim(content));
    chunks.push_back({std::move(content), page_of(pages, core)});
  }
  return chunks;
}

}  // namespace svc::emulator::collections
