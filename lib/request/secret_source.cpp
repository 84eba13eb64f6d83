#include "request/secret_source.h"

#include <algorithm>
#include <cctype>

#include <fmt/format.h>

#include "base/text.h"
#include "request/convert.h"

namespace svc::request {
namespace {

bool is_variable_name(std::string_view text) {
  const auto fits = [](char c) {
    return std::isalnum(static_cast<unsigned char>(c)) != 0 || c == '_';
  };
  return !text.empty() && (text.front() < '0' || text.front() > '9') &&
         std::all_of(text.begin(), text.end(), fits);
}

}  // namespace

Error secret_in_argv(std::string_view flag) {
  return usage_error(
      fmt::format("{} takes no secret as it is: everybody on this machine could read it", flag),
      "Give a secret as @FILE, as env:NAME of a variable, or as - for a line of standard input.");
}

Result<SecretSource> parse_secret_source(const Field& field, std::string_view text) {
  if (text == "-") return SecretSource{SecretSource::From::Input, {}};
  if (text.starts_with('@') && text.size() > 1) {
    return SecretSource{SecretSource::From::File, std::string(text.substr(1))};
  }
  if (text.starts_with("env:") && is_variable_name(text.substr(4))) {
    return SecretSource{SecretSource::From::Variable, std::string(text.substr(4))};
  }
  return secret_in_argv(flag_name(field));
}

std::string secret_variable(const Field& field, const SecretSource& source) {
  if (source.from == SecretSource::From::Variable) return fmt::format("${}", source.name);
  std::string name = "$SVC_";
  for (const char c : field.flag) {
    name += c == '-' ? '_' : static_cast<char>(std::toupper(static_cast<unsigned char>(c)));
  }
  return name;
}

}  // namespace svc::request
