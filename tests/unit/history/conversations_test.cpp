#include "history/conversations.h"

#include <atomic>
#include <set>
#include <string>
#include <thread>
#include <vector>

#include <doctest/doctest.h>
#include <fmt/format.h>
#include <pty.h>
#include <sys/wait.h>

#include "base/platform.h"
#include "base/text.h"
#include "history/message_text.h"
#include "history/tty_id.h"
#include "unit/base/temporary_directory.h"
#include "unit/history/run_in_processes.h"

using namespace svc;
using namespace svc::history;
using svc::test::TemporaryDirectory;

namespace {

Conversation fresh(std::string name = {}) {
  Conversation conversation;
  conversation.name = std::move(name);
  conversation.operation = "chat";
  conversation.profile = "default";
  conversation.model = "svc-4.5";
  conversation.directory = "/home/me";
  return conversation;
}

Turn said(const std::string& question, const std::string& answer = "Yes.") {
  Turn turn;
  turn.messages = {R"({"role":"user","content":")" + question + "\"}",
                   R"({"role":"assistant","content":")" + answer + "\"}"};
  turn.response_id = "r-" + question;
  turn.cost_ticks = 5;
  return turn;
}

Conversations open_at(const std::string& path, Clock clock = {}) {
  auto store = Conversations::open(path, std::move(clock));
  if (!store) MESSAGE(store.error().message);
  REQUIRE(store.has_value());
  return *std::move(store);
}

SaveOutcome add(Conversations& store, Conversation& conversation, const Turn& turn) {
  const auto kept = store.append(conversation, turn);
  if (!kept) MESSAGE(kept.error().message);
  REQUIRE(kept.has_value());
  return *kept;
}

std::string all_of(Conversations& store, const Conversation& conversation) {
  const auto messages = store.messages(conversation);
  REQUIRE(messages.has_value());
  std::string text;
  for (const SavedMessage& message : *messages) text += read_message_text(message.json).text + "|";
  return text;
}

}  // namespace

TEST_CASE("a conversation starts with its first turn and is read back completely") {
  const TemporaryDirectory directory;
  const std::string path = directory.file("svc/history.db");
  std::int64_t now = 1000;
  Conversations store = open_at(path, [&now] { return now; });
  Conversation talk = fresh("work");
  REQUIRE(store.list()->empty());
  CHECK(add(store, talk, said("First?")) == SaveOutcome::InPlace);
  now = 2000;
  CHECK(add(store, talk, said("Second?", "No.")) == SaveOutcome::InPlace);
  const auto found = store.by_name("work");
  REQUIRE(found.has_value());
  REQUIRE(found->has_value());
  CHECK((*found)->title == "First?");
  CHECK((*found)->operation == "chat");
  CHECK((*found)->profile == "default");
  CHECK((*found)->model == "svc-4.5");
  CHECK((*found)->directory == "/home/me");
  CHECK((*found)->name == "work");
  CHECK((*found)->turns == 2);
  CHECK((*found)->created == 1000);
  CHECK((*found)->updated == 2000);
  CHECK((*found)->response_id == "r-Second?");
  CHECK((*found)->cost_ticks == 10);
  CHECK(all_of(store, **found) == "First?|Yes.|Second?|No.|");
  CHECK(test::mode_of(path) == 0600);
  CHECK(test::mode_of(path + "-wal") == 0600);
  CHECK(test::mode_of(directory.file("svc")) == 0700);
  CHECK_FALSE(store.by_name("other")->has_value());
}

