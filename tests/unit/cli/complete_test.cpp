// Shell completion.
#include "command_line/complete.h"

#include <algorithm>

#include <doctest/doctest.h>

#include "base/text.h"

using namespace svc;
using namespace svc::cli;

namespace {

using Words = std::vector<std::string>;

/// "PREFIX: word word …", and the other completions; of the candidates, those that start with
/// `begin`.
std::string offered(const Words& words, sv begin = "") {
  const ShellCompletion offer = complete_line(words);
  std::string text = offer.prefix + ":";
  for (const Candidate& candidate : offer.candidates) {
    if (candidate.word.starts_with(begin)) text += " " + candidate.word;
  }
  if (!offer.source.empty()) text += " <" + std::string(offer.source) + ">";
  if (offer.files) text += " <files>";
  return text;
}

std::string help_of(const Words& words, sv candidate) {
  for (const Candidate& one : complete_line(words).candidates) {
    if (one.word == candidate) return one.help;
  }
  return "(not offered)";
}

}  // namespace

TEST_CASE("groups, verbs and topics are completed with their descriptions") {
  CHECK(offered({"fil"}, "fil") == ": files");
  CHECK(help_of({""}, "help") == "Show help for a command or topic");
  CHECK(help_of({"files", ""}, "delete") == "Delete files");
  CHECK(offered({"help", ""}, "exit") == ": exit-codes");
  CHECK(help_of({"help", "f"}, "files") != help_of({"f"}, "files"));
  CHECK(offered({"help", "files", "del"}, "del") == ": delete");
  CHECK(help_of({"collections", ""}, "documents") == "More verbs");
  CHECK(offered({"collections", "documents", "ad"}, "ad") == ": add");
  CHECK(offered({"-p", "work", "ch"}, "ch") == ": chat");
  CHECK(offered({"chat", "-p", "work", "def"}, "def") == ": deferred");
  CHECK(offered({}) == ":");
  CHECK(offered({"nonsense", "more", ""}) == ":");
  CHECK(offered({"collections", ""}) == ": create list get update delete search documents");
  CHECK(offered({"collections", "documents", ""}) ==
        ": add upload list get batch-get reindex remove");
  CHECK(offered({"help", "collections", "documents", ""}) ==
        ": add upload list get batch-get reindex remove");
  CHECK(offered({"collections", "documents", "add", ""}, "a") == ": <collections>");
  CHECK(offered({"help", "help", "help", "ch"}, "ch") == ":");
  CHECK(help_of({"collections", "documents", ""}, "add") ==
        "Add files to a collection: file IDs or local paths");
  CHECK(help_of({""}, "files") == "Manage files for use in requests");
  CHECK(offered({"", "ch"}, "ch") == ":");
  CHECK(offered({"-", "ch"}, "ch") == ":");
  CHECK(offered({"--", "ch"}, "ch") == ":");
}

TEST_CASE("an argument or a flag ends the verbs, and -- ends the flags") {
  CHECK(offered({"chat", "hello", "def"}, "def") == ":");
  CHECK(offered({"chat", "--model", "x", "def"}, "def") == ":");
  CHECK(offered({"chat", "--", "--mod"}) == ":");
  CHECK(offered({"chat", "hello", "--mod"}, "--mod") == ": --model");
  CHECK(offered({"chat", "--frequency-penalty", "-1", "--mod"}, "--model") == ": --model");
  CHECK(offered({"chat", "-cq", "def"}, "def") == ":");
  CHECK(offered({"chat", "--model", "--", "--mod"}, "--model") == ": --model");
  CHECK(offered({"--nonsense", "chat", "def"}, "def") == ": deferred");
}

