// The commonest event of a chat stream, read without building a document: a chunk that adds text to
// one choice and nothing else. A million of them must cost no more than their bytes.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>

#include "http/sse.h"

namespace svc {

struct FastDelta {
  int index = 0;
  std::string content{};
  std::size_t begin = 0;  ///< where the content's text stands in the event, without its quotes
  std::size_t end = 0;
  bool compact = false;  ///< no blank stands outside of its texts
};

/// True, with `chunk` filled, when `data` is a well-formed chunk whose single choice has a delta
/// with `content` (and at most a role) and no finish reason, and which carries no usage, error or
/// other news. False for everything else, well-formed or not: that goes to the full reader.
[[nodiscard]] bool read_fast_delta(std::string_view data, FastDelta& chunk);

/// The same for one chunk after another. Chunks of a stream differ in their text alone: one that
/// has the last one's bytes before and after its text needs no second reading of them.
class FastDeltaReader {
 public:
  [[nodiscard]] bool read(std::string_view data, FastDelta& chunk);

  /// Takes the events at the beginning of a stream's `bytes` that have the last chunk's frame;
  /// `chunk` is given the texts of all of them, joined.
  [[nodiscard]] http::SseRun read_run(std::string_view bytes, FastDelta& chunk) const;

  /// Whether what read() took last has no blank outside of its texts: laid out compactly it would
  /// be the same.
  [[nodiscard]] bool is_compact() const noexcept { return m_compact; }

 private:
  int m_index = 0;
  bool m_known = false;  ///< the rest is the last chunk's
  bool m_compact = false;
  std::string m_before = "data: ";  ///< of its event, up to and with the content's opening quote
  std::string m_after = "\n\n";     ///< from its closing quote on
};

}  // namespace svc
