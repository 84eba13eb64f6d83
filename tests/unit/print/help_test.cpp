#include "docgen/help.h"

#include <doctest/doctest.h>

#include "base/text.h"
#include "print/width.h"
#include "small_catalogue.h"

namespace svc::docgen {
namespace {

constexpr sv k_globals = R"(Global flags:
  -p, --profile NAME                Use this profile of the configuration, or
                                    `emulator`.
  -f, --format text|json|jsonl|raw  Choose how the result is written.
      --json                        Write one JSON document; the same as
                                    --format json.
      --jq EXPR                     Filter the JSON result with a jq expression.
  -o, --output FILE                 Write the result to a file.
      --dry-run                     Print the request instead of sending it.
      --curl                        Print an equivalent curl command instead of
                                    sending.
  -v, --verbose                     Tell on standard error what is sent,
                                    received and retried.
  -q, --quiet                       Write nothing but the result and errors.
  -h, --help                        Explain the command.
)";

std::string with_globals(sv before, sv after) {
  return std::string(before) + std::string(k_globals) + std::string(after);
}

std::size_t widest_line(sv text) {
  std::size_t widest = 0;
  for (const sv line : split(text, '\n')) widest = std::max(widest, print::display_width(line));
  return widest;
}

}  // namespace

TEST_CASE("--help of svc lists the groups") {
  CHECK(overview_help(test::k_small_catalogue) ==
        with_globals(R"(The command line of a hosted AI service.

Usage:
  svc [global flags] GROUP [VERB] [ARGUMENTS] [flags]

Groups:
  things  Work with things.
  lookup  Look something up.

svc GROUP --help explains a group, svc GROUP VERB --help a verb.

)",
                     R"(
All global flags: svc --help-all
)"));
}

TEST_CASE("--help of a verb shows the common flags only") {
  CHECK(operation_help(test::k_things[0]) == with_globals(R"(Make a thing.

Usage:
  svc things [make] [TEXT] [flags]

Arguments:
  TEXT  What to make. (@FILE reads a file; or --text)

Flags:
  --count N     How many. (1 to 4 things; default: 1)
  --[no-]store  Keep it.

8 more flags: svc things make --help-all

)",
                                                          R"(
Examples:
  svc things 'A thing' --tier fast
      Makes a thing quickly.
)"));
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

Further flags:
  --tier slow|fast     How fast.
  --shape TEXT         Its shape. (one of circle, square, triangle, hexagon, octagon, star)
  --mood TEXT          Its mood. (such as calm, wild; at most 64 characters)
  --tools JSON|@FILE   Its tools. (may be repeated, at most 3 times)
  --image FILE|URL|ID  A picture.
  --old-count N        [deprecated] The old name of --count. (0 or more)
  --extra TEXT         [ignored by the service] Nothing.
  --magic TEXT         [unsupported by the service] Magic.

Global flags:
)"));
  CHECK(help.find("      --team-id ID ") != std::string::npos);
  CHECK(help.find("more flag") == std::string::npos);
}

TEST_CASE("observed and destructive operations say so") {
  CHECK(operation_help(test::k_things[1]).starts_with(R"(Delete a thing.

Usage:
  svc things delete THING_ID --reason TEXT [flags]

This operation is observed, not documented; it may change.

It asks before it acts on a terminal; elsewhere it needs --yes.

Arguments:
  THING_ID  The id of the thing. (or --thing-id)

Flags:
  --reason TEXT  Why it's gone. (required)

Global flags:
)"));
}

TEST_CASE("--help of a group shows its verbs, then the one that may be left out") {
  CHECK(group_help(test::k_small_catalogue[0]).starts_with(R"(Work with things.

Usage:
  svc things [make] [TEXT] [flags]
  svc things delete THING_ID --reason TEXT [flags]
  svc things parts add PATH... [flags]

Verbs:
  make       Make a thing. (may be left out)
  delete     Delete a thing. (observed, not documented)
  parts add  Add parts.

svc things VERB --help explains a verb; what follows is about make.

Arguments:
  TEXT  What to make. (@FILE reads a file; or --text)
)"));
  CHECK(group_help(test::k_small_catalogue[1]) == operation_help(test::k_lookup[0]));
}

TEST_CASE("a group without a default verb ends with the global flags") {
  const Group group{"things", "Work with things.", std::span(test::k_things).subspan(1)};
  CHECK(group_help(group) == with_globals(R"(Work with things.

Usage:
  svc things delete THING_ID --reason TEXT [flags]
  svc things parts add PATH... [flags]

Verbs:
  delete     Delete a thing. (observed, not documented)
  parts add  Add parts.

svc things VERB --help explains a verb.

)",
                                          ""));
}

TEST_CASE("text wraps at the width, which is kept between 40 and 100") {
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
                    "  --a-very-long-flag-name TEXT\n"
                    "            Nine ten.\n") != std::string::npos);
  CHECK(widest_line(narrow) <= 40);
  CHECK(operation_help(operation, false, 1000) == operation_help(operation, false, 100));
}

TEST_CASE("the whole catalogue has help that fits, but for lines to copy") {
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
