// Media arguments that become members of the body, by the slots of the catalogue.
#pragma once

#include <optional>
#include <string>

#include "base/result.h"
#include "json/document.h"
#include "request/inline_files.h"
#include "request/inputs.h"

namespace svc::request {

/// Puts every argument of a field with a MediaSlot where the slot says: one as {"url": …} or
/// {"file_id": …}, several as an array of these. What --body and --set put there gives way. Usage
/// when a file or a data: URL is not of the slot's types or too large, or cannot be read.
[[nodiscard]] Result<void> place_media(const Operation& operation, const Inputs& inputs,
                                       const std::optional<std::string>& stdin_text,
                                       InlineFiles& files, OrderedJson& body);

}  // namespace svc::request
