// Tracks which item of a conversation is heard when, to determine what an interruption cut off.
#pragma once

#include <cstdint>
#include <deque>
#include <string>
#include <string_view>
#include <vector>

namespace svc::voice {

/// How much of an item was heard; the service drops the rest (`conversation.item.truncate`).
struct Truncation {
  std::string item{};
  int content = 0;
  std::int64_t played_ms = 0;  ///< never more than was received
};

/// How far an item was heard.
struct Heard {
  std::int64_t heard_ms = 0;
  std::int64_t received_ms = 0;
  bool complete = false;  ///< no more audio of the item will arrive
};

/// The words of `text` that were spoken in the part of an item that was heard. Where a word is in
/// the audio is not known: it is taken to be spoken evenly, and until all audio has arrived at a
/// usual pace. `whole_text`: nothing will follow.
[[nodiscard]] std::string_view spoken_part(std::string_view text, bool whole_text,
                                           const Heard& heard);

class Playback {
 public:
  explicit Playback(int rate) noexcept : m_rate(rate) {}

  /// Records that `frames` frames of an item were written to a speaker, starting at frame `first`.
  void write(const std::string& item, int content, std::uint64_t first, std::uint64_t frames);
  /// Records that the item is complete.
  void finish(const std::string& item);
  /// Call when playback was aborted at frame `position`. Returns the items not heard to the end, in
  /// order.
  [[nodiscard]] std::vector<Truncation> interrupt(std::uint64_t position);

  /// The frames of the item that were written but not heard at `position`.
  [[nodiscard]] std::uint64_t unheard(const std::string& item, std::uint64_t position) const;

  /// Discards items heard to the end.
  void advance(std::uint64_t position);

 private:
  struct Segment {
    std::string item{};
    int content = 0;
    std::uint64_t first = 0;
    std::uint64_t frames = 0;
    bool finished = false;
  };

  int m_rate;
  std::deque<Segment> m_segments{};
};

}  // namespace svc::voice
