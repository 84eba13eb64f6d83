#include "catalogue/catalogue.h"

#include <array>
#include <cmath>
#include <set>
#include <string>

#include <doctest/doctest.h>

#include "base/text.h"
#include "catalogue/answer_builders.h"
#include "catalogue/global_flags.h"

using namespace svc;

namespace {

template <typename Visit>
void each_operation(Visit visit) {
  for (const Group& group : groups()) {
    for (const Operation& operation : group.operations) visit(group, operation);
  }
}

/// In the unit of the field's range; NaN if it is no such value.
double value_of_example(const Field& field) {
  if (field.unit_ms == 0) return parse_number(field.example).value_or(NAN);
  const auto duration = parse_duration(field.example);
  return duration ? static_cast<double>(duration->count()) / static_cast<double>(field.unit_ms)
                  : NAN;
}

/// Flags that are not the kebab case of their path, each with its reason in the catalogue.
const std::set<std::string> k_renamed = {"flat-reasoning-effort", "content-format", "format-text",
                                         "image-image-url"};

}  // namespace

TEST_CASE("every group has a unique name and contains its own operations") {
  std::set<std::string> names;
  each_operation([&](const Group& group, const Operation& operation) {
    CHECK(operation.group == group.name);
    CHECK(names.insert(command_name(operation)).second);
    CHECK(find_operation(group.name, operation.name) == &operation);
  });
  CHECK(find_group("chat") != nullptr);
  CHECK(find_group("nothing") == nullptr);
  CHECK(find_operation("nothing", "create") == nullptr);
}

TEST_CASE("a flag is the kebab case of its field's path") {
  each_operation([](const Group&, const Operation& operation) {
    for (const Field& field : operation.fields) {
      if (field.in == In::Compose || field.in == In::Local || field.alias) continue;
      if (k_renamed.contains(std::string(field.flag))) continue;
      CAPTURE(field.path);
      // A realtime session's fields are named relative to the session.
      const sv inside = field.path.starts_with("session.") ? field.path.substr(8) : field.path;
      CHECK(kebab_case(inside) == field.flag);
    }
  });
}

TEST_CASE("no flag repeats a word where two names of its path meet") {
  CHECK(find_field(*find_operation("phone", "create"), "sip-auth-username") != nullptr);
  CHECK(find_field(*find_operation("billing", "invoices"), "invoice-ids") != nullptr);
}

TEST_CASE("paths that differ only in parameter names use the same names") {
  const auto shape = [](sv path) {
    std::string out;
    for (std::size_t at = 0; at < path.size(); ++at) {
      out += path[at];
      if (path[at] == '{') at = path.find('}', at) - 1;
    }
    return out;
  };
  each_operation([&](const Group&, const Operation& one) {
    each_operation([&](const Group&, const Operation& other) {
      if (one.host != other.host || shape(one.path) != shape(other.path)) return;
      CHECK(one.path == other.path);
    });
  });
}

TEST_CASE("no path of the body is a prefix of another that is a scalar") {
  each_operation([](const Group&, const Operation& operation) {
    for (const Field& one : operation.fields) {
      for (const Field& other : operation.fields) {
        if (one.in != In::Body || other.in != In::Body || &one == &other) continue;
        if (one.alias || other.alias) continue;
        CAPTURE(one.path);
        CAPTURE(other.path);
        CHECK_FALSE(std::string(other.path).starts_with(std::string(one.path) + "."));
      }
    }
  });
}

TEST_CASE("field examples pass the fields' own checks") {
  each_operation([](const Group&, const Operation& operation) {
    for (const Field& field : operation.fields) {
      if (field.example.empty()) continue;
      CAPTURE(operation.group);
      CAPTURE(field.flag);
      if (field.kind == Kind::Integer) CHECK(parse_integer(field.example).has_value());
      if (field.kind == Kind::Number) CHECK(parse_number(field.example).has_value());
      if (field.range && field.kind != Kind::Json) {  // there it is each value's
        const double value = value_of_example(field);
        CHECK(value >= field.range->min);
        CHECK(value <= field.range->max);
      }
      if (!field.choices.empty()) {
        bool found = false;
        for (const sv choice : field.choices) found = found || choice == field.example;
        CHECK(found);
      }
      if (field.max_length != 0) CHECK(count_code_points(field.example) <= field.max_length);
    }
  });
}

TEST_CASE("positional fields are ordered: required ones first, a repeated one last") {
  each_operation([](const Group&, const Operation& operation) {
    bool optional_seen = false;
    bool repeated_seen = false;
    for (const Field& field : operation.fields) {
      if (!field.positional) continue;
      CHECK_FALSE(repeated_seen);
      if (field.required) CHECK_FALSE(optional_seen);
      optional_seen = optional_seen || !field.required;
      repeated_seen = repeated_seen || field.repeated;
    }
  });
}

TEST_CASE("polled operations exist in their group, and take the ID first") {
  each_operation([](const Group&, const Operation& operation) {
    if (!operation.poll) return;
    const Operation* job = find_operation(operation.group, operation.poll->operation);
    REQUIRE(job != nullptr);
    REQUIRE(!job->fields.empty());
    CHECK(job->fields.front().in == In::Path);
  });
}

