#include "emulator/legacy/routes.h"

#include "emulator/legacy/handlers.h"

namespace svc::emulator {

std::vector<Route> legacy_routes(TextOptions options) {
  constexpr const char* k_acl = "chat";
  return {
      {"POST", "/v1/completions",
       [options](const Call& call) { return legacy::completions(call, options); }, k_acl},
      {"POST", "/v1/messages",
       [options](const Call& call) { return legacy::messages(call, options); }, k_acl},
      {"POST", "/v1/complete", legacy::complete, k_acl},
  };
}

}  // namespace svc::emulator
