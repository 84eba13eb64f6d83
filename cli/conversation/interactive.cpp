// A conversation on a terminal: `svc chat` and `svc responses` without a prompt.
#include "conversation/interactive.h"

#include <algorithm>
#include <array>
#include <chrono>
#include <filesystem>
#include <limits>
#include <map>
#include <utility>

#include <fmt/format.h>
#include <nlohmann/json.hpp>
#include <unistd.h>

#include "base/atomic_file.h"
#include "base/base64.h"
#include "base/cancel_token.h"
#include "base/counted.h"
#include "base/files.h"
#include "base/program.h"
#include "base/text.h"
#include "catalogue/chat_fields.h"
#include "catalogue/responses_fields.h"
#include "client/usage.h"
#include "conversation/clipboard.h"
#include "conversation/find_conversations.h"
#include "conversation/saved_conversation.h"
#include "conversation/slash_commands.h"
#include "conversation/text_editor.h"
#include "conversation/transcript.h"
#include "conversation/turn.h"
#include "history/message_text.h"
#include "json/document.h"
#include "json/slices.h"
#include "json/text.h"
#include "operation/answer_printer.h"
#include "operation/runner.h"
#include "operation/value_completion.h"
#include "print/width.h"
#include "request/compose.h"
#include "request/media.h"
#include "session/cost_tracker.h"
#include "session/question.h"
#include "terminal/editor/input_history.h"
#include "terminal/editor/line_editor.h"
#include "terminal/editor/raw_terminal.h"
#include "terminal/pager.h"
#include "terminal/signals.h"

namespace svc::cli {
namespace {

using ChatFlags = Flags<catalogue::chat::k_create_fields>;
using ResponseFlags = Flags<catalogue::responses::k_create_fields>;

constexpr sv k_input_prompt = "> ";
constexpr sv k_image = ChatFlags::k_name<"image">;
constexpr sv k_file = ChatFlags::k_name<"file">;
constexpr sv k_model = ChatFlags::k_name<"model">;

/// Whether a flag contains a prompt itself, or asks for something other than a conversation.
bool sets_content(const request::Given& given) {
  constexpr std::array<sv, 7> k_content_flags = {
      ChatFlags::k_name<"message">,        ChatFlags::k_name<"messages">,
      ChatFlags::k_name<"deferred">,       ChatFlags::k_name<"each">,
      ResponseFlags::k_name<"background">, ResponseFlags::k_name<"input-items">,
      ResponseFlags::k_name<"code-block">};
  const Field& field = *given.field;
  if (field.flag == ChatFlags::k_name<"code"> && field.in == In::Local) return true;
  return field.positional || std::find(k_content_flags.begin(), k_content_flags.end(),
                                       field.flag) != k_content_flags.end();
}

bool is_attachment(const request::Given& given) {
  return given.field->flag == k_image || given.field->flag == k_file;
}

const Field& prompt_field(const Operation& operation) {
  const auto found = std::find_if(operation.fields.begin(), operation.fields.end(),
                                  [](const Field& field) { return field.positional; });
  return *found;
}

/// Without saved conversations, input history is not saved either.
std::filesystem::path input_history_path(const SavedConversation& saved) {
  const std::filesystem::path directory = state_directory();
  return directory.empty() || !saved.is_saved() ? std::filesystem::path()
                                                : directory / "input_history";
}

/// Removes the first word from `text` and returns it.
std::string take_word(sv& text) {
  text = trim(text);
  const std::size_t end = std::min(text.find(' '), text.size());
  std::string word(text.substr(0, end));
  text = trim(text.substr(end));
  return word;
}

/// The turns of a continued conversation, for /retry, /save and the like.
std::vector<Spoken> spoken_before(const SavedConversation& saved) {
  std::vector<Spoken> all;
  for (const history::Turn& turn : saved.turns()) {
    Spoken spoken{.messages = turn.messages, .model = turn.model, .whole = true};
    for (const std::string& message : turn.messages) {
      const history::MessageText said = history::read_message_text(message);
      if (said.role == "user" && spoken.said.empty()) spoken.said = said.text;
      if (said.role == "assistant" && said.calls > 0)
        spoken.answer = said.text.substr(0, said.calls);
    }
    all.push_back(std::move(spoken));
  }
  return all;
}

constexpr std::size_t k_max_output = 200'000;  ///< bytes of a command's output in a message
constexpr std::size_t k_max_copied = 75'000;   ///< bytes; terminals reject more

/// The number of turns for /undo.
Result<std::size_t> count_of(const std::string& argument, std::size_t turns) {
  if (argument.empty()) return std::size_t{1};
  const auto count = parse_integer(argument);
  if (!count || *count < 1) return usage_error("/undo needs a number of messages, such as 2");
  const auto all = static_cast<std::int64_t>(turns);
  if (*count > all) {
    return usage_error(fmt::format("only {} can be undone", counted(turns, "message", "messages")));
  }
  return static_cast<std::size_t>(*count);
}

/// Cancels a turn when the user presses Ctrl-C or the program is asked to exit. A second Ctrl-C,
/// while the answer is being stopped, exits the program. Lives as long as one turn; only during
/// that time is Ctrl-C a signal.
class TurnCancel final : public LinkedToken {
 public:
  TurnCancel(const CancelToken& program, RawTerminal& terminal) : m_terminal(terminal) {
    link({&program, &m_interrupt});
    m_terminal.signals(true);
  }
  ~TurnCancel() override { m_terminal.signals(false); }

