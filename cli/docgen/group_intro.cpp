// The introductions of the groups' manual pages.
#include <array>

#include "docgen/intro.h"

namespace svc::docgen {
namespace {

constexpr std::array k_chat = {
    sv("`svc chat` sends a conversation to a model and streams its answer. The request contains "
       "--system, each --message in the order given, --messages, and last the prompt with its "
       "attachments."),
    sv("Without a prompt on a terminal, svc starts an interactive conversation. The other flags "
       "apply to all of it, answers are rendered as Markdown while they stream, and /help lists "
       "its commands. Enter sends; a backslash at the end of a line, Alt-Enter, or a text between "
       "\"\"\" adds lines, and a paste is one message. Ctrl-C stops an answer and keeps the part "
       "already received; Ctrl-D exits."),
    sv("Piped text becomes the prompt, or is appended to it. An attachment is a path, an http(s) "
       "URL, a data: URL, the ID of a stored file, or - for standard input."),
    sv("Reasoning, citations, token counts and cost go to standard error. The exit code reports an "
       "answer that was truncated at a limit, refused or interrupted."),
    sv("With --deferred the service answers later: svc prints a request ID, and `svc chat "
       "deferred` fetches the answer. It can be fetched only once, so svc saves it before printing "
       "it."),
    sv("With --each FILE one request is sent per line, --jobs at a time: up to 1000, over HTTP/2 "
       "on "
       "a few connections where the service has it, else with one open file each. When the "
       "service's rate limit is used up, new requests wait until it resets. Progress is recorded "
       "in "
       "a journal beside the file: run the same command again to resume. Nothing is sent twice: a "
       "request whose answer broke, or that was in flight when svc was interrupted or killed, is "
       "unknown, and only --retry-failed sends it again. --restart starts over. With -o NAME.csv "
       "or "
       "NAME.tsv the result is the input with the columns answer, state and error. svc-batches(1) "
       "describes batches: cheaper, but slower."),
};

constexpr std::array k_responses = {
    sv("`svc responses` is the newer way to talk to a model. The service can search the web and "
       "run tools, and it stores the conversation unless --no-store is given; "
       "--previous-response-id continues it."),
    sv("The request contains --input-items, each --message in the order given, and last INPUT with "
       "its attachments. --instructions sets the system prompt of a new conversation."),
    sv("Without INPUT on a terminal, svc starts an interactive conversation, as `svc chat` does; "
       "each turn continues the response stored on the service."),
    sv("The service deletes stored responses after 30 days."),
};

constexpr std::array k_tokenize = {
    sv("`svc tokenize` shows how a model splits a text into tokens, one row per token: ID, text "
       "and bytes."),
};

constexpr std::array k_keys = {
    sv("`svc keys` creates, changes and deletes a team's API keys with the management key. A key "
       "can be limited to endpoints and models (--acls), to rates, and in time. A key needs "
       "permission for at least one endpoint and one model: without --acls or --allow-all every "
       "request with it is refused. Its secret is printed once, alone on standard output, so that "
       "you can pipe it to a safe place. `svc keys rotate` replaces it, while the old one remains "
       "valid for a while."),
    sv("`svc keys self` shows what the API key in use may do, its team, and whether it is blocked "
       "or disabled. The key itself is never shown."),
};

constexpr std::array k_history = {
    sv("`svc history` works with conversations saved on this machine, in a private file. An "
       "interactive conversation is saved unless --no-save or the setting history = false is "
       "given; a single `svc chat PROMPT` is saved only with --session, --continue or --save."),
    sv("--continue resumes the last conversation of this terminal, or else of this directory, and "
       "prints which one. If two processes resume the same one, nothing is lost: the second "
       "becomes a new conversation."),
    sv("The service may also store conversations of `svc responses`; `svc responses delete` "
       "deletes them there. Files that `svc chat` uploaded for a saved conversation stay on the "
       "service for 30 days; `svc history delete` lists them."),
};

constexpr std::array k_billing = {
    sv("`svc billing` shows and changes credit, invoices, limits and payment methods with the "
       "management key. Only `svc billing top-up` spends money, and it asks first."),
    sv("`svc billing usage` totals the costs recorded on this machine, using the price reported "
       "with each answer. It excludes requests from other machines, keys or people, and other "
       "charges of the service; balance, invoices and preview ask the service."),
    sv("The flag --max-cost USD and the profile setting max_cost_per_day are budgets based on "
       "these records: once one is spent, svc sends nothing more and exits with 5. A price is "
       "known only after the answer, so requests then in flight, here or in other processes, are "
       "still billed and may exceed the limit. Unpriced responses, such as speech, do not count."),
};

constexpr std::array k_mcp = {
    sv("The Model Context Protocol connects programs that use tools with servers that have them. "
       "svc is both: `svc chat`, `svc responses` and `svc realtime talk` can call the tools of MCP "
       "servers, and `svc mcp` serves svc's own operations to other programs. Revisions 2024-11-05 "
       "to 2026-07-28 of the protocol are supported, over standard input and output and, as a "
       "client, over streamable HTTP."),
    sv("--mcp-local NAME=COMMAND starts a server (COMMAND is split into words; no shell runs it), "
       "--mcp-local NAME=URL uses one over HTTP, and --mcp-config FILE reads the mcpServers object "
       "that other programs use: command, args, env and cwd, or url and headers, and disabled. A "
       "value env:NAME in env or headers stands for the variable NAME, so that secrets stay out of "
       "the file. The setting mcp_config names a file for every conversation; --mcp-config none "
       "ignores it. `svc mcp tools` lists the tools of a server, `svc mcp call` tries one."),
    sv("A server runs as you, in this directory and with your environment, but without svc's keys. "
       "The first time svc uses a server, it shows its command or URL and asks; the answer is "
       "stored for that command. A script needs --allow-tools SERVER.TOOL or SERVER.* (or --yes "
       "for svc mcp tools and call): only the tools it allows are offered to the model, and a "
       "server that only the setting names is left out without it, or if it does not start. On a "
       "terminal each call is confirmed as for --tool, with the same limits. Tools of the same "
       "name get the server's name as a prefix. Servers start in parallel, in process groups of "
       "their own, and end with svc; one that ends earlier is started again by the next call. "
       "What they write to standard error is shown when one fails; --verbose shows their progress "
       "and log messages."),
    sv("`svc mcp` offers what costs nothing and changes nothing, and chat, images, "
       "tts, stt and collections search. --allow names other groups or commands instead, "
       "--read-only leaves out everything that costs money or changes something, and --max-cost "
       "USD limits what all calls may cost together. Images and audio are part of the results, or "
       "files in --output-folder. A tool can read the files of this machine that its arguments "
       "name. Conversations saved on this machine and files on the service are resources."),
    sv("Desktop assistants, and many editors, start servers from an mcpServers object:"),
    sv("{\n"
       "  \"mcpServers\": {\n"
       "    \"svc\": {\n"
       "      \"command\": \"svc\",\n"
       "      \"args\": [\"mcp\", \"--output-folder\", \"/home/ann/svc\", \"--max-cost\", \"5\"],\n"
       "      \"env\": {\"SVC_PROFILE\": \"work\"}\n"
       "    }\n"
       "  }\n"
       "}\n"),
    sv("Editors with a file per workspace call the object servers and name the transport:"),
    sv("{\n"
       "  \"servers\": {\n"
       "    \"svc\": {\"type\": \"stdio\", \"command\": \"svc\", \"args\": [\"mcp\", "
       "\"--read-only\"]}\n"
       "  }\n"
       "}\n"),
    sv("Coding agents on the terminal often read TOML:"),
    sv("[mcp_servers.svc]\n"
       "command = \"svc\"\n"
       "args = [\"mcp\", \"--allow\", \"images,tts,docs\", \"--output-folder\", \"media\"]\n"),
    sv("Such a program often runs in a different environment from your shell: give the full path "
       "of svc if "
       "it is not found, and store the key with `svc auth login`."),
};

constexpr std::array k_api = {
    sv("`svc api` sends any request, including those without a command. The path determines the "
       "host, and thus the key, unless --host is given. --body and --set give the body, as for "
       "every command; the response is printed unchanged."),
};

constexpr std::array k_operations = {
    sv("`svc operations` prints the catalogue svc is generated from. With --json it includes all "
       "flags, types, ranges and choices, so that a script or an agent can discover everything svc "
       "can do."),
};

constexpr std::array k_auth = {
    sv("svc takes a key from the first of these that has one: the environment, the profile's "
       "key_command, its key_file, the key stored by `svc auth login`. `svc auth status` shows "
       "which."),
    sv("`svc auth login` asks for the service's URL if none is set, and for a key, without showing "
       "it. It checks both and stores them: the URL in the configuration, the key in a private "
       "file, which svc refuses to read once others can. In a script, give the URL with --base-url "
       "and the key on standard input: `pass show svc | svc auth login --base-url "
       "https://api.example`. With --management it is the management URL (--management-url) and "
       "key."),
};

constexpr std::array k_config = {
    sv("svc takes a setting from the first of these that has it: the flag, the environment "
       "variable, the profile in the configuration file, the default. `svc config list` shows each "
       "value and where it comes from. The settings are described in svc-config(5); the first one "
       "needed is the service's URL: `svc config set base_url https://api.example`."),
    sv("`svc config set` changes the current profile, or the one given with --profile."),
};

constexpr std::array k_completion = {
    sv("For bash add '. <(svc completion bash)' to ~/.bashrc, for zsh '. <(svc completion zsh)' to "
       "~/.zshrc after compinit, for fish 'svc completion fish | source' to "
       "~/.config/fish/config.fish. Packages install the same scripts where shells look for them."),
};

constexpr std::array k_emulator = {
    sv("The emulator is a local version of the service: it stores, validates, streams and rejects "
       "as the service does; generated text is a placeholder that says so. Neither a key nor a "
       "network is needed."),
    sv("`svc -p emulator COMMAND` starts one for a single command; `svc emulator` runs it in the "
       "foreground until Ctrl-C. Its state persists between runs; --state changes the file."),
    sv("A test may choose what it answers, make it misbehave, and see what it was sent: "
       "see IN TESTS in svc-emulator(1), or `svc help emulator`."),
};

constexpr std::array k_doctor = {
    sv("`svc doctor` shows which configuration file, profile, URLs and keys are in use, where each "
       "comes from, whether each host responds, which audio devices are used, and what the last "
       "`svc "
       "sound test` found. Keys are never shown."),
};

constexpr std::array k_sound = {
    sv("`svc sound devices` lists the microphones and speakers of this machine; --input-device and "
       "--output-device of other commands take a number or part of a name from it."),
    sv("`svc sound test` plays a tone and some noise, shows the microphone's level while it "
       "records "
       "three seconds, plays them back, and reports in words: the level, how long after the "
       "speaker the microphone hears it, and whether an echo canceller is installed and how well "
       "it works here. `svc doctor` repeats the result. A sound server that does not respond ends "
       "either command after 5 s with exit code 10."),
};

constexpr std::array k_images = {
    sv("`svc images` generates images from a prompt and saves them. `svc images edit` edits one "
       "image or combines several; in the prompt, <IMAGE_0> is the first and <IMAGE_1> the second. "
       "Each image requested with --n is billed."),
    sv("A terminal that can show images previews them; --no-preview turns that off."),
    sv("With --deferred the service works on after the request ends: `svc images wait REQUEST_ID` "
       "waits for it, `svc images get` checks once."),
};

constexpr std::array k_videos = {
    sv("`svc videos` submits a job and waits for it, which may take minutes; a terminal shows "
       "progress and time. Ctrl-C stops waiting but not the job, and prints the `svc videos wait` "
       "command that resumes; --no-wait prints the job ID at once."),
    sv("The video is generated from a prompt, from a first frame (--image), or with reference "
       "images and voices. `svc videos edit` changes a video and `svc videos extend` extends it; "
       "both take a path, a URL or the ID of a stored file."),
    sv("The URL of a finished video expires, so save the video with --output."),
};

constexpr std::array k_files_group = {
    sv("`svc files` manages the team's files on the service, which requests refer to by ID. A file "
       "may have 50 MB, or 512 MB with --chunked; it is streamed from disk. Without "
       "--expires-after it stays until you delete it."),
    sv("`svc chat` and `svc responses` also take local files directly: see svc-files(7)."),
};

constexpr std::array k_batches = {
    sv("A batch costs less than the same requests sent singly, and most batches finish within a "
       "day. `svc batches run` processes a whole file: it checks every line before sending any, "
       "submits the requests, waits, and writes each result next to its input. The file contains "
       "requests as JSON Lines, one prompt per line, or a table from which --column or --template "
       "makes the prompts."),
    sv("Of a file with errors the first twenty are printed. If it is large, checking ends 256 MB "
       "after the first one at the latest; with --skip-invalid the whole file is checked. Requests "
       "are submitted in up to 16 calls at a time: more while the service responds quickly, fewer "
       "if it slows down or limits the rate (429)."),
    sv("`svc batches run` keeps a journal next to the file. After a crash, full disk or network "
       "failure, rerun it to resume; each request is in the batch exactly once. --retry-failed "
       "sends the failures again, and --max-cost is a budget."),
    sv("A finished run that is started again prints its results, says when it finished, and sends "
       "nothing; --restart starts over. A request has succeeded, failed (an answer truncated at "
       "the "
       "token limit too), was cancelled, or is unknown: it may have run, but its result never "
       "arrived. Unless all succeeded the exit code is 9."),
    sv("--shard K/N sends every Nth request of the file, starting with the Kth, so that N machines "
       "or jobs share one file: each line belongs to exactly one shard, each shard has its own "
       "journal, and the same K/N resumes it. All N shards must use the same file and N; give each "
       "its own --output, and concatenate the outputs when all are done. K starts at 1."),
    sv("In a Slurm array (`#SBATCH --array=1-8`): `svc batches run requests.jsonl --shard "
       "\"$SLURM_ARRAY_TASK_ID/$SLURM_ARRAY_TASK_COUNT\" -o \"part-$SLURM_ARRAY_TASK_ID.jsonl\"`. "
       "A requeued task resumes its shard."),
    sv("In an indexed Kubernetes job (`completionMode: Indexed`, `completions: 8`) the index "
       "starts at 0: `svc batches run requests.jsonl --shard \"$((JOB_COMPLETION_INDEX + 1))/8\" "
       "-o \"part-$JOB_COMPLETION_INDEX.jsonl\"`. Keep the file on a persistent volume: the "
       "journal next to it lets a restarted pod resume."),
    sv("With GNU parallel on one machine: `parallel svc batches run requests.jsonl --shard '{}/4' "
       "-o 'part-{}.jsonl' ::: 1 2 3 4`. With `parallel --retries 3` a shard that fails is run "
       "again, and resumes."),
    sv("The other commands are the individual steps, for custom workflows."),
};

constexpr std::array k_tts = {
    sv("`svc tts` speaks a text. On a terminal it plays while it arrives: the space bar pauses, q "
       "stops. With --output it is saved, in the format of the file's extension; a pipe gets the "
       "audio. Tags in the text direct the voice: [laugh] and [pause] are sounds, "
       "<whisper>…</whisper> applies to the text inside."),
    sv("With --split, text too long for one request is split at sentences and joined into one "
       "file. --subtitles saves subtitles as .srt or .vtt."),
};

constexpr std::array k_stt = {
    sv("`svc stt` transcribes recordings: paths, URLs, or - for standard input. Several are sent "
       "at a time; each result is saved next to its file or in the --output directory. --diarize "
       "labels the speakers, and --transcript-format selects subtitles, for example."),
    sv("`svc stt live` transcribes live from the microphone, or from a file or pipe with --input, "
       "in real time unless --fast is given. Interim results appear only on a terminal. Ctrl-C "
       "stops listening and waits up to 30 s for the final transcript; again, it ends at once."),
    sv("Keys end an utterance, change the VAD threshold and the silence that ends an utterance, or "
       "reconnect; ? lists them. Scripts end utterances with --control-fd or SIGUSR1."),
};

constexpr std::array k_realtime = {
    sv("`svc realtime talk` holds a spoken conversation. Speaking interrupts an answer, and the "
       "service is informed how much of it was played. The terminal shows a transcript, and what "
       "each "
       "turn took. Keys interrupt, mute, type, choose another microphone or speaker, change the "
       "VAD "
       "threshold and the silence that ends a turn, or reconnect; ? lists them. Without a "
       "microphone use files (--input, --audio-output) or text (--text). --tool works as in `svc "
       "chat`."),
    sv("`svc realtime connect` gives programs the session itself: one event per line in, one event "
       "per line out. It exits when its input has ended and every answer is complete."),
    sv("`svc realtime secret` creates a short-lived client secret, with which a browser or another "
       "program opens a session without the API key."),
};

constexpr std::array k_phone = {
    sv("`svc phone` sets up phone numbers and handles their calls. A signed webhook announces a "
       "call: `svc phone listen` receives and verifies it (signature, age, no replays), then "
       "prints an event per line, runs a program (--exec), or answers the call (--answer)."),
    sv("`svc phone listen` serves plain HTTP, on 127.0.0.1 by default; put an HTTPS proxy or "
       "tunnel in front, or let --tunnel run one. A secret is never an argument: @FILE, env:NAME, "
       "or - for a line of standard input."),
    sv("Each refused delivery is reported with its reason, on standard error and in the response: "
       "400 for what is not a signed delivery, 401 for a signature, age or token that is wrong, "
       "404 and 405 for another path or method, 413 and 431 for one that is too large, 503 when "
       "it should be sent again."),
    sv("`svc phone listen` exits with 0 after --events N, or after Ctrl-C once the calls and "
       "programs that it started have ended; a second Ctrl-C ends those too, with 130. It exits "
       "with 2 for wrong flags, 3 without a signing secret, and 10 when it cannot listen or the "
       "tunnel program ends. `svc phone verify` exits with 0 for a genuine delivery and 6 for any "
       "other; `svc phone answer` with 0 when the call has ended."),
    sv("`svc phone verify` checks a saved delivery, or those of --store as of the time they "
       "arrived; `svc emulator call` simulates an incoming call."),
};

constexpr std::array k_collections = {
    sv("A collection contains documents, split into chunks and indexed, so that `svc collections "
       "search`, and models with --collection, find passages by meaning, by keywords, or both. "
       "`svc collections documents add` takes local paths and IDs of stored files; --wait waits "
       "until they are indexed."),
    sv("Deleting a collection, or removing a document from it, keeps the files; `svc files` "
       "deletes those."),
    sv("Managing collections needs the management key, searching the API key."),
};

constexpr std::array k_docs = {
    sv("`svc docs` searches the service's own documentation and prints its pages as Markdown. It "
       "needs no key."),
};

constexpr std::array k_legacy = {
    sv("The service has deprecated these operations; svc keeps them for existing programs; `svc "
       "chat` replaces all of them."),
};

constexpr std::array k_models = {
    sv("`svc models` lists the team's models with prices in US dollars and limits per minute. It "
       "needs the management key; `svc api GET /v1/models` lists the names with the API key "
       "alone."),
};

constexpr std::array k_templates = {
    sv("A template keeps a prompt, a system prompt, a model and flags under a name, in the table "
       "[profile.NAME.templates.TEMPLATE] of the configuration. `svc chat -t TEMPLATE < FILE` uses "
       "it; flags on the command line override it, and a prompt there is appended to the "
       "template's."),
    sv("A template's keys are the flags of `svc chat` and `svc responses`, with underscores, and "
       "`prompt`. `svc templates edit` opens one in $EDITOR."),
};

struct Introduction {
  sv group;
  std::span<const sv> paragraphs;
  sv relatives{};  ///< further pages, for "see also"
};

constexpr std::array k_introductions = {
    Introduction{"chat", k_chat, "svc-responses(1), svc-history(1), svc-tools(7), svc-files(7)"},
    Introduction{"responses", k_responses,
                 "svc-chat(1), svc-collections(1), svc-history(1), svc-tools(7), svc-files(7)"},
    Introduction{"images", k_images, "svc-videos(1), svc-files(1)"},
    Introduction{"videos", k_videos, "svc-images(1), svc-files(1)"},
    Introduction{"tts", k_tts, "svc-stt(1), svc-voice(7)"},
    Introduction{"stt", k_stt, "svc-tts(1), svc-voice(7)"},
    Introduction{"realtime", k_realtime, "svc-phone(1), svc-tools(7), svc-voice(7)"},
    Introduction{"phone", k_phone, "svc-realtime(1), svc-emulator(1), svc-voice(7)"},
    Introduction{"batches", k_batches, "svc-chat(1), svc-files(1)"},
    Introduction{"files", k_files_group, "svc-collections(1), svc-batches(1), svc-files(7)"},
    Introduction{"tokenize", k_tokenize},
    Introduction{"legacy", k_legacy, "svc-chat(1)"},
    Introduction{"docs", k_docs},
    Introduction{"models", k_models, "svc-billing(1)"},
    Introduction{"keys", k_keys, "svc-auth(1), svc-models(1)"},
    Introduction{"collections", k_collections, "svc-files(1), svc-responses(1)"},
    Introduction{"history", k_history, "svc-chat(1), svc-responses(1)"},
    Introduction{"billing", k_billing, "svc-models(1), svc-history(1)"},
    Introduction{"mcp", k_mcp, "svc-chat(1), svc-responses(1), svc-realtime(1), svc-tools(7)"},
    Introduction{"api", k_api, "svc-operations(1)"},
    Introduction{"operations", k_operations, "svc-api(1)"},
    Introduction{"auth", k_auth, "svc-config(5), svc-environment(7)"},
    Introduction{"config", k_config, "svc-config(5), svc-environment(7)"},
    Introduction{"templates", k_templates, "svc-chat(1), svc-config(5)"},
    Introduction{"completion", k_completion},
    Introduction{"emulator", k_emulator, "svc-phone(1)"},
    Introduction{"sound", k_sound, "svc-realtime(1), svc-stt(1), svc-tts(1), svc-voice(7)"},
    Introduction{"doctor", k_doctor, "svc-auth(1), svc-config(5)"},
};

const Introduction* introduction_of(sv group) {
  for (const Introduction& introduction : k_introductions) {
    if (introduction.group == group) return &introduction;
  }
  return nullptr;
}

}  // namespace

std::span<const sv> group_introduction(sv group) {
  const Introduction* found = introduction_of(group);
  return found != nullptr ? found->paragraphs : std::span<const sv>();
}

sv group_relatives(sv group) {
  const Introduction* found = introduction_of(group);
  return found != nullptr ? found->relatives : sv();
}

}  // namespace svc::docgen
