#include "request/plan.h"

#include <algorithm>
#include <utility>
#include <variant>

#include <fmt/format.h>

#include "base/text.h"

namespace svc::request {

std::string placeholder_id(std::string_view kind) {
  return fmt::format("{}_{}", kind, random_uuid());
}

void put_variable(Request& request, std::string placeholder, std::string_view name) {
  request.variables.push_back({std::move(placeholder), fmt::format("${}", name)});
}

namespace {

bool mentions(const Request& request, std::string_view text) {
  const auto in = [&](const std::string& whole) { return whole.find(text) != std::string::npos; };
  if (in(request.url)) return true;
  if (const auto* body = std::get_if<std::string>(&request.body)) return in(*body);
  if (const auto* sections = std::get_if<std::vector<BodySection>>(&request.body)) {
    return std::ranges::any_of(*sections, [&](const BodySection& section) {
      const auto* part = std::get_if<std::string>(&section);
      return part != nullptr && in(*part);
    });
  }
  const auto* parts = std::get_if<std::vector<Part>>(&request.body);
  return parts != nullptr && std::ranges::any_of(*parts, [&](const Part& part) {
           const auto* value = std::get_if<std::string>(&part.content);
           return value != nullptr && in(*value);
         });
}

}  // namespace

void rename_variables(Plan& plan) {
  for (Step& source : plan.steps) {
    if (!source.result) continue;
    const std::string old = "$" + source.result->variable;
    std::string name = old;
    while (std::ranges::any_of(plan.steps,
                               [&](const Step& step) { return mentions(step.request, name); })) {
      name += "_NEW";
    }
    if (name == old) continue;
    source.result->variable = name.substr(1);
    for (Step& step : plan.steps) {
      for (Variable& variable : step.request.variables) {
        if (variable.name == old) variable.name = name;
      }
    }
  }
}

}  // namespace svc::request
