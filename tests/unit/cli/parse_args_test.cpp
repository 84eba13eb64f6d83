// Parsing of commands.
#include "command_line/parse_args.h"

#include <doctest/doctest.h>

#include "base/text.h"
#include "command_line/flags.h"
#include "support/mentions.h"

using namespace svc;
using test::mentions;
using namespace svc::cli;

namespace {

using Args = std::vector<std::string>;

std::string shown(const Args& arguments) {
  std::string line = "svc";
  for (const std::string& word : arguments) line += " " + shell_quote(word);
  return line;
}

Invocation bound(const Args& arguments) {
  auto invocation = parse_args(arguments);
  REQUIRE_MESSAGE(invocation.has_value(), (invocation ? "" : invocation.error().message));
  return *std::move(invocation);
}

/// The error's message and hint together.
std::string refusal(const Args& arguments) {
  const auto invocation = parse_args(arguments);
  REQUIRE_FALSE(invocation.has_value());
  CHECK(invocation.error().fault == Fault::Usage);
  return invocation.error().message + " / " + invocation.error().hint;
}

std::string command_of(const Invocation& invocation) {
  if (invocation.group == nullptr) return "svc";
  if (invocation.operation == nullptr) return std::string(invocation.group->name);
  return command_name(*invocation.operation);
}

Args values(const Invocation& invocation, sv flag) {
  return request::texts_given(invocation.inputs, flag);
}

std::optional<std::string> given(const Invocation& invocation, sv flag) {
  return request::text_given(invocation.inputs, flag);
}

}  // namespace

TEST_CASE("the default verb may be omitted") {
  Invocation invocation = bound({"chat", "Hello"});
  CHECK(command_of(invocation) == "chat create");
  CHECK_FALSE(invocation.verb_given);
  CHECK(given(invocation, "prompt") == "Hello");

  invocation = bound({"chat", "create", "Hello"});
  CHECK(command_of(invocation) == "chat create");
  CHECK(invocation.verb_given);
  CHECK(given(invocation, "prompt") == "Hello");

  CHECK(command_of(bound({"config"})) == "config list");
  CHECK(command_of(bound({"tokenize", "some text"})) == "tokenize");
  CHECK(command_of(bound({"chat", "deferred", "id-1"})) == "chat deferred");
}

TEST_CASE("a first word that is a verb is the verb; -- starts the prompt") {
  CHECK(command_of(bound({"chat", "deferred", "x"})) == "chat deferred");
  CHECK(given(bound({"chat", "create", "deferred"}), "prompt") == "deferred");
  const Invocation invocation = bound({"chat", "--", "deferred"});
  CHECK(command_of(invocation) == "chat create");
  CHECK(given(invocation, "prompt") == "deferred");
}

TEST_CASE("a lone word that is a verb elsewhere, or similar to one here, is not sent as a prompt") {
  CHECK(mentions(refusal({"videos", "list"}), "'svc videos' has no verb 'list'; verbs: generate,"));
  CHECK(mentions(refusal({"videos", "list"}), "`svc videos -- list`"));
  CHECK(mentions(refusal({"videos", "--duration", "5", "list"}), "no verb 'list'"));
  CHECK(mentions(refusal({"videos", "status"}), "Did you mean `svc videos get`?"));
  CHECK(mentions(refusal({"videos", "status", "id-1"}), "Did you mean `svc videos get`?"));
  CHECK(mentions(refusal({"tts", "list"}), "Did you mean `svc tts voices`?"));
  CHECK(mentions(refusal({"chat", "defered"}), "Did you mean `svc chat deferred`?"));
  for (const char* word : {"ls", "get", "show", "delete", "rm", "upload", "status"}) {
    CAPTURE(word);
    CHECK(mentions(refusal({"chat", word}), "has no verb"));
    CHECK(given(bound({"chat", "--", word}), "prompt") == word);
    CHECK(given(bound({"chat", "create", word}), "prompt") == word);
    CHECK(given(bound({"chat", "--prompt", word}), "prompt") == word);
    CHECK(given(bound({"tokenize", word}), "text") == word);  // a group without verbs
  }
  // A flag's value neither requests help nor makes the word intended.
  CHECK(mentions(refusal({"chat", "--system", "--help", "list"}), "no verb 'list'"));
  CHECK(mentions(refusal({"chat", "--system", "--", "list"}), "no verb 'list'"));
  CHECK(given(bound({"chat", "List"}), "prompt") == "List");
  CHECK(given(bound({"chat", "list all rivers"}), "prompt") == "list all rivers");
  CHECK(given(bound({"chat", "great"}), "prompt") == "great");
  CHECK(bound({"stt", "listen", "b.wav"}).inputs.given.size() == 2);  // two files
}

