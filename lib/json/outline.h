// A document checked and taken apart in one pass: for pages of lists, which are large.
#pragma once

#include <cstddef>
#include <optional>
#include <string_view>
#include <vector>

#include "json/text.h"

namespace svc {

/// A part of a text, by its place: it stays right when the text moves.
struct JsonPiece {
  std::size_t begin = 0;
  std::size_t size = 0;
  /// An element that is one line of well-formed UTF-8 as it stands: nothing to lay out again.
  bool plain = false;

  [[nodiscard]] std::string_view of(std::string_view text) const {
    return text.substr(begin, size);
  }
};

struct JsonOutline {
  struct Member {
    JsonPiece name{};  ///< without quotes, escapes as they stand
    JsonPiece value{};
  };
  std::vector<Member> members{};      ///< of the object that the document is
  std::vector<JsonPiece> elements{};  ///< of the first member that was asked for as a list
  bool has_list = false;

  /// The value of the first member of that name.
  [[nodiscard]] std::optional<std::string_view> member(std::string_view text,
                                                       std::string_view name) const;
};

/// Checks `text` as check_json() does, but for ill-formed UTF-8 inside strings, which is taken, and
/// notes where its members lie, and the elements of the array `list`. The outline of a text with a
/// fault is not complete.
[[nodiscard]] std::optional<JsonTextFault> outline_json(std::string_view text,
                                                        std::string_view list,
                                                        JsonOutline& outline);

}  // namespace svc