 private:
  RawTerminal& m_terminal;
  FinishOnInterrupt m_interrupt{};
};

/// The interactive prompt: one loop, whose slash commands all change the same state, which is the
/// dialogue, what is saved of it, the flags that apply to it, and what the next message will
/// contain.
class InteractiveConversation {
 public:
  InteractiveConversation(Session& session, SavedConversation saved)
      : m_session(session),
        m_operation(*session.invocation().operation),
        m_saved(std::move(saved)),
        m_dialogue(session, m_operation),
        m_terminal(STDIN_FILENO),
        m_history(input_history_path(m_saved)),
        m_editor(m_terminal, session.out(), m_history, session.cancel_token(),
                 [this](const std::string& text, std::size_t cursor) {
                   return complete_slash(text, cursor, m_operation.view == View::Response,
                                         [this] { return models(); });
                 }),
        m_inputs(m_saved.inputs()),
        m_spoken(spoken_before(m_saved)),
        m_reasoning(reasoning_view(session)) {
    m_editor.before_stop([this] { m_session.progress().clear(); });
    m_editor.edit_with([this](const std::string& text) {
      return edit_text(text, m_terminal, m_session.environment(), m_session.cancel_token());
    });
    if (m_session.settings().keys.value == "vi") m_editor.use_vi();
    std::erase_if(m_inputs.given, [this](const request::Given& given) {
      if (is_attachment(given)) m_pending.push_back({given.field, given.text});
      return is_attachment(given);
    });
  }

  /// Reads messages and commands until the user exits. An error of a turn is printed and the
  /// conversation continues; a returned error ends the program.
  [[nodiscard]] Result<void> run() {
    SVC_CHECK(open());
    m_editor.when_typing([this] { m_dialogue.connect_ahead(); });
    while (!m_leaving) {
      m_dialogue.connect_ahead();
      SVC_TRY(entered, m_editor.read(k_input_prompt));
      if (!entered) break;
      const auto saved = m_history.add(*entered, m_session.secrets());
      if (!saved)
        m_session.notices().detail("the input history was not saved: " + saved.error().message);
      const Result<void> done = enter_line(*entered);
      if (done) continue;
      if (m_session.cancel_token().requested() || done.error().fault == Fault::ReaderGone)
        return done;
      m_session.notices().error(done.error());
    }
    m_terminal.leave();
    return m_session.out().flush();
  }

 private:
  using Command = Result<void> (InteractiveConversation::*)(const std::string& argument);

  /// Prints a line that is not part of the conversation.
  void tell(const std::string& text) { m_session.notices().aside(text); }

  Result<void> open() {
    SVC_CHECK(m_dialogue.open());
    // Fetches the key first, so that a wrong URL or key is reported before anything is typed. A
    // program that fetches the key may still ask at the terminal, which is not in raw mode yet.
    const auto client = m_dialogue.client(&m_session.cancel_token());
    if (!client) return client.error();
    // Raw mode: text typed from now on is not echoed.
    if (!m_session.out().terminal().dumb) (void)m_terminal.enter();
    m_saved.note_first_use();
    ask_about_tools();
    tell(fmt::format("{}. /help lists commands, Ctrl-D exits.", model()));
    return m_spoken.empty() ? Result<void>() : show_turns();
  }

  [[nodiscard]] Replay replayed(std::size_t most_lines) {
    print::Terminal terminal = m_session.out().terminal();
    terminal.columns = static_cast<int>(m_terminal.size().columns);
    const ReplayStyle style{terminal, renders(m_session), m_reasoning != ReasoningView::None,
                            k_input_prompt};
    return replay(m_spoken, style, most_lines);
  }

  /// Shows the last screens of the conversation again.
  [[nodiscard]] Result<void> show_turns() {
    const Replay shown = replayed(2 * m_terminal.size().lines);
    tell(fmt::format("{} so far{}", counted(m_spoken.size(), "turn", "turns"),
                     shown.cut ? "; /history shows all of it." : "."));
    SVC_CHECK(m_session.out().write(shown.text));
    return m_session.out().flush();
  }

  Result<void> show_history(const std::string& /*argument*/) {
    if (m_spoken.empty()) return usage_error("nothing said yet");
    const std::string text = replayed(std::numeric_limits<std::size_t>::max()).text;
    m_terminal.leave();
    auto shown =
        show_paged(m_session.out(), text, m_session.environment(), m_session.cancel_token());
    if (!m_session.out().terminal().dumb) (void)m_terminal.enter();
    SVC_CHECK(std::move(shown));
    return m_session.out().flush();
  }

