// A streamed answer, made event by event while it goes out: memory stays flat however long it is.
#pragma once

#include <chrono>
#include <cstddef>
#include <functional>
#include <string>
#include <string_view>
#include <vector>

#include "emulator/handler/handler.h"

namespace svc::emulator::text {

/// Several events: one for each word-sized piece of `text`, or exactly one when `whole` is true.
struct Run {
  /// The data of the event for that piece. `last` tells the last one of the run.
  std::function<std::string(std::string_view piece, bool last)> event;
  std::string text{};
  bool whole = true;
  std::string name{};  ///< of the events; empty: they have none
};

/// One event with this data.
[[nodiscard]] Run single(std::string data, std::string name = {});

struct Feed {
  std::vector<std::vector<Run>> lanes{};  ///< taken in turns, one event each
  std::vector<Run> tail{};                ///< after all lanes
  bool done_mark = true;                  ///< ends with `data: [DONE]`
  std::chrono::milliseconds delay{0};     ///< before each piece of a text
};

/// An answer of the type text/event-stream that sends `feed`.
[[nodiscard]] Answer stream(Feed feed);

/// The end of the piece of `text` that begins at `begin`: blanks, then a word, both of bounded
/// length. No character is cut.
[[nodiscard]] std::size_t piece_end(std::string_view text, std::size_t begin);

}  // namespace svc::emulator::text
