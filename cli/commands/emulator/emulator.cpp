// `svc emulator`: svc-emulator in the foreground, in place of this program.
#include <vector>

#include <fmt/format.h>
#include <unistd.h>

#include "commands/registry.h"

namespace svc::cli {

Result<void> run_emulator(Session& session) {
  SVC_TRY(program, find_emulator());
  std::vector<std::string> words = {program};
  for (const request::Given& given : session.invocation().inputs.given) {
    if (given.field->kind == Kind::Boolean) {
      if (given.text == "true") words.push_back(fmt::format("--{}", given.field->flag));
      continue;
    }
    words.push_back(fmt::format("--{}", given.field->flag));
    words.push_back(given.text);
  }
  if (session.globals().quiet) words.emplace_back("--quiet");
  std::vector<char*> arguments;
  for (std::string& word : words) arguments.push_back(word.data());
  arguments.push_back(nullptr);
  ::execv(program.c_str(), arguments.data());
  return system_error("svc-emulator cannot be started", errno);
}

}  // namespace svc::cli
