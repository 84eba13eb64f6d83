#include "conversation/code_printer.h"

#include <fmt/format.h>

#include "conversation/transcript.h"

namespace svc::cli {

void CodePrinter::show(const Delta& delta) {
  if (delta.piece == Piece::Text && delta.choice == 0) m_text += delta.text;
}

Result<void> CodePrinter::finish(const Answer& answer) {
  if (m_text.empty() && !answer.choices.empty()) m_text = answer.choices.front().text;
  const std::vector<std::string> blocks = code_blocks(m_text);
  if (m_number <= blocks.size()) {
    SVC_CHECK(m_session.write_foreign(blocks[m_number - 1]));
    return m_session.out().flush();
  }
  break_off();
  const std::size_t count = blocks.size();
  return Error{Fault::RemoteJob,
               count == 0 ? std::string("there is no code block in the answer")
                          : fmt::format("there is no code block {} in the answer; it has {}",
                                        m_number, count),
               "Without --code the whole answer is printed."};
}

void CodePrinter::break_off() {
  m_session.notices().aside(m_text);
}

}  // namespace svc::cli
