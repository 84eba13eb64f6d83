#include "app.h"

#include <chrono>

#include <fmt/format.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/cancel_token.h"
#include "base/text.h"
#include "base/version.h"
#include "command_line/aliases.h"
#include "command_line/parse_args.h"
#include "commands/command.h"
#include "conversation/interactive.h"
#include "docgen/help.h"
#include "print/json.h"
#include "session/version.h"
#include "terminal/key_input.h"

namespace svc::cli {
namespace {

std::string aliases_help() {
  std::string text;
  for (const auto& [name, expansion] : known_aliases()) {
    text += fmt::format("  {}  svc {}\n", shown(name), shown(expansion.text));
  }
  return text.empty() ? text : "\nAliases:\n" + text;
}

Result<void> print_help(const Invocation& invocation, print::Out& out) {
  const bool all = invocation.ask == Ask::HelpAll;
  const int columns = out.terminal().columns;
  const auto groups_text = [&] {
    if (const docgen::Topic* topic = docgen::find_topic(invocation.topic)) {
      return docgen::topic_help(*topic, columns);
    }
    if (invocation.group == nullptr) {
      return docgen::overview_help(groups(), all, columns) + aliases_help();
    }
    if (invocation.operation != nullptr && invocation.verb_given) {
      return docgen::operation_help(*invocation.operation, all, columns);
    }
    return docgen::group_help(*invocation.group, all, columns);
  };
  SVC_CHECK(out.write(groups_text()));
  return out.flush();
}

Result<void> print_version(const std::vector<std::string>& arguments, print::Out& out) {
  const bool json = look_early(arguments).json_errors;
  if (!json) {
    SVC_CHECK(out.write(fmt::format("svc {}\n", k_full_version)));
    return out.flush();
  }
  SVC_CHECK(print::print_json(out, version_document()));
  return out.flush();
}

/// Rejects --dry-run and --curl for local commands, which have no request and would have side
/// effects.
Result<void> refuse_to_show(const Operation& operation, const Globals& globals) {
  if (!globals.shows_only()) return {};
  if (operation.host != Host::Local || operation.group == "api") return {};
  if (command_name(operation) == "batches run") return {};
  return usage_error(fmt::format("{} cannot be used with 'svc {}': it sends no request",
                                 globals.curl      ? "--curl"
                                 : globals.dry_run ? "--dry-run"
                                                   : "--estimate",
                                 command_name(operation)));
}

Result<void> run_command(Session& session, Invocation& invocation) {
  SVC_CHECK(refuse_to_show(*session.invocation().operation, session.globals()));
  return run_invocation(session, invocation);
}

int report(print::Notices& notices, const Error& error) {
  // A reader that closed the pipe needs no error message.
  if (error.fault != Fault::ReaderGone) notices.error(error);
  return static_cast<int>(error.fault);
}

/// Whether the user may do something else while the command runs.
bool works_alone(Session& session) {
  const Operation* operation = session.invocation().operation;
  return operation != nullptr && operation->host != Host::Local &&
         operation->reply != Reply::Socket && !is_interactive_chat(session);
}

}  // namespace

int run_app(const std::vector<std::string>& typed, const CancelToken& cancel) {
  if (!typed.empty() && typed.front() == "__complete") {
    return run_complete({typed.begin() + 1, typed.end()}, cancel);
  }
  const Result<std::vector<std::string>> expanded = expand_command(typed);
  const std::vector<std::string>& arguments = expanded ? *expanded : typed;
  const EarlyLook look = look_early(arguments);
  const auto color = print::parse_color(look.color).value_or(print::ColorChoice::Auto);
  print::Out err(print::fd_sink(STDERR_FILENO, "standard error", &cancel),
                 print::detect_terminal(STDERR_FILENO, color));
  print::Out out(print::fd_sink(STDOUT_FILENO, "standard output", &cancel),
                 print::detect_terminal(STDOUT_FILENO, color));
  print::Notices early(err, {.quiet = look.quiet, .json = look.json_errors});
  if (!expanded) return report(early, expanded.error());
  Result<Invocation> invocation = parse_args(arguments);
  if (!invocation) return report(early, invocation.error());
  if (invocation->ask != Ask::Run) {
    const Result<void> printed = invocation->ask == Ask::Version ? print_version(arguments, out)
                                                                 : print_help(*invocation, out);
    return printed ? 0 : report(early, printed.error());
  }
  const Globals& globals = invocation->globals;
  QuietKeys keys(STDERR_FILENO);
  print::Progress progress(err, !globals.quiet && !globals.no_progress);
  // If standard output is a pipe, a pager may be reading it, and would restore the terminal modes
  // that it found at its start: leave them alone.
  struct stat output {};
  const bool piped = ::fstat(STDOUT_FILENO, &output) == 0 &&
                     (S_ISFIFO(output.st_mode) || S_ISSOCK(output.st_mode));
  if (!piped) progress.on_line([&keys](bool shown) { shown ? keys.hide() : keys.show(); });
  print::Notices notices(
      err, {.quiet = globals.quiet, .json = look.json_errors, .verbose = globals.verbose},
      &progress);
  Session session(*invocation, cancel, err, notices, progress);
  const auto begin = std::chrono::steady_clock::now();
  Result<void> done = run_command(session, *invocation);
  const bool stopped = !done && is_cancellation(done.error().fault);
  if (session.is_open() && works_alone(session) && !stopped) session.notify_done(begin);
  if (done) return 0;
  // An interrupted system call does not know which signal it was.
  const auto asked = cancel.requested();
  if (asked && is_cancellation(done.error().fault)) done.error().fault = *asked;
  return report(notices, done.error());
}

}  // namespace svc::cli
