// The introductions of the groups' manual pages.
#include <array>

#include "docgen/intro.h"

namespace svc::docgen {
namespace {

constexpr std::array k_chat = {
    sv("`svc chat` sends a conversation to a model and prints the text of its answer while it is "
       "made. The conversation is made of --system, of each --message in the order given, of "
       "--messages, and of the prompt with its attachments, which comes last."),
    sv("Without a prompt, and with a terminal on both sides, a conversation begins: the other "
       "flags hold for all of it, answers are shown as Markdown while they come, and /help lists "
       "its commands. Enter sends; a backslash at the end of a line, Alt-Enter, or a text between "
       "\"\"\" gives further lines, and what is pasted is one message. Ctrl-C stops an answer, "
       "which stays in the conversation as far as it came; Ctrl-D leaves."),
    sv("Text that is piped in becomes the prompt, or is appended to the prompt that is given. An "
       "attachment may be a path, an http(s) URL, a data: URL, the id of a stored file, or - for "
       "standard input."),
    sv("Reasoning, citations, token counts and cost go to standard error. An answer that ends at a "
       "limit, is refused or cut short ends the command with an exit status that says so."),
    sv("With --deferred the service answers later: the command prints an id, and `svc chat "
       "deferred` fetches the answer. It can be fetched once only, so it is written out before "
       "anything else is done with it."),
};

constexpr std::array k_responses = {
    sv("`svc responses` is the newer way to talk to a model. The service may search the web and "
       "run tools by itself, and it keeps the conversation unless --no-store is given: "
       "--previous-response-id continues it."),
    sv("What is said to the model is made of --input-items, of each --message in the order given, "
       "and of INPUT with its attachments, which comes last. --instructions sets the system prompt "
       "of a new conversation."),
    sv("Without INPUT, and with a terminal on both sides, a conversation begins, as with `svc "
       "chat`; each answer goes on from the response that the service keeps."),
    sv("Stored responses are deleted by the service after 30 days."),
};

constexpr std::array k_tokenize = {
    sv("`svc tokenize` shows how a model cuts a text into tokens, one row per token: its id, its "
       "text and its bytes."),
};

constexpr std::array k_keys = {
    sv("`svc keys` makes, changes and ends the API keys of a team, with the management key. A key "
       "may be held to endpoints and models (--acls), to rates and to a time. Its secret is "
       "printed once: alone on standard output, so that it can go straight into a safe place. `svc "
       "keys rotate` gives it a new one while the old one still works for a time."),
    sv("`svc keys self` tells what the API key in use may do, which team it belongs to, and "
       "whether it is blocked or switched off. The key itself is never shown."),
};

constexpr std::array k_history = {
    sv("`svc history` works with conversations that are kept on this machine, in a file that only "
       "its owner can read. A conversation on a terminal is kept unless --no-save or the setting "
       "history = false says otherwise; a single `svc chat PROMPT` is kept only with --session, "
       "--continue or --save."),
    sv("--continue goes on with the last conversation of this terminal, else with the last one of "
       "this folder, and then says which. When two go on with the same one, nothing is lost: the "
       "second goes on as a conversation of its own."),
    sv("The service may keep conversations of `svc responses` as well: `svc responses delete` "
       "deletes them there. Files that `svc chat` uploaded for a conversation that is kept stay on "
       "the service for 30 days; `svc history delete` names them."),
};

constexpr std::array k_billing = {
    sv("`svc billing` asks the service, with the management key, for credit, invoices and limits, "
       "and sets who pays. Money is spent only by `svc billing top-up`, which asks first."),
    sv("`svc billing usage` sums up the account that this machine keeps: what the answers that "
       "came here cost, by the price that each of them named. Work that other machines, keys or "
       "people gave to the service is not in it, nor is what the service charges for otherwise; "
       "balance, invoices and preview ask the service."),
    sv("--max-cost USD, of every command, and the setting max_cost_per_day of a profile set limits "
       "by that account: once they are reached nothing more is sent, and the exit status is 5. An "
       "answer's price is known when it has come: what is under way then, here or in other "
       "processes, is still paid for, so that a limit may be overshot by that much. What names no "
       "price, such as speech, does not count."),
};

constexpr std::array k_api = {
    sv("`svc api` sends any request, also to operations that have no command of their own. The "
       "host, and with it the key, follows from the path unless --host names it. The body is given "
       "with --body and --set, as for every other command; the answer is printed as it comes."),
};

constexpr std::array k_operations = {
    sv("`svc operations` prints the catalogue that the whole program is made from. With --json "
       "each operation comes with all of its flags, types, ranges and choices, so that a script or "
       "an agent can find out everything that svc can do."),
};

constexpr std::array k_auth = {
    sv("A key comes from the first of these that has one: the environment, the key_command of the "
       "profile, the key_file of the profile, the key stored by `svc auth login`. `svc auth "
       "status` tells which of them it was."),
    sv("`svc auth login` reads the key without showing it; it is never given on the command line. "
       "It is stored in a file that only its owner can read; such a file is refused once others "
       "can."),
};

constexpr std::array k_config = {
    sv("A setting comes from the first of these that has it: the flag, the environment variable, "
       "the profile in the configuration file, the built-in value. `svc config list` tells the "
       "value of each and where it comes from."),
    sv("`svc config set` changes the profile in use, or the one that --profile names."),
};

constexpr std::array k_completion = {
    sv("For bash add '. <(svc completion bash)' to ~/.bashrc, for zsh '. <(svc completion zsh)' to "
       "~/.zshrc behind compinit, for fish 'svc completion fish | source' to "
       "~/.config/fish/config.fish. Packages install the same scripts where shells look for them."),
};

constexpr std::array k_emulator = {
    sv("The emulator is a local stand-in for the service: it stores, checks, streams and refuses "
       "as the service does, and what a large model would make up is text that says what it is. "
       "Neither a key nor a network is needed."),
    sv("`svc -p emulator COMMAND` starts one for the length of a command; `svc emulator` runs it "
       "in the foreground for as long as it is wanted. Its state is kept between runs unless "
       "--state says otherwise."),
    sv("A test may choose what it answers, make it misbehave, and see what it was sent: "
       "svc-emulator(7), or `svc help emulator`."),
};

constexpr std::array k_doctor = {
    sv("`svc doctor` tells which configuration file, profile, addresses and keys are in use, where "
       "each comes from, and whether each host answers. Keys are never shown."),
};

constexpr std::array k_images = {
    sv("`svc images` makes pictures from a description and saves them; `svc images edit` starts "
       "from pictures: from one that is changed, or from several that are combined, where "
       "<IMAGE_0> in the description names the first, <IMAGE_1> the second. Each picture that is "
       "asked for with --n is billed."),
    sv("A terminal that can show pictures shows what was made; --no-preview leaves that out."),
    sv("With --deferred the service works on after the request has ended: `svc images wait "
       "REQUEST_ID` goes on with the waiting, `svc images get` looks once."),
};

constexpr std::array k_videos = {
    sv("`svc videos` hands a video in and waits for it, which may take minutes: percent and time "
       "are shown on a terminal. Ctrl-C ends the waiting only, and prints the `svc videos wait` "
       "command that goes on with it; --no-wait prints the id at once."),
    sv("A video is made from words alone, from an image that comes to life (--image), or from "
       "references whose looks or voices appear in it. `svc videos edit` changes a video, `svc "
       "videos extend` goes on where it ends; both take a path, a URL or the id of a stored file."),
    sv("The address of a finished video is good for a while only, so save it with --output."),
};

constexpr std::array k_files_group = {
    sv("`svc files` works with the files that a team keeps on the service, so that requests can "
       "name them by id. A file has at most 50 MB, with --chunked 512 MB; it is read from the disk "
       "while it is sent. Without --expires-after it stays until it is deleted."),
    sv("`svc chat` and `svc responses` take local files too, without a word about ids: see "
       "svc-files(7)."),
};

constexpr std::array k_batches = {
    sv("A batch costs less than the same requests one by one, and most are done within a day. `svc "
       "batches run` does all of it for a file: it checks every line before it sends one, hands "
       "the requests in, waits, and writes each result beside its input. The file has JSON Lines "
       "in the forms of the service, prompts one per line, or a table from which --column or "
       "--template makes them."),
    sv("What `svc batches run` did stands in a journal beside the file. The same command goes on "
       "after a kill, a full disk or a lost network, and each request is in the batch exactly "
       "once. --retry-failed hands in the failures alone, --max-cost is a budget, and --shard K/N "
       "takes one part of N of the file."),
    sv("The other commands are the steps, for work that is put together by hand."),
};

constexpr std::array k_tts = {
    sv("`svc tts` speaks a text. On a terminal it is heard while it arrives: the space bar pauses, "
       "q stops. With --output it goes to a file, whose ending says the form; in a pipe its bytes "
       "go on. Marks in the text direct the voice: [laugh] and [pause] are sounds, "
       "<whisper>…</whisper> holds for what stands between."),
    sv("A longer text than one request takes is cut at its sentences with --split, and joined to "
       "one file. --subtitles writes what is said when, as .srt or .vtt."),
};

constexpr std::array k_stt = {
    sv("`svc stt` writes down what is said in recordings: paths or URLs, or - for standard input. "
       "Several are sent at a time, and each result stands beside its file or in the folder of "
       "--output. --diarize tells the speakers apart, --transcript-format gives subtitles."),
    sv("`svc stt live` writes down what is being said, from the microphone, or from a file or pipe "
       "with --input, which goes as fast as it is spoken unless --fast is given. What may still "
       "change is shown on a terminal only. Ctrl-C ends the listening and waits for the last "
       "words."),
};

constexpr std::array k_realtime = {
    sv("`svc realtime talk` is a spoken conversation: whoever speaks interrupts the answer, and "
       "the service learns how much of it was heard. What is said is written down on the terminal. "
       "Without a microphone it works from files (--input, --audio-output) or in writing (--text). "
       "The programs of --tool may be run as in `svc chat`."),
    sv("`svc realtime connect` is the session itself for programs: an event per line in, an event "
       "per line out. It ends once its input has ended and every answer is complete."),
    sv("`svc realtime secret` makes a short-lived secret with which a browser or another program "
       "opens a session, without ever holding the key."),
};

constexpr std::array k_phone = {
    sv("`svc phone` takes numbers into use and works with the calls that reach them. A call is "
       "told by a signed webhook: `svc phone listen` receives these, checks the signature, the "
       "time and that each comes once, and prints an event per line, runs a program (--exec), or "
       "answers the call by itself (--answer)."),
    sv("`svc phone listen` serves plain HTTP on 127.0.0.1 unless told otherwise: HTTPS is for the "
       "proxy or tunnel before it. A secret is never an argument: @FILE, env:NAME, or - for a line "
       "of standard input."),
    sv("`svc phone verify` judges a delivery that was written down; `svc emulator call` makes a "
       "call come in without a telephone."),
};

constexpr std::array k_collections = {
    sv("A collection holds documents that are cut into pieces and indexed, so that `svc "
       "collections search`, and models with --collection, find passages by meaning, by words, or "
       "both. `svc collections documents add` takes local paths and ids of stored files; --wait "
       "stays until they can be searched."),
    sv("Deleting a collection, or taking a document out of it, leaves the files: `svc files` "
       "deletes those."),
    sv("Collections are managed with the management key; searching takes the API key."),
};

constexpr std::array k_docs = {
    sv("`svc docs` searches the service's own documentation and prints its pages as Markdown. It "
       "needs no key."),
};

constexpr std::array k_legacy = {
    sv("These operations are deprecated by the service and kept for programs that use them still; "
       "`svc chat` replaces all of them."),
};

constexpr std::array k_models = {
    sv("`svc models` lists what the team may use, with prices in dollars and the limits per "
       "minute. It asks with the management key; `svc api GET /v1/models` lists the names with the "
       "API key alone."),
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
    Introduction{"api", k_api, "svc-operations(1)"},
    Introduction{"operations", k_operations, "svc-api(1)"},
    Introduction{"auth", k_auth, "svc-config(5), svc-environment(7)"},
    Introduction{"config", k_config, "svc-config(5), svc-environment(7)"},
    Introduction{"completion", k_completion},
    Introduction{"emulator", k_emulator, "svc-emulator(7), svc-phone(1)"},
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
