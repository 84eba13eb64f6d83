#include "emulator/api/stt/routes.h"

#include "emulator/api/realtime/secrets.h"
#include "emulator/api/stt/stream.h"
#include "emulator/api/stt/upload.h"

namespace svc::emulator {

std::vector<Route> stt_routes() {
  constexpr const char* acl = "stt";
  constexpr std::uint64_t k_room_for_fields = 1U << 20U;
  Route upload{"POST", "/v1/stt", stt::transcribe_upload, acl, Input::Free};
  upload.max_body = stt::k_most_upload + k_room_for_fields;
  upload.run = RunOn::Worker;
  upload.spool = true;
  return {std::move(upload), socket_route({.path = "/v1/stt",
                                           .factory = stt::open_stream,
                                           .endpoint_acl = acl,
                                           .secrets = realtime::find_client_secret})};
}

}  // namespace svc::emulator
