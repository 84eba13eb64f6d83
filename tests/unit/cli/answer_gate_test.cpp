// Which keys answer a question: never text that someone types while it appears.
#include <algorithm>
#include <random>
#include <string>
#include <utility>

#include <doctest/doctest.h>

#include "support/pty.h"
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
  CHECK(answer("NO") == 'n');
  CHECK(answer("e too late") == '?');  // a reason ends with Enter
  CHECK(answer("y because\r") == '?');
  CHECK(answer("\rx") == '?');
  CHECK(answer("\x1b\r") == '-');
  CHECK(answer("\x02") == '?');
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

TEST_CASE("an answer may be typed slowly, has a reason, and is one of the choices") {
  Typist slow("ynae");
  CHECK_FALSE(slow.type("y", milliseconds(600)));
  CHECK_FALSE(slow.type("es", milliseconds(100)));
  const auto yes = slow.wait(milliseconds(500));
  REQUIRE(yes);
  CHECK(yes->key == 'y');
  CHECK(yes->rest.empty());
  for (const char* line : {"e  too late \r", "E too late\n"}) {
    Typist typist("ynae");
    const auto reason = typist.type(line, milliseconds(600));  // at once, as a line is whole
    REQUIRE(reason);
    CHECK(reason->key == 'e');
    CHECK(reason->rest == "too late");
  }
  const auto of = [](std::string choices, std::string_view keys) -> char {
    Typist typist(std::move(choices));
    auto choice = typist.type(keys, milliseconds(600));
    if (!choice) choice = typist.wait(milliseconds(600));
    return choice ? choice->key : '?';
  };
  CHECK(of("yn", "a") == '?');
  CHECK(of("yn", "always\r") == '?');
  CHECK(of("yn", "e no\r") == '?');
  CHECK(of("ynae ", "\r") == ' ');
  CHECK(of("ynae ", " ") == ' ');
  CHECK(of("ynae", " ") == '?');
  CHECK(of("ynae ", "y") == 'y');
}

TEST_CASE("a terminal without a size has 80 columns and 24 lines") {
  const auto size_of = [](int columns, int rows) {
    const auto pty = test::Pty::open(columns, rows);
    const TerminalSize size = RawTerminal(pty->slave()).size();
    return std::pair(size.columns, size.lines);
  };
  CHECK(size_of(0, 0) == std::pair<std::size_t, std::size_t>(80, 24));
  CHECK(size_of(33, 0) == std::pair<std::size_t, std::size_t>(33, 24));
  CHECK(size_of(0, 7) == std::pair<std::size_t, std::size_t>(80, 7));
  CHECK(size_of(1, 1) == std::pair<std::size_t, std::size_t>(1, 1));
  CHECK(RawTerminal(-1).size().columns == 80);
  CHECK_FALSE(RawTerminal(-1).enter());
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