  void ask_about_tools() {
    // A dumb terminal has no keys to read: lines are read as usual.
    if (m_session.out().terminal().dumb) return;
    m_dialogue.tools().ask_by(
        [this](const std::string& question, const CancelToken& cancel) -> Result<ToolDecision> {
          (void)m_editor.look_ahead();
          auto decided = ask_about_tool(m_session, question, m_terminal, cancel, typed_ahead());
          (void)m_terminal.enter();
          m_terminal.signals(true);
          return decided;
        });
  }

  /// Keys that do not answer a question are for the next message.
  [[nodiscard]] TypedAhead typed_ahead() {
    return [this](std::string_view keys) {
      m_editor.keep_ahead(keys);
      return m_editor.typed_ahead();
    };
  }

  Result<void> enter_line(const std::string& line) {
    if (const auto slash = read_slash_line(line)) return command(*slash);
    if (line.starts_with('!') && line.size() > 1 && line[1] != '[')
      return run_shell(line.substr(1));
    std::string text(trim(unquoted_message(line)));
    SVC_CHECK(attach_mentioned(text));
    if (!m_output.empty()) text = std::exchange(m_output, {}) + "\n" + text;
    return say(std::move(text), std::exchange(m_pending, {}));
  }

  /// Attaches the files that a message mentions as `@path`.
  Result<void> attach_mentioned(const std::string& text) {
    for (const std::string& path : mentioned_paths(text)) {
      const std::string place = with_home(path, m_session.environment());
      const auto media = request::resolve_media(path, place, nullptr);
      const bool image = media && request::check_image(*media);
      SVC_CHECK(add_attachment(image ? k_image : k_file, path));
    }
    return {};
  }

  /// While an answer streams: shows what is typed, for the next message.
  void watch_keys() {
    if (m_session.out().terminal().dumb || !m_editor.look_ahead()) return;
    m_session.progress().typed(m_editor.typed_ahead());
  }

  Result<void> command(const SlashLine& line) {
    const SlashWord* word = find_slash_word(line.name);
    if (word == nullptr) return unknown_command(line.name);
    if (word->argument.empty() && !line.argument.empty()) {
      return usage_error(fmt::format("/{} takes no argument", word->name),
                         "To send it as text, start with a space.");
    }
    return (this->*command_of(word->name))(line.argument);
  }

  [[nodiscard]] static Error unknown_command(sv name) {
    std::vector<sv> names;
    for (const SlashWord& known : slash_words()) names.push_back(known.name);
    const sv near = nearest(name, names);
    return usage_error(
        fmt::format("unknown command /{}", name),
        near.empty()
            ? "/help lists the commands. To send it as text, start with a space."
            : fmt::format("Did you mean /{}? To send it as text, start with a space.", near));
  }

  [[nodiscard]] request::Inputs inputs_of(const Spoken& spoken) const {
    request::Inputs inputs = m_inputs;
    inputs.given.push_back(
        {.field = &prompt_field(m_operation), .text = spoken.said, .literal = true});
    for (const Attachment& attachment : spoken.attachments) {
      inputs.given.push_back({attachment.field, attachment.text});
    }
    return inputs;
  }

  Result<void> say(std::string text, std::vector<Attachment> attachments) {
    Spoken spoken{.said = std::move(text), .attachments = std::move(attachments)};
    if (!m_session.out().terminal().dumb && !m_terminal.enter()) {
      return Error{Fault::Local, "not the terminal's foreground process"};
    }
    AnswerPrinter view(m_session, [this] { return static_cast<int>(m_terminal.size().columns); });
    view.show_reasoning(m_reasoning);
    view.spent_before(spent());
    TurnResult result;
    const auto begin = std::chrono::steady_clock::now();
    const bool watches = m_session.notifies() && !m_session.out().terminal().dumb;
    if (watches) m_editor.watch_focus(true);
    {
      const TurnCancel cancel(m_session.cancel_token(), m_terminal);
      const Session::OnTick keys(m_session, [this] { watch_keys(); });
      const TurnPlan plan{.inputs = inputs_of(spoken), .cancel = &cancel, .keep = true};
      m_session.models().cancel_with(&cancel);
      result = run_saved_turn(m_session, m_dialogue, m_saved, plan, view);
      m_session.models().cancel_with(nullptr);
      if (result.error && !result.messages.empty()) view.interrupted();
    }
    m_session.progress().typed({});
    if (watches) m_editor.watch_focus(false);
    const std::optional<Error> error = std::exchange(result.error, std::nullopt);
    spoken.whole = !error;
    const bool answered = !result.messages.empty();
    const std::int64_t context = result.context;
    record_turn(std::move(spoken), std::move(result));
    if (error && m_session.cancel_token().requested()) return *error;
    if (error && error->fault == Fault::ReaderGone) return *error;
    if (error && error->fault == Fault::Interrupted) {
      tell(answered ? "(stopped; partial answer kept)" : "(stopped)");
    } else if (error) {
      m_session.notices().error(*error);
    }
    if (error && !answered) tell("Use /retry to send the message again.");
    SVC_CHECK(m_session.out().write("\n"));
    SVC_CHECK(m_session.out().flush());
    note_context(context);
    if (!error || error->fault != Fault::Interrupted)
      m_session.notify_done(begin, m_editor.looks());
    return {};
  }

