// One document as the parts that its operation names: lines of `title: value`, and tables.
#pragma once

#include <span>

#include <nlohmann/json_fwd.hpp>

#include "base/result.h"
#include "catalogue/model.h"
#include "print/streams.h"

namespace svc::print {

/// Writes each section that has something to show, with an empty line between them. A column
/// without a value in the document is left out of the lines; a table without rows is not written.
/// On a terminal values are aligned and made visible, elsewhere a line is its title, a colon, a
/// blank and the value. `details`: columns that are a detail are wanted too. `log`: for
/// Reader::Log. Does not flush.
Result<void> print_sections(Out& out, const nlohmann::json& document,
                            std::span<const Section> sections, bool details = false,
                            bool log = false);

/// The lines alone.
Result<void> print_card(Out& out, const nlohmann::json& document, std::span<const Column> columns,
                        bool log = false);

}  // namespace svc::print
