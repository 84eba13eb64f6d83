// The group history: conversations saved on this machine, without requests to the service.
#include "catalogue/check.h"
#include "catalogue/groups.h"
#include "catalogue/history_fields.h"
#include "catalogue/local_answers.h"

namespace svc::catalogue {
namespace history {

constexpr std::array k_list_rules = {excludes("all", "limit", "--all has no limit.")};
constexpr std::array k_export_rules = {
    either("conversation", "all", "Select conversations, or all."),
    excludes("all", "conversation", "--all takes no names.")};
constexpr std::array k_delete_rules = {
    excludes("all", "conversation", "--all takes no names."),
    excludes("all", "older-than", "--all takes no age."),
    excludes("older-than", "conversation", "Select by age or by name.")};

constexpr std::array k_examples = {
    Example{"svc history", "Lists the last twenty conversations."},
    Example{"svc history list --here --json",
            "Prints this directory's conversations with every "
            "field."},
    Example{"svc history show 12", "Shows the messages."},
    Example{"svc history show work --json", "Prints the messages as sent to the service."},
    Example{"svc history rename 12 work", "Lets `--session work` continue conversation 12."},
    Example{"svc history search rivers Norway", "Finds messages with both words."},
    Example{"svc history export work -o work.md", "Exports a conversation as Markdown."},
    Example{"svc history export --all -o history.jsonl",
            "Exports every conversation as JSON "
            "Lines."},
    Example{"svc history delete 12 work", "Deletes two conversations permanently, after asking."},
    Example{"svc history delete --older-than 30d --yes", "Deletes old conversations, in a script."},
};

constexpr std::array k_rows = {
    command("history list", "List saved conversations, newest first.", runs(Handler::HistoryList),
            config(ConfigUse::Optional), new_profile, default_verb, fields<k_list_fields>,
            rules(k_list_rules), answers(answer::local_commands::k_conversation_members)),
    command("history show", "Show a conversation.", runs(Handler::HistoryShow),
            config(ConfigUse::Optional), new_profile, fields<k_show_fields>, one_document,
            answers(answer::local_commands::k_whole_conversation)),
    command("history rename", "Name a conversation.", runs(Handler::HistoryRename),
            config(ConfigUse::Optional), new_profile, fields<k_rename_fields>),
    command("history search", "Search the names and messages of saved conversations.",
            runs(Handler::HistorySearch), config(ConfigUse::Optional), new_profile,
            fields<k_search_fields_of_history>, answers(answer::local_commands::k_found_message)),
    command("history export", "Export conversations.", runs(Handler::HistoryExport),
            config(ConfigUse::Optional), new_profile, fields<k_export_fields>,
            rules(k_export_rules), one_document,
            answers(answer::local_commands::k_whole_conversation)),
    command("history delete", "Delete conversations permanently.", runs(Handler::HistoryDelete),
            config(ConfigUse::Optional), new_profile,
            ends("Deleted conversations cannot be restored."), fields<k_delete_fields>,
            rules(k_delete_rules)),
};
constexpr auto k_operations = checked(k_rows, k_examples);

}  // namespace history

constinit const std::span<const Operation> k_history_operations = history::k_operations;

}  // namespace svc::catalogue
