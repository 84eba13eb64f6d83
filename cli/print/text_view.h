// One object for people and line-based tools: `name: value` lines.
#pragma once

#include <span>

#include <nlohmann/json_fwd.hpp>

#include "base/result.h"
#include "catalogue/model.h"
#include "print/json.h"
#include "print/streams.h"

namespace svc::print {

/// Writes a JSON document as lines, in the order of its members and with numbers as the service
/// wrote them:
///
///     id: resp_1
///     usage.total_tokens: 12
///     include: a, b
///     output[0].type: message
///     text:
///       first line
///       second line
///
/// Members that are null are left out; an empty text, list or object has its name alone. A list at
/// the top gives `[0]: …` lines, one value alone gives one line. A member at the path of one of the
/// `formats`, or whose path ends in it, reads as such a column does: a time, a size, money. On a
/// terminal the values are aligned and control characters made visible; elsewhere they are written
/// as they are. Fault::Network when `json` is not JSON. Does not flush.
Result<void> print_fields(Out& out, sv json, std::span<const Column> formats = {},
                          sv whose = k_the_answer);

// One document as the parts that its operation names: lines of `title: value`, and tables.

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
