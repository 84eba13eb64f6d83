// Splits a document's text into chunks.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace svc::emulator::collections {

enum class Strategy : std::uint8_t { Plain, Markdown, Lines };
enum class Measure : std::uint8_t { Chars, Tokens, Bytes };

struct ChunkOptions {
  Strategy strategy = Strategy::Plain;
  Measure measure = Measure::Bytes;
  std::size_t max_size = 4000;  ///< of a chunk including overlaps, without injected text
  std::size_t overlap = 800;    ///< on both sides; together at most max_size - 1
  bool strip_whitespace = true;
};

struct TextChunk {
  std::string text{};
  std::int64_t page = 0;  ///< the page with most of the chunk, from 1; 0 if there is only one page
};

/// Splits at the maximum size; with Markdown preferably at headings and between paragraphs, with
/// Lines between lines. UTF-8 characters are never split. Form feeds separate pages. Chunks without
/// text are left out.
[[nodiscard]] std::vector<TextChunk> split_text(std::string_view text, const ChunkOptions& options);

}  // namespace svc::emulator::collections
