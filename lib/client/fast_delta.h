// A fast path for the most common event of a chat stream, a chunk that only adds text to one
// choice: parsed without building a document, so that a million of them cost little more than their
// bytes.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>

#include "http/sse.h"

namespace svc {

struct FastDelta {
  int index = 0;
  std::string content{};
  std::size_t begin = 0;  ///< offset of the content's text in the event, without quotes
  std::size_t end = 0;
  bool compact = false;  ///< no whitespace outside of strings
};

/// Returns true and fills `chunk` if `data` is a well-formed chunk whose only choice has a delta
/// with `content` (and at most a role), no finish reason, and no usage, error or other information.
/// Returns false for anything else, well-formed or not, which the full parser handles.
[[nodiscard]] bool read_fast_delta(std::string_view data, FastDelta& chunk);

/// Reads successive chunks. Chunks of a stream differ only in their text: one with the same bytes
/// before and after the text as the last chunk is not parsed again.
class FastDeltaReader {
 public:
  [[nodiscard]] bool read(std::string_view data, FastDelta& chunk);

  /// Consumes the events at the start of `bytes` that match the last chunk's frame; `chunk`
  /// receives their texts, concatenated.
  [[nodiscard]] http::SseRun read_run(std::string_view bytes, FastDelta& chunk) const;

  /// Whether the last chunk has no whitespace outside of strings, so that compacting would not
  /// change it.
  [[nodiscard]] bool is_compact() const noexcept { return m_compact; }

 private:
  int m_index = 0;
  bool m_compact = false;
  // The last chunk's event as the stream has it; empty before the first.
  std::string m_before{};  ///< up to and including the content's opening quote
  std::string m_after{};   ///< from the content's closing quote
};

}  // namespace svc
