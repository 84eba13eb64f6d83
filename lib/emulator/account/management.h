// Error responses of the management service, and parsing of its requests.
#pragma once

#include <cstdint>
#include <optional>
#include <string_view>

#include "emulator/handler/handler.h"
#include "emulator/json/check.h"

namespace svc::emulator::management {

using sv = std::string_view;
using text::Json;

/// The gRPC status codes, whose numbers are the `code` of an error.
enum class Code : std::uint8_t {
  InvalidArgument = 3,
  NotFound = 5,
  AlreadyExists = 6,
  PermissionDenied = 7,
  ResourceExhausted = 8,
  FailedPrecondition = 9,
  Unimplemented = 12,
  Internal = 13,
  Unauthenticated = 16,
};

/// Returns `{"code": …, "message": …, "details": []}` with the code's HTTP status. With a `marker`,
/// the message ends with ` [WKE=<marker>]` and a newline.
[[nodiscard]] Response error_response(Code code, sv message, sv marker = {});

/// 400: "<field>: <reason> [WKE=form-invalid:<rule>:<field>]".
[[nodiscard]] Response invalid_field_error(sv field, sv reason, sv rule);

/// 400 for a required string that is empty.
[[nodiscard]] Response empty_field_error(sv field);

/// 404: "<what> <id> not found<where>." with the marker not-found:<what>.
[[nodiscard]] Response not_found_error(sv what, sv id, sv where = {});

/// 403 for a team that is not the key's.
[[nodiscard]] Response team_access_error(sv team_id);

/// 401; the message is in the header www-authenticate.
[[nodiscard]] Response unauthenticated_error(sv message);

/// Converts an error of the inference service to the management service's format.
[[nodiscard]] Response to_management_error(Response error);

/// Returns the body as JSON if it matches `type`; otherwise 400.
[[nodiscard]] Checked<Json> read_body(const Request& request, const text::Type& type);

/// Returns a 64-bit integer, which JSON may contain as a number or as a decimal string.
[[nodiscard]] std::optional<std::int64_t> get_int64(const Json& object, sv name);

/// Parses an integer in the query: nothing if it is absent or empty; refused if it is out of range.
[[nodiscard]] Checked<std::optional<std::int64_t>> query_number(const Request& request, sv name,
                                                                std::int64_t minimum,
                                                                std::int64_t maximum);

/// Parses an RFC 3339 time. Nothing for an empty string; any other invalid text is refused.
[[nodiscard]] Checked<std::optional<std::int64_t>> time_of(sv field, sv text);

}  // namespace svc::emulator::management