TEST_CASE("flags are those of the command, without deprecated ones") {
  CHECK(offered({"--no-prog"}, "--no-prog") == ": --no-progress");
  CHECK(offered({"--mod"}, "--mod") == ":");
  CHECK(offered({"files", "ls", "--pag"}, "--pag") == ": --page-size --pagination-token");
  CHECK(offered({"responses", "--st"}, "--store") == ": --store");
  CHECK(help_of({"responses", "--no-st"}, "--no-store").starts_with("Turn off --store"));
  CHECK(help_of({"chat", "--"}, "--logit-bias") == "(not offered)");
  CHECK(help_of({"responses", "--no-st"}, "--no-store") == "Turn off --store");
  CHECK(offered({"help", "chat", "--mod"}, "--model") == ": --model");
  CHECK(offered({"chat", "-"}, "--no-prog") == ": --no-progress");
  CHECK(help_of({"chat", "-"}, "--quiet") == "Print only the result and errors");
  CHECK(help_of({"-"}, "--quiet") == "Print only the result and errors");
  CHECK(offered({"chat", "--model", "a", "b", "-"}, "--model") == ": --model");
}

TEST_CASE("a value's candidates come from the catalogue or a data source") {
  CHECK(offered({"--format", ""}) == ": text json jsonl raw");
  CHECK(offered({"--format=j"}) == "--format=: text json jsonl raw");
  CHECK(offered({"-qf", ""}) == ": text json jsonl raw");
  CHECK(offered({"-p", ""}) == ": <profiles>");
  CHECK(offered({"chat", "-m", ""}) == ": <language-models>");
  CHECK(offered({"chat", "--model=s"}) == "--model=: <language-models>");
  CHECK(offered({"files", "delete", "file_1", ""}) == ": <files>");
  CHECK(offered({"completion", ""}) == ": bash zsh fish");
  CHECK(offered({"completion", "bash", ""}) == ":");
  CHECK(offered({"config", "set", ""}) == ": <settings>");
  CHECK(offered({"config", "set", "-5", ""}) == ":");  // text that starts with a dash
  CHECK(offered({"chat", "--temperature", ""}) == ":");
  CHECK(offered({"completion", ""}, "z") == ": zsh");
  CHECK(offered({"files", "get", "a", ""}) == ":");
  CHECK(offered({"files", "delete", ""}) == ": <files>");
  CHECK(offered({"collections", "documents", "get", "c", ""}) == ": <files>");
  CHECK(offered({"help", "files", "get", ""}) == ":");
  CHECK(offered({"files", "get", "--format", "json", ""}) == ": <files>");
  CHECK(offered({"--color="}) == "--color=: auto always never");
  CHECK(offered({"--color", ""}) == ": auto always never");
}

TEST_CASE("files are completed where a path or @path is allowed") {
  CHECK(offered({"-o", ""}) == ": <files>");
  CHECK(offered({"--output=so"}) == "--output=: <files>");
  CHECK(offered({"chat", "--image", "so"}) == ": <files>");
  CHECK(offered({"chat", "--schema=so"}) == "--schema=: <files>");
  CHECK(offered({"chat", "@so"}) == "@: <files>");
  CHECK(offered({"chat", "so"}, "so") == ":");
  CHECK(offered({"chat", "--response-format=@so"}) == "--response-format=@: <files>");
  CHECK(offered({"--body", "@so"}) == "@: <files>");
  CHECK(offered({"--body", "a@b"}) == ":");
  CHECK(offered({"chat", "--tool", "wea"}) == ":");
  CHECK(offered({"chat", "--tool=weather=./w"}) == "--tool=weather=: <files>");
  CHECK(offered({"videos", "--keyframe", "2=so"}) == "2=: <files>");
  CHECK(offered({"stt", "so"}, "so") == ": <files>");
  CHECK(offered({"collections", "documents", "add", "c", ""}) == ": <files> <files>");
}

TEST_CASE("every flag whose help mentions FILE takes a file") {
  for (const Group& group : groups()) {
    for (const Operation& operation : group.operations) {
      for (const Field& field : operation.fields) {
        if (field.help.find(" FILE") == sv::npos || field.positional || field.completes == "files")
          continue;
        Words words = {std::string(group.name)};
        for (const sv word : split(operation.name, ' ')) words.emplace_back(word);
        words.push_back("--" + std::string(field.flag));
        words.emplace_back(field.help.find("@FILE") != sv::npos ? "@" : "");
        CAPTURE(words);
        CHECK((complete_line(words).files || field.flag == "url"));
      }
    }
  }
}

