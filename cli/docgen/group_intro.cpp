// The introductions of the groups' manual pages.
#include "docgen/group_intro.h"

#include <algorithm>
#include <array>

namespace svc::docgen {
namespace {

constexpr std::array k_chat = {
    sv("`svc chat` sends a conversation to a model and streams its answer. The request contains "
       "--system, each --message in the order given, --messages, and last the prompt with its "
       "attachments."),
    sv("Without a prompt on a terminal, svc starts an interactive conversation. The other flags "
       "apply to the whole conversation, answers are rendered as Markdown while they stream, and "
       "/help lists the commands. Enter sends; a backslash at the end of a line, Alt-Enter, or "
       "text between \"\"\" adds lines, and pasted text is one message. Ctrl-C stops an answer and "
       "saves the part already received; Ctrl-D exits."),
    sv("Piped text becomes the prompt, or is appended to it. An attachment is a path, an http(s) "
       "URL, a data: URL, the ID of a stored file, or - for standard input."),
    sv("Reasoning, citations, token counts and cost go to standard error. The exit code shows "
       "whether an answer was truncated at a limit, refused or interrupted."),
    sv("With --deferred the service answers later: svc prints a request ID, and `svc chat "
       "deferred` fetches the answer. An answer can be fetched only once, so svc saves it before "
       "printing it."),
    sv("With --each FILE svc sends one request per line, --jobs at a time. The prompt is a "
       "template: {} is the line, {name} a column or member; '{}' alone sends the lines as they "
       "are. Up to 1000 run in parallel: over a few connections if the service supports HTTP/2, "
       "otherwise over one connection each. With a management key, svc knows the model's limits of "
       "requests and tokens (`svc models`) and stays below them. When the service's rate limit is "
       "exhausted, new requests wait until it resets. The first Ctrl-C lets the requests in flight "
       "finish, the second stops at once."),
    sv("Progress is recorded in a journal next to the file, one per prompt and set of options: "
       "rerun the command to resume. Nothing is sent twice: a request whose response was "
       "interrupted, or that was in flight when svc was stopped or killed, has the state unknown, "
       "and only --retry-failed resends it. --restart starts over."),
    sv("With -f jsonl or -o NAME.jsonl each result is a record with the members id, state, answer, "
       "error, cost, usage and response, as in svc-batches(1), and --jq runs on each record. With "
       "-o NAME.csv or NAME.tsv the output is the input plus the columns answer, state and error. "
       "The file contains what is finished at any time. Batches are cheaper but slower."),
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
    sv("`svc tokenize` shows how a model splits text into tokens, one row per token: ID, text and "
       "bytes."),
};

constexpr std::array k_keys = {
    sv("`svc keys` creates, changes and deletes a team's API keys with the management key. A key "
       "can be restricted to endpoints and models (--acls), limited in rate, and given an expiry. "
       "It needs permission for at least one endpoint and one model: without --acls or "
       "--allow-all, every request with it is refused. Its secret is printed once, alone on "
       "standard output, so that you can pipe it to a safe place. `svc keys rotate` replaces the "
       "secret; the old one remains valid for a while."),
    sv("`svc keys self` shows what the API key in use may do, its team, and whether it is blocked "
       "or disabled. The key itself is never shown."),
};

constexpr std::array k_history = {
    sv("`svc history` works with conversations saved on this machine, in a private file. An "
       "interactive conversation is saved unless you pass --no-save or set history = false; a "
       "single `svc chat PROMPT` is saved only with --session, --continue or --save."),
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
       "with each answer, and says what today will cost at the rate so far. It excludes requests "
       "from other machines, keys or people, and other charges of the service; balance, invoices "
       "and preview ask the service. With -p emulator it shows the emulator's."),
    sv("The flag --max-cost USD and the profile setting max_cost_per_day are limits. Before a "
       "request is sent, svc reserves the most that it can cost, by the service's prices, which it "
       "keeps for a day: what does not fit is not sent, with exit code 5, what may fit later "
       "waits, and an answer without a length gets the token limit that fits. What cannot be "
       "known, such as the reasoning of a chat model, is sent one at a time near the limit, so "
       "that the limit is exceeded by one request at most. What was reserved for an answer that is "
       "lost stays reserved. A conversation is paid for by the second with the profile's price of "
       "a "
       "minute, and else ends with the answer that reaches the limit. max_cost_per_day holds for "
       "all processes of this "
       "machine. --estimate prints what a request costs and sends nothing but questions for prices "
       "and, with --estimate exact, for tokens."),
    sv("The service publishes no prices for speech, transcription and realtime conversations. The "
       "table [profile.NAME.prices] sets them in US dollars, for example "
       "tts_per_million_characters = 15; without one, they do not count."),
};

constexpr std::array k_mcp = {
    sv("The Model Context Protocol connects programs that use tools to servers that provide them. "
       "svc is both: `svc chat`, `svc responses` and `svc realtime talk` can call the tools of MCP "
       "servers, and `svc mcp` serves svc's own operations to other programs. Revisions 2024-11-05 "
       "to 2026-07-28 of the protocol are supported, over standard input and output and, as a "
       "client, over streamable HTTP."),
    sv("--mcp-local NAME=COMMAND starts a server (COMMAND is split into words, without a shell), "
       "--mcp-local NAME=URL uses one over HTTP, and --mcp-config FILE reads the mcpServers object "
       "that other programs use: command, args, env and cwd, or url and headers, and disabled. A "
       "value env:NAME in env or headers is replaced by the variable NAME, so that secrets stay "
       "out of the file. The setting mcp_config sets a file for every conversation; --mcp-config "
       "none ignores it. `svc mcp tools` lists the tools of a server, `svc mcp call` tries one."),
    sv("A server runs as you, in this directory, with the usual variables of your environment "
       "(PATH, HOME, locale, XDG directories, proxies) and its own env. The first time svc uses a "
       "server, it shows the command or URL and asks for confirmation; "
       "the answer is stored for that command. A script needs --allow-tools SERVER.TOOL or "
       "SERVER.* (or --yes for svc mcp tools and call): only the allowed tools are offered to the "
       "model. A server that comes only from the setting is skipped if none of its tools is "
       "allowed or if it does not start. On a terminal each call is confirmed as for --tool, with "
       "the same limits. Tools that share a name get the server's name as a prefix. Servers start "
       "in parallel, each in its own process group, and exit with svc; a server that exits earlier "
       "is restarted by the next call. If a server fails, its standard error is shown; --verbose "
       "shows progress and log messages."),
    sv("By default `svc mcp` offers every operation that is free and read-only, plus chat, images, "
       "tts, stt and collections search. --allow selects other groups or commands instead, "
       "--read-only excludes everything that costs money or changes something, and --max-cost USD "
       "is a budget for all calls together. Images and audio are returned in the results, or saved "
       "in --output-dir. Conversations saved on this machine and files on the service are "
       "resources, the profile's templates prompts."),
    sv("A tool reads local files only below the roots that the client grants, else below --root, "
       "else below the working directory, unless that is / or your home directory. Links and .. do "
       "not lead out of it, and svc's own configuration, keys, history and journals are never "
       "read. A secret in an answer, such as a new API key, is saved in a private file in "
       "svc's state directory; the model sees only the file's name."),
    sv("Desktop assistants, and many editors, start servers from an mcpServers object:"),
    sv("{\n"
       "  \"mcpServers\": {\n"
       "    \"svc\": {\n"
       "      \"command\": \"svc\",\n"
       "      \"args\": [\"mcp\", \"--output-dir\", \"/home/ann/svc\", \"--max-cost\", \"5\"],\n"
       "      \"env\": {\"SVC_PROFILE\": \"work\"}\n"
       "    }\n"
       "  }\n"
       "}\n"),
    sv("Editors with one file per workspace call the object servers and specify the transport:"),
    sv("{\n"
       "  \"servers\": {\n"
       "    \"svc\": {\"type\": \"stdio\", \"command\": \"svc\", \"args\": [\"mcp\", "
       "\"--read-only\"]}\n"
       "  }\n"
       "}\n"),
    sv("Terminal coding agents often read TOML:"),
    sv("[mcp_servers.svc]\n"
       "command = \"svc\"\n"
       "args = [\"mcp\", \"--allow\", \"images,tts,docs\", \"--output-dir\", \"media\"]\n"),
    sv("Such a program often runs in a different environment from your shell: use the full path of "
       "svc if it is not found, and store the key with `svc auth login`."),
};

constexpr std::array k_api = {
    sv("`svc api` sends any request, including those without a command. The path determines the "
       "host, and thus the key, unless --host is given. --body and --set provide the body, as for "
       "every command; the response is printed unchanged."),
};

constexpr std::array k_operations = {
    sv("`svc operations` prints the catalogue svc is generated from. With --json it includes all "
       "flags, types, ranges and choices, so that a script or an agent can discover everything svc "
       "can do."),
};

constexpr std::array k_auth = {
    sv("svc uses the first key it finds in the environment, the profile's key_command, its "
       "key_file, or the key stored by `svc auth login`. `svc auth status` shows which."),
    sv("`svc auth login` asks for the service's URL if none is set, and for a key, without showing "
       "it. It checks both and stores them: the URL in the configuration, the key in a private "
       "file, which svc refuses to read if other users can. In a script, pass the URL with "
       "--base-url and the key on standard input: `pass show svc | svc auth login --base-url "
       "https://api.example`. With --management it stores the management URL (--management-url) "
       "and the management key."),
};

constexpr std::array k_config = {
    sv("Flags override environment variables, which override the profile in the configuration "
       "file, which overrides the defaults. `svc config list` shows each value and where it comes "
       "from. The settings are described in svc-config(5); the first one you need is the service's "
       "URL: `svc config set base_url https://api.example`."),
    sv("`svc config set` changes the current profile, or the one given with --profile."),
};

constexpr std::array k_completion = {
    sv("For bash add '. <(svc completion bash)' to ~/.bashrc, for zsh '. <(svc completion zsh)' to "
       "~/.zshrc after compinit, for fish 'svc completion fish | source' to "
       "~/.config/fish/config.fish. Packages install the same scripts where the shells find them."),
};

constexpr std::array k_emulator = {
    sv("The emulator is a local version of the service: it stores, validates, streams and rejects "
       "as the service does; generated text is a placeholder that says so. It needs no key and no "
       "network."),
    sv("`svc -p emulator COMMAND` starts one for a single command; `svc emulator` runs it in the "
       "foreground until Ctrl-C. Its state persists between runs; --state changes the file."),
    sv("A test can set the emulator's answers, inject faults and inspect the requests: see IN "
       "TESTS in svc-emulator(1), or `svc help emulator`."),
};

constexpr std::array k_expiring = {
    sv("`svc expiring` lists what the service deletes or refuses soon, soonest first, each with "
       "the command that saves or renews it: files and their public URLs, the results of batches "
       "with "
       "the URLs of their media, API keys (which need the management URL and key), the stored "
       "responses of conversations saved on this machine (30 days), and deferred answers that this "
       "machine has asked for and not fetched (24 hours)."),
};

constexpr std::array k_doctor = {
    sv("`svc doctor` shows which configuration file, profile, URLs and keys are in use, where each "
       "comes from, whether each host responds, which audio devices are used, and the result of "
       "the last `svc sound test`. Keys are never shown."),
};

constexpr std::array k_sound = {
    sv("`svc sound devices` lists the microphones and speakers of this machine; --input-device and "
       "--output-device of other commands take a number or part of a name from it."),
    sv("`svc sound test` plays a tone and some noise, shows the microphone's level while it "
       "records three seconds, plays the recording back, and reports the level, the delay between "
       "speaker and microphone, and whether an echo canceller is installed and how well it works "
       "here. `svc doctor` shows the last result. If the sound server does not respond, both "
       "commands exit with 10 after 5 s."),
};

constexpr std::array k_images = {
    sv("`svc images` generates images from a prompt and saves them. `svc images edit` edits one "
       "image or combines several; in the prompt, <IMAGE_0> is the first and <IMAGE_1> the second. "
       "Each image requested with --n is billed."),
    sv("A terminal that can show images previews them; --no-preview turns that off."),
    sv("With --deferred the service keeps working after the request ends: `svc images wait "
       "REQUEST_ID` waits for it, `svc images get` checks once."),
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
       "may be up to 50 MB, or 512 MB with --chunked; it is read as a stream. Without "
       "--expires-after it is stored until you delete it."),
    sv("`svc chat` and `svc responses` also take local files directly: see svc-files(7)."),
};

