#include "request/template.h"

#include <algorithm>

#include <nlohmann/json.hpp>

#include "base/text.h"

namespace svc::request {

using Json = nlohmann::ordered_json;

namespace {

/// "docs.example.com" of "https://docs.example.com:8080/sse"; all of it when it is no URL.
std::string host_in(sv text) {
  const std::size_t slashes = text.find("//");
  if (slashes != sv::npos) text.remove_prefix(slashes + 2);
  return std::string(text.substr(0, text.find_first_of(":/?#")));
}

Json parts_of(sv text) {
  Json parts = Json::array();
  for (const sv part : split(text, ',')) {
    if (!trim(part).empty()) parts.push_back(trim(part));
  }
  return parts;
}

void fill(Json& at, sv value) {
  if (at == Json("$")) {
    at = value;
  } else if (at == Json("$list")) {
    at = parts_of(value);
  } else if (at == Json("$host")) {
    at = host_in(value);
  } else if (at.is_structured()) {
    for (Json& element : at) fill(element, value);
  }
}

}  // namespace

Json fill_template(std::string_view form, std::string_view value) {
  Json filled = Json::parse(form.begin(), form.end());
  fill(filled, value);
  return filled;
}

}  // namespace svc::request
