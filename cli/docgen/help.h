// The text of --help, generated from the catalogue.
#pragma once

#include <span>
#include <string>

#include "catalogue/catalogue.h"
#include "docgen/topics.h"

namespace svc::docgen {

/// All functions wrap at `columns`, clamped to 40 to 100. `all` is true for --help-all.

/// `svc --help`: one screen with the groups by task; with `all`, each group's summary and every
/// global flag.
[[nodiscard]] std::string overview_help(std::span<const Group> groups, bool all = false,
                                        int columns = 80);

/// `svc chat --help`: the verbs, and the full help of the default verb.
[[nodiscard]] std::string group_help(const Group& group, bool all = false, int columns = 80);

/// `svc help TOPIC`.
[[nodiscard]] std::string topic_help(const Topic& topic, int columns = 80);

/// `svc chat create --help`: the common flags and two examples; with `all`, everything.
[[nodiscard]] std::string operation_help(const Operation& operation, bool all = false,
                                         int columns = 80);

}  // namespace svc::docgen