TEST_CASE("a conversation's title is the first line that the user said, and its model the last") {
  const TemporaryDirectory directory;
  Conversations store = open_at(directory.file("history.db"));
  Conversation talk = fresh("work");
  talk.terminal = "t1";
  talk.system = "Be brief";
  Turn turn;
  turn.messages = {R"({"role":"system","content":"Be brief"})",
                   R"({"role":"user","content":"  One line\nand another"})",
                   R"({"role":"user","content":"Two"})"};
  turn.model = "m2";
  turn.input_tokens = 3;
  turn.output_tokens = 4;
  add(store, talk, turn);
  talk.terminal = "t2";
  add(store, talk, said("Later"));
  const auto found = store.by_name("work");
  REQUIRE(found);
  REQUIRE(*found);
  CHECK((*found)->title == "One line");
  CHECK((*found)->model == "m2");
  CHECK((*found)->terminal == "t2");
  CHECK((*found)->system == "Be brief");
  for (const std::size_t length : {80U, 81U}) {
    Conversation other = fresh("long" + std::to_string(length));
    add(store, other, said(std::string(length, 'a')));
    CHECK(other.title == std::string(80, 'a') + (length > 80 ? "…" : ""));
  }
  Conversation silent = fresh("silent");
  Turn answer;
  answer.messages = {R"({"role":"assistant","content":"Yes."})"};
  add(store, silent, answer);
  CHECK(silent.title.empty());
}

TEST_CASE("two processes that continue one conversation lose nothing") {
  const TemporaryDirectory directory;
  Conversations one = open_at(directory.file("history.db"));
  Conversations two = open_at(directory.file("history.db"));
  Conversation mine = fresh("work");
  add(one, mine, said("Begin"));
  Conversation theirs = **two.by_name("work");
  CHECK(add(two, theirs, said("Theirs")) == SaveOutcome::InPlace);
  CHECK(add(one, mine, said("Mine")) == SaveOutcome::Branch);
  CHECK(mine.name == "work-2");
  CHECK(mine.id != theirs.id);
  CHECK(all_of(one, mine) == "Begin|Yes.|Mine|Yes.|");
  CHECK(all_of(one, theirs) == "Begin|Yes.|Theirs|Yes.|");
  CHECK(mine.cost_ticks == 10);
  // The branch continues as its own conversation.
  CHECK(add(one, mine, said("More")) == SaveOutcome::InPlace);
  CHECK(mine.turns == 3);
  // Two that start under the same name at once.
  Conversation a = fresh("twin");
  Conversation b = fresh("twin");
  CHECK(add(one, a, said("A")) == SaveOutcome::InPlace);
  CHECK(add(two, b, said("B")) == SaveOutcome::Branch);
  CHECK(b.name == "twin-2");
}

TEST_CASE("many processes and threads append at once") {
  const TemporaryDirectory directory;
  const std::string path = directory.file("history.db");
  constexpr int k_processes = 6;
  constexpr int k_turns = 10;
  test::run_in_processes(k_processes, [&](int i) {
    auto store = Conversations::open(path);
    Conversation talk = fresh();
    bool good = store.has_value();
    for (int turn = 0; good && turn < k_turns; ++turn) {
      good = store->append(talk, said(std::to_string(i) + "-" + std::to_string(turn))).has_value();
    }
    return good;
  });
  std::atomic<int> kept{0};
  std::vector<std::thread> threads;
  for (int i = 0; i < 4; ++i) {
    threads.emplace_back([&] {
      auto store = Conversations::open(path);
      Conversation talk = fresh();
      for (int turn = 0; store && turn < k_turns; ++turn) {
        if (store->append(talk, said("thread"))) ++kept;
      }
    });
  }
  for (std::thread& thread : threads) thread.join();
  CHECK(kept == 4 * k_turns);
  Conversations store = open_at(path);
  const auto all = store.list();
  REQUIRE(all.has_value());
  CHECK(all->size() == k_processes + 4);
  for (const Conversation& one : *all) CHECK(one.turns == k_turns);
}

TEST_CASE("a turn is undone, alone or while another process appends") {
  Conversations store = open_at(":memory:");
  Conversation talk = fresh("work");
  add(store, talk, said("One"));
  add(store, talk, said("Two"));
  Conversation other = talk;
  CHECK(*store.remove_last_turn(talk) == SaveOutcome::InPlace);
  CHECK(talk.turns == 1);
  CHECK(talk.response_id == "r-One");
  CHECK(all_of(store, talk) == "One|Yes.|");
  CHECK(store.search("Two", 9)->empty());
  // The other process still knows two turns, and continues from there.
  CHECK(add(store, other, said("Three")) == SaveOutcome::Branch);
  CHECK(other.turns == 2);
}

