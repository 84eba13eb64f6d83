#include "docgen/intro.h"

#include <array>

namespace svc::docgen {
namespace {

constexpr std::array k_chat = {
    sv("svc chat sends a conversation to a model and prints the text of its answer while it is "
       "made. The conversation is made of --system, of each --message in the order given, of "
       "--messages, and of the prompt with its attachments, which comes last."),
    sv("Text that is piped in becomes the prompt, or is appended to the prompt that is given. An "
       "attachment may be a path, an http(s) URL, a data: URL, the id of a stored file, or - for "
       "standard input."),
    sv("Reasoning, citations, token counts and cost go to standard error. An answer that ends at "
       "a limit, is refused or cut short ends the command with an exit status that says so."),
    sv("With --deferred the service answers later: the command prints an id, and svc chat deferred "
       "fetches the answer. It can be fetched once only, so it is written out before anything "
       "else is done with it."),
};

constexpr std::array k_responses = {
    sv("svc responses is the newer way to talk to a model. The service may search the web and run "
       "tools by itself, and it keeps the conversation unless --no-store is given: "
       "--previous-response-id continues it."),
    sv("What is said to the model is made of --input-items, of each --message in the order given, "
       "and of INPUT with its attachments, which comes last. --instructions sets the system prompt "
       "of a new conversation."),
    sv("Stored responses are deleted by the service after 30 days."),
};

constexpr std::array k_tokenize = {
    sv("svc tokenize shows how a model cuts a text into tokens, one row per token: its id, its "
       "text and its bytes."),
};

constexpr std::array k_keys = {
    sv("svc keys self tells what the API key in use may do, which team it belongs to, and whether "
       "it is blocked or switched off. The key itself is never shown."),
};

constexpr std::array k_api = {
    sv("svc api sends any request, also to operations that have no command of their own. The host, "
       "and with it the key, follows from the path unless --host names it. The body is given with "
       "--body and --set, as for every other command; the answer is printed as it comes."),
};

constexpr std::array k_operations = {
    sv("svc operations prints the catalogue that the whole program is made from. With --json each "
       "operation comes with all of its flags, types, ranges and choices, so that a script or an "
       "agent can find out everything that svc can do."),
};

constexpr std::array k_auth = {
    sv("A key comes from the first of these that has one: the environment, the key_command of the "
       "profile, the key_file of the profile, the key stored by svc auth login. svc auth status "
       "tells which of them it was."),
    sv("svc auth login reads the key without showing it; it is never given on the command line. It "
       "is stored in a file that only its owner can read; such a file is refused once others can."),
};

constexpr std::array k_config = {
    sv("A setting comes from the first of these that has it: the flag, the environment variable, "
       "the profile in the configuration file, the built-in value. svc config list tells the value "
       "of each and where it comes from."),
    sv("svc config set changes the profile in use, or the one that --profile names."),
};

constexpr std::array k_completion = {
    sv("For bash add '. <(svc completion bash)' to ~/.bashrc, for zsh '. <(svc completion zsh)' to "
       "~/.zshrc behind compinit, for fish 'svc completion fish | source' to "
       "~/.config/fish/config.fish. Packages install the same scripts where shells look for them."),
};

constexpr std::array k_emulator = {
    sv("The emulator is a local stand-in for the service: it stores, checks, streams and refuses "
       "as "
       "the service does, and what a large model would make up is text that says what it is. "
       "Neither a key nor a network is needed."),
    sv("svc -p emulator COMMAND starts one for the length of a command; svc emulator runs it in "
       "the "
       "foreground for as long as it is wanted. Its state is kept between runs unless --state says "
       "otherwise."),
};

constexpr std::array k_doctor = {
    sv("svc doctor tells which configuration file, profile, addresses and keys are in use, where "
       "each comes from, and whether each host answers. Keys are never shown."),
};

struct Introduction {
  sv group;
  std::span<const sv> paragraphs;
};

constexpr std::array k_introductions = {
    Introduction{"chat", k_chat},
    Introduction{"responses", k_responses},
    Introduction{"tokenize", k_tokenize},
    Introduction{"keys", k_keys},
    Introduction{"api", k_api},
    Introduction{"operations", k_operations},
    Introduction{"auth", k_auth},
    Introduction{"config", k_config},
    Introduction{"completion", k_completion},
    Introduction{"emulator", k_emulator},
    Introduction{"doctor", k_doctor},
};

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
    Term{"1", "Unexpected: a fault that nobody foresaw, or a --jq program that failed."},
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
    Term{"$XDG_STATE_HOME/svc/deferred/",
         "Answers that the service gives only once, kept until they are written out."},
    Term{"$XDG_STATE_HOME/svc/emulator.db",
         "The state of the emulator; ~/.local/state where XDG_STATE_HOME is not set."},
};

}  // namespace

std::span<const sv> group_introduction(sv group) {
  for (const Introduction& introduction : k_introductions) {
    if (introduction.group == group) return introduction.paragraphs;
  }
  return {};
}

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
