#include "conversation/tool_consent.h"

#include <algorithm>

#include <fmt/format.h>

#include "base/text.h"
#include "print/width.h"
#include "terminal/editor/read_choice.h"
#include "terminal/read_line.h"

namespace svc::cli {
namespace {

constexpr sv k_choices = "(e: no, because …) [y]es, [n]o, [a]lways: ";
constexpr sv k_plain_choices = "(e: no, because ...) [y]es, [n]o, [a]lways: ";

/// The longest answer, which stands behind the question.
constexpr sv k_answer = "always";

class Question {
 public:
  Question(Session& session, const std::string& question, RawTerminal& terminal,
           const CancelToken& cancel)
      : m_session(session), m_terminal(terminal), m_cancel(cancel) {
    const TerminalSize size = terminal.size();
    m_columns = std::max<std::size_t>(size.columns, 20) - 1;
    const std::size_t rows = std::max<std::size_t>(size.lines, 6) - 3;
    m_screens = screens_of(print::fold(question, m_columns), m_columns, rows);
  }

  Result<ToolDecision> ask() {
    (void)m_terminal.enter();
    for (std::size_t shown = 0;; ++shown) {
      const bool last = shown + 1 >= m_screens.size();
      std::string text = m_screens[shown] + (m_screens.size() > 1 ? "\n" : " ");
      if (!last) {
        text +=
            fmt::format("-- {} of {}; Enter or space shows more -- ", shown + 1, m_screens.size());
      }
      SVC_CHECK(say(text + choices_behind(text)));
      const Result<KeyChoice> typed = read_choice(m_terminal, "ynae ", m_cancel);
      if (!typed) {
        SVC_CHECK(say("\n"));  // what is said next stands on its own
        return typed.error();
      }
      if (typed->key != ' ' || last) return decided(*typed);
      SVC_CHECK(say("\n"));
    }
  }

 private:
  /// On a line of their own where this one has no room for them and the answer.
  [[nodiscard]] std::string choices_behind(sv text) const {
    const sv choices = m_session.err().terminal().utf8 ? k_choices : k_plain_choices;
    const sv line = text.substr(text.rfind('\n') + 1);
    const std::size_t room = m_columns - k_answer.size();
    const bool fits = print::display_width(line) + print::display_width(choices) <= room;
    return (fits || line.empty() ? "" : "\n") + print::fold(choices, room);
  }

  Result<void> say(sv text) {
    SVC_CHECK(m_session.err().write(text));
    return m_session.err().flush();
  }

  Result<ToolDecision> decided(const KeyChoice& typed) {
    const char key = typed.key;
    SVC_CHECK(say(key == 'y'           ? "yes\n"
                  : key == 'a'         ? "always\n"
                  : key != 'e'         ? "no\n"
                  : typed.rest.empty() ? "No, because: "
                                       : "no: " + typed.rest + "\n"));
    if (key == 'y') return ToolDecision{ToolConsent::Once};
    if (key == 'a') return ToolDecision{ToolConsent::Always};
    if (key != 'e' || !typed.rest.empty()) return ToolDecision{ToolConsent::No, typed.rest};
    m_terminal.leave();  // its own way of editing a line does for this one
    SVC_TRY(line, read_line(m_terminal.descriptor(), m_cancel));
    return ToolDecision{ToolConsent::No, std::string(trim(line.text))};
  }

  Session& m_session;
  RawTerminal& m_terminal;
  const CancelToken& m_cancel;
  std::size_t m_columns = 0;
  std::vector<std::string> m_screens{};
};

}  // namespace

std::vector<std::string> screens_of(sv text, std::size_t columns, std::size_t rows) {
  std::vector<std::string> screens(1);
  std::size_t width = 0;
  std::size_t row = 1;
  for (std::size_t at = 0; at < text.size();) {
    const std::size_t begin = at;
    const bool newline = decode_utf8(text, at) == '\n';
    const sv character = text.substr(begin, at - begin);
    const std::size_t wide = newline ? 0 : print::display_width(character);
    if (newline || width + wide > columns) {
      ++row;
      width = 0;
    }
    if (row > rows) {
      screens.emplace_back();
      row = 1;
      if (newline) continue;
    }
    width += wide;
    screens.back() += character;
  }
  return screens;
}

Result<ToolDecision> ask_about_tool(Session& session, const std::string& question,
                                    RawTerminal& terminal, const CancelToken& cancel) {
  session.progress().clear();
  return Question(session, question, terminal, cancel).ask();
}

}  // namespace svc::cli
