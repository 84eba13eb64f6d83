// The payment methods that every team of the emulator has; one of them declines.
#pragma once

#include <string_view>

#include "emulator/json/json.h"

namespace svc::emulator::billing {

inline constexpr std::string_view k_first_payment_method = "pm-emulator-visa";
/// As the test cards of card processors, this one refuses every charge.
inline constexpr std::string_view k_declining_payment_method = "pm-emulator-declined";

/// A new team's billing info, as JSON text.
inline constexpr std::string_view k_first_billing_info =
    R"({"name":"Emulator Demo Team","address":{"line1":"1 Loopback Road","line2":"",)"
    R"("city":"Localhost","country":"US","postalCode":"12701","state":"NY"},)"
    R"("email":"billing@emulator.example"})";

/// All of them as the wire writes them, the default one first.
[[nodiscard]] text::Json payment_methods(std::string_view default_id, std::int64_t added_s);

[[nodiscard]] bool is_payment_method(std::string_view id);

}  // namespace svc::emulator::billing
