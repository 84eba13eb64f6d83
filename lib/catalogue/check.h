// Compile-time checks of the catalogue's rows: an invalid row does not compile, and the compiler's
// message shows the sentence thrown.
#pragma once

#include <cstddef>
#include <span>

#include "catalogue/builders.h"
#include "catalogue/global_flags.h"

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

constexpr void check_media(const Field& field) {
  if (field.media && (field.kind != Kind::Media || field.in != In::Compose)) {
    throw "a media slot requires a composed media field";
  }
  if (field.media && field.media->one.empty() && field.media->many.empty()) {
    throw "a media slot needs a body field";
  }
  if (field.media && field.repeated == field.media->many.empty()) {
    throw "a media slot must have an array exactly if its field repeats";
  }
  // A wrapped media argument has a time: SECONDS=MEDIA (request/media.cpp).
  if (!field.wraps.empty() && field.kind != Kind::TextOrJson && !field.media) {
    throw "only text, JSON or media with a time can be wrapped";
  }
}

constexpr void check_field(const Field& field) {
  if (!is_kebab(field.flag)) throw "a field's flag must be kebab case";
  if (!is_sentence(field.help)) {
    throw "a field's help must be a sentence that ends with a full stop";
  }
  if (field.required && field.example.empty()) throw "a required field needs an example";
  if (field.range && !is_number(field) && field.unit_ms == 0 && field.kind != Kind::Json) {
    throw "a range requires a number or JSON field";
  }
  if (field.range && field.range->min > field.range->max) {
    throw "a range's minimum is above its maximum";
  }
  if (field.max_bytes != 0 && field.kind != Kind::File) {
    throw "a size limit requires a file field";
  }
  if (!field.always.empty() && field.in != In::Query) {
    throw "only a query field can always be sent";
  }
  if (field.max_count != 0 && !field.repeated) throw "a count limit requires a repeated field";
  if (field.kind == Kind::Boolean && field.repeated) throw "a boolean cannot be repeated";
  if (!field.stands_for.empty() && !field.alias) throw "only an alias can stand for a value";
  if (field.unit_ms != 0 && field.kind != Kind::Duration) {
    throw "a time unit requires a duration field";
  }
  if (field.unit_ms != 0 && (!field.range || field.range->unit.empty())) {
    throw "a duration with a unit requires a range with that unit";
  }
  if (field.form != TextFormat::Any && field.kind != Kind::Text) {
    throw "a text form requires a text field";
  }
  if (!field.needs.empty() && field.kind != Kind::Json) {
    throw "only JSON can need a member";
  }
  if (field.max_days != 0 && field.kind != Kind::Time) {
    throw "a limit in days requires a time field";
  }
  if (is_global_flag(field.flag)) {
    throw "a field's flag conflicts with a global flag";
  }
  if (field.letter != 0 && field.positional) {
    throw "a letter requires a flag, not a positional field";
  }
  for (const GlobalFlag& flag : k_global_flags) {
    if (field.letter != 0 && flag.letter == field.letter) {
      throw "a field's letter conflicts with a global flag";
    }
  }
  check_media(field);
  if (field.in != In::Compose && field.in != In::Local && field.path.empty()) {
    throw "a request field needs a path";
  }
  if (field.in == In::Path && (!field.required || !field.positional)) {
    throw "a path parameter must be required and positional";
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

/// Checks the words of an operation that lists, or that works on several IDs.
constexpr void check_noun(const Operation& operation) {
  bool counts = !operation.items.empty();
  for (const Field& field : operation.fields) {
    counts = counts || (field.in == In::Path && field.repeated);
  }
  if (counts && operation.noun.one.empty())
    throw "a list or an operation on several IDs needs a noun";
  if (operation.noun.one.empty() != operation.noun.many.empty() ||
      (counts && operation.noun.one == operation.noun.many)) {
    throw "a noun needs a plural";
  }
}

/// Checks that every {parameter} of the path has a field, and that every path field is in the path.
constexpr void check_path(const Operation& operation) {
  std::size_t parameters = 0;
  for (std::size_t open = operation.path.find('{'); open != sv::npos;
       open = operation.path.find('{', open + 1)) {
    const std::size_t close = operation.path.find('}', open);
    if (close == sv::npos) throw "a path has an unclosed brace";
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

constexpr void check_operation(const Operation& operation) {
  if (!is_kebab(operation.group)) throw "an operation's group must be kebab case";
  if (!is_sentence(operation.summary)) throw "an operation's summary must be a sentence";
  if (operation.host == Host::Local) {
    if (!operation.method.empty() || !operation.path.empty()) {
      throw "a local command cannot have a method or path";
    }
  } else {
    if (operation.method.empty() || !operation.path.starts_with('/')) {
      throw "an operation needs a method and a path that starts with a slash";
    }
  }
  if (operation.examples.empty()) throw "an operation needs an example";
  for (const Field& field : operation.fields) check_field(field);
  check_unique(operation.fields);
  check_path(operation);
  check_noun(operation);
  if (operation.mask && (operation.mask->wrapper.empty() || operation.mask->member.empty())) {
    throw "a mask needs a wrapper and a member";
  }
  for (const Rule& rule : operation.rules) {
    if (!has_flag(operation.fields, rule_flag(rule.flag)) ||
        !has_flag(operation.fields, rule_flag(rule.other))) {
      throw "a rule refers to an unknown flag";
    }
    if (!is_sentence(rule.why)) throw "a rule's reason must be a sentence";
  }
  for (const Example& one : operation.examples) {
    if (!one.command.starts_with("svc ")) throw "an example must start with svc";
    if (!is_sentence(one.says)) throw "an example's explanation must be a sentence";
  }
  if (!operation.opening.empty() && operation.reply != Reply::Socket) {
    throw "only a socket can have an opening message";
  }
  if (!operation.already_done.empty() && !is_sentence(operation.already_done)) {
    throw "the message for 404 must be a sentence";
  }
  if (!operation.ends.empty() && !is_sentence(operation.ends)) {
    throw "what an operation ends must be a sentence";
  }
  if (!operation.bulk.flag.empty() && !has_flag(operation.fields, operation.bulk.flag)) {
    throw "bulk work starts with one of the operation's flags";
  }
  if (!operation.ends_if.empty() && !has_flag(operation.fields, rule_flag(operation.ends_if))) {
    throw "an operation that ends something only with a flag needs that flag";
  }
  if (operation.paging && operation.items.empty()) throw "a paged operation needs items";
  if (operation.document && operation.answer.empty()) throw "a document needs its members";
  for (const Field& field : operation.fields) {
    if (operation.paging && field.flag == "page-size" &&
        (!field.range || field.range->max != operation.paging->max_page)) {
      throw "the range of --page-size must match the operation's pages";
    }
  }
}

/// The rows of answers and events, with the shapes that they open.
constexpr void check_members(std::span<const Member> members) {
  for (const Member& member : members) {
    if (member.path.empty() && member.shape == nullptr && !member.view)
      throw "a member needs a path";
    if (!member.view && !member.path.empty() && !is_sentence(member.help)) {
      throw "a member needs a sentence that says what it is";
    }
    if (member.show == Show::Never && !is_sentence(member.hidden_because)) {
      throw "a member that text never shows needs the reason as a sentence";
    }
    if (member.table && !member.path.ends_with("[]"))
      throw "a table is a member with a path of items";
    if (!member.view && member.path.find('|') != sv::npos) {
      throw "only a view can have alternative paths";
    }
    if (member.shape == nullptr) continue;
    if (member.shape->name.empty()) throw "a shape needs a name";
    check_members(member.shape->members);
    for (const Variant& variant : member.shape->variants) {
      if (variant.name.empty() || member.shape->tag.empty()) throw "a union needs a tag and names";
      check_members(variant.members);
    }
  }
}

constexpr void check_operations(std::span<const Operation> operations) {
  int defaults = 0;
  for (std::size_t i = 0; i < operations.size(); ++i) {
    check_operation(operations[i]);
    check_members(operations[i].answer);
    check_members(operations[i].printed);
    check_members(operations[i].bulk.record);
    for (const StreamEvent& event : operations[i].events) check_members(event.members);
    if (operations[i].group != operations[0].group) {
      throw "a group's file contains another group's row";
    }
    defaults += operations[i].is_default ? 1 : 0;
    for (std::size_t j = i + 1; j < operations.size(); ++j) {
      if (operations[i].name == operations[j].name) {
        throw "two operations of a group share a name";
      }
    }
  }
  if (defaults > 1) throw "a group has two default verbs";
}

/// The operations of a group, checked, each with its examples, and with the group's noun if it has
/// none of its own.
template <std::size_t N>
consteval auto checked(const std::array<Operation, N>& rows, std::span<const Example> examples,
                       const Nouns& noun = {}) {
  auto operations = with_examples(rows, examples);
  for (Operation& row : operations) {
    if (row.noun.one.empty()) row.noun = noun;
  }
  check_operations(operations);
  return operations;
}

}  // namespace svc::catalogue
