#include "docgen/man.h"

#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <fstream>

#include <doctest/doctest.h>
#include <unistd.h>

#include "catalogue/global_flags.h"
#include "client/config_file.h"
#include "docgen/roff.h"
#include "docgen/topics.h"
#include "small_catalogue.h"

namespace svc::docgen {

TEST_CASE("roff text prints unchanged") {
  CHECK(roff_text("plain") == "plain");
  CHECK(roff_text("--max-tokens") == "\\-\\-max\\-tokens");
  CHECK(roff_text(".hidden") == "\\&.hidden");
  CHECK(roff_text("a.b") == "a.b");
  CHECK(roff_text("\\@ 'x' \"y\" `z` ^ ~") ==
        "\\e@ \\(aqx\\(aq \\(dqy\\(dq \\(gaz\\(ga \\(ha \\(ti");
  CHECK(roff_text("'start") == "\\(aqstart");
  CHECK(roff_text("§ … 😀") == "\\[u00A7] \\[u2026] \\[u1F600]");
}

TEST_CASE("a group's page") {
  const Group group{"things", "Work with things.", std::span(test::k_things).first(2)};
  CHECK(group_man(group, "1.2.3") ==
        R"(.\" Generated from the catalogue by svc-regen; edit lib/catalogue instead.
.TH "SVC\-THINGS" 1 "2026-11-21" "svc 1.2.3" "User Commands"
.ad l
.nh
.SH "NAME"
svc\-things \- work with things
.SH "SYNOPSIS"
.RS 4
.nf
svc things [make] [TEXT] [flags]
.fi
.RE
.PP
.RS 4
.nf
svc things delete THING_ID \-\-reason TEXT [flags]
.fi
.RE
.SH "DESCRIPTION"
Work with things.
.SH "COMMANDS"
.SS "svc things [make] [TEXT] [flags]"
Make a thing.
.PP
Request: POST /v1/things
.TP
\fBTEXT\fR
What to make. (@FILE reads a file; or \-\-text)
.TP
\fB\-\-count\fR \fIN\fR
How many. (1 to 4 things; default: 1)
.TP
\fB\-\-[no\-]store\fR
Keep it.
.TP
\fB\-\-tier\fR \fIslow|fast\fR
How fast.
.TP
\fB\-\-shape\fR \fITEXT\fR
Its shape. (one of circle, square, triangle, hexagon, octagon, star)
.TP
\fB\-\-mood\fR \fITEXT\fR
Its mood. (such as calm, wild; at most 64 characters)
.TP
\fB\-\-tools\fR \fIJSON|@FILE\fR
Its tools. (may be repeated, at most 3 times)
.TP
\fB\-\-image\fR \fIFILE|URL|ID\fR
A picture.
.TP
\fB\-\-old\-count\fR \fIN\fR
[deprecated] The old name of \-\-count. (0 or more)
.TP
\fB\-\-extra\fR \fITEXT\fR
[ignored by the service] Nothing.
.TP
\fB\-\-magic\fR \fITEXT\fR
[unsupported by the service] Magic.
.PP
\-\-tier cannot be combined with \-\-shape. A shape has its own speed.
.SS "svc things delete THING_ID \-\-reason TEXT [flags]"
Delete a thing. \[u2020]
.PP
A deleted thing is gone. On a terminal svc asks for confirmation; elsewhere
\-\-yes is required.
.PP
Request: DELETE /v1/things/{thing_id} on the management host
.TP
\fBTHING_ID\fR
The id of the thing. (or \-\-thing\-id)
.TP
\fB\-\-reason\fR \fITEXT\fR
Why it\(aqs gone. (required)
.SH "EXAMPLES"
Makes a thing quickly.
.PP
.RS 4
.nf
svc things \(aqA thing\(aq \-\-tier fast
.fi
.RE
.PP
Deletes a thing.
.PP
.RS 4
.nf
svc things delete t1 \-\-reason old
.fi
.RE
.SH "EXIT STATUS"
0 on success, otherwise an exit code listed in svc(1).
.SH "SEE ALSO"
svc(1) for global flags, the mark \[u2020], input and output, environment
variables and files.
)");
}

TEST_CASE("rules with one reason are one sentence") {
  constexpr std::array k_rules = {
      Rule{RuleKind::Requires, "count", "tools", "They are counted."},
      Rule{RuleKind::Requires, "mood", "tools", "They are counted."},
      Rule{RuleKind::Requires, "image", "text", "A picture has a title."},
      Rule{RuleKind::Ordered, "old-count", "count", "It was less."},
      Rule{RuleKind::Excludes, "extra", "magic", "Both do nothing."},
      Rule{RuleKind::Excludes, "extra", "shape", "Both do nothing."},
      Rule{RuleKind::Warns, "magic", "mood", "It is not said."},
      Rule{RuleKind::Either, "text", "image", "A thing needs one."}};
  std::array<Operation, 1> made = {test::k_things[0]};
  made[0].rules = k_rules;
  const std::string page = group_man({"things", "Work with things.", made}, "1.2.3");
  const auto says = [&](sv text) { return page.find(roff_text(text)) != std::string::npos; };
  CHECK(says("--count and --mood require --tools. They are counted.\n"));
  CHECK(says("--image requires --text. A picture has a title.\n"));
  CHECK(says("--old-count must not be after --count. It was less.\n"));
  CHECK(says("--extra cannot be combined with --magic or --shape. Both do nothing.\n"));
  CHECK(says("--text or --image is required. A thing needs one.\n"));
  CHECK_FALSE(says("It is not said."));
}

TEST_CASE("svc(1) has every group, global flag, exit code and variable") {
  const std::string page = overview_man(groups(), "1.2.3");
  for (const Group& group : groups()) {
    CHECK(page.find("\\fBsvc\\-" + roff_text(group.name) + "(1)\\fR\n") != std::string::npos);
    CHECK(man_file_name(group) == "svc-" + std::string(group.name) + ".1");
  }
  for (const GlobalFlag& flag : k_global_flags) {
    CHECK(page.find("\\-\\-" + roff_text(flag.name) + "\\fR") != std::string::npos);
  }
  for (const char* code :
       {"0", "1", "2", "3", "4", "5", "6", "7", "8", "9", "10", "11", "130", "141", "143"}) {
    CHECK(page.find(std::string(".TP\n\\fB") + code + "\\fR\n") != std::string::npos);
  }
  for (const char* name : {"SVC_API_KEY", "SVC_BASE_URL", "SVC_PROFILE", "NO_COLOR", "base_url",
                           "key_command", "$XDG_CONFIG_HOME/svc/config.toml"}) {
    CHECK(page.find(name) != std::string::npos);
  }
  for (const char* title : {"NAME", "SYNOPSIS", "DESCRIPTION", "EXIT STATUS", "ENVIRONMENT",
                            "CONFIGURATION", "FILES", "SEE ALSO"}) {
    CHECK(page.find(std::string(".SH \"") + title + "\"\n") != std::string::npos);
  }
}

TEST_CASE("svc-config(5) has every setting, and svc reads its example") {
  const std::string page = config_man("1.2.3");
  for (const SettingRow& row : setting_rows()) {
    CHECK(page.find("\\fB" + roff_text(row.name) + "\\fR\n") != std::string::npos);
  }
  namespace fs = std::filesystem;
  const fs::path file =
      fs::temp_directory_path() / ("svc-config-" + std::to_string(::getpid()) + ".toml");
  std::ofstream(file) << sample_config() << '\n';
  fs::permissions(file, fs::perms::owner_read | fs::perms::owner_write);
  const auto config = ConfigFile::load(file);
  fs::remove(file);
  REQUIRE(config);
  for (const std::string& warning : config->warnings()) FAIL_CHECK(warning);
  CHECK(config->profiles().size() == 2);
  CHECK(config->value("work", "max_cost_per_day") != nullptr);
}

TEST_CASE("a topic's page has the text of its help") {
  for (const Topic& topic : topics()) {
    const auto group = std::ranges::find(groups(), topic.name, &Group::name);
    const std::string page =
        topic.in_group_page ? group_man(*group, "1.2.3") : topic_man(topic, "1.2.3");
    CHECK(page.find(topic.in_group_page ? " 1 \"" : " 7 \"") != std::string::npos);
    for (const TopicBlock& block : topic.blocks) {
      for (const Example& example : block.examples) {
        CHECK(page.find(roff_text(example.command)) != std::string::npos);
      }
      if (block.terms == nullptr) continue;
      for (const Term& term : block.terms()) {
        CHECK(page.find("\\fB" + roff_text(term.name) + "\\fR\n") != std::string::npos);
      }
    }
  }
}

TEST_CASE("every page passes mandoc's lint") {
  if (std::system("command -v mandoc >/dev/null 2>&1") != 0) {
    MESSAGE("mandoc is not installed");
    return;
  }
  namespace fs = std::filesystem;
  const auto lint = [&](const std::string& source, int section = 1) {
    const fs::path page = fs::temp_directory_path() /
                          ("svc-man-" + std::to_string(::getpid()) + "." + std::to_string(section));
    std::ofstream(page) << source;
    const int found =
        std::system(("mandoc -Tlint -W warning " + page.string() + " >/dev/null 2>&1").c_str());
    fs::remove(page);
    return found;
  };
  CHECK(lint(overview_man(groups(), "1.2.3")) == 0);
  for (const Group& group : groups()) CHECK(lint(group_man(group, "1.2.3")) == 0);
  CHECK(lint(group_man(test::k_small_catalogue[0], "1.2.3")) == 0);
  CHECK(lint(config_man("1.2.3"), 5) == 0);
  for (const Topic& topic : topics()) CHECK(lint(topic_man(topic, "1.2.3"), 7) == 0);
  CHECK(lint(".PP\nno title\n") != 0);  // the lint does run
}

}  // namespace svc::docgen
