#include "command_line/guesses.h"

#include <algorithm>
#include <array>
#include <filesystem>

#include <fmt/format.h>

#include "base/text.h"
#include "catalogue/shared_fields.h"
#include "docgen/describe.h"
#include "request/flags.h"
#include "request/form.h"

namespace svc::cli {
namespace {

// Rows for one command before those for all of them. clang-format would break the rows.
// clang-format off
constexpr auto k_guesses = std::to_array<Guess>({
    Guess{"", "version", "svc --version"},
    Guess{"", "login|init|configure|setup|secret", "svc auth login"},
    Guess{"", "logout", "svc auth logout"},
    Guess{"", "whoami", "svc auth status"},
    Guess{"", "status|health|ping|check|info", "svc doctor"},
    Guess{"", "ask|prompt|complete|repl|playground|chat.completions.create|chat:completions|messages", "svc chat"},
    Guess{"", "completions", "Did you mean `svc completion`? To ask a model: `svc chat`."},
    Guess{"", "completions.create", "svc legacy completions"},
    Guess{"", "responses.create|threads|assistants", "svc responses"},
    Guess{"", "run", "svc batches run"},
    Guess{"", "queue", "svc batches list"},
    Guess{"", "speak|speech|say|audio.speech.create", "svc tts"},
    Guess{"", "voice", "svc tts voices"},
    Guess{"", "audio", "Did you mean `svc stt`, `svc tts` or `svc realtime talk`?"},
    Guess{"", "transcription|transcriptions|audio.transcriptions.create|audio.translations.create", "svc stt"},
    Guess{"", "dictate|record", "svc stt live"},
    Guess{"", "talk", "svc realtime talk"},
    Guess{"", "call", "svc realtime talk"},
    Guess{"", "listen", "Did you mean `svc stt live`? For webhooks: `svc phone listen`."},
    Guess{"", "webhook|webhooks", "svc phone listen"},
    Guess{"", "trigger", "svc emulator call"},
    Guess{"", "image.create|images.generate|imagine|draw|picture", "svc images"},
    Guess{"", "image.create_edit|images.edit", "svc images edit"},
    Guess{"", "files.create", "svc files upload"},
    Guess{"", "files.list", "svc files list"},
    Guess{"", "files.retrieve", "svc files get"},
    Guess{"", "files.delete", "svc files delete"},
    Guess{"", "models.list|models.retrieve", "svc models"},
    Guess{"", "embed|embeddings|vector-stores", "svc collections create"},
    Guess{"", "rag", "svc collections search"},
    Guess{"", "documents", "svc collections documents list"},
    Guess{"", "search", "Did you mean `svc docs search`, `svc collections search` or `svc history search`?"},
    Guess{"", "logs|log|sessions|session|conversations", "svc history"},
    Guess{"", "cost|costs|usage", "svc billing usage"},
    Guess{"", "credits", "svc billing balance"},
    Guess{"", "roles|prompts", "svc templates"},
    Guess{"", "plugins|extensions|extension|tools", "svc mcp tools"},
    Guess{"", "settings", "svc config"},
    Guess{"", "aliases|macro|macros", "svc alias list"},
    Guess{"", "events|tail", "svc phone listen"},
    Guess{"", "moderations|fine-tunes|fine_tuning.jobs.create", "`svc operations` lists what there is."},
    Guess{"", "env|environment", "svc help environment"},
    Guess{"", "token|tokens|count", "svc tokenize"},
    Guess{"", "api-keys", "svc keys list"},
    Guess{"", "serve", "Did you mean `svc mcp`? To try svc without an account: `svc emulator`."},
    Guess{"", "mock|fixtures", "svc emulator"},
    Guess{"", "get", "Did you mean `svc api GET PATH`? Or a group's own, such as `svc files get`."},
    Guess{"", "post", "svc api POST PATH"},
    Guess{"", "put", "svc api PUT PATH"},
    Guess{"", "patch", "svc api PATCH PATH"},
    Guess{"", "delete", "Did you mean `svc api DELETE PATH`? Or a group's own, such as `svc files delete`."},
    Guess{"", "request|curl|http", "svc api"},
    Guess{"", "commands|resources", "svc operations"},
    Guess{"", "man", "svc help"},
    Guess{"", "documentation", "svc docs"},
    Guess{"chat", "completions|completion", "create"},
    Guess{"responses", "cancel", "delete"},
    Guess{"images", "create_edit|variations|create_variation|edits", "edit"},
    Guess{"images", "generations", "generate"},
    Guess{"tts", "speech|say|create", "speak"},
    Guess{"stt", "transcriptions|create", "transcribe"},
    Guess{"stt", "listen|stream", "live"},
    Guess{"realtime", "sessions|token", "secret"},
    Guess{"models", "get|retrieve|show", "`svc models --json` prints every detail."},
    Guess{"models", "default", "`svc config set model NAME` sets it, `svc config get model` prints it."},
    Guess{"config", "delete|remove", "unset"},
    Guess{"config", "use", "`svc config set default_profile NAME` selects a profile."},
    Guess{"config", "show|view", "list"},
    Guess{"config", "init", "svc auth login"},
    Guess{"auth", "token", "`svc auth status` shows the key in use, without its secret part."},
    Guess{"auth", "refresh", "login"},
    Guess{"auth", "switch", "`svc config set default_profile NAME` selects a profile."},
    Guess{"auth", "list|whoami", "status"},
    Guess{"keys", "set", "`svc auth login` stores a key; `svc keys update` changes one."},
    Guess{"keys", "revoke", "delete"},
    Guess{"keys", "disable", "`svc keys update ID --disable` disables a key."},
    Guess{"keys", "enable", "`svc keys update ID --enable` enables a key."},
    Guess{"history", "off", "`svc config set history false` stops saving conversations."},
    Guess{"history", "on", "`svc config set history true` saves conversations."},
    Guess{"history", "status", "`svc config get history` tells whether conversations are saved."},
    Guess{"templates", "create|set", "edit"},
    Guess{"batches", "retrieve", "get"},
    Guess{"phone", "trigger", "svc emulator call"},
    Guess{"*", "ls", "list", true},
    Guess{"*", "rm", "delete|remove", true},
    Guess{"*", "show", "get", true},
    Guess{"*", "status", "get|status|wait"},
    Guess{"*", "show", "get|status|list"},
    Guess{"*", "info", "get|status|self"},
    Guess{"*", "describe", "get|status"},
    Guess{"*", "view", "get|show"},
    Guess{"*", "cat", "download|show"},
    Guess{"*", "content", "download"},
    Guess{"*", "fetch", "get|download"},
    Guess{"*", "poll|watch", "wait|get"},
    Guess{"*", "retrieve", "get|deferred"},
    Guess{"*", "download", "download|wait|get"},
    Guess{"*", "get", "get|show|deferred"},
    Guess{"*", "delete|remove|del|rm", "delete|remove"},
    Guess{"*", "new|make", "create|generate"},
    Guess{"*", "create", "create|generate|upload"},
    Guess{"*", "add", "create|upload|add"},
    Guess{"*", "import", "upload|run"},
    Guess{"*", "submit|start", "run|create"},
    Guess{"*", "find|query|grep", "search"},
    Guess{"*", "change|edit|modify", "update|edit"},
    Guess{"*", "set", "update|set"},
    Guess{"*", "roll|regenerate", "rotate"},
    Guess{"*", "put", "upload|update"},
    Guess{"*", "stop|abort", "cancel"},
    Guess{"*", "list|ls", "list|voices"},
    Guess{"*", "export", "export|download"},
    Guess{"*", "backup", "export"},
    Guess{"chat|responses|legacy messages|images edit|videos", "-a|--attach|--attachment", "--file|--image", true},
    Guess{"chat|legacy messages", "--instructions", "--system", true},
    Guess{"responses", "--max-tokens", "--max-output-tokens", true},
    Guess{"chat", "--max-output-tokens", "--max-completion-tokens", true},
    Guess{"legacy", "--max-output-tokens", "--max-tokens|--max-tokens-to-sample", true},
    Guess{"legacy complete", "--max-tokens", "--max-tokens-to-sample", true},
    Guess{"chat|responses", "-S", "--no-stream", true},
    Guess{"chat|responses", "-u", "--cost", true},
    Guess{"chat", "-x|--extract", "--code", true},
    Guess{"responses", "-x|--extract", "--code-block", true},
    Guess{"api", "-X|--request", "--method", true},
    Guess{"mcp", "--output-folder", "--output-dir", true},
    Guess{"api", "-d|--data|--data-binary|--data-ascii", "--body", true},
    Guess{"files upload", "--filename", "--name", true},
    Guess{"stt", "-i|--audio", "--file", true},
    Guess{"tts", "--input", "--text", true},
    Guess{"tokenize", "--input|--prompt", "--text", true},
    Guess{"chat|images|videos", "--input", "--prompt", true},
    Guess{"tts|realtime", "--voice-name", "--voice", true},
    Guess{"tts|stt live", "--rate", "--sample-rate", true},
    Guess{"stt", "--lang", "--language", true},
    Guess{"tts", "--lang", "--language", true},
    Guess{"tts", "--codec-name", "--codec", true},
    Guess{"auth login", "--with-token|--value", "It reads the key from standard input: `svc auth login < key.txt`."},
    Guess{"auth login", "--hostname", "--base-url"},
    Guess{"auth login", "--web", "`svc auth login` asks for the key; it needs no browser."},
    Guess{"auth login", "--scopes", "`svc keys create --acls ACL` makes a key with other permissions."},
    Guess{"auth login", "-i|--interactive", "svc auth login"},
    Guess{"auth status", "--show-token", "`svc auth status` never prints a whole key."},
    Guess{"stt", "--srt|--subtitles", "--transcript-format srt"},
    Guess{"stt", "--vtt", "--transcript-format vtt"},
    Guess{"stt", "--response-format|--output-format", "--transcript-format"},
    Guess{"stt", "--timestamps", "--transcript-format words"},
    Guess{"stt", "--prompt", "--keyterm"},
    Guess{"stt", "--speakers", "--diarize"},
    Guess{"chat|responses", "--attachment-type|--at", "--file|--image"},
    Guess{"chat|responses", "-T|--functions", "--tool NAME=PROGRAM"},
    Guess{"chat|responses", "--agent|--role", "--template"},
    Guess{"chat|responses", "--tools-debug|--td", "--verbose"},
    Guess{"chat|responses", "--tools-approve|--ta", "`--allow-tools NAMES` approves tools; svc asks about the others."},
    Guess{"chat|responses", "--chain-limit|--cl", "--max-tool-rounds"},
    Guess{"chat|responses", "--option", "`svc chat --help-all` lists a flag per option; `--set PATH=JSON` sets any."},
    Guess{"chat|responses", "--schema-multi", "--schema"},
    Guess{"chat|responses", "--fragment", "--file"},
    Guess{"chat|responses", "--sf|--system-fragment|--system-file", "--system @FILE|--instructions @FILE"},
    Guess{"chat", "--param", "`--each FILE` fills the {names} of a prompt."},
    Guess{"chat|responses", "--hide-reasoning|-R|--no-reasoning", "--reasoning none"},
    Guess{"chat|responses", "--thinking", "--reasoning-effort"},
    Guess{"chat|responses", "--cid|--conversation|--resume", "--continue=NAME"},
    Guess{"chat|responses", "--extract-last|--xl", "--code N|--code-block N"},
    Guess{"chat|responses", "--async", "`svc chat --deferred` fetches the answer later; `svc batches run` asks many."},
    Guess{"chat|responses", "--save-session|--empty-session", "--session"},
    Guess{"chat|responses", "--save-template", "svc templates edit"},
    Guess{"chat|responses", "--rag", "--collection|--file"},
    Guess{"chat|responses", "-e", "svc never runs an answer: `svc chat --code` prints its code."},
    Guess{"chat|responses", "-g", "--message"},
    Guess{"chat|legacy", "-P", "--top-p"},
    Guess{"chat|responses", "-M", "--max-completion-tokens|--max-output-tokens"},
    Guess{"images|videos", "--style", "It is part of the prompt: `svc images 'a fox in watercolor'`."},
    Guess{"images|videos", "--mask", "`svc images edit` changes what the prompt describes; there are no masks."},
    Guess{"images|videos", "--size|-s", "--aspect-ratio"},
    Guess{"api", "--input", "--body @FILE"},
    Guess{"api", "-F|--field|--raw-field|--form|--data-urlencode", "--set PATH=JSON"},
    Guess{"api", "--data-raw", "--body"},
    Guess{"batches run", "--input", "The file is an argument: `svc batches run FILE`."},
    Guess{"api", "-G|--get", "`svc api GET PATH` has the query in the path."},
    Guess{"api", "-I|--head", "`svc api HEAD PATH -v` prints the headers."},
    Guess{"api", "--url", "The path is an argument: `svc api GET PATH`."},
    Guess{"api", "-T|--upload-file", "`svc files upload FILE` uploads a file."},
    Guess{"api", "-s", "--quiet"},
    Guess{"api", "-w", "--verbose"},
    Guess{"api", "-m|--model|-g|--message|--prompt", "svc chat"},
    Guess{"phone listen", "--forward-to", "--exec PROGRAM"},
    Guess{"phone listen", "--print-secret", "`svc phone create --secret-file FILE` saves it."},
    Guess{"phone listen", "--print-json", "--json"},
    Guess{"tts|stt", "-ar", "--sample-rate"},
    Guess{"tts|stt", "-ac", "--channels"},
    Guess{"tts|stt", "-acodec|-c:a", "--codec|--audio-format"},
    Guess{"tts|stt", "-b:a", "--bit-rate"},
    Guess{"tts", "-ab", "--bit-rate"},
    Guess{"tts", "--response-format", "--codec"},
    Guess{"videos", "-t|--length", "--duration"},
    Guess{"videos", "-aspect", "--aspect-ratio"},
    Guess{"videos", "-i", "--image|--video"},
    Guess{"images edit", "-i|-I", "--image"},
    Guess{"files upload", "-F", "The file is an argument: `svc files upload FILE`."},
    Guess{"files upload", "--recursive", "`svc collections documents add` uploads whole directories."},
    Guess{"completion", "-s", "The shell is an argument: `svc completion bash`."},
    Guess{"completion", "--write-to-stdout", "svc completion bash"},
    Guess{"config", "--list", "svc config list"},
    Guess{"config", "--unset", "svc config unset"},
    Guess{"chat|responses", "-r", "`--template NAME` uses a template; `--jq EXPR` prints strings without quotes."},
    Guess{"*", "--temp", "--temperature", true},
    Guess{"*", "--system-prompt", "--system|--instructions", true},
    Guess{"*", "--system", "--instructions", true},
    Guess{"*", "--json-schema|--response-schema", "--schema", true},
    Guess{"*", "--stop-sequences", "--stop", true},
    Guess{"*", "--stop", "--stop-sequences", true},
    Guess{"*", "--stop-sequence", "--stop|--stop-sequences", true},
    Guess{"*", "--effort|--thinking-effort", "--reasoning-effort", true},
    Guess{"*", "--num-images|--num", "--n", true},
    Guess{"*", "--no-log", "--no-save", true},
    Guess{"*", "--log", "--save", true},
    Guess{"*", "--usage", "--cost", true},
    Guess{"*", "--silent|--hide_banner", "--quiet", true},
    Guess{"*", "--hide-spinner", "--no-progress", true},
    Guess{"*", "--nostdin", "--no-stdin", true},
    Guess{"*", "--retry|--max-retries", "--retries", true},
    Guess{"*", "--max-time", "--timeout", true},
    Guess{"*", "--api-base", "--base-url", true},
    Guess{"*", "--clobber|--overwrite", "--force", true},
    Guess{"*", "--confirm", "--yes", true},
    Guess{"*", "--project-name", "--profile", true},
    Guess{"*", "--bitrate", "--bit-rate", true},
    Guess{"*", "--concurrency|--parallel|--max-concurrency", "--jobs", true},
    Guess{"*", "--paginate", "--all", true},
    Guess{"*", "-L", "--limit", true},
    Guess{"*", "--api-key|--key|-k|--oauth2-bearer|--bearer", "`svc auth login` stores a key, SVC_API_KEY sets it: arguments are not secret."},
    Guess{"*", "--database|--list-sessions", "svc history"},
    Guess{"*", "--macro|--list-macros", "svc alias list"},
    Guess{"*", "--execute", "svc never runs an answer: `svc chat --code` prints its code."},
    Guess{"*", "--list-models|--sync-models", "svc models"},
    Guess{"*", "--list-roles|--list-agents", "svc templates"},
    Guess{"*", "--list-rags", "svc collections list"},
    Guess{"*", "--info", "svc doctor"},
    Guess{"*", "--serve", "Did you mean `svc mcp`? To try svc without an account: `svc emulator`."},
    Guess{"*", "--engine", "--model"},
    Guess{"*", "--organization|--org|--stripe-account", "--team-id"},
    Guess{"*", "--project", "--profile"},
    Guess{"*", "--id", "The ID is an argument: `svc files get ID`."},
    Guess{"*", "--body-file", "--body @FILE"},
    Guess{"*", "-i|--include|--show-headers|--debug|--log-level|-loglevel|--dump-header", "--verbose"},
    Guess{"*", "--insecure|--cacert", "SSL_CERT_FILE names a certificate to trust: `svc help environment`."},
    Guess{"*", "--proxy|-x", "HTTPS_PROXY sets a proxy: `svc help environment`."},
    Guess{"*", "--user-agent|-A", "`--header 'User-Agent: NAME'` sets it."},
    Guess{"*", "--idempotency", "`--header 'Idempotency-Key: KEY'` sets one."},
    Guess{"*", "--cookie|-b", "`--header 'Cookie: NAME=VALUE'` sends one."},
    Guess{"*", "-u", "`svc auth login` stores a key; svc sends it itself."},
    Guess{"*", "-O|--remote-name|--output-file|--out", "--output FILE"},
    Guess{"*", "--write-out|--exit-status|--arg|--argjson|--query|--sort-keys", "--jq EXPR"},
    Guess{"*", "-w", "--wide"},
    Guess{"*", "--retry-delay|--retry-max-time", "--max-wait"},
    Guess{"*", "--retry-all-errors", "--retries"},
    Guess{"*", "--no-buffer|-N", "--stream"},
    Guess{"*", "--raw-output|-r", "`--jq EXPR` prints strings without quotes."},
    Guess{"*", "-c|--compact-output|--compact|--jsonl|--ndjson", "--format jsonl"},
    Guess{"*", "--slurp|--tab|--indent|-S|--yaml|--pretty", "--json"},
    Guess{"*", "-C|--color-output", "--color always"},
    Guess{"*", "-M|--monochrome-output|--no-color|--no-colour", "--color never"},
    Guess{"*", "--no-highlight", "--no-render|--color never"},
    Guess{"*", "--raw", "--format raw"},
    Guess{"*", "--csv", "--output FILE.csv"},
    Guess{"*", "--tsv", "--output FILE.tsv"},
    Guess{"*", "--text", "--format text"},
    Guess{"*", "--plain", "--no-render|--format text"},
    Guess{"*", "--no-markdown", "--no-render"},
    Guess{"*", "--web", "`svc docs` searches the documentation; svc opens no browser."},
    Guess{"*", "--hostname", "--base-url"},
    Guess{"*", "--search", "--filter|--query|--text"},
    Guess{"*", "--starting-after", "--after|--pagination-token"},
    Guess{"*", "--ending-before", "--order"},
    Guess{"*", "--cursor", "--pagination-token"},
    Guess{"*", "--per-page", "--page-size"},
    Guess{"*", "--count", "--limit"},
    Guess{"*", "--sort", "--sort-by"},
    Guess{"*", "--live", "Each account is a profile: `--profile NAME` selects it."},
    Guess{"*", "--config", "`svc config path` prints the path of the file; XDG_CONFIG_HOME sets it."},
    Guess{"*", "-L|--location", "svc follows no redirects: `--base-url URL` sets the final address."},
});
// clang-format on

bool is_listed(sv list, sv word) {
  while (list.substr(0, list.find('|')) != word) {
    if (list.find('|') == sv::npos) return false;
    list.remove_prefix(list.find('|') + 1);
  }
  return true;
}

bool is_sentence(sv means) {
  return means.find('`') != sv::npos;
}

bool applies_to(const Guess& row, const Operation* operation) {
  if (row.at == "*" || operation == nullptr) return row.at == "*";
  return is_listed(row.at, operation->group) || is_listed(row.at, command_name(*operation, true)) ||
         is_listed(row.at, command_name(*operation));
}

/// The flag in "--reasoning none" or "--continue=NAME".
Flag flag_in(const Operation* operation, sv text) {
  return find_flag(operation, text.substr(2, text.find_first_of(" =") - 2));
}

/// The first of the flags that the row means and the operation has; "" if there is none.
sv meant_flag(const Guess& row, const Operation* operation) {
  for (const sv one : split(row.means, '|')) {
    if (flag_in(operation, one).known()) return one;
  }
  return {};
}

/// "Did you mean …?" for what a row means; "" if it means flags that the operation does not have.
std::string hint_of(const Guess& row, const Operation* operation) {
  if (is_sentence(row.means)) {
    const sv flag = row.means.substr(row.means.find('`') + 1);
    const bool known = !flag.starts_with("--") || flag_in(operation, flag).known();
    return known ? std::string(row.means) : std::string();
  }
  if (row.means.starts_with("svc ")) return fmt::format("Did you mean `{}`?", row.means);
  return did_you_mean(meant_flag(row, operation), "");
}

bool has_verb(const Group& group, sv name) {
  return std::any_of(group.operations.begin(), group.operations.end(),
                     [&](const Operation& operation) { return operation.name == name; });
}

/// The first of the verbs that the row means and the group has; "" if there is none.
sv meant_verb(const Guess& row, const Group& group, sv prefix) {
  for (const sv verb : split(row.means, '|')) {
    if (has_verb(group, std::string(prefix) + std::string(verb))) return verb;
  }
  return {};
}

bool is_verb_anywhere(sv word) {
  for (const Group& group : groups()) {
    if (has_verb(group, word)) return true;
  }
  const auto accepts = [&](const Guess& row) { return row.accepted && is_listed(row.typed, word); };
  return std::any_of(k_guesses.begin(), k_guesses.end(), accepts) || word == "status";
}

const Guess* command_row(sv word) {
  for (const Guess& row : k_guesses) {
    if (row.at.empty() && is_listed(row.typed, word)) return &row;
  }
  return nullptr;
}

bool names_image(sv value) {
  if (value.starts_with("data:")) return value.starts_with("data:image/");
  constexpr std::array<sv, 7> k_endings = {".jpg", ".jpeg", ".png", ".webp",
                                           ".gif", ".heic", ".avif"};
  const std::string lower = to_lower(value.substr(0, value.find_first_of("?#")));
  if (std::any_of(k_endings.begin(), k_endings.end(),
                  [&](sv ending) { return lower.ends_with(ending); })) {
    return true;
  }
  std::error_code failed;
  return std::filesystem::is_regular_file(value, failed) &&
         request::file_type(std::string(value), value).starts_with("image/");
}

}  // namespace

std::span<const Guess> guesses() {
  return k_guesses;
}

Flag find_accepted_flag(const Operation* operation, sv typed) {
  for (const Guess& row : k_guesses) {
    if (!row.accepted || !is_listed(row.typed, typed) || !applies_to(row, operation)) continue;
    if (const sv flag = meant_flag(row, operation); !flag.empty()) return flag_in(operation, flag);
  }
  return {};
}

Flag attachment_flag(const Operation* operation, const Flag& flag, const std::string& value) {
  const Flag image = find_flag(operation, Flags<catalogue::k_attachment_fields>::k_name<"image">);
  return image.known() && names_image(value) ? image : flag;
}

std::string flag_hint(const Operation* operation, sv typed) {
  const std::string bare(typed.substr(0, typed.find('=')));
  const std::string longer = "-" + bare;                          // "-temp" is "--temp"
  const bool has_value = bare.size() > 2 && !is_letter(bare[2]);  // "-L5"
  for (const sv word : {sv(bare), sv(longer), sv(bare).substr(0, has_value ? 2 : bare.size())}) {
    for (const Guess& row : k_guesses) {
      if (!is_listed(row.typed, word) || !applies_to(row, operation)) continue;
      if (std::string hint = hint_of(row, operation); !hint.empty()) return hint;
    }
    if (bare.starts_with("--")) break;
  }
  return {};
}

const Operation* find_verb(const Group& group, sv name) {
  if (const Operation* found = find_operation(group.name, name)) return found;
  const std::size_t blank = name.rfind(' ');
  const std::size_t begin = blank == sv::npos ? 0 : blank + 1;
  const sv prefix = name.substr(0, begin);
  for (const Guess& row : k_guesses) {
    if (!row.accepted || !is_listed(row.typed, name.substr(begin))) continue;
    const sv verb = meant_verb(row, group, prefix);
    if (!verb.empty()) {
      return find_operation(group.name, std::string(prefix) + std::string(verb));
    }
  }
  return nullptr;
}

std::string verb_hint(const Group& group, sv word) {
  sv verb;
  for (const Guess& row : k_guesses) {
    if (!(row.at == "*" || is_listed(row.at, group.name)) || !is_listed(row.typed, word)) continue;
    if (is_sentence(row.means) || row.means.starts_with("svc ")) return hint_of(row, nullptr);
    verb = meant_verb(row, group, "");
    if (!verb.empty()) break;
  }
  if (word.find(',') != sv::npos) return std::string(k_json_takes_no_value);
  if (verb.empty()) verb = nearest(word, names_of(group.operations));
  return verb.empty() ? std::string() : fmt::format("Did you mean `svc {} {}`?", group.name, verb);
}

std::optional<Error> refuse_lone_verb(const Group& group, const Operation& default_verb,
                                      const Cut& cut) {
  if (default_verb.name.empty()) return std::nullopt;  // the group has no verbs
  const std::vector<std::string>& given = cut.positionals;
  const std::vector<const Field*> places = docgen::arguments(default_verb);
  if (cut.dashes || !cut.refused.empty()) return std::nullopt;
  if (given.empty() || places.empty()) return std::nullopt;
  const bool more = given.size() > places.size() && !places.back()->repeated;
  if (given.size() > 1 && !more) return std::nullopt;
  const std::string& word = given.front();
  const bool is_word = !word.empty() && std::all_of(word.begin(), word.end(), [](char c) {
    return (c >= 'a' && c <= 'z') || c == '-';
  });
  if (word == "help" && given.size() == 1) {
    return usage_error(
        fmt::format("'svc {} help' takes no flags", group.name),
        fmt::format("`svc {0} --help` describes it. To use the word as {1}: `svc {0} -- help`.",
                    group.name, docgen::argument_name(*places.front())));
  }
  std::string hint = is_word ? verb_hint(group, word) : std::string();
  if (!is_word || (hint.empty() && !is_verb_anywhere(word))) return std::nullopt;
  if (!hint.empty()) hint += ' ';
  hint += fmt::format("To use it as {}: `svc {} -- {}`.", docgen::argument_name(*places.front()),
                      group.name, word);
  return usage_error(fmt::format("'svc {}' has no verb '{}'; verbs: {}", group.name, word,
                                 join(names_of(group.operations), ", ")),
                     std::move(hint));
}

std::string nearest_command(sv word) {
  if (const Guess* row = command_row(word)) {
    return is_sentence(row->means) ? std::string() : std::string(row->means);
  }
  // A verb that only one group has determines the command.
  std::string found;
  for (const Group& group : groups()) {
    if (!has_verb(group, word)) continue;
    if (!found.empty()) return {};
    found = fmt::format("svc {} {}", group.name, word);
  }
  return found;
}

bool is_guess(sv word) {
  return command_row(word) != nullptr;
}

std::string command_hint(sv word) {
  if (word.starts_with("--")) return flag_hint(nullptr, word);
  if (word.starts_with('-')) return {};  // rather a flag of the command
  if (const Guess* row = command_row(word)) return hint_of(*row, nullptr);
  std::string command = nearest_command(word);
  if (command.empty()) {
    if (const sv group = nearest(word, names_of(groups())); !group.empty()) {
      command = fmt::format("svc {}", group);
    }
  }
  return command.empty() ? command : fmt::format("Did you mean `{}`?", command);
}

}  // namespace svc::cli
