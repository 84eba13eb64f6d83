// What `realtime talk` hears of the user, on its way to the service.
#pragma once

#include <chrono>
#include <deque>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "audio/sink.h"
#include "audio/source.h"
#include "base/result.h"
#include "commands/realtime/talk_session.h"
#include "voice/playback.h"
#include "voice/upstream_audio.h"

namespace svc::cli {

struct TalkCapturePlan {
  TalkSound sound{};
  bool manual = false;        ///< no detection of turns
  bool push_to_talk = false;  ///< the space bar says when the user speaks
  bool waits = false;         ///< the source can wait: it is not a device
  bool fast = false;          ///< a file is not sent in its own time
};

class TalkCapture {
 public:
  using Clock = audio::Clock;
  /// Hands sound to the service; false when that takes no more for now.
  using Send = std::function<bool(std::string_view bytes)>;
  /// Sees every block as it was heard.
  using Hear = std::function<Result<void>(const audio::Block& block)>;

  /// `source` is null where nothing is heard.
  TalkCapture(const TalkCapturePlan& plan, std::unique_ptr<audio::Source> source, Hear hear);

  /// Sound may be sent: the source begins, once.
  Result<void> begin();
  /// Takes what the source has, as far as there is room for it.
  Result<void> take();
  /// Sends what was heard.
  void feed(const Send& send);
  /// Milliseconds that could not be kept, since the last time.
  [[nodiscard]] std::uint64_t take_dropped_ms() { return m_heard.take_dropped_ms(); }
  /// A turn that the user ended is sent whole. True once.
  [[nodiscard]] bool take_commit() { return m_heard.take_commit(); }
  /// A turn was ended in which nothing was heard. True once.
  [[nodiscard]] bool take_empty_turn() { return std::exchange(m_empty_turn, false); }

  /// The space bar: held, it repeats; pressed once, the next press ends the turn. True when a turn
  /// begins.
  [[nodiscard]] bool talk_key();
  [[nodiscard]] bool turn_open() const noexcept { return m_heard.turn_open(); }
  /// What is due by the clock.
  void on_time(Clock::time_point now);

  // What the service says of the sound.
  void speech_started(std::int64_t at_ms) { m_heard.speech_started(at_ms); }
  void speech_stopped(std::int64_t at_ms) { m_heard.speech_stopped(at_ms); }
  void committed() { m_heard.committed(); }
  /// The connection is lost: what was being said is sent again.
  void lost();
  /// When a voice was heard last; now when none was.
  [[nodiscard]] Clock::time_point voice_end() const { return m_voice_end.value_or(Clock::now()); }

  /// Lets the device go, and continues with another one.
  void release() { m_source.reset(); }
  Result<void> move_to(std::unique_ptr<audio::Source> source);

  [[nodiscard]] bool present() const noexcept { return m_present; }
  [[nodiscard]] bool wants_sound() const;
  [[nodiscard]] int descriptor() const { return wants_sound() ? m_source->wait_fd() : -1; }
  /// How soon feed() is to be called again.
  [[nodiscard]] std::optional<Clock::time_point> deadline() const;
  /// The source has ended, and all of it was sent.
  [[nodiscard]] bool over() const { return !m_present || (source_over() && m_silence == 0); }
  /// When something other than the user's sound was last sent.
  [[nodiscard]] Clock::time_point padded() const noexcept { return m_padded; }
  [[nodiscard]] bool muted() const noexcept { return m_muted; }
  void set_muted(bool muted);
  [[nodiscard]] audio::Level level() const { return m_source ? m_source->level() : audio::Level{}; }
  /// How soon what was heard went out: a sentence, or "".
  [[nodiscard]] std::string lateness() const;

 private:
  void keep(const audio::Block& block);
  void feed_silence(const Send& send);
  void close_turn();
  [[nodiscard]] bool source_over() const;

  TalkCapturePlan m_plan;
  std::unique_ptr<audio::Source> m_source;
  Hear m_hear;
  voice::UpstreamAudio m_heard;
  bool m_present;
  bool m_started = false;
  bool m_muted = false;
  bool m_empty_turn = false;
  int m_silence = 0;  ///< pieces of silence that are still sent behind the input
  Clock::time_point m_next_silence{};
  Clock::time_point m_padded{};
  bool m_holding = false;  ///< the key repeats
  Clock::time_point m_pressed{};
  Clock::time_point m_turn_begin{};
  std::optional<Clock::time_point> m_turn_end{};  ///< what was heard until then belongs to the turn
  std::optional<Clock::time_point> m_voice_end{};
  Clock::time_point m_captured{};  ///< when the newest block ended
  Clock::duration m_late_most{};   ///< from a block's end until it was handed to the socket
  Clock::duration m_late_sum{};
  int m_late_count = 0;
};

/// The answers of a conversation on their way to a speaker, and what an interruption leaves of
/// them.
class TalkVoice {
 public:
  /// Without a sink nothing is ever heard.
  TalkVoice(std::unique_ptr<audio::Sink> sink, audio::Encoding encoding);

  /// Keeps what is heard until it is taken by take_heard().
  void keep_heard() noexcept { m_keeps = true; }
  /// What came out of the speaker since the last call.
  [[nodiscard]] std::vector<audio::Sample> take_heard() { return std::exchange(m_heard, {}); }

  /// A piece of an item, as the service sent it.
  Result<void> play(const std::string& item, int content, std::string_view bytes);
  /// No more of the item comes.
  void finish(const std::string& item);
  /// Gives the sink what it has room for.
  Result<void> pump();
  /// Silence, now: what was not heard to its end. Nothing when nothing was being said.
  [[nodiscard]] std::vector<voice::Truncation> interrupt();

  /// When the first sound was heard of what is or was said last; nothing while it was not.
  [[nodiscard]] std::optional<audio::Clock::time_point> begun() const noexcept { return m_begun; }

  /// Lets the speaker go; what was not heard of it is kept for the next one.
  void release();
  /// Goes on with another speaker of the same format.
  Result<void> move_to(std::unique_ptr<audio::Sink> sink);

  /// Everything was heard.
  [[nodiscard]] bool idle() const;
  /// Something waits for room in the sink.
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

  void hear(bool all);
  [[nodiscard]] std::uint64_t position() const;
  [[nodiscard]] std::uint64_t written() const;

  std::unique_ptr<audio::Sink> m_sink;
  audio::Encoding m_encoding;
  bool m_voiced;           ///< there is a sink, or there will be again
  audio::Format m_format;  ///< of it, one channel
  voice::Playback m_playback;
  std::deque<Piece> m_pending{};
  std::string m_decoding{};  ///< the item whose bytes came last
  audio::Decoder m_decoder;
  bool m_finish = false;                   ///< nothing more comes for now
  std::uint64_t m_base = 0;                ///< frames heard of speakers before this one
  std::vector<audio::Sample> m_unheard{};  ///< written, and not heard yet,
  std::uint64_t m_unheard_from = 0;        ///< from this frame on
  bool m_keeps = false;
  std::vector<audio::Sample> m_heard{};
  std::uint64_t m_first = 0;  ///< frame with which the last answer begins
  std::optional<audio::Clock::time_point> m_begun{};
};

}  // namespace svc::cli
