// Audio of `realtime talk`: the user's on its way to the service, and answers on their way to the
// speaker.
#pragma once

#include <deque>
#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "audio/sink.h"
#include "audio/source.h"
#include "base/result.h"
#include "commands/realtime/talk_session.h"
#include "voice/local_turns.h"
#include "voice/playback.h"
#include "voice/upstream_audio.h"

namespace svc::cli {

struct TalkCapturePlan {
  TalkSound sound{};
  bool manual = false;        ///< no turn detection
  bool push_to_talk = false;  ///< the space bar starts and ends a turn
  bool waits = false;         ///< the source can be paused: it is not a device
  bool fast = false;          ///< a file is sent faster than real time
  /// Turns can be detected on this side: see close_gate().
  std::optional<voice::LocalTurnRules> turns{};
};

class TalkCapture {
 public:
  using Clock = audio::Clock;
  /// Sends audio to the service; false if the channel is full.
  using Send = std::function<bool(std::string_view bytes)>;
  /// Called with every captured block.
  using OnBlock = std::function<Result<void>(const audio::Block& block)>;

  /// `source` is null without audio input.
  TalkCapture(const TalkCapturePlan& plan, std::unique_ptr<audio::Source> source, OnBlock on_block);

  /// Starts the source, once audio may be sent.
  Result<void> begin();
  /// Reads from the source as far as there is room, and until voice() changes.
  Result<void> take();
  /// Sends the captured audio.
  void feed(const Send& send);
  /// Milliseconds of audio dropped since the last call.
  [[nodiscard]] std::uint64_t take_dropped_ms() { return m_heard.take_dropped_ms(); }
  /// True once, when a turn that the user ended has been sent completely.
  [[nodiscard]] bool take_commit() { return m_heard.take_commit(); }
  /// True once, when a turn without audio was ended.
  [[nodiscard]] bool take_empty_turn() { return std::exchange(m_empty_turn, false); }

  /// Handles the space bar: it repeats while held; if pressed once, the next press ends the turn.
  /// True if a turn starts.
  [[nodiscard]] bool talk_key();
  [[nodiscard]] bool turn_open() const noexcept { return m_heard.turn_open(); }
  /// Whether a turn is open, or finished but not committed yet.
  [[nodiscard]] bool turn_due() const noexcept { return m_heard.turn_due(); }
  /// Handles timeouts.
  void on_time(Clock::time_point now);

  /// Detects turns on this side from now on: only those are sent, and each has to be committed.
  void close_gate();
  /// Sends everything again; the service detects turns.
  void open_gate();
  /// Whether somebody speaks while the gate is closed, and for how long.
  [[nodiscard]] bool voice() const { return m_turns && m_turns->closed() && m_turns->voice(); }
  [[nodiscard]] std::chrono::milliseconds spoken() const {
    return m_turns ? m_turns->spoken() : std::chrono::milliseconds(0);
  }

  // The service's speech events.
  void speech_started(std::int64_t at_ms) { m_heard.speech_started(at_ms); }
  void speech_stopped(std::int64_t at_ms) { m_heard.speech_stopped(at_ms); }
  void committed() { m_heard.committed(); }
  /// Marks the connection as lost: the audio of the current turn is sent again.
  void lost();
  /// When speech was last captured; now if never.
  [[nodiscard]] Clock::time_point voice_end() const { return m_voice_end.value_or(Clock::now()); }

  /// Closes the device; move_to() continues with another one.
  void release() { m_source.reset(); }
  Result<void> move_to(std::unique_ptr<audio::Source> source);

  [[nodiscard]] bool present() const noexcept { return m_present; }
  [[nodiscard]] bool wants_sound() const;
  [[nodiscard]] int descriptor() const { return wants_sound() ? m_source->wait_fd() : -1; }
  /// When feed() must be called again.
  [[nodiscard]] std::optional<Clock::time_point> deadline() const;
  /// Whether the source has ended and all audio was sent.
  [[nodiscard]] bool over() const { return !m_present || (source_over() && m_silence == 0); }
  /// When silence was last sent.
  [[nodiscard]] Clock::time_point padded() const noexcept { return m_padded; }
  [[nodiscard]] bool muted() const noexcept { return m_muted; }
  void set_muted(bool muted);
  [[nodiscard]] audio::Level level() const { return m_source ? m_source->level() : audio::Level{}; }
  /// How long captured audio took to be sent, as a sentence; "" if unknown.
  [[nodiscard]] std::string lateness() const;

 private:
  void keep(const audio::Block& block);
  void pass(std::string_view bytes, double level);
  [[nodiscard]] bool gate_closed() const { return m_turns && m_turns->closed(); }
  void feed_silence(const Send& send);
  void close_turn();
  [[nodiscard]] bool source_over() const;

