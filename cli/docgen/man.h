// The manual pages: svc(1), svc-GROUP(1) for each group, svc-config(5), svc-TOPIC(7) for each
// topic.
#pragma once

#include <span>
#include <string>
#include <string_view>

#include "catalogue/catalogue.h"
#include "client/settings.h"
#include "docgen/roff.h"
#include "docgen/topics.h"

namespace svc::docgen {

/// man(7) source of svc(1). `version` is the program's, "0.1.0".
[[nodiscard]] std::string overview_man(std::span<const Group> groups, sv version);

/// man(7) source of the group's page, with every flag.
[[nodiscard]] std::string group_man(const Group& group, sv version);

/// man(7) source of the page about the configuration file.
[[nodiscard]] std::string config_man(sv version);

/// man(7) source of the topic's page: what `svc help TOPIC` says. Not for one in a group's page.
[[nodiscard]] std::string topic_man(const Topic& topic, sv version);

/// "svc-chat.1".
[[nodiscard]] std::string man_file_name(const Group& group);

// What the manual pages have in common.

/// "SVC-CHAT".
[[nodiscard]] std::string capitals(std::string_view text);

/// For the NAME section: a sentence that continues after a dash, without its full stop.
[[nodiscard]] std::string clause(std::string_view sentence);

/// "The address of the inference service.", and its built-in value.
[[nodiscard]] std::string setting_text(const SettingRow& row);

/// What the topic says, as parts of the section at hand.
void add_topic(RoffPage& page, const Topic& topic);

/// The configuration file that svc-config(5) shows.
[[nodiscard]] std::string_view sample_config();

}  // namespace svc::docgen
