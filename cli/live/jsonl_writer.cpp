#include "live/jsonl_writer.h"

#include <fmt/format.h>

#include "base/base64.h"
#include "json/text.h"

namespace svc::cli {

std::string binary_line(std::string_view bytes) {
  return fmt::format(R"({{"binary":"{}"}})", base64_encode(bytes));
}

Result<void> JsonlWriter::message(bool binary, const std::string& data) {
  SVC_CHECK(m_bytes ? as_bytes(binary, data) : document(binary ? binary_line(data) : data));
  return m_session.out().flush();
}

Result<void> JsonlWriter::finish() {
  if (is_array()) SVC_CHECK(m_array.finish());
  return m_session.out().flush();
}

bool JsonlWriter::is_array() const {
  return !m_bytes && m_session.format() == Format::Json && !m_session.globals().jq;
}

Result<void> JsonlWriter::as_bytes(bool binary, const std::string& data) {
  if (!binary) {
    m_session.notices().aside(data);
    return {};
  }
  if (m_session.out().terminal().is_tty) {
    return Error{Fault::Local, "a binary message is not written to a terminal",
                 "Save it with -o FILE, send it through a pipe, or leave --receive out."};
  }
  return m_session.out().write(data);
}

Result<void> JsonlWriter::document(const std::string& text) {
  if (m_session.format() == Format::Raw || check_json(text)) {
    SVC_CHECK(m_session.write_foreign(text));
    return m_session.out().write("\n");
  }
  if (is_array()) return m_array.add(text);
  if (m_session.globals().jq) return m_session.write_document(text);
  return print::JsonLines(m_session.out()).print(text);
}

}  // namespace svc::cli
