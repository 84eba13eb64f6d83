// What the manual says beside the catalogue: written by hand, kept as data.
#pragma once

#include <span>
#include <string_view>

namespace svc::docgen {

using sv = std::string_view;

/// A term and what it means.
struct Term {
  sv name;
  sv text;
};

/// The date of the manual pages. Changed by hand, so that the same sources make the same pages.
inline constexpr sv k_manual_date = "2026-11-21";

/// The introduction of a group's page, a paragraph each; one that ends in a line break is to be
/// copied as it stands. Empty for a group without one.
[[nodiscard]] std::span<const sv> group_introduction(sv group);

/// Further pages to read beside it, "svc-files(1), svc-voice(7)"; may be empty.
[[nodiscard]] sv group_relatives(sv group);

/// Of svc(1).
[[nodiscard]] std::span<const sv> description();
[[nodiscard]] std::span<const sv> input_paragraphs();
[[nodiscard]] std::span<const sv> output_paragraphs();
[[nodiscard]] std::span<const sv> configuration_paragraphs();

/// Of every page.
[[nodiscard]] std::span<const Term> exit_codes();
[[nodiscard]] std::span<const Term> environment();
[[nodiscard]] std::span<const Term> files();

}  // namespace svc::docgen
