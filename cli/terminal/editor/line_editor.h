// Writing a message on a terminal: editing in several lines, history, completion, paste. An editor
// of our own: a pasted text comes as one piece, combining characters stay with their letters, and
// no process-wide locale is needed.
#pragma once

#include <csignal>
#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "base/cancel_token.h"
#include "base/result.h"
#include "print/streams.h"
#include "terminal/editor/edit_screen.h"
#include "terminal/editor/input_history.h"
#include "terminal/editor/key_reader.h"
#include "terminal/editor/line_buffer.h"
#include "terminal/editor/raw_terminal.h"
#include "terminal/signals.h"

namespace svc::cli {

/// Words that can stand at `begin`, instead of what stands from there to the cursor.
struct Completion {
  std::size_t begin = 0;
  std::vector<std::string> words{};
};
using Complete = std::function<Completion(const std::string& text, std::size_t cursor)>;

/// Whether Enter ends the message: not after a backslash, nor while `"""` is open.
[[nodiscard]] bool is_whole_message(std::string_view text);
/// The message without the `"""` around it.
[[nodiscard]] std::string unquoted_message(std::string text);

class LineEditor {
 public:
  /// All must outlive it. `terminal` is entered by read() and stays so.
  LineEditor(RawTerminal& terminal, print::Out& out, InputHistory& history,
             const CancelToken& cancel, Complete complete);

  /// A message; nothing when Ctrl-D or the end of the terminal ended the input. The stop's fault
  /// once it asks.
  [[nodiscard]] Result<std::optional<std::string>> read(std::string_view prompt);

  /// Takes what was typed so far and sets it aside for the next read(): it does not answer a
  /// question that is asked now. Ctrl-Z stops the program at once. Whether anything came.
  bool look_ahead();

  /// Called before Ctrl-Z stops the program: what will change on the screen leaves it.
  void before_stop(std::function<void()> tidy) { m_before_stop = std::move(tidy); }

  /// What was typed ahead, as it will stand in the input.
  [[nodiscard]] std::string typed_ahead() const;

 private:
  enum class After : std::uint8_t { GoOn, Sent, Ended };

  [[nodiscard]] Result<bool> more_keys(const CancelToken& cancel);
  [[nodiscard]] Result<std::optional<std::string>> read_plain_line(std::string_view prompt);
  [[nodiscard]] After handle(const Key& key);
  [[nodiscard]] After control(char which);
  [[nodiscard]] After enter();
  void move(KeyCode code);
  void paste(std::string_view text);
  void row_up();
  void row_down();
  void complete(bool backwards);
  void search(const Key& key);
  void find_older();
  void end_search();
  void redraw() { draw(m_buffer.text(), m_buffer.cursor()); }
  void draw(std::string_view text, std::size_t cursor);
  void shorten_pastes();
  void suspend();
  void give(std::string_view bytes);
  [[nodiscard]] std::vector<EditRow> below() const;

  RawTerminal& m_terminal;
  print::Out& m_out;
  InputHistory& m_history;
  const CancelToken& m_cancel;
  Complete m_complete;
  std::string m_prompt{};
  KeyReader m_keys{};
  std::function<void()> m_before_stop{};
  std::vector<std::string> m_pastes{};  ///< long ones
  std::string m_ahead{};                ///< was typed before the input began
  SignalWatch m_window{SIGWINCH};
  LineBuffer m_buffer{};
  EditScreen m_screen{};
  Completion m_offered{};
  std::size_t m_chosen = 0;  ///< of what is offered, from 1 on
  std::string m_hint{};
  std::optional<std::string> m_search{};  ///< what is searched for
  std::size_t m_found = 0;
  std::string m_before_search{};
};

}  // namespace svc::cli
