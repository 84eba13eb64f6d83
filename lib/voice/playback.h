// Which item of a conversation is heard when: what an interruption leaves of it.
#pragma once

#include <cstdint>
#include <deque>
#include <string>
#include <vector>

namespace svc::voice {

/// The part of an item that was heard; the rest is to be forgotten (`conversation.item.truncate`).
struct Truncation {
  std::string item{};
  int content = 0;
  std::int64_t heard_ms = 0;  ///< never more than came
};

class Playback {
 public:
  explicit Playback(int rate) noexcept : m_rate(rate) {}

  /// `frames` of an item were given to a speaker that had got `first` frames before.
  void write(const std::string& item, int content, std::uint64_t first, std::uint64_t frames);
  /// No more of the item comes.
  void finish(const std::string& item);
  /// The speaker fell silent at frame `position`, for good: the items that were not heard to their
  /// end, in order.
  [[nodiscard]] std::vector<Truncation> interrupt(std::uint64_t position);

  /// The item that is heard at `position`, or "".
  [[nodiscard]] std::string at(std::uint64_t position) const;
  /// Forgets what was heard to its end.
  void advance(std::uint64_t position);

 private:
  struct Stretch {
    std::string item{};
    int content = 0;
    std::uint64_t first = 0;
    std::uint64_t frames = 0;
    bool finished = false;
  };

  int m_rate;
  std::deque<Stretch> m_stretches{};
};

}  // namespace svc::voice
