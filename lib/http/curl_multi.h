// What libcurl's multi interface needs around it. Internal to lib/http.
#pragma once

#include <chrono>
#include <memory>

#include "base/cancel_token.h"
#include "base/no_broken_pipe.h"
#include "http/curl_library.h"

namespace svc::http {

/// How long a wait may last when the stop cannot wake it.
inline constexpr std::chrono::milliseconds k_blind_wait{50};
inline constexpr std::chrono::milliseconds k_longest_wait{1000};

struct MultiFree {
  void operator()(CURLM* multi) const noexcept { libcurl().multi_cleanup(multi); }
};

using Multi = std::unique_ptr<CURLM, MultiFree>;

/// Waits until libcurl has something to do or `stop` wakes it, for `longest` at most.
inline void wait_for_libcurl(const Multi& multi, const CancelToken& cancel,
                             std::chrono::milliseconds longest) {
  const bool wakes = cancel.wake_fd() >= 0;
  curl_waitfd extra{cancel.wake_fd(), CURL_WAIT_POLLIN, 0};
  libcurl().multi_poll(multi.get(), &extra, wakes ? 1 : 0, static_cast<int>(longest.count()),
                       nullptr);
}

/// How long a wait may last, whatever it waits for.
inline std::chrono::milliseconds longest_wait(const CancelToken& cancel) {
  return cancel.wake_fd() < 0 ? k_blind_wait : k_longest_wait;
}

}  // namespace svc::http
