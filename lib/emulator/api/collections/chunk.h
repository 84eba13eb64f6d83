// Cutting a document's text into chunks.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace svc::emulator::collections {

enum class Strategy : std::uint8_t { Plain, Markdown, Code, Table };
enum class Measure : std::uint8_t { Chars, Tokens, Bytes };

struct ChunkPlan {
  Strategy strategy = Strategy::Plain;
  Measure measure = Measure::Bytes;
  std::size_t max_size = 4000;  ///< of a chunk with its overlaps, without what is injected
  std::size_t overlap = 800;    ///< on both sides; together at most max_size - 1
  bool strip_whitespace = true;
};

struct TextChunk {
  std::string text{};
  std::int64_t page = 0;  ///< the one that most of it is on, from 1; 0 when there is one only
};

/// Cuts at every size; with Markdown at headings and between paragraphs, with Code between
/// top-level definitions and lines, with Table between rows, whose head stands in every chunk,
/// where that is possible. No character of UTF-8 is cut in two. Form feeds part pages. Chunks
/// without text are left out.
[[nodiscard]] std::vector<TextChunk> cut_text(std::string_view text, const ChunkPlan& plan);

}  // namespace svc::emulator::collections
