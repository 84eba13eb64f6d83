// The saved conversation that a run continues and adds to: --continue, --session, --no-save, and
// the profile's `history`.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "base/result.h"
#include "conversation/turn.h"
#include "history/conversations.h"
#include "operation/answer_sink.h"
#include "request/inputs.h"
#include "session/session.h"

namespace svc::cli {

/// OneShot: `svc chat "…"`, saved only with --continue, --session or --save. Conversation:
/// interactive, saved unless --no-save or the profile disables it.
enum class ConversationKind : std::uint8_t { OneShot, Conversation };

/// The field of the system prompt: `chat --system`, `responses --instructions`; null without one.
[[nodiscard]] const Field* system_field(const Operation& operation);

/// The system prompt that the inputs give, read if they name a file; nullopt if they give none.
/// Usage or Local if the file cannot be read.
[[nodiscard]] Result<std::optional<std::string>> given_system(const Operation& operation,
                                                              const request::Inputs& inputs);

/// A conversation in memory and, if enabled, on disk. If a write fails, a warning is printed once
/// and the conversation continues without being saved.
class SavedConversation {
 public:
  /// Opens the conversation that the invocation's flags select; its group is "chat" or "responses".
  /// The model of a continued conversation becomes the session's unless a flag names one. Usage if
  /// there is none to continue, or if --session names one of another command or profile.
  [[nodiscard]] static Result<SavedConversation> open(Session& session, ConversationKind kind);

  SavedConversation(SavedConversation&&) = default;
  SavedConversation& operator=(SavedConversation&&) = delete;

  /// The command line's inputs, with the system prompt of the conversation.
  [[nodiscard]] request::Inputs inputs() const;
  /// The earlier turns that the next request continues from.
  [[nodiscard]] request::PriorTurns thread() const;
  [[nodiscard]] const std::vector<history::Turn>& turns() const noexcept { return m_turns; }
  /// Whether turns are saved to disk.
  [[nodiscard]] bool is_saved() const noexcept { return m_keeps; }

  /// Prints where conversations are saved, if this is the first one.
  void note_first_use();

  /// Adds a finished turn, or a failed one that has messages; a turn without messages is ignored.
  void append(history::Turn turn);

  /// Switches to another conversation, given its number or name. NotFound, or Usage if it belongs
  /// to another command or profile.
  [[nodiscard]] Result<void> resume(const std::string& which);

  /// The other conversations that resume() accepts, newest first.
  [[nodiscard]] Result<std::vector<history::Conversation>> others();
  /// The IDs of the conversations whose messages contain a word; see Conversations::containing().
  [[nodiscard]] std::vector<std::int64_t> containing(const std::string& word);
  /// What is said around `word` in one of others(), on one line; "" if it is not there.
  [[nodiscard]] std::string excerpt_at(const history::Conversation& other, const std::string& word);

  /// The usage of the turns before this run.
  [[nodiscard]] const std::optional<Usage>& earlier() const noexcept { return m_earlier; }
  [[nodiscard]] const history::Conversation& facts() const noexcept { return m_facts; }

  /// Removes the last turn; false if there is none.
  bool remove_last_turn();

  /// Sets the system prompt for the next turns. The service reuses the prompt of a continued
  /// response, so the next turn sends all saved messages instead.
  void set_system(std::string text);

  /// Makes the next turn send all messages instead of continuing a response stored on the service.
  void send_whole() {
    for (history::Turn& turn : m_turns) turn.response_id.clear();
  }

  /// Starts a new conversation; the current one stays saved.
  void start_over();

 private:
  explicit SavedConversation(Session& session) : m_session(&session) {}

  [[nodiscard]] Result<void> find(const std::string& name, bool must_exist);
  [[nodiscard]] Result<void> find_last();
  [[nodiscard]] Result<void> load(history::Conversation found);
  [[nodiscard]] Result<void> read_system();
  [[nodiscard]] Result<void> open_store();
  void give_up(const Error& why);
  void note_branch(history::SaveOutcome saved);

  Session* m_session;
  bool m_keeps = false;
  bool m_first_use_told = false;
  std::optional<history::Conversations> m_destination{};
  history::Conversation m_facts{};
  std::vector<history::Turn> m_turns{};
  std::optional<Usage> m_earlier{};
};

/// The history entry of a turn; without messages if nothing was received.
[[nodiscard]] history::Turn saved_turn(const TurnResult& result);

/// Usage if `name` is not valid for --session: a number, empty or longer than 64 characters.
[[nodiscard]] Result<void> check_session_name(const std::string& name);

/// The label of a conversation for the user: its name in quotes, else its number.
[[nodiscard]] std::string conversation_label(const history::Conversation& conversation);

/// "just now", "5 minutes ago", …, for a time in Unix seconds.
[[nodiscard]] std::string ago(std::int64_t time);

/// Runs a turn that continues `saved`. If the service no longer has the previous response (stored
/// ones live for 30 days), sends the saved messages instead and prints a note. Does not append the
/// result.
[[nodiscard]] TurnResult run_saved_turn(Session& session, Dialogue& dialogue,
                                        SavedConversation& saved, TurnPlan plan, AnswerSink& view);

}  // namespace svc::cli
