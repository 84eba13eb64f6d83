// Reads the members of an answer by paths that the compiler checks against the answer's rows, so
// that a typed answer has no member that the catalogue does not have.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <string_view>

#include <nlohmann/json_fwd.hpp>

#include "catalogue/model.h"
#include "json/document.h"
#include "request/flags.h"

namespace svc::v0 {

#if defined(__SANITIZE_ADDRESS__)
/// With UBSan, GCC 12 cannot compare pointers in constant expressions: other builds check the
/// paths.
consteval bool has_row(std::span<const Member> /*rows*/, sv /*path*/) {
  return true;
}
#else
/// Whether the rows have a member at `path`, in a shape or a variant of one too. `[]` is each item.
consteval bool has_row(std::span<const Member> rows, sv path) {
  for (const Member& row : rows) {
    if (row.view) continue;
    if (row.path == path) return true;
    if (row.shape == nullptr) continue;
    sv rest = path;
    if (!row.path.empty()) {
      if (!path.starts_with(row.path) || path.size() <= row.path.size() ||
          path[row.path.size()] != '.') {
        continue;
      }
      rest = path.substr(row.path.size() + 1);
    }
    if (has_row(row.shape->members, rest)) return true;
    for (const Variant& one : row.shape->variants) {
      if (has_row(one.members, rest)) return true;
    }
  }
  return false;
}
#endif

/// The value at a dotted path; null if there is none.
[[nodiscard]] const nlohmann::json& value_at(const nlohmann::json& document, sv path);
/// The items of the array there; none for anything else. `path` ends with "[]".
[[nodiscard]] std::span<const nlohmann::json> items_at(const nlohmann::json& document, sv path);
/// An integer, or the digits of a text; 0 for anything else.
[[nodiscard]] std::int64_t integer_at(const nlohmann::json& document, sv path);
/// 0 for anything but a number.
[[nodiscard]] double number_at(const nlohmann::json& document, sv path);
/// Whether it is there and false.
[[nodiscard]] bool is_false_at(const nlohmann::json& document, sv path);

/// A document, or a part of one, whose members are `Rows`.
template <const auto& Rows>
class Row {
 public:
  explicit Row(const nlohmann::json& document) : m_document(&document) {}

  template <FlagName Path>
  requires(has_row(Rows, Path) && sv(Path).ends_with("[]"))
      [[nodiscard]] std::span<const nlohmann::json> list() const {
    return items_at(*m_document, Path);
  }
  template <FlagName Path>
  requires(has_row(Rows, Path)) [[nodiscard]] std::string text() const {
    return plain_text(value_at(*m_document, Path));
  }
  template <FlagName Path>
  requires(has_row(Rows, Path)) [[nodiscard]] std::int64_t integer() const {
    return integer_at(*m_document, Path);
  }
  template <FlagName Path>
  requires(has_row(Rows, Path)) [[nodiscard]] double number() const {
    return number_at(*m_document, Path);
  }
  template <FlagName Path>
  requires(has_row(Rows, Path)) [[nodiscard]] bool is_false() const {
    return is_false_at(*m_document, Path);
  }

 private:
  const nlohmann::json* m_document;
};

}  // namespace svc::v0
