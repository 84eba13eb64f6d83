// The ending of --output, at every operation.
#include "command_line/output_ending.h"

#include <doctest/doctest.h>

#include "base/text.h"
#include "request/flags.h"

using namespace svc;
using namespace svc::cli;

namespace {

using Args = std::vector<std::string>;

constexpr std::array<sv, 28> k_all = {"txt",  "md",   "json", "jsonl", "ndjson", "csv",  "tsv",
                                      "srt",  "vtt",  "wav",  "mp3",   "pcm",    "flac", "ogg",
                                      "opus", "m4a",  "aac",  "jpg",   "jpeg",   "png",  "webp",
                                      "gif",  "heic", "avif", "mp4",   "mov",    "webm", "mkv"};

Args command_line(const Operation& operation, const std::string& output) {
  Args words{std::string(operation.group)};
  if (!operation.name.empty()) {
    for (const sv word : split(operation.name, ' ')) words.emplace_back(word);
  }
  words.insert(words.end(), {"-o", output});
  return words;
}

Invocation parsed(const Args& words) {
  auto invocation = parse_args(words);
  REQUIRE_MESSAGE(invocation.has_value(), (invocation ? "" : invocation.error().message));
  return *std::move(invocation);
}

std::string format_of(const Invocation& invocation) {
  const auto found = invocation.globals.settings.find("format");
  return found == invocation.globals.settings.end() ? "" : found->second;
}

EndingUse use(sv group, sv verb, sv ending) {
  const Operation* operation = find_operation(group, verb);
  REQUIRE(operation != nullptr);
  return use_of_ending(*operation, false, ending);
}

}  // namespace

TEST_CASE("every operation decides, refuses or leaves to itself each ending") {
  for (const Group& group : groups()) {
    for (const Operation& operation : group.operations) {
      CAPTURE(command_name(operation));
      const bool bulk = command_name(operation) == "batches run";
      for (const sv ending : k_all) {
        CAPTURE(ending);
        const EndingUse expected = use_of_ending(operation, bulk, ending);
        const std::string output = "x." + std::string(ending);
        const auto invocation = parse_args(command_line(operation, output));
        REQUIRE(invocation.has_value() == (expected != EndingUse::Refused));
        if (!invocation) {
          const Error& error = invocation.error();
          CHECK(error.fault == Fault::Usage);
          CHECK(error.message.find("cannot write ." + std::string(ending)) != std::string::npos);
          // What it says that it can write, it does not refuse.
          for (const sv other : k_all) {
            const bool named =
                (error.hint + " ").find("." + std::string(other) + " ") != std::string::npos ||
                error.hint.find("." + std::string(other) + ".") != std::string::npos;
            const bool flag = error.hint.find("`--") != std::string::npos;
            if (flag && other == ending) continue;
            CHECK(named == (use_of_ending(operation, bulk, other) != EndingUse::Refused));
          }
        } else if (expected == EndingUse::Own) {
          CHECK(format_of(*invocation).empty());
        } else {
          const std::string format = format_of(*invocation);
          CHECK(format == (ending == "json"                          ? "json"
                           : ending == "jsonl" || ending == "ndjson" ? "jsonl"
                                                                     : "text"));
          CHECK(invocation->globals.by_ending);
        }
        // An explicit format wins, and a directory, a device and an unknown ending decide nothing.
        Args words = command_line(operation, output);
        words.emplace_back("--json");
        CHECK(format_of(parsed(words)) == "json");
      }
      for (const char* output : {"-", "/dev/null", "x.log", "x", "x.wav/", ".json", "a.csv/b"}) {
        CAPTURE(output);
        CHECK(format_of(parsed(command_line(operation, output))).empty());
      }
    }
  }
}

TEST_CASE("what the main commands write") {
  CHECK(use("chat", "create", "json") == EndingUse::Decides);
  CHECK(use("chat", "create", "csv") == EndingUse::Refused);
  CHECK(use("chat", "create", "png") == EndingUse::Refused);
  CHECK(use("responses", "create", "png") == EndingUse::Own);
  CHECK(use("models", "list", "csv") == EndingUse::Decides);
  CHECK(use("files", "list", "tsv") == EndingUse::Decides);
  CHECK(use("files", "get", "csv") == EndingUse::Refused);
  CHECK(use("files", "download", "wav") == EndingUse::Own);
  CHECK(use("stt", "transcribe", "vtt") == EndingUse::Decides);
  CHECK(use("stt", "live", "srt") == EndingUse::Decides);
  CHECK(use("stt", "transcribe", "csv") == EndingUse::Refused);
  CHECK(use("stt", "transcribe", "wav") == EndingUse::Refused);
  CHECK(use("tts", "speak", "wav") == EndingUse::Own);
  CHECK(use("images", "generate", "jpg") == EndingUse::Own);
  CHECK(use("images", "generate", "json") == EndingUse::Refused);
  CHECK(use("videos", "generate", "jpg") == EndingUse::Refused);
  CHECK(use("videos", "generate", "mp4") == EndingUse::Own);
  CHECK(use("realtime", "talk", "wav") == EndingUse::Refused);
  CHECK(use("api", "", "wav") == EndingUse::Own);
  CHECK(use("batches", "results", "csv") == EndingUse::Decides);
  CHECK(use("chat", "create", "log") == EndingUse::Own);
}

TEST_CASE("an ending chooses the transcript's form and a table's separator") {
  const auto form = [](const Args& words) {
    return request::text_given(parsed(words).inputs, "transcript-format").value_or("");
  };
  CHECK(form({"stt", "a.wav", "-o", "A.SRT"}) == "srt");
  CHECK(form({"stt", "a.wav", "-o", "a.vtt"}) == "vtt");
  CHECK(form({"stt", "a.wav", "-o", "a.tsv"}) == "words");
  CHECK(form({"stt", "a.wav", "-o", "a.txt"}).empty());
  CHECK(form({"stt", "a.wav", "-o", "a.srt", "--transcript-format", "vtt"}) == "vtt");
  CHECK(form({"stt", "live", "-o", "a.srt"}) == "srt");
  CHECK(parsed({"models", "-o", "m.csv"}).globals.separator == ',');
  CHECK(parsed({"models", "-o", "m.TSV"}).globals.separator == '\t');
  CHECK(parsed({"models", "-o", "m.md"}).globals.separator == '|');
  CHECK(parsed({"models", "-o", "m.txt"}).globals.separator == '\0');
  CHECK(parsed({"models", "-o", "m.csv", "--jq", "."}).globals.separator == '\0');
  CHECK(parsed({"chat", "hi", "-o", "m.md"}).globals.separator == '\0');
  CHECK(parse_args({"tts", "voice", "eve", "--sample", "-o", "a.mp3"}).has_value());
  CHECK_FALSE(parse_args({"tts", "voice", "eve", "-o", "a.mp3"}).has_value());
  const auto refused = parse_args({"realtime", "talk", "--output", "o.wav"});
  REQUIRE_FALSE(refused.has_value());
  CHECK(refused.error().hint.find("`--record o.wav`") != std::string::npos);
}
