// Which keys answer a question: never text that someone types while it appears.
#include <algorithm>
#include <random>
#include <string>

#include <doctest/doctest.h>

#include "terminal/editor/raw_terminal.h"

namespace svc::cli {
namespace {

using std::chrono::milliseconds;

/// Types one key after another; returns the answer. `gaps` are the times before each key.
class Typist {
 public:
  explicit Typist(std::string choices) : m_gate(std::move(choices), m_now) {}

  std::optional<KeyChoice> type(std::string_view keys, milliseconds gap) {
    const AnswerGate::Time at = m_now + gap;
    if (auto choice = pass(at)) return choice;
    m_now = at;
    return m_gate.type(keys, m_now);
  }
  std::optional<KeyChoice> wait(milliseconds time) { return pass(m_now + time); }
  std::string ahead() { return m_gate.take_ahead(); }

 private:
  std::optional<KeyChoice> pass(AnswerGate::Time until) {
    const auto deadline = m_gate.deadline();
    if (!deadline || *deadline > until) return std::nullopt;
    return m_gate.silence();
  }

  AnswerGate::Time m_now{};
  AnswerGate m_gate;
};

}  // namespace

TEST_CASE("a key answers a question after a silence, and alone") {
  Typist typist("ynae");
  CHECK_FALSE(typist.type("y", milliseconds(499)));
  CHECK_FALSE(typist.wait(milliseconds(5000)));
  CHECK(typist.ahead() == "y");
  CHECK_FALSE(typist.type("y", milliseconds(500)));
  const auto choice = typist.wait(milliseconds(500));
  REQUIRE(choice);
  CHECK(choice->key == 'y');
  CHECK(typist.ahead().empty());
}

TEST_CASE("a word or a line answers as well, other text does not") {
  const auto answer = [](std::string_view keys) -> char {
    Typist typist("ynae");
    auto choice = typist.type(keys, milliseconds(600));
    if (!choice) choice = typist.wait(milliseconds(600));
    return choice ? (choice->key == '\0' ? '-' : choice->key) : '?';
  };
  CHECK(answer("yes\r") == 'y');
  CHECK(answer("Always") == 'a');
  CHECK(answer("e too late\r") == 'e');
  CHECK(answer("\r") == '-');
  CHECK(answer("\x1b") == '-');
  CHECK(answer("\x04") == '-');
  CHECK(answer("y be") == '?');
  CHECK(answer("yesterday") == '?');
  CHECK(answer("always the same\r") == '?');
  CHECK(answer("x") == '?');
  CHECK(answer("\x1b[200~y\x1b[201~") == '?');
  CHECK(answer("\x1b[A") == '?');
}

TEST_CASE("typing into a question never consents") {
  const auto seed = std::random_device()();
  CAPTURE(seed);
  std::mt19937 random(seed);
  constexpr std::string_view k_texts[] = {
      "and maybe say why", "yes but only the first one",  "always use metric units", "y\by y a",
      "año nuevo, ya",     "no, wait: a list and another"};
  struct Question {
    std::string_view kind;
    std::string_view choices;
  };
  constexpr Question k_questions[] = {{"tool call", "ynae"},
                                      {"tool call with several pages", "ynae "},
                                      {"tool of an MCP server", "ynae"},
                                      {"tool call by voice", "yna"},
                                      {"deletion of one or many", "yn"},
                                      {"deletion from the history", "yn"},
                                      {"payment", "yn"},
                                      {"a lone word: a file to read", "yn"},
                                      {"a lone word: text to send", "yn"},
                                      {"output of a shell command", "yn"}};
  constexpr std::size_t k_tries = 1000;
  for (std::size_t round = 0; round < k_tries * std::size(k_questions); ++round) {
    const std::string_view text = k_texts[random() % std::size(k_texts)];
    const Question& question = k_questions[round % std::size(k_questions)];
    CAPTURE(question.kind);
    Typist typist{std::string(question.choices)};
    std::string ahead;
    // The question appears somewhere within the text.
    const std::size_t begin = random() % (text.size() - 4);
    CAPTURE(text.substr(begin));
    for (std::size_t at = begin; at < text.size();) {
      const std::size_t size = std::min<std::size_t>(1 + random() % 2, text.size() - at);
      const auto choice =
          typist.type(text.substr(at, size), milliseconds(random() % (at == begin ? 3000 : 499)));
      REQUIRE_FALSE(choice);
      ahead += typist.ahead();
      at += size;
    }
    REQUIRE_FALSE(typist.wait(milliseconds(5000)));
    ahead += typist.ahead();
    CHECK(ahead == text.substr(begin));
  }
}

}  // namespace svc::cli