  /// Offers to shorten a conversation that nears the longest prompt of its model: twice, unless it
  /// was shortened in between.
  void note_context(std::int64_t tokens) {
    if (tokens == 0) return;  // unknown
    const ModelFacts* facts = m_session.models().find_kept(ModelList::Language, model());
    const std::int64_t most = facts != nullptr ? facts->max_prompt : 0;
    const std::int64_t percent = most > 0 ? tokens * 100 / most : 0;
    const int level = percent >= 95 ? 2 : percent >= 80 ? 1 : 0;
    if (level > m_context_level) {
      const bool compacts = m_operation.view == View::Response;
      tell(fmt::format("The conversation fills {} % of {}'s context; {}.", percent, model(),
                       compacts ? "/compact shortens it" : "/clear starts a new one"));
    }
    m_context_level = level;
  }

  /// The cost of the conversation so far, as reported.
  [[nodiscard]] Usage spent() const {
    Usage all = m_usage;
    if (m_saved.earlier()) all.add(*m_saved.earlier());
    return all;
  }

  void record_turn(Spoken spoken, TurnResult result) {
    history::Turn turn = saved_turn(result);
    turn.model = model();
    m_saved.append(std::move(turn));
    spoken.messages = std::move(result.messages);
    spoken.answer = std::move(result.text);
    spoken.model = std::move(result.model);
    if (result.usage) m_usage.add(*result.usage);
    m_spoken.push_back(std::move(spoken));
  }

  void set_input(sv flag, const std::string& text) {
    for (request::Given& given : m_inputs.given) {
      if (given.field->flag != flag) continue;
      given.text = text;
      given.literal = true;
      return;
    }
    m_inputs.given.push_back(
        {.field = find_field(m_operation, flag), .text = text, .literal = true});
  }

  [[nodiscard]] std::optional<std::string> input(sv flag) const {
    for (const request::Given& given : m_inputs.given) {
      if (given.field->flag == flag) return given.text;
    }
    return std::nullopt;
  }

  /// The flag of the system prompt.
  [[nodiscard]] sv system_flag() const { return system_field(m_operation)->flag; }

  void remove_system() {
    std::erase_if(m_inputs.given, [flag = system_flag()](const request::Given& given) {
      return given.field->flag == flag;
    });
  }

  [[nodiscard]] std::string model() const {
    if (const auto chosen = input(k_model)) return *chosen;
    const std::string& configured = m_session.settings().model.value;
    return configured.empty() ? std::string(m_operation.default_model) : configured;
  }

  [[nodiscard]] std::vector<std::string> models() {
    if (m_models) return *m_models;
    m_models.emplace(complete_words(m_session, "language-models"));
    return *m_models;
  }

  Result<void> mcp(const std::string& argument) {
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
      tell(
          fmt::format("{}: {}, {} tools", client->name(), client->title(), client->tools().size()));
    }
    return {};
  }

  Result<void> list_server_tools(const std::string& name) {
    const mcp::Client* client = m_dialogue.tools().servers().find(name);
    if (client == nullptr) {
      return usage_error(fmt::format("unknown MCP server {}", shown(name)),
                         "/mcp lists the servers; /mcp NAME=COMMAND adds one.");
    }
    for (const mcp::ToolInfo& tool : client->tools()) {
      const sv about = trim(sv(tool.description).substr(0, tool.description.find('\n')));
      tell(fmt::format("{}.{}{}{}", client->name(), tool.name, about.empty() ? "" : ": ",
                       excerpt(about)));
    }
    return {};
  }

  Result<void> call_server_tool(sv line) {
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
    auto result = client->call(tool, arguments, mcp::CallContext{ToolLimits{}.time, cancel});
    m_dialogue.tools().servers().report_changes();
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
    if (!end.images.empty()) tell(counted(end.images.size(), "image", "images"));
    return {};
  }

