// What a document shows as the output of commands, compared with what they write.
#pragma once

#include <string>
#include <string_view>

namespace svc::test {

/// What stands in the fenced blocks of the language `name` of a Markdown text, one after the other,
/// or in the block that follows the line `<!-- name -->`; empty when there is none.
[[nodiscard]] std::string blocks_of(std::string_view markdown, std::string_view name);

/// Equal line by line, where a … of `expected` stands for any text; else a description of the
/// first difference, as those of case_checks.h.
[[nodiscard]] std::string compare_sample(std::string_view expected, std::string_view actual);

}  // namespace svc::test
