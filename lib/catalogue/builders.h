// The functions that catalogue rows are written with: a kind or method, a name, a sentence, and
// then, in any order, the properties that cannot be derived from them.
#pragma once

#include <array>
#include <cstddef>
#include <optional>
#include <span>
#include <utility>

#include "catalogue/packed.h"

namespace svc::catalogue {

/// One property of a row.
template <typename Row, typename Value>
struct Property {
  Value Row::*member;
  Value value;
};
template <typename Row, typename Value>
Property(Value Row::*, Value) -> Property<Row, Value>;  // clang 14 cannot deduce it

template <typename Row, typename Value>
constexpr void set(Row& row, const Property<Row, Value>& property) {
  row.*property.member = property.value;
}

/// A property with a value: example("12").
template <typename Row, typename Value>
struct Setter {
  Value Row::*member;
  constexpr Property<Row, Value> operator()(const Value& value) const { return {member, value}; }
};
template <typename Row, typename Value>
Setter(Value Row::*) -> Setter<Row, Value>;

/// The path of the request field that an alias sets.
struct Alias {
  sv path;
};
constexpr void set(Field& field, const Alias& alias) {
  field.path = alias.path;
  field.alias = true;
}

/// Returns `row` with these properties added or changed.
template <typename Row>
constexpr Row with(Row row, const auto&... properties) {
  (set(row, properties), ...);
  return row;
}

// Fields ------------------------------------------------------------------------------------------

constexpr bool is_capital(char c) {
  return c >= 'A' && c <= 'Z';
}

constexpr bool is_path(sv name) {
  for (const char c : name) {
    if (c == '.' || c == '_' || is_capital(c)) return true;
  }
  return false;
}

/// `name` is the flag ("top-p"), or a path from which the flag is derived ("text.format.type",
/// "expireTime").
constexpr Field field(Kind kind, sv name, sv help, const auto&... properties) {
  Field row{.flag = name, .kind = kind, .help = help};
  if (is_path(name)) std::swap(row.flag, row.path);
  (set(row, properties), ...);
  return row;
}

// The words of a row have no prefix, so that a row reads as what it says.
// NOLINTBEGIN(readability-identifier-naming)

/// Creates a field of this kind: text("name", "Descriptive name.", required, example("build
/// server")).
struct FieldBuilder {
  Kind kind;
  constexpr Field operator()(sv name, sv help, const auto&... properties) const {
    return field(kind, name, help, properties...);
  }
};
inline constexpr FieldBuilder text{Kind::Text};
inline constexpr FieldBuilder integer{Kind::Integer};
inline constexpr FieldBuilder number{Kind::Number};
inline constexpr FieldBuilder boolean{Kind::Boolean};
inline constexpr FieldBuilder json{Kind::Json};
inline constexpr FieldBuilder text_or_json{Kind::TextOrJson};
inline constexpr FieldBuilder file{Kind::File};
inline constexpr FieldBuilder duration{Kind::Duration};
inline constexpr FieldBuilder time{Kind::Time};
inline constexpr FieldBuilder money{Kind::Money};
inline constexpr FieldBuilder secret{Kind::Secret};
constexpr Field media(sv name, sv help, const auto&... properties) {
  return field(Kind::Media, name, help, Property{&Field::in, In::Compose}, properties...);
}

inline constexpr Property local{&Field::in, In::Local};
inline constexpr Property query{&Field::in, In::Query};
inline constexpr Property form_part{&Field::in, In::Form};
inline constexpr Property composed{&Field::in, In::Compose};
inline constexpr Property required{&Field::required, true};
inline constexpr Property demanded{&Field::demanded, true};
inline constexpr Property repeated{&Field::repeated, true};
inline constexpr Property positional{&Field::positional, true};
inline constexpr Property common{&Field::common, true};
inline constexpr Property uncommon{&Field::common, false};
inline constexpr Property plain_switch{&Field::plain_switch, true};
inline constexpr Property file_text{&Field::file_text, true};
inline constexpr Property quoted{&Field::quoted, true};
inline constexpr Property deprecated{&Field::status, Status::Deprecated};
inline constexpr Property ignored{&Field::status, Status::Ignored};
inline constexpr Property unsupported{&Field::status, Status::Unsupported};

/// A parameter of the operation's path.
constexpr Field path_parameter(sv name, sv help, const auto&... properties) {
  return text(name, help, Property{&Field::in, In::Path}, required, positional, properties...);
}

constexpr Alias alias(sv path) {
  return {path};
}
inline constexpr Setter at{&Field::path};
inline constexpr Setter says{&Field::help};
inline constexpr Setter typed{&Field::typed};
constexpr auto range(double min, double max, sv unit = {}) {
  return Property{&Field::range, std::optional(Range{min, max, unit})};
}
constexpr auto at_least(double min, sv unit = {}) {
  return range(min, k_no_max, unit);
}
inline constexpr Setter choices{&Field::choices};
inline constexpr Setter suggests{&Field::suggests};
inline constexpr Setter letter{&Field::letter};
inline constexpr Setter max_count{&Field::max_count};
inline constexpr Setter max_length{&Field::max_length};
inline constexpr Setter max_days{&Field::max_days};
inline constexpr Setter max_bytes{&Field::max_bytes};
inline constexpr Setter unit_ms{&Field::unit_ms};
inline constexpr Setter form{&Field::form};
inline constexpr Setter null_word{&Field::null_word};
inline constexpr Setter wraps{&Field::wraps};
inline constexpr Setter needs_member{&Field::needs};
inline constexpr Setter slot{&Field::media};
inline constexpr Setter fallback{&Field::fallback};
inline constexpr Setter optional_value{&Field::optional_value};
inline constexpr Setter always{&Field::always};
inline constexpr Setter example{&Field::example};
inline constexpr Setter completes{&Field::completes};
inline constexpr Setter stands_for{&Field::stands_for};

/// Joins arrays of rows, such as an operation's own fields and shared ones.
template <typename Row, std::size_t... N>
consteval auto concat(const std::array<Row, N>&... parts) {
  std::array<Row, (N + ...)> all{};
  std::size_t next = 0;
  const auto append = [&](const auto& part) {
    for (const Row& row : part) all[next++] = row;
  };
  (append(parts), ...);
  return all;
}

/// What a row leaves out: the path "top_p" from the flag "top-p" (for fields sent under their own
/// name), or the flag "expire-time" from the path "expireTime". The prefix `session.` of a path is
/// omitted in the flag.
constexpr bool derives_path(const Field& field) {
  return field.path.empty() && !field.alias && field.in != In::Compose && field.in != In::Local;
}
/// The name that the missing one is derived from; empty if none is missing.
constexpr sv origin(const Field& field) {
  if (derives_path(field)) return field.flag;
  if (!field.flag.empty()) return {};
  constexpr sv wrapper = "session.";
  return field.path.substr(field.path.starts_with(wrapper) ? wrapper.size() : 0);
}
/// Passes the letters of the missing name to `take`.
constexpr void derive(const Field& field, auto take) {
  const bool to_flag = field.flag.empty();
  for (const char c : origin(field)) {
    if (to_flag && is_capital(c)) take('-');
    if (!to_flag) {
      take(c == '-' ? '_' : c);
    } else if (c == '_' || c == '.') {
      take('-');
    } else {
      take(is_capital(c) ? static_cast<char>(c - 'A' + 'a') : c);
    }
  }
}

/// Whether the row, with or without a name of its own, is the field of this flag.
constexpr bool is_flag(const Field& field, sv flag) {
  if (!field.flag.empty()) return field.flag == flag;
  bool same = true;
  derive(field, [&](char c) {
    same = same && flag.starts_with(c);
    if (same) flag.remove_prefix(1);
  });
  return same && flag.empty();
}

/// The fields of an operation with missing names filled in. `Rows` must be in a named namespace:
/// GCC 14 confuses arrays of the same name in different unnamed namespaces.
template <const auto& Rows>
struct Resolved {
  static constexpr std::size_t k_letters = [] {
    std::size_t count = 0;
    for (const Field& field : Rows) derive(field, [&](char) { ++count; });
    return count;
  }();
  static constexpr auto k_names = [] {
    std::array<char, k_letters + 1> names{};
    char* out = names.data();
    for (const Field& field : Rows) derive(field, [&](char c) { *out++ = c; });
    return names;
  }();
  static constexpr auto k_rows = [] {
    auto rows = Rows;
    const char* begin = k_names.data();
    for (Field& field : rows) {
      std::size_t letters = 0;
      derive(field, [&](char) { ++letters; });
      if (letters == 0) continue;
      (field.flag.empty() ? field.flag : field.path) = sv(begin, letters);
      begin += letters;
    }
    return rows;
  }();
};
template <const auto& Rows>
inline constexpr std::span<const Field> resolved = Resolved<Rows>::k_rows;

// Rules -------------------------------------------------------------------------------------------

constexpr Rule excludes(sv flag, sv other, sv why) {
  return {RuleKind::Excludes, flag, other, why};
}
constexpr Rule needs(sv flag, sv other, sv why) {
  return {RuleKind::Requires, flag, other, why};
}
constexpr Rule either(sv flag, sv other, sv why) {
  return {RuleKind::Either, flag, other, why};
}
constexpr Rule warns(sv flag, sv other, sv why) {
  return {RuleKind::Warns, flag, other, why};
}
constexpr Rule ordered(sv flag, sv other, sv why) {
  return {RuleKind::Ordered, flag, other, why};
}
/// The same rule for each of these flags.
template <std::size_t N>
consteval std::array<Rule, N> for_flags(const std::array<sv, N>& flags, Rule rule) {
  std::array<Rule, N> rules{};
  for (std::size_t i = 0; i < N; ++i) {
    rules[i] = rule;
    rules[i].flag = flags[i];
  }
  return rules;
}

// Operations --------------------------------------------------------------------------------------

/// `command` is the group and the verb: "keys list", "collections documents add", "tokenize".
constexpr Operation operation(sv command, sv method, sv path, sv summary,
                              const auto&... properties) {
  const std::size_t blank = command.find(' ');
  Operation row{.group = command.substr(0, blank),
                .name = blank == sv::npos ? sv() : command.substr(blank + 1),
                .method = method,
                .path = path,
                .summary = summary};
  (set(row, properties), ...);
  return row;
}

inline constexpr Property management{&Operation::host, Host::Management};
inline constexpr Property documentation{&Operation::host, Host::Docs};
inline constexpr Property default_verb{&Operation::is_default, true};
inline constexpr Property observed{&Operation::source, Source::Observed};
inline constexpr Property repeatable{&Operation::repeat, Repeat::Always};
inline constexpr Property repeatable_when_refused{&Operation::repeat, Repeat::WhenRefused};
inline constexpr Property answers_nothing{&Operation::reply, Reply::Nothing};
inline constexpr Property answers_bytes{&Operation::reply, Reply::Bytes};
inline constexpr Property own_model{&Operation::text_model, false};
inline constexpr Property answers_once{&Operation::once, true};
inline constexpr Property streams{&Operation::streams, true};
inline constexpr Property free_of_charge{&Operation::free, true};
inline constexpr Setter ends{&Operation::ends};
inline constexpr Setter ends_if{&Operation::ends_if};
inline constexpr Property answers_secret{&Operation::secret, true};
inline constexpr Property replaces_all{&Operation::changes, true};

constexpr Operation get(sv command, sv path, sv summary, const auto&... properties) {
  return operation(command, "GET", path, summary, repeatable, properties...);
}
constexpr Operation post(sv command, sv path, sv summary, const auto&... properties) {
  return operation(command, "POST", path, summary, properties...);
}
constexpr Operation socket(sv command, sv path, sv summary, const auto&... properties) {
  return operation(command, "GET", path, summary, Property{&Operation::host, Host::Realtime},
                   Property{&Operation::reply, Reply::Socket}, properties...);
}
/// A local command, which sends no request or several.
constexpr Operation command(sv name, sv summary, const auto&... properties) {
  return operation(name, "", "", summary, Property{&Operation::host, Host::Local}, properties...);
}

template <const auto& Rows>
inline constexpr Property fields{&Operation::fields, Fields(&fields_of<Resolved<Rows>::k_rows>)};

inline constexpr Setter runs{&Operation::run};
inline constexpr Setter config{&Operation::config};
inline constexpr Property new_profile{&Operation::new_profile, true};
inline constexpr Property own_output{&Operation::own_output, true};
inline constexpr Setter rules{&Operation::rules};
inline constexpr Setter answers{&Operation::answer};
inline constexpr Property one_document{&Operation::document, true};
inline constexpr Setter prints{&Operation::printed};
inline constexpr Setter in_bulk{&Operation::bulk};
inline constexpr Setter events{&Operation::events};
inline constexpr Setter items{&Operation::items};
inline constexpr Setter paging{&Operation::paging};
inline constexpr Setter poll{&Operation::poll};
inline constexpr Setter mask{&Operation::mask};
inline constexpr Setter team{&Operation::team};
inline constexpr Setter view{&Operation::view};
inline constexpr Setter composer{&Operation::composer};
inline constexpr Setter default_model{&Operation::default_model};
inline constexpr Setter max_answer_mb{&Operation::max_answer_mb};
inline constexpr Setter replaced_by{&Operation::replaced_by};
inline constexpr Setter tool{&Operation::tool};
inline constexpr Setter opening{&Operation::opening};
inline constexpr Setter already_done{&Operation::already_done};
constexpr auto noun(sv one, sv many) {
  return Property{&Operation::noun, Nouns{one, many}};
}

inline constexpr Property as_card{&Operation::view, View::Card};
/// Whether the example's command starts with this group and verb.
constexpr bool is_example_of(const Example& one, sv group, sv name) {
  sv rest = one.command.substr(sv("svc ").size());
  for (const sv words : {group, name}) {
    if (words.empty()) continue;
    if (!rest.starts_with(words)) return false;
    rest.remove_prefix(words.size());
    if (!rest.empty() && rest.front() != ' ') return false;
    rest.remove_prefix(rest.empty() ? 0 : 1);
  }
  return true;
}

/// Assigns the examples to the operations of a group. The examples of one operation must be
/// adjacent; an example without a verb belongs to the default verb.
template <std::size_t N>
constexpr auto with_examples(std::array<Operation, N> rows, std::span<const Example> all) {
  const auto owner = [&](const Example& one) {
    const Operation* found = nullptr;
    for (const Operation& row : rows) {
      const bool named = is_example_of(one, row.group, row.name);
      const bool implied = found == nullptr && row.is_default && is_example_of(one, row.group, "");
      if (implied || (named && (found == nullptr || found->name.size() < row.name.size() ||
                                !is_example_of(one, row.group, found->name)))) {
        found = &row;
      }
    }
    return found;
  };
  std::size_t left = 0;
  for (const Example& one : all) left += owner(one) != nullptr ? 1 : 0;
  for (Operation& row : rows) {
    std::size_t begin = 0;
    while (begin < all.size() && owner(all[begin]) != &row) ++begin;
    std::size_t end = begin;
    while (end < all.size() && owner(all[end]) == &row) ++end;
    row.examples = all.subspan(begin, end - begin);
    left -= row.examples.size();
  }
  if (left != 0) throw "the examples of an operation must be adjacent";
  return rows;
}

// NOLINTEND(readability-identifier-naming)

}  // namespace svc::catalogue
