#include <doctest/doctest.h>

#include "client/toml.h"

using namespace svc;

namespace {

const TablePath k_work{"profile", "work"};

std::string set(std::string_view text, std::string_view name, const std::string& value) {
  return edit_toml_value(text, k_work, name, toml_quote(value));
}

std::string unset(std::string_view text, std::string_view name) {
  return edit_toml_value(text, k_work, name, std::nullopt);
}

}  // namespace

TEST_CASE("a value is added to an empty file with its table") {
  CHECK(set("", "model", "m1") == "[profile.work]\nmodel = \"m1\"\n");
}

TEST_CASE("a value is replaced in place, keeping its comment and spacing") {
  const std::string before =
      "# mine\n\n[profile.work]  # office\n  model   =  \"old\"   # cheap\nvoice = 'eve'\n";
  CHECK(set(before, "model", "new") ==
        "# mine\n\n[profile.work]  # office\n  model   =  \"new\"   # cheap\nvoice = 'eve'\n");
}

TEST_CASE("a new value goes to the end of its table, before the next one") {
  const std::string before =
      "[profile.work]\nmodel = \"m\"\n\n# home\n[profile.home]\nmodel = 'h'\n";
  CHECK(set(before, "voice", "eve") ==
        "[profile.work]\nmodel = \"m\"\nvoice = \"eve\"\n\n# home\n[profile.home]\nmodel = 'h'\n");
}

TEST_CASE("another table is added at the end, with or without a final newline") {
  CHECK(set("[profile.home]\nmodel = 'h'", "model", "m") ==
        "[profile.home]\nmodel = 'h'\n\n[profile.work]\nmodel = \"m\"\n");
  CHECK(set("[profile.work]", "model", "m") == "[profile.work]\nmodel = \"m\"\n");
}

TEST_CASE("the same name in another table is unchanged") {
  const std::string before = "[profile.home]\nmodel = 'h'\n[profile.work]\nmodel = 'w'\n";
  CHECK(set(before, "model", "x") ==
        "[profile.home]\nmodel = 'h'\n[profile.work]\nmodel = \"x\"\n");
  CHECK(unset(before, "model") == "[profile.home]\nmodel = 'h'\n[profile.work]\n");
}

TEST_CASE("headers are recognised in any spacing and quoting") {
  CHECK(set("[ profile . \"work\" ]\nmodel='w'\n", "model", "x") ==
        "[ profile . \"work\" ]\nmodel=\"x\"\n");
  CHECK(set("[profile.'work']\n\"model\" = 'w'\n", "model", "x") ==
        "[profile.'work']\n\"model\" = \"x\"\n");
}

TEST_CASE("text in a string or array is not taken for a header or value") {
  const std::string before =
      "[profile.home]\nkey_command = \"\"\"\n[profile.work]\nmodel = 'no'\n\"\"\"\n"
      "list = [\n  \"[profile.work]\", # ]\n  'model = 1',\n]\n[profile.work]\nmodel = 'yes'\n";
  const std::string after = set(before, "model", "new");
  CHECK(after == before.substr(0, before.size() - 6) + "\"new\"\n");
}

TEST_CASE("quotes and hashes inside a value do not end it") {
  const std::string before =
      "[profile.work]\nkey_command = \"echo \\\"a#b\\\" # no\" # yes\nvoice = '#'#x\n";
  CHECK(set(before, "key_command", "pass") ==
        "[profile.work]\nkey_command = \"pass\" # yes\nvoice = '#'#x\n");
  CHECK(set(before, "voice", "eve") ==
        "[profile.work]\nkey_command = \"echo \\\"a#b\\\" # no\" # yes\nvoice = \"eve\"#x\n");
}

TEST_CASE("a multi-line value is removed completely") {
  const std::string before =
      "[profile.work]\nkey_command = '''\none\n'''  # c\nmodel = 'm'\n\"\"\"\"\" = 1\n";
  CHECK(unset(before, "key_command") == "[profile.work]\nmodel = 'm'\n\"\"\"\"\" = 1\n");
}

TEST_CASE("the file's line ends are kept, and a byte order mark stays first") {
  CHECK(set("[profile.work]\r\nmodel = 'm'\r\n", "voice", "eve") ==
        "[profile.work]\r\nmodel = 'm'\r\nvoice = \"eve\"\r\n");
  CHECK(set("[profile.work]\r\nmodel = 'm' \r\n", "model", "x") ==
        "[profile.work]\r\nmodel = \"x\" \r\n");
  CHECK(edit_toml_value("\xEF\xBB\xBF[profile.work]\n", {}, "default_profile", "\"work\"") ==
        "\xEF\xBB\xBF"
        "default_profile = \"work\"\n[profile.work]\n");
}

TEST_CASE("a top-level name is before the first table") {
  CHECK(edit_toml_value("[profile.work]\nmodel = 'm'\n", {}, "default_profile", "\"work\"") ==
        "default_profile = \"work\"\n[profile.work]\nmodel = 'm'\n");
  CHECK(edit_toml_value("# c\ndefault_profile='a' # d\n[profile.work]\n", {}, "default_profile",
                        "\"b\"") == "# c\ndefault_profile=\"b\" # d\n[profile.work]\n");
}

TEST_CASE("removing a missing value changes nothing") {
  const std::string text = "[profile.work]\nmodel = 'm'\n";
  CHECK(unset(text, "voice") == text);
  CHECK(unset("", "voice").empty());
}

TEST_CASE("a table is added once") {
  const std::string once = add_toml_table("a = 1\n", k_work);
  CHECK(once == "a = 1\n\n[profile.work]\n");
  CHECK(add_toml_table(once, k_work) == once);
}

TEST_CASE("a table's text is read, replaced, removed or added as a whole") {
  const std::string text = "a = 1\n[profile.work]\n# c\nmodel = 'm'\n\n[profile.home]\nb = 2\n";
  CHECK(toml_table_body(text, k_work) == "# c\nmodel = 'm'\n\n");
  CHECK(toml_table_body(text, {"profile", "home"}) == "b = 2\n");
  CHECK(toml_table_body(text, {"profile", "none"}).empty());
  CHECK(toml_table_body(text, {}) == "a = 1\n");
  CHECK(replace_toml_table(text, k_work, "x = 1") ==
        "a = 1\n[profile.work]\nx = 1\n\n[profile.home]\nb = 2\n");
  CHECK(replace_toml_table(text, {"profile", "home"}, "x = 1") ==
        "a = 1\n[profile.work]\n# c\nmodel = 'm'\n\n[profile.home]\nx = 1\n");
  CHECK(replace_toml_table(text, k_work, "") == "a = 1\n[profile.home]\nb = 2\n");
  CHECK(replace_toml_table(text, {"profile", "a b"}, "x = 1") ==
        text + "\n[profile.\"a b\"]\nx = 1\n");
  CHECK(replace_toml_table(text, {"profile", "none"}, "") == text);
}

TEST_CASE("TOML strings escape characters that would end or break them") {
  CHECK(toml_quote("a\"b\\c\n\x7F") == "\"a\\\"b\\\\c\\u000A\\u007F\"");
  CHECK(toml_quote("grün") == "\"grün\"");
}
