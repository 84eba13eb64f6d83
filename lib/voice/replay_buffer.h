// Sound that was captured, kept until what is said in it is final: it may have to be sent again.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>

namespace svc::voice {

/// Bytes by their position since the very first one; a limited number is kept.
class ReplayBuffer {
 public:
  explicit ReplayBuffer(std::size_t most) noexcept : m_most(most) {}

  /// Drops the oldest when there is no more room.
  void append(std::string_view bytes);
  /// What is before `position` is needed no more.
  void settle(std::uint64_t position);

  /// Of the first byte that is kept, and behind the last one.
  [[nodiscard]] std::uint64_t begin() const noexcept { return m_begin; }
  [[nodiscard]] std::uint64_t end() const noexcept {
    return m_begin + (m_bytes.size() - m_settled);
  }

  /// At most `count` bytes from `position` on, which is not before begin().
  [[nodiscard]] std::string_view read(std::uint64_t position, std::size_t count) const;

 private:
  void forget(std::size_t count);

  std::size_t m_most;
  std::string m_bytes{};
  std::size_t m_settled = 0;  ///< of m_bytes, no more wanted: taken out now and then
  std::uint64_t m_begin = 0;
};

}  // namespace svc::voice
