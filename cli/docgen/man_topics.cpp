// The manual pages that belong to no command: svc-config(5), and svc-TOPIC(7) for each topic.
#include <algorithm>
#include <cctype>

#include <fmt/format.h>

#include "client/settings.h"
#include "docgen/describe.h"
#include "docgen/man.h"
#include "docgen/man_parts.h"
#include "docgen/roff.h"

namespace svc::docgen {
namespace {

constexpr sv k_sample_config = R"(default_profile = "work"

[profile.work]
base_url = "https://api.example"
management_url = "https://management.example"
key_command = "pass show svc/work"
model = "svc-4.5"
voice = "ara"
max_cost_per_day = "5.00"

[profile.ci]
base_url = "https://api.example"
key_file = "/run/secrets/svc-key"
history = false
retries = 4)";

void add_block(RoffPage& page, const TopicBlock& block) {
  if (!block.paragraph.empty()) page.paragraph(block.paragraph);
  if (block.terms != nullptr) {
    for (const Term& term : block.terms()) page.entry(term.name, "", term.text);
  }
  for (const Example& example : block.examples) {
    page.paragraph(example.says);
    page.command(example.command);
  }
}

}  // namespace

void add_topic(RoffPage& page, const Topic& topic) {
  for (const TopicBlock& block : topic.blocks) add_block(page, block);
}

std::string_view sample_config() {
  return k_sample_config;
}

std::string topic_man(const Topic& topic, sv version) {
  const std::string name = fmt::format("svc-{}", topic.name);
  RoffPage page(capitals(name), k_manual_date, version, 7);
  page.section("NAME");
  page.name(name, clause(topic.summary));
  page.section("DESCRIPTION");
  add_topic(page, topic);
  page.section("SEE ALSO");
  std::string others = "svc(1), svc-config(5)";
  for (const Topic& other : topics()) {
    if (other.name != topic.name) others += ", " + topic_page(other);
  }
  page.paragraph(others);
  return page.take();
}

std::string config_man(sv version) {
  RoffPage page("SVC-CONFIG", k_manual_date, version, 5);
  page.section("NAME");
  page.name("svc-config", "configuration file of svc");
  page.section("SYNOPSIS");
  page.command("$XDG_CONFIG_HOME/svc/config.toml\n~/.config/svc/config.toml");
  page.section("DESCRIPTION");
  for (const sv paragraph : configuration_paragraphs()) page.paragraph(paragraph);
  page.section("SETTINGS");
  for (const SettingRow& row : setting_rows()) page.entry(row.name, "", setting_text(row));
  page.section("EXAMPLES");
  page.paragraph("Two profiles, of which work is used unless another one is chosen.");
  page.command(k_sample_config);
  page.paragraph("The same by commands; comments and order of the file are kept.");
  page.command("svc config set model svc-4.5 --profile work\nsvc config list");
  page.section("SEE ALSO");
  page.paragraph("svc-config(1), svc-auth(1), svc-environment(7), svc(1)");
  return page.take();
}

}  // namespace svc::docgen
