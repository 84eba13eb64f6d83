#include "client/reply_json.h"

#include <nlohmann/json.hpp>

#include "base/json_mend.h"

namespace svc {

namespace {

template <typename Json>
Json parse(std::string_view text) {
  Json document = Json::parse(text, nullptr, false);
  if (document.is_discarded()) document = Json::parse(mend_json(text), nullptr, false);
  return document;
}

}  // namespace

nlohmann::json parse_reply(std::string_view text) {
  return parse<nlohmann::json>(text);
}

nlohmann::ordered_json parse_reply_in_order(std::string_view text) {
  return parse<nlohmann::ordered_json>(text);
}

}  // namespace svc
