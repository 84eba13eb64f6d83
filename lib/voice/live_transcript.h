// Streaming transcription as a state machine: takes the service's messages, returns utterances.
// Uses no socket or clock.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "voice/transcript.h"

namespace svc::voice {

struct LiveEvent {
  enum class Kind : std::uint8_t {
    Nothing,  ///< unknown, unreadable or repeated
    Created,  ///< audio may be sent
    Interim,  ///< open_text() has changed
    Final,    ///< `utterance` is complete
    Done,     ///< a channel has ended; `utterance` is its last text that was not final yet
    Error,    ///< `message`: untrusted text. The connection may or may not close afterwards
  };
  Kind kind = Kind::Nothing;
  /// The final text of an utterance; times are relative to the start of the audio.
  std::optional<Transcript> utterance{};
  std::string message{};
};

/// The transcript of one run, over one or several consecutive connections.
class LiveTranscript {
 public:
  /// Transcribes `channels` channels separately (multichannel).
  explicit LiveTranscript(int channels = 1);

  /// Starts a new connection, whose audio starts `offset` seconds into the whole. Interim text is
  /// discarded, because its audio is sent again. Final text stays and is not added twice.
  void begin(double offset);

  /// Processes a message from the service. `sent` is the number of seconds sent so far, of the
  /// whole audio.
  [[nodiscard]] LiveEvent feed(std::string_view message, double sent);

  [[nodiscard]] bool created() const noexcept { return m_created; }
  /// Whether every channel has ended.
  [[nodiscard]] bool done() const noexcept;
  /// Whether there is text that is not final yet.
  [[nodiscard]] bool open() const noexcept;
  [[nodiscard]] int channels() const noexcept { return static_cast<int>(m_channels.size()); }

  /// The text of the current utterance, which may still change; "" if there is none.
  [[nodiscard]] std::string open_text(int channel = 0) const;

  /// Call when no more messages will arrive: makes the remaining interim text final.
  [[nodiscard]] std::vector<Transcript> close();

  /// The second before which audio need not be kept for resending. `sent` is the number of seconds
  /// sent so far. While nothing is open, audio older than a few seconds is not needed either,
  /// provided that interim results were requested (`interim`).
  [[nodiscard]] double resend_from(double sent, bool interim) const;

  /// Everything transcribed so far.
  [[nodiscard]] Transcript transcript() const;

 private:
  struct Segment {
    std::string text{};
    std::vector<Word> words{};
    std::optional<double> start{};
    std::optional<double> end{};
  };
  struct Channel {
    std::vector<Segment> locked{};  ///< locked segments of the open utterance
    Segment interim{};
    std::vector<Segment> utterances{};
    std::size_t first = 0;      ///< index of this connection's first utterance
    double final_end = 0;       ///< seconds; audio before this is final
    double repeated_until = 0;  ///< seconds; text for earlier audio is a repetition
    bool cut = false;           ///< a repetition was removed
    bool done = false;
    std::string text{};  ///< of `transcript.done` on this connection
    std::optional<double> duration{};
  };

  [[nodiscard]] static bool is_open(const Channel& channel);
  [[nodiscard]] static Segment open_segment(const Channel& channel);
  [[nodiscard]] static Segment take_open(Channel& channel);
  [[nodiscard]] static bool is_repetition(const Channel& channel, const Segment& segment);
  [[nodiscard]] static std::string channel_text(const Channel& channel);
  static void remove_repeated(Channel& channel, Segment& segment);
  [[nodiscard]] LiveEvent partial(Channel& channel, Segment segment, bool is_final,
                                  bool speech_final);
  [[nodiscard]] LiveEvent finish(Channel& channel, Segment segment);
  [[nodiscard]] std::optional<Transcript> add_utterance(Channel& channel, Segment segment);

  std::vector<Channel> m_channels;
  double m_offset = 0;
  double m_sent = 0;
  bool m_created = false;
  std::string m_language{};
};

}  // namespace svc::voice