TEST_CASE("ls, rm and show are aliases of list, delete or remove, and get") {
  CHECK(command_of(bound({"files", "ls"})) == "files list");
  CHECK(command_of(bound({"files", "rm", "id-1"})) == "files delete");
  CHECK(command_of(bound({"files", "show", "id-1"})) == "files get");
  CHECK(command_of(bound({"collections", "documents", "ls", "id-1"})) ==
        "collections documents list");
  CHECK(command_of(bound({"collections", "documents", "rm", "id-1", "f"})) ==
        "collections documents remove");
  CHECK(command_of(bound({"history", "show", "1"})) == "history show");
}

TEST_CASE("GROUP help is help, and another tool's command is answered with ours") {
  for (const char* group : {"chat", "images", "files", "tokenize", "doctor", "config"}) {
    CAPTURE(group);
    CHECK(bound({group, "help"}).ask == Ask::Help);
    CHECK(bound({group, "help"}).group->name == group);
  }
  CHECK(command_of(bound({"chat", "help", "deferred"})) == "chat deferred");
  CHECK(bound({"chat", "help", "deferred"}).ask == Ask::Help);
  CHECK(given(bound({"chat", "--", "help"}), "prompt") == "help");
  CHECK(mentions(refusal({"chat", "help", "me"}), "'me'"));
  CHECK(mentions(refusal({"login"}), "Did you mean `svc auth login`?"));
  CHECK(mentions(refusal({"version"}), "Did you mean `svc --version`?"));
  CHECK(mentions(refusal({"upload", "a.txt"}), "Did you mean `svc files upload`?"));
  CHECK(mentions(refusal({"help", "login"}), "Did you mean `svc auth login`?"));
}

TEST_CASE("after -- nothing is a flag") {
  CHECK(given(bound({"chat", "--", "--help"}), "prompt") == "--help");
  CHECK(given(bound({"chat", "-q", "--", "--json"}), "prompt") == "--json");
  CHECK_FALSE(bound({"chat", "--", "--json"}).globals.settings.contains("format"));
  CHECK(given(bound({"chat", "--", "--"}), "prompt") == "--");
  // As the value of a flag, -- is a value.
  const Invocation invocation = bound({"chat", "--model", "--", "hi"});
  CHECK(given(invocation, "model") == "--");
  CHECK(given(invocation, "prompt") == "hi");
}

TEST_CASE("global flags may be anywhere after svc") {
  for (const Args& arguments :
       {Args{"-p", "work", "chat", "create", "hi"}, Args{"chat", "-p", "work", "create", "hi"},
        Args{"chat", "create", "-p", "work", "hi"}, Args{"chat", "create", "hi", "-p", "work"},
        Args{"-pwork", "chat", "hi"}, Args{"--profile=work", "chat", "hi"},
        Args{"chat", "hi", "--profile", "work"}, Args{"chat", "-vp", "work", "hi"},
        Args{"-vqpwork", "chat", "hi"}, Args{"-vp", "work", "chat", "hi"}}) {
    CAPTURE(shown(arguments));
    const Invocation invocation = bound(arguments);
    CHECK(command_of(invocation) == "chat create");
    CHECK(invocation.globals.settings.at("profile") == "work");
    CHECK(values(invocation, "prompt") == Args{"hi"});
  }
}

