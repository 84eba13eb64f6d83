// JSON token by token, strings decoded and numbers kept as they are written.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>

#include "json/scanner.h"

namespace svc::print {

using sv = std::string_view;

enum class JsonToken : std::uint8_t {
  BeginObject,
  EndObject,
  BeginArray,
  EndArray,
  Name,     ///< of a member; its text is decoded
  String,   ///< decoded
  Literal,  ///< a number, true or false, as written
  Null,
  End,
};

/// Reads a text that `check_json` (json/text.h) has found to be JSON; on any other text the
/// tokens mean nothing. Lone surrogates (`\ud800`) become U+FFFD.
class JsonReader {
 public:
  explicit JsonReader(sv json) : m_scanner(json) {}

  [[nodiscard]] JsonToken next();

  /// Of the last Name, String or Literal.
  [[nodiscard]] const std::string& text() const noexcept { return m_text; }

 private:
  json_scan::Scanner<json_scan::Input::Checked> m_scanner;
  std::string m_text{};
};

}  // namespace svc::print
