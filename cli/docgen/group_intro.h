// The handwritten parts of the groups' pages.
#pragma once

#include <span>
#include <string_view>

namespace svc::docgen {

using sv = std::string_view;

/// The handwritten part of a group's page.
struct Introduction {
  sv group{};
  std::span<const sv> paragraphs{};  ///< one that ends in a line break is printed verbatim
  sv relatives{};  ///< related pages for SEE ALSO, "svc-files(1), svc-voice(7)"; may be empty
};

/// Empty for a group without an introduction.
[[nodiscard]] const Introduction& introduction_of(sv group);

}  // namespace svc::docgen
