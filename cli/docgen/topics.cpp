#include "docgen/topics.h"

#include <algorithm>
#include <array>

#include <fmt/format.h>

#include "client/settings.h"
#include "docgen/describe.h"
#include "docgen/topic_emulator.h"

namespace svc::docgen {
namespace {

// `svc --help` ------------------------------------------------------------------------------------

constexpr std::array k_tasks = {
    Task{"Ask and talk", {"chat", "responses", "realtime", "phone", "history"}},
    Task{"Images, video, speech", {"images", "videos", "tts", "stt", "sound"}},
    Task{"Files and documents", {"files", "collections", "docs", "expiring"}},
    Task{"Many requests at once", {"batches", "tokenize"}},
    Task{"Models, keys, billing", {"models", "keys", "billing"}},
    Task{"This program", {"auth", "config", "templates", "alias", "doctor", "emulator"}},
    Task{"Everything else", {"api", "operations", "completion", "mcp", "legacy"}}};

constexpr std::array k_first_steps = {
    Example{"svc -p emulator chat Hello", "try it: no key, no network."},
    Example{"svc auth login", "connect: the service's URL and a key."},
    Example{"svc chat 'Name three rivers'", "ask; with no prompt: interactive."},
    Example{"svc images 'A fox' -o fox.jpg", "make an image."}};

// commands ----------------------------------------------------------------------------------------

/// The strings are static because a Term only refers to them.
std::vector<Term> command_terms() {
  struct Row {
    std::string usage;
    std::string text;
  };
  static const std::vector<Row> k_rows = [] {
    constexpr sv k_flags = " [flags]";
    std::vector<Row> rows;
    for (const Group& group : groups()) {
      for (const Operation& operation : group.operations) {
        Row row{usage(operation), marked_summary(operation)};
        row.usage.resize(row.usage.size() - k_flags.size());
        const std::string request = request_line(operation);
        if (!request.empty()) row.text += fmt::format(" {}", request);
        rows.push_back(std::move(row));
      }
    }
    return rows;
  }();
  std::vector<Term> terms;
  for (const Row& row : k_rows) terms.push_back({row.usage, row.text});
  return terms;
}

constexpr std::array k_commands_examples = {
    Example{"svc operations", "Prints this list; --json and --openapi add every field."}};

constexpr std::array k_commands_blocks = {
    TopicBlock{.paragraph = "A verb in brackets may be omitted. svc GROUP VERB --help shows the "
                            "common flags, svc GROUP VERB --help-all every flag. For an operation "
                            "without a command, use svc api METHOD PATH.",
               .terms = command_terms},
    TopicBlock{.examples = k_commands_examples}};

// formatting --------------------------------------------------------------------------------------

std::vector<Term> format_terms() {
  return {
      {"text",
       "For people: the model's text as it streams, a table for a list (tab-separated and "
       "without a header if output is not a terminal), name: value lines for one object."},
      {"json", "One JSON document, also for a list of many pages; --json is short for it."},
      {"jsonl", "One item or event per line, written as it arrives."},
      {"raw",
       "The response as received, byte for byte; those of several items on lines of their own."}};
}

constexpr std::array k_formatting_examples = {
    Example{"svc files list --json --jq '.[].id'", "Prints every ID; --jq alone implies --json."},
    Example{"svc chat Hello --format jsonl", "Prints the events of the answer as they arrive."},
    Example{"svc images 'A lighthouse' -o a.jpg --force", "Overwrites an existing file."}};

constexpr std::array k_formatting = {
    TopicBlock{.paragraph = "Standard output contains only the result; warnings, progress, "
                            "reasoning, citations and costs go to standard error. --format sets "
                            "the format of the result, whether it goes to a terminal, a pipe or a "
                            "file:",
               .terms = format_terms},
    TopicBlock{
        .paragraph =
            "--verbose adds details that text output omits. For an answer it prints to standard "
            "error the ID, system fingerprint, service tier, log probabilities, tokens by kind, "
            "and the output and call count of each server-side tool; for an image the revised "
            "prompt; for a transcript its language and duration. Lists get more columns; on a "
            "terminal these appear below each row, with any values that did not fit. Times are "
            "local on a terminal and RFC 3339 elsewhere; money is in US dollars. json, jsonl and "
            "raw always contain everything."},
    TopicBlock{.paragraph = "With json and jsonl an error is one JSON object on standard error: "
                            "{\"error\":{\"fault\",\"message\",\"hint\",\"http_status\",\"code\","
                            "\"request_id\"}}."},
    TopicBlock{
        .paragraph =
            "On a terminal, control characters in remote text are escaped; pipes and files get the "
            "exact bytes. --color and NO_COLOR control color, --no-progress and --quiet the rest.",
        .examples = k_formatting_examples},
    TopicBlock{
        .paragraph =
            "Memory: streamed results need 20 MB regardless of length: text, jsonl, raw, lists, "
            "files, speech (also with --split), and images and videos sent or saved from a URL. A "
            "result that is a single document is held in memory in addition: a stream with json "
            "needs 2.5 times the size of its text, an image inside an answer 1.5 times its base64 "
            "text, an answer checked by --schema 7 times its text."}};

// environment -------------------------------------------------------------------------------------

constexpr std::array k_environment_examples = {
    Example{"svc config list", "Shows each setting, its value and its source."},
    Example{"svc config set model svc-4.5", "Saves one in the profile."}};

constexpr std::array k_environment_blocks = {
    TopicBlock{
        .paragraph =
            "Flags override the environment, which overrides the profile in the configuration "
            "file, which overrides the defaults. An empty variable counts as unset.",
        .terms = environment_terms},
    TopicBlock{.examples = k_environment_examples}};

// exit-codes --------------------------------------------------------------------------------------

std::vector<Term> exit_terms() {
  return {k_exit_codes.begin(), k_exit_codes.end()};
}

constexpr std::array k_exit_blocks = {
    TopicBlock{.paragraph = "Exit codes tell scripts what went wrong without parsing messages:",
               .terms = exit_terms},
    TopicBlock{.paragraph = "Requests are retried only when that is safe; after 11, check whether "
                            "the request took effect before you repeat it. Output received before "
                            "a stream broke is still printed. A run stopped by --max-cost exits "
                            "with 5."}};

// files -------------------------------------------------------------------------------------------

std::vector<Term> file_terms() {
  return {k_files.begin(), k_files.end()};
}

constexpr std::array k_files_examples = {
    Example{"svc chat 'What is this?' --image photo.jpg", "Attaches an image."},
    Example{"svc responses 'Sum it up' --file report.pdf", "Attaches a document."},
    Example{"svc chat @question.txt", "Reads the prompt from a file."},
    Example{"svc stt recording.wav -o words.txt", "Writes the result to a file."}};

constexpr std::array k_files_blocks = {
    TopicBlock{.paragraph =
                   "An attachment (--image, --file) is a path, an http or https URL, a data: URL, "
                   "the ID of a file on the service, or - for standard input. Prompts and JSON "
                   "take @FILE; a leading \\@ is a literal @. Piped input is appended to the "
                   "prompt. What chat accepts only by ID, such as a PDF, is uploaded for the "
                   "prompt and then deleted, unless --keep is given; in a saved conversation it is "
                   "stored for 30 days, so that --continue can use it."},
    TopicBlock{.paragraph = "--output FILE writes the result atomically; it overwrites an existing "
                            "file only with --force. Binary results are never written to a "
                            "terminal: svc chooses a file name and prints it. Images generated by "
                            "svc responses are saved in the current directory; with --output DIR/ "
                            "or an image file name they are saved there, and the text still goes "
                            "to standard output.",
               .examples = k_files_examples},
    TopicBlock{.paragraph = "On this machine svc stores:", .terms = file_terms},
    TopicBlock{.paragraph = "For files on the service, see svc files --help."}};

// voice -------------------------------------------------------------------------------------------

constexpr std::array k_voice_examples = {
    Example{"svc tts 'Good morning' -o morning.mp3", "Turns text into speech."},
    Example{"svc stt interview.mp3 --diarize", "Turns speech into text, by speaker."},
    Example{"svc stt live", "Transcribes the microphone."},
    Example{"svc realtime talk", "Starts a spoken conversation."},
    Example{"svc tts voices", "Lists the voices."}};

constexpr Term k_interruption_terms[] = {
    {"--interrupt-after DURATION",
     "A shorter sound, such as a cough, does not interrupt, and nothing of it is sent (default: "
     "250ms). Costs no time: the sound pauses before that. The answer continues 0.3 s after it."},
    {"--interrupt-words N",
     "Fewer words do not interrupt (default: 1). For speech of up to 1.2 s more than "
     "--interrupt-after, the next answer waits for the transcript, which the service sends after "
     "the silence that ends a turn; longer speech costs nothing. With 2 and more, speech of every "
     "length waits."},
    {"--fillers WORDS",
     "Words that do not count: mm-hm, uh-huh and the like, in English, unless you set others. "
     "They are deleted from the conversation, and not answered. Costs the same wait."},
    {"--resume-after DURATION",
     "The longest wait for words until the answer continues (default: 2s). Words that arrive "
     "later still interrupt. With none, an answer never pauses: speech of --interrupt-after ends "
     "it, whatever the words."}};

std::vector<Term> interruption_terms() {
  return {std::begin(k_interruption_terms), std::end(k_interruption_terms)};
}

constexpr Term k_latency_terms[] = {
    {"low", "Devices buffer 40 ms, blocks have 20 ms, playback starts after 60 ms."},
    {"normal", "80, 40 and 110 ms."},
    {"safe", "160, 80 and 200 ms, for busy machines and wireless headsets."}};

std::vector<Term> latency_terms() {
  return {std::begin(k_latency_terms), std::end(k_latency_terms)};
}

constexpr std::array k_voice_blocks = {
    TopicBlock{
        .paragraph =
            "The system's default microphone and speaker are used unless flags, the settings "
            "input_device and output_device, or their variables select others by number or part of "
            "the name. svc sound devices lists them, and svc sound test tests them.",
        .examples = k_voice_examples},
    TopicBlock{
        .paragraph =
            "Speaker echo is removed from the microphone signal. svc measures the echo's delay, up "
            "to half a second, while the first answer plays, follows it, and remembers it for each "
            "pair of devices; svc sound test measures it too. Until the echo is canceled, and "
            "wherever that is not possible, the microphone is closed while an answer plays: svc "
            "says so, and the key i interrupts the answer. With headphones there is no echo. A "
            "voice much softer than the echo, or one in the first two seconds with new devices, "
            "may be missed."},
    TopicBlock{
        .paragraph =
            "Measured in 672 simulated rooms with random delays, clocks, noise and loudspeakers: "
            "of the first words that interrupt an answer, 93 % are kept if the voice is as loud "
            "as the echo, 80 % if it is 6 dB softer, but 42 % at 12 dB and 17 % at 18 dB. Half of "
            "the voices as loud as the echo are noticed within 0.23 s. In 180 minutes with echoes "
            "up to half a second late, no answer was interrupted by its own echo. Headphones "
            "avoid the echo, and --barge-in key does not need to hear a voice."},
    TopicBlock{.paragraph =
                   "--noise-suppression low or high takes noise out of what the microphone sends, "
                   "and --gain-control makes a soft voice louder. The settings noise_suppression "
                   "and gain_control do the same. Both are off unless set."},
    TopicBlock{
        .paragraph =
            "The service decides what interrupts an answer, and cancels it at any speech, unless "
            "one of the flags below or its setting, such as interrupt_after, is set. Then svc "
            "detects turns itself while an answer is heard, with the silence of "
            "--turn-detection-silence-duration-ms, and tells the service not to. The sound pauses "
            "0.1 s after a voice starts, continues where it stopped unless that was an "
            "interruption, and only an interruption is reported to the service. A service that "
            "does not confirm this, and a phone call, interrupt as the service decides. With "
            "--interrupt-words 0 --fillers none the length alone decides, and nothing waits.",
        .terms = interruption_terms},
    TopicBlock{
        .paragraph =
            "The text of an answer follows its sound. That of an interrupted one ends, on the "
            "screen and in transcripts, with the last word that was heard and a dash; in JSON it "
            "has \"interrupted\": true. The service does not say where a word is in the audio. "
            "Text that arrives in step with its audio is placed by its arrival, to about a word; "
            "other text in proportion to the whole: in answers of 13 s usually to within a word, "
            "at worst four. An answer that is requested again after a lost connection replaces its "
            "first half."},
    TopicBlock{.paragraph =
                   "--latency, and the setting latency, choose how much audio is buffered. "
                   "svc sound test prints how long sound takes through both devices.",
               .terms = latency_terms},
    TopicBlock{.paragraph = "Audio libraries are loaded only when needed; everything else works "
                            "without them. Without the echo canceller's library, and in the "
                            "portable archive, more of the echo remains, and softer voices are "
                            "missed."},
    TopicBlock{.paragraph = "svc -p emulator realtime talk needs no key and no network: its "
                            "answers are simple, but the audio is real."}};

// tools -------------------------------------------------------------------------------------------

constexpr std::array k_tools_examples = {
    Example{"svc chat 'Do I need an umbrella in Oslo?' --tool weather=./weather.sh",
            "Lets the model run a local tool, after asking you."},
    Example{"svc responses 'And in Bergen?' --tool weather=./weather.sh --allow-tools weather",
            "The same in a script."},
    Example{"svc responses 'What happened in Oslo today?' --web-search",
            "Lets the service search the web."}};

constexpr std::array k_mcp_examples = {
    Example{"svc chat 'What is in my notes?' --mcp-local 'notes=my-server --root notes'",
            "Lets the model use a server's tools, after asking you."},
    Example{"svc responses 'Sum them up' --mcp-config mcp.json --allow-tools 'notes.read_*'",
            "The same in a script, with read-only tools."}};

constexpr std::array k_tools_blocks = {
    TopicBlock{.paragraph =
                   "--tool NAME=PROGRAM lets a model run a local program in chat, responses and "
                   "realtime talk. The program reads its arguments as a JSON object from "
                   "standard input, and its standard output is the result. A non-zero exit code "
                   "is a failure, reported to the model with standard error.",
               .examples = k_tools_examples},
    TopicBlock{.paragraph = "The tool's schema is a JSON object with \"description\" and "
                            "\"parameters\" (a JSON Schema), in NAME=PROGRAM,FILE.json, or in "
                            "PROGRAM.json, or printed by PROGRAM --schema."},
    TopicBlock{
        .paragraph =
            "On a terminal svc asks before each tool call until you answer \"always\". A script "
            "must allow tools with --allow-tools; otherwise nothing is sent. Calls in one answer "
            "run in parallel, limited by --tool-timeout, --tool-max-output and --max-tool-rounds. "
            "--json prints only the last answer, --format jsonl the events of every answer."},
    TopicBlock{
        .paragraph =
            "The program runs as you, in this directory and with your environment, but without "
            "svc's keys and secrets (--tool-env NAME passes one on): give it no power the "
            "model should not have."},
    TopicBlock{
        .paragraph =
            "--mcp-local NAME=COMMAND or NAME=URL adds the tools of an MCP server, --mcp-config "
            "FILE those of all servers in an mcpServers file. On the first use of a server svc "
            "shows its command and asks for confirmation. --allow-tools NAME.TOOL allows one tool, "
            "NAME.* all of a server's; in a script only allowed tools are offered to the model. "
            "svc mcp tools lists them, svc mcp call tries one, and /mcp does both in a "
            "conversation. svc mcp serves svc's own operations to programs that use MCP servers: "
            "see svc-mcp(1).",
        .examples = k_mcp_examples},
    TopicBlock{.paragraph = "Searches, code execution, collections and remote MCP servers run on "
                            "the service: use --web-search, --x-search, --code, --collection and "
                            "--mcp of svc responses; svc chat has only the searches."}};

std::vector<Term> performance_terms() {
  return {{"start", "0.3 times the time of curl; 6 MB. The portable archive: 0.2 times; 6 MB."},
          {"a short answer on loopback",
           "1.2 times the time of curl; 17 MB. The portable archive: 0.5 times; 11 MB."},
          {"a first request over TLS",
           "0.5 times the time of curl, as the certificate is looked up by its hash; 19 MB. The "
           "portable archive: 0.3 times; 13 MB."},
          {"a stream of a million events",
           "0.65 (text), 0.8 (jsonl) or 0.6 (raw) times the CPU of curl; without HTTP chunks, "
           "where curl only copies, 2 times; 18 MB."},
          {"a 500 MB upload", "0.9 times the time of curl; 17 MB."},
          {"20,000 prompts with --each --jobs 32", "Twice the time of curl -Z; 30 MB."},
          {"a million batch results", "340 MB/s (text) or 600 MB/s (JSON); 18 MB."},
          {"checking a bulk file", "550 MB/s; 26 MB."},
          {"ten minutes of conversation with echo cancellation",
           "3 % of a core; silent 0 to 13 ms after an interruption; 51 MB."}};
}

constexpr std::array k_performance_blocks = {
    TopicBlock{.paragraph = "Times are measured in pairs with curl on two cores, by "
                            "tests/bench/run in the source; memory is the peak.",
               .terms = performance_terms},
    TopicBlock{.paragraph =
                   "A result that is a single document is held in memory, in addition to 20 MB: a "
                   "stream with -f json needs 2.5 times the size of its text, an image inside an "
                   "answer 1.5 times its base64, an answer checked by --schema 7 times its text."}};

// security ----------------------------------------------------------------------------------------

constexpr std::array k_security_examples = {
    Example{"svc chat @notes.md --dry-run", "Shows the request and sends nothing."},
    Example{"svc auth status", "Shows which keys are used, and where they come from."},
    Example{"svc mcp --read-only --root ~/project",
            "Offers a model only what changes nothing, and only the files of a project."}};

constexpr std::array k_security_blocks = {
    TopicBlock{
        .paragraph =
            "What leaves this machine: the request of the command that you run, to the "
            "configured service, and nothing else. A cost limit or --estimate also asks the "
            "service for its prices, once a day, and the interactive prompt opens its "
            "connection when it appears. svc sends no statistics and looks for no updates. A "
            "file is sent only if it is named: as an argument, by @FILE, or by "
            "a tool of svc mcp below its roots. Conversations, costs "
            "and journals stay here; svc-files(7) lists where.",
        .examples = k_security_examples},
    TopicBlock{.paragraph =
                   "Keys come from the environment, a command, or a file that svc refuses to read "
                   "if others can. They are never taken from the arguments, which others can see, "
                   "and are masked in --verbose, --dry-run, --curl, logs and errors, also where a "
                   "server sends them back encoded. A key is sent only to the URL of its profile, "
                   "by HTTPS or to this machine. A call is never redirected; a download may be, "
                   "without the key."},
    TopicBlock{.paragraph =
                   "Programs that svc starts (--tool, --exec, key commands, editor and pager) get "
                   "the environment without svc's keys and secrets, but for what "
                   "--tool-env names. MCP servers get PATH, HOME, the locale and a few more "
                   "variables, and the env of their configuration. They get no descriptors but the "
                   "standard ones, and end with svc. They run as you: what they may do is up to "
                   "you, and svc asks before a model uses them."},
    TopicBlock{
        .paragraph =
            "A client of svc mcp can call the offered tools: by default free ones that "
            "change nothing, chat, images and speech; and read the conversations saved "
            "here, unless --allow names other groups than history. It reads files only below "
            "the roots, never svc's own, and writes only into --output-dir. It spends at "
            "most --max-cost, or one request more where the cost cannot be known. It sees no "
            "key: what `svc keys create` or "
            "`svc phone create` return is saved in a private file."},
    TopicBlock{.paragraph =
                   "Whoever controls the network sees the addresses, sizes and times of "
                   "connections, but cannot read or change anything, as certificates are verified "
                   "(SSL_CERT_FILE and the like name other authorities), nor have a request sent "
                   "twice: what may have been charged is repeated only if you ask for it. TLS is "
                   "libcurl's and receives the system's updates. libcrypto's hash functions, "
                   "SQLite and utf8proc are part of the program where the system has them as "
                   "archives: after an update of these, build svc again."},
    TopicBlock{
        .paragraph =
            "The portable archive brings its libraries, which the system's updates do not reach: "
            "when Debian publishes a fix of OpenSSL, curl or another library inside, a new "
            "archive is made. Install that, or build it: remove build-portable/libraries, then "
            "`cmake --preset portable` and `cmake --build --preset portable`, which refuses a "
            "library that is older than Debian's newest. share/doc/svc/licences/versions lists "
            "what is inside. Trusted certificates remain the system's. The archive's libcurl knows "
            "no international host names: write them as xn--NAME. Unlike any other build, its "
            "programs have fixed addresses, which halves the time to start."},
    TopicBlock{.paragraph =
                   "An answer, a page or a file that was made by somebody else cannot drive the "
                   "terminal (control characters are shown, not obeyed), run a program without a "
                   "consent that was typed after the question, choose a path (names from a server "
                   "are reduced to a plain name, links are not followed), or fill memory (every "
                   "answer has a limit). It can mislead a model: give tools no power that the "
                   "model should not have."},
    TopicBlock{.paragraph =
                   "The emulator's keys are public. It listens on this machine only, unless --host "
                   "says otherwise; /_emulator, which controls it, then needs --control-token."}};

// changes -----------------------------------------------------------------------------------------

std::vector<Term> unreleased_terms() {
  return {
      {"--json, --format",
       "Asking for two formats, or with --cost and --no-cost for both, is an error; one of them "
       "used to win."},
      {"scripts",
       "Changes that end or replace something (keys delete and rotate, limits set, and the "
       "like) need --yes without a terminal."},
      {"--dry-run, --curl",
       "Show every request that the command sends, uploads and waiting included: several are a "
       "list in JSON, and a shell script as curl. The figures of batches run --dry-run are on "
       "standard error. Accept and the tools of --tool and MCP servers are shown: a server that "
       "--allow-tools names is started for them, but no tool is called. --output does not apply "
       "to what is shown, though one that could not be written is an error, and a script ends "
       "where a step's answer lacks its ID."},
      {"history search", "Its JSON has the time of each message. --columns works."},
      {"library",
       "svc-library(3): one header, svc/svc.h, instead of svc's own, and a shared library."},
      {"models", "Items of models --json are {name, kind, clusters, model, others}."},
      {"--each",
       "Its journal belongs to input, prompt and options: the same file with another prompt is "
       "another run. --output-dir replaces --output-folder, which still works."},
      {"--max-cost",
       "Requests wait for, or are refused by, what is left of the limit before they are sent, "
       "with any number of jobs, in svc mcp and batches run too."},
      {"realtime talk",
       "The text of an answer follows its sound, and ends where an interruption ended it. The "
       "echo canceller follows any delay up to half a second. --interrupt-after, "
       "--interrupt-words, --fillers and --resume-after decide what interrupts an answer, "
       "--noise-suppression and --gain-control change what the microphone sends, and --latency "
       "chooses how much audio is buffered."},
      {"expiring",
       "Lists files, public URLs, batches, keys, responses and deferred answers that end soon, "
       "with the command that saves or renews each."},
      {"costs",
       "Text rounds a cost to the cent, or to two significant digits. JSON and text off a "
       "terminal keep every digit."},
      {"HTTPS",
       "The server's certificate is looked up by its hash where the system has such a "
       "directory. SSL_CERT_DIR is read."},
      {"portable archive",
       "`cmake --preset portable` makes an archive that runs on any Linux with glibc 2.34, and "
       "tests/platforms arm64 one for arm64. It brings all libraries except those for sound; the "
       "echo canceller's filter and, in the emulator, reading PDF files are left out."},
      {"svc mcp", "Reads only below the client's roots, --root or the working directory."},
      {"signals",
       "The same signal a second time from the same process, a script or timeout, gives svc up to "
       "three seconds to save what it has. A key, or another process, ends it at once."},
      {"programs", "Tools, hooks and editors no longer get svc's keys and secrets."}};
}

constexpr std::array k_changes_blocks = {
    TopicBlock{.paragraph = "What changes for those who use svc, newest first.",
               .terms = unreleased_terms},
    TopicBlock{.paragraph =
                   "A flag, a setting or a member of svc's own JSON that goes away works for one "
                   "more minor version, and for at least a year, hidden from help; this page "
                   "names what replaces it. Exit codes keep their meaning. What the service "
                   "returns is passed on as it is."}};

constexpr std::array k_topics = {
    Topic{"changes", "What changed, and what may change.", k_changes_blocks},
    Topic{"commands", "Every command and its request.", k_commands_blocks},
    Topic{"emulator", "The emulator, and how tests control it.", k_emulator_blocks,
          /*in_group_page=*/true},
    Topic{"formatting", "Output formats.", k_formatting},
    Topic{"environment", "Environment variables.", k_environment_blocks},
    Topic{"exit-codes", "Exit codes.", k_exit_blocks},
    Topic{"files", "How files are read, written and saved.", k_files_blocks},
    Topic{"performance", "Speed and memory.", k_performance_blocks},
    Topic{"security", "What svc promises, and what it does not.", k_security_blocks},
    Topic{"tools", "Tools and searches a model may use.", k_tools_blocks},
    Topic{"voice", "Speech and audio devices.", k_voice_blocks}};

}  // namespace

std::vector<Term> environment_terms() {
  std::vector<Term> terms(k_environment.begin(), k_environment.end());
  // Settings go after the keys and the profile, before the terminal's variables.
  auto place = std::find_if(terms.begin(), terms.end(),
                            [](const Term& term) { return term.name == "SVC_NO_STDIN"; });
  for (const SettingRow& row : setting_rows()) {
    if (row.variables[0].empty()) continue;
    place = terms.insert(place, Term{row.variables[0], row.help}) + 1;
  }
  return terms;
}

std::span<const Topic> topics() {
  return k_topics;
}

std::string topic_page(const Topic& topic) {
  return fmt::format("svc-{}({})", topic.name, topic.in_group_page ? 1 : 7);
}

const Topic* find_topic(sv name) {
  const auto found = std::find_if(k_topics.begin(), k_topics.end(),
                                  [name](const Topic& topic) { return topic.name == name; });
  return found == k_topics.end() ? nullptr : &*found;
}

std::span<const Task> tasks() {
  return k_tasks;
}

std::array<sv, 3> first_verbs(sv group) {
  struct Row {
    sv group;
    std::array<sv, 3> verbs;
  };
  constexpr std::array k_rows = {Row{"files", {"upload", "list", "download"}},
                                 Row{"batches", {"run", "results"}},
                                 Row{"keys", {"create", "list", "rotate"}},
                                 Row{"collections", {"create", "documents add", "search"}},
                                 Row{"billing", {"balance", "preview", "usage"}},
                                 Row{"realtime", {"talk", "secret"}},
                                 Row{"phone", {"create", "listen", "answer"}},
                                 Row{"auth", {"login", "status"}}};
  const auto found = std::find_if(k_rows.begin(), k_rows.end(),
                                  [&](const Row& row) { return row.group == group; });
  return found == k_rows.end() ? std::array<sv, 3>() : found->verbs;
}

std::span<const Example> first_steps() {
  return k_first_steps;
}

}  // namespace svc::docgen