TEST_CASE("columns are completed after the last comma") {
  const std::string all = offered({"files", "list", "--columns", ""});
  CHECK(all.starts_with(": id "));
  CHECK(offered({"files", "list", "--columns", "id,na"}, "na") == "id,: name");
  CHECK(offered({"files", "list", "--columns=id,na"}, "na") == "--columns=id,: name");
  CHECK(offered({"--columns", ""}) == ":");
}

TEST_CASE("a jq program is completed with the members of what is printed") {
  CHECK(offered({"files", "get", "f", "--jq", ""}, ".by") == ": .bytes");
  CHECK(help_of({"files", "get", "f", "--jq", ""}, ".bytes") != "");
  CHECK(offered({"files", "get", "f", "--jq", ".id, .by"}, ".by") == ".id, : .bytes");
  CHECK(offered({"chat", "hi", "--jq", ".usage."}, ".prompt_tokens") ==
        ".usage: .prompt_tokens .prompt_tokens_details");
  CHECK(help_of({"chat", "hi", "--jq", ""}, ".usage") == "Tokens and cost");
  // The JSON of a list is an array, in bulk work there is one record after the other.
  CHECK(offered({"files", "list", "--jq", ""}) == ": .[]");
  CHECK(help_of({"files", "list", "--jq", ""}, ".[]") == "Each item");
  CHECK(offered({"files", "list", "--jq", ".x"}) == ": .[]");
  CHECK(offered({"files", "list", "--jq", "map(.x"}) == "map(: .[]");
  CHECK(offered({"files", "list", "--jq", ".[].by"}, ".by") == ".[]: .bytes");
  CHECK(offered({"chat", "--each", "in.txt", "--jq", ".st"}, ".st") == ": .state");
  CHECK(offered({"chat", "--jq", ".st"}, ".st") == ":");
  // An index is one of the items; what the service may wrap is offered as it is documented.
  CHECK(offered({"chat", "hi", "--jq", ".choices[0].fin"}, ".fin") ==
        ".choices[0]: .finish_reason");
  CHECK(offered({"chat", "hi", "--jq", ".choices[-1].message.ref"}, ".ref") ==
        ".choices[-1].message: .refusal");
  CHECK(offered({"files", "list", "--jq", ".[0].by"}, ".by") == ".[0]: .bytes");
  CHECK(offered({"phone", "get", "n", "--jq", ".phone"}, ".phone") == ": .phone_number");
  CHECK(offered({"phone", "get", "n", "--jq", ".phone_number.ori"}, ".ori") ==
        ".phone_number: .origin");
  // svc lists models in a form of its own.
  CHECK(offered({"models", "--jq", ".[].cl"}, ".cl") == ".[]: .clusters[]");
  CHECK(offered({"models", "--jq", ".[].model.promptText"}, ".promptText") ==
        ".[].model: .promptTextTokenPrice .promptTextTokenPriceLongContext");
  CHECK(offered({"--jq", "."}) == ":");
}

TEST_CASE("only the value of the flag before the cursor is completed") {
  CHECK(offered({"chat", "-m", "x", "--format="}) == "--format=: text json jsonl raw");
  CHECK(offered({"chat", "--nonsense="}) == "--nonsense=:");
  CHECK(offered({"chat", "--", "--format="}) == ":");
  CHECK(offered({"keys", "create", "n", "--acls", ""}) == ": <acls>");
  CHECK(offered({"help", "help", ""}).starts_with(":"));
  CHECK(offered({"help", "chat", ""}, "def") == ": deferred");
  CHECK(help_of({"help", ""}, "help") == "(not offered)");
  CHECK_FALSE(help_of({"chat", ""}, "deferred").ends_with("."));
}
