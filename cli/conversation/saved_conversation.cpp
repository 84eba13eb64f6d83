#include "conversation/saved_conversation.h"

#include <algorithm>
#include <filesystem>

#include <fmt/format.h>

#include "base/clock.h"
#include "base/counted.h"
#include "base/digest.h"
#include "base/text.h"
#include "catalogue/chat_fields.h"
#include "catalogue/responses_fields.h"
#include "conversation/find_conversations.h"
#include "history/message_text.h"
#include "history/tty_id.h"
#include "request/convert.h"

namespace svc::cli {
namespace {

using ChatFlags = Flags<catalogue::chat::k_create_fields>;
using ResponseFlags = Flags<catalogue::responses::k_create_fields>;
using ModelFlag = Flags<catalogue::k_model_fields>;

using history::Conversation;

constexpr std::size_t k_max_session_name = 64;

std::string printable(sv text) {
  return visible(text, Lines::Escape);
}

bool file_exists(const std::string& path) {
  std::error_code failed;
  return !path.empty() && std::filesystem::exists(path, failed);
}

std::string current_directory_name() {
  std::error_code failed;
  const auto directory = std::filesystem::current_path(failed);
  return failed ? std::string() : directory.string();
}

Error nothing_to_continue(const std::string& group) {
  return usage_error(
      fmt::format("no saved conversation of `svc {}` to continue for this terminal or directory",
                  group),
      "`svc history` lists saved conversations; --session NAME starts one with a name.");
}

std::string session_name_rule() {
  return fmt::format("--session must be a name of at most {} characters and not a number",
                     k_max_session_name);
}

Error not_saved(const std::string& which) {
  const bool number = parse_integer(which).has_value();
  return Error{
      Fault::NotFound, fmt::format("unknown saved conversation '{}'", shown(which)),
      fmt::format("`svc history` lists saved conversations.{}",
                  number ? fmt::format(" To start one, {}.", session_name_rule()) : std::string())};
}

/// Whether the service rejected a file of the conversation: it was deleted or has expired.
bool is_missing_file(const Error& error, const request::PriorTurns& thread) {
  if (error.cause != Cause::MissingFile) return false;
  const std::string quoted = '"' + error.subject + '"';
  return std::any_of(thread.messages.begin(), thread.messages.end(),
                     [&](const std::string& one) { return one.find(quoted) != std::string::npos; });
}

/// With a key of its own, the service sends the turns of a conversation to where the beginning is
/// cached. It is derived from what never changes, so that each process sends the same one.
void add_cache_key(const Operation& operation, const Conversation& facts, request::Inputs& inputs) {
  const Field* field = find_field(operation, ChatFlags::k_name<"prompt-cache-key">);
  const bool set = std::any_of(inputs.sets.begin(), inputs.sets.end(), [](const std::string& one) {
    return one.starts_with("prompt_cache_key=");
  });
  if (field == nullptr || set || inputs.body || request::text_given(inputs, field->flag)) return;
  const std::string key = sha256(fmt::format("{}\n{}\n{}\n{}", facts.created, facts.operation,
                                             facts.profile, facts.directory));
  inputs.given.push_back({.field = field, .text = key.substr(0, 32), .literal = true});
}

}  // namespace

const Field* system_field(const Operation& operation) {
  const Field* field = find_field(operation, ChatFlags::k_name<"system">);
  return field != nullptr ? field : find_field(operation, ResponseFlags::k_name<"instructions">);
}

Result<std::optional<std::string>> given_system(const Operation& operation,
                                                const request::Inputs& inputs) {
  const Field* field = system_field(operation);
  const auto given = field != nullptr ? request::last_given(inputs, field->flag) : std::nullopt;
  if (!given) return std::optional<std::string>();
  SVC_TRY(text, request::resolve_text(fmt::format("--{}", field->flag), *given));
  return std::optional(std::move(text));
}

Result<void> check_session_name(const std::string& name) {
  if (!name.empty() && !parse_integer(name) && name.front() != '-' &&
      count_code_points(name) <= k_max_session_name && printable(name) == name) {
    return {};
  }
  return usage_error(fmt::format("{}, not '{}'", session_name_rule(), printable(excerpt(name))));
}

history::Turn saved_turn(const TurnResult& result) {
  history::Turn turn{.messages = result.messages, .response_id = result.response_id};
  if (result.usage) {
    turn.input_tokens = result.usage->input_tokens;
    turn.output_tokens = result.usage->output_tokens;
    turn.cost_ticks = result.usage->cost_ticks;
  }
  return turn;
}

std::string conversation_label(const Conversation& conversation) {
  return conversation.name.empty() ? std::to_string(conversation.id)
                                   : fmt::format("'{}'", printable(conversation.name));
}

std::string ago(std::int64_t time) {
  const std::int64_t seconds = std::max<std::int64_t>(unix_now() - time, 0);
  if (seconds < 120) return "just now";
  if (seconds < 7200) return fmt::format("{} minutes ago", seconds / 60);
  if (seconds < 172'800) return fmt::format("{} hours ago", seconds / 3600);
  return fmt::format("{} days ago", seconds / 86'400);
}

Result<SavedConversation> SavedConversation::open(Session& session, ConversationKind kind) {
  const Invocation& invocation = session.invocation();
  const Flags<catalogue::k_conversation_fields> flags(session.inputs());
  std::optional<std::string> name = flags.get<"session">();
  const std::optional<bool> save = flags.get<"save">();
  std::optional<std::string> goes_on = flags.get<"continue">();
  if (goes_on == "false") goes_on.reset();
  if (name && goes_on) {
    return usage_error("--continue and --session cannot be combined",
                       "Each selects a conversation.");
  }
  if (goes_on && *goes_on != "true") name = goes_on;
  if (name && !parse_integer(*name)) SVC_CHECK(check_session_name(*name));
  SavedConversation saved(session);
  const bool asked = name || goes_on || save == true;
  // A single prompt needs no access to the saved conversations.
  if (!asked && kind == ConversationKind::OneShot) return saved;
  saved.m_facts.operation = invocation.operation->group;
  saved.m_facts.profile = session.settings().profile.value;
  saved.m_facts.model =
      ModelFlag(session.inputs()).get<"model">().value_or(session.settings().model.value);
  if (saved.m_facts.model.empty()) saved.m_facts.model = invocation.operation->default_model;
  saved.m_facts.directory = current_directory_name();
  saved.m_facts.terminal = history::tty_id();
  saved.m_facts.created = unix_now();
  const bool allowed = save.value_or(session.settings().history.value != "false");
  saved.m_keeps = allowed && (asked || kind == ConversationKind::Conversation);
  if (name) SVC_CHECK(saved.find(*name, goes_on.has_value()));
  if (goes_on && !name) SVC_CHECK(saved.find_last());
  if (asked || saved.m_keeps) SVC_CHECK(saved.read_system());
  return saved;
}

/// A number is one that `svc history` lists; it cannot start a new conversation.
Result<void> SavedConversation::find(const std::string& name, bool must_exist) {
  const auto id = parse_integer(name);
  must_exist = must_exist || id;
  if (!id) m_facts.name = name;
  if (!file_exists(history::conversations_path()))
    return must_exist ? not_saved(name) : Result<void>();
  SVC_CHECK(open_store());
  SVC_TRY(found, id ? m_destination->find(*id) : m_destination->by_name(name));
  if (!found && must_exist) return not_saved(name);
  return found ? load(*std::move(found)) : Result<void>();
}

Result<void> SavedConversation::resume(const std::string& which) {
  SavedConversation other(*m_session);
  other.m_facts = m_facts;
  SVC_CHECK(other.find(which, true));
  m_destination = std::move(other.m_destination);
  m_facts = std::move(other.m_facts);
  m_turns = std::move(other.m_turns);
  m_earlier = other.m_earlier;
  return {};
}

Result<std::vector<Conversation>> SavedConversation::others() {
  std::vector<Conversation> found;
  if (!file_exists(history::conversations_path())) return found;
  SVC_CHECK(open_store());
  SVC_TRY(all, m_destination->list());
  for (Conversation& one : all) {
    const bool fits = one.operation == m_facts.operation && one.profile == m_facts.profile;
    if (fits && one.id != m_facts.id) found.push_back(std::move(one));
  }
  return found;
}

std::vector<std::int64_t> SavedConversation::containing(const std::string& word) {
  if (!m_destination) return {};
  // Without the content, names are still found.
  auto ids = m_destination->containing(word);
  return ids ? *std::move(ids) : std::vector<std::int64_t>();
}

std::string SavedConversation::excerpt_at(const history::Conversation& other,
                                          const std::string& word) {
  if (!m_destination) return {};
  const auto messages = m_destination->messages(other);
  if (!messages) return {};
  for (const history::SavedMessage& message : *messages) {
    const auto found = cli::excerpt_at(history::read_message_text(message.json).text, word);
    if (found) return *found;
  }
  return {};
}

Result<void> SavedConversation::find_last() {
  if (!file_exists(history::conversations_path())) return nothing_to_continue(m_facts.operation);
  SVC_CHECK(open_store());
  SVC_TRY(latest,
          m_destination->latest_on_terminal(m_facts.terminal, m_facts.operation, m_facts.profile));
  if (latest) return load(*std::move(latest));
  SVC_TRY(here, m_destination->latest_in_directory(m_facts.directory, m_facts.operation,
                                                   m_facts.profile));
  if (!here) return nothing_to_continue(m_facts.operation);
  // It is another terminal's conversation, so the note says what the model will remember.
  m_session->notices().note(fmt::format(
      "continuing conversation {} of this directory: \"{}\" ({}, {})", conversation_label(*here),
      printable(here->title), counted(here->turns, "turn", "turns"), ago(here->updated)));
  return load(*std::move(here));
}

Result<void> SavedConversation::load(Conversation found) {
  if (found.operation != m_facts.operation) {
    return usage_error(fmt::format("{} is a conversation of `svc {}`", conversation_label(found),
                                   printable(found.operation)),
                       fmt::format("Continue it there, or choose another name for this one."));
  }
  if (found.profile != m_facts.profile) {
    return usage_error(fmt::format("{} belongs to profile {} and cannot be sent to another service",
                                   conversation_label(found), printable(found.profile)),
                       fmt::format("Add -p {} to continue it, or choose another name for this one.",
                                   printable(found.profile)));
  }
  SVC_TRY(messages, m_destination->messages(found));
  for (history::SavedMessage& message : messages) {
    if (static_cast<std::int64_t>(m_turns.size()) < message.turn) {
      m_turns.resize(static_cast<std::size_t>(message.turn));
    }
    history::Turn& turn = m_turns[static_cast<std::size_t>(message.turn - 1)];
    turn.model = std::move(message.model);
    turn.response_id = std::move(message.response_id);
    turn.messages.push_back(std::move(message.json));
  }
  if (!found.model.empty() && !ModelFlag(m_session->inputs()).get<"model">()) {
    m_session->use(&Settings::model, {found.model, Origin::Lookup,
                                      fmt::format("conversation {}", conversation_label(found))});
  } else {
    found.model = m_facts.model;
  }
  SVC_TRY(sum, m_destination->sum(found));
  m_earlier = Usage{.input_tokens = sum.input_tokens,
                    .output_tokens = sum.output_tokens,
                    .cost_ticks = sum.cost_ticks};
  found.terminal = m_facts.terminal;
  m_facts = std::move(found);
  return {};
}

Result<void> SavedConversation::open_store() {
  if (m_destination) return {};
  const std::string path = history::conversations_path();
  if (path.empty()) return Error{Fault::Local, "neither XDG_STATE_HOME nor HOME is set"};
  SVC_TRY(store, history::Conversations::open(path));
  m_destination.emplace(std::move(store));
  return {};
}

void SavedConversation::note_first_use() {
  const std::string path = history::conversations_path();
  if (!m_keeps || m_first_use_told || path.empty() || file_exists(path)) return;
  m_first_use_told = true;
  m_session->notices().note(
      fmt::format("conversations are saved in {}; --no-save skips one, `svc config set history "
                  "false` disables saving",
                  printable(path)));
}

void SavedConversation::give_up(const Error& why) {
  m_keeps = false;
  m_session->notices().warning(
      fmt::format("this conversation continues, but is not saved: {}", why.message));
}

void SavedConversation::note_branch(history::SaveOutcome saved) {
  if (saved == history::SaveOutcome::InPlace) return;
  m_session->notices().warning(
      fmt::format("another svc process continued this conversation; yours is saved as {}",
                  conversation_label(m_facts)));
}

request::Inputs SavedConversation::inputs() const {
  const Invocation& invocation = m_session->invocation();
  request::Inputs inputs = invocation.inputs;
  if (m_keeps || m_facts.id != 0) add_cache_key(*invocation.operation, m_facts, inputs);
  const Field* field = system_field(*invocation.operation);
  if (m_facts.system.empty() || field == nullptr || request::text_given(inputs, field->flag))
    return inputs;
  inputs.given.push_back({.field = field, .text = m_facts.system, .literal = true});
  return inputs;
}

request::PriorTurns SavedConversation::thread() const {
  request::PriorTurns thread;
  for (const history::Turn& turn : m_turns) {
    thread.messages.insert(thread.messages.end(), turn.messages.begin(), turn.messages.end());
    // The service stores every turn up to this response.
    if (!turn.response_id.empty()) thread = {.response_id = turn.response_id};
  }
  return thread;
}

void SavedConversation::set_system(std::string text) {
  if (text != m_facts.system) send_whole();
  m_facts.system = std::move(text);
}

Result<void> SavedConversation::read_system() {
  SVC_TRY(text, given_system(*m_session->invocation().operation, m_session->inputs()));
  if (text) set_system(*std::move(text));
  return {};
}

void SavedConversation::append(history::Turn turn) {
  if (turn.messages.empty()) return;
  m_turns.push_back(std::move(turn));
  if (!m_keeps) return;
  note_first_use();
  if (const Result<void> opened = open_store(); !opened) return give_up(opened.error());
  const auto saved = m_destination->append(m_facts, m_turns.back());
  if (!saved) return give_up(saved.error());
  note_branch(*saved);
}

bool SavedConversation::remove_last_turn() {
  if (m_turns.empty()) return false;
  m_turns.pop_back();
  if (!m_keeps || !m_destination || m_facts.id == 0) return true;
  const auto saved = m_destination->remove_last_turn(m_facts);
  if (saved) {
    note_branch(*saved);
  } else {
    give_up(saved.error());
  }
  return true;
}

void SavedConversation::start_over() {
  m_turns.clear();
  m_earlier.reset();
  Conversation next;
  next.operation = m_facts.operation;
  next.profile = m_facts.profile;
  next.model = m_facts.model;
  next.system = m_facts.system;
  next.directory = m_facts.directory;
  next.terminal = m_facts.terminal;
  next.created = unix_now();
  m_facts = std::move(next);
}

TurnResult run_saved_turn(Session& session, Dialogue& dialogue, SavedConversation& saved,
                          TurnPlan plan, AnswerSink& view) {
  if (saved.is_saved()) dialogue.keep_files();
  plan.thread = saved.thread();
  TurnResult result = dialogue.run(plan, view);
  const bool gone = result.error && result.error->fault == Fault::NotFound &&
                    result.messages.empty() && !plan.thread.response_id.empty();
  if (!gone) {
    if (result.error && is_missing_file(*result.error, plan.thread)) {
      result.error->hint =
          "The conversation refers to a file that the service no longer has: start a new one with "
          "the file. `svc history export` saves the text of this one.";
    }
    return result;
  }
  saved.send_whole();
  plan.thread = saved.thread();
  session.notices().note(
      "the service no longer has the last response of this conversation; the copy saved on this "
      "machine is sent instead");
  return dialogue.run(plan, view);
}

}  // namespace svc::cli
