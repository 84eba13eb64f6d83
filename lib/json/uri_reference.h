// References between schemas. Not a public interface.
#pragma once

#include <string>
#include <string_view>

namespace svc {

/// Resolves `reference` relative to `base`. A base without a scheme works the same way, so schemas
/// with relative identifiers can refer to each other.
[[nodiscard]] std::string resolve_uri(std::string_view base, std::string_view reference);

}  // namespace svc
