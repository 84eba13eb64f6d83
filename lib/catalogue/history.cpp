// history: conversations that are kept on this machine; no operation of the service.
#include "catalogue/check.h"
#include "catalogue/groups.h"

namespace svc::catalogue {
namespace {

constexpr Field conversation_field(bool required, bool repeated) {
  return Field{.flag = "conversation",
               .in = In::Local,
               .help = "Number or name, as shown by `svc history`.",
               .required = required,
               .repeated = repeated,
               .positional = true,
               .common = true,
               .example = "12",
               .completes = "conversations"};
}
constexpr Field k_every_field{.flag = "all",
                              .kind = Kind::Boolean,
                              .in = In::Local,
                              .help = "Select every conversation.",
                              .common = true};
constexpr Field k_most_field{.flag = "limit",
                             .kind = Kind::Integer,
                             .in = In::Local,
                             .help = "Show at most N conversations.",
                             .letter = 'n',
                             .common = true,
                             .range = Range{1, k_no_max, "items"},
                             .fallback = "20",
                             .example = "50"};

constexpr std::array k_list_fields = {
    k_most_field,
    Field{.flag = "all",
          .kind = Kind::Boolean,
          .in = In::Local,
          .help = "Show every conversation.",
          .common = true},
    Field{.flag = "here",
          .kind = Kind::Boolean,
          .in = In::Local,
          .help = "Show those started in this directory.",
          .common = true},
};
constexpr std::array k_list_rules = {
    Rule{RuleKind::Excludes, "all", "limit", "--all has no limit."}};
constexpr std::array k_show_fields = {conversation_field(true, false)};
constexpr std::array k_rename_fields = {conversation_field(true, false),
                                        Field{.flag = "new-name",
                                              .in = In::Local,
                                              .help = "New name; an empty one removes it.",
                                              .required = true,
                                              .positional = true,
                                              .common = true,
                                              .example = "work"}};
constexpr std::array k_search_fields_of_history = {
    Field{.flag = "text",
          .in = In::Local,
          .help = "Words that must all occur in a message; ignores case and accents.",
          .required = true,
          .repeated = true,
          .positional = true,
          .common = true,
          .example = "rivers Norway"},
    k_most_field,
};
constexpr std::array<sv, 3> k_export_forms = {"md", "json", "jsonl"};
constexpr std::array k_export_fields = {
    conversation_field(false, true),
    k_every_field,
    Field{.flag = "as",
          .in = In::Local,
          .help = "Markdown, one JSON array, or a JSON object per line.",
          .common = true,
          .choices = k_export_forms,
          .fallback = "from --output's extension, or md",
          .example = "json"},
};
constexpr std::array k_export_rules = {
    Rule{RuleKind::Either, "conversation", "all", "Name conversations, or select all."},
    Rule{RuleKind::Excludes, "all", "conversation", "--all takes no names."}};
constexpr std::array k_delete_fields = {
    conversation_field(false, true),
    Field{.flag = "older-than",
          .kind = Kind::Duration,
          .in = In::Local,
          .help = "Select those inactive for this long.",
          .common = true,
          .example = "30d"},
    k_every_field,
};
constexpr std::array k_delete_rules = {
    Rule{RuleKind::Excludes, "all", "conversation", "--all takes no names."},
    Rule{RuleKind::Excludes, "all", "older-than", "--all takes no age."},
    Rule{RuleKind::Excludes, "older-than", "conversation", "Select by age or by name."}};

constexpr std::array k_list_columns = {
    Column{"ID", "id"},
    Column{"NAME", "name"},
    Column{"LAST USED", "updated", Cell::UnixTime},
    Column{"TITLE", "title"},
    Column{"TURNS", "turns", Cell::Count},
    Column{"COST", "cost_in_usd_ticks", Cell::Cost},
    Column{"MODEL", "model"},
    Column{"FOLDER", "folder"},
};

constexpr std::array k_list_examples = {
    Example{"svc history", "Lists the last twenty conversations."},
    Example{"svc history list --here --json", "Prints those of this directory with every field."}};
constexpr std::array k_show_examples = {
    Example{"svc history show 12", "Shows the messages."},
    Example{"svc history show work --json", "Prints the messages as sent to the service."}};
constexpr std::array k_rename_examples = {
    Example{"svc history rename 12 work", "Lets `--session work` continue conversation 12."}};
constexpr std::array k_search_examples = {
    Example{"svc history search rivers Norway", "Finds messages with both words."}};
constexpr std::array k_export_examples = {
    Example{"svc history export work -o work.md", "Exports a conversation as Markdown."},
    Example{"svc history export --all -o history.jsonl", "Exports all of them as JSON Lines."}};
constexpr std::array k_delete_examples = {
    Example{"svc history delete 12 work", "Deletes two conversations permanently, after asking."},
    Example{"svc history delete --older-than 30d --yes",
            "Deletes old conversations, in a script."}};

constexpr Operation row(sv name, sv summary, std::span<const Field> fields,
                        std::span<const Example> examples, std::span<const Rule> rules = {}) {
  return Operation{.group = "history",
                   .name = name,
                   .summary = summary,
                   .host = Host::Local,
                   .fields = fields,
                   .rules = rules,
                   .examples = examples};
}

constexpr Operation list() {
  Operation o = row("list", "List saved conversations, newest first.", resolved<k_list_fields>,
                    k_list_examples, k_list_rules);
  o.is_default = true;
  o.columns = k_list_columns;
  return o;
}

constexpr Operation delete_them() {
  Operation o = row("delete", "Delete conversations permanently.", resolved<k_delete_fields>,
                    k_delete_examples, k_delete_rules);
  o.destructive = true;
  return o;
}

constexpr std::array k_operations = {
    list(),
    row("show", "Show a conversation.", resolved<k_show_fields>, k_show_examples),
    row("rename", "Name a conversation.", resolved<k_rename_fields>, k_rename_examples),
    row("search", "Search saved conversations.", resolved<k_search_fields_of_history>,
        k_search_examples),
    row("export", "Export conversations.", resolved<k_export_fields>, k_export_examples,
        k_export_rules),
    delete_them()};
static_assert(check_operations(k_operations));

}  // namespace

std::span<const Operation> history_operations() {
  return k_operations;
}

}  // namespace svc::catalogue
