#include "http/curl_library.h"

#include "base/platform.h"

#ifdef SVC_PORTABLE
#include <openssl/crypto.h>
#endif

namespace svc::http {
namespace {

Result<CurlLibrary> find_curl() {
#ifdef SVC_PORTABLE
  // libcurl's OpenSSL is this program's too. Freeing its tables when the program ends would take a
  // twelfth of a request over TLS.
  ::OPENSSL_init_crypto(OPENSSL_INIT_NO_ATEXIT, nullptr);
#endif
  const std::string name = library_name("curl", 4);
  const auto library = BundledLibrary::load(name);
  if (!library) {
    if (library.error().cause == Cause::NoDescriptors) return library.error();
    return Error{Fault::Local, "cannot load " + name + ": " + library.error().message,
                 install_hint("libcurl4")};
  }
  SVC_TRY(functions, CurlFunctions::find_in(*library));
  return CurlLibrary{functions};
}

const Result<CurlLibrary>& curl_library() {
  static const Result<CurlLibrary> library = find_curl();
  return library;
}

}  // namespace

Result<void> load_curl() {
  if (!curl_library()) return curl_library().error();
  return {};
}

const CurlLibrary& libcurl() {
  return *curl_library();
}

}  // namespace svc::http