TEST_CASE("each global flag is recognised") {
  const Invocation invocation = bound(
      {"chat",          "hi",         "-o",        "out.txt",    "--force",   "-H",      "A: 1",
       "--header",      "B: 2",       "--set",     "a=1",        "--set=b=2", "--body",  "{}",
       "--timeout",     "5s",         "--dry-run", "-v",         "-q",        "--color", "never",
       "--no-progress", "--no-stdin", "-y",        "--base-url", "https://x", "--jq",    ".a",
       "-fraw"});
  const Globals& globals = invocation.globals;
  CHECK(globals.output == "out.txt");
  CHECK(globals.force);
  CHECK(invocation.inputs.headers == Args{"A: 1", "B: 2"});
  CHECK(invocation.inputs.sets == Args{"a=1", "b=2"});
  CHECK(invocation.inputs.body == "{}");
  CHECK(globals.settings.at("timeout") == "5s");
  CHECK(globals.settings.at("base-url") == "https://x");
  CHECK(globals.settings.at("format") == "raw");
  CHECK(globals.dry_run);
  CHECK_FALSE(globals.curl);
  CHECK(globals.verbose);
  CHECK(globals.quiet);
  CHECK(globals.color == "never");
  CHECK(globals.no_progress);
  CHECK(globals.no_stdin);
  CHECK(globals.yes);
  CHECK(globals.jq == ".a");
  CHECK(bound({"chat", "hi", "--json"}).globals.settings.at("format") == "json");
}

TEST_CASE("values with an equals sign, empty values, and values like flags") {
  CHECK(given(bound({"chat", "--model=svc-4.5", "hi"}), "model") == "svc-4.5");
  CHECK(given(bound({"chat", "--system=a=b", "hi"}), "system") == "a=b");
  CHECK(given(bound({"chat", "--system=", "hi"}), "system") == "");
  CHECK(given(bound({"chat", "--system", "", "hi"}), "system") == "");
  CHECK(given(bound({"chat", "--system", "-q", "hi"}), "system") == "-q");
  CHECK_FALSE(bound({"chat", "--system", "-q", "hi"}).globals.quiet);
  CHECK(given(bound({"chat", "--system", "--help", "hi"}), "system") == "--help");
  CHECK(bound({"chat", "--system", "--help", "hi"}).ask == Ask::Run);
  CHECK(given(bound({"chat", "--system", "- one\n- two", "hi"}), "system") == "- one\n- two");
}

TEST_CASE("negative numbers are values and arguments") {
  CHECK(given(bound({"chat", "hi", "--presence-penalty", "-1.5"}), "presence-penalty") == "-1.5");
  CHECK(given(bound({"chat", "hi", "--presence-penalty=-1"}), "presence-penalty") == "-1");
  CHECK(given(bound({"config", "set", "retries", "-3"}), "value") == "-3");
  CHECK(given(bound({"chat", "-1 and 2"}), "prompt") == "-1 and 2");
}