constexpr std::array k_batches = {
    sv("A batch costs less than the same requests sent individually, and most batches finish "
       "within a day. `svc batches run` processes a whole file: it checks every line before "
       "sending any, submits the requests, waits, and writes each result next to its input. The "
       "file contains requests as JSON Lines, one prompt per line, or a table whose rows become "
       "prompts with --column or --template."),
    sv("If the file has errors, the first twenty are printed. In a large file, checking stops at "
       "most 256 MB after the first error; with --skip-invalid the whole file is checked. Requests "
       "are submitted in up to 16 concurrent calls: more while the service responds quickly, fewer "
       "if it slows down or limits the rate (429)."),
    sv("`svc batches run` keeps a journal next to the file. After a crash, full disk or network "
       "failure, rerun it to resume; each request is in the batch exactly once. --retry-failed "
       "resends failed requests. Ctrl-C stops adding requests and waiting; batches already "
       "submitted "
       "keep running."),
    sv("With --max-cost or max_cost_per_day, a batch gets the requests whose highest cost fits. "
       "Once "
       "it is paid for, what is left of the limit is used for the next one. If nothing more fits, "
       "the exit code is 5; a rerun with a higher limit sends the rest."),
    sv("Each result is a line of JSON with the members id, state, answer (text, or the URLs of "
       "media), error, cost in US dollars, usage, and response, the service's answer unchanged. "
       "--jq runs on each of them; -f raw prints the service's own items. With -o NAME.csv or "
       "NAME.tsv a run of prompts or of a table writes the input plus the columns answer, state "
       "and error. The file contains what is finished at any time."),
    sv("Rerunning a finished run prints its results and when it finished, and sends nothing; "
       "--restart starts over. The state of a request is succeeded, failed (also if its answer was "
       "truncated at the token limit), canceled, or unknown: it may have run, but its result "
       "never arrived. The exit code is 9 unless all requests succeeded."),
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
       "-o 'part-{}.jsonl' ::: 1 2 3 4`. With `parallel --retries 3` a failed shard is run again "
       "and resumes."),
    sv("The other commands are the individual steps, for custom workflows."),
};

