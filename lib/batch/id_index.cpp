#include "batch/id_index.h"

#include <algorithm>
#include <bit>
#include <cstring>
#include <tuple>
#include <vector>

namespace svc::batch {
namespace {

constexpr std::size_t k_pending = 32U << 10U;

}  // namespace

Result<void> IdIndex::add(const IdPlace& place) {
  Part& part = m_parts[place.id % k_parts];
  char bytes[sizeof place];
  std::memcpy(bytes, &place, sizeof place);
  part.pending.append(bytes, sizeof bytes);
  if (part.pending.size() < k_pending) return {};
  SVC_CHECK(part.places.append(part.pending));
  part.pending.clear();
  return {};
}

/// Whether any two places have the same hash; a hash table is faster than sorting.
bool IdIndex::has_same(std::span<const IdPlace> places) {
  const std::size_t mask = std::bit_ceil(places.size() * 2) - 1;
  m_table.assign(mask + 1, 0);
  for (const IdPlace& place : places) {
    // The lowest bits selected the part.
    std::size_t at = (place.id / k_parts) & mask;
    for (; m_table[at] != 0; at = (at + 1) & mask) {
      if (m_table[at] == place.id) return true;
    }
    m_table[at] = place.id;
  }
  return false;
}

Result<void> IdIndex::each_same(const Found& found) {
  std::vector<IdPlace> places;
  for (Part& part : m_parts) {
    SVC_CHECK(part.places.append(part.pending));
    part.pending = {};
    SVC_TRY(bytes, part.places.read(0, part.places.size()));
    places.resize(bytes.size() / sizeof(IdPlace));
    if (places.empty()) continue;
    std::memcpy(places.data(), bytes.data(), bytes.size());
    if (!has_same(places)) continue;
    const auto key = [](const IdPlace& place) { return std::tuple(place.id, place.ordinal); };
    std::ranges::sort(places, {}, key);
    for (auto begin = places.begin(); begin != places.end();) {
      const auto end = std::find_if(begin, places.end(),
                                    [&](const IdPlace& place) { return place.id != begin->id; });
      if (end - begin > 1) SVC_CHECK(found({begin, end}));
      begin = end;
    }
  }
  return {};
}

}  // namespace svc::batch
