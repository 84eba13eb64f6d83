// A streamed response, generated event by event while it is sent, so that memory use does not grow
// with its length.
#pragma once

#include <chrono>
#include <cstddef>
#include <functional>
#include <string>
#include <string_view>
#include <vector>

#include "emulator/handler/handler.h"

namespace svc::emulator::text {

/// Where a chunk of a run's text ends, and the delay before the chunk.
struct Cut {
  std::size_t end = 0;
  std::chrono::milliseconds delay{0};
};

/// Several events: one for each word-sized chunk of `text`, or exactly one if `whole` is true.
struct Run {
  /// Returns the event data for a chunk. `last` is true for the last chunk of the run.
  std::function<std::string(std::string_view chunk, bool last)> event;
  std::string text{};
  bool whole = true;
  std::string name{};       ///< event name; empty: none
  std::vector<Cut> cuts{};  ///< all chunks of `text`; empty: words
};

/// A single event with this data.
[[nodiscard]] Run single(std::string data, std::string name = {});

struct Feed {
  std::vector<std::vector<Run>> lanes{};  ///< interleaved, one event from each in turn
  std::vector<Run> tail{};                ///< after all lanes
  bool done_mark = true;                  ///< ends with `data: [DONE]`
  std::chrono::milliseconds delay{0};     ///< before each chunk of text
};

/// Returns a text/event-stream response that sends `feed`.
[[nodiscard]] Response stream(Feed feed);

/// Returns the end of the chunk of `text` that starts at `begin`: spaces, then a word, both of
/// bounded length. Characters are never split.
[[nodiscard]] std::size_t chunk_end(std::string_view text, std::size_t begin);

}  // namespace svc::emulator::text
