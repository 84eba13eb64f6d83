#include "support/case_runner.h"

#include <fstream>

#include "base/text.h"
#include "support/answer_check.h"
#include "support/case_checks.h"
#include "support/case_verdict.h"

namespace svc::test {
namespace {

CommandPlan plan_of(const Case& which, const World& world) {
  CommandPlan plan;
  plan.command = expand(which.command, world.variables());
  plan.env = world.environment();
  plan.directory = world.work().string();
  plan.input = which.input;
  if (const CaseSection* input = which.section("stdin")) {
    plan.input_text = section_text(*input, world.variables());
  }
  plan.tty = which.tty;
  plan.actions = which.actions;
  for (CaseAction& action : plan.actions) {
    action.text = expand(action.text, world.variables());
    action.when = expand(action.when, world.variables());
  }
  plan.timeout = which.timeout * (under_sanitizer() ? 3 : 1);
  plan.requests_seen = [&world] {
    const FaultServer* server = world.server("");
    return server == nullptr ? 0 : server->requests().size();
  };
  return plan;
}

/// Runs the commands of an `after` section; returns the failure, or an empty string.
std::string run_after(const CaseSection& section, const World& world,
                      const CommandOutcome& outcome) {
  const std::string out = (world.root() / "stdout").string();
  const std::string err = (world.root() / "stderr").string();
  std::ofstream(out, std::ios::binary) << outcome.out;
  std::ofstream(err, std::ios::binary) << outcome.err;
  CommandPlan plan;
  plan.command = "set -e\n" + expand(section.text, world.variables());
  plan.env = world.environment();
  plan.env.push_back("STDOUT=" + out);
  plan.env.push_back("STDERR=" + err);
  plan.directory = world.work().string();
  const auto after = run_command(plan);
  if (!after) return after.error().message;
  if (after->exit == 0) return {};
  return "the commands of `after` exited with " + std::to_string(after->exit) + ":\n" +
         show(after->out + after->err);
}

/// `--- printed PATH GROUP [VERB…]`: compares the file with the rows of the command.
void check_printed_file(const CaseSection& section, const World& world, Verdict& verdict) {
  const std::vector<std::string> verb(section.words.begin() + 2, section.words.end());
  const std::string text = slurp(world.work() / section.words[0]);
  for (const std::string& problem : check_printed(section.words[1], join(verb, " "), text)) {
    verdict.fail(section.words[0] + ": " + problem);
  }
}

void judge(const Case& which, World& world, const CommandOutcome& outcome, CaseResult& result) {
  Verdict verdict(which, world, outcome);
  verdict.check_end();
  verdict.check_output();
  verdict.check_screen();
  verdict.check_requests();
  verdict.check_files();
  if (const CaseSection* after = which.section("after")) {
    if (const auto problem = run_after(*after, world, outcome); !problem.empty()) {
      verdict.fail(problem);
    }
  }
  for (const CaseSection& section : which.sections) {
    if (section.name == "printed") check_printed_file(section, world, verdict);
  }
  if (const auto problem = world.compare_answers(); !problem.empty()) verdict.fail(problem);
  if (const auto problem = world.stop_emulator(); !problem.empty()) verdict.fail(problem);
  verdict.check_hygiene();
  result.out = outcome.out;
  result.screen = verdict.screen_text();
  result.failures = verdict.take();
  if (result.failures.empty()) return;
  result.failures.push_back("stdout was\n" + show(outcome.out, 0, 15));
  result.failures.push_back("stderr was\n" + show(outcome.err, 0, 15));
}

}  // namespace

CaseResult run_case(const Case& which, const Programs& programs, Keep keep) {
  CaseResult result;
  result.name = which.name;
  auto world = World::build(which, programs);
  if (!world) {
    result.failures.push_back("cannot be prepared: " + world.error().message);
    return result;
  }
  const auto outcome = run_command(plan_of(which, **world));
  if (!outcome) {
    result.failures.push_back("cannot be run: " + outcome.error().message);
    return result;
  }
  result.wall = outcome->wall;
  judge(which, **world, *outcome, result);
  if (!result.failures.empty() && keep == Keep::Failed) {
    (*world)->keep();
    result.directory = (*world)->root().string();
  }
  return result;
}

}  // namespace svc::test
