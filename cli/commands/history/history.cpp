// `svc history`: the conversations saved on this machine.
#include <algorithm>
#include <filesystem>
#include <set>
#include <string>
#include <vector>

#include <fmt/format.h>
#include <fmt/ranges.h>
#include <nlohmann/json.hpp>

#include "base/clock.h"
#include "base/counted.h"
#include "base/money.h"
#include "base/text.h"
#include "catalogue/history_fields.h"
#include "commands/command.h"
#include "conversation/find_conversations.h"
#include "conversation/saved_conversation.h"
#include "conversation/transcript.h"
#include "history/conversations.h"
#include "history/message_text.h"
#include "json/document.h"
#include "operation/answer_printer.h"
#include "operation/results.h"
#include "operation/runner.h"

namespace svc::cli {
namespace {

using HistoryExportFlags = Flags<catalogue::history::k_export_fields>;

// Formats a saved conversation as JSON, Markdown or text.

using history::Conversation;
using history::Conversations;
using history::SavedMessage;

std::string heading_of(const Conversation& conversation) {
  if (!conversation.name.empty()) return conversation.name;
  return conversation.title.empty() ? fmt::format("Conversation {}", conversation.id)
                                    : conversation.title;
}

std::string facts_of(const Conversation& conversation) {
  return fmt::format("svc {}, {}, {} to {}, {}, {}", conversation.operation,
                     conversation.model.empty() ? "no model" : conversation.model,
                     format_rfc3339(conversation.created), format_rfc3339(conversation.updated),
                     counted(conversation.turns, "turn", "turns"),
                     format_cost(conversation.cost_ticks));
}

/// The conversation's metadata, as `svc history list --json` prints it.
OrderedJson conversation_json(const Conversation& conversation) {
  return OrderedJson{{"id", conversation.id},
                     {"name", text_or_null(conversation.name)},
                     {"command", conversation.operation},
                     {"profile", conversation.profile},
                     {"model", text_or_null(conversation.model)},
                     {"directory", conversation.directory},
                     {"created", conversation.created},
                     {"updated", conversation.updated},
                     {"turns", conversation.turns},
                     {"cost_in_usd_ticks", conversation.cost_ticks},
                     {"response_id", text_or_null(conversation.response_id)},
                     {"title", conversation.title}};
}

/// The whole conversation, with its messages exactly as sent and received.
OrderedJson conversation_document(const Conversation& conversation,
                                  const std::vector<SavedMessage>& messages) {
  OrderedJson document = conversation_json(conversation);
  document["system"] = text_or_null(conversation.system);
  OrderedJson& all = document["messages"] = OrderedJson::array();
  for (const SavedMessage& message : messages) {
    OrderedJson said = OrderedJson::parse(message.json, nullptr, false);
    if (said.is_discarded()) said = message.json;
    all.push_back({{"turn", message.turn}, {"time", message.time}, {"message", std::move(said)}});
  }
  return document;
}

/// The messages with their roles, below a heading and a line of metadata.
std::string conversation_text(const Conversation& conversation,
                              const std::vector<SavedMessage>& messages, bool markdown) {
  std::string text = fmt::format("{}{}\n{}{}\n", markdown ? "# " : "", heading_of(conversation),
                                 markdown ? "\n" : "", facts_of(conversation));
  const auto add = [&](const history::MessageText& said) {
    if (said.text.empty()) return;
    text += markdown ? fmt::format("\n## {}\n\n{}\n", said.role, closed_markdown(said.text))
                     : fmt::format("\n{}: {}\n", said.role, said.text);
  };
  add({"system", conversation.system});
  for (const SavedMessage& message : messages) add(history::read_message_text(message.json));
  return text;
}

/// Opens the file if it exists; reading commands never create it.
Result<std::optional<Conversations>> open_history() {
  std::error_code failed;
  const std::string path = history::conversations_path();
  if (path.empty() || !std::filesystem::exists(path, failed)) {
    return std::optional<Conversations>();
  }
  SVC_TRY(store, Conversations::open(path));
  return std::optional<Conversations>(std::move(store));
}

Error unknown_conversation(const std::string& name) {
  return Error{Fault::NotFound, fmt::format("unknown saved conversation '{}'", shown(name)),
               "`svc history` lists saved conversations."};
}

Result<Conversation> find_conversation(std::optional<Conversations>& store,
                                       const std::string& name) {
  if (!store) return unknown_conversation(name);
  const auto id = parse_integer(name);
  SVC_TRY(found, id ? store->find(*id) : store->by_name(name));
  if (!found) return unknown_conversation(name);
  return *std::move(found);
}

/// Collects the IDs of the service's files that messages refer to.
Result<void> add_named_files(Conversations& store, const Conversation& one,
                             std::set<std::string>& files) {
  constexpr sv k_member = "\"file_id\":\"";
  SVC_TRY(messages, store.messages(one));
  for (const history::SavedMessage& message : messages) {
    const std::string& text = message.json;
    for (std::size_t at = text.find(k_member); at != sv::npos; at = text.find(k_member, at)) {
      at += k_member.size();
      files.insert(text.substr(at, text.find('"', at) - at));
    }
  }
  return {};
}

/// The files may be used elsewhere, so they are not deleted.
void print_files(Session& session, const std::set<std::string>& files) {
  if (files.empty()) return;
  session.notices().note(fmt::format(
      "attached files stay on the service until they expire; delete them with: svc files delete {}",
      visible(fmt::to_string(fmt::join(files, " ")), Lines::Escape)));
}

/// The conversations that the arguments select, or all.
Result<std::vector<Conversation>> chosen_conversations(
    std::optional<Conversations>& store, const Flags<catalogue::history::k_choice_fields>& flags) {
  std::vector<Conversation> found;
  if (flags.is_true<"all">()) return store ? store->list() : found;
  for (const std::string& name : flags.get<"conversation">()) {
    SVC_TRY(one, find_conversation(store, name));
    found.push_back(std::move(one));
  }
  return found;
}

constexpr std::int64_t k_default_limit = 20;

// search ------------------------------------------------------------------------------------------

/// The matching words are bold, if color is on.
std::string shown_snippet(sv snippet, bool color) {
  std::string text;
  while (!snippet.empty()) {
    const std::size_t mark = std::min(snippet.find_first_of("\x01\x02"), snippet.size());
    text += visible(snippet.substr(0, mark), Lines::Escape);
    if (mark < snippet.size() && color) {
      text += snippet[mark] == history::k_found ? "\x1b[1m" : "\x1b[0m";
    }
    snippet.remove_prefix(std::min(mark + 1, snippet.size()));
  }
  return text;
}

/// Conversations whose names contain all words.
Result<std::vector<history::Hit>> named(Conversations& store, const std::string& words) {
  std::vector<history::Hit> hits;
  SVC_TRY(all, store.list());
  for (Conversation& one : all) {
    auto snippet = marked_words(one.name, words);
    if (!snippet) continue;
    const std::int64_t time = one.updated;
    hits.push_back({std::move(one), 0, time, "name", *std::move(snippet)});
  }
  return hits;
}

OrderedJson hit_json(const history::Hit& hit) {
  OrderedJson row = conversation_json(hit.in);
  std::string plain = hit.snippet;
  std::erase_if(plain, [](char c) { return c == history::k_found || c == history::k_end; });
  row["time"] = hit.time;
  row["turn"] = hit.turn > 0 ? OrderedJson(hit.turn) : OrderedJson();
  row["role"] = hit.role;
  row["snippet"] = std::move(plain);
  return row;
}

// export ------------------------------------------------------------------------------------------

/// The format set by --as or --format.
std::string export_form(const Session& session) {
  if (session.format() == Format::Json) return "json";
  if (session.format() == Format::Jsonl) return "jsonl";
  if (const auto form = HistoryExportFlags(session.inputs()).get<"as">()) return *form;
  return "md";
}

Result<void> write_exported(Session& session, const std::string& form, const Conversation& one,
                            const std::vector<history::SavedMessage>& messages, bool first) {
  if (form == "md") {
    const std::string text = conversation_text(one, messages, true);
    return session.write_foreign(first ? text : "\n" + text);
  }
  const std::string text = compact_json(conversation_document(one, messages));
  if (form == "jsonl") {
    return session.globals().jq ? session.write_document(text) : session.write_foreign(text + "\n");
  }
  return session.write_foreign((first ? "[\n" : ",\n") + text);
}

}  // namespace

template <>
Result<void> run<Handler::HistoryList>(Session& session) {
  const Flags<catalogue::history::k_list_fields> flags(session.inputs());
  SVC_TRY(store, open_history());
  std::vector<Conversation> all;
  const bool here = flags.is_true<"here">();
  const std::int64_t most =
      flags.is_true<"all">() ? 0 : flags.get<"limit">().value_or(k_default_limit);
  if (store) {
    SVC_TRY(found, store->list(here ? 0 : most));
    all = std::move(found);
  }
  if (here) {
    std::error_code failed;
    const std::string directory = std::filesystem::current_path(failed).string();
    std::erase_if(all, [&](const Conversation& one) { return one.directory != directory; });
    if (most > 0) all.resize(std::min(all.size(), static_cast<std::size_t>(most)));
  }
  OrderedJson rows = OrderedJson::array();
  for (const Conversation& one : all) rows.push_back(conversation_json(one));
  if (all.empty() && session.format() == Format::Text) {
    session.notices().note("no saved conversations");
    return {};
  }
  return print_list(session, rows);
}

template <>
Result<void> run<Handler::HistoryShow>(Session& session) {
  const Flags<catalogue::history::k_show_fields> flags(session.inputs());
  SVC_TRY(store, open_history());
  SVC_TRY(one, find_conversation(store, flags.text<"conversation">()));
  SVC_TRY(messages, store->messages(one));
  if (session.format() == Format::Text) {
    return show_document(session, conversation_text(one, messages, renders(session)));
  }
  return session.write_document(compact_json(conversation_document(one, messages)));
}

template <>
Result<void> run<Handler::HistoryRename>(Session& session) {
  const Flags<catalogue::history::k_rename_fields> flags(session.inputs());
  SVC_TRY(store, open_history());
  SVC_TRY(one, find_conversation(store, flags.text<"conversation">()));
  const std::string name = flags.text<"new-name">();
  if (!name.empty() && !check_session_name(name)) {
    return usage_error(fmt::format("invalid conversation name '{}'", shown(name)),
                       "A name has at most 64 characters and cannot be a number.");
  }
  SVC_CHECK(store->rename(one, name));
  session.notices().note(name.empty() ? fmt::format("removed the name of conversation {}", one.id)
                                      : fmt::format("renamed conversation {} to '{}'", one.id,
                                                    visible(name, Lines::Escape)));
  return {};
}

template <>
Result<void> run<Handler::HistorySearch>(Session& session) {
  const Flags<catalogue::history::k_search_fields_of_history> flags(session.inputs());
  SVC_TRY(store, open_history());
  std::vector<history::Hit> hits;
  if (store) {
    const std::string words = join(flags.get<"text">(), " ");
    const std::int64_t most = flags.get<"limit">().value_or(k_default_limit);
    SVC_TRY(names, named(*store, words));
    SVC_TRY(messages, store->search(words, most));
    hits = std::move(names);
    hits.insert(hits.end(), std::make_move_iterator(messages.begin()),
                std::make_move_iterator(messages.end()));
    if (most > 0) hits.resize(std::min(hits.size(), static_cast<std::size_t>(most)));
  }
  const bool table = session.globals().columns || session.globals().separator != '\0';
  if (session.format() != Format::Text || table) {
    OrderedJson rows = OrderedJson::array();
    for (const history::Hit& hit : hits) rows.push_back(hit_json(hit));
    return print_list(session, rows);
  }
  for (const history::Hit& hit : hits) {
    SVC_CHECK(session.out().write(fmt::format(
        "{}\t{}\t{}\t{}\n",
        hit.in.name.empty() ? std::to_string(hit.in.id) : visible(hit.in.name, Lines::Escape),
        format_rfc3339(hit.time), visible(hit.role, Lines::Escape),
        shown_snippet(hit.snippet, session.out().terminal().color))));
  }
  if (hits.empty()) session.notices().note("no name or message contains all of these words");
  return {};
}

template <>
Result<void> run<Handler::HistoryExport>(Session& session) {
  const HistoryExportFlags flags(session.inputs());
  SVC_TRY(store, open_history());
  SVC_TRY(all, chosen_conversations(store, flags));
  const std::string form = export_form(session);
  bool first = true;
  if (form == "json" && session.globals().jq) {
    auto document = OrderedJson::array();
    for (const Conversation& one : all) {
      SVC_TRY(messages, store->messages(one));
      document.push_back(conversation_document(one, messages));
    }
    return session.write_document(compact_json(document));
  }
  for (const Conversation& one : all) {
    SVC_TRY(messages, store->messages(one));
    SVC_CHECK(write_exported(session, form, one, messages, first));
    first = false;
  }
  if (form != "json") return {};
  return session.write_foreign(first ? "[]\n" : "\n]\n");
}

template <>
Result<void> run<Handler::HistoryDelete>(Session& session) {
  const Flags<catalogue::history::k_delete_fields> flags(session.inputs());
  SVC_TRY(store, open_history());
  SVC_TRY(all, chosen_conversations(store, flags));
  const auto age = flags.get<"older-than">();
  if (age && store) {
    const auto seconds = std::chrono::floor<std::chrono::seconds>(*age).count();
    SVC_TRY(old, store->older_than(unix_now() - seconds));
    all = std::move(old);
  }
  if (all.empty() && !age && !flags.is_true<"all">()) {
    return usage_error("no conversations given",
                       "Pass their IDs or names, or use --older-than 30d or --all.");
  }
  std::vector<std::int64_t> ids;
  std::set<std::string> files;
  for (const Conversation& one : all) {
    ids.push_back(one.id);
    SVC_CHECK(add_named_files(*store, one, files));
  }
  if (ids.empty()) {
    session.notices().note("nothing to delete");
    return {};
  }
  std::string which = fmt::format("{} conversations", ids.size());
  if (ids.size() == 1) {
    which = fmt::format("conversation {} (\"{}\")", conversation_label(all.front()),
                        visible(all.front().title, Lines::Escape));
  }
  SVC_TRY(agreed, session.confirm(fmt::format("Delete {} permanently?", which)));
  if (!agreed) return usage_error("not confirmed; nothing was done");
  SVC_TRY(removed, store->remove(ids));
  session.notices().note(
      fmt::format("{} deleted", counted(removed, "conversation was", "conversations were")));
  print_files(session, files);
  return {};
}

}  // namespace svc::cli
