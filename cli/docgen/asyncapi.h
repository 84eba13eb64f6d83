// The WebSockets of the catalogue as an AsyncAPI 3 document.
#pragma once

#include <span>
#include <string>
#include <string_view>

#include "catalogue/catalogue.h"

namespace svc::docgen {

/// The document, as JSON text: each socket as a channel with a message for every event of the
/// client and of the service. Hosts are variables, as they are not public.
[[nodiscard]] std::string asyncapi_document(std::span<const Group> groups,
                                            std::string_view version);

}  // namespace svc::docgen
