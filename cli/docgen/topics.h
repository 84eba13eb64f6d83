// What `svc help TOPIC` explains: texts and facts as data, from which pages are made.
#pragma once

#include <span>
#include <string>
#include <vector>

#include "catalogue/catalogue.h"
#include "docgen/intro.h"

namespace svc::docgen {

/// A part of a topic: a paragraph, then a list of terms, then examples; each may be missing.
struct TopicBlock {
  sv paragraph{};
  std::vector<Term> (*terms)() = nullptr;  ///< facts are taken from where the program has them
  std::span<const Example> examples{};
};

struct Topic {
  sv name;     ///< "exit-codes"
  sv summary;  ///< a sentence
  std::span<const TopicBlock> blocks;
  bool in_group_page = false;  ///< svc-NAME(1) holds it; else it is svc-NAME(7)
};

/// "svc-tools(7)".
[[nodiscard]] std::string topic_page(const Topic& topic);

[[nodiscard]] std::span<const Topic> topics();

/// The topic of that name, or null.
[[nodiscard]] const Topic* find_topic(sv name);

/// Every environment variable that svc itself reads: of settings, keys, and the terminal.
[[nodiscard]] std::vector<Term> environment_terms();

/// Groups of one task stand together in `svc --help`.
struct Task {
  sv name;
  std::span<const sv> groups;
};
[[nodiscard]] std::span<const Task> tasks();

/// The verbs of a group that people meet first; empty for most groups.
[[nodiscard]] std::span<const sv> first_verbs(sv group);

/// The first things to try.
[[nodiscard]] std::span<const Example> first_steps();

}  // namespace svc::docgen
