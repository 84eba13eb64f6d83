#include "client/reply_json.h"

#include <nlohmann/json.hpp>

#include "base/json_mend.h"

namespace svc {

nlohmann::json parse_reply(std::string_view text) {
  nlohmann::json document = nlohmann::json::parse(text, nullptr, false);
  if (document.is_discarded()) document = nlohmann::json::parse(mend_json(text), nullptr, false);
  return document;
}

}  // namespace svc
