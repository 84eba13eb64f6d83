#include "docgen/describe.h"

#include <doctest/doctest.h>

#include "small_catalogue.h"

namespace svc::docgen {
namespace {

using test::k_make_fields;
using test::k_things;

}  // namespace

TEST_CASE("a flag shows its value, a boolean its negated form") {
  CHECK(flag_name(k_make_fields[1]) == "--count");
  CHECK(value_name(k_make_fields[1]) == "N");
  CHECK(flag_name(k_make_fields[2]) == "--[no-]store");
  Field plain = k_make_fields[2];
  plain.plain_switch = true;
  CHECK(flag_name(plain) == "--store");
  CHECK(value_name(k_make_fields[2]).empty());
  CHECK(value_name(k_make_fields[3]) == "slow|fast");
  CHECK(value_name(k_make_fields[4]) == "TEXT");
  CHECK(value_name(k_make_fields[6]) == "JSON|@FILE");
  CHECK(value_name(k_make_fields[7]) == "FILE|URL|ID");
  CHECK(argument_name(test::k_delete_fields[0]) == "THING_ID");
}

TEST_CASE("a description lists everything that is allowed") {
  CHECK(describe(k_make_fields[0]) == "What to make. (@FILE reads a file; or --text)");
  CHECK(describe(k_make_fields[1]) == "How many. (1 to 4 things; default: 1)");
  CHECK(describe(k_make_fields[2]) == "Keep it.");
  CHECK(describe(k_make_fields[3]) == "How fast.");
  CHECK(describe(k_make_fields[4]) ==
        "Its shape. (one of circle, square, triangle, hexagon, octagon, star)");
  CHECK(describe(k_make_fields[5]) == "Its mood. (such as calm, wild; at most 64 characters)");
  CHECK(describe(k_make_fields[6]) == "Its tools. (may be repeated, at most 3 times)");
  CHECK(describe(k_make_fields[8]) == "[deprecated] The old name of --count. (0 or more)");
  CHECK(describe(k_make_fields[9]) == "[ignored by the service] Nothing.");
  CHECK(describe(k_make_fields[10]) == "[unsupported by the service] Magic.");
  CHECK(describe(test::k_delete_fields[1]) == "Why it's gone. (required)");
  CHECK(describe(test::k_add_fields[0]) == "The files. (may be repeated; or --path)");
  constexpr Field fraction{.flag = "p",
                           .path = "p",
                           .kind = Kind::Number,
                           .help = "A share.",
                           .range = Range{-0.5, 2592000}};
  CHECK(describe(fraction) == "A share. (-0.5 to 2592000)");
}

TEST_CASE("usage shows what may be omitted") {
  CHECK(usage(k_things[0]) == "svc things [make] [TEXT] [flags]");
  CHECK(usage(k_things[1]) == "svc things delete THING_ID --reason TEXT [flags]");
  CHECK(usage(k_things[2]) == "svc things parts add PATH... [flags]");
  CHECK(usage(test::k_lookup[0]) == "svc lookup SHELL [flags]");
}

TEST_CASE("requests and notes") {
  CHECK(request_line(k_things[0]) == "POST /v1/things");
  CHECK(request_line(k_things[1]) == "DELETE /v1/things/{thing_id} on the management host");
  CHECK(request_line(test::k_lookup[0]).empty());
  CHECK(remarks(k_things[0]).empty());
  CHECK(remarks(k_things[1]) ==
        std::vector<std::string>{"A deleted thing is gone. On a terminal svc asks for "
                                 "confirmation; elsewhere --yes is required."});
}

TEST_CASE("fields are arguments, common flags or other flags, each once") {
  for (const Group& group : groups()) {
    for (const Operation& operation : group.operations) {
      CHECK(arguments(operation).size() + common_flags(operation).size() +
                further_flags(operation).size() ==
            operation.fields.size());
    }
  }
  CHECK(common_flags(k_things[1]).front()->flag == "reason");
}

}  // namespace svc::docgen
