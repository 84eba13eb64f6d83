#include "emulator/text/routes.h"

#include "emulator/text/handlers.h"

namespace svc::emulator {

std::vector<Route> text_routes(TextOptions options) {
  constexpr const char* k_acl = "chat";
  return {
      {"POST", "/v1/chat/completions",
       [options](const Call& call) { return text::create_chat(call, options); }, k_acl},
      {"GET", "/v1/chat/deferred-completion/{request_id}", text::fetch_deferred, k_acl},
      {"POST", "/v1/responses",
       [options](const Call& call) { return text::create_response(call, options); }, k_acl},
      {"POST", "/v1/responses/compact", text::compact, k_acl},
      {"GET", "/v1/responses/{response_id}", text::get_response, k_acl},
      {"DELETE", "/v1/responses/{response_id}", text::delete_response, k_acl},
      {"GET", "/v1/responses/{response_id}/input_items", text::list_input_items, k_acl},
  };
}

}  // namespace svc::emulator
