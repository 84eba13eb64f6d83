// The conversation that a run continues with and adds to: --continue, --session, --no-save, and the
// profile's `history`.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "base/result.h"
#include "conversation/turn.h"
#include "history/conversations.h"
#include "operation/answer_sink.h"
#include "request/inputs.h"
#include "session/session.h"

namespace svc::cli {

/// OneShot: `svc chat "…"`, kept only where --continue, --session or --save say so. Conversation:
/// on a terminal, kept unless --no-save or the profile say otherwise.
enum class Occasion : std::uint8_t { OneShot, Conversation };

/// A conversation in memory, and in the file of kept ones as far as that is wanted and works: what
/// cannot be written is told once, and the conversation continues without being kept.
class SavedConversation {
 public:
  /// By the flags of the invocation, whose group is "chat" or "responses". The model of a
  /// conversation that continues is the session's from then on, unless a flag names one. Usage when
  /// there is none to go on with, or --session names one of another command or profile.
  [[nodiscard]] static Result<SavedConversation> open(Session& session, Occasion occasion);

  SavedConversation(SavedConversation&&) = default;
  SavedConversation& operator=(SavedConversation&&) = delete;

  /// The flags of the command line, with what the conversation brings along: its --system.
  [[nodiscard]] request::Inputs inputs() const;
  /// What the next turn continues with.
  [[nodiscard]] request::PriorTurns thread() const;
  [[nodiscard]] const std::vector<history::Turn>& turns() const noexcept { return m_turns; }
  /// Whether what is added is written.
  [[nodiscard]] bool is_saved() const noexcept { return m_keeps; }

  /// Says where conversations are kept, where none was kept before.
  void note_first_use();

  /// Adds a turn that ended, also one that ended badly with something said; one without messages
  /// is none.
  void append(history::Turn turn);

  /// Goes on with another conversation instead, by its number or name. NotFound, or Usage when it
  /// is one of another command or profile.
  [[nodiscard]] Result<void> resume(const std::string& which);

  /// The last conversations that resume() takes, newest first.
  [[nodiscard]] Result<std::vector<history::Conversation>> others(std::size_t most);

  /// What the turns before this run took.
  [[nodiscard]] const std::optional<Usage>& earlier() const noexcept { return m_earlier; }
  [[nodiscard]] const history::Conversation& facts() const noexcept { return m_facts; }

  /// Takes the last turn back; false when there is none.
  bool take_back();

  /// The system prompt from now on. The service keeps that of a response which is gone on from, so
  /// the next turn goes on from the words that are kept here.
  void set_system(std::string text);

  /// The next turn brings all messages along, and names no response that the service keeps.
  void send_whole() {
    for (history::Turn& turn : m_turns) turn.response_id.clear();
  }

  /// What comes next begins a new conversation; the one so far stays as it is kept.
  void begin_anew();

 private:
  explicit SavedConversation(Session& session) : m_session(&session) {}

  [[nodiscard]] Result<void> find(const std::string& name, bool must_exist);
  [[nodiscard]] Result<void> find_last();
  [[nodiscard]] Result<void> load(history::Conversation found);
  [[nodiscard]] Result<void> read_system();
  [[nodiscard]] Result<void> open_store();
  void give_up(const Error& why);
  void tell_branch(history::SaveOutcome kept);

  Session* m_session;
  bool m_keeps = false;
  bool m_first_use_told = false;
  std::optional<history::Conversations> m_store{};
  history::Conversation m_facts{};
  std::vector<history::Turn> m_turns{};
  std::optional<Usage> m_earlier{};
};

/// What a turn adds to a conversation. Nothing, when nothing arrived.
[[nodiscard]] history::Turn saved_turn(const TurnResult& result);

/// A name that --session takes: Usage for one that is a number, empty or longer than 64 characters.
[[nodiscard]] Result<void> check_session_name(const std::string& name);

/// What people call a conversation: its name in quotes, else its number.
[[nodiscard]] std::string conversation_label(const history::Conversation& conversation);

/// Runs a turn with the thread of `kept`. When the service has forgotten the response that it goes
/// on from (stored ones live for 30 days), the words that are kept here go along
/// instead, and that is told. What it gave is not appended yet.
[[nodiscard]] TurnResult run_saved_turn(Session& session, Dialogue& dialogue,
                                        SavedConversation& kept, TurnPlan plan, AnswerSink& view);

}  // namespace svc::cli
