// The service's events as documents, whatever they hold.
#pragma once

#include <optional>
#include <string>
#include <string_view>

#include <nlohmann/json_fwd.hpp>

namespace svc::voice {

/// An event; null when it is not a JSON object. What strict parsers refuse (lone surrogates) is
/// repaired. Never throws.
[[nodiscard]] nlohmann::json read_event(std::string_view text);

/// A message or document of ours in one line. What is not UTF-8 in it becomes U+FFFD. Never throws.
[[nodiscard]] std::string message_line(const nlohmann::ordered_json& message);

// Members, "" or nothing when they are absent, null or of another kind.
[[nodiscard]] bool flag_of(const nlohmann::json& event, const char* name);
/// Finite only.
[[nodiscard]] std::optional<double> number_of(const nlohmann::json& event, const char* name);
/// A whole number from 0 to a million.
[[nodiscard]] std::optional<int> count_of(const nlohmann::json& event, const char* name);
/// The member, or null.
[[nodiscard]] const nlohmann::json& member_of(const nlohmann::json& event, const char* name);

/// What an `error` event says: `message`, `error.message`, or `error` as text.
[[nodiscard]] std::string error_message_of(const nlohmann::json& event);

}  // namespace svc::voice
