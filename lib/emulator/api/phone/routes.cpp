#include "emulator/api/phone/routes.h"

#include "emulator/api/phone/handlers.h"

namespace svc::emulator {

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

}  // namespace svc::emulator
