// A conversation that is saved: what is known of it, what continues it, and what ends it.
#include "conversation/saved_conversation.h"

#include <filesystem>
#include <set>
#include <string>
#include <vector>

#include <doctest/doctest.h>
#include <fmt/format.h>

#include "base/clock.h"
#include "base/text.h"
#include "request/inputs.h"
#include "unit/cli/session_stage.h"
#include "unit/cli/state_here.h"

namespace svc::cli {
namespace {

history::Turn saved_turn_of(const std::string& said, std::int64_t ticks = 0,
                            std::string response = {}) {
  history::Turn turn{
      .messages = {fmt::format(R"({{"role":"user","content":"{}"}})", said),
                   fmt::format(R"({{"role":"assistant","content":"About {}."}})", said)},
      .response_id = std::move(response),
      .input_tokens = 3,
      .output_tokens = 4};
  if (ticks > 0) turn.cost_ticks = ticks;
  return turn;
}

/// A command and the conversation that it opens.
class ConversationStage {
 public:
  explicit ConversationStage(std::vector<std::string> words, const std::string& config = {},
                             ConversationKind kind = ConversationKind::Conversation)
      : m_stage(words, config), m_opened(SavedConversation::open(m_stage.session(), kind)) {}

  [[nodiscard]] SessionStage& stage() { return m_stage; }
  [[nodiscard]] const Result<SavedConversation>& opened() const { return m_opened; }
  [[nodiscard]] std::string refused() const {
    return m_opened ? "" : m_opened.error().message + " | " + m_opened.error().hint;
  }
  SavedConversation* operator->() {
    REQUIRE(m_opened);
    return &*m_opened;
  }
  /// "FLAG=TEXT …" of what the command's inputs have been given, without those of `words`.
  std::string added() {
    std::string text;
    const request::Inputs inputs = (*this)->inputs();
    const std::size_t own = m_stage.session().inputs().given.size();
    for (std::size_t i = own; i < inputs.given.size(); ++i) {
      const request::Given& given = inputs.given[i];
      const bool key = given.field->flag == "prompt-cache-key";
      text += fmt::format("{}={}{} ", given.field->flag,
                          key ? std::to_string(given.text.size()) : given.text,
                          given.literal ? "" : "?");
    }
    return text;
  }

