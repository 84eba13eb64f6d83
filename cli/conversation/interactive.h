// A conversation on a terminal: `svc chat` and `svc responses` without a prompt.
#pragma once

#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "base/cancel_token.h"
#include "base/result.h"
#include "conversation/saved_conversation.h"
#include "conversation/slash_commands.h"
#include "conversation/transcript.h"
#include "conversation/turn.h"
#include "operation/answer_printer.h"
#include "session/session.h"
#include "terminal/editor/input_history.h"
#include "terminal/editor/line_editor.h"
#include "terminal/editor/raw_terminal.h"
#include "terminal/signals.h"

namespace svc::cli {

/// Whether the command line starts an interactive conversation: it contains no prompt, input and
/// output are a terminal, and no flag asks for something other than text.
[[nodiscard]] bool wants_conversation(Session& session);

/// Runs the conversation until the user exits.
[[nodiscard]] Result<void> run_conversation(Session& session);

/// The turns of a continued conversation, for /retry, /save and the like.
[[nodiscard]] std::vector<Spoken> spoken_before(const SavedConversation& kept);

class InteractiveConversation {
 public:
  InteractiveConversation(Session& session, SavedConversation kept);

  /// Reads messages and commands until the user exits. An error of a turn is printed and the
  /// conversation continues; a returned error ends the program.
  [[nodiscard]] Result<void> run();

 private:
  using Command = Result<void> (InteractiveConversation::*)(const std::string& argument);
  [[nodiscard]] static Command command_of(sv name);

  [[nodiscard]] Result<void> open();
  void ask_about_tools();
  void watch_keys();
  void tell_turns();
  [[nodiscard]] Result<void> command(const SlashLine& line);
  [[nodiscard]] static Error unknown_command(sv name);
  [[nodiscard]] Result<void> say(std::string text, std::vector<Attachment> attachments);
  void put_down(Spoken spoken, TurnResult result);
  [[nodiscard]] request::Inputs inputs_of(const Spoken& spoken) const;
  void set_input(sv flag, const std::string& text);
  [[nodiscard]] std::optional<std::string> input(sv flag) const;
  [[nodiscard]] std::string model() const;
  [[nodiscard]] std::vector<std::string> models();
  /// Prints a line that is not part of the conversation.
  void tell(const std::string& text) { m_session.notices().aside(text); }
  /// Attaches the files that a message mentions as `@path`.
  [[nodiscard]] Result<void> attach_mentioned(const std::string& text);
  /// `!command`: runs it and offers to add its output to the next message.
  [[nodiscard]] Result<void> run_shell(const std::string& script);
  [[nodiscard]] Result<std::string> pick_conversation();
  [[nodiscard]] Result<void> enter_line(const std::string& line);
  /// Removes the last message and its answer.
  void take_back();
  [[nodiscard]] request::PriorTurns thread() const { return m_kept.thread(); }

  Result<void> help(const std::string& argument);
  Result<void> choose_model(const std::string& argument);
  Result<void> set_system(const std::string& argument);
  Result<void> add_image(const std::string& argument);
  Result<void> add_file(const std::string& argument);
  Result<void> add_attachment(sv flag, const std::string& argument);
  Result<void> add_tool(const std::string& argument);
  Result<void> mcp(const std::string& argument);
  Result<void> list_server_tools(const std::string& name);
  Result<void> call_server_tool(sv line);
  Result<void> retry(const std::string& argument);
  Result<void> edit(const std::string& argument);
  Result<void> undo(const std::string& argument);
  Result<void> save(const std::string& argument);
  Result<void> copy(const std::string& argument);
  Result<void> resume(const std::string& argument);
  Result<void> compact(const std::string& argument);
  Result<void> cost(const std::string& argument);
  [[nodiscard]] std::ptrdiff_t answers() const;
  Result<void> clear(const std::string& argument);
  Result<void> leave(const std::string& argument);

  Session& m_session;
  const Operation& m_operation;
  SavedConversation m_kept;
  Dialogue m_dialogue;
  RawTerminal m_terminal;
  InputHistory m_history;
  LineEditor m_editor;
  request::Inputs m_inputs{};           ///< apply to the whole conversation
  std::vector<Attachment> m_pending{};  ///< of the next message
  std::string m_output{};               ///< of shell commands, for the next message
  std::vector<Spoken> m_spoken{};
  Usage m_usage{};                 ///< of all turns, undone ones included
  std::ptrdiff_t m_compacted = 0;  ///< answers replaced by a compaction
  std::optional<std::vector<std::string>> m_models{};
  bool m_leaving = false;
};

/// Cancels a turn when the user presses Ctrl-C or the program is asked to exit. A second Ctrl-C,
/// while the answer is being stopped, exits the program. Lives as long as one turn; only during
/// that time is Ctrl-C a signal.
class TurnCancel final : public LinkedToken {
 public:
  TurnCancel(const CancelToken& program, RawTerminal& terminal) : m_terminal(terminal) {
    link({&program, &m_interrupt});
    m_terminal.signals(true);
  }
  ~TurnCancel() override { m_terminal.signals(false); }

 private:
  RawTerminal& m_terminal;
  FinishOnInterrupt m_interrupt{};
};

}  // namespace svc::cli
