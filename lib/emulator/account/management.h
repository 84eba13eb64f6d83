// What the management service answers a request with that it refuses, and reading requests.
#pragma once

#include <cstdint>
#include <optional>
#include <string_view>

#include "emulator/handler/handler.h"
#include "emulator/json/check.h"

namespace svc::emulator::management {

using sv = std::string_view;
using text::Json;

/// The status words of gRPC, whose numbers are the `code` of an error.
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

/// `{"code": …, "message": …, "details": []}` with the HTTP status that belongs to the code. With a
/// `marker`, ` [WKE=<marker>]` and a newline end the message.
[[nodiscard]] Answer refuse(Code code, sv message, sv marker = {});

/// 400: "<field>: <reason> [WKE=form-invalid:<rule>:<field>]".
[[nodiscard]] Answer refuse_field(sv field, sv reason, sv rule);

/// 400 for a required text that is empty.
[[nodiscard]] Answer refuse_empty(sv field);

/// 401; the header www-authenticate holds the sentence.
[[nodiscard]] Answer refuse_key(sv sentence);

/// An error that was made for the inference service, in the management service's form.
[[nodiscard]] Answer restyle(Answer refusal);

/// The body as JSON when it fits `type`; else 400.
[[nodiscard]] Checked<Json> read_body(const Call& call, const text::Type& type);

/// A 64-bit integer, which JSON may write as a number or as a decimal string.
[[nodiscard]] std::optional<std::int64_t> int64_of(const Json& object, sv name);

/// A whole number in the query: nothing when it is absent or empty; refused when it is not within
/// the limits.
[[nodiscard]] Checked<std::optional<std::int64_t>> query_number(const Call& call, sv name,
                                                                std::int64_t least,
                                                                std::int64_t most);

/// An RFC 3339 time. The empty text is no time; any other text is refused.
[[nodiscard]] Checked<std::optional<std::int64_t>> time_of(sv field, sv text);

}  // namespace svc::emulator::management