TEST_CASE("local commands have no request") {
  each_operation([](const Group&, const Operation& operation) {
    if (operation.host == Host::Local) CHECK(operation.path.empty());
  });
}

TEST_CASE("the replacement of a deprecated operation exists") {
  each_operation([](const Group&, const Operation& operation) {
    if (operation.replaced_by.empty()) return;
    CAPTURE(operation.name);
    REQUIRE(operation.replaced_by.starts_with("svc "));
    const Group* group = find_group(operation.replaced_by.substr(4));
    REQUIRE(group != nullptr);
    CHECK(default_operation(*group) != nullptr);
  });
}

TEST_CASE("global flags have unique letters and names") {
  std::set<std::string> names;
  std::set<char> letters;
  for (const GlobalFlag& flag : k_global_flags) {
    CHECK(names.insert(std::string(flag.name)).second);
    if (flag.letter != 0) CHECK(letters.insert(flag.letter).second);
    CHECK(flag.help.ends_with('.'));
  }
}

TEST_CASE("every handler is that of a row") {
  std::set<Handler> named;
  for (const Group& group : groups()) {
    for (const Operation& operation : group.operations) named.insert(operation.run);
  }
  CHECK(named.size() == static_cast<std::size_t>(Handler::Count));
  CHECK_FALSE(named.contains(Handler::Count));
}

TEST_CASE("a command's name leaves out a default verb if it may") {
  const Operation create{
      .group = "g", .name = "create", .summary = "Create it.", .is_default = true};
  const Operation remove{.group = "g", .name = "delete", .summary = "Delete it."};
  const Operation whole{.group = "g", .name = "", .summary = "Do it.", .is_default = true};
  CHECK(command_name(create) == "g create");
  CHECK(command_name(create, true) == "g");
  CHECK(command_name(remove) == "g delete");
  CHECK(command_name(remove, true) == "g delete");
  CHECK(command_name(whole) == "g");
  const std::array both = {remove, create};
  CHECK(default_operation({"g", "Does it.", both}) == &both[1]);
  CHECK(default_operation({"g", "Does it.", std::span(both).first(1)}) == nullptr);
}

TEST_CASE("a list is told from a document") {
  constexpr std::array members = {catalogue::answer::text("id")};
  constexpr std::array other = {catalogue::answer::text("other")};
  const auto printed = [&](const auto& change) {
    Operation operation{.group = "g", .name = "v", .summary = "Do it."};
    change(operation);
    return std::string(prints_list(operation) ? "list" : "one") +
           (prints_array(operation) ? " array" : "");
  };
  CHECK(printed([](Operation&) {}) == "one");
  CHECK(printed([](Operation& one) { one.items = "data"; }) == "list array");
  CHECK(printed([](Operation& one) { one.items = "data", one.tool = "search"; }) == "one");
  CHECK(printed([&](Operation& one) { one.printed = members, one.tool = "search"; }) ==
        "list array");
  const auto local = [&](bool has_answer, sv items, bool document) {
    return printed([&](Operation& one) {
      one.host = Host::Local;
      if (has_answer) one.answer = members;
      one.items = items;
      one.document = document;
    });
  };
  CHECK(local(false, "", false) == "one");
  CHECK(local(false, "data", false) == "one");
  CHECK(local(true, "", false) == "list array");
  CHECK(local(true, "data", false) == "list");
  CHECK(local(true, "", true) == "one");
  Operation both{.group = "g", .name = "v", .summary = "Do it."};
  both.answer = members;
  CHECK(printed_members(both).data() == members.data());
  both.printed = other;
  CHECK(printed_members(both).data() == other.data());
}

TEST_CASE("a field is shown by its common alias, and helped with what may be typed") {
  std::array<Field, 5> fields = {Field{.flag = "long", .path = "a", .help = "Says it."},
                                 Field{.flag = "rare", .path = "a", .help = "Says it."},
                                 Field{.flag = "other", .path = "b", .help = "Says it."},
                                 Field{.flag = "same", .path = "a", .help = "Says it."},
                                 Field{.flag = "short", .path = "a", .help = "Says it."}};
  fields[1].alias = true;
  fields[2].alias = fields[2].common = true;
  fields[3].common = true;
  fields[4].alias = fields[4].common = true;
  fields[4].typed = ", or @FILE";
  Operation operation{.group = "g", .name = "v", .summary = "Do it."};
  operation.fields = std::span<const Field>(fields);
  CHECK(preferred_field(operation, fields[0]).flag == "short");
  CHECK(preferred_field(operation, fields[2]).flag == "other");
  CHECK(find_field(operation, "same") == &fields[3]);
  CHECK(find_field(operation, "sam") == nullptr);
  operation.fields = std::span<const Field>(fields).first(4);
  CHECK(preferred_field(operation, fields[0]).flag == "long");
  CHECK(command_line_help(fields[0]) == "Says it.");
  CHECK(command_line_help(fields[4]) == "Says it, or @FILE.");
}
