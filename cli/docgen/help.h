// The text of --help, made from the catalogue.
#pragma once

#include <span>
#include <string>

#include "catalogue/catalogue.h"
#include "docgen/topics.h"

namespace svc::docgen {

/// All of these wrap at `columns`, which is kept between 40 and 100. `all` is --help-all.

/// `svc --help`: one screen, the groups by task; with `all` each group in a sentence, and every
/// global flag.
[[nodiscard]] std::string overview_help(std::span<const Group> groups, bool all = false,
                                        int columns = 80);

/// `svc chat --help`: the verbs, and everything about the one that may be left out.
[[nodiscard]] std::string group_help(const Group& group, bool all = false, int columns = 80);

/// `svc help TOPIC`.
[[nodiscard]] std::string topic_help(const Topic& topic, int columns = 80);

/// `svc chat create --help`: the flags that most people need and two examples; everything else with
/// `all`.
[[nodiscard]] std::string operation_help(const Operation& operation, bool all = false,
                                         int columns = 80);

}  // namespace svc::docgen
