// Messages that come one by one, on their way to standard output.
#pragma once

#include <string>

#include "base/result.h"
#include "print/json.h"
#include "session/session.h"

namespace svc::cli {

/// Writes each as the format says and flushes: a line of JSON, an element of one document with
/// --format json, through --jq, or as it came. Bytes are in lines as {"binary":"base64"}.
class JsonlWriter {
 public:
  /// `bytes`: only bytes are written, as they are; text goes to standard error.
  JsonlWriter(Session& session, bool bytes)
      : m_session(session), m_bytes(bytes), m_array(session.out()) {}

  [[nodiscard]] Result<void> message(bool binary, const std::string& data);
  /// There are no more.
  [[nodiscard]] Result<void> finish();

 private:
  [[nodiscard]] bool is_array() const;
  [[nodiscard]] Result<void> as_bytes(bool binary, const std::string& data);
  [[nodiscard]] Result<void> document(const std::string& text);

  Session& m_session;
  bool m_bytes;
  print::JsonArray m_array;
};

/// A binary message as a line.
[[nodiscard]] std::string binary_line(std::string_view bytes);

}  // namespace svc::cli
