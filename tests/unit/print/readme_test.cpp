#include "docgen/readme.h"

#include <doctest/doctest.h>

#include "small_catalogue.h"

namespace svc::docgen {

TEST_CASE("the table has a row per operation") {
  CHECK(command_table(test::k_small_catalogue) == R"(| Command | What it does | Request |
|---|---|---|
| `svc things [make] [TEXT]` | Make a thing. | `POST /v1/things` |
| `svc things delete THING_ID --reason TEXT` † | Delete a thing. | `DELETE /v1/things/{thing_id} on the management host` |
| `svc things parts add PATH...` | Add parts. | `POST /v1/parts` |
| `svc lookup SHELL` | Look something up. |  |

† observed, not documented
)");
}

TEST_CASE("bars are escaped, and a table without observed operations has no footnote") {
  constexpr std::array operations = {
      Operation{.group = "a|b", .name = "", .summary = "This | that."}};
  const std::array all = {Group{"a|b", "Bars.", operations}};
  CHECK(
      command_table(all) ==
      "| Command | What it does | Request |\n|---|---|---|\n| `svc a\\|b` | This \\| that. |  |\n");
}

TEST_CASE("the table replaces what stands between the markers") {
  const auto changed = with_command_table(
      "# Title\n<!-- commands:begin -->\nold\nolder\n<!-- commands:end -->\nEnd\n", "new\n");
  REQUIRE(changed);
  CHECK(*changed == "# Title\n<!-- commands:begin -->\nnew\n<!-- commands:end -->\nEnd\n");
  const auto again = with_command_table(*changed, "new\n");
  REQUIRE(again);
  CHECK(*again == *changed);
}

TEST_CASE("missing, doubled or swapped markers are an error") {
  for (const sv readme :
       {sv(""), sv("<!-- commands:begin -->"), sv("<!-- commands:end -->"),
        sv("<!-- commands:end --><!-- commands:begin -->"),
        sv("<!-- commands:begin --><!-- commands:begin --><!-- commands:end -->"),
        sv("<!-- commands:begin --><!-- commands:end --><!-- commands:end -->")}) {
    const auto changed = with_command_table(readme, "new\n");
    REQUIRE_FALSE(changed);
    CHECK(changed.error().fault == Fault::Local);
    CHECK(changed.error().message ==
          "README.md lacks the lines <!-- commands:begin --> and <!-- commands:end -->, once each "
          "and in this order");
  }
}

}  // namespace svc::docgen