constexpr std::array k_tts = {
    sv("`svc tts` turns text into speech. On a terminal the audio plays as it arrives: the space "
       "bar pauses, q stops. --output saves it in the format of the file's extension; a pipe gets "
       "the audio. Tags in the text direct the voice: [laugh] and [pause] are sounds, "
       "<whisper>…</whisper> applies to the text inside."),
    sv("With --split, text too long for one request is split at sentences and joined into one "
       "file. --subtitles saves subtitles as .srt or .vtt."),
};

constexpr std::array k_stt = {
    sv("`svc stt` transcribes recordings: paths, URLs, or - for standard input. Several are sent "
       "at a time; each result is saved next to its recording or in the --output directory. "
       "--diarize labels the speakers, and --transcript-format selects other formats, such as "
       "subtitles."),
    sv("`svc stt live` transcribes live from the microphone, or from a file or pipe with --input, "
       "in real time unless --fast is given. Interim results appear only on a terminal. Ctrl-C "
       "stops listening and waits up to 30 s for the final transcript; a second Ctrl-C exits at "
       "once."),
    sv("Keypresses end an utterance, change the VAD threshold or the silence that ends an "
       "utterance, or reconnect; ? lists them. Scripts end utterances with --control-fd or "
       "SIGUSR1."),
};

