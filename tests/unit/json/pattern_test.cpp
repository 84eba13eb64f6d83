// Regular expressions: what they find, and what their groups found.
#include "json/pattern.h"

#include <doctest/doctest.h>

namespace svc {
namespace {

/// "[all][group]…", "no", or "slow".
std::string match_of(std::string_view expression, std::string_view text) {
  const auto pattern = Pattern::compile(expression);
  REQUIRE_MESSAGE(pattern, expression);
  std::vector<std::string> groups;
  const auto match = pattern->find_in(text, &groups);
  CHECK(pattern->find_in(text) == match);
  if (match != Pattern::Match::Yes) {
    CHECK(groups.empty());
    return match == Pattern::Match::No ? "no" : "slow";
  }
  std::string all;
  for (const std::string& group : groups) all += "[" + group + "]";
  return all;
}

}  // namespace

TEST_CASE("a pattern gives the first match and its groups, those that took no part empty") {
  CHECK(match_of("b+", "abbcb") == "[bb]");
  CHECK(match_of("(a)|(b)", "xb") == "[b][][b]");
  CHECK(match_of("(a)(b)?(c*)", "xab") == "[ab][a][b][]");
  CHECK(match_of("(a)(b)?(c*)", "acc") == "[acc][a][][cc]");
  CHECK(match_of("ä(.)", "xäöü") == "[äö][ö]");
  CHECK(match_of("", "a") == "[]");
  CHECK(match_of("a", "") == "no");
  CHECK(match_of("^b", "ab\nb") == "no");
  CHECK(match_of("b$", "b\na") == "no");
  CHECK(match_of("^\\d$", "٣") == "no");
  CHECK(match_of("^\\w$", "é") == "no");
  CHECK(match_of("^(a+)+$", std::string(40, 'a') + "b") == "slow");
}

TEST_CASE("a pattern that is none is refused in a few words, without its control characters") {
  for (const auto& [text, why] : {std::pair("(", "end pattern with unmatched parenthesis"),
                                  {"[a", "premature end of char-class"},
                                  {"*", "target of repeat operator is not specified"}}) {
    CAPTURE(std::string(text));
    const auto pattern = Pattern::compile(text);
    REQUIRE_FALSE(pattern);
    CHECK(pattern.error().fault == Fault::Usage);
    CHECK(pattern.error().message == why);
  }
}

}  // namespace svc
