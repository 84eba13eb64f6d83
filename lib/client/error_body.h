// What the body of an error says, whatever its shape. Not part of the public
// interface.
#pragma once

#include <span>
#include <string>
#include <string_view>

#include <nlohmann/json_fwd.hpp>

#include "http/transport.h"

namespace svc::error_body {

using Secrets = std::span<const std::string>;

inline constexpr std::size_t k_max_message_bytes = 2000;
inline constexpr std::size_t k_max_code_bytes = 200;

/// The words of the service, as they stand there: not yet fit to be shown.
struct Said {
  std::string message{};
  std::string code{};
  std::string param{};
};

/// What a document says: its member `error`, `message` or `detail`, or itself if it is a string. A
/// message that is an error document is unwrapped once, `[WKE=…]` markers go to the code.
[[nodiscard]] Said said_by(const nlohmann::json& document);

/// The same for an answer, whose body may be plain text, a web page or nothing.
[[nodiscard]] Said said_by(const http::HttpHead& head, std::string_view body, Secrets secrets);

/// The member, or null when it is absent or null.
[[nodiscard]] const nlohmann::json* error_member(const nlohmann::json& object, const char* name);

/// A member as text: strings as they are, anything else as JSON; "" when it is absent or null.
[[nodiscard]] std::string error_text(const nlohmann::json& object, const char* name);

/// The first header of that name, or "".
[[nodiscard]] std::string_view header_of(const http::HttpHead& head, std::string_view name);

/// Foreign text for one line of an error: no secret, no line break, no control character, at most
/// `max_bytes`.
[[nodiscard]] std::string redacted(std::string text, Secrets secrets, std::size_t max_bytes);

}  // namespace svc::error_body