  [[nodiscard]] static Command command_of(sv name) {
    static constexpr std::array<std::pair<sv, Command>, 21> k_commands = {
        {{"help", &InteractiveConversation::help},
         {"model", &InteractiveConversation::choose_model},
         {"system", &InteractiveConversation::set_system},
         {"image", &InteractiveConversation::add_image},
         {"paste", &InteractiveConversation::paste_image},
         {"file", &InteractiveConversation::add_file},
         {"tool", &InteractiveConversation::add_tool},
         {"tools", &InteractiveConversation::manage_tools},
         {"reasoning", &InteractiveConversation::set_reasoning},
         {"mcp", &InteractiveConversation::mcp},
         {"retry", &InteractiveConversation::retry},
         {"edit", &InteractiveConversation::edit},
         {"undo", &InteractiveConversation::undo},
         {"save", &InteractiveConversation::save},
         {"copy", &InteractiveConversation::copy},
         {"resume", &InteractiveConversation::resume},
         {"history", &InteractiveConversation::show_history},
         {"compact", &InteractiveConversation::compact},
         {"cost", &InteractiveConversation::cost},
         {"clear", &InteractiveConversation::clear},
         {"exit", &InteractiveConversation::leave}}};
    for (const auto& [known, run] : k_commands) {
      if (known == name) return run;
    }
    return &InteractiveConversation::help;
  }

  Result<void> help(const std::string& argument) {
    const sv name = argument.starts_with('/') ? sv(argument).substr(1) : sv(argument);
    const SlashWord* only = name.empty() ? nullptr : find_slash_word(name);
    if (only == nullptr && !name.empty()) return unknown_command(name);
    const bool responses = m_operation.view == View::Response;
    SVC_CHECK(m_session.out().write(slash_help(m_terminal.size().columns, responses, only)));
    return m_session.out().flush();
  }

  Result<void> choose_model(const std::string& argument) {
    if (argument.empty()) {
      tell(fmt::format("The model is {}. Use /model NAME to change it.", model()));
      return {};
    }
    const std::vector<std::string> known = models();
    if (!known.empty() && std::find(known.begin(), known.end(), argument) == known.end()) {
      const sv near = nearest(argument, known);
      return usage_error(fmt::format("unknown text model '{}'", shown(argument)),
                         near.empty() ? fmt::format("Models: {}.", join(known, ", "))
                                      : fmt::format("Did you mean '{}'?", near));
    }
    set_input(k_model, argument);
    tell(fmt::format("The model is now {}.", argument));
    return {};
  }

  Result<void> set_system(const std::string& argument) {
    if (argument.empty()) {
      SVC_TRY(text, given_system(m_operation, m_inputs));
      tell(text ? *text : "No system prompt. /system TEXT sets one, /system \"\" removes it.");
      return {};
    }
    if (argument == "\"\"" || argument == "''") {
      remove_system();
      m_saved.set_system("");
      tell("System prompt removed.");
      return {};
    }
    set_input(system_flag(), argument);
    m_saved.set_system(argument);
    tell("System prompt set.");
    return {};
  }

  Result<void> add_image(const std::string& argument) { return add_attachment(k_image, argument); }

  Result<void> add_file(const std::string& argument) { return add_attachment(k_file, argument); }

  Result<void> paste_image(const std::string& /*argument*/) {
    const TurnCancel cancel(m_session.cancel_token(), m_terminal);
    auto found = clipboard_image(cancel);
    if (!found && !cancel.requested() && terminal_gives_images(m_session.environment())) {
      found = terminal_image(m_terminal, m_session.out(), cancel,
                             [this](std::string_view keys) { m_editor.keep_ahead(keys); });
    }
    SVC_TRY(image, std::move(found));
    m_pending.push_back({find_field(m_operation, k_image),
                         fmt::format("data:{};base64,{}", image.type, base64_encode(image.bytes))});
    tell(fmt::format("Attached the clipboard's image ({}) to your next message.",
                     format_bytes(image.bytes.size())));
    return {};
  }

  Result<void> add_attachment(sv flag, const std::string& argument) {
    if (argument.empty()) return usage_error(fmt::format("/{} needs a path or a URL", flag));
    if (argument == "-") return usage_error("standard input is the terminal");
    const std::string path = with_home(argument, m_session.environment());
    SVC_TRY(media, request::resolve_media(fmt::format("/{}", flag), path, nullptr));
    if (flag == k_image) SVC_CHECK(request::check_image(media, "/"));
    m_pending.push_back({find_field(m_operation, flag), path});
    tell(fmt::format("Attached {} to your next message.", argument));
    return {};
  }

  Result<void> add_tool(const std::string& argument) {
    TurnTools& tools = m_dialogue.tools();
    if (!argument.empty()) {
      Result<void> added;
      {
        const TurnCancel cancel(m_session.cancel_token(),
                                m_terminal);  // the program may be run for its schema
        added = tools.add(argument, cancel);
      }
      if (!added && added.error().fault == Fault::Interrupted &&
          !m_session.cancel_token().requested()) {
        tell("(stopped)");
        return {};
      }
      if (!added) return added;
      tell(fmt::format("Added tool {}; svc asks before each call.",
                       argument.substr(0, argument.find('='))));
      return {};
    }
    const std::vector<std::string> names = tools.names();
    tell(names.empty() ? "The model has no tools. /tool NAME=PROGRAM adds one."
                       : "The model's tools: " + join(names, ", "));
    return {};
  }

