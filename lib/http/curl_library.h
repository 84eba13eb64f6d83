// Loads libcurl when the first connection is made. libcurl pulls in thirty libraries, which would
// account for three quarters of the start-up time, and `svc --help`, completions and dry runs do
// not need them.
#pragma once

#include <chrono>
#include <memory>
#include <type_traits>

#include <curl/curl.h>

#include "base/cancel_token.h"
#include "base/result.h"
#include "base/shared_library.h"
#include "base/sigpipe_guard.h"

// curl.h defines these as macros for C callers.
#undef curl_easy_getinfo
#undef curl_easy_setopt
#undef curl_multi_setopt

namespace svc::http {

// clang-format off
#define SVC_CURL_FUNCTIONS(F) \
  F(version, curl_version) \
  F(version_info, curl_version_info) \
  F(easy_init, curl_easy_init) \
  F(easy_cleanup, curl_easy_cleanup) \
  F(easy_getinfo, curl_easy_getinfo) \
  F(easy_recv, curl_easy_recv) \
  F(easy_send, curl_easy_send) \
  F(easy_setopt, curl_easy_setopt) \
  F(easy_strerror, curl_easy_strerror) \
  F(mime_init, curl_mime_init) \
  F(mime_free, curl_mime_free) \
  F(mime_addpart, curl_mime_addpart) \
  F(mime_data, curl_mime_data) \
  F(mime_data_cb, curl_mime_data_cb) \
  F(mime_filename, curl_mime_filename) \
  F(mime_name, curl_mime_name) \
  F(mime_type, curl_mime_type) \
  F(multi_init, curl_multi_init) \
  F(multi_cleanup, curl_multi_cleanup) \
  F(multi_add_handle, curl_multi_add_handle) \
  F(multi_remove_handle, curl_multi_remove_handle) \
  F(multi_info_read, curl_multi_info_read) \
  F(multi_perform, curl_multi_perform) \
  F(multi_poll, curl_multi_poll) \
  F(multi_setopt, curl_multi_setopt) \
  F(slist_append, curl_slist_append) \
  F(slist_free_all, curl_slist_free_all)
// clang-format on
SVC_BUNDLED_LIBRARY(CurlFunctions, SVC_CURL_FUNCTIONS);

/// The libcurl functions in use, named without the `curl_` prefix.
struct CurlLibrary : CurlFunctions {
  /// The value must have the type that libcurl reads: long or curl_off_t, never int.
  template <typename Value>
  CURLcode easy_setopt(CURL* handle, CURLoption option, Value value) const {
    static_assert(std::is_pointer_v<Value> || std::is_null_pointer_v<Value> ||
                  std::is_same_v<Value, long> || std::is_same_v<Value, curl_off_t>);
    return CurlFunctions::easy_setopt(handle, option, value);
  }
};

/// Loads libcurl on the first call; thread-safe. Local, with a hint on what to install, if it
/// cannot be loaded.
[[nodiscard]] Result<void> load_curl();

/// Call only after load_curl() has succeeded.
[[nodiscard]] const CurlLibrary& libcurl();

/// The longest wait if the cancel token cannot interrupt it.
inline constexpr std::chrono::milliseconds k_poll_interval{50};
inline constexpr std::chrono::milliseconds k_max_wait{1000};

struct MultiDeleter {
  void operator()(CURLM* multi) const noexcept {
    const SigpipeGuard guard;  // it says goodbye to peers that may be gone
    libcurl().multi_cleanup(multi);
  }
};

using Multi = std::unique_ptr<CURLM, MultiDeleter>;

/// Null without memory.
inline Multi make_multi() {
  Multi multi(libcurl().multi_init());
  // CURLMOPT_QUICK_EXIT, of newer versions only: a slow name lookup must not delay the exit. Older
  // ones know CURLOPT_QUICK_EXIT instead, and refuse this.
  if (multi) libcurl().multi_setopt(multi.get(), static_cast<CURLMoption>(21), 1L);
  return multi;
}

/// Waits until libcurl has something to do, `cancel` wakes it or `timeout` has elapsed.
inline void wait_for_libcurl(const Multi& multi, const CancelToken& cancel,
                             std::chrono::milliseconds timeout) {
  const bool wakes = cancel.wake_fd() >= 0;
  curl_waitfd extra{cancel.wake_fd(), CURL_WAIT_POLLIN, 0};
  libcurl().multi_poll(multi.get(), &extra, wakes ? 1 : 0, static_cast<int>(timeout.count()),
                       nullptr);
}

/// The longest single wait.
inline std::chrono::milliseconds poll_timeout(const CancelToken& cancel) {
  return cancel.wake_fd() < 0 ? k_poll_interval : k_max_wait;
}

}  // namespace svc::http
