// Filter expressions for lists (AIP-160): `name = "report" AND (size_bytes > 1000 OR NOT
// content_type = pdf)`. As in AIP-160, OR binds tighter than AND, and `a b` means `a AND b`.
#pragma once

#include "emulator/json/json.h"

namespace svc::emulator::filter {

/// How to compare the values of a field. `=` and `:` are the same except for Any.
enum class Match : std::uint8_t {
  Exact,    ///< the whole text
  Part,     ///< the text contains the search text, case-insensitively
  Fuzzy,    ///< Part, or one of its words is similar to the search text
  Integer,  ///< integers
  Time,     ///< RFC 3339 date-times or dates; the value is in Unix seconds
  Any,      ///< numbers if both sides are numbers, otherwise text; `:` is Part
};

struct Field {
  sv name;  ///< `fields.*` matches every name below `fields.`
  Match match = Match::Exact;
};

/// The value of a field in an item; null if it has none.
using Value = text::Json;
using Lookup = std::function<Value(sv field)>;

class Filter {
 public:
  /// Parses an expression; an empty one matches everything. Returns Usage, with the position and
  /// what is allowed there. `fields` must outlive the filter.
  [[nodiscard]] static Result<Filter> parse(sv text, std::span<const Field> fields);

  [[nodiscard]] bool matches(const Lookup& lookup) const { return m_test(lookup); }

 private:
  using Test = std::function<bool(const Lookup&)>;
  explicit Filter(Test test) : m_test(std::move(test)) {}
  Test m_test;
};

}  // namespace svc::emulator::filter