TEST_CASE("the last conversation of a terminal, a directory or a profile") {
  std::int64_t now = 1;
  Conversations store = open_at(":memory:", [&now] { return now++; });
  Conversation here = fresh();
  here.terminal = "34816 10 20 boot";
  add(store, here, said("here"));
  Conversation there = fresh();
  there.terminal = "34817 11 21 boot";
  add(store, there, said("there"));
  Conversation emulated = fresh();
  emulated.profile = "emulator";
  add(store, emulated, said("emulated"));
  CHECK((*store.latest_on_terminal("34816 10 20 boot", "chat", "default"))->id == here.id);
  CHECK_FALSE(store.latest_on_terminal("34816 10 99 boot", "chat", "default")->has_value());
  CHECK_FALSE(store.latest_on_terminal("", "chat", "default")->has_value());
  CHECK_FALSE(store.latest_on_terminal("34816 10 20 boot", "chat", "emulator")->has_value());
  CHECK_FALSE(store.latest_on_terminal("34816 10 20 boot", "responses", "default")->has_value());
  CHECK((*store.latest_in_directory("/home/me", "chat", "default"))->id == there.id);
  CHECK((*store.latest_in_directory("/home/me", "chat", "emulator"))->id == emulated.id);
  CHECK_FALSE(store.latest_in_directory("/home/me", "responses", "default")->has_value());
  CHECK_FALSE(store.latest_in_directory("/home/you", "chat", "default")->has_value());
  // Continuing it assigns it to the terminal that continues.
  here.terminal = "34817 11 21 boot";
  add(store, here, said("again"));
  CHECK((*store.latest_on_terminal("34817 11 21 boot", "chat", "default"))->id == here.id);
}

TEST_CASE("words are found in any spelling, and never interpreted as a query") {
  Conversations store = open_at(":memory:");
  Conversation talk = fresh();
  add(store, talk, said("Rivers in Norway: Glomma and Tana", "The Sjoa, *and* the Ätran."));
  const auto both = store.search("glomma norway", 9);
  REQUIRE(both->size() == 1);
  CHECK(both->front().snippet == "Rivers in \x01Norway\x02: \x01Glomma\x02 and Tana");
  const auto found = store.search("atran", 9);
  REQUIRE(found->size() == 1);
  CHECK(found->front().role == "assistant");
  CHECK(found->front().snippet.find("\x01Ätran\x02") != std::string::npos);
  for (const char* hostile : {"\"", "a OR", "*", "NEAR(", "text:x", "(", "-x", "' ; DROP", "^"}) {
    CHECK_MESSAGE(store.search(hostile, 9).has_value(), hostile);
  }
  CHECK(store.search("  ", 9)->empty());
  CHECK(store.search("tana\nnorway", 9)->size() == 1);
  CHECK(store.search("in\"norway", 9)->size() == 1);
  CHECK(store.search("norway\"in", 9)->empty());
}

