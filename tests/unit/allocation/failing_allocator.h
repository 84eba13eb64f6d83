// An allocator that fails once, at the k-th request of this thread: operator new then throws
// std::bad_alloc, and the allocators given to libcurl and libcrypto give null.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <string>
#include <string_view>

#include "base/result.h"

namespace svc::test {

/// While it lives, the allocation `at` (from 0) of this thread fails, once.
class FailingAllocator {
 public:
  explicit FailingAllocator(std::uint64_t at) noexcept;
  FailingAllocator(const FailingAllocator&) = delete;
  FailingAllocator& operator=(const FailingAllocator&) = delete;
  ~FailingAllocator();

  /// Whether it came so far.
  [[nodiscard]] bool has_failed() const noexcept;
};

/// What this thread got from operator new and has not given back.
[[nodiscard]] std::int64_t live_allocations() noexcept;

/// Gives libcurl and libcrypto allocators that fail in the same way. To be called once, before
/// either is used; what they have allocated is not among live_allocations(). False when it is too
/// late.
[[nodiscard]] bool hook_libraries();

/// Does something and tells what came of it, as text.
using Operation = std::function<Result<std::string>()>;

/// Runs `operation` again and again, each time with an allocation failing that is one further on,
/// until none is left to fail. Each run must throw std::bad_alloc, give an Error with a message, or
/// give what an undisturbed run gives: nothing less. Whatever comes, `after` (which may be empty)
/// then checks what is left behind, and no memory may be lost. Gives the number of runs.
std::uint64_t fail_at_every_allocation(std::string_view name, const Operation& operation,
                                       const std::function<void()>& after = {});

}  // namespace svc::test
