// Implements the commands of a conversation.
#include <algorithm>
#include <array>
#include <utility>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "base/base64.h"
#include "base/files.h"
#include "base/money.h"
#include "base/program.h"
#include "base/text.h"
#include "client/usage.h"
#include "conversation/prompt.h"
#include "conversation/text_editor.h"
#include "json/document.h"
#include "json/slices.h"
#include "operation/runner.h"
#include "print/table.h"
#include "request/compose.h"
#include "request/media.h"
#include "session/cost_tracker.h"
#include "terminal/editor/raw_terminal.h"

namespace svc::cli {
namespace {

constexpr std::size_t k_most_output = 200'000;  ///< bytes of a command's output in a message
constexpr std::size_t k_most_copied = 75'000;   ///< bytes; terminals reject more

/// The number of turns for /undo.
Result<std::size_t> count_of(const std::string& argument, std::size_t turns) {
  if (argument.empty()) return std::size_t{1};
  const auto count = parse_integer(argument);
  if (!count || *count < 1) return usage_error("/undo needs a number of messages, such as 2");
  const auto all = static_cast<std::int64_t>(turns);
  if (*count > all) {
    return usage_error(
        fmt::format("only {} message{} can be undone", turns, turns == 1 ? "" : "s"));
  }
  return static_cast<std::size_t>(*count);
}

}  // namespace

InteractiveConversation::Command InteractiveConversation::command_of(sv name) {
  static constexpr std::array<std::pair<sv, Command>, 17> k_commands = {
      {{"help", &InteractiveConversation::help},
       {"model", &InteractiveConversation::choose_model},
       {"system", &InteractiveConversation::set_system},
       {"image", &InteractiveConversation::add_image},
       {"file", &InteractiveConversation::add_file},
       {"tool", &InteractiveConversation::add_tool},
       {"mcp", &InteractiveConversation::mcp},
       {"retry", &InteractiveConversation::retry},
       {"edit", &InteractiveConversation::edit},
       {"undo", &InteractiveConversation::undo},
       {"save", &InteractiveConversation::save},
       {"copy", &InteractiveConversation::copy},
       {"resume", &InteractiveConversation::resume},
       {"compact", &InteractiveConversation::compact},
       {"cost", &InteractiveConversation::cost},
       {"clear", &InteractiveConversation::clear},
       {"exit", &InteractiveConversation::leave}}};
  for (const auto& [known, run] : k_commands) {
    if (known == name) return run;
  }
  return &InteractiveConversation::help;
}

Result<void> InteractiveConversation::help(const std::string& argument) {
  const sv name = argument.starts_with('/') ? sv(argument).substr(1) : sv(argument);
  const SlashWord* only = name.empty() ? nullptr : find_slash_word(name);
  if (only == nullptr && !name.empty()) return unknown_command(name);
  const bool responses = m_operation.view == View::Response;
  SVC_CHECK(m_session.out().write(slash_help(m_terminal.size().columns, responses, only)));
  return m_session.out().flush();
}

Result<void> InteractiveConversation::choose_model(const std::string& argument) {
  if (argument.empty()) {
    tell(fmt::format("The model is {}. Use /model NAME to change it.", model()));
    return {};
  }
  const std::vector<std::string> known = models();
  if (!known.empty() && std::find(known.begin(), known.end(), argument) == known.end()) {
    const sv near = nearest(argument, known);
    return usage_error(fmt::format("unknown text model '{}'", shown(argument, 80)),
                       near.empty() ? fmt::format("Models: {}.", join(known, ", "))
                                    : fmt::format("Did you mean '{}'?", near));
  }
  set_input("model", argument);
  tell(fmt::format("The model is now {}.", argument));
  return {};
}

Result<void> InteractiveConversation::set_system(const std::string& argument) {
  const bool responses = m_operation.view == View::Response;
  const sv flag = responses ? "instructions" : "system";
  if (argument.empty()) {
    const auto text = input(flag);
    tell(text ? *text : "No system prompt. /system TEXT sets one, /system \"\" removes it.");
    return {};
  }
  if (argument == "\"\"" || argument == "''") {
    std::erase_if(m_inputs.given,
                  [flag](const request::Given& given) { return given.field->flag == flag; });
    m_kept.set_system("");
    tell("System prompt removed.");
    return {};
  }
  set_input(flag, argument.starts_with('@') ? "\\" + argument : argument);
  m_kept.set_system(argument);
  tell("System prompt set.");
  return {};
}

Result<void> InteractiveConversation::add_image(const std::string& argument) {
  return add_attachment("image", argument);
}

Result<void> InteractiveConversation::add_file(const std::string& argument) {
  return add_attachment("file", argument);
}

Result<void> InteractiveConversation::add_attachment(sv flag, const std::string& argument) {
  if (argument.empty()) return usage_error(fmt::format("/{} needs a path or a URL", flag));
  if (argument == "-") return usage_error("standard input is the terminal");
  const std::string path = with_home(argument, m_session.environment());
  SVC_TRY(media, request::resolve_media(fmt::format("/{}", flag), path, nullptr));
  if (flag == "image") SVC_CHECK(request::check_image(media));
  m_pending.push_back({find_field(m_operation, flag), path});
  tell(fmt::format("Attached {} to your next message.", argument));
  return {};
}

Result<void> InteractiveConversation::add_tool(const std::string& argument) {
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

void InteractiveConversation::take_back() {
  if (!m_spoken.back().messages.empty()) (void)m_kept.take_back();
  m_spoken.pop_back();
}

Result<void> InteractiveConversation::retry(const std::string& /*argument*/) {
  if (m_spoken.empty()) return usage_error("no message to resend yet");
  Spoken last = m_spoken.back();
  take_back();
  return say(std::move(last.said), std::move(last.attachments));
}

Result<void> InteractiveConversation::edit(const std::string& argument) {
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
    take_back();
  }
  SVC_CHECK(m_session.out().write(visible("> " + replace_all(text, "\n", "\n  ")) + "\n"));
  (void)m_history.add(text, m_session.secrets());
  return say(std::move(text), std::move(attachments));
}

Result<void> InteractiveConversation::undo(const std::string& argument) {
  if (m_spoken.empty()) return usage_error("nothing to undo");
  SVC_TRY(count, count_of(argument, m_spoken.size()));
  for (std::size_t i = 0; i < count; ++i) {
    const std::string said = excerpt(m_spoken.back().said, 60);
    take_back();
    tell(fmt::format("Undone: {}", replace_all(said, "\n", " ")));
  }
  return {};
}

Result<void> InteractiveConversation::save(const std::string& argument) {
  if (argument.empty()) return usage_error("/save needs a file name");
  if (m_spoken.empty()) return usage_error("nothing to save yet");
  const std::string path = with_home(argument, m_session.environment());
  const bool json = path.ends_with(".json");
  const std::string text = json
                               ? as_json(m_spoken, m_operation.group, model(), thread().response_id)
                               : as_markdown(m_spoken);
  if (Result<void> written = write_file(path, text, Replace::No, 0600); !written) {
    written.error().hint = "Use another name.";
    return written;
  }
  tell(fmt::format("Saved to {}.", argument));
  return {};
}

Result<void> InteractiveConversation::copy(const std::string& argument) {
  const auto last = std::find_if(m_spoken.rbegin(), m_spoken.rend(),
                                 [](const Spoken& spoken) { return !spoken.answer.empty(); });
  if (last == m_spoken.rend()) return usage_error("no answer to copy yet");
  std::optional<std::string> text = last->answer;
  if (argument == "code") {
    text = last_code_block(last->answer);
    if (!text) return usage_error("no code block in the last answer");
  } else if (!argument.empty()) {
    return usage_error("the only argument of /copy is code");
  }
  if (text->size() > k_most_copied) {
    return usage_error("the text is too long for a terminal's clipboard",
                       "Use /save FILE instead.");
  }
  if (m_session.out().terminal().dumb) return usage_error("this terminal has no clipboard");
  // The terminal sends no confirmation; some ignore the sequence.
  SVC_CHECK(m_session.out().write("\x1b]52;c;" + base64_encode(*text) + "\x1b\\"));
  SVC_CHECK(m_session.out().flush());
  tell(fmt::format("Copied to the clipboard: {}.", format_bytes(text->size())));
  return {};
}

/// Includes the answers before a compaction.
std::ptrdiff_t InteractiveConversation::answers() const {
  return m_compacted + std::count_if(m_spoken.begin(), m_spoken.end(),
                                     [](const Spoken& spoken) { return !spoken.messages.empty(); });
}

Result<void> InteractiveConversation::cost(const std::string& /*argument*/) {
  const auto turns = answers();
  Usage all = m_usage;
  if (m_kept.earlier()) all.add(*m_kept.earlier());
  const std::string line = cost_line(all);
  tell(turns == 0 ? "No answer yet."
                  : fmt::format("{} answer{}: {}", turns, turns == 1 ? "" : "s",
                                line.empty() ? "no cost reported" : line));
  return {};
}

Result<std::string> InteractiveConversation::pick_conversation() {
  SVC_TRY(others, m_kept.others(20));
  if (others.empty()) {
    return usage_error(fmt::format("no other saved conversation of `svc {}`", m_operation.group));
  }
  constexpr std::array k_columns = {
      Column{"ID", "id"}, Column{"NAME", "name"}, Column{"LAST USED", "used", Cell::UnixTime},
      Column{"TITLE", "title"}, Column{"TURNS", "turns", Cell::Count}};
  print::Terminal terminal = m_session.out().terminal();
  terminal.columns = static_cast<int>(m_terminal.size().columns);
  std::string text;
  print::Out out(print::string_sink(text), terminal);
  print::Table table(out, k_columns);
  for (const history::Conversation& one : others) {
    SVC_CHECK(table.add({{"id", one.id},
                         {"name", one.name},
                         {"used", one.updated},
                         {"title", one.title},
                         {"turns", one.turns}}));
  }
  SVC_CHECK(table.finish());
  SVC_CHECK(out.flush());
  SVC_CHECK(m_session.out().write(text));
  SVC_TRY(typed, m_editor.read("Number or name (Ctrl-D cancels): "));
  return std::string(trim(typed.value_or("")));
}

Result<void> InteractiveConversation::resume(const std::string& argument) {
  std::string which = argument;
  if (which.empty()) {
    SVC_TRY(picked, pick_conversation());
    which = std::move(picked);
  }
  if (which.empty()) return {};
  SVC_CHECK(m_kept.resume(which));
  m_pending.clear();
  m_output.clear();
  m_usage = {};
  m_compacted = 0;
  m_spoken = spoken_before(m_kept);
  const history::Conversation& facts = m_kept.facts();
  if (!facts.model.empty()) set_input("model", facts.model);
  const sv flag = m_operation.view == View::Response ? "instructions" : "system";
  std::erase_if(m_inputs.given,
                [flag](const request::Given& given) { return given.field->flag == flag; });
  if (!facts.system.empty()) {
    set_input(flag, facts.system.starts_with('@') ? "\\" + facts.system : facts.system);
  }
  tell_turns();
  return {};
}

Result<void> InteractiveConversation::compact(const std::string& /*argument*/) {
  if (m_operation.view != View::Response) {
    return usage_error("only conversations of `svc responses` can be compacted",
                       "Use /clear to start a new one.");
  }
  const Operation* operation = find_operation("responses", "compact");
  request::Inputs inputs;
  for (const history::Turn& turn : m_kept.turns()) {
    for (const std::string& message : turn.messages) {
      inputs.given.push_back({find_field(*operation, "input-items"), message});
    }
  }
  if (inputs.given.empty()) return usage_error("nothing to compact yet");
  inputs.given.push_back({find_field(*operation, "model"), model()});
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
  if (turn.messages.empty()) return Error{Fault::Network, "the compaction contains no item"};
  const std::size_t turns = m_spoken.size();
  if (m_kept.earlier()) m_usage.add(*m_kept.earlier());
  m_kept.begin_anew();
  m_kept.append(std::move(turn));
  m_spoken = spoken_before(m_kept);
  m_compacted = answered - static_cast<std::ptrdiff_t>(m_spoken.size());
  tell(fmt::format("Compacted {} turn{}.{}", turns, turns == 1 ? "" : "s",
                   m_kept.is_saved() ? " New turns are saved as a new conversation." : ""));
  return {};
}

Result<void> InteractiveConversation::run_shell(const std::string& script) {
  std::string output;
  bool cut = false;
  print::Out& out = m_session.out();
  Result<ProgramEnd> end = ProgramEnd{};
  {
    const TurnCancel cancel(m_session.cancel_token(), m_terminal);
    VisibleStream shown;
    ProgramRun run{.arguments = {"/bin/sh", "-c", script}, .output = ProgramOutput::All};
    run.take = [&](sv bytes) {
      cut = cut || output.size() + bytes.size() > k_most_output;
      output += bytes.substr(0, k_most_output - std::min(k_most_output, output.size()));
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
  SVC_CHECK(m_session.err().write(
      fmt::format("Add {}{} line{} to the next message? [y]es, [n]o: ", cut ? "the first " : "",
                  lines, lines == 1 ? "" : "s")));
  SVC_CHECK(m_session.err().flush());
  SVC_TRY(choice, read_choice(m_terminal, "yn", m_session.cancel_token()));
  const bool yes = choice.key == 'y';
  SVC_CHECK(m_session.err().write(yes ? "yes\n" : "no\n"));
  SVC_CHECK(m_session.err().flush());
  if (yes) m_output += fmt::format("Output of `{}`:\n```\n{}\n```\n", trim(script), trim(output));
  return {};
}

Result<void> InteractiveConversation::clear(const std::string& /*argument*/) {
  m_spoken.clear();
  m_output.clear();
  m_usage = {};
  m_compacted = 0;
  m_kept.begin_anew();
  m_pending.clear();
  tell("Started a new conversation.");
  return {};
}

Result<void> InteractiveConversation::leave(const std::string& /*argument*/) {
  m_leaving = true;
  return {};
}

}  // namespace svc::cli
