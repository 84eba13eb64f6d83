// The functions that the rows of answers are written with: what the value is, a path, and then, in
// any order, a sentence and the properties that do not follow from these:
//
//     count("total_tokens")
//     ticks("cost_in_usd_ticks", "Exact cost.", label("Cost"))
//     object("usage", k_usage), list("choices", k_choice)
//
// They have names of their own in `answer`, as fields have builders of the same names; rows are
// written in a namespace inside it: namespace svc::catalogue::answer::files.
#pragma once

#include <array>
#include <cstddef>
#include <span>

#include "catalogue/builders.h"

namespace svc::catalogue::answer {

// The words of a row have no prefix, so that a row reads as what it says.
// NOLINTBEGIN(readability-identifier-naming)

constexpr void set(Member& row, sv help) {
  row.help = help;
}
constexpr void set(Member& row, const char* help) {
  row.help = help;
}
using catalogue::set;

/// Creates a member of this kind and unit: bytes("size_bytes", "Size of the file.", required).
struct MemberBuilder {
  Kind kind;
  Unit unit = Unit::None;
  constexpr Member operator()(sv path, const auto&... properties) const {
    Member row{.path = path, .kind = kind, .unit = unit};
    (set(row, properties), ...);
    return row;
  }
};
inline constexpr MemberBuilder text{Kind::Text};
inline constexpr MemberBuilder url{Kind::Text, Unit::Url};
inline constexpr MemberBuilder integer{Kind::Integer};
inline constexpr MemberBuilder number{Kind::Number};
inline constexpr MemberBuilder boolean{Kind::Boolean};
inline constexpr MemberBuilder json{Kind::Json};  ///< of open structure
/// Seconds in one form of the answer, RFC 3339 in the other.
inline constexpr MemberBuilder any_time{Kind::Json, Unit::UnixTime};
inline constexpr MemberBuilder count{Kind::Integer, Unit::Count};
inline constexpr MemberBuilder tally{Kind::Integer, Unit::Tally};
inline constexpr MemberBuilder bytes{Kind::Integer, Unit::Bytes};
inline constexpr MemberBuilder seconds{Kind::Number, Unit::Seconds};
inline constexpr MemberBuilder unix_time{Kind::Integer, Unit::UnixTime};
inline constexpr MemberBuilder time{Kind::Time, Unit::UnixTime};  ///< RFC 3339
inline constexpr MemberBuilder ticks{Kind::Integer, Unit::Ticks};
inline constexpr MemberBuilder cents{Kind::Money, Unit::Cents};  ///< {"val"}, or a plain integer
inline constexpr MemberBuilder micro_cents{Kind::Money, Unit::MicroCents};
inline constexpr MemberBuilder credit{Kind::Money, Unit::Credit};
// Digits in a string.
inline constexpr MemberBuilder text_count{Kind::Text, Unit::Count};
inline constexpr MemberBuilder text_bytes{Kind::Text, Unit::Bytes};
inline constexpr MemberBuilder text_cents{Kind::Text, Unit::Cents};
inline constexpr MemberBuilder text_micro_cents{Kind::Text, Unit::MicroCents};
inline constexpr MemberBuilder month{Kind::Json, Unit::Month};

/// An object whose members are written once.
constexpr Member object(sv path, const Shape& shape, const auto&... properties) {
  return MemberBuilder{Kind::Json}(path, Property{&Member::shape, &shape}, properties...);
}
/// Such an object, or a text in its place: an error with its code, or as a sentence.
constexpr Member text_or_object(sv path, const Shape& shape, const auto&... properties) {
  return MemberBuilder{Kind::TextOrJson}(path, Property{&Member::shape, &shape}, properties...);
}
/// An array of such objects: the path of the items, "choices[]".
constexpr Member list(sv path, const Shape& shape, const auto&... properties) {
  return object(path, shape, properties...);
}
/// An array of objects that text shows as a table.
constexpr Member table(sv path, const Shape& shape, const auto&... properties) {
  return object(path, shape, Property{&Member::table, true}, properties...);
}
/// The members of a shape that stands at this level, without a name of its own.
constexpr Member members_of(const Shape& shape, const auto&... properties) {
  return object("", shape, properties...);
}
/// A line or column that only text shows, derived from other members by svc, or the first present
/// one of several: view("kind", "cardDetails.brand|paymentType").
constexpr Member view(sv label, sv path, Unit unit = Unit::None, const auto&... properties) {
  return MemberBuilder{Kind::Json, unit}(path, Property{&Member::label, label},
                                         Property{&Member::view, true}, properties...);
}

inline constexpr Setter label{&Member::label};
inline constexpr Setter choices{&Member::choices};
inline constexpr Property required{&Member::required, true};
inline constexpr Property nullable{&Member::nullable, true};
inline constexpr Property secret_value{&Member::secret, true};
inline constexpr Property drawn{&Member::show, Show::Drawn};
inline constexpr Property details{&Member::show, Show::Details};
inline constexpr Property counted{&Member::unit, Unit::Count};  ///< of a number
inline constexpr Property tallied{&Member::unit, Unit::Tally};  ///< omitted if zero or false

/// Text never shows it; the reason is a sentence.
struct Hidden {
  sv because;
};
constexpr Hidden hidden(sv because) {
  return {because};
}
constexpr void set(Member& row, const Hidden& hidden) {
  row.show = Show::Never;
  row.hidden_because = hidden.because;
}

constexpr Variant variant(sv name, std::span<const Member> members, sv help = {}) {
  return {name, help, members};
}
/// An event that the service sends.
constexpr StreamEvent event(sv name, std::span<const Member> members = {}, sv help = {}) {
  return {name, help, members};
}
/// An event that the client sends.
constexpr StreamEvent sent(sv name, std::span<const Member> members = {}, sv help = {}) {
  return {name, help, members, true};
}

// NOLINTEND(readability-identifier-naming)

}  // namespace svc::catalogue::answer