constexpr std::array k_realtime = {
    sv("`svc realtime talk` starts a spoken conversation. Speaking interrupts an answer, and svc "
       "reports to the service how much of it was played. The terminal shows a transcript and the "
       "timing of each turn. Keypresses interrupt, mute, type, change the microphone or speaker, "
       "the VAD threshold or the silence that ends a turn, or reconnect; ? lists them. Without a "
       "microphone use files (--input, --audio-output) or text (--text). --tool works as in `svc "
       "chat`."),
    sv("`svc realtime connect` is for programs: it reads and writes the session's events, one per "
       "line. It exits when its input has ended and every answer is complete."),
    sv("`svc realtime secret` creates a short-lived client secret that lets a browser or another "
       "program open a session without the API key."),
};

constexpr std::array k_phone = {
    sv("`svc phone` sets up phone numbers and handles their calls. A signed webhook delivery "
       "announces a call: `svc phone listen` receives and verifies it (signature, age, no "
       "replays), then prints one event per line, runs a program (--exec), or answers the call "
       "(--answer)."),
    sv("`svc phone listen` serves plain HTTP, on 127.0.0.1 by default; put an HTTPS proxy or "
       "tunnel in front, or let --tunnel run one. A secret is never an argument: @FILE, env:NAME, "
       "or - for a line of standard input."),
    sv("Each refused delivery is reported with the reason, on standard error and in the response: "
       "400 if it is not a signed delivery, 401 for an invalid signature, age or token, 404 or 405 "
       "for another path or method, 413 or 431 if it is too large, 503 if the sender should "
       "retry."),
    sv("`svc phone listen` exits with 0 after --events N, or after Ctrl-C once its calls and "
       "programs have ended; a second Ctrl-C ends those too and exits with 130. It exits with 2 "
       "for a usage error, 3 without a signing secret, and 10 if it cannot listen or the tunnel "
       "program exits. `svc phone verify` exits with 0 for a valid delivery and 6 for any other; "
       "`svc phone answer` exits with 0 when the call has ended."),
    sv("`svc phone verify` checks a saved delivery, or those in --store as of their arrival time; "
       "`svc emulator call` simulates an incoming call."),
};

