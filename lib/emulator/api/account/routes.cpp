#include "emulator/api/account/routes.h"

#include <nlohmann/json.hpp>

#include "base/clock.h"
#include "emulator/json/json_answer.h"

namespace svc::emulator {
namespace {

using Json = nlohmann::ordered_json;

Answer get_api_key(const Call& call) {
  const KeyRecord& key = call.key;
  const Json body = {{"acls", key.acls},
                     {"api_key_blocked", key.blocked},
                     {"api_key_disabled", key.disabled},
                     {"api_key_id", key.id},
                     {"create_time", format_rfc3339(key.create_time)},
                     {"modified_by", key.modified_by},
                     {"modify_time", format_rfc3339(key.modify_time)},
                     {"name", key.name},
                     {"redacted_api_key", key.redacted},
                     {"team_blocked", key.team_blocked},
                     {"team_id", key.team_id},
                     {"user_id", key.user_id}};
  return json_answer(body);
}

}  // namespace

std::vector<Route> api_key_routes() {
  // Any key: it is how a caller learns that its key is disabled or blocked.
  return {{.method = "GET", .path = "/v1/api-key", .handler = get_api_key, .key = KeyNeed::Any}};
}

}  // namespace svc::emulator
