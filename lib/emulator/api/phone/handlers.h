// The handlers behind phone_routes().
#pragma once

#include <memory>

#include "emulator/api/phone/courier.h"
#include "emulator/handler/handler.h"

namespace svc::emulator::phone {

[[nodiscard]] Answer create_number(const Call& call);
[[nodiscard]] Answer list_numbers(const Call& call);
[[nodiscard]] Answer get_number(const Call& call);
[[nodiscard]] Answer update_number_by_mask(const Call& call);
[[nodiscard]] Answer remove_number(const Call& call);

[[nodiscard]] Answer refer_call(const Call& call);
[[nodiscard]] Answer hang_up(const Call& call);

/// POST /_emulator/calls: a call comes in. The body says who calls which number, what the caller
/// says and presses, and what shall be wrong with the webhook's delivery.
[[nodiscard]] Answer simulate_call(const Call& call, const std::shared_ptr<Courier>& courier);
[[nodiscard]] Answer show_call(const Call& call);

}  // namespace svc::emulator::phone
