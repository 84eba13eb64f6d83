// Checks values against JSON Schemas for tests/judges/schema.mjs. Each line of standard input is
// {"schema": …, "value": …}; each line of output is "valid", "invalid" with the reason, or
// "refused" with the error in the schema.
#include <iostream>
#include <string>

#include <nlohmann/json.hpp>

#include "json/document.h"
#include "json/schema.h"

namespace {

std::string verdict(const nlohmann::json& question) {
  const auto schema = svc::JsonSchema::read(question.at("schema"));
  if (!schema) return "refused: " + schema.error().message;
  const auto fault = schema->check(question.at("value"));
  return fault ? "invalid: " + fault->where + ": " + fault->why : "valid";
}

}  // namespace

int main() {
  std::string line;
  while (std::getline(std::cin, line)) std::cout << verdict(svc::parse_reply(line)) << '\n';
  return 0;
}
