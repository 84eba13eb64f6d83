// What --verbose adds to a result in text output: on standard error, so that the result stays
// alone.
#pragma once

#include <span>

#include <nlohmann/json_fwd.hpp>

#include "catalogue/model.h"
#include "session/session.h"

namespace svc::cli {

/// Whether details are wanted: text output with --verbose.
[[nodiscard]] bool wants_details(const Session& session);

/// Says on standard error what the sections find in the document; nothing unless details are
/// wanted.
void print_details(Session& session, std::span<const Section> details,
                   const nlohmann::json& document);

}  // namespace svc::cli