TEST_CASE("parts of words are found where no word is, and in scripts without spaces") {
  const TemporaryDirectory directory;
  Conversations store = open_at(directory.file("history.db"));
  Conversation german = fresh("german");
  Conversation chinese = fresh("chinese");
  add(store, german, said("Die Stadtbibliothek von Bergen", "100% _sure_"));
  add(store, chinese, said("你好世界，今天天气很好", "世界"));
  const auto part = store.search("BIBLIO bergen", 9);
  REQUIRE(part->size() == 1);
  CHECK(part->front().snippet ==
        "Die Stadt\x01"
        "biblio\x02thek von Bergen");
  // No noise beside whole words; `%` and `_` are not patterns.
  CHECK(store.search("von", 9)->size() == 1);
  CHECK(store.search("% _", 9)->size() == 1);
  CHECK(store.search("0_s", 9)->empty());
  const auto world = store.search("世界", 9);
  REQUIRE(world->size() == 2);
  CHECK(world->front().snippet == "\x01世界\x02");
  CHECK(world->back().snippet == "你好\x01世界\x02，今天天气很好");
  CHECK(store.search("世界", 1)->size() == 1);
  CHECK(store.search("世界", 0)->size() == 2);
  using Ids = std::vector<std::int64_t>;
  CHECK(*store.containing("stadtb") == Ids{german.id});
  CHECK(store.containing("bibliothek")->empty());
  CHECK(*store.containing("天气") == Ids{chinese.id});
  CHECK(store.containing("")->empty());
  CHECK(store.containing("\"*\xff")->empty());
}

TEST_CASE("deleted data is gone from the file") {
  const TemporaryDirectory directory;
  const std::string path = directory.file("history.db");
  {
    Conversations store = open_at(path);
    Conversation secret = fresh("secret");
    add(store, secret, said("zyzzyvas are weevils"));
    Conversation kept = fresh("kept");
    add(store, kept, said("grasshoppers"));
    CHECK(*store.remove({secret.id, 4711}) == 1);
    CHECK(store.list()->size() == 1);
    CHECK(store.search("zyzzyvas", 9)->empty());
    // Continuing a deleted conversation starts a new one; its number is not reused.
    const std::int64_t before = secret.id;
    CHECK(add(store, secret, said("ladybirds")) == SaveOutcome::InPlace);
    CHECK(secret.id > before);
    CHECK(secret.turns == 1);
  }
  for (const std::string& name : directory.names()) {
    CHECK_MESSAGE(test::get(directory.file(name)).find("zyzzyva") == std::string::npos, name);
  }
}

TEST_CASE("a file from a newer version or another program is left unchanged") {
  const TemporaryDirectory directory;
  const std::string path = directory.file("history.db");
  {
    Conversations store = open_at(path);
    Conversation talk = fresh();
    add(store, talk, said("Hi"));
    auto database = Database::open(path, "it");
    REQUIRE(database->run("PRAGMA user_version = 2"));
  }
  const auto newer = Conversations::open(path);
  REQUIRE_FALSE(newer.has_value());
  CHECK(newer.error().fault == Fault::Local);
  CHECK(newer.error().message ==
        "the saved conversations in " + quote_path(path) +
            " were written by a newer svc (format 2; this version supports format 1)");
  CHECK(newer.error().hint == "Use that version, or set XDG_STATE_HOME to another directory.");
  const auto foreign = [&](const std::string& name) {
    const auto opened = Conversations::open(directory.file(name));
    REQUIRE_FALSE(opened.has_value());
    CHECK(opened.error().fault == Fault::Local);
    CHECK(opened.error().hint == "Move the file away; svc creates a new one when needed.");
    return opened.error().message;
  };
  test::put(directory.file("text.db"), "this is no database, but rather a text of some length");
  CHECK(foreign("text.db") == quote_path(directory.file("text.db")) +
                                  " does not contain the saved conversations: it cannot be read "
                                  "as a database");
  {
    auto database = Database::open(directory.file("other.db"), "it");
    REQUIRE(database->run("CREATE TABLE t (x)"));
  }
  CHECK(foreign("other.db") == quote_path(directory.file("other.db")) +
                                   " does not contain the saved conversations: another program "
                                   "created it");
}

