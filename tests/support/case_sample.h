// Compares the output of commands with the samples in a document.
#pragma once

#include <string>
#include <string_view>

namespace svc::test {

/// The text of all fenced blocks with the language `name` in a Markdown text, concatenated, or of
/// the block after the line `<!-- name -->`; empty if there is none.
[[nodiscard]] std::string blocks_of(std::string_view markdown, std::string_view name);

/// Compares line by line, where a … in `expected` matches any text. Returns a description of the
/// first difference, like the functions in case_checks.h.
[[nodiscard]] std::string compare_sample(std::string_view expected, std::string_view actual);

}  // namespace svc::test
