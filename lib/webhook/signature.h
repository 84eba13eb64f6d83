// Verifies deliveries signed according to Standard Webhooks, version 1.
#pragma once

#include <array>
#include <chrono>
#include <cstddef>
#include <cstdint>
#include <list>
#include <span>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "base/result.h"

namespace svc::webhook {

/// Maximum difference between a delivery's timestamp and the current time, in either direction.
inline constexpr std::int64_t k_tolerance_seconds = 300;

/// A received delivery: the three headers, and the body byte for byte.
struct Delivery {
  std::string id{};
  std::string timestamp{};
  std::string signature{};  ///< several headers are joined with a space
  std::string body{};
};

/// Their names, in lower case.
inline constexpr std::string_view k_id_header = "webhook-id";
inline constexpr std::string_view k_timestamp_header = "webhook-timestamp";
inline constexpr std::string_view k_signature_header = "webhook-signature";

/// A header of a delivery, and the field with its value.
struct DeliveryHeader {
  std::string_view name;
  std::string Delivery::*value;
};
inline constexpr std::array<DeliveryHeader, 3> k_delivery_headers = {
    {{k_id_header, &Delivery::id},
     {k_timestamp_header, &Delivery::timestamp},
     {k_signature_header, &Delivery::signature}}};

enum class Verification : std::uint8_t {
  Valid,
  NoId,
  NoTimestamp,
  BadTimestamp,    ///< not a number of seconds
  TooOld,          ///< older than the tolerance
  TooNew,          ///< further ahead than the tolerance
  NoSignature,     ///< the header is missing or empty
  NoKnownVersion,  ///< no `v1,…` entry
  WrongSignature,  ///< no entry matches this ID, timestamp and body with this secret
};

/// Describes a finding as a clause: "its webhook-timestamp is 12 min old (maximum: 5 min)".
[[nodiscard]] std::string describe(Verification verification, const Delivery& delivery,
                                   std::int64_t now);

class Verifier {
 public:
  /// Creates a verifier that accepts any of the secrets: `whsec_` followed by base64, or else the
  /// text itself and, if it is base64, its decoded bytes as well. Fails with Fault::Usage, without
  /// revealing the secret, if there is none, one is empty, or `whsec_` is not followed by base64.
  [[nodiscard]] static Result<Verifier> make(std::span<const std::string> secrets);

  /// Compares in constant time.
  [[nodiscard]] Verification verify(const Delivery& delivery, std::int64_t now) const;

 private:
  Verifier() = default;

  std::vector<std::string> m_keys{};
};

/// Whether an Authorization header contains the token ("Bearer …"), compared in constant time.
[[nodiscard]] bool is_bearer(std::string_view authorization, std::string_view token);

/// Creates the webhook-signature header of a delivery: "v1,<base64>". For tests and senders; `key`
/// is raw bytes.
[[nodiscard]] std::string sign(std::string_view key, const Delivery& delivery);

/// The IDs of deliveries already accepted, because senders retry when unsure. IDs are kept for a
/// limited time and up to a limited number, the oldest being dropped first. Only add verified
/// deliveries, so that nobody else can fill the store.
class ReplayStore {
 public:
  using Clock = std::chrono::steady_clock;

  explicit ReplayStore(Clock::duration retention = std::chrono::hours(24),
                       std::size_t most = 100'000)
      : m_retention(retention), m_max_entries(most) {}

  /// Adds the ID; returns false if it was already present. A repetition does not extend its time.
  [[nodiscard]] bool claim(std::string_view id, Clock::time_point now = Clock::now());

  [[nodiscard]] bool contains(std::string_view id) const { return m_by_id.contains(id); }

  /// Removes an ID whose delivery could not be handled, so that it is accepted again.
  void drop(std::string_view id);

  [[nodiscard]] std::size_t size() const noexcept { return m_entries.size(); }

 private:
  struct Entry {
    std::string id;
    Clock::time_point taken;
  };
  void evict_oldest();

  Clock::duration m_retention;
  std::size_t m_max_entries;
  std::list<Entry> m_entries{};  ///< the oldest first; the views below point into it
  std::unordered_map<std::string_view, std::list<Entry>::iterator> m_by_id{};
};

}  // namespace svc::webhook
