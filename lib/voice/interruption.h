// Decides what interrupts an answer: which speech, and which words. Uses the caller's clock.
#pragma once

#include <chrono>
#include <cstdint>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace svc::voice {

struct InterruptionPolicy {
  using Milliseconds = std::chrono::milliseconds;

  Milliseconds least{250};             ///< shorter speech does not interrupt
  int words = 1;                       ///< nor do fewer words; 0: the time alone decides
  std::vector<std::string> fillers{};  ///< nor do these words
  /// How long to wait for words after speech until the answer resumes; nothing: an answer never
  /// pauses, and any speech that is long enough ends it.
  std::optional<Milliseconds> resume{2'000};

  /// Whether the words that were said matter.
  [[nodiscard]] bool reads_words() const noexcept {
    return resume && (words > 0 || !fillers.empty());
  }
};

/// The number of words in `text` that are not fillers. Case and punctuation do not matter, and a
/// filler may have several words.
[[nodiscard]] int count_words(std::string_view text, const std::vector<std::string>& fillers);

/// Speech during an answer. The sound pauses when it starts; whether it was an interruption is
/// known later. One thread owns it.
class Interruption {
 public:
  using Clock = std::chrono::steady_clock;

  enum class Action : std::uint8_t {
    None,
    Pause,      ///< silence the answer, but keep it
    Resume,     ///< it was no interruption: continue where the sound stopped
    Interrupt,  ///< the rest of the answer is not wanted
  };
  struct Verdict {
    Action action = Action::None;
    bool discard = false;  ///< the item is not part of the conversation
    bool answer = false;   ///< the item was said to the service, and has not been answered
  };

  explicit Interruption(InterruptionPolicy policy) : m_policy(std::move(policy)) {}

  /// Call regularly: whether an answer is heard or paused, whether somebody speaks, and for how
  /// long this voice, or else the last one, has spoken.
  struct Scene {
    bool sounding = false;
    bool voice = false;
    std::chrono::milliseconds spoken{0};
  };
  [[nodiscard]] Verdict look(const Scene& scene, Clock::time_point now);

  /// A turn has been sent completely. Returns whether it is to be answered, as far as is known now.
  [[nodiscard]] bool sent(Clock::time_point now);
  /// It is this item of the conversation now.
  void committed(const std::string& item);
  /// The transcript of an item so far; `complete`: nothing will follow.
  [[nodiscard]] Verdict words(const std::string& item, std::string_view text, bool complete);
  /// Whether the words of the item are not known yet.
  [[nodiscard]] bool expects(const std::string& item) const { return m_items.contains(item); }
  /// Whether something was said whose words are not known yet.
  [[nodiscard]] bool expects_words() const noexcept { return m_sent > 0 || !m_items.empty(); }
  /// The answer was interrupted otherwise, or the connection was lost.
  void reset();

  /// Whether it is not known yet if an answer is interrupted.
  [[nodiscard]] bool undecided() const noexcept { return m_state != State::None && !m_cut; }
  /// When look() must be called again.
  [[nodiscard]] std::optional<Clock::time_point> deadline() const noexcept { return m_until; }

 private:
  enum class State : std::uint8_t { None, Voice, Waiting };

  Verdict resume();
  Verdict interrupt();

  InterruptionPolicy m_policy;
  State m_state = State::None;
  bool m_voice = false;
  bool m_cut = false;               ///< this speech has interrupted an answer
  bool m_transcribes = false;       ///< the service sends transcripts
  bool m_owed = false;              ///< an item has to be answered once the voice has ended
  int m_sent = 0;                   ///< turns that are not items yet
  std::set<std::string> m_items{};  ///< whose words are not known
  std::optional<Clock::time_point> m_until{};
};

}  // namespace svc::voice
