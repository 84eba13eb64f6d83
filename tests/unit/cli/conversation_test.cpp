// The commands of a conversation, and its export.
#include <filesystem>
#include <fstream>
#include <map>
#include <optional>

#include <doctest/doctest.h>
#include <nlohmann/json.hpp>

#include "base/base64.h"
#include "base/clock.h"
#include "base/text.h"
#include "catalogue/catalogue.h"
#include "conversation/clipboard.h"
#include "conversation/find_conversations.h"
#include "conversation/saved_conversation.h"
#include "conversation/slash_commands.h"
#include "conversation/transcript.h"
#include "support/screen.h"

namespace svc::cli {
namespace {

std::vector<std::string> offered(sv text, bool responses = false) {
  return complete_slash(text, text.size(), responses,
                        [] {
                          return std::vector<std::string>{"svc-4.5", "svc-4.3", "other"};
                        })
      .words;
}

}  // namespace

TEST_CASE("a slash starts a command only where a command is possible") {
  CHECK(read_slash_line("/model  svc-4.3 ")->argument == "svc-4.3");
  CHECK(read_slash_line("/help")->name == "help");
  CHECK_FALSE(read_slash_line("/usr/bin/env is a path"));
  CHECK_FALSE(read_slash_line(" /help"));
  CHECK_FALSE(read_slash_line("/"));
  CHECK_FALSE(read_slash_line("/ 2"));
  CHECK_FALSE(read_slash_line("1/2"));
}

TEST_CASE("a command may be abbreviated if it is unambiguous") {
  CHECK(find_slash_word("mo")->name == "model");
  CHECK(find_slash_word("quit")->name == "exit");
  CHECK(find_slash_word("e") == nullptr);
  CHECK(find_slash_word("nonsense") == nullptr);
}

TEST_CASE("the help lists every command and fits the terminal") {
  for (const std::size_t columns : {30U, 40U, 60U, 80U, 90U, 300U}) {
    const std::string help = slash_help(columns, true);
    for (const SlashWord& word : slash_words()) {
      CHECK(("\n" + help).find("\n/" + std::string(word.name)) != std::string::npos);
    }
    for (const sv line : split(help, '\n')) CHECK(line.size() < columns);
  }
  const std::string narrow = slash_help(60, false);
  CHECK(narrow.find("/save FILE                  Save the conversation as\n"
                    "                            Markdown, or as JSON to\n"
                    "                            FILE.json.\n") != std::string::npos);
  CHECK(slash_help(40, false).find("/save FILE\n    Save the conversation as Markdown,\n") !=
        std::string::npos);
  // The service compacts conversations of only one operation.
  CHECK(narrow.find("/compact") == std::string::npos);
}

TEST_CASE("the help says what each command does, and what else can be typed") {
  const std::string help = R"help(/help [COMMAND]             Show these commands, or one of them.
/model [NAME]               Show or change the model.
/system [TEXT]              Show or set the system prompt.
/image PATH|URL             Attach an image to the next message.
/paste                      Attach the image on the clipboard to the next message.
/file PATH|URL|ID           Attach a file to the next message.
/tool [NAME=PROGRAM]        List the model's tools or add one.
/tools [ask NAME]           Show which tools run without asking, or ask again before one's calls.
/reasoning [full|fold|none] Show all of the model's reasoning, how long it took, or nothing.
/mcp [SERVER]               List MCP servers or one's tools; NAME=COMMAND|URL adds a server, call
                            SERVER TOOL JSON calls a tool.
/retry                      Discard the last answer and resend the message.
/edit [last]                Write a message in $EDITOR, or edit and resend the last one.
/undo [N]                   Undo the last message and its answer, or the last N.
/save FILE                  Save the conversation as Markdown, or as JSON to FILE.json.
/copy [code|N]              Copy the last answer, its last code block or the Nth.
/resume [NUMBER|NAME]       Resume another saved conversation (without an argument: choose from a
                            list).
/history                    Show the whole conversation again, in the pager.
/compact                    Compact the conversation into one item on the service.
/cost                       Show the conversation's cost so far.
/clear                      Start a new conversation with the same settings.
/exit                       Exit (also Ctrl-D).

@PATH in a message attaches a file; !COMMAND runs a shell command and offers its output. Enter
sends. For a multi-line message, end a line with a backslash, press Alt-Enter or put """ around the
text; a paste is one message. Ctrl-C stops an answer or clears the line; Ctrl-R searches earlier
messages; Ctrl-X Ctrl-E opens $EDITOR (`svc config set keys vi` sets vi's keys). Start with a space
to send a text that begins with a slash.
)help";
  CHECK(slash_help(100, true) == help);
  const std::size_t compact = help.find("/compact ");
  std::string of_chat = help;
  of_chat.erase(compact, help.find('\n', compact) + 1 - compact);
  CHECK(slash_help(100, false) == of_chat);
}

TEST_CASE("commands and their arguments are completed") {
  CHECK(offered("/comp").empty());
  CHECK(offered("/comp", true) == std::vector<std::string>{"/compact"});
  CHECK(offered("/mo") == std::vector<std::string>{"/model "});
  CHECK(offered("/e") == std::vector<std::string>{"/edit ", "/exit"});
  CHECK(offered("/model svc") == std::vector<std::string>{"svc-4.3", "svc-4.5"});
  CHECK(offered("/copy c") == std::vector<std::string>{"code"});
  CHECK(offered("/file /etc/hostn") == std::vector<std::string>{"/etc/hostname"});
  CHECK(offered("/tool x=/etc/hostn") == std::vector<std::string>{"/etc/hostname"});
  CHECK(offered("text /mo").empty());
  CHECK(offered("/nonsense x").empty());
  CHECK(offered("/reasoning ") == std::vector<std::string>{"fold", "full", "none"});
  CHECK(offered("/edit l") == std::vector<std::string>{"last"});
  CHECK(offered("/help und") == std::vector<std::string>{"undo"});
  CHECK(offered("/tool x").empty());
  CHECK(offered("/cost x").empty());
  CHECK(offered("/model \n").empty());
  // The words replace what is behind the command and its blanks, up to the cursor.
  const auto begin = [](sv text, std::size_t cursor) {
    return complete_slash(text, cursor, false, [] { return std::vector<std::string>{"svc-4.5"}; })
        .begin;
  };
  CHECK(begin("/model  svc", 11) == 8);
  CHECK(begin("/model ", 7) == 7);
  CHECK(begin("/tool x=/etc/host", 17) == 8);
  CHECK(begin("see @/etc/host", 14) == 5);
  CHECK(begin("@/etc/host", 10) == 1);
  CHECK(complete_slash("/model s", 8, false, [] {
          return std::vector<std::string>{"svc-b", "svc-a", "svc-b", "other"};
        }).words == std::vector<std::string>{"svc-a", "svc-b"});
  CHECK(complete_slash("/model svc", 8, false, [] {
          return std::vector<std::string>{"svc-4.5"};
        }).words == std::vector<std::string>{"svc-4.5"});
}

TEST_CASE("paths are offered with their directory, hidden ones only if asked for") {
  namespace fs = std::filesystem;
  const fs::path place = fs::temp_directory_path() / ("svc-" + random_uuid());
  fs::create_directories(place / "sub");
  for (const char* name : {".hidden", "a b", "ab", "bell\a"}) std::ofstream(place / name) << "x";
  for (int i = 0; i < 250; ++i) std::ofstream(place / "sub" / std::to_string(i)) << "x";
  const std::string at = place.string() + "/";
  using Words = std::vector<std::string>;
  CHECK(offered("/file " + at) == Words{at + "a b", at + "ab", at + "sub/"});
  CHECK(offered("/file " + at + ".") == Words{at + ".hidden"});
  CHECK(offered("/file " + at + "a") == Words{at + "a b", at + "ab"});
  CHECK(offered("see @" + at + "a") == Words{at + "ab"});
  CHECK(offered("/file " + at + "sub/").size() == 200);
  CHECK(mentioned_paths("@" + at + "ab\t@" + at + "ab.") == Words{at + "ab", at + "ab"});
  fs::remove_all(place);
}

TEST_CASE("a path after an @ is completed, and attached if the file exists") {
  CHECK(mentioned_paths("see @/etc/hostname, and @nobody. (@/etc/hostname)") ==
        std::vector<std::string>{"/etc/hostname"});
  CHECK(mentioned_paths("mail me@/etc/hostname @ @/etc").empty());
  CHECK(offered("see @/etc/hostn") == std::vector<std::string>{"/etc/hostname"});
  CHECK(offered("see me@/etc/hostn").empty());
}

TEST_CASE("what ends a sentence does not belong to a path in it") {
  for (const char mark : sv(".,;:!?)\"'")) {
    CAPTURE(mark);
    CHECK(mentioned_paths(std::string("(see @/etc/hostname") + mark).empty() == false);
    CHECK(mentioned_paths(std::string("@/etc/hostname") + mark + mark + " x") ==
          std::vector<std::string>{"/etc/hostname"});
  }
  CHECK(mentioned_paths("@/etc/hostname- @/etc/hostname/ @.").empty());
  CHECK(mentioned_paths("@/etc/hostname\n@/etc/passwd").size() == 2);
}

TEST_CASE("a tilde stands for the home directory") {
  const auto path = [](const char* typed, std::optional<std::string> home) {
    return with_home(typed, Environment{[home](const std::string& name) {
                       return name == "HOME" ? home : std::nullopt;
                     }});
  };
  CHECK(path("~/a", "/h") == "/h/a");
  CHECK(path("~/", "/h") == "/h/");
  CHECK(path("~/a", std::nullopt) == "~/a");
  CHECK(path("~a", "/h") == "~a");
  CHECK(path("~", "/h") == "~");
  CHECK(path("a/~/b", "/h") == "a/~/b");
}

TEST_CASE("only a terminal known for it is asked for its clipboard, and no multiplexer") {
  using Variables = std::map<std::string, std::string>;
  const auto gives = [](const Variables& variables) {
    return terminal_gives_images(
        Environment{[&](const std::string& name) -> std::optional<std::string> {
          const auto found = variables.find(name);
          return found == variables.end() ? std::nullopt : std::optional(found->second);
        }});
  };
  CHECK(gives({{"TERM", "xterm-kitty"}}));
  CHECK(gives({{"TERM", "xterm"}, {"KITTY_WINDOW_ID", "1"}}));
  CHECK(gives({{"TERM", "xterm-kitty"}, {"TMUX", ""}, {"STY", ""}}));
  CHECK_FALSE(gives({}));
  CHECK_FALSE(gives({{"TERM", "xterm"}, {"KITTY_WINDOW_ID", ""}}));
  CHECK_FALSE(gives({{"TERM", "xterm-kitty"}, {"TMUX", "x"}}));
  CHECK_FALSE(gives({{"TERM", "xterm-kitty"}, {"STY", "x"}}));
}

TEST_CASE("the help of one command is its own, and has no remarks") {
  const SlashWord* undo = find_slash_word("undo");
  REQUIRE(undo != nullptr);
  CHECK(slash_help(80, false, undo) ==
        "/undo [N]                   Undo the last message and its answer, or the last\n"
        "                            N.\n");
  CHECK(slash_help(57, false, undo).starts_with("/undo [N]                   Undo the last"));
  CHECK(slash_help(56, false, undo) ==
        "/undo [N]\n    Undo the last message and its answer, or the last\n    N.\n");
  CHECK(slash_help(1, false, undo) ==
        "/undo [N]\n    Undo the last\n    message and its\n    answer, or the\n    last N.\n");
  CHECK(slash_help(500, false, undo) == slash_help(100, false, undo));
  CHECK(slash_help(100, false, undo).find("the last N.\n") != std::string::npos);
  const SlashWord* compact = find_slash_word("compact");
  CHECK(slash_help(100, false, compact).starts_with("/compact  "));
  CHECK(find_slash_word("") == nullptr);
  CHECK(find_slash_word("tool")->name == "tool");
  CHECK(find_slash_word("tools")->name == "tools");
  CHECK(find_slash_word("too") == nullptr);
}

TEST_CASE("a conversation is exported for people and for programs") {
  const Operation* chat = find_operation("chat", "create");
  Spoken first{.said = "hello",
               .attachments = {{find_field(*chat, "image"), "cat.png"}},
               .messages = {R"({"role":"user","content":"hello"})",
                            R"({"role":"assistant","content":"Hi."})"},
               .answer = "Hi.\n",
               .model = "svc-4.5",
               .whole = true};
  Spoken failed{.said = "lost"};
  CHECK(as_markdown({first, failed}) ==
        "## You\n\nhello\n\n(image: cat.png)\n\n## svc-4.5\n\nHi.\n\n## You\n\nlost\n");
  const auto json = nlohmann::json::parse(as_json({first, failed}, "chat", "svc-4.5", "resp_1"));
  CHECK(json["messages"].size() == 2);
  CHECK(json["messages"][1]["content"] == "Hi.");
  CHECK(json["response_id"] == "resp_1");
}

TEST_CASE("words are marked whatever their case, accents and width") {
  CHECK(marked_words("Ärger in Århus", "arhus ÄR") ==
        "\x01"
        "Är\x02ger in \x01"
        "Århus\x02");
  CHECK(marked_words("你好世界", "世界") == "你好\x01世界\x02");
  CHECK(marked_words("ｓｖｃ 한국어", "SVC　국") == "\x01ｓｖｃ\x02 한\x01국\x02어");
  CHECK(marked_words("Straße", "STRASSE") == "\x01Straße\x02");
  CHECK_FALSE(marked_words("Straße", "strand"));
  CHECK_FALSE(marked_words("", "a"));
  CHECK(excerpt_at("the Ärger\nin Århus, ..", "arhus") == "the Ärger in Århus, ..");
  CHECK(excerpt_at("one two three four five six\n世界 seven", "SEVEN") ==
        "…our five six 世界 seven");
  CHECK_FALSE(excerpt_at("Straße", "strand"));
  CHECK_FALSE(marked_words("a", " "));
  CHECK(marked_words("ab", "b\n") ==
        "a\x01"
        "b\x02");
  CHECK(marked_words("abc", "ab bc") ==
        "\x01"
        "abc\x02");
  CHECK_FALSE(marked_words("ab", "a c"));
  CHECK(marked_words("ab", "\u0301") == "ab");  // an accent alone is in every text
  CHECK(
      marked_words("\xff"
                   "ab",
                   "b"));
}

namespace {

/// A terminal's answer about its clipboard.
std::string told(const std::string& status, const std::string& type, const std::string& bytes) {
  const std::string mime = type.empty() ? "" : ":mime=" + base64_encode(type);
  return "\x1b]5522;type=read:status=" + status + mime + ";" + base64_encode(bytes) + "\x1b\\";
}

}  // namespace

TEST_CASE("a terminal's clipboard is read, however it arrives and whatever is typed meanwhile") {
  const std::string all = "a" + told("OK", "", "") + "\x1b[A" + told("DATA", "text/plain", "no") +
                          told("DATA", "image/jpeg", "one,") + "b\x1b" +
                          told("DATA", "image/jpeg", "two") + told("DATA", "image/png", "three") +
                          "\x1b]5522;type=read:status=DATA:mime=" + base64_encode("image/jpeg") +
                          "\x1b\\" + told("DONE", "", "") + "c\x1b";
  for (std::size_t piece = 1; piece < 40; ++piece) {
    CAPTURE(piece);
    ClipboardReply reply;
    std::string typed;
    for (std::size_t at = 0; at < all.size(); at += piece) {
      CHECK_FALSE((reply.end() && at + 40 < all.size() - 40));
      typed += reply.feed(sv(all).substr(at, piece));
    }
    CHECK(typed ==
          "a\x1b[Ab\x1b"
          "c\x1b");
    REQUIRE(reply.end());
    CHECK(reply.end()->empty());
    CHECK(reply.image().type == "image/jpeg");
    CHECK(reply.image().bytes == "one,two");
  }
  ClipboardReply refused;
  CHECK(refused.feed(told("EPERM", "", "")).empty());
  CHECK(refused.end() == "EPERM");
  ClipboardReply waiting;
  CHECK(waiting.feed("x\x1b]55").compare("x") == 0);
  CHECK_FALSE(waiting.end());
}

TEST_CASE("an age is rounded down, in the unit that suits it") {
  const auto age = [](std::int64_t seconds) {
    while (true) {
      const std::int64_t now = unix_now();
      std::string text = ago(now - seconds);
      if (unix_now() == now) return text;  // the clock did not go on in between
    }
  };
  CHECK(age(-5) == "just now");
  CHECK(age(119) == "just now");
  CHECK(age(120) == "2 minutes ago");
  CHECK(age(179) == "2 minutes ago");
  CHECK(age(7199) == "119 minutes ago");
  CHECK(age(7200) == "2 hours ago");
  CHECK(age(172'799) == "47 hours ago");
  CHECK(age(172'800) == "2 days ago");
  CHECK(age(259'199) == "2 days ago");
}

TEST_CASE("what was found is shown with what is before it") {
  const std::string twenty(20, 'a');
  CHECK(excerpt_at(twenty + "word", "word") == twenty + "word");
  CHECK(excerpt_at("b" + twenty + "word", "word") == "…" + twenty + "word");
  CHECK(excerpt_at("\u00e4" + twenty.substr(1) + "word", "word") ==
        "\u00e4" + twenty.substr(1) + "word");
  const std::string rest(400, 'c');
  CHECK(excerpt_at(rest, "c") == rest);
  CHECK(excerpt_at(rest + "d", "c") == rest + "…");
  CHECK(marked_words("one two one", "one") ==
        "\x01"
        "one\x02 two \x01"
        "one\x02");
  CHECK(marked_words("aa", "a") ==
        "\x01"
        "aa\x02");
}

TEST_CASE("conversations are filtered by number, name, title and content") {
  std::vector<history::Conversation> all(3);
  all[0] = {.id = 12, .name = "2", .title = "Rivers of Norway"};
  all[1] = {.id = 2, .name = "Århus\x1b[2J", .title = "Weather"};
  all[2] = {.id = 120, .title = "世界"};
  int asked = 0;
  ConversationFilter filter(all, [&](const std::string& word) {
    ++asked;
    return word == "glomma" ? std::vector<std::int64_t>{12, 99} : std::vector<std::int64_t>{};
  });
  using Found = std::vector<std::size_t>;
  CHECK(filter.matching("") == Found{0, 1, 2});
  CHECK(filter.matching("2") == Found{0, 1, 2});
  CHECK(filter.matching("120") == Found{2});
  CHECK(filter.matching("12") == Found{0, 2});
  CHECK(filter.matching("ARHUS weath") == Found{1});
  CHECK(filter.matching("glomma norw") == Found{0});
  CHECK(filter.matching("世") == Found{2});
  CHECK(filter.matching("glomma weather").empty());
  CHECK(filter.matching("glomma\n") == Found{0});
  CHECK(asked == 9);
  // The first word that only its messages have.
  CHECK(filter.word_said(0, "norw glomma oyeren") == "glomma");
  CHECK(filter.word_said(0, "RIVERS 12 2").empty());
  CHECK(filter.word_said(1, "arhus").empty());
  CHECK(filter.word_said(1, "a\xe3\x80\x80zz") == "zz");
  CHECK(filter.word_said(1, "").empty());
}

TEST_CASE("a conversation whose name or number is typed comes first") {
  std::vector<history::Conversation> all(4);
  all[0] = {.id = 10, .name = "trips", .title = "1"};
  all[1] = {.id = 1, .name = "x", .title = "trip"};
  all[2] = {.id = 11, .name = "trip", .title = ""};
  all[3] = {.id = 12, .name = "1", .title = "trip"};
  ConversationFilter filter(all, [](const std::string&) { return std::vector<std::int64_t>{}; });
  using Found = std::vector<std::size_t>;
  CHECK(filter.matching("trip") == Found{2, 0, 1, 3});
  CHECK(filter.matching(" trip\n") == Found{2, 0, 1, 3});
  CHECK(filter.matching("1") == Found{1, 3, 0, 2});
  CHECK(filter.matching("TRIP") == Found{0, 1, 2, 3});
  CHECK(filter.matching("trip 1") == Found{0, 1, 2, 3});
}

namespace {

Spoken turn(const std::string& question, const std::string& answer) {
  const auto message = [](sv role, const std::string& text) {
    return nlohmann::json{{"role", role}, {"content", text}}.dump();
  };
  return {.said = question,
          .messages = {message("user", question), message("assistant", answer)},
          .answer = answer};
}

}  // namespace

TEST_CASE("a conversation is shown again as it looked") {
  ReplayStyle style{.terminal = {.is_tty = true, .columns = 40, .color = false, .utf8 = true},
                    .prompt = "> "};
  CHECK(replay({turn("Hi\nthere", "- one\n- **two**"), turn("And?", "Done.")}, style, 100).text ==
        "> Hi\n  there\n• one\n• **two**\n\n> And?\nDone.\n\n");
  CHECK_FALSE(
      replay({turn("Hi\nthere", "- one\n- **two**"), turn("And?", "Done.")}, style, 100).cut);
  CHECK(replay({turn("Hi", "a"), turn("And?", "b\nc")}, style, 3).text == "b\nc\n\n");
  CHECK(replay({turn("Hi", "a"), turn("And?", "b\nc")}, style, 3).cut);
  CHECK(replay({turn("Hi", "a"), turn("And?", "b\nc")}, style, 6).text == "> And?\nb\nc\n\n");
  CHECK(replay({turn("Hi", "a"), turn("And?", "b\nc")}, style, 6).cut);
  Spoken tool = turn("Time?", "");
  tool.messages[1] =
      R"({"role":"assistant","content":null,"reasoning_content":"Hm.","tool_calls":[{"function":{"name":"clock","arguments":"{}"}}]})";
  tool.messages.emplace_back(R"({"role":"tool","content":"noon"})");
  tool.messages.emplace_back(R"({"role":"assistant","content":"Noon."})");
  CHECK(replay({tool}, style, 100).text == "> Time?\nthought\n[clock {}]\nNoon.\n\n");
  style.reasoning = false;
  style.render = false;
  tool.messages = {R"({"type":"reasoning","summary":[{"type":"summary_text","text":"Hm."}]})",
                   R"({"type":"function_call","name":"clock","arguments":"{}"})"};
  CHECK(replay({tool}, style, 100).text == "[clock {}]\n\n");
}

TEST_CASE("a code block left open does not swallow what follows") {
  CHECK(closed_markdown("a\n```\nb\n```\nc") == "a\n```\nb\n```\nc");
  CHECK(closed_markdown("a\n~~~~sh\n```\nb") == "a\n~~~~sh\n```\nb\n~~~~");
  CHECK(closed_markdown("```\n") == "```\n```");
  Spoken cut = turn("Show", "```\nint x");
  cut.whole = false;
  CHECK(as_markdown({cut}).find("int x\n```\n\n(The answer is incomplete.)") != std::string::npos);
}

TEST_CASE("nothing in a saved conversation drives the terminal, at any width") {
  const std::string nasty =
      "a\x1b]52;c;eA==\x07 \u202e\x1b[2J\r\n```\n\xc2\x9b"
      "31m\x1b[A\n```\n世界世界";
  for (int columns = 1; columns <= 200; columns += columns < 40 ? 1 : 20) {
    const ReplayStyle style{
        .terminal = {.is_tty = true, .columns = columns, .color = true, .utf8 = true},
        .prompt = "> "};
    test::Screen screen(static_cast<std::size_t>(std::max(columns, 8)), 50);
    screen.feed(replay({turn(nasty, nasty)}, style, 500).text);
    CHECK(screen.faults().empty());
    CHECK(screen.clipboard().empty());
  }
}

}  // namespace svc::cli
