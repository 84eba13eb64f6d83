// Deliveries signed by the Standard Webhooks scheme, version 1.
#pragma once

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

/// The ids of deliveries that were taken already: a sender repeats what it is not sure about. They
/// are remembered for a time, up to a number: the oldest is forgotten first. Only what was
/// verified belongs in here, so that nobody else can fill it.
class ReplayStore {
 public:
  using Clock = std::chrono::steady_clock;

  explicit ReplayStore(Clock::duration keep = std::chrono::hours(24), std::size_t most = 100'000)
      : m_keep(keep), m_most(most) {}

  /// Takes the id in; false when it was there. A repetition does not lengthen its time.
  [[nodiscard]] bool take(std::string_view id, Clock::time_point now = Clock::now());

  [[nodiscard]] bool contains(std::string_view id) const { return m_by_id.contains(id); }

  /// Forgets an id that could not be handled after all: it may come again.
  void drop(std::string_view id);

  [[nodiscard]] std::size_t size() const noexcept { return m_entries.size(); }

 private:
  struct Entry {
    std::string id;
    Clock::time_point taken;
  };
  void forget_oldest();

  Clock::duration m_keep;
  std::size_t m_most;
  std::list<Entry> m_entries{};  ///< the oldest first; views below point into it
  std::unordered_map<std::string_view, std::list<Entry>::iterator> m_by_id{};
};

}  // namespace svc::webhook
