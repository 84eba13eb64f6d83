// The topics of `svc help TOPIC`, as data for help texts and manual pages.
#pragma once

#include <array>
#include <span>
#include <string>
#include <vector>

#include "catalogue/catalogue.h"
#include "docgen/intro.h"

namespace svc::docgen {

/// A part of a topic: a paragraph, a list of terms and examples, in this order; each may be empty.
struct TopicBlock {
  sv paragraph{};
  std::vector<Term> (*terms)() = nullptr;  ///< computed, so that lists match the program
  std::span<const Example> examples{};
};

struct Topic {
  sv name;     ///< "exit-codes"
  sv summary;  ///< a sentence
  std::span<const TopicBlock> blocks;
  bool in_group_page = false;  ///< part of svc-NAME(1) instead of its own page svc-NAME(7)
};

/// "svc-tools(7)".
[[nodiscard]] std::string topic_page(const Topic& topic);

[[nodiscard]] std::span<const Topic> topics();

/// The topic of that name, or null.
[[nodiscard]] const Topic* find_topic(sv name);

/// Every environment variable that svc reads: for settings, keys and the terminal.
[[nodiscard]] std::vector<Term> environment_terms();

/// A heading in `svc --help` and the groups below it.
struct Task {
  sv name;
  std::array<sv, 6> groups;  ///< the last ones may be empty
};
[[nodiscard]] std::span<const Task> tasks();

/// The most common verbs of a group, for its short help; all empty for most groups.
[[nodiscard]] std::array<sv, 3> first_verbs(sv group);

/// The examples under "First steps" in `svc --help`.
[[nodiscard]] std::span<const Example> first_steps();

}  // namespace svc::docgen
