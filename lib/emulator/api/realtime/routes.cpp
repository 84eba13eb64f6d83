#include "emulator/api/realtime/routes.h"

#include "emulator/api/realtime/open.h"
#include "emulator/api/realtime/secrets.h"

namespace svc::emulator {
std::vector<Route> realtime_routes(std::shared_ptr<const realtime::Speech> speech) {
  constexpr const char* acl = "realtime";
  if (!speech) speech = realtime::make_speech();
  const auto seats = std::make_shared<realtime::Seats>();
  return {{"POST", "/v1/realtime/client_secrets", realtime::create_client_secret, acl},
          socket_route({.path = "/v1/realtime",
                        .factory =
                            [seats, speech](const Call& call) {
                              return realtime::open_session(call, seats, speech);
                            },
                        .endpoint_acl = acl,
                        .secrets = realtime::find_client_secret})};
}

}  // namespace svc::emulator
