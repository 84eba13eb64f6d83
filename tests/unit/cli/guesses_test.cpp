// The table of what people type who know other tools.
#include "command_line/guesses.h"

#include <algorithm>

#include <doctest/doctest.h>

#include "base/text.h"
#include "command_line/parse_args.h"

using namespace svc;
using namespace svc::cli;

namespace {

using Args = std::vector<std::string>;

Args command_of(const Operation& operation) {
  Args words{std::string(operation.group)};
  for (const sv word : split(operation.name, ' ')) words.emplace_back(word);
  if (operation.name.empty()) words.pop_back();
  return words;
}

/// The words of a command in a hint: `svc tokenize`, `svc images 'a fox'`, `svc auth login < x`.
Args words_of(sv command) {
  Args words;
  const std::vector<sv> parts = split(command.substr(0, command.find(" <")), '\'');
  for (const sv word : split(parts.front(), ' ')) {
    if (word != "svc" && !word.empty()) words.emplace_back(word);
  }
  if (parts.size() > 1) words.emplace_back(parts[1]);
  return words;
}

/// What is between backticks.
Args quoted(sv hint) {
  const std::vector<sv> parts = split(hint, '`');
  Args found;
  for (std::size_t i = 1; i < parts.size(); i += 2) found.emplace_back(parts[i]);
  return found;
}

bool is_command(const Operation& operation, sv name) {
  return name == operation.group || name == command_name(operation) ||
         name == command_name(operation, true);
}

bool is_known(const Operation& operation, sv typed) {
  return typed.starts_with("--") ? find_flag(&operation, typed.substr(2)).known()
         : typed.size() == 2     ? find_flag(&operation, typed[1]).known()
                                 : false;
}

template <class Use>
void each_typed(Use use) {
  for (const Guess& row : guesses()) {
    for (const sv typed : split(row.typed, '|')) {
      CAPTURE(row.at);
      CAPTURE(typed);
      use(row, typed);
    }
  }
}

template <class Use>
void each_operation(const Guess& row, Use use) {
  const std::vector<sv> at = split(row.at, '|');
  for (const Group& group : groups()) {
    for (const Operation& operation : group.operations) {
      const bool here =
          std::any_of(at.begin(), at.end(), [&](sv name) { return is_command(operation, name); });
      if (row.at == "*" || here) use(group, operation);
    }
  }
}

/// The given values, without the names of the flags.
Args values_of(const Invocation& invocation) {
  Args values;
  for (const request::Given& given : invocation.inputs.given) {
    values.push_back(std::string(given.field->flag) + "=" + given.text);
  }
  for (const auto& [name, value] : invocation.globals.settings)
    values.push_back(name + "=" + value);
  const Globals& globals = invocation.globals;
  for (const bool flag : {globals.force, globals.quiet, globals.yes, globals.no_stdin,
                          globals.no_progress, globals.verbose}) {
    values.push_back(flag ? "yes" : "no");
  }
  values.push_back(invocation.inputs.body.value_or(""));
  return values;
}

Args with(Args words, std::initializer_list<sv> more) {
  for (const sv word : more) words.emplace_back(word);
  return words;
}

void check_works_like(const Operation& operation, sv typed) {
  const Flag flag = find_accepted_flag(&operation, typed);
  const std::string native = (flag.negated ? "--no-" : "--") + std::string(flag.name());
  CAPTURE(command_name(operation));
  CAPTURE(native);
  const bool value = flag.takes_value();
  const sv example =
      flag.field != nullptr && !flag.field->example.empty() ? flag.field->example : sv("5");
  const Args command = command_of(operation);
  const auto meant = parse_args(value ? with(command, {native, example}) : with(command, {native}));
  const auto like = parse_args(value ? with(command, {typed, example}) : with(command, {typed}));
  REQUIRE(meant.has_value() == like.has_value());
  if (!meant) return;
  CHECK(values_of(*meant) == values_of(*like));
  if (!value || !typed.starts_with("--")) return;
  const auto joined = parse_args(with(command, {std::string(typed) + "=" + std::string(example)}));
  REQUIRE(joined.has_value());
  CHECK(values_of(*joined) == values_of(*meant));
}

void check_sentence(sv hint, const Operation* operation) {
  CAPTURE(hint);
  for (const std::string& text : quoted(hint)) {
    CAPTURE(text);
    if (text.starts_with("svc ")) {
      const auto parsed = parse_args(words_of(text));
      CHECK_MESSAGE(parsed.has_value(), (parsed ? "" : parsed.error().message));
    } else if (text.starts_with("--")) {
      CHECK(find_flag(operation, sv(text).substr(2, text.find_first_of(" =") - 2)).known());
    }
  }
}

}  // namespace