TEST_CASE("JSON, lists and text that starts with a dash are passed unchanged") {
  CHECK(given(bound({"chat", "hi", "--stop", "[1,2]"}), "stop") == "[1,2]");
  CHECK(values(bound({"chat", "hi", "--stop", "[a, b]", "--stop", "\"q\""}), "stop") ==
        Args{"[a, b]", "\"q\""});
  CHECK(given(bound({"chat", R"({"a":[1,"b"]})"}), "prompt") == R"({"a":[1,"b"]})");
  CHECK(given(bound({"chat", "[x]"}), "prompt") == "[x]");
  CHECK(given(bound({"chat", "'quoted'"}), "prompt") == "'quoted'");
  CHECK(given(bound({"chat", "a,b"}), "prompt") == "a,b");
  CHECK(given(bound({"chat", "%%"}), "prompt") == "%%");
  CHECK(given(bound({"chat", "++"}), "prompt") == "++");
  CHECK(given(bound({"chat", "-"}), "prompt") == "-");
  CHECK(given(bound({"chat", "- one\n- two"}), "prompt") == "- one\n- two");
  CHECK(given(bound({"chat", "-v is broken, why?"}), "prompt") == "-v is broken, why?");
  CHECK(given(bound({"chat", "--- a heading ---"}), "prompt") == "--- a heading ---");
  CHECK(given(bound({"chat", "--fix this, please"}), "prompt") == "--fix this, please");
  CHECK(given(bound({"chat", "-\xe2\x86\x92"}), "prompt") == "-\xe2\x86\x92");
  CHECK(given(bound({"chat", ""}), "prompt") == "");
  CHECK(given(bound({"chat", "/c"}), "prompt") == "/c");
  CHECK(given(bound({"chat", std::string(200'000, 'x')}), "prompt")->size() == 200'000);
}

TEST_CASE("a short flag takes an attached value, even with spaces") {
  CHECK(bound({"chat", "hi", "-HX-A: b c"}).inputs.headers == Args{"X-A: b c"});
  CHECK(bound({"chat", "hi", "-omy file"}).globals.output == "my file");
}

TEST_CASE("flags with several values are repeated, others are not") {
  CHECK(values(bound({"chat", "hi", "--stop", "a", "--stop", "b"}), "stop") == Args{"a", "b"});
  // One value each: the next word is an argument again.
  const Invocation one = bound({"chat", "--stop", "a", "hi"});
  CHECK(values(one, "stop") == Args{"a"});
  CHECK(given(one, "prompt") == "hi");
  CHECK(mentions(refusal({"chat", "hi", "--model", "a", "--model", "b"}),
                 "--model was given 2 times"));
  CHECK(mentions(refusal({"chat", "hi", "-pa", "--profile", "b"}), "--profile was given 2 times"));
  CHECK(mentions(refusal({"-fjson", "chat", "hi", "-ftext"}), "--format was given 2 times"));
  // A repeated switch is on.
  CHECK(bound({"chat", "hi", "-v", "-v"}).globals.verbose);
}

TEST_CASE("booleans are true, false or omitted") {
  CHECK(given(bound({"chat", "hi", "--stream"}), "stream") == "true");
  CHECK(given(bound({"chat", "hi", "--no-stream"}), "stream") == "false");
  CHECK_FALSE(given(bound({"chat", "hi"}), "stream").has_value());
  CHECK(values(bound({"chat", "hi", "--stream", "--stream"}), "stream") == Args{"true"});
  for (const Args& arguments : {Args{"chat", "hi", "--stream", "--no-stream"},
                                Args{"chat", "hi", "--no-stream", "--stream"}}) {
    CHECK(mentions(refusal(arguments), "--stream and --no-stream cannot be combined"));
  }
  CHECK(mentions(refusal({"chat", "hi", "--stream=yes"}), "--stream takes no value"));
  CHECK(mentions(refusal({"chat", "hi", "--no-stream=1"}), "--no-stream takes no value"));
  CHECK(mentions(refusal({"chat", "hi", "--quiet=no"}), "--quiet takes no value"));
  // A word after a switch is not its value.
  CHECK(given(bound({"chat", "--stream", "hi"}), "prompt") == "hi");
}

TEST_CASE("a flag without its value is reported") {
  CHECK(mentions(refusal({"chat", "hi", "--model"}), "--model needs a value"));
  CHECK(mentions(refusal({"chat", "hi", "-p"}), "--profile needs a value"));
  CHECK(mentions(refusal({"-p"}), "--profile needs a value"));
}

TEST_CASE("typos are answered with the closest name") {
  CHECK(mentions(refusal({"chta", "hi"}), "Did you mean `svc chat`?"));
  CHECK(mentions(refusal({"zzzzzz"}), "Commands: chat,"));
  CHECK(mentions(refusal({"auth", "lgin"}), "Did you mean `svc auth login`?"));
  CHECK(mentions(refusal({"auth", "zzzz"}), "login, logout, status"));
  CHECK(mentions(refusal({"auth"}), "needs a verb"));
  CHECK(mentions(refusal({"config", "lst"}), "Did you mean `svc config list`?"));
  CHECK(mentions(refusal({"chat", "hi", "--modle", "x"}), "Did you mean '--model'?"));
  CHECK(mentions(refusal({"chat", "hi", "--modle=x"}), "has no flag '--modle'"));
  CHECK(mentions(refusal({"chat", "hi", "--no-strem"}), "Did you mean '--no-stream'?"));
  CHECK(mentions(refusal({"chat", "hi", "--no-model"}), "has no flag '--no-model'"));
  CHECK_FALSE(mentions(refusal({"chat", "hi", "--no-modle"}), "--no-model"));
  CHECK(mentions(refusal({"chat", "hi", "--quite"}), "Did you mean '--quiet'?"));
  CHECK(mentions(refusal({"chat", "hi", "--xyzzyx"}), "--help-all"));
  CHECK(mentions(refusal({"chat", "hi", "-z"}), "has no flag '-z'"));
  CHECK(mentions(refusal({"--profil", "w", "chat"}), "Did you mean '--profile'?"));
  CHECK(mentions(refusal({"--model", "m", "chat"}), "unknown global flag '--model'"));
  CHECK(mentions(refusal({"chat", "hi", "--format", "jsn"}), "Did you mean 'json'?"));
  CHECK(mentions(refusal({"chat", "hi", "--color", "blue"}), "must be one of auto, always, never"));
}

TEST_CASE("a file whose name starts with a dash is given with its directory") {
  CHECK(mentions(refusal({"files", "upload", "-weird"}), "./-weird"));
  CHECK_FALSE(mentions(refusal({"files", "upload", "-chunked"}), "./"));
  CHECK_FALSE(mentions(refusal({"keys", "list", "-weird"}), "./"));
}

TEST_CASE("a long flag with one dash is reported, even before a command") {
  CHECK(mentions(refusal({"-profile", "work", "chat", "hi"}), "Did you mean '--profile'"));
}

TEST_CASE("external names are not printed raw on the terminal") {
  CHECK_FALSE(mentions(refusal({"\x1b[2J"}), "\x1b"));
  CHECK_FALSE(mentions(refusal({"chat", "hi", "--x\x1b[2J"}), "\x1b"));
  CHECK_FALSE(mentions(refusal({"auth", "\x1b[2J"}), "\x1b"));
  CHECK(refusal({std::string(100'000, 'y')}).size() < 1000);
}

TEST_CASE("a positional value can be given as a flag, but not twice") {
  CHECK(given(bound({"chat", "--prompt", "hi"}), "prompt") == "hi");
  CHECK(given(bound({"config", "set", "--name", "model", "svc-4.5"}), "value") == "svc-4.5");
  CHECK(given(bound({"config", "set", "--value", "m", "--name", "model"}), "name") == "model");
  CHECK(mentions(refusal({"chat", "hi", "--prompt", "hello"}), "--prompt was given twice"));
  CHECK(mentions(refusal({"config", "set", "model", "m", "--value", "n"}),
                 "--value was given twice"));
}

TEST_CASE("too many arguments are rejected, and a key among them is not repeated") {
  CHECK(mentions(refusal({"chat", "two", "words"}), "unexpected argument 'words'"));
  CHECK(mentions(refusal({"chat", "two", "words"}), "Quote text"));
  CHECK(mentions(refusal({"config", "set", "a", "b", "c"}), "'c'"));
  const std::string login = refusal({"auth", "login", "svc-secret-key"});
  CHECK(mentions(login, "'svc auth login' takes no argument"));
  CHECK(mentions(login, "svc auth login"));
  CHECK_FALSE(mentions(login, "secret"));
  CHECK_FALSE(mentions(refusal({"doctor", "svc-secret-key"}), "secret"));
}

TEST_CASE("help and version can be requested in many ways") {
  const auto asks = [](const Args& arguments, Ask ask, const std::string& command) {
    CAPTURE(shown(arguments));
    const Invocation invocation = bound(arguments);
    CHECK(invocation.ask == ask);
    CHECK(command_of(invocation) == command);
  };
  asks({}, Ask::Help, "svc");
  asks({"--help"}, Ask::Help, "svc");
  asks({"-h"}, Ask::Help, "svc");
  asks({"help"}, Ask::Help, "svc");
  asks({"-q"}, Ask::Help, "svc");
  asks({"--help-all"}, Ask::HelpAll, "svc");
  asks({"help", "chat"}, Ask::Help, "chat create");
  asks({"help", "chat", "deferred"}, Ask::Help, "chat deferred");
  asks({"help", "auth"}, Ask::Help, "auth");
  asks({"help", "-q", "chat"}, Ask::Help, "chat create");
  asks({"-q", "help", "-p", "work", "chat"}, Ask::Help, "chat create");
  asks({"chat", "-q", "help", "-v"}, Ask::Help, "chat create");
  asks({"chat", "help", "-q", "deferred"}, Ask::Help, "chat deferred");
  asks({"auth", "--help"}, Ask::Help, "auth");
  asks({"auth", "-h"}, Ask::Help, "auth");
  asks({"auth", "-qh"}, Ask::Help, "auth");
  asks({"chat", "--help"}, Ask::Help, "chat create");
  asks({"chat", "hi", "--help"}, Ask::Help, "chat create");
  asks({"chat", "create", "--help-all"}, Ask::HelpAll, "chat create");
  asks({"--help", "chat"}, Ask::Help, "chat create");
  asks({"--version"}, Ask::Version, "svc");
  asks({"-V"}, Ask::Version, "svc");
  asks({"-p", "work", "--version"}, Ask::Version, "svc");
  CHECK(mentions(refusal({"help", "chta"}), "Did you mean 'chat'?"));
}

TEST_CASE("short flags take separate values, attached ones, and ones after an equals sign") {
  for (const Args& way : {Args{"chat", "hi", "-m", "m 1"}, Args{"chat", "hi", "-mm 1"},
                          Args{"chat", "hi", "-m=m 1"}, Args{"chat", "-qm=m 1", "hi"}}) {
    CHECK(given(bound(way), "model") == "m 1");
    CHECK(given(bound(way), "prompt") == "hi");
  }
  CHECK(given(bound({"chat", "hi", "-s=a=b"}), "system") == "a=b");
  CHECK(given(bound({"chat", "hi", "-s="}), "system") == "");
  CHECK(bound({"chat", "hi", "-o=x"}).globals.output == "x");
  CHECK(bound({"-o=x", "chat", "hi"}).globals.output == "x");
  CHECK(bound({"-p=x", "chat", "hi"}).globals.settings.at("profile") == "x");
  CHECK(bound({"chat", "-f=jsonl", "hi"}).globals.settings.at("format") == "jsonl");
  CHECK(bound({"chat", "hi", "-H=A: 1"}).inputs.headers == Args{"A: 1"});
  CHECK(given(bound({"chat", "-qc", "hi"}), "continue") == "true");
  CHECK(given(bound({"files", "list", "-n5"}), "limit") == "5");
  CHECK(given(bound({"images", "hi", "-n=2"}), "n") == "2");
  CHECK(mentions(refusal({"chat", "hi", "-v=x"}), "-v takes no value"));
  CHECK(given(bound({"chat", "hi", "-c=x"}), "continue") == "x");
  CHECK(given(bound({"chat", "-c", "12"}), "continue") == "true");
  CHECK(mentions(refusal({"chat", "hi", "-output=x"}), "Did you mean '--output'"));
  CHECK(mentions(refusal({"chat", "hi", "-m"}), "--model needs a value"));
}

TEST_CASE("flags that cannot be combined are rejected") {
  CHECK(mentions(refusal({"chat", "hi", "--dry-run", "--curl"}), "cannot be combined"));
}

TEST_CASE("the error format is known before anything else is parsed") {
  const auto is_json = [](const Args& arguments) { return look_early(arguments).json_errors; };
  CHECK(is_json({"chta", "--json"}));
  CHECK(is_json({"-f", "json", "x"}));
  CHECK(is_json({"-fjsonl"}));
  CHECK(is_json({"-f=json"}));
  CHECK(is_json({"x", "-qf=jsonl"}));
  CHECK_FALSE(is_json({"-f=raw"}));
  CHECK(is_json({"x", "--format", "jsonl"}));
  CHECK(is_json({"x", "--format=json"}));
  CHECK_FALSE(is_json({"x", "--format", "text"}));
  CHECK_FALSE(is_json({"x", "-f"}));
  CHECK_FALSE(is_json({"x", "--", "--json"}));
  CHECK(is_json({"x", "--json", "-v=x"}));
  CHECK_FALSE(is_json({}));
  CHECK(look_early({"x", "-q"}).quiet);
  CHECK(look_early({"x", "--quiet"}).quiet);
  CHECK_FALSE(look_early({"x", "--", "-q"}).quiet);
  CHECK(look_early({"x", "--color", "never"}).color == "never");
  CHECK(look_early({"x", "--color=always"}).color == "always");
  CHECK(look_early({"x"}).color == "auto");
}

TEST_CASE("number of words of the global flags at the start") {
  const auto count = [](const Args& words) { return count_global_flags(words); };
  CHECK(count({"-p", "x"}) == 2);
  CHECK(count({"-px"}) == 1);
  CHECK(count({"--profile", "x"}) == 2);
  CHECK(count({"--profile=x"}) == 1);
  CHECK(count({"-q"}) == 1);
  CHECK(count({"-qv"}) == 1);
  CHECK(count({"-qp", "x"}) == 2);
  CHECK(count({"-qpx"}) == 1);
  CHECK(count({"--json"}) == 1);
  CHECK(count({"-v", "-p", "--", "--json", "chat", "-q"}) == 4);
  CHECK(count({"-v", "-p"}) == 2);  // its value is missing
  CHECK(count({}) == 0);
  for (const char* word :
       {"-", "--", "", "x", "-x", "-qx", "--model", "-1", "--quiets", "-q is it"}) {
    CAPTURE(word);
    CHECK(count({word, "x"}) == 0);
    CHECK(count({word, "-q"}) == 0);
    CHECK(count({"-q", word, "-q"}) == 1);
  }
}

TEST_CASE("every flag of every operation is bound to its field") {
  for (const Group& group : groups()) {
    for (const Operation& operation : group.operations) {
      for (const Field& field : operation.fields) {
        CAPTURE(command_name(operation));
        CAPTURE(field.flag);
        Args arguments{std::string(group.name)};
        if (!operation.name.empty()) {
          for (const sv word : split(operation.name, ' ')) arguments.emplace_back(word);
        }
        arguments.push_back("--" + std::string(field.flag));
        const bool is_switch = field.kind == Kind::Boolean;
        if (!is_switch) arguments.emplace_back("-value");
        const Invocation invocation = bound(arguments);
        CHECK(invocation.operation == &operation);
        CHECK(given(invocation, field.flag) == (is_switch ? "true" : "-value"));
      }
    }
  }
}

TEST_CASE("each switch sets what it says") {
  const auto with = [](const Args& more) {
    Args arguments = {"chat", "hi"};
    arguments.insert(arguments.end(), more.begin(), more.end());
    return bound(arguments).globals;
  };
  const Globals none = with({});
  CHECK_FALSE((none.wide || none.force || none.dry_run || none.curl || none.estimate ||
               none.exact || none.verbose || none.quiet || none.no_progress || none.no_stdin ||
               none.yes || none.by_ending));
  CHECK(none.settings.empty());
  CHECK(with({"--wide"}).wide);
  CHECK(with({"--curl"}).curl);
  CHECK(with({"--cost"}).settings.at("cost") == "always");
  CHECK(with({"--no-cost"}).settings.at("cost") == "never");
  CHECK(with({"--columns", "a"}).columns == "a");
  CHECK(with({"--estimate"}).estimate);
  CHECK_FALSE(with({"--estimate"}).exact);
  for (const Args& exact :
       {Args{"--estimate-exact"}, Args{"--estimate=exact"}, Args{"--estimate", "exact"}}) {
    CAPTURE(shown(exact));
    CHECK(with(exact).estimate);
    CHECK(with(exact).exact);
  }
  CHECK(given(bound({"chat", "--estimate", "exactly"}), "prompt") == "exactly");
  CHECK(given(bound({"chat", "--estimate", "--", "exact"}), "prompt") == "exact");
  CHECK(given(bound({"chat", "--", "--estimate=exact"}), "prompt") == "--estimate=exact");
  for (const Args& two : {Args{"--dry-run", "--curl"}, Args{"--curl", "--estimate"},
                          Args{"--dry-run", "--estimate-exact"}}) {
    Args arguments = {"chat", "hi"};
    arguments.insert(arguments.end(), two.begin(), two.end());
    CHECK(refusal(arguments) == "--dry-run, --curl and --estimate cannot be combined / ");
  }
}

TEST_CASE("an argument too many is answered with what was probably meant") {
  constexpr const char* unexpected = "'svc chat': unexpected argument ";
  const auto hint = [&](const Args& arguments) {
    const std::string text = refusal(arguments);
    CHECK(mentions(text, unexpected));
    return text.substr(text.find(" / ") + 3);
  };
  CHECK(hint({"chat", "two", "words"}) == "Quote text that contains spaces.");
  CHECK(hint({"chat", "two", "-q", "words"}).empty());
  CHECK(hint({"chat", "two words", "more"}).empty());
  CHECK(hint({"chat", "hi", "{\"a\":1}"}) == "--body sends JSON.");
  CHECK(hint({"chat", "hi", "[1]"}) == "--body sends JSON.");
  CHECK(hint({"chat", "hi", "a.md"}) == "To write to a file: `-o a.md`.");
  CHECK(hint({"chat", "hi", "a.jsonl"}) == "To write to a file: `-o a.jsonl`.");
  CHECK(hint({"chat", "hi", "a.a"}) == "Quote text that contains spaces.");
  CHECK(hint({"chat", "hi", "a.abcdef"}) == "Quote text that contains spaces.");
  CHECK(hint({"chat", "hi", "a=1"}) == "`--set PATH=JSON` sets a field.");
  CHECK(mentions(hint({"chat", "hi", "--json", "id"}), "--jq"));
  CHECK(refusal({"files", "get", "a", "b"}) == "'svc files get': unexpected argument 'b' / ");
  CHECK(refusal({"doctor", "x"}) == "'svc doctor' takes no argument / For example: svc doctor");
  CHECK(mentions(refusal({"doctor", "--json", "x"}), "--jq"));
}

TEST_CASE("a wrong format is answered with what was probably meant") {
  const auto hint = [](const Args& arguments) {
    const std::string text = refusal(arguments);
    CHECK(mentions(text, "--format must be one of text, json, jsonl, raw, not '"));
    return text.substr(text.find(" / ") + 3);
  };
  CHECK(hint({"chat", "hi", "-f", "csv"}) == "`--output FILE.csv` writes that format.");
  CHECK(hint({"chat", "hi", "-f", "a=1"}) == "`--set PATH=JSON` sets a field.");
  CHECK(hint({"responses", "hi", "-f", "a.pdf"}) == "Did you mean `--file a.pdf`?");
  CHECK(hint({"responses", "hi", "-f", "./a"}) == "Did you mean `--file ./a`?");
  // It is there to be copied: whole, and quoted.
  const std::string path = "./" + std::string(500, 'a');
  CHECK(hint({"responses", "hi", "-f", path}) == "Did you mean `--file " + path + "`?");
  CHECK(hint({"responses", "hi", "-f", "./a b"}) == "Did you mean `--file './a b'`?");
  CHECK(hint({"responses", "hi", "-f", "report"}).empty());
  CHECK(hint({"models", "-f", "a.pdf"}).empty());
  CHECK(hint({"chat", "hi", "-f", "jsn"}) == "Did you mean 'json'?");
}

TEST_CASE("the name of a flag is no file to write to, if its value follows") {
  CHECK(refusal({"chat", "hi", "-o", "temperature", "0.5"}) ==
        "--output temperature is the name of a flag / Did you mean '--temperature'? `-o "
        "./temperature` writes to a file of that name.");
  CHECK(mentions(refusal({"chat", "-o", "max_tokens", "5"}), "Did you mean '--max-tokens'?"));
  CHECK(bound({"chat", "-o", "temperature"}).globals.output == "temperature");
  CHECK(bound({"chat", "hi", "-o", "prompt"}).globals.output == "prompt");
  CHECK(bound({"chat", "hi", "-o", "./temperature"}).globals.output == "./temperature");
}

TEST_CASE("the lone text of a prompt is remembered, as it may be a guess") {
  CHECK(bound({"chat", "-m", "m", "hi"}).lone_text == 1);
  CHECK_FALSE(bound({"chat", "--", "hi"}).lone_text.has_value());
  CHECK_FALSE(bound({"chat", "--prompt", "hi"}).lone_text.has_value());
  CHECK_FALSE(bound({"files", "get", "hi"}).lone_text.has_value());
}
