#include "http/curl_library.h"

#include "base/shared_library.h"

namespace svc::http {
namespace {

Result<CurlLibrary> find_curl() {
  SVC_TRY(library, SharedLibrary::load_for("a connection", "libcurl.so.4", "libcurl4"));
  CurlLibrary curl{};
  SVC_CHECK(library.find(curl.version, "curl_version"));
  SVC_CHECK(library.find(curl.easy_init, "curl_easy_init"));
  SVC_CHECK(library.find(curl.easy_cleanup, "curl_easy_cleanup"));
  SVC_CHECK(library.find(curl.easy_getinfo, "curl_easy_getinfo"));
  SVC_CHECK(library.find(curl.easy_recv, "curl_easy_recv"));
  SVC_CHECK(library.find(curl.easy_send, "curl_easy_send"));
  SVC_CHECK(library.find(curl.set_option, "curl_easy_setopt"));
  SVC_CHECK(library.find(curl.easy_strerror, "curl_easy_strerror"));
  SVC_CHECK(library.find(curl.mime_init, "curl_mime_init"));
  SVC_CHECK(library.find(curl.mime_free, "curl_mime_free"));
  SVC_CHECK(library.find(curl.mime_addpart, "curl_mime_addpart"));
  SVC_CHECK(library.find(curl.mime_data, "curl_mime_data"));
  SVC_CHECK(library.find(curl.mime_data_cb, "curl_mime_data_cb"));
  SVC_CHECK(library.find(curl.mime_filename, "curl_mime_filename"));
  SVC_CHECK(library.find(curl.mime_name, "curl_mime_name"));
  SVC_CHECK(library.find(curl.mime_type, "curl_mime_type"));
  SVC_CHECK(library.find(curl.multi_init, "curl_multi_init"));
  SVC_CHECK(library.find(curl.multi_cleanup, "curl_multi_cleanup"));
  SVC_CHECK(library.find(curl.multi_add_handle, "curl_multi_add_handle"));
  SVC_CHECK(library.find(curl.multi_remove_handle, "curl_multi_remove_handle"));
  SVC_CHECK(library.find(curl.multi_info_read, "curl_multi_info_read"));
  SVC_CHECK(library.find(curl.multi_perform, "curl_multi_perform"));
  SVC_CHECK(library.find(curl.multi_poll, "curl_multi_poll"));
  SVC_CHECK(library.find(curl.multi_setopt, "curl_multi_setopt"));
  SVC_CHECK(library.find(curl.slist_append, "curl_slist_append"));
  SVC_CHECK(library.find(curl.slist_free_all, "curl_slist_free_all"));
  return curl;
}

const Result<CurlLibrary>& the_library() {
  static const Result<CurlLibrary> library = find_curl();
  return library;
}

}  // namespace

Result<void> load_curl() {
  if (!the_library()) return the_library().error();
  return {};
}

const CurlLibrary& libcurl() {
  return *the_library();
}

}  // namespace svc::http
