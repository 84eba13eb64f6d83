#include "catalogue/catalogue.h"

#include <cmath>
#include <set>
#include <string>

#include <doctest/doctest.h>

#include "base/text.h"
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
