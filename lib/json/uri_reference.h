// References between schemas are URI references (RFC 3986).
#pragma once

#include <string>
#include <string_view>

namespace svc {

/// What `reference` names for a document at `base`. A base without a scheme is resolved against
/// like one with it, so schemas with relative identifiers can refer to each other.
[[nodiscard]] std::string resolve_uri(std::string_view base, std::string_view reference);

}  // namespace svc
