// Parses the service's events leniently.
#pragma once

#include <optional>
#include <string>
#include <string_view>

#include <nlohmann/json_fwd.hpp>

namespace svc::voice {

/// Parses an event; null if it is not a JSON object. Repairs what strict parsers reject (lone
/// surrogates). Never throws.
[[nodiscard]] nlohmann::json read_event(std::string_view text);

// Fields; "", false or nothing if they are absent, null or of another type.
[[nodiscard]] bool flag_of(const nlohmann::json& event, const char* name);
/// Finite numbers only.
[[nodiscard]] std::optional<double> number_of(const nlohmann::json& event, const char* name);
/// An integer from 0 to a million.
[[nodiscard]] std::optional<int> count_of(const nlohmann::json& event, const char* name);

/// The message of an `error` event: `message`, `error.message`, or `error` if it is a string.
[[nodiscard]] std::string error_message_of(const nlohmann::json& event);

}  // namespace svc::voice
