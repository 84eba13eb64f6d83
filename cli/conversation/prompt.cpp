#include "conversation/prompt.h"

#include <algorithm>
#include <array>
#include <filesystem>
#include <utility>

#include <fmt/format.h>
#include <unistd.h>

#include "base/files.h"
#include "base/text.h"
#include "history/message_text.h"
#include "json/text.h"
#include "operation/runner.h"
#include "operation/value_completion.h"
#include "request/compose.h"
#include "request/media.h"

namespace svc::cli {
namespace {

constexpr sv k_input_prompt = "> ";

/// Whether a flag contains a prompt itself, or asks for something other than a conversation.
bool says_something(const request::Given& given) {
  constexpr std::array<sv, 7> k_saying = {"message",    "messages", "input-items", "deferred",
                                          "background", "each",     "code-block"};
  const Field& field = *given.field;
  if (field.flag == "code" && field.in == In::Local) return true;
  return field.positional ||
         std::find(k_saying.begin(), k_saying.end(), field.flag) != k_saying.end();
}

bool is_attachment(const request::Given& given) {
  return given.field->flag == "image" || given.field->flag == "file";
}

const Field& prompt_field(const Operation& operation) {
  const auto found = std::find_if(operation.fields.begin(), operation.fields.end(),
                                  [](const Field& field) { return field.positional; });
  return *found;
}

/// Typed text is literal: @FILE and - have no special meaning here.
std::string literal(const std::string& text) {
  if (text.starts_with('@')) return "\\" + text;
  return text == "-" ? text + " " : text;
}

/// Without saved conversations, input history is not saved either.
std::filesystem::path input_history_path(const SavedConversation& kept) {
  const std::filesystem::path folder = state_folder();
  return folder.empty() || !kept.is_saved() ? std::filesystem::path() : folder / "input_history";
}

/// Removes the first word from `text` and returns it.
std::string take_word(sv& text) {
  text = trim(text);
  const std::size_t end = std::min(text.find(' '), text.size());
  std::string word(text.substr(0, end));
  text = trim(text.substr(end));
  return word;
}

}  // namespace

/// The turns of a continued conversation, for /retry, /save and the like.
std::vector<Spoken> spoken_before(const SavedConversation& kept) {
  std::vector<Spoken> all;
  for (const history::Turn& turn : kept.turns()) {
    Spoken spoken{.messages = turn.messages, .model = turn.model, .whole = true};
    for (const std::string& message : turn.messages) {
      const history::Said said = history::said_in(message);
      if (said.role == "user" && spoken.said.empty()) spoken.said = said.text;
      if (said.role == "assistant" && !said.text.empty()) spoken.answer = said.text;
    }
    all.push_back(std::move(spoken));
  }
  return all;
}

bool wants_conversation(Session& session) {
  const Invocation& invocation = session.invocation();
  const Globals& globals = invocation.globals;
  if (!is_conversation(*invocation.operation)) return false;
  if (globals.shows_only() || globals.no_stdin) return false;
  if (session.environment()("SVC_NO_STDIN") == "1") return false;
  if (globals.output || invocation.inputs.body) return false;
  if (session.format() != Format::Text || !session.out().terminal().is_tty) return false;
  if (::isatty(STDIN_FILENO) != 1) return false;
  const auto& given = invocation.inputs.given;
  return std::none_of(given.begin(), given.end(), says_something);
}

Result<void> run_conversation(Session& session) {
  SVC_TRY(kept, SavedConversation::open(session, Occasion::Conversation));
  return InteractiveConversation(session, std::move(kept)).run();
}

InteractiveConversation::InteractiveConversation(Session& session, SavedConversation kept)
    : m_session(session),
      m_operation(*session.invocation().operation),
      m_kept(std::move(kept)),
      m_dialogue(session, m_operation),
      m_terminal(STDIN_FILENO),
      m_history(input_history_path(m_kept)),
      m_editor(m_terminal, session.out(), m_history, session.cancel_token(),
               [this](const std::string& text, std::size_t cursor) {
                 return complete_slash(text, cursor, m_operation.view == View::Response,
                                       [this] { return models(); });
               }),
      m_inputs(m_kept.inputs()),
      m_spoken(spoken_before(m_kept)) {
  m_editor.before_stop([this] { m_session.progress().clear(); });
  std::erase_if(m_inputs.given, [this](const request::Given& given) {
    if (is_attachment(given)) m_pending.push_back({given.field, given.text});
    return is_attachment(given);
  });
}

Result<void> InteractiveConversation::open() {
  SVC_CHECK(m_dialogue.open());
  // Fetches the key first, so that a wrong URL or key is reported before anything is typed. A
  // program that fetches the key may still ask at the terminal, which is not in raw mode yet.
  const auto client = m_dialogue.client(&m_session.cancel_token());
  if (!client) return client.error();
  // Raw mode: text typed from now on is not echoed.
  if (!m_session.out().terminal().dumb) (void)m_terminal.enter();
  m_kept.note_first_use();
  ask_about_tools();
  tell(fmt::format("{}. /help lists commands, Ctrl-D exits.", model()));
  if (!m_spoken.empty()) tell_turns();
  return {};
}

void InteractiveConversation::tell_turns() {
  const std::string last =
      m_spoken.empty() ? std::string() : replace_all(excerpt(m_spoken.back().said, 60), "\n", " ");
  tell(fmt::format("{} turn{} so far. Your last message: {}", m_spoken.size(),
                   m_spoken.size() == 1 ? "" : "s", last));
}

void InteractiveConversation::ask_about_tools() {
  // A dumb terminal has no keys to read: lines are read as usual.
  if (m_session.out().terminal().dumb) return;
  m_dialogue.tools().ask_by(
      [this](const std::string& question, const CancelToken& cancel) -> Result<ToolDecision> {
        (void)m_editor.look_ahead();
        auto decided = ask_about_tool(m_session, question, m_terminal, cancel);
        (void)m_terminal.enter();
        m_terminal.signals(true);
        return decided;
      });
}

Result<void> InteractiveConversation::run() {
  SVC_CHECK(open());
  while (!m_leaving) {
    SVC_TRY(entered, m_editor.read(k_input_prompt));
    if (!entered) break;
    const auto kept = m_history.add(*entered, m_session.secrets());
    if (!kept)
      m_session.notices().detail("the input history was not saved: " + kept.error().message);
    const Result<void> done = enter_line(*entered);
    if (done) continue;
    if (m_session.cancel_token().requested() || done.error().fault == Fault::ReaderGone)
      return done;
    m_session.notices().error(done.error());
  }
  m_terminal.leave();
  return m_session.out().flush();
}

Result<void> InteractiveConversation::enter_line(const std::string& line) {
  if (const auto slash = read_slash_line(line)) return command(*slash);
  if (line.starts_with('!') && line.size() > 1 && line[1] != '[') return run_shell(line.substr(1));
  std::string text(trim(unquoted_message(line)));
  SVC_CHECK(attach_mentioned(text));
  if (!m_output.empty()) text = std::exchange(m_output, {}) + "\n" + text;
  return say(std::move(text), std::exchange(m_pending, {}));
}

Result<void> InteractiveConversation::attach_mentioned(const std::string& text) {
  for (const std::string& path : mentioned_paths(text)) {
    const std::string place = with_home(path, m_session.environment());
    const auto media = request::resolve_media("@" + path, place, nullptr);
    const bool image = media && request::check_image(*media);
    SVC_CHECK(add_attachment(image ? "image" : "file", path));
  }
  return {};
}

/// While an answer streams: shows what is typed, for the next message.
void InteractiveConversation::watch_keys() {
  if (m_session.out().terminal().dumb || !m_editor.look_ahead()) return;
  m_session.progress().typed(m_editor.typed_ahead());
}

Result<void> InteractiveConversation::command(const SlashLine& line) {
  const SlashWord* word = find_slash_word(line.name);
  if (word == nullptr) return unknown_command(line.name);
  if (word->argument.empty() && !line.argument.empty()) {
    return usage_error(fmt::format("/{} takes no argument", word->name),
                       "To send it as text, start with a space.");
  }
  return (this->*command_of(word->name))(line.argument);
}

Error InteractiveConversation::unknown_command(sv name) {
  std::vector<sv> names;
  for (const SlashWord& known : slash_words()) names.push_back(known.name);
  const sv near = nearest(name, names);
  return usage_error(
      fmt::format("unknown command /{}", name),
      near.empty()
          ? "/help lists the commands. To send it as text, start with a space."
          : fmt::format("Did you mean /{}? To send it as text, start with a space.", near));
}

request::Inputs InteractiveConversation::inputs_of(const Spoken& spoken) const {
  request::Inputs inputs = m_inputs;
  inputs.given.push_back({&prompt_field(m_operation), literal(spoken.said)});
  for (const Attachment& attachment : spoken.attachments) {
    inputs.given.push_back({attachment.field, attachment.text});
  }
  return inputs;
}

Result<void> InteractiveConversation::say(std::string text, std::vector<Attachment> attachments) {
  Spoken spoken{.said = std::move(text), .attachments = std::move(attachments)};
  if (!m_session.out().terminal().dumb && !m_terminal.enter()) {
    return Error{Fault::Local, "not the terminal's foreground process"};
  }
  AnswerPrinter view(m_session, [this] { return static_cast<int>(m_terminal.size().columns); });
  TurnResult result;
  {
    const TurnCancel cancel(m_session.cancel_token(), m_terminal);
    const Session::OnTick keys(m_session, [this] { watch_keys(); });
    const TurnPlan plan{.inputs = inputs_of(spoken), .cancel = &cancel, .keep = true};
    result = run_saved_turn(m_session, m_dialogue, m_kept, plan, view);
    if (result.error && !result.messages.empty()) view.break_off();
  }
  m_session.progress().typed({});
  const std::optional<Error> error = std::exchange(result.error, std::nullopt);
  spoken.whole = !error;
  const bool answered = !result.messages.empty();
  put_down(std::move(spoken), std::move(result));
  if (error && m_session.cancel_token().requested()) return *error;
  if (error && error->fault == Fault::ReaderGone) return *error;
  if (error && error->fault == Fault::Interrupted) {
    tell(answered ? "(stopped; partial answer kept)" : "(stopped)");
  } else if (error) {
    m_session.notices().error(*error);
  }
  if (error && !answered) tell("Use /retry to send the message again.");
  SVC_CHECK(m_session.out().write("\n"));
  return m_session.out().flush();
}

void InteractiveConversation::put_down(Spoken spoken, TurnResult result) {
  history::Turn turn = saved_turn(result);
  turn.model = model();
  m_kept.append(std::move(turn));
  spoken.messages = std::move(result.messages);
  spoken.answer = std::move(result.text);
  spoken.model = std::move(result.model);
  spoken.usage = result.usage;
  if (spoken.usage) m_usage.add(*spoken.usage);
  m_spoken.push_back(std::move(spoken));
}

void InteractiveConversation::set_input(sv flag, const std::string& text) {
  for (request::Given& given : m_inputs.given) {
    if (given.field->flag != flag) continue;
    given.text = text;
    return;
  }
  m_inputs.given.push_back({find_field(m_operation, flag), text});
}

std::optional<std::string> InteractiveConversation::input(sv flag) const {
  for (const request::Given& given : m_inputs.given) {
    if (given.field->flag == flag) return given.text;
  }
  return std::nullopt;
}

std::string InteractiveConversation::model() const {
  if (const auto chosen = input("model")) return *chosen;
  const std::string& configured = m_session.settings().model.value;
  return configured.empty() ? std::string(m_operation.default_model) : configured;
}

std::vector<std::string> InteractiveConversation::models() {
  if (m_models) return *m_models;
  m_models.emplace(complete_words(m_session, "language-models"));
  return *m_models;
}

Result<void> InteractiveConversation::mcp(const std::string& argument) {
  sv rest = argument;
  const std::string first = take_word(rest);
  McpServers& servers = m_dialogue.tools().servers();
  if (first == "call") return call_server_tool(rest);
  if (argument.find('=') != std::string::npos) {
    // The confirmation reads a line, so the terminal must leave raw mode.
    m_terminal.leave();
    Result<void> added;
    {
      const TurnCancel cancel(m_session.cancel_token(), m_terminal);
      added = m_dialogue.tools().add_server(argument, cancel);
    }
    if (!m_session.out().terminal().dumb) (void)m_terminal.enter();
    if (!added) return added;
    return list_server_tools(argument.substr(0, argument.find('=')));
  }
  if (!argument.empty()) return list_server_tools(argument);
  if (servers.empty()) {
    tell("No MCP servers. Add one with /mcp NAME=COMMAND or /mcp NAME=URL.");
    return {};
  }
  for (const auto& client : servers.clients()) {
    tell(fmt::format("{}: {}, {} tools", client->name(), client->title(), client->tools().size()));
  }
  return {};
}

Result<void> InteractiveConversation::list_server_tools(const std::string& name) {
  const mcp::Client* client = m_dialogue.tools().servers().find(name);
  if (client == nullptr) {
    return usage_error(fmt::format("unknown MCP server {}", shown(name)),
                       "/mcp lists the servers; /mcp NAME=COMMAND adds one.");
  }
  for (const mcp::ToolInfo& tool : client->tools()) {
    const sv about = trim(sv(tool.description).substr(0, tool.description.find('\n')));
    tell(fmt::format("{}.{}: {}", client->name(), tool.name, excerpt(about, 100)));
  }
  return {};
}

Result<void> InteractiveConversation::call_server_tool(sv line) {
  const std::string server = take_word(line);
  const std::string tool = take_word(line);
  const std::string arguments = line.empty() ? "{}" : std::string(line);
  if (tool.empty()) return usage_error("usage: /mcp call SERVER TOOL JSON");
  if (const auto fault = check_json(arguments); fault || !arguments.starts_with('{')) {
    return usage_error("a tool's arguments must be a JSON object");
  }
  mcp::Client* client = m_dialogue.tools().servers().find(server);
  if (client == nullptr) return list_server_tools(server);
  const TurnCancel cancel(m_session.cancel_token(), m_terminal);
  auto result = client->call(tool, arguments, mcp::Patience{ToolLimits{}.time, cancel});
  m_dialogue.tools().servers().tell_news();
  if (!result) {
    if (result.error().fault == Fault::Interrupted && !m_session.cancel_token().requested()) {
      tell("(stopped)");
      return {};
    }
    return std::move(result).error();
  }
  const ToolEnd end = tool_end(std::move(result), ToolLimits{});
  tell(end.error ? "The tool reported an error:" : "The tool returned:");
  if (!end.output.empty()) tell(end.output);
  if (!end.images.empty()) tell(fmt::format("{} image(s)", end.images.size()));
  return {};
}

}  // namespace svc::cli
