// Deliveries that were taken already: a sender repeats what it is not sure about.
#pragma once

#include <chrono>
#include <cstddef>
#include <list>
#include <string>
#include <string_view>
#include <unordered_map>

namespace svc::webhook {

/// Remembers ids for a time, up to a number: the oldest is forgotten first. Only what was
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
