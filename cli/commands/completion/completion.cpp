#include "catalogue/catalogue.h"
#include "commands/registry.h"
#include "docgen/completions.h"

namespace svc::cli {

Result<void> run_completion(Session& session) {
  const std::string shell = session.invocation().value("shell").value_or("");
  const std::string script = docgen::completion_script(shell, groups());
  if (script.empty())
    return usage_error("there is no completion for this shell; allowed: bash, zsh, fish");
  return session.out().write(script);
}

}  // namespace svc::cli
