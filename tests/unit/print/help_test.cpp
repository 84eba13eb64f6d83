#include "docgen/help.h"

#include <algorithm>

#include <doctest/doctest.h>

#include "base/result.h"
#include "base/text.h"
#include "catalogue/global_flags.h"
#include "client/settings.h"
#include "print/width.h"
#include "small_catalogue.h"

namespace svc::docgen {
namespace {

constexpr sv k_globals =
    R"(Global flags: -p NAME, --json, --jq EXPR, -o FILE, --dry-run, --curl,
--estimate, -v, -q; all: svc --help-all
Manual: svc-things(1)
)";

std::size_t widest_line(sv text) {
  std::size_t widest = 0;
  for (const sv line : split(text, '\n')) widest = std::max(widest, print::display_width(line));
  return widest;
}

}  // namespace

TEST_CASE("svc --help is one screen, with every group under its task") {
  const std::string help = overview_help(groups());
  CHECK(
      help.starts_with("svc is the command-line client of a hosted AI service.\n\nUsage:\n  svc "));
  CHECK(split(help, '\n').size() <= 24);
  CHECK(widest_line(help) <= 80);
  std::size_t named = 0;
  for (const Task& task : tasks()) {
    for (const sv name : task.groups) {
      if (name.empty()) continue;
      ++named;
      CHECK_MESSAGE(find_group(name) != nullptr, name);
    }
  }
  CHECK(named == groups().size());
  CHECK(help.find("\n  Other ") == std::string::npos);
  // A group without a task is not omitted.
  CHECK(overview_help(test::k_small_catalogue).find("  Other  things, lookup\n") !=
        std::string::npos);
}

