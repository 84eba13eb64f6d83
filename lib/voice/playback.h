// Tracks which item of a conversation is heard when, to determine what an interruption cut off.
#pragma once

#include <cstdint>
#include <deque>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace svc::voice {

/// From here on, characters are of scripts without spaces between words.
inline constexpr char32_t k_first_without_spaces = 0x2e80;

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
  bool complete = false;   ///< no more audio of the item will arrive
  std::int64_t pace = 16;  ///< bytes of text per second of audio; the usual one of English
};

/// How much audio of an item had arrived when a piece of its text did.
class TextArrival {
 public:
  /// The text has `size` bytes now.
  void add(std::size_t size, std::int64_t audio_ms);
  /// The bytes spoken in the first `heard.heard_ms` of the audio; nothing if the text did not
  /// arrive in step with it.
  [[nodiscard]] std::optional<std::int64_t> spoken(std::size_t size, bool whole_text,
                                                   const Heard& heard) const;

 private:
  struct Piece {
    std::int64_t begin = 0;  ///< in bytes
    std::int64_t audio_ms = 0;
  };
  std::vector<Piece> m_pieces{};
  std::int64_t m_size = 0;
};

/// The words of `text` that were spoken in the part of an item that was heard. Text that arrives in
/// step with the audio is spoken where it arrived. Otherwise, where a word is in the audio is not
/// known: it is taken to be spoken evenly, and until all audio has arrived at a usual pace.
/// `whole_text`: nothing will follow.
[[nodiscard]] std::string_view spoken_part(std::string_view text, bool whole_text,
                                           const Heard& heard, const TextArrival& arrival = {});

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
