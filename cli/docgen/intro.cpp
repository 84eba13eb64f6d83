#include "docgen/intro.h"

#include <array>

namespace svc::docgen {
namespace {

constexpr std::array k_description = {
    sv("svc brings every operation of a hosted AI service to the terminal, to scripts and to CI "
       "jobs. A group names a subject, a verb what to do with it. Most groups have one verb that "
       "may be left out: svc chat Hello is svc chat create Hello. After the group, a first word "
       "that names a verb is that verb; -- before it makes it an argument."),
    sv("Flags have the names of the members of the service's requests, in kebab case, and only "
       "what "
       "is given is sent. A flag of a list is repeated; a boolean has a --no- form; a member of "
       "open shape takes JSON or @FILE. --body gives the whole body, and --set any one member, so "
       "nothing that the service accepts is out of reach; flags win over --set, --set over "
       "--body."),
    sv("Values are checked before anything is sent. --dry-run shows the request instead of sending "
       "it, --curl a curl command that does the same; neither ever shows a key."),
    sv("svc -p emulator COMMAND runs against a local stand-in for the service: no key, no network "
       "and no cost."),
};

constexpr std::array k_input = {
    sv("Where an argument is - the text is read from standard input; where it takes @FILE it is "
       "read from that file, and \\@ stands for a plain @ at the beginning. Commands that take a "
       "prompt append what is piped in. When the pipe stays silent for two seconds a line on "
       "standard error says so; --no-stdin ignores it."),
};

constexpr std::array k_output = {
    sv("Standard output carries the result and nothing else; progress, warnings, reasoning, "
       "citations, token counts and costs go to standard error. The format does not depend on "
       "where "
       "the output goes: only colour, column widths and progress do."),
    sv("--format text, the default, prints the text of a model's answer, a table for lists "
       "(tab-separated and without a header when the output is no terminal), and name: value lines "
       "for one object. --format json prints one JSON document, also for a list of many pages; "
       "jsonl prints one item or event per line as it arrives; raw prints the bytes of the answer. "
       "With --jq the result goes through a jq program first. jq computes with doubles: integers "
       "beyond 2^53 are rounded."),
    sv("With json and jsonl an error is one JSON object on standard error: an object error with "
       "fault, message, hint, http_status, code and request_id, null where unknown."),
    sv("Text from outside that goes to a terminal has its control characters made visible. Pipes "
       "and files get the exact bytes. A file appears whole at the path of --output or not at all, "
       "and replaces another one only with --force."),
};

constexpr std::array k_configuration = {
    sv("The configuration file is TOML: default_profile names the profile to use, and each table "
       "[profile.NAME] holds settings. A flag wins over the environment, the environment over the "
       "profile. svc config changes the file; keys are never stored in it. The settings are:"),
};

constexpr std::array k_exit_codes = {
    Term{"0", "Done."},
    Term{"1",
         "Unexpected: a fault that nobody foresaw, no memory left, or a --jq program that failed."},
    Term{"2", "Wrong usage or bad input; nothing was sent."},
    Term{"3", "No key, or the service refused it."},
    Term{"4", "The service knows no such thing."},
    Term{"5", "Rate limit reached, or credits used up."},
    Term{"6", "The service failed or refused the request."},
    Term{"7", "Network or TLS failure, or a broken or cut-short answer."},
    Term{"8", "A deadline passed."},
    Term{"9", "The remote work ended badly: failed, expired or incomplete."},
    Term{"10", "A local file, the terminal or a sound device failed."},
    Term{"11",
         "Sent, but the outcome is unknown: the answer to a request that creates something was "
         "lost."},
    Term{"130", "Interrupted."},
    Term{"141", "The reader of standard output went away."},
    Term{"143", "Terminated."},
};

constexpr std::array k_environment = {
    Term{"SVC_API_KEY", "The API key."},
    Term{"SVC_MANAGEMENT_API_KEY, SVC_MANAGEMENT_KEY", "The management key."},
    Term{"SVC_PROFILE", "The profile to use when --profile is not given."},
    Term{"SVC_NO_STDIN", "When 1, standard input is ignored, as with --no-stdin."},
    Term{"NO_COLOR", "When not empty, no colour is used unless --color says so."},
    Term{"TERM", "When dumb or not set, neither colour nor progress is shown."},
    Term{"COLUMNS", "The width of the terminal, in place of its own answer."},
    Term{"LC_ALL, LC_CTYPE, LANG", "Whether the terminal shows UTF-8."},
    Term{"https_proxy, http_proxy, all_proxy, no_proxy", "The proxies to use, as for curl(1)."},
    Term{"XDG_CONFIG_HOME, XDG_STATE_HOME, HOME", "Where the files below are."},
};

constexpr std::array k_files = {
    Term{"$XDG_CONFIG_HOME/svc/config.toml",
         "The configuration, one table per profile; ~/.config where XDG_CONFIG_HOME is not set."},
    Term{"$XDG_CONFIG_HOME/svc/credentials/",
         "The keys that svc auth login stored, a file per profile, for their owner's eyes only."},
    Term{"$XDG_STATE_HOME/svc/batches/",
         "What bulk runs remember that have no folder of their own to write in, as those of "
         "standard input: what was sent, and every result."},
    Term{"$XDG_STATE_HOME/svc/deferred/",
         "Answers that the service gives only once, kept until they are written out."},
    Term{"$XDG_STATE_HOME/svc/history.db",
         "Conversations that are kept, for their owner's eyes only; svc history works with them."},
    Term{"$XDG_STATE_HOME/svc/input_history",
         "What was typed in conversations that are kept, for the arrow keys and Ctrl-R."},
    Term{"$XDG_STATE_HOME/svc/complete/",
         "What shells were offered last: names and ids, good for a minute."},
    Term{"$XDG_STATE_HOME/svc/ledger.db, ledger.db.new",
         "What answers cost, without a word of what they say, and the newest of it; svc billing "
         "usage sums it up."},
    Term{"$XDG_STATE_HOME/svc/emulator.db",
         "The state of the emulator; ~/.local/state where XDG_STATE_HOME is not set."},
};

}  // namespace

std::span<const sv> description() {
  return k_description;
}
std::span<const sv> input_paragraphs() {
  return k_input;
}
std::span<const sv> output_paragraphs() {
  return k_output;
}
std::span<const sv> configuration_paragraphs() {
  return k_configuration;
}
std::span<const Term> exit_codes() {
  return k_exit_codes;
}
std::span<const Term> environment() {
  return k_environment;
}
std::span<const Term> files() {
  return k_files;
}

}  // namespace svc::docgen
