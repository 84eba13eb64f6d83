// The commands of a conversation, and its export.
#include <doctest/doctest.h>
#include <nlohmann/json.hpp>

#include "base/text.h"
#include "catalogue/catalogue.h"
#include "conversation/slash_commands.h"
#include "conversation/transcript.h"

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
}

TEST_CASE("a path after an @ is completed, and attached if the file exists") {
  CHECK(mentioned_paths("see @/etc/hostname, and @nobody. (@/etc/hostname)") ==
        std::vector<std::string>{"/etc/hostname"});
  CHECK(mentioned_paths("mail me@/etc/hostname @ @/etc").empty());
  CHECK(offered("see @/etc/hostn") == std::vector<std::string>{"/etc/hostname"});
  CHECK(offered("see me@/etc/hostn").empty());
}

TEST_CASE("the last code block is found") {
  CHECK(last_code_block("a\n```py\nx\ny\n```\nb\n~~~~\nz\n~~~\n~~~~\n") == "z\n~~~\n");
  CHECK(last_code_block("```\nnever closed") == "never closed\n");
  CHECK_FALSE(last_code_block("no code `here`"));
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

}  // namespace svc::cli
