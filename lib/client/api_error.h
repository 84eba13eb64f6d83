// Converts every format of the service's errors to an Error.
#pragma once

#include <optional>
#include <span>
#include <string>
#include <string_view>

#include <nlohmann/json_fwd.hpp>

#include "base/result.h"
#include "http/transport.h"

namespace svc {

/// The error for a response with a status other than 2xx, from its body, else `www-authenticate`,
/// else the status alone. The class follows from status and text: 401, "Incorrect API key" and 403
/// are Auth (with different hints), 404 NotFound, 429 Limited, a redirect Network, anything else
/// Service. `code` is the service's own, followed by the message's `[WKE=…]` marker if it has one;
/// `request_id` is from x-request-id or x-trace-id. No text contains any of `secrets`, a control
/// character or a line break.
[[nodiscard]] Error api_error(const http::HttpHead& head, std::string_view body,
                              std::span<const std::string> secrets);

/// The error in a 2xx response or stream event: a field `error`, an event `error` or
/// `response.failed`. RemoteJob if the service ran the job and it failed (`status` failed or
/// expired), else the class of its code. Empty for any other document, including
/// `response.incomplete`.
[[nodiscard]] std::optional<Error> error_in_body(const nlohmann::json& body,
                                                 std::span<const std::string> secrets,
                                                 int http_status = 200);

/// A message of the service for the output: without `secrets` if it reports an error, as services
/// echo keys in those.
[[nodiscard]] std::string without_secrets_in_error(std::string_view message,
                                                   std::span<const std::string> secrets);

/// The error of a response that is something else than it should be: "expected text for "id" in the
/// response, got none". Network.
[[nodiscard]] Error unexpected_answer(std::string_view expected, std::string_view got);

/// Adapts the hint to the management host: its key is a different one, created in the web console,
/// and a `body` that is an HTML page, with status 404, means a wrong host or path.
void hint_for_management(Error& error, std::string_view body);

/// Makes external text safe for one line of an error: no secrets, line breaks or control
/// characters, at most `max_bytes`.
[[nodiscard]] std::string redacted(std::string text, std::span<const std::string> secrets,
                                   std::size_t max_bytes);

/// The request's ID, from x-request-id or else x-trace-id, made safe to print; "" if there is none.
[[nodiscard]] std::string request_id_of(const http::HttpHead& head,
                                        std::span<const std::string> secrets = {});

/// The first 200 bytes of a body for an error message: one line, safe for a terminal.
[[nodiscard]] std::string body_excerpt(std::string_view body, std::span<const std::string> secrets);

}  // namespace svc
