// The output of `realtime talk`: both sides on the screen, on standard output and in a file.
#pragma once

#include <chrono>
#include <functional>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "audio/format.h"
#include "base/atomic_file.h"
#include "base/result.h"
#include "print/live_text.h"
#include "session/session.h"
#include "voice/conversation.h"
#include "voice/playback.h"

namespace svc::cli {

enum class Speaker : std::uint8_t { User, Assistant };

/// `--transcript FILE`: .txt, .jsonl or .srt, by extension. The file is created at the end.
class TalkTranscript {
 public:
  [[nodiscard]] static Result<TalkTranscript> create(const std::string& path, Replace replace);

  /// `cut`: the speaker was interrupted after `text`.
  [[nodiscard]] Result<void> add(Speaker speaker, const std::string& text, bool cut,
                                 std::chrono::milliseconds begin, std::chrono::milliseconds end);
  [[nodiscard]] Result<void> close() { return m_file.commit(); }

 private:
  enum class Form : std::uint8_t { Text, Lines, Subtitles };
  TalkTranscript(AtomicFile file, Form form) : m_file(std::move(file)), m_form(form) {}

  AtomicFile m_file;
  Form m_form;
  std::uint64_t m_cues = 0;
};

class TalkView {
 public:
  using Clock = std::chrono::steady_clock;

  /// `sound_out`: standard output is for audio, and text goes to standard error. `user` labels this
  /// side.
  TalkView(Session& session, bool sound_out, std::optional<TalkTranscript> transcript,
           std::string user = "you");

  /// Shows the answers' text no further than their audio was heard: `heard` tells how far that is,
  /// and nothing for an item without audio.
  void follow(std::function<std::optional<voice::Heard>(const std::string& item)> heard) {
    m_heard = std::move(heard);
  }
  /// Prints the answers that were heard to their end.
  Result<void> advance();
  /// No more text or audio of the answers so far will arrive.
  void answer_over();
  /// The answers were interrupted: text that was not heard is never shown. `items` were heard in
  /// part; advance() prints that part.
  void cut(const std::vector<voice::Truncation>& items);

  [[nodiscard]] static bool shows_live(Session& session);
  [[nodiscard]] bool is_live() const noexcept { return m_live.enabled(); }
  /// The width of the terminal now.
  [[nodiscard]] static int columns();

  /// Prints an event as received (jsonl and raw).
  Result<void> message(const std::string& text);
  /// Shows text of one side, interim or final.
  Result<void> words(Speaker speaker, const voice::TalkEvent& event);
  /// Shows a text that the user typed.
  void typed(const std::string& text);
  /// One side starts to speak `item`; its text follows.
  void begin(Speaker speaker, const std::string& item);
  /// Reports a completed turn: how long the user waited for the answer, if known, and the
  /// conversation's usage so far. `sound`: the answer is played.
  void turn(std::optional<Clock::duration> wait, bool sound, const voice::TalkUsage& usage);
  /// Draws the interim text and a line below it: `status` is svc's text, `typed` the user's.
  void draw(const std::string& status, const std::string& typed);
  /// The connection was lost: drops interim speech, which will be transcribed again. The partial
  /// answer may be completed.
  void disconnect();
  /// The partial answer will not be completed; the next one replaces it.
  void give_up();
  /// Asks about a tool call, whatever else is hidden.
  void question(const std::string& text);
  void note(const std::string& text);
  void warning(const std::string& text);
  /// Records the usage since the last call; with `costs`, also what the service says that it costs.
  void record(const voice::SpokenConversation& talk, bool costs);
  /// Finishes the output; the numbers of answers are for the last note.
  Result<void> finish(const voice::SpokenConversation& talk, int answers, int interrupted);

 private:
  struct Line {
    Speaker speaker = Speaker::User;
    std::string item{};
    std::string text{};     ///< latest version
    std::string printed{};  ///< first final version
    Clock::time_point begin{};
    Clock::time_point end{};
    bool whole = false;                 ///< its text is complete
    bool over = false;                  ///< its answer is complete
    bool broken = false;                ///< the connection was lost in it
    bool lost = false;                  ///< it was asked for again
    std::optional<voice::Heard> cut{};  ///< interrupted
    voice::TextArrival arrival{};
    std::size_t shown = 0;  ///< bytes on the screen: what was heard once is never taken back
  };

  /// The part of the line that was heard.
  [[nodiscard]] std::string_view heard_text(const Line& line) const;
  [[nodiscard]] bool is_heard(const Line& line) const;
  Line& line_of(Speaker speaker, const std::string& item);
  Result<void> settle(Line line);
  void learn_pace(const Line& line);
  Result<void> write_transcript();

  Session& m_session;
  bool m_sound_out;
  std::function<std::optional<voice::Heard>(const std::string& item)> m_heard{};
  std::string m_user;
  std::optional<TalkTranscript> m_transcript;
  print::LiveText m_live;
  Clock::time_point m_begin = Clock::now();
  std::vector<Line> m_open{};                      ///< not final yet
  std::vector<Line> m_said{};                      ///< for document and transcript
  int m_texts = 0;                                 ///< typed or given as flags
  std::optional<std::int64_t> m_pace{};            ///< of the last answer heard to its end
  std::map<std::string, std::string> m_settled{};  ///< printed text by item
  voice::TalkUsage m_recorded{};
};

}  // namespace svc::cli
