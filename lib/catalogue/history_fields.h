// The fields of the group history.
#pragma once

#include <array>

#include "catalogue/builders.h"

namespace svc::catalogue::history {

inline constexpr Field k_conversation_field =
    text("conversation", "Number or name, as shown by `svc history`.", local, positional, common,
         example("12"), completes("conversations"));
inline constexpr Field k_every_field =
    boolean("all", "Select every conversation.", local, plain_switch, common);
inline constexpr Field k_max_field =
    integer("limit", "Show at most N conversations.", local, common, letter('n'),
            at_least(1, "items"), fallback("20"), example("50"));

inline constexpr std::array k_list_fields = {
    k_max_field,
    boolean("all", "Show every conversation.", local, plain_switch, common),
    boolean("here", "Show only conversations started in this directory.", local, plain_switch,
            common),
};
inline constexpr std::array k_show_fields = {with(k_conversation_field, required)};
inline constexpr std::array k_rename_fields = {
    with(k_conversation_field, required),
    text("new-name", "New name; an empty one removes it.", local, required, positional, common,
         example("work"))};
inline constexpr std::array k_search_fields_of_history = {
    text("text", "Words that must all occur in a message; ignores case and accents.", local,
         required, positional, repeated, common, example("rivers Norway")),
    k_max_field,
};
inline constexpr std::array<sv, 3> k_export_forms = {"md", "json", "jsonl"};
inline constexpr std::array k_choice_fields = {
    with(k_conversation_field, repeated),
    k_every_field,
};
inline constexpr std::array k_export_fields = {
    k_choice_fields[0],
    k_choice_fields[1],
    text("as", "Markdown, one JSON array, or a JSON object per line.", local, common,
         choices(k_export_forms), fallback("from --output's extension, or md"), example("json")),
};
inline constexpr std::array k_delete_fields = {
    with(k_conversation_field, repeated),
    duration("older-than", "Select conversations inactive for this long.", local, common,
             example("30d")),
    k_every_field,
};

}  // namespace svc::catalogue::history
