#include "conversation/tool_consent.h"

#include <algorithm>

#include <fmt/format.h>

#include "base/text.h"
#include "print/width.h"

namespace svc::cli {
namespace {

constexpr int k_most_tries = 3;
constexpr sv k_choices = "(e: no, because …) [y]es, [n]o, [a]lways: ";
constexpr sv k_plain_choices = "(e: no, because ...) [y]es, [n]o, [a]lways: ";

class Question {
 public:
  Question(Session& session, const std::string& question, TerminalSize size, const ToolKeys& keys)
      : m_session(session), m_keys(keys) {
    const std::size_t rows = std::max<std::size_t>(size.lines, 6) - 3;
    m_screens = screens_of(question, std::max<std::size_t>(size.columns, 20) - 1, rows);
  }

  Result<ToolDecision> ask() {
    std::size_t shown = 0;
    for (int tries = 0; tries < k_most_tries;) {
      const bool last = shown + 1 >= m_screens.size();
      std::string text = m_screens[shown] + (m_screens.size() > 1 ? "\n" : " ");
      if (!last) {
        text +=
            fmt::format("-- {} of {}; Enter or space shows more -- ", shown + 1, m_screens.size());
      }
      text += m_session.err().terminal().utf8 ? k_choices : k_plain_choices;
      SVC_CHECK(say(text));
      std::string reason;
      const Result<char> typed = m_keys.choice(reason);
      if (!typed) {
        SVC_CHECK(say("\n"));  // what is said next stands on its own
        return typed.error();
      }
      if (*typed == ' ' && !last) {
        SVC_CHECK(say(m_keys.echoes ? "" : "\n"));
        ++shown;
        continue;
      }
      if (*typed == ' ') return decided('n', {});
      if (*typed != 0) return decided(*typed, std::move(reason));
      if (!m_keys.echoes) return decided('n', {});
      ++tries;
    }
    return ToolDecision{};
  }

 private:
  Result<void> say(sv text) {
    SVC_CHECK(m_session.err().write(text));
    return m_session.err().flush();
  }

  Result<ToolDecision> decided(char key, std::string reason) {
    const sv word = key == 'y' ? "yes\n" : key == 'a' ? "always\n" : key == 'n' ? "no\n" : "";
    if (!m_keys.echoes) SVC_CHECK(say(word));
    if (key == 'y') return ToolDecision{ToolConsent::Once};
    if (key == 'a') return ToolDecision{ToolConsent::Always};
    if (key == 'e' && trim(reason).empty()) {
      SVC_CHECK(say("No, because: "));
      SVC_TRY(line, m_keys.line());
      reason = std::move(line);
    }
    return ToolDecision{ToolConsent::No, std::string(trim(reason))};
  }

  Session& m_session;
  const ToolKeys& m_keys;
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
                                    TerminalSize size, const ToolKeys& keys) {
  session.progress().clear();
  return Question(session, question, size, keys).ask();
}

}  // namespace svc::cli
