// Finds items with equal IDs in an input of any size, using little memory.
#pragma once

#include <array>
#include <cstdint>
#include <functional>
#include <span>
#include <string>
#include <vector>

#include "base/file_backed_buffer.h"
#include "base/result.h"

namespace svc::batch {

/// An item's position and the hash of its ID.
struct IdLocation {
  std::uint64_t id = 0;
  std::int64_t ordinal = 0;
  std::uint64_t line = 0;
  std::uint64_t offset = 0;
  std::uint64_t length = 0;
  std::uint64_t hash = 0;
};

class IdIndex {
 public:
  /// `location.id` must not be 0.
  [[nodiscard]] Result<void> add(const IdLocation& location);

  /// Called with the places that share a hash, each group once, in the order of the input.
  using Found = std::function<Result<void>(std::span<const IdLocation> locations)>;
  [[nodiscard]] Result<void> for_each_duplicate(const Found& found);

 private:
  [[nodiscard]] bool has_duplicate(std::span<const IdLocation> locations);

  /// Sorted one part at a time: a million items take 48 MB on disk and 1.5 MB in memory.
  static constexpr std::size_t k_parts = 32;
  struct Part {
    std::string pending{};  ///< buffered to avoid a write for each item
    FileBackedBuffer locations{};
  };
  std::array<Part, k_parts> m_parts{};
  std::vector<std::uint64_t> m_table{};  ///< of one part; 0 marks a free slot
};

}  // namespace svc::batch
