#include "emulator/routes.h"

#include <iterator>

#include "emulator/account.h"
#include "emulator/batches/routes.h"
#include "emulator/billing/routes.h"
#include "emulator/collections/routes.h"
#include "emulator/docs/routes.h"
#include "emulator/files/routes.h"
#include "emulator/images/routes.h"
#include "emulator/keys/routes.h"
#include "emulator/legacy/routes.h"
#include "emulator/media/listing.h"
#include "emulator/media/serve.h"
#include "emulator/phone/routes.h"
#include "emulator/realtime/routes.h"
#include "emulator/stt/routes.h"
#include "emulator/text/routes.h"
#include "emulator/tts/routes.h"

namespace svc::emulator {

std::vector<Route> all_routes(const VideoOptions& videos) {
  std::vector<Route> routes;
  for (auto&& group : {
           api_key_routes(),     model_routes(),   tokenize_routes(),    text_routes(),
           file_routes(),        batch_routes(),   legacy_routes(),      docs_routes(),
           media_model_routes(), image_routes(),   video_routes(videos), media_routes(),
           key_routes(),         billing_routes(), collection_routes(),  tts_routes(),
           stt_routes(),         phone_routes(),   realtime_routes(),
       }) {
    routes.insert(routes.end(), group.begin(), group.end());
  }
  return routes;
}

}  // namespace svc::emulator
