#include "request/plan.h"

#include <variant>

#include <fmt/format.h>

#include "base/text.h"

namespace svc::request {

std::string placeholder_id(std::string_view kind) {
  return fmt::format("{}_{}", kind, random_uuid());
}

void put_variable(Request& request, std::string_view placeholder, const std::string& name) {
  const std::string variable = "$" + name;
  bool found = false;
  const auto put = [&](std::string& text) {
    if (text.find(placeholder) == std::string::npos) return;
    found = true;
    text = replace_all(std::move(text), placeholder, variable);
  };
  put(request.url);
  if (auto* text = std::get_if<std::string>(&request.body)) put(*text);
  if (auto* sections = std::get_if<std::vector<BodySection>>(&request.body)) {
    for (BodySection& section : *sections) {
      if (auto* text = std::get_if<std::string>(&section)) put(*text);
    }
  }
  if (auto* parts = std::get_if<std::vector<Part>>(&request.body)) {
    for (Part& part : *parts) {
      if (auto* text = std::get_if<std::string>(&part.content)) put(*text);
    }
  }
  if (found) request.variables.push_back(variable);
}

}  // namespace svc::request