 private:
  SessionStage m_stage;
  Result<SavedConversation> m_opened;
};

/// The texts said in the turns.
std::string kept_in(const std::vector<history::Turn>& turns) {
  std::string text;
  for (const history::Turn& turn : turns) {
    text += fmt::format("{}{} ", turn.messages.size(), turn.response_id);
  }
  return text;
}

}  // namespace

TEST_CASE("a conversation is saved unless the command or the profile says otherwise") {
  const StateHere state;
  const std::string off = "[profile.default]\nhistory = \"false\"\n";
  constexpr auto k_once = ConversationKind::OneShot;
  CHECK(ConversationStage({"chat"})->is_saved());
  CHECK_FALSE(ConversationStage({"chat", "--no-save"})->is_saved());
  CHECK_FALSE(ConversationStage({"chat"}, off)->is_saved());
  CHECK(ConversationStage({"chat", "--save"}, off)->is_saved());
  CHECK_FALSE(ConversationStage({"chat", "x"}, {}, k_once)->is_saved());
  CHECK(ConversationStage({"chat", "x", "--save"}, {}, k_once)->is_saved());
  CHECK(ConversationStage({"chat", "x", "--session", "s"}, {}, k_once)->is_saved());
  CHECK_FALSE(ConversationStage({"chat", "x", "--session", "s"}, off, k_once)->is_saved());
  CHECK_FALSE(
      ConversationStage({"chat", "x", "--session", "s", "--no-save"}, {}, k_once)->is_saved());
  CHECK(ConversationStage({"chat", "x"}, {}, k_once)->facts().operation.empty());
}

TEST_CASE("a new conversation has the facts of its command, and is saved with its first turn") {
  const StateHere state;
  const std::int64_t before = unix_now();
  ConversationStage first({"chat", "--session", "trip", "--system", "Be brief.", "-m", "svc-4.3"});
  const history::Conversation& facts = first->facts();
  CHECK(facts.id == 0);
  CHECK(facts.name == "trip");
  CHECK(facts.operation == "chat");
  CHECK(facts.profile == "default");
  CHECK(facts.model == "svc-4.3");
  CHECK(facts.system == "Be brief.");
  CHECK(facts.directory == std::filesystem::current_path().string());
  CHECK(facts.created >= before);
  CHECK_FALSE(first->earlier());
  CHECK(first.added() == "prompt-cache-key=32 ");
  first->append({.model = "none"});  // without messages
  CHECK(first->turns().empty());
  CHECK_FALSE(std::filesystem::exists(state.file("history.db")));
  first->append(saved_turn_of("one", 7));
  CHECK(first->facts().id == 1);
  CHECK(first.stage().err() ==
        "svc: note: conversations are saved in " + state.file("history.db") +
            "; --no-save skips one, `svc config set history false` disables saving\n");
  first->append(saved_turn_of("two"));
  CHECK(first.stage().err().empty());
  CHECK(kept_in(first->turns()) == "2 2 ");
  // Another command continues it, with its model and system prompt.
  ConversationStage again({"chat", "--session", "trip"});
  CHECK(again->facts().id == 1);
  CHECK(again->facts().model == "svc-4.3");
  CHECK(again.stage().session().settings().model.value == "svc-4.3");
  CHECK(again->facts().created == first->facts().created);
  CHECK(kept_in(again->turns()) == "2 2 ");
  CHECK(again->thread().messages.size() == 4);
  REQUIRE(again->earlier());
  CHECK(again->earlier()->input_tokens == 6);
  CHECK(again->earlier()->output_tokens == 8);
  CHECK(again->earlier()->cost_ticks == 7);
  CHECK(again.added() == "prompt-cache-key=32 system=Be brief. ");
  CHECK(again->inputs().given[1].text == first->inputs().given.back().text);  // the same key
  ConversationStage other({"chat", "--continue", "1", "-m", "svc-4", "--system", "Be long.",
                           "--set", "prompt_cache_key=mine"});
  CHECK(other->facts().name == "trip");
  CHECK(other->facts().model == "svc-4");
  CHECK(other->facts().system == "Be long.");
  CHECK(other.added().empty());
  CHECK(ConversationStage({"chat"})->facts().model == "svc-4.5");
}

TEST_CASE("what cannot be continued is told with what can be done") {
  const StateHere state;
  const std::string list = "`svc history` lists saved conversations.";
  const std::string rule = "--session must be a name of at most 64 characters and not a number";
  const std::string nothing =
      "no saved conversation of `svc chat` to continue for this terminal or directory | `svc "
      "history` lists saved conversations; --session NAME starts one with a name.";
  const auto refused = [](std::vector<std::string> words, const std::string& config = {}) {
    return ConversationStage(std::move(words), config).refused();
  };
  CHECK(refused({"chat", "--continue"}) == nothing);
  ConversationStage first({"chat", "--session", "trip"});
  first->append(saved_turn_of("one"));
  CHECK(refused({"chat", "--continue=trip", "--session", "x"}) ==
        "--continue and --session cannot be combined | Each selects a conversation.");
  CHECK(refused({"chat", "--continue=nobody"}) == "unknown saved conversation 'nobody' | " + list);
  CHECK(refused({"chat", "--session", "7"}) ==
        "unknown saved conversation '7' | " + list + " To start one, " + rule + ".");
  CHECK(refused({"chat", "--session", "-x"}) == rule + ", not '-x' | ");
  CHECK(refused({"responses", "--session", "trip"}) ==
        "'trip' is a conversation of `svc chat` | Continue it there, or choose another name for "
        "this one.");
  CHECK(refused({"responses", "--session", "1"}) ==
        "'trip' is a conversation of `svc chat` | Continue it there, or choose another name for "
        "this one.");
  CHECK(refused({"chat", "--session", "trip", "-p", "work"}, "[profile.work]\nmodel = \"m\"\n") ==
        "'trip' belongs to profile default and cannot be sent to another service | Add -p default "
        "to continue it, or choose another name for this one.");
  CHECK(refused({"responses", "--continue"}).starts_with("no saved conversation of `svc respons"));
  CHECK(refused({"chat", "--session", "new"}).empty());
  CHECK(ConversationStage({"chat", "--continue=false"})->turns().empty());
  CHECK(ConversationStage({"chat", "--continue"})->facts().name == "trip");
}

TEST_CASE("a name of a conversation has at most 64 printable characters and is no number") {
  const auto refused = [](const std::string& name) {
    const auto checked = check_session_name(name);
    return checked ? "" : checked.error().message;
  };
  std::string umlauts;
  for (int i = 0; i < 64; ++i) umlauts += "\u00e4";
  for (const std::string& name : {std::string("a"), std::string("1a"), std::string("a b"),
                                  std::string(64, 'x'), umlauts, std::string("a-")}) {
    CAPTURE(name);
    CHECK(refused(name).empty());
  }
  const std::string rule =
      "--session must be a name of at most 64 characters and not a number, not '";
  for (const char* name : {"", "12", "-12", "-a"}) CHECK(refused(name) == rule + name + "'");
  CHECK(refused(std::string(65, 'x')) == rule + std::string(65, 'x') + "'");
  CHECK(refused("a\nb") == rule + "a^Jb'");
  CHECK(refused("a\x1b[2J") == rule + "a^[[2J'");
  CHECK(conversation_label({.id = 12}) == "12");
  CHECK(conversation_label({.id = 12, .name = "a\x1b"}) == "'a^['");
}

TEST_CASE("the next request continues from the last response that the service has") {
  const StateHere state;
  ConversationStage command({"responses", "--session", "s"});
  command->append(saved_turn_of("one"));
  CHECK(command->thread().messages.size() == 2);
  command->append(saved_turn_of("two", 0, "resp_2"));
  CHECK(command->thread().response_id == "resp_2");
  CHECK(command->thread().messages.empty());
  command->append(saved_turn_of("three"));
  CHECK(command->thread().response_id == "resp_2");
  CHECK(command->thread().messages.size() == 2);
  command->set_system("");  // as before
  CHECK(command->thread().response_id == "resp_2");
  command->set_system("Be brief.");
  CHECK(command->thread().response_id.empty());
  CHECK(command->thread().messages.size() == 6);
  CHECK(command->facts().system == "Be brief.");
  ConversationStage again({"responses", "--session", "s"});
  CHECK(again->thread().response_id == "resp_2");
  CHECK(again->remove_last_turn());
  CHECK(again->remove_last_turn());
  CHECK(again->thread().response_id.empty());
  CHECK(kept_in(ConversationStage({"responses", "--session", "s"})->turns()) == "2 ");
  CHECK(again->remove_last_turn());
  CHECK_FALSE(again->remove_last_turn());
}

TEST_CASE("a conversation that starts over keeps its settings and leaves the one before") {
  const StateHere state;
  ConversationStage command({"chat", "--session", "s", "-m", "svc-4.3", "--system", "Be brief."});
  command->append(saved_turn_of("one", 5));
  ConversationStage again({"chat", "--session", "s"});
  const history::Conversation before = again->facts();
  again->start_over();
  CHECK(again->turns().empty());
  CHECK_FALSE(again->earlier());
  const history::Conversation& facts = again->facts();
  CHECK(facts.id == 0);
  CHECK(facts.name.empty());
  CHECK(facts.title.empty());
  CHECK(facts.turns == 0);
  CHECK(facts.operation == before.operation);
  CHECK(facts.profile == before.profile);
  CHECK(facts.model == before.model);
  CHECK(facts.system == "Be brief.");
  CHECK(facts.directory == before.directory);
  CHECK(facts.terminal == before.terminal);
  CHECK(facts.created >= before.created);
  again->append(saved_turn_of("two"));
  CHECK(again->facts().id == 2);
  CHECK(kept_in(ConversationStage({"chat", "--session", "s"})->turns()) == "2 ");
}

TEST_CASE("the other conversations are those of the same command and profile") {
  const StateHere state;
  CHECK(ConversationStage({"chat"})->others().value().empty());
  CHECK(ConversationStage({"chat"})->containing("Oslo").empty());
  ConversationStage one({"chat", "--session", "one"});
  one->append(saved_turn_of("Oslo"));
  one->append(saved_turn_of("Bergen \\u001b[2J", 9));
  ConversationStage two({"chat", "--session", "two"});
  two->append(saved_turn_of("Oslo"));
  ConversationStage({"responses", "--session", "three"})->append(saved_turn_of("Oslo"));
  ConversationStage({"chat", "-p", "work", "--session", "four"}, "[profile.work]\nmodel = \"m\"\n")
      ->append(saved_turn_of("Oslo"));
  ConversationStage here({"chat", "--session", "new"});
  const auto others = here->others();
  REQUIRE(others);
  std::set<std::string> names;
  for (const history::Conversation& other : *others) names.insert(other.name);
  CHECK(names == std::set<std::string>{"one", "two"});
  CHECK(one->others().value().size() == 1);
  CHECK(one->others().value().front().name == "two");
  const auto ids = here->containing("oslo");
  CHECK(std::set<std::int64_t>(ids.begin(), ids.end()) == std::set<std::int64_t>{1, 2, 3, 4});
  CHECK(here->containing("bergen") == std::vector<std::int64_t>{1});
  CHECK(here->excerpt_at(one->facts(), "about BERGEN").starts_with("About Bergen "));
  CHECK(here->excerpt_at(two->facts(), "bergen").empty());
  // Another conversation takes the place of this one only if it may.
  REQUIRE_FALSE(here->resume("three"));
  REQUIRE_FALSE(here->resume("nobody"));
  CHECK(here->facts().name == "new");
  REQUIRE(here->resume("1"));
  CHECK(here->facts().name == "one");
  CHECK(kept_in(here->turns()) == "2 2 ");
  REQUIRE(here->earlier());
  CHECK(here->earlier()->cost_ticks == 9);
}

TEST_CASE("a conversation that cannot be saved goes on, which is told once") {
  const StateHere state;
  std::filesystem::create_directories(state.file("history.db"));
  ConversationStage command({"chat"});
  CHECK(command->is_saved());
  command->append(saved_turn_of("one"));
  CHECK(command.stage().err().starts_with(
      "svc: warning: this conversation continues, but is not saved: "));
  CHECK_FALSE(command->is_saved());
  command->append(saved_turn_of("two"));
  CHECK(command.stage().err().empty());
  CHECK(kept_in(command->turns()) == "2 2 ");
  CHECK(command->remove_last_turn());
  CHECK(command.stage().err().empty());
}

TEST_CASE("of two commands that continue one conversation the second makes a branch") {
  const StateHere state;
  ConversationStage({"chat", "--session", "s"})->append(saved_turn_of("one"));
  ConversationStage left({"chat", "--session", "s"});
  ConversationStage right({"chat", "--session", "s"});
  left->append(saved_turn_of("left"));
  CHECK(left.stage().err().empty());
  right->append(saved_turn_of("right"));
  CHECK(right->facts().id == 2);
  CHECK(right.stage().err() ==
        "svc: warning: another svc process continued this conversation; yours is saved as " +
            conversation_label(right->facts()) + "\n");
  CHECK(kept_in(ConversationStage({"chat", "--session", "2"})->turns()) == "2 2 ");
}

}  // namespace svc::cli