TEST_CASE("messages are parsed into readable text") {
  CHECK(read_message_text(R"({"role":"user","content":[{"type":"text","text":"See"},)"
                          R"({"type":"image_url","image_url":{"url":"data:"}},)"
                          R"({"type":"input_file","filename":"a.pdf"}]})")
            .text == "See\n[image]\n[file a.pdf]");
  CHECK(read_message_text(
            R"({"role":"assistant","content":null,"tool_calls":[{"id":"1","type":"function",)"
            R"("function":{"name":"sum","arguments":"{\"a\":1}"}}]})")
            .text == "sum {\"a\":1}");
  const MessageText output =
      read_message_text(R"({"type":"function_call_output","call_id":"1","output":"2"})");
  CHECK(output.role == "tool");
  CHECK(output.text == "2");
  CHECK(
      read_message_text(R"({"type":"message","role":"assistant","content":[{"type":"output_text",)"
                        R"("text":"Hi"}]})")
          .text == "Hi");
  CHECK(read_message_text(R"({"type":"reasoning","id":"x"})").role == "reasoning");
  for (const char* odd : {"", "[]", "7", "{", R"({"content":7})", R"({"content":[7,null]})"}) {
    CHECK(read_message_text(odd).text.empty());
  }
}

TEST_CASE("the parts of a message, the calls behind them, and who says it") {
  CHECK(
      read_message_text(R"({"role":"user","content":[{"type":"input_audio"},{"type":"file","file":)"
                        R"({"filename":"b.pdf"}},{"type":"input_file","filename":"","file":{}},)"
                        R"({"type":"other"},{"refusal":"no"}]})")
          .text == "[audio]\n[file b.pdf]\n[file]\nno");
  const MessageText refused =
      read_message_text(R"({"role":"assistant","content":null,"refusal":"no"})");
  CHECK(refused.text == "no");
  CHECK(refused.calls == 2);
  CHECK_FALSE(refused.reasoned);
  const MessageText calls = read_message_text(
      R"({"role":"assistant","content":"Hi","reasoning_content":"Hm","tool_calls":[)"
      R"({"function":{"name":"a","arguments":"1"}},{"id":"x"},)"
      R"({"function":{"name":"b","arguments":"2"}}]})");
  CHECK(calls.text == "Hi\na 1\nb 2");
  CHECK(calls.calls == 2);
  CHECK(calls.reasoned);
  CHECK(calls.role == "assistant");
  const MessageText call =
      read_message_text(R"({"type":"function_call","name":"a","arguments":"{}"})");
  CHECK(call.role == "assistant");
  CHECK(call.text == "a {}");
  CHECK(call.calls == 0);
  const MessageText output = read_message_text(R"({"type":"function_call_output","output":"22"})");
  CHECK(output.calls == 2);
  CHECK_FALSE(output.reasoned);
  CHECK(read_message_text(R"({"type":"reasoning"})").reasoned);
  CHECK(read_message_text(R"({"role":"user","content":"x","tool_calls":7})").text == "x");
}

TEST_CASE("a conversation has a name that no other has, and sums") {
  std::int64_t now = 10;
  Conversations store = open_at(":memory:", [&now] { return now; });
  Conversation one = fresh("one");
  Conversation two = fresh("two");
  Turn turn = said("A");
  turn.input_tokens = 3;
  turn.output_tokens = 4;
  add(store, one, turn);
  turn.cost_ticks.reset();
  add(store, one, turn);
  now = 20;
  add(store, two, said("B"));
  const auto sum = store.sum(one);
  CHECK(sum->input_tokens == 6);
  CHECK(sum->output_tokens == 8);
  CHECK(sum->cost_ticks == 5);
  const auto taken = store.rename(two, "one");
  REQUIRE_FALSE(taken);
  CHECK(taken.error().message == fmt::format("conversation {} is already named 'one'", one.id));
  CHECK(taken.error().hint == "Choose another name.");
  CHECK(store.rename(one, "one\ntwo"));
  CHECK(store.rename(two, "one\ntwo").error().message ==
        fmt::format("conversation {} is already named 'one^Jtwo'", one.id));
  CHECK(store.rename(one, "one\ntwo"));
  CHECK(store.rename(one, "first"));
  CHECK((*store.by_name("first"))->id == one.id);
  CHECK(store.rename(one, ""));
  CHECK(store.rename(two, ""));  // two may have none
  CHECK_FALSE(store.by_name("")->has_value());
  const auto ids = [](const Result<std::vector<Conversation>>& found) {
    std::vector<std::int64_t> all;
    for (const Conversation& conversation : *found) all.push_back(conversation.id);
    return all;
  };
  using Ids = std::vector<std::int64_t>;
  CHECK(ids(store.list()) == Ids{two.id, one.id});
  CHECK(ids(store.list(1)) == Ids{two.id});
  CHECK(ids(store.older_than(20)) == Ids{one.id});
  CHECK(ids(store.older_than(21)) == Ids{one.id, two.id});
}

