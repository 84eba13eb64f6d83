#include "request/template.h"

#include <algorithm>

#include <nlohmann/json.hpp>

#include "base/text.h"
#include "json/document.h"

namespace svc::request {

namespace {

/// "docs.example.com" of "https://docs.example.com:8080/sse"; all of it when it is no URL.
std::string host_in(sv text) {
  const std::size_t slashes = text.find("//");
  if (slashes != sv::npos) text.remove_prefix(slashes + 2);
  return std::string(text.substr(0, text.find_first_of(":/?#")));
}

OrderedJson parts_of(sv text) {
  OrderedJson parts = OrderedJson::array();
  for (const sv part : split(text, ',')) {
    if (!trim(part).empty()) parts.push_back(trim(part));
  }
  return parts;
}

void fill(OrderedJson& at, sv value) {
  if (at == OrderedJson("$")) {
    at = value;
  } else if (at == OrderedJson("$list")) {
    at = parts_of(value);
  } else if (at == OrderedJson("$host")) {
    at = host_in(value);
  } else if (at.is_structured()) {
    for (OrderedJson& element : at) fill(element, value);
  }
}

}  // namespace

OrderedJson fill_template(std::string_view form, std::string_view value) {
  OrderedJson filled = OrderedJson::parse(form.begin(), form.end());
  fill(filled, value);
  return filled;
}

}  // namespace svc::request
