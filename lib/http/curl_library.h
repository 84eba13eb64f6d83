// libcurl, loaded when the first connection is made: with the thirty libraries that it brings, it
// takes three quarters of the time in which a program starts, and `svc --help`, a completion or a
// dry run need none of it.
#pragma once

#include <type_traits>

#include <curl/curl.h>

#include "base/result.h"

// curl.h makes macros of these for callers in C.
#undef curl_easy_getinfo
#undef curl_easy_setopt
#undef curl_multi_setopt

namespace svc::http {

/// The functions of libcurl that are used, by their names without `curl_`.
struct CurlLibrary {
  decltype(&::curl_version) version;
  decltype(&::curl_easy_init) easy_init;
  decltype(&::curl_easy_cleanup) easy_cleanup;
  decltype(&::curl_easy_getinfo) easy_getinfo;
  decltype(&::curl_easy_recv) easy_recv;
  decltype(&::curl_easy_send) easy_send;
  decltype(&::curl_easy_strerror) easy_strerror;
  decltype(&::curl_mime_init) mime_init;
  decltype(&::curl_mime_free) mime_free;
  decltype(&::curl_mime_addpart) mime_addpart;
  decltype(&::curl_mime_data) mime_data;
  decltype(&::curl_mime_data_cb) mime_data_cb;
  decltype(&::curl_mime_filename) mime_filename;
  decltype(&::curl_mime_name) mime_name;
  decltype(&::curl_mime_type) mime_type;
  decltype(&::curl_multi_init) multi_init;
  decltype(&::curl_multi_cleanup) multi_cleanup;
  decltype(&::curl_multi_add_handle) multi_add_handle;
  decltype(&::curl_multi_remove_handle) multi_remove_handle;
  decltype(&::curl_multi_info_read) multi_info_read;
  decltype(&::curl_multi_perform) multi_perform;
  decltype(&::curl_multi_poll) multi_poll;
  decltype(&::curl_multi_setopt) multi_setopt;
  decltype(&::curl_slist_append) slist_append;
  decltype(&::curl_slist_free_all) slist_free_all;

  /// An option's value is what libcurl reads it as: a long or a curl_off_t, never an int.
  template <typename Value>
  CURLcode easy_setopt(CURL* handle, CURLoption option, Value value) const {
    static_assert(std::is_pointer_v<Value> || std::is_null_pointer_v<Value> ||
                  std::is_same_v<Value, long> || std::is_same_v<Value, curl_off_t>);
    return set_option(handle, option, value);
  }

  decltype(&::curl_easy_setopt) set_option;
};

/// Loads it at the first call, on any thread; Local, with what to install, when it is not there.
[[nodiscard]] Result<void> load_curl();

/// Only after load_curl() has succeeded.
[[nodiscard]] const CurlLibrary& libcurl();

}  // namespace svc::http