TEST_CASE("a conversation begins when it says so, else now; a branch begins now") {
  const TemporaryDirectory directory;
  std::int64_t now = 100;
  Conversations store = open_at(directory.file("history.db"), [&now] { return now; });
  Conversation given = fresh();
  given.created = 1;
  add(store, given, said("A"));
  CHECK(given.created == 1);
  CHECK(given.updated == 100);
  Conversation talk = fresh();
  add(store, talk, said("A"));
  CHECK(talk.created == 100);
  Conversation old = given;
  now = 200;
  add(store, given, said("B"));
  CHECK(given.created == 1);
  CHECK(given.updated == 200);
  CHECK(add(store, old, said("C")) == SaveOutcome::Branch);
  CHECK(old.created == 200);
  CHECK(old.updated == 200);
}

TEST_CASE("the name of a branch is the first that is free, and one without a name has none") {
  const TemporaryDirectory directory;
  Conversations store = open_at(directory.file("history.db"));
  Conversation work = fresh("work");
  add(store, work, said("A"));
  Conversation stale = work;
  add(store, work, said("B"));
  Conversation other = fresh("work-2");
  add(store, other, said("C"));
  CHECK(add(store, stale, said("D")) == SaveOutcome::Branch);
  CHECK(stale.name == "work-3");
  Conversation plain = fresh();
  add(store, plain, said("A"));
  Conversation old = plain;
  add(store, plain, said("B"));
  CHECK(add(store, old, said("C")) == SaveOutcome::Branch);
  CHECK(old.name.empty());
  // Nothing is left to undo.
  Conversation empty = fresh("empty");
  CHECK(*store.remove_last_turn(empty) == SaveOutcome::InPlace);
  CHECK(empty.id == 0);
  Conversation single = fresh("single");
  add(store, single, said("A"));
  CHECK(*store.remove_last_turn(single) == SaveOutcome::InPlace);
  CHECK(single.turns == 0);
  CHECK(single.cost_ticks == 0);
  CHECK(single.response_id.empty());
  CHECK(all_of(store, single).empty());
}

TEST_CASE("a terminal is identified by its device, its session and its start time") {
  auto pipe = make_pipe();
  REQUIRE(pipe);
  int terminal = -1;
  const pid_t child = ::forkpty(&terminal, nullptr, nullptr, nullptr);
  REQUIRE(child >= 0);
  if (child == 0) {
    const std::string id = tty_id();
    ::_exit(::write(pipe->write.get(), id.data(), id.size()) == std::ssize(id) ? 0 : 1);
  }
  const FileDescriptor controlling(terminal);
  pipe->write.reset();
  std::string name(100, '\0');
  REQUIRE(::ptsname_r(terminal, name.data(), name.size()) == 0);
  struct stat device {};
  REQUIRE(::stat(name.c_str(), &device) == 0);
  const auto facts = process_facts(child);  // it is not reaped yet
  int status = 0;
  REQUIRE(::waitpid(child, &status, 0) == child);
  CHECK(status == 0);
  std::string id(1000, '\0');
  id.resize(static_cast<std::size_t>(::read(pipe->read.get(), id.data(), id.size())));
  // The child leads its session.
  REQUIRE(facts);
  CHECK(id == fmt::format("{} {} {} {}", device.st_rdev, child, facts->start, boot_id()));
}
