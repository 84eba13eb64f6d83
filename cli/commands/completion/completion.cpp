// Shell completion: the scripts and the command they call.

#include <unistd.h>

#include "command_line/complete.h"
#include "commands/completion/completion_scripts.h"
#include "commands/registry.h"
#include "operation/value_completion.h"
#include "print/streams.h"

namespace svc::cli {

Result<void> run_completion(Session& session) {
  const std::string shell = session.invocation().value("shell").value_or("");
  return session.out().write(shell == "bash"  ? k_bash_script
                             : shell == "zsh" ? k_zsh_script
                                              : k_fish_script);
}

int run_complete(const std::vector<std::string>& words, const CancelToken& cancel) {
  ShellCompletion offer = complete_line(words);
  if (!offer.source.empty()) {
    for (std::string& word : values_behind_tab(offer.source, words, cancel)) {
      offer.candidates.push_back({std::move(word)});
    }
  }
  if (offer.candidates.empty() && !offer.files) return 0;
  std::string text = (offer.files ? "files " : "words ") + offer.prefix + '\n';
  for (const Candidate& candidate : offer.candidates) {
    text += candidate.word;
    if (!candidate.help.empty()) text += '\t' + candidate.help;
    text += '\n';
  }
  print::Out out(print::fd_sink(STDOUT_FILENO, "standard output", &cancel));
  if (out.write(text)) (void)out.flush();
  return 0;
}

}  // namespace svc::cli
