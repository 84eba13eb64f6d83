// Filter expressions of lists (AIP-160): `name = "report" AND (size_bytes > 1000 OR NOT
// content_type = pdf)`. As there, OR binds tighter than AND, and `a b` means `a AND b`.
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <variant>

#include "base/result.h"

namespace svc::emulator::filter {

/// How the values of a field are compared. `=` and `:` mean the same but for Any.
enum class Match : std::uint8_t {
  Exact,    ///< the whole text
  Part,     ///< the text contains the wanted one, whatever the case
  Fuzzy,    ///< Part, or one of its words is nearly the wanted one
  Integer,  ///< whole numbers
  Time,     ///< RFC 3339 date-times, or dates; the value is in Unix seconds
  Any,      ///< numbers when both sides are numbers, else text; `:` is Part
};

struct Field {
  std::string_view name;  ///< `fields.*` stands for every name below `fields.`
  Match match = Match::Exact;
};

/// The value of a field in the thing that is looked at; nothing when it has none.
using Value = std::variant<std::monostate, std::string, std::int64_t, double>;
using Lookup = std::function<Value(std::string_view field)>;

class Filter {
 public:
  /// Usage, with a sentence that names the place and what is allowed, for a text that is no
  /// expression, names a field that is not in `fields`, or compares it with what it cannot be. An
  /// empty text matches everything. `fields` must outlive the filter.
  [[nodiscard]] static Result<Filter> parse(std::string_view text, std::span<const Field> fields);

  [[nodiscard]] bool matches(const Lookup& lookup) const;

  struct Node;

 private:
  explicit Filter(std::shared_ptr<const Node> root) : m_root(std::move(root)) {}
  std::shared_ptr<const Node> m_root;  ///< null: everything matches
};

}  // namespace svc::emulator::filter