  Result<void> manage_tools(const std::string& argument) {
    sv rest = argument;
    if (argument.empty()) {
      const std::string list = m_dialogue.tools().permissions();
      tell(list.empty() ? "The model has no tools. /tool NAME=PROGRAM adds one." : list);
      return {};
    }
    if (take_word(rest) != "ask" || rest.empty()) return usage_error("expected /tools ask NAME");
    SVC_CHECK(m_dialogue.tools().revoke(std::string(rest)));
    tell(fmt::format("svc asks before each call of {}.", rest));
    return {};
  }

  Result<void> set_reasoning(const std::string& argument) {
    constexpr std::array<sv, 3> k_names = {"full", "fold", "none"};
    if (!argument.empty()) {
      const auto view = parse_reasoning_view(argument);
      if (!view) return usage_error("/reasoning is full, fold or none");
      m_reasoning = *view;
    }
    tell(fmt::format("Reasoning: {}.", k_names[static_cast<std::size_t>(m_reasoning)]));
    return {};
  }

  /// Removes the last message and its answer.
  void remove_last_turn() {
    if (!m_spoken.back().messages.empty()) (void)m_saved.remove_last_turn();
    m_spoken.pop_back();
  }

  Result<void> retry(const std::string& /*argument*/) {
    if (m_spoken.empty()) return usage_error("no message to resend yet");
    Spoken last = m_spoken.back();
    remove_last_turn();
    return say(std::move(last.said), std::move(last.attachments));
  }

  Result<void> edit(const std::string& argument) {
    const bool last = argument == "last";
    if (last && m_spoken.empty()) return usage_error("no message to edit yet");
    const std::string before = last ? m_spoken.back().said : argument;
    SVC_TRY(text, edit_text(before, m_terminal, m_session.environment(), m_session.cancel_token()));
    if (trim(text).empty()) {
      tell("The message is empty; nothing was sent.");
      return {};
    }
    std::vector<Attachment> attachments = std::exchange(m_pending, {});
    if (last) {
      const auto& earlier = m_spoken.back().attachments;
      attachments.insert(attachments.begin(), earlier.begin(), earlier.end());
      remove_last_turn();
    }
    SVC_CHECK(m_session.out().write(visible("> " + replace_all(text, "\n", "\n  ")) + "\n"));
    (void)m_history.add(text, m_session.secrets());
    return say(std::move(text), std::move(attachments));
  }

  Result<void> undo(const std::string& argument) {
    if (m_spoken.empty()) return usage_error("nothing to undo");
    SVC_TRY(count, count_of(argument, m_spoken.size()));
    for (std::size_t i = 0; i < count; ++i) {
      const std::string said = excerpt(m_spoken.back().said);
      remove_last_turn();
      tell(fmt::format("Undone: {}", replace_all(said, "\n", " ")));
    }
    return {};
  }

  Result<void> save(const std::string& argument) {
    if (argument.empty()) return usage_error("/save needs a file name");
    if (m_spoken.empty()) return usage_error("nothing to save yet");
    const std::string path = with_home(argument, m_session.environment());
    const bool json = path.ends_with(".json");
    const std::string text =
        json ? as_json(m_spoken, m_operation.group, model(), m_saved.thread().response_id)
             : as_markdown(m_spoken);
    if (Result<void> written = write_file(path, text, Replace::No, 0600); !written) {
      written.error().hint = "Use another name.";
      return written;
    }
    tell(fmt::format("Saved to {}.", argument));
    return {};
  }

  Result<void> copy(const std::string& argument) {
    const auto last = std::find_if(m_spoken.rbegin(), m_spoken.rend(),
                                   [](const Spoken& spoken) { return !spoken.answer.empty(); });
    if (last == m_spoken.rend()) return usage_error("no answer to copy yet");
    std::string text = last->answer;
    if (!argument.empty()) {
      const std::vector<std::string> blocks = code_blocks(last->answer);
      if (blocks.empty()) return usage_error("no code block in the last answer");
      const std::int64_t count = std::ssize(blocks);
      const auto number = argument == "code" ? std::optional(count) : parse_integer(argument);
      if (!number || *number < 1 || *number > count) {
        return usage_error(
            fmt::format("/copy {}: expected code or 1 to {}, the number of a code "
                        "block in the last answer",
                        argument, count));
      }
      text = blocks[static_cast<std::size_t>(*number - 1)];
    }
    if (text.size() > k_max_copied) {
      return usage_error("the text is too long for a terminal's clipboard",
                         "Use /save FILE instead.");
    }
    if (m_session.out().terminal().dumb) return usage_error("this terminal has no clipboard");
    // The terminal sends no confirmation; some ignore the sequence.
    SVC_CHECK(m_session.out().write("\x1b]52;c;" + base64_encode(text) + "\x1b\\"));
    SVC_CHECK(m_session.out().flush());
    tell(fmt::format("Copied to the clipboard: {}.", format_bytes(text.size())));
    return {};
  }

  /// Includes the answers before a compaction.
  [[nodiscard]] std::ptrdiff_t answers() const {
    return m_compacted + std::count_if(m_spoken.begin(), m_spoken.end(), [](const Spoken& spoken) {
             return !spoken.messages.empty();
           });
  }

