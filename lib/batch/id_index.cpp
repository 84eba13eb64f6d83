#include "batch/id_index.h"

#include <algorithm>
#include <bit>
#include <cstring>
#include <tuple>
#include <vector>

namespace svc::batch {
namespace {

constexpr std::size_t k_buffer_size = 32U << 10U;

}  // namespace

Result<void> IdIndex::add(const IdLocation& location) {
  Part& part = m_parts[location.id % k_parts];
  char bytes[sizeof location];
  std::memcpy(bytes, &location, sizeof location);
  part.pending.append(bytes, sizeof bytes);
  if (part.pending.size() < k_buffer_size) return {};
  SVC_CHECK(part.locations.append(part.pending));
  part.pending.clear();
  return {};
}

/// Whether any two places have the same hash; a hash table is faster than sorting.
bool IdIndex::has_duplicate(std::span<const IdLocation> locations) {
  const std::size_t mask = std::bit_ceil(locations.size() * 2) - 1;
  m_table.assign(mask + 1, 0);
  for (const IdLocation& location : locations) {
    // The lowest bits selected the part.
    std::size_t at = (location.id / k_parts) & mask;
    for (; m_table[at] != 0; at = (at + 1) & mask) {
      if (m_table[at] == location.id) return true;
    }
    m_table[at] = location.id;
  }
  return false;
}

Result<void> IdIndex::for_each_duplicate(const Found& found) {
  std::vector<IdLocation> locations;
  for (Part& part : m_parts) {
    SVC_CHECK(part.locations.append(part.pending));
    part.pending = {};
    SVC_TRY(bytes, part.locations.read(0, part.locations.size()));
    locations.resize(bytes.size() / sizeof(IdLocation));
    if (locations.empty()) continue;
    std::memcpy(locations.data(), bytes.data(), bytes.size());
    if (!has_duplicate(locations)) continue;
    const auto key = [](const IdLocation& location) {
      return std::tuple(location.id, location.ordinal);
    };
    std::ranges::sort(locations, {}, key);
    for (auto begin = locations.begin(); begin != locations.end();) {
      const auto end = std::find_if(begin, locations.end(), [&](const IdLocation& location) {
        return location.id != begin->id;
      });
      if (end - begin > 1) SVC_CHECK(found({begin, end}));
      begin = end;
    }
  }
  return {};
}

}  // namespace svc::batch
