#include "docgen/topics.h"

#include <algorithm>
#include <array>

#include "client/settings.h"
#include "docgen/topic_emulator.h"

namespace svc::docgen {
namespace {

// `svc --help`
// -------------------------------------------------------------------------------------

constexpr std::array<sv, 5> k_ask = {"chat", "responses", "realtime", "phone", "history"};
constexpr std::array<sv, 4> k_media = {"images", "videos", "tts", "stt"};
constexpr std::array<sv, 3> k_store = {"files", "collections", "docs"};
constexpr std::array<sv, 2> k_bulk = {"batches", "tokenize"};
constexpr std::array<sv, 3> k_account = {"models", "keys", "billing"};
constexpr std::array<sv, 5> k_tool = {"auth", "config", "doctor", "completion", "emulator"};
constexpr std::array<sv, 3> k_rest = {"api", "operations", "legacy"};

constexpr std::array k_tasks = {Task{"Ask and talk", k_ask},
                                Task{"Pictures, films, speech", k_media},
                                Task{"Files and documents", k_store},
                                Task{"Many requests at once", k_bulk},
                                Task{"Models, access, money", k_account},
                                Task{"This program", k_tool},
                                Task{"Everything else", k_rest}};

constexpr std::array k_first_steps = {
    Example{"svc -p emulator chat Hello", "try it: no key, no network."},
    Example{"svc auth login", "store a key."},
    Example{"svc chat 'Name three rivers'", "ask; alone, svc chat is a conversation."},
    Example{"svc images 'A fox' -o fox.jpg", "make a picture."}};

// formatting
// ---------------------------------------------------------------------------------------

std::vector<Term> format_terms() {
  return {{"text",
           "For people: a model's text as it is made, a table for a list (tab-separated and "
           "without a header where the output is no terminal), name: value lines for one "
           "object."},
          {"json", "One JSON document, also for a list of many pages; --json is the same."},
          {"jsonl", "One item or event per line, written as it arrives."},
          {"raw", "The bytes of the service's answer."}};
}

constexpr std::array k_formatting_examples = {
    Example{"svc files list --json --jq '.[].id'", "Prints every id; --jq alone means --json."},
    Example{"svc chat Hello --format jsonl", "Prints the events of the answer as they come."},
    Example{"svc images 'A lighthouse' -o a.jpg --force", "Replaces a file that exists."}};

constexpr std::array k_formatting = {
    TopicBlock{.paragraph = "Standard output carries the result and nothing else; warnings, "
                            "progress, reasoning, citations and costs go to standard error. "
                            "--format chooses the form of the result, wherever it goes:",
               .terms = format_terms},
    TopicBlock{.paragraph = "With json and jsonl an error is one JSON object on standard error: "
                            "{\"error\":{\"fault\",\"message\",\"hint\",\"http_status\",\"code\","
                            "\"request_id\"}}."},
    TopicBlock{.paragraph = "On a terminal control characters in what came from outside are made "
                            "visible; pipes and files get the exact bytes. --color and NO_COLOR "
                            "decide about colour, --no-progress and --quiet about the rest.",
               .examples = k_formatting_examples}};

// environment
// --------------------------------------------------------------------------------------

constexpr std::array k_environment_examples = {
    Example{"svc config list", "Shows each setting, its value and where it comes from."},
    Example{"svc config set model svc-4.5", "Sets one for good, in the profile."}};

constexpr std::array k_environment_blocks = {
    TopicBlock{.paragraph = "A flag wins over the environment, the environment over the profile in "
                            "the configuration file, and that over what is built in. A variable "
                            "that is empty counts as not set.",
               .terms = environment_terms},
    TopicBlock{.examples = k_environment_examples}};

// exit-codes
// ---------------------------------------------------------------------------------------

std::vector<Term> exit_terms() {
  return {exit_codes().begin(), exit_codes().end()};
}

constexpr std::array k_exit_blocks = {
    TopicBlock{.paragraph = "The exit status says what went wrong, so that a script need not read "
                            "the message:",
               .terms = exit_terms},
    TopicBlock{.paragraph = "A request is repeated only where that cannot do harm; after 11 look "
                            "whether the work was done before you send it again. What a stream "
                            "gave before it broke off was printed all the same. --max-cost ends a "
                            "run with 5."}};

// files
// --------------------------------------------------------------------------------------------

std::vector<Term> file_terms() {
  return {files().begin(), files().end()};
}

constexpr std::array k_files_examples = {
    Example{"svc chat 'What is this?' --image photo.jpg", "Sends a picture along."},
    Example{"svc responses 'Sum it up' --file report.pdf", "Sends a document along."},
    Example{"svc chat @question.txt", "Takes the prompt from a file."},
    Example{"svc stt recording.wav -o words.txt", "Writes the result into a file."}};

constexpr std::array k_files_blocks = {
    TopicBlock{.paragraph = "An attachment (--image, --file) may be a path, an http or https "
                            "address, a data: URL, the id of a file that the service keeps, or - "
                            "for standard input. Prompts and JSON take @FILE; \\@ at the beginning "
                            "is a plain @. What is piped in is appended to the prompt. What chat "
                            "takes by its id alone, such as a PDF, is uploaded for the question "
                            "and deleted after it, unless --keep is given; where the "
                            "conversation is kept it stays for 30 days, so that --continue "
                            "finds it."},
    TopicBlock{.paragraph = "--output FILE puts the result into a file, which appears whole or not "
                            "at all; one that exists is kept unless --force is given. Pictures, "
                            "videos and sound go to a terminal never: a name is chosen then.",
               .examples = k_files_examples},
    TopicBlock{.paragraph = "On this machine svc keeps:", .terms = file_terms},
    TopicBlock{.paragraph = "The command about files that the service keeps: svc files --help."}};

// voice
// --------------------------------------------------------------------------------------------

constexpr std::array k_voice_examples = {
    Example{"svc tts 'Good morning' -o morning.mp3", "Turns text into speech."},
    Example{"svc stt interview.mp3 --diarize", "Turns speech into text, by speaker."},
    Example{"svc stt live", "Writes down what the microphone hears."},
    Example{"svc realtime talk", "Holds a spoken conversation."},
    Example{"svc tts voices", "Lists the voices."}};

constexpr std::array k_voice_blocks = {
    TopicBlock{.paragraph = "The microphone and the speaker are the system's own unless the flags "
                            "of the command, the settings input_device and output_device, or their "
                            "variables name others: by number, or by a part of the name. svc "
                            "doctor lists what there is.",
               .examples = k_voice_examples},
    TopicBlock{.paragraph = "Libraries for sound are loaded only when sound is used; without them "
                            "everything else works. In a conversation the echo of the speaker is "
                            "taken out of the microphone's sound where the echo canceller is "
                            "installed; use headphones where it is not."},
    TopicBlock{.paragraph = "svc -p emulator realtime talk needs no key and no network: what it "
                            "says and understands is simple, but the sound is real."}};

// tools
// --------------------------------------------------------------------------------------------

constexpr std::array k_tools_examples = {
    Example{"svc chat 'Do I need an umbrella in Oslo?' --tool weather=./weather.sh",
            "Lets the model run a program, which is asked for first."},
    Example{"svc responses 'And in Bergen?' --tool weather=./weather.sh --allow-tools weather",
            "The same in a script."},
    Example{"svc responses 'What happened in Oslo today?' --web-search",
            "Lets the service search the web."}};

constexpr std::array k_tools_blocks = {
    TopicBlock{.paragraph = "With --tool NAME=PROGRAM a model may run a program of yours, in chat, "
                            "responses and realtime talk. Its arguments come on standard input as "
                            "a JSON object, what it writes on standard output is the result. "
                            "Another exit code than 0 is a failure: the model is told so, with "
                            "what stands on standard error.",
               .examples = k_tools_examples},
    TopicBlock{.paragraph = "The program is described by a JSON object with \"description\" and "
                            "\"parameters\", a JSON Schema, in a file: NAME=PROGRAM,FILE.json, "
                            "else PROGRAM.json; else PROGRAM --schema prints it."},
    TopicBlock{.paragraph = "On a terminal each run is asked for, until the answer is \"always\". "
                            "A script names what may run with --allow-tools; without it nothing is "
                            "sent. Calls of one answer run side by side. --tool-timeout, "
                            "--tool-max-output and --max-tool-rounds are their limits. --json "
                            "prints the last answer alone, --format jsonl the events of all."},
    TopicBlock{.paragraph = "The program runs as you, in this folder and with your environment, "
                            "SVC_API_KEY included when it is set there: let it do no more than the "
                            "model may ask for."},
    TopicBlock{.paragraph = "Searches, code, collections and MCP servers run on the service: "
                            "--web-search, --x-search, --code, --collection and --mcp of svc "
                            "responses, the searches of svc chat too."}};

constexpr std::array k_topics = {
    Topic{"emulator", "The stand-in for the service, and how a test steers it.", k_emulator_blocks},
    Topic{"formatting", "How results are written.", k_formatting},
    Topic{"environment", "The variables that svc reads.", k_environment_blocks},
    Topic{"exit-codes", "What the exit status means.", k_exit_blocks},
    Topic{"files", "How files are given, written and kept.", k_files_blocks},
    Topic{"tools", "Programs and searches that a model may use.", k_tools_blocks},
    Topic{"voice", "Speech: microphone, speaker, devices.", k_voice_blocks}};

}  // namespace

std::vector<Term> environment_terms() {
  std::vector<Term> terms;
  for (const Term& term : environment()) terms.push_back(term);
  // Behind the keys and the profile, before what belongs to the terminal.
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

const Topic* find_topic(sv name) {
  const auto found = std::find_if(k_topics.begin(), k_topics.end(),
                                  [name](const Topic& topic) { return topic.name == name; });
  return found == k_topics.end() ? nullptr : &*found;
}

std::span<const Task> tasks() {
  return k_tasks;
}

std::span<const sv> first_verbs(sv group) {
  static constexpr std::array<sv, 3> k_files = {"upload", "list", "download"};
  static constexpr std::array<sv, 2> k_batches = {"run", "results"};
  static constexpr std::array<sv, 3> k_keys = {"create", "list", "rotate"};
  static constexpr std::array<sv, 3> k_collections = {"create", "documents add", "search"};
  static constexpr std::array<sv, 3> k_billing = {"balance", "preview", "usage"};
  static constexpr std::array<sv, 2> k_realtime = {"talk", "secret"};
  static constexpr std::array<sv, 3> k_phone = {"create", "listen", "answer"};
  static constexpr std::array<sv, 2> k_auth = {"login", "status"};
  static constexpr std::array<std::pair<sv, std::span<const sv>>, 8> k_verbs = {
      {{"files", k_files},
       {"batches", k_batches},
       {"keys", k_keys},
       {"collections", k_collections},
       {"billing", k_billing},
       {"realtime", k_realtime},
       {"phone", k_phone},
       {"auth", k_auth}}};
  for (const auto& [name, verbs] : k_verbs) {
    if (name == group) return verbs;
  }
  return {};
}

std::span<const Example> first_steps() {
  return k_first_steps;
}

}  // namespace svc::docgen
