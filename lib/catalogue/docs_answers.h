// The answers of the group docs: results of tools.
#pragma once

#include "catalogue/answer_builders.h"

namespace svc::catalogue::answer::docs {

inline constexpr std::array<sv, 3> k_types = {"text", "resource", "resource_link"};
inline constexpr std::array k_part_members = {
    text("type", "text, or another kind of part.", choices(k_types), required),
    text("text", "A part of the page or of the list, in Markdown."),
    text("resource.text", "The same, in a resource.", label("Resource text")),
    url("resource.uri", "URI of the resource.", label("Resource URI")),
    url("uri", "URI of a linked resource.", label("Linked URI")),
};
inline constexpr Shape k_part{"ToolContent", k_part_members};
inline constexpr std::array k_members = {
    list("content[]", k_part, "Parts of the page or of the list.", required),
    boolean("isError", "Whether the content describes an error."),
    json("structuredContent", "The same as an object."),
};

}  // namespace svc::catalogue::answer::docs
