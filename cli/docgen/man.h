// The manual pages: svc(1), and svc-GROUP(1) for each group.
#pragma once

#include <span>
#include <string>

#include "catalogue/catalogue.h"

namespace svc::docgen {

/// man(7) source of svc(1). `version` is the program's, "0.1.0".
[[nodiscard]] std::string overview_man(std::span<const Group> groups, sv version);

/// man(7) source of the group's page, with every flag.
[[nodiscard]] std::string group_man(const Group& group, sv version);

/// "svc-chat.1".
[[nodiscard]] std::string man_file_name(const Group& group);

}  // namespace svc::docgen
