#include "emulator/api/routes.h"

#include <iterator>

#include "emulator/api/account/routes.h"
#include "emulator/api/batches/routes.h"
#include "emulator/api/billing/routes.h"
#include "emulator/api/collections/routes.h"
#include "emulator/api/docs/routes.h"
#include "emulator/api/files/routes.h"
#include "emulator/api/images/routes.h"
#include "emulator/api/keys/routes.h"
#include "emulator/api/legacy/routes.h"
#include "emulator/api/media/listing.h"
#include "emulator/api/media/serve.h"
#include "emulator/api/phone/routes.h"
#include "emulator/api/realtime/routes.h"
#include "emulator/api/stt/routes.h"
#include "emulator/api/text/routes.h"
#include "emulator/api/tts/routes.h"

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
