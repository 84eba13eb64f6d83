// A single object for people and line-based tools: `name: value` lines.
#pragma once

#include <span>

#include <nlohmann/json_fwd.hpp>

#include "base/result.h"
#include "print/columns.h"
#include "print/json.h"
#include "print/streams.h"

namespace svc::print {

/// Writes a JSON document as lines, with fields in its order and numbers as the service wrote them:
///
///     id: resp_1
///     usage.total_tokens: 12
///     include: a, b
///     output[0].type: message
///     text:
///       first line
///       second line
///
/// Null fields are left out; an empty string, array or object is printed as its name only. A
/// top-level array becomes `[0]: …` lines, a single value one line. A field whose path equals or
/// ends in the path of one of the `formats` is formatted as that column: a time, a size, money. On
/// a terminal, values are aligned and control characters made visible; elsewhere they are written
/// unchanged. Fault::Network if `json` is not JSON. Does not flush.
Result<void> print_fields(Out& out, sv json, std::span<const Column> formats = {},
                          sv whose = k_the_answer);

// One document, split into the sections of its operation: lines of `title: value`, and tables.

/// Writes each section that is not empty, with an empty line between them. Columns without a value
/// and tables without rows are left out. On a terminal, values are aligned and escaped; elsewhere a
/// line is the title, a colon, a space and the value. `details`: also write detail columns. `log`:
/// for Reader::Log. Does not flush.
Result<void> print_sections(Out& out, const nlohmann::json& document,
                            std::span<const Section> sections, bool details = false,
                            bool log = false);

}  // namespace svc::print
