// Deliveries signed by the Standard Webhooks scheme, version 1.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"

namespace svc::webhook {

/// How far a delivery's time may be from now, either way.
inline constexpr std::int64_t k_tolerance_seconds = 300;

/// What came: the three headers as they were sent, and the body byte for byte.
struct Delivery {
  std::string id{};
  std::string timestamp{};
  std::string signature{};
  std::string body{};
};

enum class Finding : std::uint8_t {
  Genuine,
  NoId,
  NoTimestamp,
  BadTimestamp,    ///< not a number of seconds
  TooOld,          ///< more than the tolerance ago
  TooNew,          ///< more than the tolerance ahead
  NoSignature,     ///< the header is missing or empty
  NoKnownVersion,  ///< it has no entry `v1,…`
  WrongSignature,  ///< none of them belongs to this id, time and body with this secret
};

/// A finding as the end of a sentence: "its timestamp is 12 min old".
[[nodiscard]] std::string describe(Finding finding, const Delivery& delivery, std::int64_t now);

class Verifier {
 public:
  /// Keys from secrets, of which any may have signed: `whsec_` and base64; else the text itself
  /// and, where it is base64, what that stands for. Usage, which names no secret, for
  /// none, an empty one, or `whsec_` before something that is not base64.
  [[nodiscard]] static Result<Verifier> make(std::span<const std::string> secrets);

  /// Every comparison takes the same time, wherever the difference is.
  [[nodiscard]] Finding verify(const Delivery& delivery, std::int64_t now) const;

 private:
  Verifier() = default;

  std::vector<std::string> m_keys{};
};

/// Whether an Authorization header brings that token ("Bearer …"), compared in constant time.
[[nodiscard]] bool is_bearer(std::string_view authorization, std::string_view token);

/// The header of a delivery: "v1,<base64>". For tests and senders; `key` is bytes.
[[nodiscard]] std::string sign(std::string_view key, const Delivery& delivery);

}  // namespace svc::webhook
