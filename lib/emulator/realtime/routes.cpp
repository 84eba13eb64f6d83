#include "emulator/realtime/routes.h"

#include "emulator/realtime/open.h"
#include "emulator/realtime/secrets.h"

namespace svc::emulator {
namespace {

/// Stands where the emulator was built without speech: sessions in text work.
class NoSpeech final : public realtime::Speech {
 public:
  [[nodiscard]] Result<realtime::SpokenAudio> speak(const realtime::SpeechWish&) const override {
    return Error{Fault::Local, "This emulator was built without speech synthesis."};
  }
  [[nodiscard]] Result<std::string> hear(std::span<const std::int16_t>, int) const override {
    return Error{Fault::Local, "This emulator was built without speech recognition."};
  }
};

}  // namespace

std::vector<Route> realtime_routes(std::shared_ptr<const realtime::Speech> speech) {
  constexpr const char* k_acl = "realtime";
  if (!speech) speech = std::make_shared<NoSpeech>();
  const auto seats = std::make_shared<realtime::Seats>();
  return {{"POST", "/v1/realtime/client_secrets", realtime::create_client_secret, k_acl},
          socket_route({.path = "/v1/realtime",
                        .factory =
                            [seats, speech](const Call& call) {
                              return realtime::open_session(call, seats, speech);
                            },
                        .endpoint_acl = k_acl,
                        .secrets = realtime::find_client_secret})};
}

}  // namespace svc::emulator
