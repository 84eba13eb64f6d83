// Signed deliveries of webhooks. Part of <svc/svc.h>.
#pragma once

#include <cstdint>
#include <optional>
#include <string>

#include "svc/export.h"
#include "svc/result.h"

namespace svc::v0 {

/// A delivery as it was received: three headers, and the body byte for byte.
struct Delivery {
  std::string id{};         ///< webhook-id
  std::string timestamp{};  ///< webhook-timestamp
  std::string signature{};  ///< webhook-signature
  std::string body{};
};

/// Verifies a delivery (Standard Webhooks, version 1), which must not be older or newer than five
/// minutes. `secret` is "whsec_…". Auth if it is not valid, with the reason; Usage for an unusable
/// secret. `now` is in Unix seconds, the current time if nothing. Thread-safe. A delivery that was
/// verified may come twice: remember its ID.
SVC_API Result<void> verify_webhook(const std::string& secret, const Delivery& delivery,
                                    std::optional<std::int64_t> now = std::nullopt);

}  // namespace svc::v0
