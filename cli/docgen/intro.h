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

/// The paragraphs of svc(1), by section.
extern const std::span<const sv> k_description, k_input_paragraphs, k_output_paragraphs,
    k_configuration_paragraphs;

/// The lists that svc(1) and the help topics share.
extern const std::span<const Term> k_exit_codes, k_environment, k_files;

}  // namespace svc::docgen