constexpr std::array k_collections = {
    sv("A collection contains documents, split into chunks and indexed, so that `svc collections "
       "search`, or a model with --collection, can find passages by meaning, by keywords, or both. "
       "`svc collections documents add` takes local paths and IDs of stored files; --wait waits "
       "until they are indexed."),
    sv("Deleting a collection, or removing a document from it, keeps the files; `svc files` "
       "deletes those."),
    sv("Managing collections needs the management key, searching the API key."),
};

constexpr std::array k_docs = {
    sv("`svc docs` searches the service's documentation and prints its pages as Markdown. No key "
       "is needed."),
};

constexpr std::array k_legacy = {
    sv("The service has deprecated these operations; svc supports them for existing programs; `svc "
       "chat` replaces them all."),
};

constexpr std::array k_models = {
    sv("`svc models` lists the team's models with prices in US dollars and limits per minute. It "
       "needs the management key; `svc api GET /v1/models` lists just the names and needs only the "
       "API key."),
};

constexpr std::array k_templates = {
    sv("A template is a named set of prompt, system prompt, model and flags, in the table "
       "[profile.NAME.templates.TEMPLATE] of the configuration. `svc chat -t TEMPLATE < FILE` uses "
       "it; flags on the command line override it, and a prompt there is appended to the "
       "template's."),
    sv("A template's keys are the flags of `svc chat` and `svc responses`, with underscores, and "
       "`prompt`. `svc templates edit` opens one in $EDITOR."),
};

constexpr std::array k_alias = {
    sv("An alias is a command of your own: the words that follow it replace $1 to $9 in its "
       "expansion, and the others are appended. The expansion is split into words like a shell's, "
       "with quotes and backslashes, but nothing else is expanded: an argument stays one word. It "
       "starts with a command of svc, so an alias cannot call another one, and a command of svc "
       "takes precedence over an alias of its name."),
    sv("Aliases are in the table [alias] of the configuration, for every profile."),
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
    Introduction{"alias", k_alias, "svc-templates(1), svc-config(5)"},
    Introduction{"completion", k_completion},
    Introduction{"emulator", k_emulator, "svc-phone(1)"},
    Introduction{"sound", k_sound, "svc-realtime(1), svc-stt(1), svc-tts(1), svc-voice(7)"},
    Introduction{"expiring", k_expiring, "svc-files(1), svc-batches(1), svc-keys(1)"},
    Introduction{"doctor", k_doctor, "svc-auth(1), svc-config(5)"},
};

}  // namespace

const Introduction& introduction_of(sv group) {
  static constexpr Introduction k_none;
  const auto found =
      std::find_if(k_introductions.begin(), k_introductions.end(),
                   [&](const Introduction& introduction) { return introduction.group == group; });
  return found == k_introductions.end() ? k_none : *found;
}

}  // namespace svc::docgen
