#include "support/answer_check.h"

#include <algorithm>

#include <nlohmann/json.hpp>

#include "base/text.h"
#include "catalogue/catalogue.h"
#include "catalogue/members.h"

namespace svc::test {
namespace {

using nlohmann::json;
using Problems = std::vector<std::string>;

/// "create_time" of "createTime": the service uses both.
std::string snake(sv name) {
  std::string out;
  for (const char c : name) {
    if (c >= 'A' && c <= 'Z') out += '_';
    out += c >= 'A' && c <= 'Z' ? static_cast<char>(c - 'A' + 'a') : c;
  }
  return out;
}

bool is_number_text(const json& value) {
  return value.is_string() && !value.get_ref<const std::string&>().empty() &&
         value.get_ref<const std::string&>().find_first_not_of("-+.0123456789eE") ==
             std::string::npos;
}

bool has_kind(const json& value, const Member& member) {
  if (value.is_null()) return true;
  if (member.shape != nullptr) {
    return value.is_object() || (member.kind == Kind::TextOrJson && value.is_string());
  }
  switch (member.kind) {
    case Kind::Text:
    case Kind::Time:
      return value.is_string();
    case Kind::Integer:
      return value.is_number_integer() || is_number_text(value);
    case Kind::Number:
      return value.is_number() || is_number_text(value);
    case Kind::Boolean:
      return value.is_boolean() || value == "true" || value == "false";
    default:
      return true;
  }
}

class Checker {
 public:
  explicit Checker(std::span<const Member> members) : m_members(open_members(members)) {
    for (OpenMember& one : m_members) one.path = snake(one.path);
  }

  Problems run(const json& object) {
    visit(object, {});
    return std::move(m_problems);
  }

 private:
  /// The rows for the path: several variants may have a member of one name.
  [[nodiscard]] std::vector<const Member*> rows_at(const std::string& path) const {
    std::vector<const Member*> rows;
    for (const OpenMember& one : m_members) {
      if (!one.member->view && plain(one.path) == path) rows.push_back(one.member);
    }
    return rows;
  }

  [[nodiscard]] bool is_on_the_way(const std::string& path) const {
    return std::ranges::any_of(m_members, [&](const OpenMember& one) {
      const std::string known = plain(one.path);
      return known.starts_with(path + ".") || known.starts_with(path + "[]");
    });
  }

  /// The path without the parentheses of a wrapper.
  static std::string plain(const std::string& path) {
    return replace_all(replace_all(path, "(", ""), ")", "");
  }

  void visit(const json& value, const std::string& path) {
    if (value.is_object()) {
      for (const auto& [name, inner] : value.items()) {
        visit_member(inner, path.empty() ? snake(name) : path + "." + snake(name));
      }
    } else if (value.is_array()) {
      for (const json& item : value) visit_member(item, path + "[]");
    }
  }

  void visit_member(const json& value, const std::string& path) {
    const std::vector<const Member*> rows = rows_at(path);
    const auto fits = [&](const Member* row) { return has_kind(value, *row); };
    if (!rows.empty() && std::ranges::none_of(rows, fits)) {
      m_problems.push_back(path + " is " + value.type_name());
      return;
    }
    const bool open = std::ranges::any_of(rows, [](const Member* row) {
      return row->shape == nullptr &&
             (row->kind == Kind::Json || row->kind == Kind::TextOrJson || row->kind == Kind::Money);
    });
    if (open && !is_on_the_way(path)) return;
    if (rows.empty() && !is_on_the_way(path)) {
      // A wrapper that is missing here.
      const bool bare = std::ranges::any_of(m_members, [&](const OpenMember& one) {
        return one.path.starts_with('(') && one.path.substr(one.path.find('.') + 1) == path;
      });
      if (!bare && !value.is_null()) m_problems.push_back(path + " has no row");
      return;
    }
    visit(value, path);
  }

  std::vector<OpenMember> m_members;
  Problems m_problems{};
};

bool matches(sv pattern, sv path) {
  const std::vector<sv> parts = split(pattern, '/');
  const std::vector<sv> given = split(path, '/');
  return std::ranges::equal(parts, given, [](sv part, sv one) {
    return part == one || (part.starts_with('{') && part.ends_with('}') && !one.empty());
  });
}

/// `begin`: of each line with an event; messages of a socket have none.
Problems check_events(const Operation& operation, sv body, sv begin) {
  Problems problems;
  for (const sv line : split(body, '\n')) {
    if (!line.starts_with(begin)) continue;
    const json event = json::parse(trim(line.substr(begin.size())), nullptr, false);
    if (!event.is_object() || (!begin.empty() && event.contains("error"))) continue;
    const std::string type = event.value("type", "");
    const auto row = std::ranges::find_if(operation.events, [&](const StreamEvent& one) {
      return !one.from_client && (one.name.empty() || one.name == type);
    });
    if (row == operation.events.end()) {
      problems.push_back("event " + type + " has no row");
      continue;
    }
    json members = event;
    if (!row->name.empty()) members.erase("type");
    for (std::string& problem : check_members(row->members, members)) {
      problems.push_back("event " + type + ": " + std::move(problem));
    }
  }
  return problems;
}

Problems check_body(const Operation& operation, sv body) {
  if (body.starts_with("data:") || body.starts_with("event:") || body.starts_with(":")) {
    return check_events(operation, body, "data:");
  }
  if (operation.reply == Reply::Socket) {
    return check_events(operation, body, "");
  }
  const json document = json::parse(body, nullptr, false);
  return document.is_object() ? check_members(operation.answer, document) : Problems();
}

}  // namespace

Problems check_printed(sv group, sv verb, sv out) {
  const Operation* operation = find_operation(group, verb);
  if (operation == nullptr || printed_members(*operation).empty()) {
    return {"no rows for svc " + std::string(group) + ' ' + std::string(verb)};
  }
  json document = json::parse(out, nullptr, false);
  if (document.is_array() != prints_array(*operation)) return {"a list, or not, unlike its rows"};
  if (document.is_object()) document = json::array({std::move(document)});
  Problems problems;
  for (const json& item : document) {
    for (std::string& problem : check_members(printed_members(*operation), item)) {
      if (std::ranges::find(problems, problem) == problems.end()) {
        problems.push_back(std::move(problem));
      }
    }
  }
  return problems;
}

Problems check_members(std::span<const Member> members, const json& object) {
  return Checker(members).run(object);
}

Problems check_answer(sv method, sv path, sv body) {
  Problems least;
  bool found = false;
  for (const Group& group : groups()) {
    for (const Operation& operation : group.operations) {
      if (operation.host == Host::Local || operation.method != method) continue;
      if (operation.reply == Reply::Bytes || !operation.tool.empty()) continue;
      if (!matches(operation.path, path)) continue;
      Problems problems = check_body(operation, body);
      if (!found || problems.size() < least.size()) least = std::move(problems);
      found = true;
    }
  }
  return least;
}

}  // namespace svc::test
