// JSON as text: checked and laid out again without losing a digit, a duplicate or an unknown
// member.
#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <string_view>

#include "base/result.h"

namespace svc {

/// The deepest nesting that is accepted anywhere: deeper documents overflow the stack of libraries.
inline constexpr int k_max_json_depth = 512;

enum class JsonLayout : std::uint8_t { Compact, Pretty };

/// Where and why a text is not JSON.
struct JsonTextFault {
  std::size_t offset = 0;
  std::size_t line = 1;    ///< from 1
  std::size_t column = 1;  ///< from 1, in bytes
  std::string reason{};    ///< "expected a value, found '}'"
};

struct JsonStyle {
  JsonLayout layout = JsonLayout::Pretty;
  bool color = false;
  /// Writes C1 controls, DEL, bidirectional and invisible code points inside strings as \u escapes:
  /// the same JSON, but harmless on a terminal.
  bool escape_controls = false;
};

using TextSink = std::function<void(std::string_view)>;

/// Checks that `text` is one JSON document (RFC 8259, UTF-8, at most k_max_json_depth deep) without
/// building it. A byte order mark at the start is allowed.
[[nodiscard]] std::optional<JsonTextFault> check_json(std::string_view text);

/// Lays `text` out again, token by token: numbers, duplicate names and their order stay as they
/// are. Ill-formed UTF-8 becomes U+FFFD. Nothing is written past the first fault.
[[nodiscard]] std::optional<JsonTextFault> reformat_json(std::string_view text,
                                                         const JsonStyle& style,
                                                         const TextSink& sink);

/// "line 3, column 7: expected a value, found '}'".
[[nodiscard]] std::string describe(const JsonTextFault& fault);

/// `text` as the content of a JSON string, with the quotes.
[[nodiscard]] std::string json_quote(std::string_view text);

}  // namespace svc
