// A project with directories and functions of the same names as those inside libsvc.
#include <iostream>
#include <string>

#include "base/result.h"
#include "http/transport.h"
#include <svc/svc.h>

namespace svc::http {

// libsvc has a function of this name and type, which must not be this one, nor the other way round.
std::string curl_version_text() {
  return "mine";
}

}  // namespace svc::http

int main() {
  const auto client = svc::Client::open();
  if (!client) return 1;
  const auto mistyped = client->call("chat", {{"prompt", "Hello"}, {"temprature", "1"}});
  if (mistyped || mistyped.error().fault != svc::Fault::Usage) return 1;
  std::cout << mistyped.error().message << '\n' << mistyped.error().hint << '\n';
  const auto answer = client->call("chat", {{"prompt", "Say exactly: hello"}});
  if (!answer || answer->body.find("\"hello\"") == std::string::npos) return 1;
  std::cout << svc::http::curl_version_text() << ' ' << Result().value << ' ' << transport()
            << '\n';
}
