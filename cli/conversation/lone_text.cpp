#include "conversation/lone_text.h"

#include <algorithm>
#include <filesystem>

#include <fmt/format.h>

#include "base/visible.h"
#include "catalogue/catalogue.h"
#include "catalogue/tool_fields.h"
#include "command_line/guesses.h"
#include "conversation/saved_conversation.h"
#include "docgen/topics.h"
#include "history/conversations.h"
#include "request/flags.h"

namespace svc::cli {
namespace {

constexpr sv k_continue = Flags<catalogue::k_conversation_fields>::k_name<"continue">;

bool is_file(const std::string& text) {
  std::error_code failed;
  return text.find('\n') == std::string::npos && std::filesystem::is_regular_file(text, failed);
}

/// Whether a saved conversation has that name. Most prompts cannot be names, and then the history
/// is not opened.
bool names_conversation(const std::string& name) {
  if (!check_session_name(name)) return false;
  const std::string path = history::conversations_path();
  std::error_code failed;
  if (!std::filesystem::exists(path, failed)) return false;
  auto store = history::Conversations::open(path);
  if (!store) return false;
  const auto found = store->by_name(name);
  return found && *found;
}

/// What the word is to svc: "`svc models` is a command"; empty if it is nothing.
std::string other_meaning(const Session& session, const std::string& word) {
  if (find_group(word) != nullptr) return fmt::format("`svc {}` is a command", word);
  if (docgen::find_topic(word) != nullptr) return fmt::format("`svc help {}` is a topic", word);
  if (session.config().profiles().contains(word)) {
    return fmt::format("-p {} selects the profile", word);
  }
  if (const std::string command = nearest_command(word); !command.empty()) {
    return fmt::format("`{}` is a command", command);
  }
  if (names_conversation(word)) {
    return fmt::format("--session {} continues the conversation", word);
  }
  return {};
}

/// Makes `--continue WORD` mean what `--continue=WORD` does; false if no conversation has that
/// name.
bool select_conversation(Invocation& invocation) {
  std::vector<request::Given>& given = invocation.inputs.given;
  const auto last = std::ranges::find_if(
      given, [](const request::Given& one) { return one.field->flag == k_continue; });
  const std::string name = given[*invocation.lone_text].text;
  if (last == given.end() || last->text != "true" || !names_conversation(name)) return false;
  last->text = name;
  given.erase(given.begin() + static_cast<std::ptrdiff_t>(*invocation.lone_text));
  invocation.lone_text.reset();
  return true;
}

}  // namespace

Result<void> settle_lone_text(Session& session, Invocation& invocation) {
  if (!invocation.lone_text || select_conversation(invocation)) return {};
  if (session.globals().shows_only()) return {};
  request::Given& given = invocation.inputs.given[*invocation.lone_text];
  const std::string text = given.text;
  const bool asks = session.can_ask();
  const std::string name = shown(text);
  const auto declined = [&](sv what) {
    return usage_error("nothing was sent", fmt::format("`svc {} -- {}` sends {}.",
                                                       command_name(*invocation.operation, true),
                                                       shown_word(text), what));
  };
  if (is_file(text)) {
    if (!asks) {
      session.notices().note(fmt::format("sending the name '{}': {} sends what is in the file",
                                         name, shown_word("@" + text)));
      return {};
    }
    SVC_TRY(reads, session.confirm(fmt::format("'{}' is a file. Read it, as {} does?", name,
                                               shown_word("@" + text))));
    if (reads) {
      given.text = "@" + text;
      return {};
    }
    return declined("the name");
  }
  const std::string meaning = invocation.verb_given ? std::string() : other_meaning(session, text);
  if (meaning.empty()) return {};
  if (!asks) {
    session.notices().note(fmt::format("sending \"{}\" as text: {}", name, meaning));
    return {};
  }
  SVC_TRY(sends, session.confirm(fmt::format("Send \"{}\" as text? {}.", name, meaning)));
  if (sends) return {};
  return declined("it");
}

}  // namespace svc::cli
