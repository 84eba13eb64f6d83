// The service's errors, in all the shapes that they come in, as one Error.
#pragma once

#include <optional>
#include <span>
#include <string>
#include <string_view>

#include <nlohmann/json_fwd.hpp>

#include "base/result.h"
#include "http/transport.h"

namespace svc {

/// The error of an answer whose status is not 2xx, from its body, else from
/// `www-authenticate`, else from the status alone. The class goes by status and text: 401 and
/// "Incorrect API key" and 403 are Auth (with different hints), 404 NotFound, 429 Limited,
/// everything else Service, a redirect Network. `code` is the service's own, with a
/// `[WKE=…]` marker appended when the message had one; `request_id` comes from x-request-id or
/// x-trace-id. No text holds one of `secrets`, a control character or a line break.
[[nodiscard]] Error api_error(const http::HttpHead& head, std::string_view body,
                              std::span<const std::string> secrets);

/// The error that a 2xx answer or one event of a stream holds instead of a result:
/// a member `error`, an event `error` or `response.failed`. RemoteJob when the service
/// ran the work and it failed (`status` failed or expired), else the class that its code stands
/// for. Nothing for every other document, `response.incomplete` included.
[[nodiscard]] std::optional<Error> error_in_body(const nlohmann::json& body,
                                                 std::span<const std::string> secrets,
                                                 int http_status = 200);

/// A Limited error that waiting cannot fix: credits or a spending limit are used up.
/// Such a request is not repeated.
[[nodiscard]] bool is_out_of_credits(const Error& error);

/// Puts the hint in terms of the management host: its key is another one, which is made and given
/// permissions in the web console, and a web page with status 404 means another host
/// or a path that is not there.
void hint_for_management(Error& error);

/// Foreign text for one line of an error: no secret, no line break, no control character, at most
/// `max_bytes`.
[[nodiscard]] std::string redacted(std::string text, std::span<const std::string> secrets,
                                   std::size_t max_bytes);

/// What the head says to call the request: x-request-id, else x-trace-id, made safe to show; else
/// "".
[[nodiscard]] std::string request_id_of(const http::HttpHead& head,
                                        std::span<const std::string> secrets = {});

/// The first 200 bytes of a body for an error's text: one line, harmless on a terminal.
[[nodiscard]] std::string body_excerpt(std::string_view body, std::span<const std::string> secrets);

}  // namespace svc