  Result<void> cost(const std::string& /*argument*/) {
    const auto turns = answers();
    const std::string line = cost_line(spent());
    if (turns == 0) {
      tell(line.empty() ? "No answer yet." : "Undone answers: " + line);
      return {};
    }
    tell(fmt::format("{}: {}", counted(turns, "answer", "answers"),
                     line.empty() ? "no cost reported" : line));
    if (const std::string cached = cache_line(spent()); !cached.empty()) {
      tell(cached + ".");
    }
    return {};
  }

  /// "12  Name: title   3 turns, 2 days ago", as much of it as fits; `said` is shown instead of the
  /// turns.
  [[nodiscard]] std::string choice_line(const history::Conversation& one, std::size_t width,
                                        const std::string& said) const {
    const bool utf8 = m_session.out().terminal().utf8;
    const std::string name = one.name.empty() ? "" : one.name + ": ";
    const std::string about =
        fmt::format("  {}, {}", counted(one.turns, "turn", "turns"), ago(one.updated));
    const std::string line =
        print::steady(visible(fmt::format("{:>4}  {}{}", one.id, name, one.title), Lines::Escape));
    if (!said.empty()) {
      const std::string label = print::fit(line, std::max<std::size_t>(width * 2 / 5, 16), utf8);
      const std::string safe = print::steady(visible(said, Lines::Escape));
      return print::fit(label + "  " + safe, width, utf8);
    }
    if (width < 59) return print::fit(line, width, utf8);
    std::string lead = print::fit(line, width - about.size(), utf8);
    lead.append(width - about.size() - print::display_width(lead), ' ');
    return lead + about;
  }

  /// Returns the number of the chosen one; empty if the user left.
  Result<std::string> pick_conversation() {
    SVC_TRY(others, m_saved.others());
    if (others.empty()) {
      return usage_error(fmt::format("no other saved conversation of `svc {}`", m_operation.group));
    }
    ConversationFilter filter(others,
                              [this](const std::string& word) { return m_saved.containing(word); });
    const bool dumb = m_session.out().terminal().dumb;
    std::string sought;
    std::map<std::size_t, std::string> said;  // why those items match that are found by content
    const Choices choices{[&](const std::string& typed) {
                            sought = typed;
                            said.clear();
                            return filter.matching(typed);
                          },
                          [&](std::size_t item, std::size_t width) {
                            const auto [known, added] = said.try_emplace(item);
                            const std::string word =
                                added ? filter.word_said(item, sought) : std::string();
                            if (!word.empty())
                              known->second = m_saved.excerpt_at(others[item], word);
                            return choice_line(others[item], width, known->second);
                          }};
    SVC_TRY(picked,
            m_editor.pick(dumb ? "Number or name (Ctrl-D cancels): " : "Resume: ", choices));
    return picked ? fmt::to_string(others[*picked].id) : std::string();
  }

  Result<void> resume(const std::string& argument) {
    std::string which = argument;
    if (which.empty()) {
      SVC_TRY(picked, pick_conversation());
      which = std::move(picked);
    }
    if (which.empty()) return {};
    SVC_CHECK(m_saved.resume(which));
    restart_session();
    const history::Conversation& facts = m_saved.facts();
    if (!facts.model.empty()) set_input(k_model, facts.model);
    remove_system();
    if (!facts.system.empty()) set_input(system_flag(), facts.system);
    return show_turns();
  }

  Result<void> compact(const std::string& /*argument*/) {
    if (m_operation.view != View::Response) {
      return usage_error("only conversations of `svc responses` can be compacted",
                         "Use /clear to start a new one.");
    }
    const Operation* operation = find_operation("responses", "compact");
    request::Inputs inputs;
    for (const history::Turn& turn : m_saved.turns()) {
      for (const std::string& message : turn.messages) {
        inputs.given.push_back(
            {find_field(*operation, ResponseFlags::k_name<"input-items">), message});
      }
    }
    if (inputs.given.empty()) return usage_error("nothing to compact yet");
    inputs.given.push_back({find_field(*operation, k_model), model()});
    SVC_TRY(request, prepare(m_session, *operation, inputs));
    const TurnCancel cancel(m_session.cancel_token(), m_terminal);
    SVC_TRY(client, m_dialogue.client(&cancel));
    SVC_CHECK(complete_address(m_session, request));
    m_session.progress().start("waiting for the compaction");
    const Result<CallReply> reply = client->call(request);
    m_session.progress().finish();
    if (!reply) {
      record_interrupted(m_session, *operation, reply.error());
      return reply.error();
    }
    record_document(m_session, *operation, reply->body);
    const Usage usage = read_usage(reply->body).value_or(Usage{});
    m_usage.add(usage);
    history::Turn turn{.model = model(),
                       .input_tokens = usage.input_tokens,
                       .output_tokens = usage.output_tokens,
                       .cost_ticks = usage.cost_ticks};
    const std::ptrdiff_t answered = answers();
    for (const sv item : json_elements(json_member(reply->body, "output").value_or("[]"))) {
      turn.messages.push_back(compact_json(parse_reply_in_order(item)));
    }
    if (turn.messages.empty()) return Error{Fault::Network, "the compaction returned no items"};
    const std::size_t turns = m_spoken.size();
    if (m_saved.earlier()) m_usage.add(*m_saved.earlier());
    m_saved.start_over();
    m_saved.append(std::move(turn));
    m_spoken = spoken_before(m_saved);
    m_compacted = answered - static_cast<std::ptrdiff_t>(m_spoken.size());
    tell(fmt::format("Compacted {}.{}", counted(turns, "turn", "turns"),
                     m_saved.is_saved() ? " New turns are saved as a new conversation." : ""));
    return {};
  }

