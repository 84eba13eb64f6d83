#include "emulator/handler/handler.h"

#include <algorithm>

#include <fmt/format.h>

#include "base/text.h"
#include "base/url.h"
#include "json/text.h"

namespace svc::emulator {

std::optional<std::string> Call::query_value(std::string_view name) const {
  const auto found = std::ranges::find(query, name, &Header::name);
  if (found == query.end()) return std::nullopt;
  return found->value;
}

std::optional<std::string> Call::header(std::string_view name) const {
  const auto found = std::ranges::find_if(
      headers, [&](const Header& header) { return equals_ignore_case(header.name, name); });
  if (found == headers.end()) return std::nullopt;
  return found->value;
}

bool may_use_model(const KeyRecord& key, std::string_view model) {
  return std::ranges::any_of(key.acls, [&](const std::string& acl) {
    return acl == "api-key:model:*" || acl == fmt::format("api-key:model:{}", model);
  });
}

Answer refuse(int status, std::string_view code, std::string_view message) {
  Answer answer;
  answer.status = status;
  answer.body = fmt::format(R"({{"code":{},"error":{}}})", json_quote(code), json_quote(message));
  return answer;
}

Answer refuse_schema(std::string_view path, std::string_view reason, std::size_t line,
                     std::size_t column) {
  Answer answer;
  answer.status = 422;
  answer.content_type = "text/plain; charset=utf-8";
  answer.body = fmt::format(
      "Failed to deserialize the JSON body into the target type: {}: {} at line {} column {}", path,
      reason, line, column);
  return answer;
}

Answer refuse_model(std::string_view model) {
  return refuse(403, "The caller does not have permission to execute the specified operation",
                fmt::format("This API key has no access to the model {}. Give it the ACL "
                            "api-key:model:{} or api-key:model:*.",
                            model, model));
}

Answer refuse_internal(const Error& error) {
  return refuse(500, "Internal error", error.message);
}

namespace {

// It ends up in URLs, so it must be a host and nothing else.
bool is_host(std::string_view text) {
  return !text.empty() && std::ranges::all_of(text, [](char c) {
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '.' ||
           c == '-' || c == ':' || c == '[' || c == ']';
  });
}

}  // namespace

std::string own_address(const Call& call) {
  const auto host = call.header("Host");
  return fmt::format("{}://{}", call.tls ? "https" : "http",
                     host && is_host(*host) ? *host : "127.0.0.1");
}

std::string public_file_url(const std::string& address, std::string_view token,
                            std::string_view filename) {
  if (token.empty()) return {};
  return fmt::format("{}/public/files/{}/{}", address, token, percent_encode(filename));
}

}  // namespace svc::emulator
