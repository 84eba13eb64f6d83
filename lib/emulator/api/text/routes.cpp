#include "emulator/api/text/routes.h"

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

}  // namespace svc::emulator
