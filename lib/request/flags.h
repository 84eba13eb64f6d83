// Reads flags by names that the compiler checks against the fields of an operation.
#pragma once

#include <algorithm>
#include <array>
#include <cstddef>
#include <optional>
#include <string>
#include <vector>

#include "base/text.h"
#include "catalogue/builders.h"
#include "catalogue/global_flags.h"
#include "request/inputs.h"

namespace svc {

/// The name of a flag as a template argument.
template <std::size_t N>
struct FlagName {
  std::array<char, N> letters{};
  // NOLINTNEXTLINE(google-explicit-constructor,*-avoid-c-arrays)
  consteval FlagName(const char (&name)[N]) { std::copy_n(name, N, letters.begin()); }
  // NOLINTNEXTLINE(google-explicit-constructor)
  constexpr operator sv() const { return {letters.data(), N - 1}; }
};

/// The name of a global flag.
template <FlagName Name>
requires(is_global_flag(Name)) inline constexpr sv k_global_flag = Name;

namespace request {

/// What reading a flag depends on: less than its row, which would bring all rows into the program.
struct FlagShape {
  bool known = false;
  Kind kind = Kind::Text;
  bool repeated = false;
  bool unread = false;  ///< a secret, or text that may be in a file

  bool operator==(const FlagShape&) const = default;
};

/// The shape of the flag `name` of `rows`, resolved or not. A switch with an optional value is a
/// text.
consteval FlagShape flag_shape(const auto& rows, sv name) {
  for (const Field& row : rows) {
    if (!catalogue::is_flag(row, name)) continue;
    return {true, row.optional_value.empty() ? row.kind : Kind::Text, row.repeated,
            row.file_text || row.kind == Kind::Secret};
  }
  return {};
}

/// Whether `rows` have every flag of `some`, of the same shape.
consteval bool has_flags(const auto& rows, const auto& some) {
  for (const Field& row : some) {
    std::array<char, 100> derived{};
    std::size_t length = 0;
    if (row.flag.empty()) catalogue::derive(row, [&](char c) { derived.at(length++) = c; });
    const sv name = row.flag.empty() ? sv(derived.data(), length) : row.flag;
    if (flag_shape(rows, name) != flag_shape(some, name)) return false;
  }
  return true;
}

}  // namespace request

/// The flags of an operation as given, of which `Rows` are the fields, or some of them: code that
/// several operations share takes the fields that it needs. A flag that the operation does not have
/// was not given. The inputs must outlive this object.
template <const auto& Rows>
class Flags {
 public:
  explicit Flags(const request::Inputs& inputs) : m_inputs(&inputs) {}

  /// The flags of an operation that has all of these.
  template <const auto& More>
  requires(request::has_flags(More, Rows))
      // NOLINTNEXTLINE(google-explicit-constructor)
      Flags(const Flags<More>& flags)
      : m_inputs(&flags.inputs()) {}

  /// The last value of a flag, nothing if it was not given; of a repeated one, all values. Values
  /// have the type of the field: bool, std::int64_t, double, std::chrono::milliseconds, otherwise
  /// std::string. Secrets, and texts that may be in a file, have yet to be read: request::Given.
  template <FlagName Name>
  requires(request::flag_shape(Rows, Name).known) [[nodiscard]] auto get() const {
    constexpr request::FlagShape shape = request::flag_shape(Rows, Name);
    if constexpr (shape.unread && shape.repeated) {
      return request::all_given(*m_inputs, Name);
    } else if constexpr (shape.unread) {
      return request::last_given(*m_inputs, Name);
    } else if constexpr (shape.repeated) {
      return request::texts_given(*m_inputs, Name);
    } else {
      auto text = request::text_given(*m_inputs, Name);
      if constexpr (shape.kind == Kind::Boolean) {
        return text ? std::optional(*text == "true") : std::nullopt;
      } else if constexpr (shape.kind == Kind::Integer) {
        return text ? parse_integer(*text) : std::nullopt;
      } else if constexpr (shape.kind == Kind::Number) {
        return text ? parse_number(*text) : std::nullopt;
      } else if constexpr (shape.kind == Kind::Duration) {
        return text ? parse_duration(*text) : std::nullopt;
      } else {
        return text;
      }
    }
  }

  /// The last value of a flag as given; empty if it was not.
  template <FlagName Name>
  requires(request::flag_shape(Rows, Name).known) [[nodiscard]] std::string text() const {
    return request::text_given(*m_inputs, Name).value_or("");
  }

  template <FlagName Name>
  requires(request::flag_shape(Rows, Name).kind == Kind::Boolean)
      [[nodiscard]] bool is_true() const {
    return get<Name>().value_or(false);
  }

  template <FlagName Name>
  requires(request::flag_shape(Rows, Name).known) [[nodiscard]] bool has() const {
    return request::last_given(*m_inputs, Name).has_value();
  }

  /// The flag's name, for code that passes it on.
  template <FlagName Name>
  requires(request::flag_shape(Rows, Name).known) static constexpr sv k_name = Name;

  [[nodiscard]] const request::Inputs& inputs() const noexcept { return *m_inputs; }

 private:
  const request::Inputs* m_inputs;
};

}  // namespace svc
