// Editor for messages on a terminal: multiple lines, history, completion, paste. Implemented here
// so that a paste arrives as one unit, combining characters stay with their letters, and no
// process-wide locale is needed.
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
#include "terminal/editor/vi_keys.h"
#include "terminal/signals.h"

namespace svc::cli {

/// Candidates to replace the text from `begin` to the cursor.
struct Completion {
  std::size_t begin = 0;
  std::vector<std::string> words{};
};
using Complete = std::function<Completion(const std::string& text, std::size_t cursor)>;

/// A list to choose from.
struct Choices {
  /// Returns the items that match what was typed, best first.
  std::function<std::vector<std::size_t>(const std::string& typed)> matching;
  /// Returns an item's line (safe for a terminal), at most `width` columns wide.
  std::function<std::string(std::size_t item, std::size_t width)> line;
};

/// Whether Enter ends the message: not after a backslash, nor while `"""` is open.
[[nodiscard]] bool is_whole_message(std::string_view text);
/// Returns the message without enclosing `"""`.
[[nodiscard]] std::string unquoted_message(std::string text);

class LineEditor {
 public:
  /// All arguments must outlive the editor. read() enters `terminal` and does not leave it.
  LineEditor(RawTerminal& terminal, print::Out& out, InputHistory& history,
             const CancelToken& cancel, Complete complete);

  /// Reads a message; nothing if the input ended or the user pressed Ctrl-D. Returns the token's
  /// fault if canceled.
  [[nodiscard]] Result<std::optional<std::string>> read(std::string_view prompt);

  /// Shows a list below the prompt, filtered as one types, and returns the chosen item; nothing if
  /// the user left. A dumb terminal gets the first items at once, and the answer selects the best
  /// match: Usage if there is none.
  [[nodiscard]] Result<std::optional<std::size_t>> pick(std::string_view prompt, Choices choices);

  /// Ctrl-X Ctrl-E (in vi's normal mode also v) passes the text to `edit` and continues with what
  /// it returns. `edit` may use the terminal; an error is shown below the text.
  void edit_with(std::function<Result<std::string>(const std::string& text)> edit) {
    m_edit = std::move(edit);
  }

  /// Switches to vi's keys.
  void use_vi() {
    m_vi.emplace();
    m_keys.separate_escape(true);
  }

  /// Saves input typed so far for the next read(), so that it does not answer a question asked now.
  /// Ctrl-Z suspends the program at once. Returns whether there was input.
  bool look_ahead();

  /// Saves keys that something else has read.
  void keep_ahead(std::string_view keys);

  /// Sets a callback that clears temporary output before Ctrl-Z suspends the program.
  void before_stop(std::function<void()> tidy) { m_before_stop = std::move(tidy); }

  /// Asks the terminal to report when the user looks at another window, while keys are read by
  /// look_ahead(). Call it again with false before anything else reads them.
  void watch_focus(bool wanted);
  /// Whether the user looks at the terminal; nothing if it did not report since watch_focus(true).
  [[nodiscard]] std::optional<bool> looks() const noexcept { return m_looks; }

  /// Sets a callback for when typing starts after some seconds without a key.
  void when_typing(std::function<void()> wake) { m_when_typing = std::move(wake); }

  /// Returns the input typed ahead, as it will appear in the editor.
  [[nodiscard]] std::string typed_ahead() const;

 private:
  enum class After : std::uint8_t { GoOn, Sent, Ended };

  [[nodiscard]] Result<bool> more_keys(const CancelToken& cancel);
  [[nodiscard]] Result<std::optional<std::string>> read_plain_line(std::string_view prompt);
  [[nodiscard]] Result<After> run(std::string_view prompt);
  [[nodiscard]] After handle(const Key& key);
  [[nodiscard]] bool handle_search(const Key& key);
  [[nodiscard]] std::optional<After> handle_choice(const Key& key);
  void refresh_choices();
  void choice_rows(std::vector<EditRow>& rows, std::size_t width) const;
  [[nodiscard]] std::size_t choices_shown() const;
  [[nodiscard]] EditRow row_below(const std::string& text, std::size_t width, bool dim) const;
  void type(std::string_view text);
  void open_editor();
  void end_search();
  void show_mode(char shape);
  [[nodiscard]] After control(char which);
  [[nodiscard]] After enter();
  void paste(std::string_view text);
  void move_row(bool up);
  void complete(bool backwards);
  void search(const Key& key);
  void find_older();
  void redraw();
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
  std::function<void()> m_when_typing{};
  std::vector<std::string> m_pastes{};  ///< long ones
  std::string m_ahead{};                ///< typed before read() started
  std::optional<bool> m_looks{};
  SignalWatch m_window{SIGWINCH};
  LineBuffer m_buffer{};
  EditScreen m_screen{};
  Completion m_offered{};
  std::size_t m_chosen = 0;  ///< number of the chosen candidate, from 1
  std::string m_hint{};
  std::optional<std::string> m_search{};  ///< search text
  std::string m_last_search{};
  std::size_t m_found = 0;
  std::string m_before_search{};
  struct Picker {
    Choices choices;
    std::string typed;
    std::vector<std::size_t> items;
    std::size_t chosen = 0;  ///< index among the items
  };
  std::optional<Picker> m_picker{};
  std::function<Result<std::string>(const std::string&)> m_edit{};
  bool m_ctrl_x = false;
  std::optional<ViKeys> m_vi{};
  char m_shape = '0';  ///< of the cursor, as in DECSCUSR
};

}  // namespace svc::cli
