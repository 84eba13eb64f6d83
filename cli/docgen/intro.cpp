#include "docgen/intro.h"

#include <array>

namespace svc::docgen {
namespace {

constexpr std::array k_description_texts = {
    sv("svc brings every operation of a hosted AI service to the terminal, to scripts and to CI "
       "jobs. A group is a resource, a verb an action on it. Most groups have a default verb that "
       "you may omit: svc chat Hello is svc chat create Hello. After the group, a first word that "
       "is a verb is taken as the verb; put -- before it to make it an argument. A single word "
       "that is a verb of another group is rejected, not sent as a prompt. A text in place of the "
       "group is a prompt if the profile has a default_command; see also svc-alias(1)."),
    sv("Flags are named after the fields of the service's requests, in kebab case, and only fields "
       "you set are sent. Repeat a flag for a list; a boolean has a --no- form; a field without a "
       "fixed structure takes JSON or @FILE. --body sets the whole body and --set any single "
       "field, so svc can send anything the service accepts; flags override --set, which overrides "
       "--body."),
    sv("Values are checked before anything is sent. --dry-run shows what would be sent instead of "
       "sending it: the earlier turns of a conversation, files that are uploaded first, each line "
       "of --each, and the checks of a job's progress too. --curl shows the same as a shell script "
       "of curl commands. Neither ever shows a key, and both refuse what svc would not send. With "
       "--json, a single request is an object with method, url, headers and body; several are a "
       "list, in order, in which each also has step, purpose and idempotent (it can be repeated "
       "safely), and, where they apply, condition, repeats and sets: the name of a value that "
       "later "
       "requests contain as $NAME, and its path in the answer. --format jsonl prints one request "
       "per line. The tools of --tool and --mcp-local are part of the request, so their programs "
       "are started to describe themselves, with the same confirmation as for sending."),
    sv("svc -p emulator COMMAND runs against a local emulator of the service: no key, no network "
       "and no cost."),
};

constexpr std::array k_input_texts = {
    sv("The argument - reads standard input; @FILE, where allowed, reads that file, and a leading "
       "\\@ is a literal @. Commands that take a prompt append piped input. If the pipe is silent "
       "for two seconds, svc says so on standard error; --no-stdin ignores it."),
};

constexpr std::array k_output_texts = {
    sv("Standard output contains only the result; progress, warnings, reasoning, citations, token "
       "counts and costs go to standard error. The format does not depend on where the output "
       "goes; only color, column widths and progress do."),
    sv("--format text, the default, prints the text of a model's answer, a table for lists "
       "(tab-separated and without a header if output is not a terminal), and name: value lines "
       "for one object. --format json prints one JSON document, and every list is one array, "
       "across all its pages; jsonl prints one item or event per line as it arrives; raw prints "
       "the response as received. --jq filters the result with a jq program. jq computes with "
       "doubles: integers beyond 2^53 are rounded."),
    sv("With json and jsonl an error is one JSON object on standard error; its object error has "
       "fault, message, hint, http_status, code and request_id, or null if unknown."),
    sv("On a terminal, control characters in remote text are escaped; pipes and files get the "
       "exact bytes. Pipes and files get whole lines, so that parallel runs can share one output. "
       "--output writes a file atomically and overwrites an existing one only with "
       "--force."),
    sv("Without --format, the ending of --output sets the format: .json, .jsonl, .txt, for a list "
       "also .csv, .tsv and .md, for a transcript .srt, .vtt and .tsv, for sound and images the "
       "ending of their type. An ending that the command cannot write is rejected before anything "
       "is sent; any other, such as .log, is text."),
};

constexpr std::array k_configuration_texts = {
    sv("The configuration file is TOML: default_profile sets the profile to use, and each table "
       "[profile.NAME] contains settings. Flags override the environment, which overrides the "
       "profile. `svc config set base_url https://api.example` sets the service's URL, the only "
       "required setting; `svc auth login` asks for it and for a key. Keys are never stored in "
       "this file. The settings are:"),
};

constexpr std::array k_exit_code_terms = {
    Term{"0", "Success."},
    Term{"1", "Unexpected: an internal error, out of memory, or a failed --jq program."},
    Term{"2", "Usage error or invalid input; nothing was sent."},
    Term{"3", "Missing or refused credentials."},
    Term{"4", "Not found."},
    Term{"5", "Rate limit reached, or out of credits."},
    Term{"6", "The service failed or refused the request."},
    Term{"7", "Network or TLS failure, or an incomplete response."},
    Term{"8", "Timed out."},
    Term{"9", "The remote job failed, expired or is incomplete."},
    Term{"10", "Local error: a file, the terminal or an audio device."},
    Term{"11", "Sent, but the outcome is unknown: the response was lost."},
    Term{"129", "Hung up: the terminal closed."},
    Term{"130", "Interrupted."},
    Term{"131", "Quit."},
    Term{"141", "Broken pipe on standard output."},
    Term{"143", "Terminated."},
};

constexpr std::array k_environment_terms = {
    Term{"SVC_API_KEY", "The API key. An empty variable, this one or another, counts as unset."},
    Term{"SVC_MANAGEMENT_API_KEY, SVC_MANAGEMENT_KEY", "The management key."},
    Term{"SVC_PROFILE", "Profile to use without --profile."},
    Term{"SVC_NO_STDIN", "If 1, standard input is ignored, as with --no-stdin."},
    Term{"NO_COLOR", "If not empty, turns off color unless --color is given."},
    Term{"TERM", "If dumb or unset, turns off color and progress."},
    Term{"COLUMNS", "Terminal width, overriding the detected one."},
    Term{"SVC_PAGER, PAGER", "Pager for `svc history show` on a terminal (default: less)."},
    Term{"VISUAL, EDITOR",
         "Editor for /edit, `svc templates edit` and `svc config edit` (default: vi)."},
    Term{"LC_ALL, LC_CTYPE, LANG", "Whether the terminal supports UTF-8."},
    Term{"https_proxy, http_proxy, all_proxy, no_proxy", "Proxies to use, as for curl(1)."},
    Term{"CURL_CA_BUNDLE, SSL_CERT_FILE", "File with the certificates to trust."},
    Term{"SSL_CERT_DIR", "Directory of certificates to trust, named as openssl-rehash(1) does."},
    Term{"XDG_CONFIG_HOME, XDG_STATE_HOME, HOME", "Base directories of the files below."},
};

constexpr std::array k_file_terms = {
    Term{"$XDG_CONFIG_HOME/svc/config.toml",
         "The configuration, one table per profile; in ~/.config if XDG_CONFIG_HOME is not set."},
    Term{"$XDG_CONFIG_HOME/svc/credentials/",
         "Keys stored by svc auth login, one private file per profile."},
    Term{"$XDG_STATE_HOME/svc/batches/",
         "Journals of bulk runs that cannot write next to their input, such as standard input: "
         "what was sent, and every result."},
    Term{"$XDG_STATE_HOME/svc/deferred/",
         "Answers that can be fetched only once, stored until they have been written."},
    Term{"$XDG_STATE_HOME/svc/history.db", "Saved conversations (private); see svc history."},
    Term{"$XDG_STATE_HOME/svc/input_history",
         "Input history of saved conversations, for the arrow keys and Ctrl-R."},
    Term{"$XDG_STATE_HOME/svc/mcp_servers",
         "Hashes of the commands of approved MCP servers (private)."},
    Term{"$XDG_STATE_HOME/svc/complete/",
         "Cached shell completions (names, IDs), valid for a minute."},
    Term{"$XDG_STATE_HOME/svc/ledger-YYYY-MM.jsonl",
         "Costs of answers, without their text: JSON Lines, one file per month, for svc billing "
         "usage."},
    Term{"$XDG_STATE_HOME/svc/emulator.db",
         "The emulator's state; in ~/.local/state if XDG_STATE_HOME is not set."},
};

}  // namespace

constinit const std::span<const sv> k_description = k_description_texts;
constinit const std::span<const sv> k_input_paragraphs = k_input_texts;
constinit const std::span<const sv> k_output_paragraphs = k_output_texts;
constinit const std::span<const sv> k_configuration_paragraphs = k_configuration_texts;
constinit const std::span<const Term> k_exit_codes = k_exit_code_terms;
constinit const std::span<const Term> k_environment = k_environment_terms;
constinit const std::span<const Term> k_files = k_file_terms;

}  // namespace svc::docgen
