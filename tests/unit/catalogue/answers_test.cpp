#include <algorithm>
#include <set>

#include <doctest/doctest.h>

#include "catalogue/answer_builders.h"
#include "catalogue/catalogue.h"
#include "catalogue/check.h"
#include "catalogue/members.h"

namespace svc {
namespace {

namespace rows = catalogue::answer;

constexpr std::array k_usage_members = {rows::count("total_tokens"),
                                        rows::ticks("cost_in_usd_ticks", rows::label("Cost"))};
constexpr Shape k_usage{"Usage", k_usage_members};
constexpr std::array k_call_members = {rows::text("name")};
constexpr std::array k_text_members = {rows::text("text", "What the model says.")};
constexpr std::array k_item_variants = {rows::variant("call", k_call_members),
                                        rows::variant("message", k_text_members)};
constexpr std::array k_item_members = {rows::text("id")};
constexpr Shape k_item{"Item", k_item_members, "type", k_item_variants};
constexpr std::array k_answer = {
    rows::text("id", rows::required), rows::list("output[]", k_item, rows::details),
    rows::object("usage", k_usage), rows::members_of(k_usage, rows::hidden("A test hides it."))};

std::vector<std::string> paths(std::span<const Member> members, sv below = {}) {
  std::vector<std::string> all;
  for (const OpenMember& one : open_members(members, below)) all.push_back(one.path);
  return all;
}

}  // namespace

TEST_CASE("shapes are opened in place, with the members of each variant") {
  CHECK(paths(k_answer) == std::vector<std::string>{"id", "output[]", "output[].id",
                                                    "output[].name", "output[].text", "usage",
                                                    "usage.total_tokens", "usage.cost_in_usd_ticks",
                                                    "total_tokens", "cost_in_usd_ticks"});
  CHECK(paths(k_answer, "output[]") == std::vector<std::string>{"id", "name", "text"});
  CHECK(paths(k_answer, "usage") == std::vector<std::string>{"total_tokens", "cost_in_usd_ticks"});
  CHECK(paths(k_answer, "us").empty());
}

TEST_CASE("a member is not more visible than the shape around it") {
  const auto all = open_members(k_answer);
  CHECK(all[0].show == Show::Always);
  CHECK(all[2].show == Show::Details);
  CHECK(all[6].show == Show::Always);
  CHECK(all[8].show == Show::Never);
}

TEST_CASE("labels follow from names") {
  CHECK(label_of(rows::text("created_at")) == "Created at");
  CHECK(label_of(rows::text("choices[].finishReason")) == "Finish reason");
  CHECK(label_of(rows::text("tags[]")) == "Tags");
  CHECK(label_of(rows::text("file_id")) == "File ID");
  CHECK(label_of(rows::text("public_url")) == "Public URL");
  CHECK(label_of(rows::text("idle")) == "Idle");
  CHECK(label_of(rows::view("Kind", "a.b|c")) == "Kind");
}

TEST_CASE("abbreviations are in capitals where they are whole words") {
  for (const auto& [path, label] : {std::pair("id", "ID"),
                                    {"callIds", "Call ids"},
                                    {"mcpUrl", "MCP URL"},
                                    {"api_key", "API key"},
                                    {"acl", "ACL"},
                                    {"pdf-csv-sip", "PDF CSV SIP"},
                                    {"identity", "Identity"},
                                    {"a.9b", "9b"},
                                    {"(number).sip_id", "SIP ID"},
                                    {"a.b|c.d", "B"},
                                    {"x[].y[]", "Y"}}) {
    CHECK(label_of(rows::text(path)) == label);
  }
  CHECK(label_of(rows::text("id", rows::label("Number"))) == "Number");
}

TEST_CASE("paths without parentheses, and below a list") {
  CHECK(plain_path("(number).id") == "number.id");
  CHECK(plain_path("a.b") == "a.b");
  CHECK(path_below("output[].id", "output[].") == "id");
  CHECK(path_below("id", "output[].") == "id");
  CHECK(path_below("output[].a|b|output[].c", "output[].") == "a|b|c");
  CHECK(path_below("", "a.").empty());
}

TEST_CASE("every operation of the service has rows for its answer") {
  for (const Group& group : groups()) {
    for (const Operation& operation : group.operations) {
      if (operation.host == Host::Local || group.name == "emulator") continue;
      CAPTURE(command_name(operation));
      if (operation.reply == Reply::Socket || operation.streams) CHECK(!operation.events.empty());
      if (operation.reply != Reply::Json || !operation.tool.empty()) continue;
      CHECK(!operation.answer.empty());
      if (operation.items.empty()) continue;
      const std::string items(operation.items.substr(0, operation.items.find('|')));
      CHECK_MESSAGE(!open_members(operation.answer, items + "[]").empty(), "of the list ", items);
    }
  }
}

TEST_CASE("text hides one row in seven at most, in favour of a view or because it says nothing") {
  std::set<const Member*> all;
  std::set<const Member*> hidden;
  for (const Group& group : groups()) {
    for (const Operation& operation : group.operations) {
      for (const OpenMember& one : open_members(operation.answer)) {
        if (one.member->view || one.member->shape != nullptr) continue;
        all.insert(one.member);
        if (one.member->show == Show::Never) hidden.insert(one.member);
      }
    }
  }
  CHECK(all.size() > 500);
  CHECK_MESSAGE(hidden.size() * 7 <= all.size(), hidden.size(), " of ", all.size());
}

}  // namespace svc
