// A flag that threads can wait for with poll(2), set again and again.
#pragma once

#include "base/event.h"

namespace svc {

/// An event that the thread which it wakes takes back, before it looks at what has changed.
class RepeatedEvent final : public Event {
 public:
  void clear() noexcept {
    std::uint64_t count = 0;
    [[maybe_unused]] const ssize_t got = ::read(descriptor(), &count, sizeof count);
  }
};

}  // namespace svc
