// Compile-time checks of the catalogue's rows: a wrong row does not compile, and the compiler's
// message shows the sentence that is thrown.
#pragma once

#include <cstddef>
#include <span>

#include "catalogue/global_flags.h"
#include "catalogue/rows.h"

namespace svc::catalogue {

constexpr bool is_kebab(sv name) {
  if (name.empty() || name.front() == '-' || name.back() == '-') return false;
  for (const char c : name) {
    if ((c < 'a' || c > 'z') && (c < '0' || c > '9') && c != '-') return false;
  }
  return true;
}

constexpr bool is_sentence(sv words) {
  return words.size() > 3 && words.back() == '.' && words.front() != ' ';
}

constexpr bool is_number(const Field& field) {
  return field.kind == Kind::Integer || field.kind == Kind::Number;
}

constexpr void check_field(const Field& field) {
  if (!is_kebab(field.flag)) throw "a field's flag is not kebab case";
  if (!is_sentence(field.help)) throw "a field's help is not a sentence that ends with a full stop";
  if (field.required && field.example.empty()) throw "a required field has no example";
  if (field.range && !is_number(field) && field.unit_ms == 0)
    throw "a range stands on a field that is not a number";
  if (field.range && field.range->min > field.range->max) throw "a range is upside down";
  if (field.max_bytes != 0 && field.kind != Kind::File)
    throw "a size stands on a field without file";
  if (!field.always.empty() && field.in != In::Query) throw "only query members are always sent";
  if (field.max_count != 0 && !field.repeated)
    throw "a count stands on a field that does not repeat";
  if (field.kind == Kind::Boolean && field.repeated) throw "a boolean cannot repeat";
  if (!field.stands_for.empty() && !field.alias) throw "only an alias stands for a value";
  if (field.unit_ms != 0 && field.kind != Kind::Duration) {
    throw "a unit of time stands on a field that is no duration";
  }
  if (field.unit_ms != 0 && (!field.range || field.range->unit.empty())) {
    throw "a duration with a unit has no range that names it";
  }
  if (field.form != TextForm::Any && field.kind != Kind::Text) {
    throw "a form stands on a field that is no text";
  }
  if (field.max_days != 0 && field.kind != Kind::Time)
    throw "days stand on a field that is no time";
  if (find_global_flag(field.flag) != nullptr) throw "a field's flag clashes with a global flag";
  if (field.letter != 0 && field.positional) throw "a letter stands on a field that is no flag";
  for (const GlobalFlag& flag : k_global_flags) {
    if (field.letter != 0 && flag.letter == field.letter) throw "a letter is a global flag's";
  }
  if (field.media && (field.kind != Kind::Media || field.in != In::Compose)) {
    throw "a media slot stands on a field that is not composed media";
  }
  if (field.media && field.media->one.empty() && field.media->many.empty()) {
    throw "a media slot names no member";
  }
  if (field.media && field.repeated == field.media->many.empty()) {
    throw "a media slot repeats without an array, or the other way round";
  }
  // A media argument that is wrapped stands at a moment: SECONDS=MEDIA (request/media.cpp).
  if (!field.wraps.empty() && field.kind != Kind::TextOrJson && !field.media) {
    throw "only text or JSON, or media at a moment, can be wrapped";
  }
  if (field.in != In::Compose && field.in != In::Local && field.path.empty()) {
    throw "a field of the request has no path";
  }
  if (field.in == In::Path && (!field.required || !field.positional)) {
    throw "a path parameter is required and positional";
  }
}

constexpr bool has_flag(std::span<const Field> fields, sv flag) {
  for (const Field& field : fields) {
    if (field.flag == flag) return true;
  }
  return false;
}

constexpr void check_unique(std::span<const Field> fields) {
  for (std::size_t i = 0; i < fields.size(); ++i) {
    for (std::size_t j = i + 1; j < fields.size(); ++j) {
      if (fields[i].flag == fields[j].flag) throw "two fields of an operation share a flag";
      if (fields[i].letter != 0 && fields[i].letter == fields[j].letter) {
        throw "two fields of an operation share a letter";
      }
      const bool members = fields[i].in != In::Compose && fields[i].in != In::Local &&
                           !fields[i].alias && !fields[j].alias;
      if (members && fields[i].in == fields[j].in && fields[i].path == fields[j].path) {
        throw "two fields of an operation share a path";
      }
    }
  }
}

/// Every {parameter} of the path is a field, and every path field is in the path.
constexpr void check_path(const Operation& operation) {
  std::size_t parameters = 0;
  for (std::size_t open = operation.path.find('{'); open != sv::npos;
       open = operation.path.find('{', open + 1)) {
    const std::size_t close = operation.path.find('}', open);
    if (close == sv::npos) throw "a path has a brace that does not close";
    const sv name = operation.path.substr(open + 1, close - open - 1);
    bool covered = name == "team_id" || name == "teamId";
    for (const Field& field : operation.fields) {
      covered = covered || (field.in == In::Path && field.path == name);
    }
    if (!covered) throw "a path parameter has no field";
    ++parameters;
  }
  for (const Field& field : operation.fields) {
    if (field.in == In::Path && parameters == 0) throw "a path field is not in the path";
  }
}

consteval bool check_operation(const Operation& operation) {
  if (!is_kebab(operation.group)) throw "an operation's group is not kebab case";
  if (!is_sentence(operation.summary)) throw "an operation's summary is not a sentence";
  if (operation.host == Host::Local) {
    if (!operation.method.empty() || !operation.path.empty()) throw "a local command has no path";
  } else {
    if (operation.method.empty() || !operation.path.starts_with('/')) {
      throw "an operation has no method or its path does not begin with a slash";
    }
  }
  if (operation.examples.empty()) throw "an operation has no example";
  for (const Field& field : operation.fields) check_field(field);
  check_unique(operation.fields);
  check_path(operation);
  if (operation.mask && (operation.mask->wrapper.empty() || operation.mask->member.empty())) {
    throw "a mask does not say where it goes";
  }
  for (const Rule& rule : operation.rules) {
    if (!has_flag(operation.fields, rule_flag(rule.flag)) ||
        !has_flag(operation.fields, rule_flag(rule.other))) {
      throw "a rule names a flag that the operation does not have";
    }
    if (!is_sentence(rule.why)) throw "a rule's reason is not a sentence";
  }
  for (const Example& one : operation.examples) {
    if (!one.command.starts_with("svc ")) throw "an example does not begin with svc";
    if (!is_sentence(one.says)) throw "an example's explanation is not a sentence";
  }
  if (!operation.opening.empty() && operation.reply != Reply::Socket) {
    throw "only a socket has an opening message";
  }
  if (!operation.gone.empty() && !is_sentence(operation.gone)) throw "what is gone is no sentence";
  if (operation.paging && operation.items.empty()) throw "a paged operation does not say its items";
  for (const Field& field : operation.fields) {
    if (operation.paging && field.flag == "page-size" &&
        (!field.range || field.range->max != operation.paging->max_page)) {
      throw "the range of --page-size is not that of the operation's pages";
    }
  }
  return true;
}

consteval bool check_operations(std::span<const Operation> operations) {
  int defaults = 0;
  for (std::size_t i = 0; i < operations.size(); ++i) {
    check_operation(operations[i]);
    if (operations[i].group != operations[0].group)
      throw "a group's file holds another group's row";
    defaults += operations[i].is_default ? 1 : 0;
    for (std::size_t j = i + 1; j < operations.size(); ++j) {
      if (operations[i].name == operations[j].name) throw "two operations of a group share a name";
    }
  }
  if (defaults > 1) throw "a group has two default verbs";
  return true;
}

}  // namespace svc::catalogue
