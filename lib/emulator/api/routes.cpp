// The routing table.
#include "emulator/handler/routes.h"

#include <algorithm>
#include <array>
#include <memory>

#include "base/text.h"
#include "emulator/api/legacy/handlers.h"
#include "emulator/api/realtime/open.h"
#include "emulator/api/stt/handlers.h"
#include "emulator/api/text/handlers.h"
#include "emulator/control/answers.h"
#include "emulator/model/answer.h"

namespace svc::emulator {
std::vector<Route> text_routes() {
  constexpr const char* acl = "chat";
  return {
      {"POST", "/v1/chat/completions", text::create_chat, acl},
      {"GET", "/v1/chat/deferred-completion/{request_id}", text::fetch_deferred, acl},
      {"POST", "/v1/responses", text::create_response, acl},
      {"POST", "/v1/responses/compact", text::compact, acl},
      {"GET", "/v1/responses/{response_id}", text::get_response, acl},
      {"DELETE", "/v1/responses/{response_id}", text::delete_response, acl},
      {"GET", "/v1/responses/{response_id}/input_items", text::list_input_items, acl},
  };
}

std::vector<Route> legacy_routes() {
  constexpr const char* acl = "chat";
  return {
      {"POST", "/v1/completions", legacy::completions, acl},
      {"POST", "/v1/messages", legacy::messages, acl},
      {"POST", "/v1/complete", legacy::complete, acl},
  };
}

std::vector<Route> stt_routes() {
  constexpr const char* acl = "stt";
  constexpr std::uint64_t k_room_for_fields = 1U << 20U;
  Route upload{"POST", "/v1/stt", stt::transcribe_upload, acl, Input::Free};
  upload.max_body = stt::k_max_upload + k_room_for_fields;
  upload.run = RunOn::Worker;
  upload.spool = true;
  return {std::move(upload), socket_route({.path = "/v1/stt",
                                           .factory = stt::open_stream,
                                           .endpoint_acl = acl,
                                           .secrets = realtime::find_client_secret})};
}

std::vector<Route> realtime_routes(std::shared_ptr<const realtime::Speech> speech) {
  constexpr const char* acl = "realtime";
  if (!speech) speech = realtime::make_speech();
  const auto slots = std::make_shared<realtime::SessionSlots>();
  return {{"POST", "/v1/realtime/client_secrets", realtime::create_client_secret, acl},
          socket_route({.path = "/v1/realtime",
                        .factory =
                            [slots, speech](const Request& request) {
                              return realtime::open_session(request, slots, speech);
                            },
                        .endpoint_acl = acl,
                        .secrets = realtime::find_client_secret})};
}

namespace {

// The operations of a language model apply the rules themselves.
bool applies_rules_itself(sv operation) {
  constexpr std::array<sv, 6> k_names = {"chat",     "responses", "completions",
                                         "messages", "complete",  "realtime"};
  return std::ranges::find(k_names, operation) != k_names.end();
}

}  // namespace

std::vector<Route> all_routes(const VideoOptions& videos) {
  std::vector<Route> routes;
  for (auto&& group : {
           api_key_routes(),
           model_routes(),
           tokenize_routes(),
           text_routes(),
           file_routes(),
           batch_routes(),
           legacy_routes(),
           docs_routes(),
           image_routes(),
           video_routes(videos),
           media_routes(),
           key_routes(),
           billing_routes(),
           collection_routes(),
           tts_routes(),
           stt_routes(),
           phone_routes(),
           realtime_routes(),
       }) {
    routes.insert(routes.end(), group.begin(), group.end());
  }
  for (Route& route : routes) {
    const std::string full = route.method + " " + route.path;
    const std::string operation(operation_name(full));
    if (route.path.starts_with("/_") || applies_rules_itself(operation)) continue;
    route.handler = text::answered_by_rules(operation, route.handler);
  }
  return routes;
}

}  // namespace svc::emulator
