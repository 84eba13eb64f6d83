// Timestamps in the formats used by HTTP and the API, and for people.
#pragma once

#include <cstdint>
#include <ctime>
#include <optional>
#include <string>
#include <string_view>

namespace svc {

/// The current time, in seconds since 1970 UTC.
[[nodiscard]] std::int64_t unix_now() noexcept;

/// "2026-04-16T07:19:19Z".
[[nodiscard]] std::string format_rfc3339(std::int64_t unix_seconds);

/// A time in the local time zone, with its calendar fields.
[[nodiscard]] std::tm local_time(std::int64_t unix_seconds) noexcept;

/// "2026-04-16 09:19:19", in the local time zone; its first 10 or 16 characters are the day and the
/// minute, and those from 11 on the time of day.
[[nodiscard]] std::string format_local(std::int64_t unix_seconds);

/// Parses an RFC 3339 date-time with any offset into Unix seconds; a fraction is truncated.
[[nodiscard]] std::optional<std::int64_t> parse_rfc3339(std::string_view text) noexcept;

/// Parses an HTTP date (IMF-fixdate, RFC 850 or asctime format, RFC 9110 §5.6.7) into Unix seconds.
[[nodiscard]] std::optional<std::int64_t> parse_http_date(std::string_view text) noexcept;

/// "Sun, 06 Nov 1994 08:49:37 GMT".
[[nodiscard]] std::string format_http_date(std::int64_t unix_seconds);

}  // namespace svc