TEST_CASE("the table is long, and its places exist") {
  CHECK(guesses().size() >= 150);
  for (const Guess& row : guesses()) {
    CAPTURE(row.typed);
    CHECK_FALSE(row.means.empty());
    for (const sv typed : split(row.typed, '|')) CHECK(typed.size() >= 2);
    for (const sv at : split(row.at, '|')) {
      if (at.empty() || at == "*") continue;
      CAPTURE(at);
      bool found = false;
      each_operation(row, [&](const Group&, const Operation& operation) {
        found = found || is_command(operation, at);
      });
      CHECK(found);
    }
  }
}

TEST_CASE("another tool's command is answered with one that exists") {
  each_typed([](const Guess& row, sv typed) {
    if (!row.at.empty()) return;
    CHECK(find_group(typed) == nullptr);
    const auto parsed = parse_args({std::string(typed)});
    REQUIRE_FALSE(parsed.has_value());
    CHECK(parsed.error().hint.find(row.means) != std::string::npos);
    check_sentence(parsed.error().hint, nullptr);
  });
}

TEST_CASE("another tool's verb is answered with one that the group has") {
  each_typed([](const Guess& row, sv typed) {
    if (row.at.empty() || typed.starts_with('-')) return;
    int groups_answered = 0;
    sv last;
    each_operation(row, [&](const Group& group, const Operation&) {
      if (last == group.name) return;
      last = group.name;
      if (find_operation(group.name, typed) != nullptr) {
        CHECK_MESSAGE(row.at == "*", "the group has this verb");
        return;
      }
      if (row.accepted) {
        const Operation* found = find_verb(group, typed);
        if (found == nullptr) return;
        CHECK(row.means.find(found->name) != sv::npos);
        ++groups_answered;
        return;
      }
      const std::string hint = verb_hint(group, typed);
      if (hint.empty() && row.at == "*") return;
      ++groups_answered;
      CAPTURE(group.name);
      check_sentence(hint, nullptr);
    });
    CHECK(groups_answered > 0);
  });
}

TEST_CASE("another tool's flag works like the flag that it means, or is answered with it") {
  each_typed([](const Guess& row, sv typed) {
    if (!typed.starts_with('-')) return;
    int answered = 0;
    each_operation(row, [&](const Group&, const Operation& operation) {
      CAPTURE(command_name(operation));
      if (is_known(operation, typed)) {
        // A row for several commands may be for what one of them lacks.
        CHECK_MESSAGE(
            (row.at == "*" || !is_command(operation, row.at) || operation.group == row.at),
            "the command has this flag");
        return;
      }
      if (find_accepted_flag(&operation, typed).known()) {
        ++answered;
        check_works_like(operation, typed);
        return;
      }
      if (row.accepted) return;
      const auto parsed = parse_args(with(command_of(operation), {typed}));
      REQUIRE_FALSE(parsed.has_value());
      const std::string hint = flag_hint(&operation, typed);
      if (hint.empty()) return;
      CHECK(parsed.error().hint == hint);
      ++answered;
      check_sentence(hint, &operation);
    });
    CHECK(answered > 0);
  });
}

TEST_CASE("an attachment is an image or a file, by its name or content") {
  const auto flag_of = [](const Args& words) {
    const auto parsed = parse_args(words);
    REQUIRE(parsed.has_value());
    return std::string(parsed->inputs.given.back().field->flag);
  };
  for (const char* name :
       {"a.jpg", "A.PNG", "https://example.com/a.webp?size=1", "data:image/png,x"}) {
    CAPTURE(name);
    CHECK(flag_of({"chat", "-a", name}) == "image");
    CHECK(flag_of({"responses", std::string("--attach=") + name}) == "image");
    CHECK(flag_of({"images", "edit", "--attachment", name}) == "image");
  }
  for (const char* name : {"a.pdf", "-", "notes", "file_1", "data:text/plain,x"}) {
    CAPTURE(name);
    CHECK(flag_of({"chat", "-a", name}) == "file");
    CHECK(flag_of({"chat", std::string("-a") + name}) == "file");
  }
  CHECK(flag_of({"chat", "--file", "a.jpg"}) == "file");
}

TEST_CASE("a member's own name is a flag, and a value is not rewritten") {
  const auto parsed = parse_args({"chat", "--max_completion_tokens", "5", "--system", "--temp"});
  REQUIRE(parsed.has_value());
  CHECK(request::text_given(parsed->inputs, "max-completion-tokens") == "5");
  CHECK(request::text_given(parsed->inputs, "system") == "--temp");
  const auto dashes = parse_args({"chat", "--", "--temp"});
  REQUIRE(dashes.has_value());
  CHECK(request::text_given(dashes->inputs, "prompt") == "--temp");
}