TEST_CASE("--help-all of svc lists the groups and every global flag") {
  const std::string help = overview_help(test::k_small_catalogue, true);
  CHECK(help.starts_with(R"(svc is the command-line client of a hosted AI service.

Usage:
  svc [global flags] GROUP [VERB] [ARGUMENTS] [flags]

Groups:
  things  Work with things.
  lookup  Look something up.

Run svc GROUP --help or svc GROUP VERB --help for details.

Global flags:
)"));
  for (const GlobalFlag& flag : k_global_flags) {
    CHECK_MESSAGE(help.find("--" + std::string(flag.name)) != std::string::npos, flag.name);
  }
}

TEST_CASE("a topic explains with the program's own data") {
  for (const Topic& topic : topics()) {
    const std::string help = topic_help(topic);
    CHECK(help.starts_with(topic.summary));
    CHECK(find_topic(topic.name) == &topic);
    for (const TopicBlock& block : topic.blocks) {
      for (const Example& example : block.examples) {
        CHECK(help.find("\n  " + std::string(example.command) + "\n") != std::string::npos);
      }
    }
  }
  CHECK(find_topic("nothing") == nullptr);
  const std::string codes = topic_help(*find_topic("exit-codes"));
  for (const Fault fault :
       {Fault::Unexpected, Fault::Usage, Fault::Auth, Fault::NotFound, Fault::Limited,
        Fault::Service, Fault::Network, Fault::Timeout, Fault::RemoteJob, Fault::Local,
        Fault::UnknownOutcome, Fault::Interrupted, Fault::ReaderGone, Fault::Terminated}) {
    const std::string code = std::to_string(static_cast<int>(fault));
    CHECK_MESSAGE(codes.find("\n  " + code + " ") != std::string::npos, code);
  }
  const std::string environment = topic_help(*find_topic("environment"));
  for (const SettingRow& row : setting_rows()) {
    CHECK_MESSAGE(environment.find(row.variables[0]) != std::string::npos, row.name);
  }
}

TEST_CASE("--help of a verb shows only the common flags") {
  CHECK(operation_help(test::k_things[0]) == R"(Make a thing.

Usage:
  svc things [make] [TEXT] [flags]

Arguments:
  TEXT  What to make. (@FILE reads a file; or --text)

Flags:
  --count N     How many. (1 to 4 things; default: 1)
  --[no-]store  Keep it.

8 more flags: svc things make --help-all

Examples:
  svc things 'A thing' --tier fast
      Makes a thing quickly.

)" + std::string(k_globals));
}

TEST_CASE("--help-all shows every flag, and the request") {
  const std::string help = operation_help(test::k_things[0], true, 100);
  CHECK(help.starts_with(R"(Make a thing.

Usage:
  svc things [make] [TEXT] [flags]

Request: POST /v1/things

Arguments:
  TEXT  What to make. (@FILE reads a file; or --text)

Flags:
  --count N     How many. (1 to 4 things; default: 1)
  --[no-]store  Keep it.

Other flags:
  --tier slow|fast     How fast.
  --shape TEXT         Its shape. (one of circle, square, triangle, hexagon, octagon, star)
  --mood TEXT          Its mood. (such as calm, wild; at most 64 characters)
  --tools JSON|@FILE   Its tools. (may be repeated, at most 3 times)
  --image FILE|URL|ID  A picture.
  --old-count N        [deprecated] The old name of --count. (0 or more)
  --extra TEXT         [ignored by the service] Nothing.
  --magic TEXT         [unsupported by the service] Magic.

Examples:
)"));
  CHECK(help.find("\nGlobal flags:\n") != std::string::npos);
  CHECK(help.find("      --team-id ID ") != std::string::npos);
  CHECK(help.find("more flag") == std::string::npos);
  // A command without a request has none to show.
  CHECK(operation_help(test::k_lookup[0], true).find("Request") == std::string::npos);
}

TEST_CASE("observed and destructive operations are marked") {
  CHECK(operation_help(test::k_things[1]).starts_with(R"(Delete a thing. †

Usage:
  svc things delete THING_ID --reason TEXT [flags]

A deleted thing is gone. On a terminal svc asks for confirmation; elsewhere
--yes is required.

Arguments:
  THING_ID  The id of the thing. (or --thing-id)

Flags:
  --reason TEXT  Why it's gone. (required)

)"));
}

TEST_CASE("--help of a group shows its verbs, and then its default verb") {
  CHECK(group_help(test::k_small_catalogue[0]).starts_with(R"(Work with things.

Usage:
  svc things [make] [TEXT] [flags]
  svc things delete THING_ID --reason TEXT [flags]
  svc things parts add PATH... [flags]

Verbs:
  make       Make a thing. (default verb)
  delete     Delete a thing. †
  parts add  Add parts.

svc things VERB --help describes a verb; the rest describes make.

Arguments:
  TEXT  What to make. (@FILE reads a file; or --text)
)"));
  CHECK(group_help(test::k_small_catalogue[1]) == operation_help(test::k_lookup[0]));
}

TEST_CASE("a group without a default verb ends with the global flags") {
  const Group group{"things", "Work with things.", std::span(test::k_things).subspan(1)};
  CHECK(group_help(group) == R"(Work with things.

Usage:
  svc things delete THING_ID --reason TEXT [flags]
  svc things parts add PATH... [flags]

Verbs:
  delete     Delete a thing. †
  parts add  Add parts.

svc things VERB --help describes a verb.

Examples:
  svc things delete t1 --reason old
      Deletes a thing.

)" + std::string(k_globals) + R"(
† Observed, not documented: it works today, but the service may change it
without notice.
)");
}

TEST_CASE("text wraps at the width, limited to 40 to 100") {
  constexpr std::array fields = {
      Field{.flag = "a",
            .path = "a",
            .help = "One two three four five six seven eight.",
            .common = true},
      Field{.flag = "a-very-long-flag-name", .path = "b", .help = "Nine ten.", .common = true}};
  const Operation operation{.group = "g", .name = "v", .summary = "Say it.", .fields = fields};
  const std::string narrow = operation_help(operation, false, 1);
  CHECK(narrow == operation_help(operation, false, 40));
  CHECK(narrow.find("Flags:\n"
                    "  --a TEXT  One two three four five six\n"
                    "            seven eight.\n"
                    "  --a-very-long-flag-name NAME\n"
                    "            Nine ten.\n") != std::string::npos);
  CHECK(widest_line(narrow) <= 40);
  CHECK(operation_help(operation, false, 1000) == operation_help(operation, false, 100));
}

TEST_CASE("svc --help, word for word") {
  CHECK(overview_help(groups()) == R"(svc is the command-line client of a hosted AI service.

Usage:
  svc [global flags] GROUP [VERB] [ARGUMENTS] [flags]

First steps:
  svc -p emulator chat Hello     try it: no key, no network.
  svc auth login                 connect: the service's URL and a key.
  svc chat 'Name three rivers'   ask; with no prompt: interactive.
  svc images 'A fox' -o fox.jpg  make an image.

Groups:
  Ask and talk           chat, responses, realtime, phone, history
  Images, video, speech  images, videos, tts, stt, sound
  Files and documents    files, collections, docs, expiring
  Many requests at once  batches, tokenize
  Models, keys, billing  models, keys, billing
  This program           auth, config, templates, alias, doctor, emulator
  Everything else        api, operations, completion, mcp, legacy
Global flags: -p PROFILE, --json, -o FILE, --version; all: svc --help-all
Run svc GROUP --help, svc GROUP VERB --help or svc help TOPIC for details.
Topics: changes, commands, emulator, formatting, environment, exit-codes, files,
performance, security, tools, voice
)");
}

TEST_CASE("the examples of a group without a default verb are those of its first verbs") {
  const auto examples_of = [](sv name) {
    const std::string help = group_help(*find_group(name));
    const sv examples = sv(help).substr(help.find("\nExamples:\n") + 11);
    std::string found;
    for (const sv line : split(examples, '\n')) {
      if (line.empty()) break;
      if (line.starts_with("  svc ")) found += std::string(line.substr(6)) + "\n";
    }
    return found;
  };
  CHECK(examples_of("files") ==
        "files upload report.pdf\nfiles list\n"
        "files download file_00000000-0000-0000-0000-000000000000 -o report.pdf\n");
  CHECK(examples_of("batches") ==
        "batches run requests.jsonl -o results.jsonl\nbatches results batch_0001\n");
  CHECK(examples_of("keys") ==
        "keys create 'build server' --acls api-key:endpoint:chat --acls api-key:model:svc-4.5 "
        "--expire-time 30d\nkeys list --active-only\n"
        "keys rotate key_0001 --old-secret-expire-time 2h\n");
  CHECK(examples_of("collections") ==
        "collections create manuals --field author:required --field year\n"
        "collections documents add collection_0001 file_0001 --field-value author=Ann\n"
        "collections search 'How is the filter changed?' --collection collection_0001\n");
  CHECK(examples_of("billing") ==
        "billing balance\nbilling preview\nbilling usage --since 30d --chart\n");
  CHECK(examples_of("realtime") ==
        "realtime talk\n"
        "realtime secret --expires-after 5m --voice ara --instructions 'Answer briefly.'\n");
  CHECK(examples_of("phone").starts_with("phone create 'support line' "));
  CHECK(examples_of("phone").find("\nphone listen ") != std::string::npos);
  CHECK(examples_of("phone").find("\nphone answer ") != std::string::npos);
  CHECK(examples_of("auth") == "auth login\nauth status\n");
  // A group without a row has the example of its first verb.
  CHECK(examples_of("legacy") == "legacy completions 'Once upon a time' --max-tokens 50\n");
}

TEST_CASE("a group's verbs: the default one, those that are replaced, and the group itself") {
  std::array<Operation, 2> operations = {test::k_things[0], test::k_things[2]};
  operations[1].replaced_by = "svc things";
  const Group named{"things", "Work with things.", operations};
  const auto verbs_of = [](const Group& group) {
    const std::string help = group_help(group);
    const std::size_t begin = help.find("Verbs:\n") + 7;
    return help.substr(begin, help.find("\n\nArguments:", begin) - begin);
  };
  CHECK(verbs_of(named) ==
        "  make       Make a thing. (default verb)\n"
        "  parts add  Add parts. (deprecated)\n\n"
        "svc things VERB --help describes a verb; the rest describes make.");
  operations[0].name = "";
  CHECK(verbs_of(named) ==
        "  parts add  Add parts. (deprecated)\n\n"
        "svc things VERB --help describes a verb; the rest describes the command.");
  // One verb with a name is listed, too.
  CHECK(verbs_of({"things", "Work with things.", std::span(test::k_things).first(1)}) ==
        "  make  Make a thing. (default verb)\n\n"
        "svc things VERB --help describes a verb; the rest describes make.");
}

TEST_CASE("--help-all of a group has every global flag, whether it has a default verb or not") {
  const Group without{"things", "Work with things.", std::span(test::k_things).subspan(1)};
  for (const Group& group : {without, test::k_small_catalogue[0]}) {
    const std::string help = group_help(group, true);
    CHECK(help.find("\nGlobal flags:\n  -p, --profile NAME") != std::string::npos);
    CHECK(help.find("\n  -V, --version") != std::string::npos);
    CHECK(help.find("all: svc --help-all") == std::string::npos);
    CHECK(help.find("\nManual: svc-things(1)\n") != std::string::npos);
  }
}

TEST_CASE("short help counts the flags that it leaves out, and shows two examples") {
  constexpr std::array fields = {Field{.flag = "a", .path = "a", .help = "One.", .common = true},
                                 Field{.flag = "b", .path = "b", .help = "Two."},
                                 Field{.flag = "c",
                                       .path = "c",
                                       .kind = Kind::Boolean,
                                       .help = "Three.",
                                       .optional_value = "TEXT"}};
  constexpr std::array examples = {Example{"svc g v 1", "First."}, Example{"svc g v 2", "Second."},
                                   Example{"svc g v 3", "Third."}};
  Operation operation{.group = "g", .name = "v", .summary = "Say it.", .fields = fields};
  operation.examples = examples;
  CHECK(operation_help(operation).find("\n2 more flags: svc g v --help-all\n") !=
        std::string::npos);
  operation.fields = std::span(fields).first(2);
  CHECK(operation_help(operation).find("\n1 more flag: svc g v --help-all\n") != std::string::npos);
  operation.fields = std::span(fields).first(1);
  const std::string none = operation_help(operation);
  CHECK(none.find(" more flag") == std::string::npos);
  CHECK(none.find("  svc g v 1\n      First.\n  svc g v 2\n      Second.\n\n") !=
        std::string::npos);
  operation.fields = fields;
  const std::string all = operation_help(operation, true);
  CHECK(all.find("\n  svc g v 3\n      Third.\n") != std::string::npos);
  CHECK(all.find("Other flags:\n  --b TEXT    Two.\n  --c[=TEXT]  Three.\n") != std::string::npos);
}

TEST_CASE("a flag is in the left column if it takes two fifths of the line at most") {
  // With 40 columns that is 16; what is longer has its text on the next line.
  constexpr std::array fields = {
      Field{.flag = "a", .path = "a", .help = "One.", .common = true},
      Field{.flag = "nine-byte", .path = "b", .help = "Two.", .common = true},
      Field{.flag = "ten--bytes", .path = "c", .help = "Three.", .common = true}};
  const auto flags_of = [&](std::size_t count) {
    const Operation operation{
        .group = "g", .name = "v", .summary = "Say it.", .fields = std::span(fields).first(count)};
    const std::string help = operation_help(operation, false, 40);
    const std::size_t begin = help.find("Flags:\n") + 7;
    return help.substr(begin, help.find("\n\nGlobal") - begin);
  };
  CHECK(flags_of(1) == "  --a TEXT  One.");
  CHECK(flags_of(2) == "  --a TEXT          One.\n  --nine-byte TEXT  Two.");
  CHECK(flags_of(3) ==
        "  --a TEXT          One.\n  --nine-byte TEXT  Two.\n"
        "  --ten--bytes TEXT\n                    Three.");
}

TEST_CASE("a topic has its paragraphs, terms and examples, with lines between them") {
  constexpr std::array examples = {Example{"svc go", "Goes."}};
  constexpr auto terms = []() -> std::vector<Term> { return {{"a", "One."}, {"bb", "Two."}}; };
  const std::array blocks = {
      TopicBlock{.paragraph = "First."}, TopicBlock{.paragraph = "Second.", .terms = terms},
      TopicBlock{.terms = terms}, TopicBlock{.paragraph = "Last.", .examples = examples}};
  CHECK(topic_help({"t", "All of it.", blocks}) == R"(All of it.

First.

Second.

  a   One.
  bb  Two.

  a   One.
  bb  Two.

Last.

Examples:
  svc go
      Goes.
)");
  for (const Topic& topic : topics()) {
    CHECK(topic_page(topic) ==
          "svc-" + std::string(topic.name) + (topic.name == "emulator" ? "(1)" : "(7)"));
  }
}

TEST_CASE("the whole catalogue's help fits, except for lines to copy") {
  for (const Group& group : groups()) {
    CHECK(group_help(group).starts_with(std::string(group.summary).substr(0, 20)));
    for (const Operation& operation : group.operations) {
      const std::string help = operation_help(operation, true, 80);
      for (const Field& field : operation.fields) {
        CHECK_MESSAGE(help.find(field.flag) != std::string::npos, field.flag);
      }
      for (const Example& example : operation.examples) {
        CHECK(help.find("\n  " + std::string(example.command) + "\n") != std::string::npos);
      }
    }
  }
}

}  // namespace svc::docgen
