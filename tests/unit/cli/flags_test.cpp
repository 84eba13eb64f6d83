// Splitting a command line into words.
#include "command_line/flags.h"

#include <doctest/doctest.h>

using namespace svc;
using namespace svc::cli;

namespace {

using Line = std::vector<std::string>;

Cut cut_chat(const Line& words) {
  return cut_arguments(find_operation("chat", "create"), words);
}

Line given(const Cut& cut, sv name) {
  Line values;
  for (const GivenFlag& flag : cut.flags) {
    if (flag.flag.name() == name) values.push_back(flag.value.value_or("(missing)"));
  }
  return values;
}

const Line k_awkward = {"",        "-",      "--",          "---",       "x",        " x ",
                        "a\nb",    "\x01",   "\xff",        "@",         "@0",       "@1",
                        "@99",     "a@0",    "-@0",         "--model",   "--model=", "--model=@0",
                        "-m",      "-mX",    "-m@0",        "-m=@0",     "-qv",      "-qc=x",
                        "-_",      "-_@0",   "--_=@0",      "--stream",  "-x",       "--nonsense=1",
                        "-5",      "-1.5",   "-.5",         "- item",    "-v is it", "--fix this",
                        "=",       "=x",     "[]",          "[a,b]",     "[[]]",     "[[aabb]]",
                        "{}",      "{x}",    "a,b",         ",",         "\"q\"",    "'q'",
                        "`q`",     "a\\b",   "\\",          "\\x41",     "%%",       "++",
                        "/c",      "!x",     "#x",          "true",      "false",    "help",
                        "a=b=c",   "--code", "--no-stream", "--profile", "\"",       "x'",
                        "\x7F",    "=\x7F",  "a\x7F\x7F",   "-\x7F",     "--\x7F=",  "--model=\x7F",
                        "-m=\x7F", "-m\x7F", "--code\x7F"};

}  // namespace

TEST_CASE("a flag takes the next word whatever it is, byte for byte") {
  for (const std::string& value : k_awkward) {
    CAPTURE(value);
    for (const Line& flag : {Line{"--system"}, Line{"-s"}, Line{"-qs"}}) {
      Line words = flag;
      words.insert(words.end(), {value, "--model", value, "hi", "-q"});
      const Cut cut = cut_chat(words);
      CHECK(given(cut, "system") == Line{value});
      CHECK(given(cut, "model") == Line{value});
      CHECK(cut.positionals == Line{"hi"});
      CHECK(given(cut, "quiet").size() == (flag.front() == "-qs" ? 2 : 1));
      CHECK(cut.flags.size() == 2 + given(cut, "quiet").size());
      CHECK((cut.unknown.empty() && cut.refused.empty() && !cut.dashes));
    }
  }
}

TEST_CASE("an attached value is passed byte for byte") {
  for (const std::string& value : k_awkward) {
    CAPTURE(value);
    for (const char* name : {"--system=", "-s=", "-qs="}) {
      CHECK(given(cut_chat({name + value, "hi"}), "system") == Line{value});
      // The whole word as the value of another flag.
      const Cut cut = cut_chat({"--model", name + value, "hi"});
      CHECK(given(cut, "model") == Line{name + value});
      CHECK(cut.flags.size() == 1);
    }
    if (value.empty() || value.front() == '=') continue;
    CHECK(given(cut_chat({"-s" + value, "hi"}), "system") == Line{value});
    CHECK(given(cut_chat({"--model", "-s" + value, "hi"}), "model") == Line{"-s" + value});
  }
}