  TalkCapturePlan m_plan;
  std::unique_ptr<audio::Source> m_source;
  OnBlock m_on_block;
  voice::UpstreamAudio m_heard;
  std::optional<voice::LocalTurns> m_turns{};
  bool m_present;
  bool m_started = false;
  bool m_muted = false;
  bool m_empty_turn = false;
  int m_silence = 0;  ///< blocks of silence still to send after the input
  Clock::time_point m_next_silence{};
  Clock::time_point m_padded{};
  bool m_holding = false;  ///< the key is held
  Clock::time_point m_pressed{};
  Clock::time_point m_turn_begin{};
  std::optional<Clock::time_point>
      m_turn_end{};  ///< end of the turn; later audio is not part of it
  std::optional<Clock::time_point> m_voice_end{};
  Clock::time_point m_captured{};  ///< end of the newest block
  Clock::duration m_max_late{};    ///< from a block's end until it was passed to the socket
  Clock::duration m_late_sum{};
  int m_late_count = 0;
};

/// Plays the answers and tracks which part of them was heard.
class TalkVoice {
 public:
  /// Without a sink, nothing counts as heard.
  TalkVoice(std::unique_ptr<audio::Sink> sink, audio::Encoding encoding);

  /// Whether anything is played at all.
  [[nodiscard]] bool audible() const noexcept { return m_voiced; }
  /// Collects played audio for take_heard().
  void record_played() noexcept { m_keeps = true; }
  /// The audio played since the last call.
  [[nodiscard]] std::vector<audio::Sample> take_heard() { return std::exchange(m_heard, {}); }

  /// Queues a chunk of an item's audio, as received.
  Result<void> play(const std::string& item, int content, std::string_view bytes);
  /// Marks the item's audio as complete.
  void finish(const std::string& item);
  /// Writes to the sink as far as it has room.
  Result<void> pump();
  /// Stops playback at once. Returns the items that were not heard to the end.
  [[nodiscard]] std::vector<voice::Truncation> interrupt();
  /// Silence at once, until resume() continues where the sound stopped.
  void pause();
  Result<void> resume();
  [[nodiscard]] bool paused() const noexcept { return m_paused; }

  /// How far the item was heard; nothing if none of its audio has arrived.
  [[nodiscard]] std::optional<voice::Heard> heard(const std::string& item) const;

  /// When playback of the latest answer started; nothing if it has not.
  [[nodiscard]] std::optional<audio::Clock::time_point> begun() const noexcept { return m_begun; }

  /// Closes the speaker; audio not heard yet is kept for move_to().
  void release();
  /// Continues on another speaker with the same format.
  Result<void> move_to(std::unique_ptr<audio::Sink> sink);

  /// Whether all audio was heard; never while paused before its end.
  [[nodiscard]] bool idle() const;
  /// Whether audio is waiting for room in the sink.
  [[nodiscard]] bool pending() const noexcept { return !m_pending.empty(); }
  [[nodiscard]] audio::Level level() const { return m_sink ? m_sink->level() : audio::Level{}; }
  [[nodiscard]] Result<void> check() { return m_sink ? m_sink->check() : Result<void>(); }
  [[nodiscard]] Result<void> close() { return m_sink ? m_sink->close() : Result<void>(); }

 private:
  struct Piece {
    std::string item{};
    int content = 0;
    std::vector<audio::Sample> samples{};
    std::size_t done = 0;
  };

  struct Received {
    std::uint64_t frames = 0;
    bool complete = false;
  };

  void on_block(bool all);
  Result<void> write_unheard();
  [[nodiscard]] std::uint64_t position() const;
  [[nodiscard]] std::uint64_t written() const;

  std::unique_ptr<audio::Sink> m_sink;
  audio::Encoding m_encoding;
  bool m_voiced;           ///< there is a sink, or will be again
  audio::Format m_format;  ///< of the sink, one channel
  voice::Playback m_playback;
  std::deque<Piece> m_pending{};
  std::map<std::string, Received> m_received{};  ///< by item
  std::string m_decoding{};                      ///< item of the last bytes received
  audio::Decoder m_decoder;
  bool m_finish = false;  ///< no more audio for now
  bool m_paused = false;
  std::uint64_t m_base = 0;                ///< frames heard on earlier speakers
  std::vector<audio::Sample> m_unheard{};  ///< written but not heard yet
  std::uint64_t m_unheard_from = 0;        ///< the first frame in m_unheard
  bool m_keeps = false;
  std::vector<audio::Sample> m_heard{};
  std::uint64_t m_first = 0;  ///< first frame of the last answer
  std::optional<audio::Clock::time_point> m_begun{};
};

}  // namespace svc::cli
