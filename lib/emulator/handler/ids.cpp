#include "emulator/handler/ids.h"

#include <mutex>
#include <optional>
#include <random>

#include <fmt/format.h>

#include "base/text.h"

namespace svc::emulator {
namespace {

std::mutex g_ids_mutex;
std::optional<std::mt19937_64> g_seeded_ids;

}  // namespace

void seed_ids(std::uint64_t seed) {
  const std::lock_guard lock(g_ids_mutex);
  g_seeded_ids.emplace(seed);
}

std::string new_uuid() {
  const std::lock_guard lock(g_ids_mutex);
  if (!g_seeded_ids) return random_uuid();
  const std::uint64_t high = (*g_seeded_ids)();
  const std::uint64_t low = (*g_seeded_ids)();
  return fmt::format("{:08x}-{:04x}-4{:03x}-{:04x}-{:012x}", high >> 32U, high >> 16U & 0xFFFFU,
                     high & 0xFFFU, 0x8000U | (low >> 48U & 0x3FFFU), low & 0xFFFF'FFFF'FFFFU);
}

}  // namespace svc::emulator
