// Inside of schema.h: what a schema says of a value by itself, not of what is in it.
#pragma once

#include <optional>
#include <string>
#include <string_view>

#include <nlohmann/json_fwd.hpp>

#include "json/schema.h"

namespace svc {

using Misfit = std::optional<SchemaFault>;

[[nodiscard]] Misfit misfit(const std::string& where, std::string why);

/// The keyword's value, or null.
[[nodiscard]] const nlohmann::json* keyword_of(const nlohmann::json& schema, std::string_view name);

/// The beginning of a value, harmless in a line of text.
[[nodiscard]] std::string shown_value(const nlohmann::json& value);

/// type, enum, const.
[[nodiscard]] Misfit type_rules(const nlohmann::json& schema, const nlohmann::json& value,
                                const std::string& where);

/// minimum, …, multipleOf.
[[nodiscard]] Misfit number_rules(const nlohmann::json& schema, const nlohmann::json& value,
                                  const std::string& where);

/// A size, counted in `one`s ("member"), against the keywords `least` and `most`.
[[nodiscard]] Misfit size_rules(const nlohmann::json& schema, std::size_t size,
                                std::string_view one, const char* least, const char* most,
                                const std::string& where);

}  // namespace svc
