// Checks and splits a document in one pass, for large list pages.
#pragma once

#include <cstddef>
#include <optional>
#include <string_view>
#include <vector>

#include "json/text.h"

namespace svc {

/// A part of a text by its position, which stays valid if the text is moved.
struct JsonSpan {
  std::size_t begin = 0;
  std::size_t size = 0;
  /// An element on one line in well-formed UTF-8, which needs no reformatting.
  bool plain = false;

  [[nodiscard]] std::string_view of(std::string_view text) const {
    return text.substr(begin, size);
  }
};

struct JsonOutline {
  struct Member {
    JsonSpan name{};  ///< without quotes, escapes not decoded
    JsonSpan value{};
  };
  std::vector<Member> members{};     ///< of the top-level object
  std::vector<JsonSpan> elements{};  ///< of the first field with the requested list name
  bool has_list = false;

  /// The value of the first field with this name.
  [[nodiscard]] std::optional<std::string_view> member(std::string_view text,
                                                       std::string_view name) const;
};

/// Checks `text` like check_json(), except that strings may contain ill-formed UTF-8, and records
/// the positions of its fields and of the elements of the array `list`. The outline of an invalid
/// text is incomplete.
[[nodiscard]] std::optional<JsonParseError> outline_json(std::string_view text,
                                                         std::string_view list,
                                                         JsonOutline& outline);

}  // namespace svc
