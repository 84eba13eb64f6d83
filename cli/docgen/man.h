// Generates the manual pages: svc(1), svc-GROUP(1) per group, svc-config(5), svc-TOPIC(7) per
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

/// man(7) source of the topic's page, with the content of `svc help TOPIC`. Not for a topic that is
/// part of a group's page.
[[nodiscard]] std::string topic_man(const Topic& topic, sv version);

/// "svc-chat.1".
[[nodiscard]] std::string man_file_name(const Group& group);

// Parts that the manual pages share.

/// The example configuration file in svc-config(5).
[[nodiscard]] std::string_view sample_config();

}  // namespace svc::docgen
