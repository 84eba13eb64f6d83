// Where errors and exceptions of the inside become errors of the interface.
#pragma once

#include <type_traits>
#include <utility>

#include "base/result.h"
#include "svc/result.h"

namespace svc::v0 {

/// The error of the library as one of the interface.
[[nodiscard]] Error exported(svc::Error error);

/// For a handler: the error of its exception, which is a bug or a lack of memory.
[[nodiscard]] svc::Error error_of_exception() noexcept;

/// Runs `work`, which returns svc::Result<T>. Nothing that it throws gets out.
template <typename T, typename Work>
[[nodiscard]] Result<T> at_boundary(Work&& work) noexcept {
  try {
    svc::Result<T> ended = std::forward<Work>(work)();
    if (!ended) return exported(std::move(ended).error());
    if constexpr (std::is_void_v<T>) {
      return {};
    } else {
      return *std::move(ended);
    }
  } catch (...) {
    return exported(error_of_exception());
  }
}

}  // namespace svc::v0
