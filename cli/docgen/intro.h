// The handwritten parts of the manual, as data; the rest comes from the catalogue.
#pragma once

#include <span>
#include <string_view>

namespace svc::docgen {

using sv = std::string_view;

/// An entry of a definition list.
struct Term {
  sv name;
  sv text;
};

/// The date of the manual pages. A constant, so that the same sources produce the same pages.
inline constexpr sv k_manual_date = "2026-11-21";

/// The paragraphs that introduce a group's page; one that ends in a line break is printed verbatim.
/// Empty for a group without an introduction.
[[nodiscard]] std::span<const sv> group_introduction(sv group);

/// Related pages for SEE ALSO, "svc-files(1), svc-voice(7)"; may be empty.
[[nodiscard]] sv group_relatives(sv group);

/// The paragraphs of svc(1), by section.
[[nodiscard]] std::span<const sv> description();
[[nodiscard]] std::span<const sv> input_paragraphs();
[[nodiscard]] std::span<const sv> output_paragraphs();
[[nodiscard]] std::span<const sv> configuration_paragraphs();

/// The lists that svc(1) and the help topics share.
[[nodiscard]] std::span<const Term> exit_codes();
[[nodiscard]] std::span<const Term> environment();
[[nodiscard]] std::span<const Term> files();

}  // namespace svc::docgen
