// The event of an incoming call, and its signature (Standard Webhooks v1).
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

#include "emulator/api/phone/store.h"

namespace svc::emulator::phone {

/// "whsec_" and 32 random bytes as base64.
[[nodiscard]] std::string make_signing_secret();

/// The body of `realtime.call.incoming`.
[[nodiscard]] std::string incoming_event(const PhoneCall& call);

/// "v1,<base64>": HMAC-SHA256 over `<id>.<timestamp>.<body>` with the key behind "whsec_", or with
/// the bytes of a secret of any other form.
[[nodiscard]] std::string sign_delivery(std::string_view secret, std::string_view id,
                                        std::int64_t timestamp, std::string_view body);

}  // namespace svc::emulator::phone
