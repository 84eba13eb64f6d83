// An allocator that fails once, at this thread's k-th allocation: operator new throws
// std::bad_alloc, and libcurl's and libcrypto's allocators return null.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <string>
#include <string_view>

#include "base/result.h"

namespace svc::test {

/// While it exists, this thread's allocation `at` (from 0) fails once.
class FailingAllocator {
 public:
  explicit FailingAllocator(std::uint64_t at) noexcept;
  FailingAllocator(const FailingAllocator&) = delete;
  FailingAllocator& operator=(const FailingAllocator&) = delete;
  ~FailingAllocator();

  /// Whether that allocation has happened.
  [[nodiscard]] bool has_failed() const noexcept;
};

/// This thread's unreleased memory from operator new.
[[nodiscard]] std::int64_t live_allocations() noexcept;

/// Gives libcurl and libcrypto allocators that fail in the same way. Must be called once, before
/// either is used; live_allocations() does not count their memory. Returns false if it is too late.
[[nodiscard]] bool hook_libraries();

/// Runs an operation and returns its result as text.
using Operation = std::function<Result<std::string>()>;

/// Runs `operation` repeatedly, each time with a later allocation failing, until none is left to
/// fail. Each run must throw std::bad_alloc, return an Error with a message, or return the same
/// result as an undisturbed run. After each run, `after` (which may be empty) checks the remaining
/// state, and no memory may be leaked. Returns the number of runs.
std::uint64_t fail_at_every_allocation(std::string_view name, const Operation& operation,
                                       const std::function<void()>& after = {});

}  // namespace svc::test
