// A small catalogue, for which the generated text can be written out.
#pragma once

#include <array>
#include <span>

#include "catalogue/catalogue.h"

namespace svc::test {

inline constexpr std::array<sv, 2> k_tiers = {"slow", "fast"};
inline constexpr std::array<sv, 6> k_shapes = {"circle",  "square",  "triangle",
                                               "hexagon", "octagon", "star"};
inline constexpr std::array<sv, 2> k_moods = {"calm", "wild"};

inline constexpr std::array k_make_fields = {
    Field{.flag = "text",
          .path = "text",
          .help = "What to make.",
          .positional = true,
          .common = true,
          .file_text = true},
    Field{.flag = "count",
          .path = "count",
          .kind = Kind::Integer,
          .help = "How many.",
          .common = true,
          .range = Range{1, 4, "things"},
          .fallback = "1"},
    Field{.flag = "store",
          .path = "store",
          .kind = Kind::Boolean,
          .help = "Keep it.",
          .common = true},
    Field{.flag = "tier", .path = "tier", .help = "How fast.", .choices = k_tiers},
    Field{.flag = "shape", .path = "shape", .help = "Its shape.", .choices = k_shapes},
    Field{
        .flag = "mood", .path = "mood", .help = "Its mood.", .suggests = k_moods, .max_length = 64},
    Field{.flag = "tools",
          .path = "tools",
          .kind = Kind::Json,
          .help = "Its tools.",
          .repeated = true,
          .max_count = 3},
    Field{
        .flag = "image", .path = "", .kind = Kind::Media, .in = In::Compose, .help = "A picture."},
    Field{.flag = "old-count",
          .path = "old_count",
          .kind = Kind::Integer,
          .help = "The old name of --count.",
          .range = Range{0, k_no_max},
          .status = Status::Deprecated},
    Field{.flag = "extra", .path = "extra", .help = "Nothing.", .status = Status::Ignored},
    Field{.flag = "magic", .path = "magic", .help = "Magic.", .status = Status::Unsupported},
};
inline constexpr std::array k_make_rules = {
    Rule{RuleKind::Excludes, "tier", "shape", "A shape has its own speed."}};
inline constexpr std::array k_make_examples = {
    Example{"svc things 'A thing' --tier fast", "Makes a thing quickly."}};

inline constexpr std::array k_delete_fields = {
    Field{.flag = "thing-id",
          .path = "thing_id",
          .in = In::Path,
          .help = "The id of the thing.",
          .required = true,
          .positional = true},
    Field{.flag = "reason", .path = "reason", .help = "Why it's gone.", .required = true},
};
inline constexpr std::array k_delete_examples = {
    Example{"svc things delete t1 --reason old", "Deletes a thing."}};
inline constexpr std::array k_add_fields = {
    Field{.flag = "path",
          .path = "path",
          .kind = Kind::File,
          .help = "The files.",
          .required = true,
          .repeated = true,
          .positional = true},
};
inline constexpr std::array k_add_examples = {
    Example{"svc things parts add a.txt", "Adds a part."}};

inline constexpr std::array k_things = {
    Operation{.group = "things",
              .name = "make",
              .method = "POST",
              .path = "/v1/things",
              .summary = "Make a thing.",
              .fields = k_make_fields,
              .is_default = true,
              .rules = k_make_rules,
              .examples = k_make_examples},
    Operation{.group = "things",
              .name = "delete",
              .method = "DELETE",
              .path = "/v1/things/{thing_id}",
              .summary = "Delete a thing.",
              .host = Host::Management,
              .fields = k_delete_fields,
              .source = Source::Observed,
              .ends = "A deleted thing is gone.",
              .examples = k_delete_examples},
    Operation{.group = "things",
              .name = "parts add",
              .method = "POST",
              .path = "/v1/parts",
              .summary = "Add parts.",
              .fields = k_add_fields,
              .examples = k_add_examples},
};

inline constexpr std::array k_lookup_fields = {Field{.flag = "shell",
                                                     .path = "",
                                                     .in = In::Local,
                                                     .help = "The shell.",
                                                     .required = true,
                                                     .positional = true,
                                                     .choices = k_tiers}};
inline constexpr std::array k_lookup_examples = {Example{"svc lookup fast", "Looks it up."}};
inline constexpr std::array k_lookup = {Operation{.group = "lookup",
                                                  .name = "",
                                                  .summary = "Look something up.",
                                                  .host = Host::Local,
                                                  .fields = k_lookup_fields,
                                                  .is_default = true,
                                                  .examples = k_lookup_examples}};

inline constexpr std::array k_small_catalogue = {Group{"things", "Work with things.", k_things},
                                                 Group{"lookup", "Look something up.", k_lookup}};

}  // namespace svc::test
