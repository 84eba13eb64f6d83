// Streaming transcription as a state machine: the service's messages in, what is said out. No
// socket, no clock.
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
    Nothing,  ///< unknown, unreadable, or said before
    Created,  ///< audio may be sent
    Interim,  ///< open_text() has changed
    Final,    ///< `utterance` is new
    Done,     ///< a channel has ended; `utterance` holds what had not been final
    Error,    ///< `message`: foreign text. Whether it ends the connection shows only then
  };
  Kind kind = Kind::Nothing;
  /// What a speaker said until the pause, once and for all; times count from the first sound.
  std::optional<Transcript> utterance{};
  std::string message{};
};

/// The transcript of one run, over one connection or several that follow one another.
class LiveTranscript {
 public:
  /// `channels` are transcribed each by itself (multichannel), or all as one.
  explicit LiveTranscript(int channels = 1);

  /// A new connection, whose first sound is `offset` seconds behind the first of all. What was
  /// open is forgotten, for its sound is sent again; what was final stays, and is not taken twice.
  void begin(double offset);

  /// One message of the service. `sent` is how many seconds of sound were sent by then, of the
  /// whole.
  [[nodiscard]] LiveEvent take(std::string_view message, double sent);

  [[nodiscard]] bool created() const noexcept { return m_created; }
  /// Every channel has ended.
  [[nodiscard]] bool done() const noexcept;
  /// Something was heard that is not final yet.
  [[nodiscard]] bool open() const noexcept;
  [[nodiscard]] int channels() const noexcept { return static_cast<int>(m_channels.size()); }

  /// What is heard of the utterances that go on, to be shown and replaced; "" when there is none.
  [[nodiscard]] std::string open_text(int channel = 0) const;

  /// No more messages come: what is open becomes final as it is.
  [[nodiscard]] std::vector<Transcript> close();

  /// Sound before this second of the whole is needed no more. `sent` is how many seconds were
  /// sent: where nothing is open, nothing before a few seconds ago is needed either, provided that
  /// the service was asked for what it hears in between (`interim`).
  [[nodiscard]] double settled(double sent, bool interim) const;

  /// All that was said so far.
  [[nodiscard]] Transcript transcript() const;

 private:
  struct Piece {
    std::string text{};
    std::vector<Word> words{};
    std::optional<double> start{};
    std::optional<double> end{};
  };
  struct Channel {
    std::vector<Piece> locked{};  ///< of the open utterance
    Piece interim{};
    std::vector<Piece> utterances{};
    std::size_t first = 0;  ///< of them, of this connection
    double final_end = 0;   ///< sound before it is final
    double said_until = 0;  ///< what this connection says of sound before it was said already
    bool cut = false;       ///< and something was left out for that
    bool done = false;
    std::string text{};  ///< of `transcript.done`, of this connection
    std::optional<double> duration{};
  };

  [[nodiscard]] static bool is_open(const Channel& channel);
  [[nodiscard]] static Piece open_piece(const Channel& channel);
  [[nodiscard]] static bool said_before(const Channel& channel, const Piece& piece);
  [[nodiscard]] static std::string text_of_channel(const Channel& channel);
  static void leave_out_repeated(Channel& channel, Piece& piece);
  [[nodiscard]] LiveEvent partial(Channel& channel, Piece piece, bool is_final, bool speech_final);
  [[nodiscard]] LiveEvent finish(Channel& channel, Piece piece);
  [[nodiscard]] std::optional<Transcript> keep(Channel& channel, Piece piece);

  std::vector<Channel> m_channels;
  double m_offset = 0;
  double m_sent = 0;
  bool m_created = false;
  std::string m_language{};
};

}  // namespace svc::voice
