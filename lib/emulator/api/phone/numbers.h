// Phone numbers: validation of numbers, addresses and targets, and their operations.
#pragma once

#include <string_view>
#include <vector>

#include "emulator/handler/handler.h"

namespace svc::emulator::phone {

/// `+` and up to 15 digits, not starting with zero.
[[nodiscard]] bool is_e164(std::string_view text);

/// An IPv4 or IPv6 range: `203.0.113.0/24`, `2001:db8::/32`.
[[nodiscard]] bool is_cidr(std::string_view text);

/// `tel:+<E.164>` or `sip:<user>@<host>`, with an optional port.
[[nodiscard]] bool is_call_target(std::string_view text);

/// An http or https URL with a host.
[[nodiscard]] bool is_http_url(std::string_view text);

/// The five operations on phone numbers.
[[nodiscard]] std::vector<Route> number_routes();

}  // namespace svc::emulator::phone
