// Shell completion: the scripts and the command they call.

#include <algorithm>

#include <unistd.h>

#include "base/text.h"
#include "catalogue/local_commands_fields.h"
#include "command_line/aliases.h"
#include "command_line/complete.h"
#include "commands/command.h"
#include "commands/completion/completion_scripts.h"
#include "operation/value_completion.h"
#include "print/streams.h"

namespace svc::cli {

template <>
Result<void> run<Handler::Completion>(Session& session) {
  const std::string shell =
      Flags<catalogue::tool_commands::k_completion_fields>(session.inputs()).text<"shell">();
  return session.out().write(shell == "bash"  ? k_bash_script
                             : shell == "zsh" ? k_zsh_script
                                              : k_fish_script);
}

int run_complete(const std::vector<std::string>& typed, const CancelToken& cancel) {
  const std::vector<std::string> words = expand_typed(typed);
  ShellCompletion offer = complete_line(words);
  const auto is_command = [](const Candidate& candidate) { return candidate.word == "alias"; };
  if (std::ranges::any_of(offer.candidates, is_command)) {  // the commands are offered
    for (const auto& [name, expansion] : known_aliases()) {
      offer.candidates.push_back({name, "svc " + shown(expansion.text)});
    }
  }
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