TEST_CASE("an argument too many: quotes are suggested only for a text that was split") {
  const auto hint = [](const Args& words) {
    const auto parsed = parse_args(words);
    REQUIRE_FALSE(parsed.has_value());
    return parsed.error().hint;
  };
  const std::string quote = "Quote text that contains spaces.";
  CHECK(hint({"chat", "hello", "world"}) == quote);
  CHECK(hint({"chat", "--system", "be", "brief", "hi"}) == quote);
  CHECK(hint({"chat", "hello", "-q", "world"}).empty());
  CHECK(hint({"chat", "hello you", "world"}).empty());
  CHECK(hint({"chat", "hello", "--json", "{\"a\":1}"}).starts_with("--json takes no value"));
  CHECK(hint({"models", "--json", "id,name"}).starts_with("--json takes no value"));
  CHECK(hint({"chat", "hello", "{\"a\":1}"}) == "--body sends JSON.");
  CHECK(hint({"tts", "hello", "out.mp3"}) == "To write to a file: `-o out.mp3`.");
  CHECK(hint({"api", "POST", "/v1/x", "model=a"}).starts_with("`--set PATH=JSON`"));
  CHECK(hint({"chat", "-o", "temperature", "0.5"}).starts_with("Did you mean '--temperature'?"));
  CHECK(parse_args({"chat", "-o", "./temperature", "0.5"}).has_value());
}

TEST_CASE("a word with a dash is no mistyped command") {
  CHECK(command_hint("chatt") == "Did you mean `svc chat`?");
  CHECK(command_hint("-chat").empty());
}

TEST_CASE(
    "what users of other tools type is answered with the command, verb or flag that they mean") {
  struct Row {
    sv typed;
    sv hint;
  };
  for (const Row& row : {
           Row{"whoami", "Did you mean `svc auth status`?"},
           Row{"completions", "Did you mean `svc completion`? To ask a model: `svc chat`."},
           Row{"serve", "Did you mean `svc mcp`? To try svc without an account: `svc emulator`."},
           Row{"search",
               "Did you mean `svc docs search`, `svc collections search` or `svc history search`?"},
           Row{"talk", "Did you mean `svc realtime talk`?"},
           Row{"put", "Did you mean `svc api PUT PATH`?"},
           Row{"commands", "Did you mean `svc operations`?"},
           Row{"--macro", "Did you mean `svc alias list`?"},
           Row{"--info", "Did you mean `svc doctor`?"},
           Row{"models get", "`svc models --json` prints every detail."},
           Row{"auth refresh", "Did you mean `svc auth login`?"},
           Row{"auth token", "`svc auth status` shows the key in use, without its secret part."},
           Row{"keys set", "`svc auth login` stores a key; `svc keys update` changes one."},
           Row{"keys revoke", "Did you mean `svc keys delete`?"},
           Row{"keys roll", "Did you mean `svc keys rotate`?"},
           Row{"history off", "`svc config set history false` stops saving conversations."},
           Row{"images generations",
               "Did you mean `svc images generate`? To use it as PROMPT: `svc images -- "
               "generations`."},
           Row{"realtime token", "Did you mean `svc realtime secret`?"},
           Row{"files cat x", "Did you mean `svc files download`?"},
           Row{"batches poll x", "Did you mean `svc batches wait`?"},
           Row{"collections put", "Did you mean `svc collections update`?"},
           Row{"collections grep", "Did you mean `svc collections search`?"},
           Row{"config --unset", "Did you mean `svc config unset`?"},
           Row{"chat --organization=x hi", "Did you mean '--team-id'?"},
           Row{"chat -k x hi",
               "`svc auth login` stores a key, SVC_API_KEY sets it: arguments are not secret."},
           Row{"chat --cid x hi", "Did you mean '--continue=NAME'?"},
           Row{"chat -T x", "Did you mean '--tool NAME=PROGRAM'?"},
           Row{"chat -M 3 hi", "Did you mean '--max-completion-tokens'?"},
           Row{"responses -M 3 hi", "Did you mean '--max-output-tokens'?"},
           Row{"chat --no-highlight hi", "Did you mean '--no-render'?"},
           Row{"models --pretty", "Did you mean '--json'?"},
           Row{"models --csv", "Did you mean '--output FILE.csv'?"},
           Row{"models --plain", "Did you mean '--format text'?"},
           Row{"models -M", "Did you mean '--color never'?"},
           Row{"files list --cursor x", "Did you mean '--pagination-token'?"},
           Row{"stt --speakers", "Did you mean '--diarize'?"},
           Row{"tts -ab", "Did you mean '--bit-rate'?"},
           Row{"videos -t", "Did you mean '--duration'?"},
           Row{"images --size 3 hi", "Did you mean '--aspect-ratio'?"},
           Row{"api -w", "Did you mean '--verbose'?"},
           Row{"api GET /x -L",
               "svc follows no redirects: `--base-url URL` sets the final address."},
           Row{"files upload -F", "The file is an argument: `svc files upload FILE`."},
       }) {
    CAPTURE(row.typed);
    const auto parsed = parse_args(words_of(row.typed));
    REQUIRE_FALSE(parsed.has_value());
    CHECK(parsed.error().hint == row.hint);
  }
}
