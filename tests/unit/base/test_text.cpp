#include <array>
#include <cstdio>
#include <set>
#include <string>

#include <doctest/doctest.h>

#include "base/text.h"

namespace svc {
namespace {

TEST_CASE("splitting, trimming, joining") {
  CHECK(split("a,b,,c", ',') == std::vector<sv>{"a", "b", "", "c"});
  CHECK(split("", ',') == std::vector<sv>{""});
  CHECK(split(",", ',') == std::vector<sv>{"", ""});
  CHECK(trim("  \t a b \r\n") == "a b");
  CHECK(trim(" \n ").empty());
  CHECK(trim("").empty());
  const std::array<sv, 3> parts{"x", "", "z"};
  CHECK(join(parts, ", ") == "x, , z");
  CHECK(join(std::vector<sv>(), ", ").empty());
  CHECK(join(std::vector<std::string>{"a", "b"}, ", ") == "a, b");
}

TEST_CASE("case-insensitive comparison, ASCII only") {
  CHECK(to_lower("AbC-Ä") == "abc-Ä");
  CHECK(equals_ignore_case("Content-Type", "content-TYPE"));
  CHECK_FALSE(equals_ignore_case("a", "ab"));
  CHECK(to_lower("@[AZ") == "@[az");
  CHECK(to_upper("`{az-äÄ") == "`{AZ-äÄ");
  CHECK_FALSE(equals_ignore_case("[", "{"));  // 32 apart, but not letters
  CHECK(contains_ignore_case("Incorrect API Key", "api key"));
  CHECK(contains_ignore_case("abc", ""));
  CHECK(contains_ignore_case("", ""));
  CHECK_FALSE(contains_ignore_case("ab", "abc"));
}

TEST_CASE("replacing") {
  CHECK(replace_all("aXbXX", "X", "--") == "a--b----");
  CHECK(replace_all("aaa", "aa", "b") == "ba");
  CHECK(replace_all("abc", "", "x") == "abc");
  CHECK(replace_all("x", "x", "xx") == "xx");
  CHECK(replace_all("", "x", "y").empty());
  CHECK(repeat("ab", 3) == "ababab");
  CHECK(repeat("ab", 0).empty());
  CHECK(did_you_mean("x", "no") == "Did you mean 'x'?");
  CHECK(did_you_mean("", "no") == "no");
}

TEST_CASE("the closest name") {
  const std::array<sv, 7> names{"model", "max-tokens", "max-completion-tokens", "temperature",
                                "top-p", "stream",     "stream-options"};
  CHECK(nearest("modle", names) == "model");
  CHECK(nearest("mdel", names) == "model");
  CHECK(nearest("moddel", names) == "model");
  CHECK(nearest("MODEL", names) == "model");
  CHECK(nearest("temprature", names) == "temperature");
  CHECK(nearest("tempreature", names) == "temperature");
  CHECK(nearest("temp", names) == "temperature");
  CHECK(nearest("max-comp", names) == "max-completion-tokens");
  CHECK(nearest("stream", names) == "stream");
  CHECK(nearest("max_tokens", names) == "max-tokens");
  CHECK(nearest("xyzzy", names).empty());
  CHECK(nearest("", names).empty());
  CHECK(nearest("x", std::array<sv, 2>{"y", "z"}).empty());
  CHECK(nearest("model", std::vector<sv>()).empty());
  CHECK(nearest("modl", std::vector<std::string>{"voice", "model"}) == "model");
  CHECK(nearest(std::string(200'000, 'a'), names).empty());
  // Three letters are enough for a completion, if it is the only one.
  CHECK(nearest("tem", names) == "temperature");
  CHECK(nearest("te", names).empty());
  CHECK(nearest("lis", std::array<sv, 2>{"listener", "listener"}) == "listener");
  // A third of the letters may be wrong, and no word of more than 100 is one.
  CHECK(nearest("abcdxx", std::array<sv, 1>{"abcdef"}) == "abcdef");
  CHECK(nearest("abcxxx", std::array<sv, 1>{"abcdef"}).empty());
  CHECK(nearest("abcxx", std::array<sv, 1>{"abcde"}).empty());
  const std::string long_word(99, 'a');
  CHECK(nearest(long_word + "b", std::vector<std::string>{long_word}) == long_word);
  CHECK(nearest(long_word + "bb", std::vector<std::string>{long_word}).empty());
  // Ties go to the first; two possible completions are not a completion.
  CHECK(nearest("cat", std::array<sv, 2>{"bat", "rat"}) == "bat");
  CHECK(nearest("lis", std::array<sv, 3>{"listen", "listing", "lit"}) == "lit");
}

TEST_CASE("field paths in kebab case") {
  CHECK(kebab_case("max_completion_tokens") == "max-completion-tokens");
  CHECK(kebab_case("reasoning.effort") == "reasoning-effort");
  CHECK(kebab_case("expireTime") == "expire-time");
  CHECK(kebab_case("expires_after[anchor]") == "expires-after-anchor");
  CHECK(kebab_case("teamID") == "team-id");
  CHECK(kebab_case("HTTPServer") == "http-server");
  CHECK(kebab_case("apiKeyId") == "api-key-id");
  CHECK(kebab_case("text.format.jsonSchema") == "text-format-json-schema");
  CHECK(kebab_case("top_p") == "top-p");
  CHECK(kebab_case("voice2Name") == "voice2-name");
  CHECK(kebab_case("already-kebab") == "already-kebab");
  CHECK(kebab_case("_a__b_") == "a-b");
  CHECK(kebab_case("").empty());
  CHECK(kebab_case("sip_auth.auth_username") == "sip-auth-username");
  CHECK(kebab_case("invoiceIds.invoiceIds") == "invoice-ids");
  CHECK(kebab_case("a_b_c.b_c_d") == "a-b-c-d");
  CHECK(kebab_case("author.auth_name") == "author-auth-name");
  CHECK(kebab_case("x.x.x") == "x");
}

TEST_CASE("a word is found between what no word contains") {
  for (const sv text :
       {"ab", "ab c", "c ab", "(ab)", "-ab-", "xab ab", "abab ab", "ä ab.", "\nab"}) {
    CAPTURE(text);
    CHECK(contains_word(text, "ab"));
  }
  for (const sv text : {"", "a", "aab", "abb", "ab1", "1ab", "ab_", "_ab", "abab", "AB", "Zab",
                        "abZ", "xab, abx"}) {
    CAPTURE(text);
    CHECK_FALSE(contains_word(text, "ab"));
  }
  CHECK_FALSE(contains_word("ab", ""));
  CHECK_FALSE(contains_word("", ""));
}

TEST_CASE("what a shell takes as it is") {
  for (const char* word :
       {"a", "Z", "0", "9", "a_b", "a@b", "50%", "+1", "a:b", "a,b", "./a-b.c"}) {
    CHECK(shell_quote(word) == word);
  }
  for (const char* word :
       {" ", "a b", "~", "#", "=", "a;b", "*", "\xC3\xA4", "[", "`", "{", "\n"}) {
    CHECK(shell_quote(word) == "'" + std::string(word) + "'");
  }
}

std::string through_shell(const std::string& word) {
  const std::string command = "printf %s " + shell_quote(word);
  FILE* pipe = ::popen(command.c_str(), "r");  // NOLINT: quoting for a shell needs a shell
  REQUIRE(pipe != nullptr);
  std::string out;
  for (int c = std::fgetc(pipe); c != EOF; c = std::fgetc(pipe)) out += static_cast<char>(c);
  CHECK(::pclose(pipe) == 0);
  return out;
}

TEST_CASE("a quoted word passes through a real shell unchanged") {
  for (const std::string word :
       {"", "plain", "two words", "it's", "$HOME `id` $(id)", "a\nb", "\"q\"", "\\", "*?[]{}", "~",
        "a=b", "#x", "!x", "x;y|z&", "\x1b[2J", "ü'ü", "'''", "<>()"}) {
    CHECK(through_shell(word) == word);
  }
  CHECK(shell_quote("https://host/v1/chat") == "https://host/v1/chat");
  CHECK(shell_quote("") == "''");
  CHECK(shown_word("a b'c") == R"('a b'\''c')");
  CHECK(shown_word(std::string(1000, 'a')) == std::string(1000, 'a'));
  CHECK(shown_word("a\x1b[1m\n") == "'a^[[1m^J'");
  CHECK(shell_quote("a=b") == "'a=b'");  // at the start it would be an assignment
}

TEST_CASE("random UUIDs are well-formed and differ") {
  std::set<std::string> seen;
  for (int i = 0; i < 1000; ++i) {
    const std::string uuid = random_uuid();
    REQUIRE(uuid.size() == 36);
    for (std::size_t at = 0; at < uuid.size(); ++at) {
      const bool dash = at == 8 || at == 13 || at == 18 || at == 23;
      CHECK((dash ? uuid[at] == '-' : sv("0123456789abcdef").find(uuid[at]) != sv::npos));
    }
    CHECK(uuid[14] == '4');
    CHECK(sv("89ab").find(uuid[19]) != sv::npos);
    seen.insert(uuid);
  }
  CHECK(seen.size() == 1000);
}

TEST_CASE("a text that grows by small pieces is seldom copied") {
  std::string text;
  int copies = 0;
  for (int i = 0; i < 100'000; ++i) {
    const char* before = text.data();
    make_room(text, 10);
    REQUIRE(text.capacity() - text.size() >= 10);
    copies += text.data() != before ? 1 : 0;
    text += "0123456789";
  }
  CHECK(copies < 30);
  CHECK(text.size() == 1'000'000);
}

}  // namespace
}  // namespace svc