  /// `!command`: runs it and offers to add its output to the next message.
  Result<void> run_shell(const std::string& script) {
    std::string output;
    bool cut = false;
    print::Out& out = m_session.out();
    Result<ProgramExit> end = ProgramExit{};
    {
      const TurnCancel cancel(m_session.cancel_token(), m_terminal);
      VisibleStream shown;
      ProgramOptions run{.arguments = {"/bin/sh", "-c", script}, .output = ProgramOutput::All};
      run.take = [&](sv bytes) {
        cut = cut || output.size() + bytes.size() > k_max_output;
        output += bytes.substr(0, k_max_output - std::min(k_max_output, output.size()));
        (void)out.write(shown.feed(bytes));
        (void)out.flush();
      };
      end = run_program(run, cancel);
      (void)out.write(shown.finish());
    }
    if (!output.empty() && !output.ends_with('\n')) SVC_CHECK(out.write("\n"));
    SVC_CHECK(out.flush());
    if (!end && m_session.cancel_token().requested()) return end.error();
    if (!end && end.error().fault != Fault::Interrupted) return end.error();
    if (end && (end->code != 0 || end->signal != 0)) tell(fmt::format("({})", describe(*end, {})));
    if (trim(output).empty()) return {};
    const auto lines =
        std::count(output.begin(), output.end(), '\n') + (output.ends_with('\n') ? 0 : 1);
    (void)m_editor.look_ahead();
    const std::string question =
        fmt::format("Add {}{} to the next message? {}", cut ? "the first " : "",
                    counted(lines, "line", "lines"), yes_or_no(m_session.err().terminal()));
    SVC_TRY(choice, ask_question(m_session, m_terminal, question, "yn", m_session.cancel_token(),
                                 typed_ahead()));
    const bool yes = choice.key == 'y';
    SVC_CHECK(m_session.say(yes ? "yes\n" : "no\n"));
    if (yes) m_output += fmt::format("Output of `{}`:\n```\n{}\n```\n", trim(script), trim(output));
    return {};
  }

  /// Continues with the turns of the saved conversation.
  void restart_session() {
    m_pending.clear();
    m_output.clear();
    m_usage = {};
    m_compacted = 0;
    m_spoken = spoken_before(m_saved);
  }

  Result<void> clear(const std::string& /*argument*/) {
    m_saved.start_over();
    restart_session();
    tell("Started a new conversation.");
    return {};
  }

  Result<void> leave(const std::string& /*argument*/) {
    m_leaving = true;
    return {};
  }

  Session& m_session;
  const Operation& m_operation;
  SavedConversation m_saved;
  Dialogue m_dialogue;
  RawTerminal m_terminal;
  InputHistory m_history;
  LineEditor m_editor;
  request::Inputs m_inputs{};           ///< apply to the whole conversation
  std::vector<Attachment> m_pending{};  ///< of the next message
  std::string m_output{};               ///< of shell commands, for the next message
  std::vector<Spoken> m_spoken{};
  Usage m_usage{};                 ///< of all turns, undone ones included
  std::ptrdiff_t m_compacted = 0;  ///< answers replaced by a compaction
  int m_context_level = 0;         ///< how often note_context() has spoken since it was short
  std::optional<std::vector<std::string>> m_models{};
  ReasoningView m_reasoning;
  bool m_leaving = false;
};

}  // namespace

bool is_interactive_chat(Session& session) {
  const Invocation& invocation = session.invocation();
  const Globals& globals = invocation.globals;
  if (!is_conversation(*invocation.operation)) return false;
  if (globals.shows_only() || session.ignores_stdin()) return false;
  if (globals.output || invocation.inputs.body) return false;
  if (session.format() != Format::Text || !session.out().terminal().is_tty) return false;
  if (::isatty(STDIN_FILENO) != 1) return false;
  const auto& given = invocation.inputs.given;
  return std::none_of(given.begin(), given.end(), sets_content);
}

Result<void> run_conversation(Session& session) {
  SVC_TRY(saved, SavedConversation::open(session, ConversationKind::Conversation));
  return InteractiveConversation(session, std::move(saved)).run();
}

}  // namespace svc::cli
