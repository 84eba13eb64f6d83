// JSON as text: checks and reformats it without losing a digit, a duplicate or an unknown field.
#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <string_view>

#include "base/result.h"

namespace svc {

/// The maximum nesting depth; deeper documents overflow the stack of libraries.
inline constexpr int k_max_json_depth = 512;

enum class JsonLayout : std::uint8_t { Compact, Pretty };

/// Why a text is not JSON, and where.
struct JsonParseError {
  std::size_t offset = 0;
  std::size_t line = 1;    ///< from 1
  std::size_t column = 1;  ///< from 1, in bytes
  std::string reason{};    ///< "expected a value, found '}'"
};

struct JsonStyle {
  JsonLayout layout = JsonLayout::Pretty;
  bool color = false;
  /// Writes C1 controls, DEL, bidirectional and invisible code points inside strings as \u escapes:
  /// the same JSON, but safe to print on a terminal.
  bool escape_controls = false;
};

using TextSink = std::function<void(std::string_view)>;

/// Checks that `text` is a single JSON document (RFC 8259, UTF-8, at most k_max_json_depth deep)
/// without building a tree. A byte order mark at the start is allowed.
[[nodiscard]] std::optional<JsonParseError> check_json(std::string_view text);

/// Reformats `text` token by token: numbers, duplicate names and the order of fields do not change.
/// Ill-formed UTF-8 becomes U+FFFD. Stops at the first error.
[[nodiscard]] std::optional<JsonParseError> reformat_json(std::string_view text,
                                                          const JsonStyle& style,
                                                          const TextSink& sink);

/// "line 3, column 7: expected a value, found '}'".
[[nodiscard]] std::string describe(const JsonParseError& fault);

/// `text` as a JSON string, with quotes.
[[nodiscard]] std::string json_quote(std::string_view text);

/// A request of JSON-RPC 2.0. `id` is JSON text, and so is `params`, or empty.
[[nodiscard]] std::string json_rpc_request(std::string_view id, std::string_view method,
                                           std::string_view params);

}  // namespace svc
