// The routing table.
#include "emulator/handler/routes.h"

#include <iterator>
#include <memory>

#include "emulator/api/legacy/handlers.h"
#include "emulator/api/media/store.h"
#include "emulator/api/phone/handlers.h"
#include "emulator/api/realtime/open.h"
#include "emulator/api/stt/handlers.h"
#include "emulator/api/text/handlers.h"

namespace svc::emulator {
std::vector<Route> text_routes(TextOptions options) {
  constexpr const char* acl = "chat";
  return {
      {"POST", "/v1/chat/completions",
       [options](const Call& call) { return text::create_chat(call, options); }, acl},
      {"GET", "/v1/chat/deferred-completion/{request_id}", text::fetch_deferred, acl},
      {"POST", "/v1/responses",
       [options](const Call& call) { return text::create_response(call, options); }, acl},
      {"POST", "/v1/responses/compact", text::compact, acl},
      {"GET", "/v1/responses/{response_id}", text::get_response, acl},
      {"DELETE", "/v1/responses/{response_id}", text::delete_response, acl},
      {"GET", "/v1/responses/{response_id}/input_items", text::list_input_items, acl},
  };
}

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

std::vector<Route> phone_routes() {
  constexpr const char* k_numbers_acl = "phone-numbers";
  constexpr const char* k_realtime_acl = "realtime";
  const std::string one = "/v2/phone-numbers/{phone_number_id}";
  const std::string call_path = "/v1/realtime/calls/{call_id}";
  const auto courier = std::make_shared<phone::Courier>();
  Route incoming{"POST", "/_emulator/calls",
                 [courier](const Call& call) { return phone::simulate_call(call, courier); }};
  Route shown{"GET", "/_emulator/calls/{call_id}", phone::show_call};
  incoming.key = shown.key = KeyNeed::None;
  return {
      {"POST", "/v2/phone-numbers", phone::create_number, k_numbers_acl},
      {"GET", "/v2/phone-numbers", phone::list_numbers, k_numbers_acl},
      {"GET", one, phone::get_number, k_numbers_acl},
      {"PATCH", one, phone::update_number_by_mask, k_numbers_acl},
      {"DELETE", one, phone::remove_number, k_numbers_acl},
      {"POST", call_path + "/refer", phone::refer_call, k_realtime_acl},
      {"POST", call_path + "/hangup", phone::hang_up, k_realtime_acl, Input::Free},
      std::move(incoming),
      std::move(shown),
  };
}

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
  return routes;
}

}  // namespace svc::emulator
