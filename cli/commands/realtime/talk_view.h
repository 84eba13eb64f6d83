// What `realtime talk` shows and writes: both sides as they speak, on the screen, on standard
// output, and in a file.
#pragma once

#include <chrono>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "audio/format.h"
#include "base/files.h"
#include "base/result.h"
#include "print/live_text.h"
#include "session/session.h"
#include "voice/conversation.h"

namespace svc::cli {

enum class Speaker : std::uint8_t { User, Assistant };

/// `--transcript FILE`: .txt, .jsonl or .srt, by its ending. It appears when the talk is over.
class TalkTranscript {
 public:
  [[nodiscard]] static Result<TalkTranscript> create(const std::string& path, Replace replace);

  [[nodiscard]] Result<void> add(Speaker speaker, const std::string& text,
                                 std::chrono::milliseconds begin, std::chrono::milliseconds end);
  [[nodiscard]] Result<void> close() { return m_file.commit(); }

 private:
  enum class Form : std::uint8_t { Text, Lines, Subtitles };
  TalkTranscript(AtomicFile file, Form form) : m_file(std::move(file)), m_form(form) {}

  AtomicFile m_file;
  Form m_form;
  int m_cues = 0;
};

class TalkView {
 public:
  using Clock = std::chrono::steady_clock;

  /// `sound_out`: standard output is for sound; what is said goes to standard error. `user` is who
  /// speaks on this side.
  TalkView(Session& session, bool sound_out, std::optional<TalkTranscript> transcript,
           std::string user = "you");

  [[nodiscard]] static bool shows_live(Session& session);
  [[nodiscard]] bool is_live() const noexcept { return m_live.enabled(); }

  /// A message of the service as it came: for jsonl and raw.
  Result<void> message(const std::string& text);
  /// What one side says, so far or for good.
  Result<void> words(Speaker speaker, const voice::TalkEvent& event);
  /// A text of the user's.
  void typed(const std::string& text);
  /// One side begins to say `item`, whose words come later.
  void begin(Speaker speaker, const std::string& item);
  /// A turn is answered: how long the user waited for the answer's begin, where that is known, and
  /// what the conversation has used so far. `sound`: the answer is heard.
  void turn(std::optional<Clock::duration> wait, bool sound, const voice::TalkUsage& usage);
  /// Draws what is being said, and below it one line: `status` is own text, `typed` the user's.
  void draw(const std::string& status, const std::string& typed);
  /// The connection is lost: what was being answered stays as far as it came, what was being said
  /// will be heard anew.
  Result<void> lose();
  void note(const std::string& text);
  void warning(const std::string& text);
  /// The end of the output; the counts of answers are for the last note.
  Result<void> finish(const voice::Conversation& talk, int answers, int interrupted);

 private:
  struct Line {
    Speaker speaker = Speaker::User;
    std::string item{};
    std::string text{};     ///< the best version
    std::string printed{};  ///< the first final one
    Clock::time_point begin{};
    Clock::time_point end{};
  };

  Line& line_of(Speaker speaker, const std::string& item);
  Result<void> settle(Line line);
  Result<void> write_transcript();

  Session& m_session;
  bool m_sound_out;
  std::string m_user;
  std::optional<TalkTranscript> m_transcript;
  print::LiveText m_live;
  Clock::time_point m_begin = Clock::now();
  std::vector<Line> m_open{};                      ///< not final yet
  std::vector<Line> m_said{};                      ///< for document and transcript
  int m_texts = 0;                                 ///< that were typed or given
  std::map<std::string, std::string> m_settled{};  ///< by item: what was printed
};

}  // namespace svc::cli
