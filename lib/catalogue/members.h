// The members of an answer, with nested shapes opened.
#pragma once

#include <span>
#include <string>
#include <vector>

#include "catalogue/model.h"

namespace svc {

/// A member with its whole path: "choices[].message.content". A wrapper that the service may leave
/// out stands in parentheses: "(phone_number).name".
struct OpenMember {
  std::string path;
  const Member* member;
  Show show;     ///< the least visible of its own and of the shapes around it
  sv variant{};  ///< of the union that it is in, the innermost one: the value of the tag
};

/// Returns all members, those of shapes at their whole paths, in the order of the rows. A member
/// with a shape precedes the shape's members. Of unions, the common members and each variant's.
/// With `below`, only those below that path, relative to it: "data[]" for the items of a list.
[[nodiscard]] std::vector<OpenMember> open_members(std::span<const Member> members, sv below = {});

/// Returns the path as JSON has it: without the parentheses of wrappers.
[[nodiscard]] std::string plain_path(sv path);

/// Returns the path without `prefix`, "data[].", with which each of its alternatives begins.
[[nodiscard]] std::string path_below(sv path, sv prefix);

/// Returns the member's name in text: its label, or the words of the last part of its path:
/// "Created at" for "created_at", "Last used" for "lastUsed[]", "ID" for "id".
[[nodiscard]] std::string label_of(const Member& member);

}  // namespace svc
