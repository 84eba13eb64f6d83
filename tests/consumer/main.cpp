// Another project that uses the installed library.
#include <cstdio>

#include <catalogue/catalogue.h>
#include <http/transport.h>
#include <request/build.h>
#include <request/show.h>

int main() {
  const svc::Operation* operation = svc::find_operation("keys", "self");
  const auto request = svc::request::build_request(*operation, {}, {.base_url = "https://x.test"});
  if (!request) return 1;
  std::puts(svc::request::show_request(*request).c_str());
  return svc::http::make_curl_transport({.user_agent = "consumer"}) == nullptr ? 1 : 0;
}
