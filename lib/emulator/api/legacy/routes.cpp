#include "emulator/api/legacy/routes.h"

#include "emulator/api/legacy/handlers.h"

namespace svc::emulator {

std::vector<Route> legacy_routes(TextOptions options) {
  constexpr const char* acl = "chat";
  return {
      {"POST", "/v1/completions",
       [options](const Call& call) { return legacy::completions(call, options); }, acl},
      {"POST", "/v1/messages",
       [options](const Call& call) { return legacy::messages(call, options); }, acl},
      {"POST", "/v1/complete", legacy::complete, acl},
  };
}

}  // namespace svc::emulator