TEST_CASE("arguments are passed byte for byte, and after -- all of them") {
  Line words = {"-q", "--"};
  words.insert(words.end(), k_awkward.begin(), k_awkward.end());
  Cut cut = cut_chat(words);
  CHECK(cut.positionals == k_awkward);
  CHECK(cut.dashes);
  CHECK(cut.flags.size() == 1);
  words[1] = "one";
  words.insert(words.begin() + 2, "--");
  CHECK(cut_chat(words).positionals.size() == k_awkward.size() + 1);
  for (const char* text : {"", "-", "@0", "[a,b]", "{x}", "a,b", "-5", "-.5", "- item", "---",
                           "-v is it", "--fix this", "'q'", "\\", "%%", "++", "=x", "-@0", "-_"}) {
    CAPTURE(text);
    cut = cut_chat({text, "-q", text});
    CHECK(cut.positionals == Line{text, text});
    CHECK(cut.unknown.empty());
    CHECK(given(cut, "quiet") == Line{"true"});
  }
  CHECK(cut_chat({"--"}).dashes);
  CHECK(cut_chat({"--", "--", "-q"}).positionals == Line{"--", "-q"});
  CHECK_FALSE(cut_chat({"--model", "--", "-q"}).dashes);
}

TEST_CASE("letters can be combined, and repeated flags keep their order") {
  Cut cut = cut_chat({"-qv", "-qm", "NAME", "-vsText", "-qc"});
  CHECK(given(cut, "quiet") == Line{"true", "true", "true"});
  CHECK(given(cut, "verbose") == Line{"true", "true"});
  CHECK(given(cut, "model") == Line{"NAME"});
  CHECK(given(cut, "system") == Line{"Text"});
  CHECK(given(cut, "continue") == Line{"true"});
  cut = cut_chat({"-Ha: 1", "--header", "b: 2", "--header=c: 3", "-H", "d: 4", "-H=e: 5"});
  CHECK(given(cut, "header") == Line{"a: 1", "b: 2", "c: 3", "d: 4", "e: 5"});
  CHECK(given(cut_chat({"--stream", "--no-stream"}), "stream") == Line{"true", "false"});
}

TEST_CASE("a switch may have its field's value") {
  CHECK(given(cut_chat({"-c=x"}), "continue") == Line{"x"});
  CHECK(given(cut_chat({"-qc=x", "--continue"}), "continue") == Line{"x", "true"});
  CHECK(given(cut_chat({"--continue="}), "continue") == Line{""});
  CHECK(given(cut_chat({"--continue={}"}), "continue") == Line{"{}"});
  Cut cut = cut_chat({"a", "--code", "2", "3"});
  CHECK(given(cut, "code") == Line{"2"});
  CHECK(cut.positionals == Line{"a", "3"});
  cut = cut_chat({"--code", "two", "--system", "--code", "5", "--code"});
  CHECK(given(cut, "code") == Line{"true", "true"});
  CHECK(given(cut, "system") == Line{"--code"});
  CHECK(cut.positionals == Line{"two", "5"});
  CHECK(given(cut_chat({"--no-code", "5"}), "code") == Line{"false"});
  CHECK(cut_chat({"--code", "--", "5"}).positionals == Line{"5"});
  for (const char* word : {"--stream=", "--stream=true", "--stream={}", "--stream=@1"}) {
    CHECK(cut_chat({word, "-v=x"}).refused == "--stream");
  }
  CHECK(cut_chat({"-qv=", "--stream=1"}).refused == "-v");
  CHECK(cut_chat({"--no-continue=x"}).refused == "--no-continue");
  CHECK(cut_chat({"--system", "-v=x"}).refused.empty());
}

TEST_CASE("an unknown flag is reported as typed; a last flag may lack its value") {
  const Line unknown = {"-qz", "-zq", "-message", "--nonsense", "--nonsense=@0", "-z=1", "-qz=1"};
  Line words = unknown;
  words.push_back("--model");
  const Cut cut = cut_chat(words);
  CHECK(cut.unknown == unknown);
  REQUIRE(cut.flags.size() == 1);
  CHECK_FALSE(cut.flags.front().value.has_value());
  CHECK(given(cut_chat({"-qs"}), "system") == Line{"(missing)"});
}
